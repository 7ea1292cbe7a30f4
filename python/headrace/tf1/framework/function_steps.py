"""Steps of datasets that call functions of the program: Dataset.map and its relatives."""
from headrace.tf1.framework import convert, dtypes, element_structure, functions, shapes
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.element_structure import Spec
from headrace.tf1.framework.nested_dataset import NestedDataset

AUTOTUNE = -1


def _int64(value, name):
    return convert_to_tensor(value, dtypes.int64, name=name)


class FunctionSteps(object):
    """What `Dataset` takes from here."""

    def map(self, map_func, num_parallel_calls=None, **kwargs):
        """What `map_func` makes of each element, up to `num_parallel_calls` at a time (AUTOTUNE: as many as there are cores); in order.
        `map_func` is called once, while the graph is built; a tuple comes as several arguments."""
        f = functions.trace(map_func, 'Dataset.map()', self._spec)
        if num_parallel_calls is None:
            return self._unary('MapDataset', f.captured, f=f.name, spec=f.spec)
        calls = convert_to_tensor(num_parallel_calls, dtypes.int32, name='num_parallel_calls')
        return self._unary('ParallelMapDataset', f.captured, calls, f=f.name, spec=f.spec)

    map_with_legacy_function = map

    def flat_map(self, map_func):
        """The elements of the datasets that `map_func` makes of each element."""
        f, spec = _traced_datasets(map_func, 'Dataset.flat_map()', self._spec)
        return self._unary('FlatMapDataset', f.captured, f=f.name, spec=spec)

    def interleave(self, map_func, cycle_length=AUTOTUNE, block_length=1, num_parallel_calls=None):
        """`block_length` elements each of `cycle_length` datasets in turn, which `map_func` makes of elements; with `num_parallel_calls`
        those that are open are read ahead."""
        f, spec = _traced_datasets(map_func, 'Dataset.interleave()', self._spec)
        lengths = _int64(cycle_length, 'cycle_length'), _int64(block_length, 'block_length')
        if num_parallel_calls is None:
            return self._unary('InterleaveDataset', f.captured, *lengths, f=f.name, spec=spec)
        calls = _int64(num_parallel_calls, 'num_parallel_calls')
        return self._unary('ParallelInterleaveDatasetV2', f.captured, *(lengths + (calls,)), f=f.name, spec=spec)

    def filter(self, predicate):
        """The elements for which `predicate` gives true."""
        f = _traced_predicate(predicate, 'Dataset.filter()', self._spec)
        return self._unary('FilterDataset', f.captured, predicate=f.name)

    filter_with_legacy_function = filter

    def reduce(self, initial_state, reduce_func):
        """Tensors: the state after `reduce_func(state, element)` for all elements."""
        structure, initial = element_structure.tensors_of(initial_state)
        state = Spec(structure, [t.dtype for t in initial], [t.shape for t in initial])
        f, state = _traced_state(lambda spec: functions.trace(reduce_func, 'Dataset.reduce()', _pair(spec, self._spec)), state, lambda s: s)
        result = apply_op('ReduceDataset', self._variant_tensor, initial, f.captured, f=f.name, **state.attrs)
        return state.nested(result if isinstance(result, list) else [result])

    @staticmethod
    def from_generator(generator, output_types, output_shapes=None, args=None):
        """What a Python generator gives: `generator` is called, with the values of `args`, at the begin of each pass."""
        from headrace.tf1.framework import generator_dataset
        return generator_dataset.from_generator(generator, output_types, output_shapes, args)


def _pair(*specs):
    return Spec.side_by_side(tuple(specs))


def _traced_datasets(map_func, transformation, spec):
    """The function, and the spec of the elements of the datasets that it returns."""
    f = functions.trace(map_func, transformation, spec)
    if not isinstance(f.spec.structure, NestedDataset):
        raise TypeError('`map_func` must return a `Dataset` object. Got %s' % (f.spec.output_types,))
    return f, f.spec.structure.spec


def _traced_predicate(predicate, transformation, spec):
    f = functions.trace(predicate, transformation, spec)
    if f.spec.types != [dtypes.bool] or f.spec.shapes[0].ndims not in (None, 0) or element_structure.is_nested(f.spec.structure):
        raise ValueError('`predicate` return type must be convertible to a scalar boolean tensor. Was %s.' % (f.spec.output_types,))
    return f


def _traced_state(traced, state, state_of):
    """Traces with states of wider and wider shapes, until what the function returns fits the state that it takes."""
    while True:
        f = traced(state)
        new = state_of(f.spec)
        if new.types != state.types:
            raise TypeError('The element types for the new state must match the initial state. Expected %s; got %s.' % (
                state.output_types, new.output_types))
        element_structure.assert_same(state.structure, new.structure)
        wider = [_common_shape(a, b) for a, b in zip(state.shapes, new.shapes)]
        if all(_same(a, b) for a, b in zip(wider, state.shapes)):
            return f, state
        state = state.with_shapes(wider)


def _common_shape(a, b):
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return shapes.unknown_shape()
    return shapes.TensorShape([x if x == y else None for x, y in zip(a.as_list(), b.as_list())])


def _same(a, b):
    return a.ndims == b.ndims and (a.ndims is None or a.as_list() == b.as_list())


def scan(initial_state, scan_func):
    """For Dataset.apply: what `scan_func(state, element)` gives with each new state."""
    def transformation(dataset):
        structure, initial = element_structure.tensors_of(initial_state)
        state = Spec(structure, [t.dtype for t in initial], [t.shape for t in initial])

        def state_of(spec):
            if not isinstance(spec.structure, tuple) or len(spec.structure) != 2:
                raise TypeError('The scan function must return a pair comprising the new state and the output value.')
            return _parts(spec)[0]
        f, _ = _traced_state(lambda s: functions.trace(scan_func, 'tf.data.experimental.scan()', _pair(s, dataset._spec)), state, state_of)
        return dataset._unary('ScanDataset', initial, f.captured, f=f.name, spec=_parts(f.spec)[1])
    return transformation


