"""Datasets from Python generators."""
import itertools
import threading

import numpy as np

from headrace.tf1.framework import control, convert, dtypes, element_structure, functions, shapes
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.element_structure import Spec


class _Running(object):
    """Generators that iterators are in, by number."""

    def __init__(self, generator):
        self._generator = generator
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._iterators = {}

    def start(self, *args):
        found = self._generator(*args)
        with self._lock:
            number = next(self._numbers)
            self._iterators[number] = iter(found)
        return np.int64(number)

    def next(self, number):
        return next(self._iterators[int(number)])

    def end(self, number):
        with self._lock:
            self._iterators.pop(int(number), None)
        return np.int64(0)


def from_generator(generator, output_types, output_shapes=None, args=None):
    """Dataset.from_generator: one dataset that starts a generator in each pass over it."""
    if not callable(generator):
        raise TypeError('`generator` must be callable.')
    spec = Spec.of_nested(output_types, output_shapes)
    arguments = tuple(convert.convert_n_to_tensor(args, name='args')) if args is not None else ()
    running = _Running(generator)

    def initial():
        return control.py_func(running.start, list(arguments), dtypes.int64)

    def following(number):
        number.set_shape([])
        values = control.py_func(lambda n: _element(running.next(n), spec), [number], spec.types)
        for value, shape in zip(values, spec.shapes):
            value.set_shape(shape)
        return spec.nested(values)

    def final(number):
        return control.py_func(running.end, [number], dtypes.int64)

    nothing = Spec((), [], [])
    number = Spec(0, [dtypes.int64], [None])
    init = functions.trace(initial, 'Dataset.from_generator()', nothing)
    next_ = functions.trace(following, 'Dataset.from_generator()', number)
    finalize = functions.trace(final, 'Dataset.from_generator()', number)
    from headrace.tf1.framework.datasets import Dataset
    return Dataset(apply_op('GeneratorDataset', init.captured, next_.captured, finalize.captured, init_func=init.name,
                            next_func=next_.name, finalize_func=finalize.name, **spec.attrs), spec)


def _element(value, spec):
    """Arrays of an element. TypeError or ValueError where it does not look like `spec`."""
    try:
        leaves = element_structure.flatten_up_to(spec.structure, value)
    except (TypeError, ValueError):
        raise TypeError('`generator` yielded an element that did not match the expected structure. The expected structure was %s, but '
                        'the yielded element was %s.' % (spec.output_types, value))
    return [_array(leaf, dtype, shape) for leaf, dtype, shape in zip(leaves, spec.types, spec.shapes)]


def _array(value, dtype, shape):
    try:
        array = np.asarray(value, dtype=object if dtype is dtypes.string else dtype.as_numpy_dtype)
    except (TypeError, ValueError):
        raise TypeError('`generator` yielded an element that could not be converted to the expected type. The expected type was %s, but '
                        'the yielded element was %s.' % (dtype.name, value))
    if not shape.is_compatible_with(shapes.TensorShape(array.shape)):
        raise ValueError('`generator` yielded an element of shape %s where an element of shape %s was expected.' % (array.shape, shape))
    return array
