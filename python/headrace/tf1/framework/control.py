"""Order and side effects: tf.group, tf.no_op, tf.tuple, tf.Assert, tf.Print, tf.py_func."""
import collections
import itertools
import pprint
import sys

import numpy as np

from headrace import _core
from headrace.tf1 import nest
from headrace.tf1.framework import convert, dtypes, graph as graph_lib
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import IndexedSlices, Operation, Tensor


def no_op(name=None):
    """An operation that does nothing."""
    return apply_op('NoOp', name=name)


def group(*inputs, **kwargs):
    """An operation that is done when all inputs are."""
    name = kwargs.pop('name', None)
    if kwargs:
        raise ValueError('Unknown keyword arguments: ' + ', '.join(kwargs))
    flat = nest.flatten(inputs)
    with graph_lib.name_scope(name, 'group_deps', [i for i in flat if hasattr(i, 'graph')]) as scope:
        by_device = collections.OrderedDict()
        for item in flat:
            if not hasattr(item, 'device'):
                raise TypeError("Expected tf.group() expected Tensor arguments not '%s' with type '%s'" % (item, type(item)))
            by_device.setdefault(item.device, []).append(item)
        if len(by_device) <= 1:
            (device, items), = by_device.items() or [('', [])]
            return _group_on(items, device, scope)
        parts = []
        with graph_lib.get_default_graph().colocate_with(None, ignore_existing=True):
            for device in sorted(by_device):
                parts.append(_group_on(by_device[device], device, None))
            with graph_lib.control_dependencies(parts):
                return no_op(name=scope)


def _group_on(items, device, name):
    with graph_lib.control_dependencies(items):
        if device:
            with graph_lib.device(device):
                return no_op(name=name)
        return no_op(name=name)


def with_dependencies(dependencies, output_tensor, name=None):
    """The tensor, after all dependencies."""
    with graph_lib.name_scope(name, 'control_dependency', list(dependencies) + [output_tensor]) as scope:
        with graph_lib.colocate_with(output_tensor):
            with graph_lib.control_dependencies(dependencies):
                output_tensor = convert.convert_to_tensor_or_indexed_slices(output_tensor)
                if isinstance(output_tensor, IndexedSlices):
                    return IndexedSlices(apply_op('Identity', output_tensor.values, name=scope), output_tensor.indices,
                                         output_tensor.dense_shape)
                return apply_op('Identity', output_tensor, name=scope)


def tuple_of(tensors, name=None, control_inputs=None):
    """The tensors, each usable only when all are there."""
    with graph_lib.name_scope(name, 'tuple', [t for t in tensors if t is not None]):
        ops = [t if isinstance(t, Operation) else t.op for t in tensors if t is not None]
        for c in control_inputs or []:
            if isinstance(c, Tensor):
                c = c.op
            if not isinstance(c, Operation):
                raise TypeError('Control input must be Operation or Tensor: %s' % c)
            ops.append(c)
        ops = sorted(set(ops), key=lambda op: op._id)
        if not ops:
            raise ValueError('Must have at least one Tensor: %s' % (tensors,))
        gate = group(*ops)
        return [None if t is None else gate if isinstance(t, Operation) else with_dependencies([gate], t) for t in tensors]


def Assert(condition, data, summarize=None, name=None):  # pylint: disable=invalid-name
    """An operation that fails the step with the data if `condition` is false."""
    from headrace.tf1.framework import control_flow
    return control_flow.assert_guard(condition, list(data), summarize, name)


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):  # pylint: disable=invalid-name
    """`input_` as it is; prints `data` to standard error whenever it is computed."""
    return apply_op('Print', input_, list(data), message=message or '', first_n=-1 if first_n is None else first_n,
                    summarize=3 if summarize is None else summarize, name=name)