def _parts(spec):
    """Specs of the items of a tuple."""
    found, at = [], 0
    for part in spec.structure:
        count = len(element_structure.flatten(part))
        found.append(Spec(part, spec.types[at:at + count], spec.shapes[at:at + count]))
        at += count
    return found


def take_while(predicate):
    """For Dataset.apply: the elements before the first for which `predicate` gives false."""
    def transformation(dataset):
        f = _traced_predicate(predicate, 'tf.data.experimental.take_while()', dataset._spec)
        return dataset._unary('TakeWhileDataset', f.captured, predicate=f.name)
    return transformation


def _traced_number(func, transformation, spec, what):
    f = functions.trace(func, transformation, spec)
    if f.spec.types != [dtypes.int64] or f.spec.shapes[0].ndims not in (None, 0):
        raise ValueError('`%s` must return a single tf.int64 scalar tensor. Got %s of shape %s' % (
            what, f.spec.output_types, f.spec.output_shapes))
    return f


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    """For Dataset.apply: windows of elements with equal `key_func(element)`; `reduce_func(key, window)` makes a dataset of each."""
    if (window_size is None) == (window_size_func is None):
        raise ValueError('Must pass either window_size or window_size_func.')
    size_func = window_size_func if window_size is None else lambda unused_key: convert.constant(window_size, dtypes.int64)

    def transformation(dataset):
        name = 'tf.data.experimental.group_by_window()'
        key = _traced_number(key_func, name, dataset._spec, 'key_func')
        size = _traced_number(_as_int64(size_func), name, Spec(0, [dtypes.int64], [[]]), 'window_size_func')
        window = Spec((0, NestedDataset(dataset._spec)), [dtypes.int64, dtypes.variant], [[], []])
        reduce, spec = _traced_datasets(reduce_func, name, window)
        return dataset._unary('GroupByWindowDataset', key.captured, reduce.captured, size.captured, key_func=key.name,
                              reduce_func=reduce.name, window_size_func=size.name, spec=spec)
    return transformation


def _as_int64(func):
    return lambda key: convert_to_tensor(func(key), dtypes.int64)


class Reducer(object):
    """Three functions that reduce elements: to a first state, to the next, and to a result."""

    def __init__(self, init_func, reduce_func, finalize_func):
        self.init_func, self.reduce_func, self.finalize_func = init_func, reduce_func, finalize_func


def group_by_reducer(key_func, reducer):
    """For Dataset.apply: one element for each key, which `reducer` made of the elements with that key."""
    def transformation(dataset):
        name = 'tf.data.experimental.group_by_reducer()'
        key = _traced_number(key_func, name, dataset._spec, 'key_func')
        init = functions.trace(reducer.init_func, name, Spec(0, [dtypes.int64], [[]]))
        reduce, state = _traced_state(lambda s: functions.trace(reducer.reduce_func, name, _pair(s, dataset._spec)), init.spec, lambda s: s)
        finalize = functions.trace(reducer.finalize_func, name, state)
        return dataset._unary('GroupByReducerDataset', key.captured, init.captured, reduce.captured, finalize.captured, key_func=key.name,
                              init_func=init.name, reduce_func=reduce.name, finalize_func=finalize.name, spec=finalize.spec)
    return transformation


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """For Dataset.apply: batches of what `map_func` makes of elements."""
    if num_parallel_batches is None and num_parallel_calls is None:
        num_parallel_calls = batch_size
    elif num_parallel_batches is not None and num_parallel_calls is None:
        num_parallel_calls = batch_size * num_parallel_batches
    elif num_parallel_batches is not None:
        raise ValueError('The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive.')

    def transformation(dataset):
        f = functions.trace(map_func, 'tf.data.experimental.map_and_batch()', dataset._spec)
        size, calls = _int64(batch_size, 'batch_size'), _int64(num_parallel_calls, 'num_parallel_calls')
        drop = convert_to_tensor(drop_remainder, dtypes.bool, name='drop_remainder')
        rows = convert.constant_value(size) if convert.constant_value(drop) else None
        batched = [shapes.unknown_shape() if s.ndims is None else shapes.TensorShape([None if rows is None else int(rows)] + s.as_list())
                   for s in f.spec.shapes]
        return dataset._unary('MapAndBatchDataset', f.captured, size, calls, drop, f=f.name, spec=f.spec.with_shapes(batched))
    return transformation


def map_and_batch_with_legacy_function(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    return map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None):
    """For Dataset.apply: Dataset.interleave that reads the open datasets ahead. `sloppy` permits another order; this one keeps it."""
    def transformation(dataset):
        f, spec = _traced_datasets(map_func, 'tf.data.experimental.parallel_interleave()', dataset._spec)
        block = _int64(block_length, 'block_length')
        known = convert.constant_value(block)
        buffer = 2 * int(known if known is not None else 1) if buffer_output_elements is None else buffer_output_elements
        inputs = 2 * int(convert.constant_value(_int64(cycle_length, 'cycle_length')) or 1) if prefetch_input_elements is None \
            else prefetch_input_elements
        return dataset._unary('ParallelInterleaveDataset', f.captured, _int64(cycle_length, 'cycle_length'), block,
                              convert_to_tensor(sloppy, dtypes.bool, name='sloppy'), _int64(buffer, 'buffer_output_elements'),
                              _int64(inputs, 'prefetch_input_elements'), f=f.name, spec=spec)
    return transformation