def print_v2(*inputs, **kwargs):
    """An operation that prints tensors and other values: tf.print."""
    output_stream, summarize = kwargs.pop('output_stream', sys.stderr), kwargs.pop('summarize', 3)
    sep, end, name = kwargs.pop('sep', ' '), kwargs.pop('end', '\n'), kwargs.pop('name', None)
    if kwargs:
        raise ValueError('Unrecognized keyword arguments for tf.print: %s' % kwargs)
    streams = {id(sys.stdout): 'stdout', id(sys.stderr): 'stderr'}
    stream = streams.get(id(output_stream), output_stream)
    if not isinstance(stream, str):
        raise ValueError('Unsupported output stream, logging level, or file.%s' % (output_stream,))
    with graph_lib.name_scope(name, 'print'):
        text = _printed(inputs, sep, summarize)
        return apply_op('PrintV2', text, output_stream=stream, end=end)


def _is_printed_as_tensor(value):
    return isinstance(value, Tensor) or hasattr(value, '_as_tensor')


def _printed(inputs, sep, summarize):
    """The string tensor that tf.print prints: what Python would print, with the values of tensors wherever they stand in it."""
    if len(inputs) == 1 and _is_printed_as_tensor(inputs[0]):
        only = convert_to_tensor(inputs[0])
        if only.dtype.base_dtype is dtypes.string and only.shape.ndims == 0:
            return only  # as it is; among others it stands in quotes
    leaves = nest.flatten(list(inputs))
    place, texts, count = '{}', [v for v in leaves if isinstance(v, str)], itertools.count()
    while any(place in text for text in texts):
        place = '{%d}' % next(count)
    parts = []
    for value in inputs:
        if isinstance(value, str):
            parts.append(value)
            continue
        marked = [place if _is_printed_as_tensor(v) else v for v in nest.flatten(value)]
        # Sorted as nest sorts the keys; nobody's strings hold the quoted mark.
        parts.append(pprint.pformat(nest.pack_sequence_as(value, marked)).replace(repr(place), place))
    tensors = [convert_to_tensor(v) for v in leaves if _is_printed_as_tensor(v)]
    return apply_op('StringFormat', tensors, template=sep.join(parts), placeholder=place, summarize=summarize)


# ---- functions of the program

_tokens = itertools.count()


def _host_function(func, types, is_list):
    def call(arrays):
        results = func(*arrays)
        if is_list and isinstance(results, (list, tuple)):
            values = results
        else:
            values = [] if results is None and not types else [results]
        if len(values) != len(types):
            return [_as_found(np.asarray(v)) for v in values]
        return [_as_wanted(v, t) for v, t in zip(values, types)]
    return call


def _as_found(array):
    """An array with its own dtype: where that is not what is wanted, the engine says so, naming the node."""
    return array, dtypes.as_dtype(array.dtype)._enum


def _as_wanted(value, dtype):
    array = np.asarray(value, order='C')
    if dtype is dtypes.string:
        return array, dtype._enum
    if array.dtype in (np.float64, np.int64, np.int32) and not isinstance(value, (np.ndarray, np.generic)):
        return array.astype(dtype.as_numpy_dtype), dtype._enum  # a Python number has no width of its own
    return _as_found(array)


def py_func(func, inp, Tout, stateful=True, name=None):  # pylint: disable=invalid-name
    """A node that calls `func` with arrays and takes its results as tensors of the dtypes `Tout` (a dtype or a list of them)."""
    is_list = isinstance(Tout, (list, tuple))
    types = [dtypes.as_dtype(t) for t in (Tout if is_list else [Tout])]
    token = 'pyfunc_%d' % next(_tokens)
    _core.register_function(token, _host_function(func, types, is_list))
    graph = graph_lib.get_default_graph()
    graph.__dict__.setdefault('_functions', []).append(_Registration(token))
    result = apply_op('PyFunc' if stateful else 'PyFuncStateless', [convert_to_tensor(i) for i in inp], token=token, Tout=types, name=name)
    if isinstance(result, Operation):
        return result
    return result if is_list else result[0]


numpy_function = py_func


class _Registration(object):
    def __init__(self, token):
        self._token = token

    def __del__(self):
        try:
            _core.remove_function(self._token)
        except Exception:  # the interpreter is ending
            pass


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """A function that makes its variables at the first call and uses the same ones in later calls."""
    from headrace.tf1.framework import variable_scope
    return variable_scope.make_template(name_, func_, create_scope_now_, unique_name_, custom_getter_, **kwargs)
