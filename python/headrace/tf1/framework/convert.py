"""From Python values to tensors (tf.convert_to_tensor, tf.constant)."""
import contextlib

import numpy as np

from headrace import _core
from headrace.tf1.framework import dtypes, graph as graph_lib, shapes
from headrace.tf1.framework.graph import IndexedSlices, Operation, Tensor

_conversions = {100: []}  # priority -> [(base types, function)]
_PLAIN = (bool, int, float, complex, str, bytes)


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    """`conversion_func(value, dtype, name, as_ref)` makes tensors of objects of `base_type`; lower priorities come first."""
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    for t in types:
        if not isinstance(t, type):
            raise TypeError('base_type must be a type or a tuple of types.')
    if not callable(conversion_func):
        raise TypeError('conversion_func must be callable.')
    _conversions.setdefault(priority, []).append((types, conversion_func))


def _registered(value):
    for priority in sorted(_conversions):
        for types, function in _conversions[priority]:
            if isinstance(value, types):
                yield function


def convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None, as_ref=False):
    """The tensor for a tensor, variable, number, array, string, list, or what a conversion function is registered for.

    `dtype`: what it must have; `preferred_dtype`: what it gets where the value permits. Errors: ValueError for a tensor of another
    dtype, TypeError for what cannot be one.
    """
    if type(value) is Tensor or isinstance(value, Tensor):
        if dtype is not None:
            wanted = dtypes.as_dtype(dtype)
            if not wanted.is_compatible_with(value.dtype):
                raise ValueError('Tensor conversion requested dtype %s for Tensor with dtype %s: %r' % (
                    wanted.name, value.dtype.name, value))
        return value
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    preferred_dtype = dtype_hint if preferred_dtype is None else preferred_dtype
    to_tensor = getattr(value, '_as_tensor', None)
    if to_tensor is not None:
        return to_tensor(dtype, name, as_ref)
    for function in _registered(value):
        if dtype is None and preferred_dtype is not None:
            try:
                result = function(value, dtype=preferred_dtype, name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                result = NotImplemented
            if result is not NotImplemented and result.dtype.base_dtype == dtypes.as_dtype(preferred_dtype).base_dtype:
                return result
        result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is not NotImplemented:
            return result
    if isinstance(value, IndexedSlices):
        return _slices_to_tensor(value, dtype, name)
    if isinstance(value, (Operation, graph_lib.Graph)):
        raise TypeError("Can't convert Operation '%s' to Tensor (target dtype=%r, name=%r, as_ref=False)" % (
            getattr(value, 'name', value), None if dtype is None else dtype.name, name))
    if isinstance(value, shapes.TensorShape):
        return _shape_to_tensor(value, dtype, name)
    if isinstance(value, shapes.Dimension):
        return _dimension_to_tensor(value, dtype, name)
    if isinstance(value, (list, tuple)) and has_tensor(value):
        return pack(value, dtype, name)
    if isinstance(value, dtypes.DType):
        return constant(value._enum, dtypes.int32, name=name or 'Const')
    if preferred_dtype is not None and dtype is None:
        preferred_dtype = dtypes.as_dtype(preferred_dtype)
        try:
            return constant(value, preferred_dtype, name=name or 'Const')
        except (TypeError, ValueError):
            pass
    return constant(value, dtype, name=name or 'Const')


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    if isinstance(value, IndexedSlices):
        return value
    return convert_to_tensor(value, dtype, name)


def convert_n_to_tensor(values, dtype=None, name=None):
    return [convert_to_tensor(v, dtype, None if name is None else '%s_%d' % (name, i)) for i, v in enumerate(values)]


def has_tensor(value):
    """Is there a tensor or variable somewhere in nested lists?"""
    for item in value:
        if isinstance(item, Tensor) or hasattr(item, '_as_tensor'):
            return True
        if isinstance(item, (list, tuple)) and has_tensor(item):
            return True
    return False


def pack(values, dtype, name):
    """A list with tensors in it, as TensorFlow converts it: one Pack a level, constants "packed/0" and so on."""
    if dtype is None:
        dtype = _dtype_of_nested(values)
    name = name or 'packed'
    with graph_lib.name_scope(name, values=_flat_tensors(values) or None) as scope:
        items = []
        for i, value in enumerate(values):
            if isinstance(value, Tensor) or hasattr(value, '_as_tensor'):
                value = convert_to_tensor(value)
                if dtype is not None and value.dtype.base_dtype != dtype.base_dtype:
                    raise TypeError('Cannot convert a list containing a tensor of dtype %s to %s (Tensor is: %r)' % (
                        value.dtype, dtype, value))
                items.append(value)
            elif isinstance(value, (list, tuple)) and has_tensor(value):
                items.append(pack(value, dtype, str(i)))
            else:
                items.append(constant(value, dtype, name=str(i)))
        return apply_op('Pack', items, name=scope)


def _flat_tensors(values):
    for value in values:
        if isinstance(value, Tensor) or hasattr(value, '_as_tensor'):
            return [value]
        if isinstance(value, (list, tuple)):
            found = _flat_tensors(value)
            if found:
                return found
    return []


def _dtype_of_nested(values):
    for value in values:
        if isinstance(value, Tensor) or hasattr(value, '_as_tensor'):
            return value.dtype.base_dtype
        if isinstance(value, (list, tuple)):
            found = _dtype_of_nested(value)
            if found is not None:
                return found
    return None


def _shape_to_tensor(shape, dtype, name):
    if not shape.is_fully_defined():
        raise ValueError('Cannot convert a partially known TensorShape to a Tensor: %s' % shape)
    if dtype is None:
        dtype = dtypes.int64 if any(d >= 2 ** 31 for d in shape._dims) else dtypes.int32
    elif dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError('Cannot convert a TensorShape to dtype: %s' % dtype)
    return constant(np.array(shape._dims, dtype.as_numpy_dtype), dtype, name=name or 'shape_as_tensor')


def _dimension_to_tensor(dimension, dtype, name):
    if dimension.value is None:
        raise ValueError('Cannot convert an unknown Dimension to a Tensor: %s' % dimension)
    dtype = dtype or dtypes.int32
    if dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError('Cannot convert a TensorShape to dtype: %s' % dtype)
    return constant(dimension.value, dtype, name=name or 'shape_as_tensor')


def _slices_to_tensor(value, dtype, name):
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError('Tensor conversion requested dtype %s for IndexedSlices with dtype %s' % (dtype.name, value.dtype.name))
    if value.dense_shape is None:
        raise ValueError('Tensor conversion requested for IndexedSlices without dense_shape: %s' % str(value))
    rows = apply_op('StridedSlice', value.dense_shape, [0], [1], [1], shrink_axis_mask=1, name='strided_slice')
    return apply_op('UnsortedSegmentSum', value.values, value.indices, rows, name=name)


# ---- constants

def _check_types(values, dtype):
    """TypeError for the first element that `dtype` does not take, as TensorFlow words it."""
    allowed = _ALLOWED.get(dtype)
    if allowed is None:
        return
    stack = [values]
    while stack:
        value = stack.pop()
        if isinstance(value, (list, tuple)):
            stack.extend(reversed(value))
        elif not isinstance(value, allowed):
            if isinstance(value, (np.ndarray, np.generic, shapes.Dimension)):
                continue
            if dtype == dtypes.int32 and hasattr(value, '__index__') and not isinstance(value, bool):
                continue
            raise TypeError("Expected %s, got %s of type '%s' instead." % (
                dtype.name, repr(value), type(value).__name__))
        elif isinstance(value, bool) and dtype is not dtypes.bool and bool not in allowed:
            raise TypeError("Expected %s, got %s of type 'bool' instead." % (dtype.name, value))


_INTS, _FLOATS = (int,), (int, float)
_ALLOWED = {
    dtypes.float16: _FLOATS, dtypes.float32: _FLOATS, dtypes.float64: _FLOATS, dtypes.bfloat16: _FLOATS,
    dtypes.int8: _INTS, dtypes.int16: _INTS, dtypes.int32: _INTS, dtypes.int64: _INTS, dtypes.uint8: _INTS, dtypes.uint16: _INTS,
    dtypes.uint32: _INTS, dtypes.uint64: _INTS, dtypes.string: (str, bytes), dtypes.bool: (bool,),
    dtypes.complex64: (int, float, complex), dtypes.complex128: (int, float, complex)}


def make_array(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=True):
    """(array, dtype) of a constant: TensorFlow's rules for what dtype a Python value gets and which it may be given."""
    if isinstance(values, shapes.TensorShape):
        values = values.as_list()
    if isinstance(values, shapes.Dimension):
        values = values.value
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype).base_dtype
    if isinstance(values, (np.ndarray, np.generic)):
        array = values.astype(dtype.as_numpy_dtype) if dtype is not None and dtype is not dtypes.string else np.asarray(values)
    elif hasattr(values, '__array__') and not isinstance(values, (list, tuple) + _PLAIN):
        array = np.asarray(values, None if dtype is None or dtype is dtypes.string else dtype.as_numpy_dtype)
    else:
        if values is None:
            raise ValueError('None values not supported.')
        if dtype is not None:
            _check_types(values, dtype)
        array = _array_of_python(values, dtype)
    found = dtypes.as_dtype(array.dtype) if dtype is None else dtype
    if dtype is not None and (dtype is dtypes.string) != (array.dtype.kind in 'OSU'):
        raise TypeError("Expected %s, got %s of type '%s' instead." % (dtype.name, values, type(values).__name__))
    if shape is not None:
        array = _with_shape(array, shapes.as_shape(shape), verify_shape, allow_broadcast)
    return array, found


def _array_of_python(values, dtype):
    if dtype is dtypes.string:
        return _string_array(values)
    if dtype is not None and dtype.is_quantized and isinstance(values, tuple):
        return np.array(values[0], dtype.as_numpy_dtype)
    try:
        array = np.array(values, None if dtype is None else dtype.as_numpy_dtype)
    except OverflowError as e:
        raise ValueError(str(e))
    except ValueError as e:
        if 'inhomogeneous' in str(e) or 'sequence' in str(e):
            raise ValueError('Argument must be a dense tensor: %s - got shape %s, but wanted %s.' % (
                values, [len(values)], _wanted_shape(values)))
        raise
    if dtype is not None:
        return array
    if array.dtype == np.float64:
        return array.astype(np.float32)
    if array.dtype == np.int64:
        small = array.astype(np.int32)
        return small if np.array_equal(small, array) else array
    if array.dtype.kind in 'OSU':
        if array.dtype.kind == 'O':
            for item in array.flat:
                if item is None:
                    raise ValueError('None values not supported.')
                if not isinstance(item, (str, bytes)):
                    raise TypeError('Failed to convert object of type %s to Tensor. Contents: %s. Consider casting elements to a '
                                    'supported type.' % (type(values), values))
        return _string_array(values)
    return array


def _string_array(values):
    shape, item = [], values
    while isinstance(item, (list, tuple)):
        shape.append(len(item))
        if not item:
            break
        item = item[0]
    if not shape:
        array = np.empty((), object)
        array[()] = values
        return array
    flat = []

    def collect(value):
        if isinstance(value, (list, tuple)):
            for v in value:
                collect(v)
        else:
            flat.append(value)
    collect(values)
    array = np.empty(len(flat), object)
    array[:] = flat
    try:
        return array.reshape(shape)
    except ValueError:
        pass
    raise ValueError('Argument must be a dense tensor: %s - got %d elements for shape %s.' % (values, len(flat), shape))


def _wanted_shape(values):
    shape, item = [], values
    while isinstance(item, (list, tuple)) and item:
        shape.append(len(item))
        item = item[0]
    return shape


def _with_shape(array, shape, verify, allow_broadcast):
    if not shape.is_fully_defined():
        raise ValueError('the shape of a constant must be known in full, got %s' % shape)
    wanted = tuple(shape._dims)
    if verify and array.shape != wanted:
        raise TypeError("Expected Tensor's shape: %s, got %s." % (wanted, array.shape))
    if array.shape == wanted:
        return array
    size = shape.num_elements()
    if array.size == size:
        return array.reshape(wanted)
    if array.size > size:
        raise ValueError('Too many elements provided. Needed at most %d, but received %d' % (size, array.size))
    if not array.size:
        return np.zeros(wanted, array.dtype)
    # The last value fills the rest.
    flat = np.empty(size, array.dtype)
    flat[:array.size] = array.ravel()
    flat[array.size:] = array.ravel()[-1]
    return flat.reshape(wanted)


def constant(value, dtype=None, shape=None, name='Const', verify_shape=False):
    """A tensor that holds `value`.

    Shapes: `shape` if it is given (the last value fills what is missing), else that of the value. DTypes: `dtype`, else float32
    for Python floats, int32 for integers that fit. Errors: TypeError, ValueError for what does not fit.
    """
    array, dtype = make_array(value, dtype, shape, verify_shape)
    graph = graph_lib.get_default_graph()
    op = graph._create('Const', [], {'value': (array, dtype._enum), 'dtype': dtype._enum}, name)
    return op._outputs[0]


def constant_value(tensor, partial=False):
    """The array that a tensor is known to have while the graph is built, or None."""
    if isinstance(tensor, (np.ndarray, np.generic)):
        return tensor
    if not isinstance(tensor, Tensor):
        tensor = convert_to_tensor(tensor)
    value = tensor.op._core.constant_value(tensor._handle)
    return None if value is None else np.asarray(value)


def constant_value_as_shape(tensor):
    """What is known of the shape that a vector states."""
    if isinstance(tensor, (list, tuple, np.ndarray)) and not (isinstance(tensor, (list, tuple)) and has_tensor(tensor)):
        return shapes.TensorShape([None if d == -1 else int(d) for d in tensor])
    tensor = convert_to_tensor(tensor)
    return shapes.TensorShape._of(tensor.op._core.constant_value_as_shape(tensor._handle))


# ---- ops by their definitions

class _Spec(object):
    """What is needed to apply an op: from the engine's definition."""
    __slots__ = ('name', 'inputs', 'outputs', 'attrs', 'kinds', 'defaults', 'types', 'input_types', 'doc', 'result', 'strings', 'has_refs')

    def __init__(self, name):
        definition = _core.op_def(name)
        if definition is None:
            raise NotImplementedError("the engine has no op '%s'" % name)
        self.name, self.doc = name, definition['doc']
        self.inputs, self.outputs = definition['inputs'], definition['outputs']
        self.attrs = [a['name'] for a in definition['attrs']]
        self.kinds = {a['name']: a['kind'] for a in definition['attrs']}
        self.defaults = {a['name']: a['default'] for a in definition['attrs'] if a['has_default']}
        self.types = {a['name']: frozenset(a['types']) for a in definition['attrs'] if a['types']}
        self.strings = {a['name']: a['strings'] for a in definition['attrs'] if a['strings']}
        self.input_types = frozenset(i[k] for i in self.inputs for k in (2, 3, 4) if i[k])
        self.has_refs = any(i[5] for i in self.inputs)
        self.result = None
        if len(self.outputs) > 1:
            import collections
            self.result = collections.namedtuple(name, [o[0] for o in self.outputs], rename=True)


_specs = {}


def op_spec(name):
    spec = _specs.get(name)
    if spec is None:
        spec = _specs[name] = _Spec(name)
    return spec


def attr_to_core(value, kind, name=''):
    """An attribute as the engine takes it."""
    if kind == 'type':
        try:
            return dtypes.as_dtype(value).base_dtype._enum
        except TypeError:
            pass
        raise TypeError("Expected DataType for argument '%s' not %r." % (name, value))
    if kind == 'list(type)':
        values = value if isinstance(value, (list, tuple)) else [value]
        return [dtypes.as_dtype(v).base_dtype._enum for v in values]
    if kind == 'shape':
        return shapes.as_shape(value)._to_core()
    if kind == 'list(shape)':
        return [shapes.as_shape(v)._to_core() for v in value]
    if kind == 'tensor':
        array, dtype = make_array(value)
        return array, dtype._enum
    if kind == 'int' or kind == 'float':
        if isinstance(value, (str, bytes)) or value is None or isinstance(value, Tensor):
            raise TypeError("Expected %s for argument '%s' not %r." % (kind, name, value))
        return int(value) if kind == 'int' else float(value)
    if kind == 'bool':
        if not isinstance(value, (bool, np.bool_, int)):
            raise TypeError("Expected bool for argument '%s' not %r." % (name, value))
        return bool(value)
    if kind == 'string' and not isinstance(value, (str, bytes)):
        raise TypeError("Expected string for argument '%s' not %r." % (name, value))
    if kind == 'list(int)' and not isinstance(value, (list, tuple)):
        if isinstance(value, (np.ndarray, shapes.TensorShape)):
            return [int(v) for v in (value.as_list() if isinstance(value, shapes.TensorShape) else value)]
        raise TypeError("Expected list for '%s' argument, not %r." % (name, value))
    if kind == 'list(int)':
        return [int(v) for v in value]
    return value


def _needs_scope(spec, inputs):
    """Does converting the inputs make nodes? They are named in the scope of the op."""
    for at, value in enumerate(inputs):
        if type(value) is Tensor:
            continue
        if isinstance(value, (list, tuple)):
            if at < len(spec.inputs) and not (spec.inputs[at][3] or spec.inputs[at][4]):
                return True  # tensors that are packed into one
            for item in value:
                if type(item) is not Tensor:
                    return True
            continue
        return True
    return False


def apply_op(op_name, *inputs, **attrs):
    """Adds a node of an op; inputs in the definition's order, attributes by name. Gives its output (a list for a list output, a
    named tuple for several, the operation for none).

    Inputs are converted as TensorFlow converts them: to the dtype that an earlier input has set, in the name scope of the op.
    """
    name = attrs.pop('name', None)
    spec = _specs.get(op_name) or op_spec(op_name)
    graph = None
    for value in inputs:
        if type(value) is Tensor:
            graph = value.op.graph
            break
    default = graph_lib.get_default_graph()
    if default._building_function:
        return _apply(spec, default, default.taken(inputs), attrs, name)
    if graph is None or graph is not default:
        graph = graph_lib.graph_of(inputs)
        if graph is not default:
            with graph.as_default():
                return _apply(spec, graph, inputs, attrs, name)
    return _apply(spec, graph, inputs, attrs, name)


def _apply(spec, graph, inputs, attrs, name):
    if _needs_scope(spec, inputs) or graph._control_flow_context is not None:
        with graph.name_scope(name or spec.name) as scope:
            return _apply_in_scope(spec, graph, inputs, attrs, scope)
    return _apply_in_scope(spec, graph, inputs, attrs, name)


def _apply_in_scope(spec, graph, inputs, attrs, name):
    known = {}  # type and number attributes as the inputs set them
    core_attrs = {}
    for key, value in attrs.items():
        kind = spec.kinds.get(key)
        if kind is None:
            raise TypeError("%s() got an unexpected keyword argument '%s'" % (spec.name, key))
        if value is None:
            if key in spec.defaults or key in spec.input_types:
                continue
            if kind not in ('shape',):
                raise TypeError("%s: attribute '%s' must be given" % (spec.name, key))
        core_attrs[key] = attr_to_core(value, kind, key)
        if kind == 'type':
            known[key] = dtypes.of(core_attrs[key])
    if len(inputs) != len(spec.inputs):
        raise TypeError('%s takes %d inputs (%s), got %d' % (
            spec.name, len(spec.inputs), ', '.join(i[0] for i in spec.inputs), len(inputs)))
    handles = []
    sources = {}
    for value, (arg, dtype, type_attr, list_attr, number_attr, is_ref) in zip(inputs, spec.inputs):
        if number_attr:
            _convert_list(spec, value, arg, dtype, type_attr, number_attr, is_ref, known, core_attrs, handles, sources)
        elif list_attr:
            values = value if isinstance(value, (list, tuple)) else [value]
            wanted = core_attrs.get(list_attr)
            tensors = [convert_to_tensor(v, dtypes.of(wanted[i]) if wanted and i < len(wanted) else None, '%s_%d' % (arg, i))
                       for i, v in enumerate(values)]
            core_attrs[list_attr] = [t.dtype.base_dtype._enum for t in tensors]
            handles.extend(t._handle for t in tensors)
        else:
            handles.append(_convert_one(spec, value, arg, dtype, type_attr, is_ref, known, sources)._handle)
    for key, dtype in known.items():
        if key not in core_attrs:
            core_attrs[key] = dtype._enum
        allowed = spec.types.get(key)
        if allowed and dtype._enum not in allowed:
            raise TypeError("Value passed to parameter '%s' has DataType %s not in list of allowed values: %s" % (
                sources.get(key, key), dtype.name, ', '.join(dtypes.of(t).name for t in dtypes.as_listed(allowed))))
    if spec.has_refs:  # what takes a variable itself goes where the variable is
        with contextlib.ExitStack() as stack:
            for handle, arg in zip(handles, spec.inputs):
                if arg[5]:
                    stack.enter_context(graph.colocate_with(graph._operation(handle >> 16)))
            op = graph._create(spec.name, handles, core_attrs, name)
    else:
        op = graph._create(spec.name, handles, core_attrs, name)
    outputs = op._outputs
    if spec.result is None:
        if not spec.outputs:
            return op
        number_attr, list_attr = spec.outputs[0][4], spec.outputs[0][3]
        return list(outputs) if number_attr or list_attr else outputs[0]
    results, at = [], 0
    for out in spec.outputs:
        if out[4] or out[3]:
            count = op._core.node_attr(op._id, out[4] or out[3])[1]
            count = count if out[4] else len(count)
            results.append(list(outputs[at:at + count]))
            at += count
        else:
            results.append(outputs[at])
            at += 1
    return spec.result(*results)


def _convert_one(spec, value, arg, dtype_enum, type_attr, is_ref, known, sources):
    dtype = dtypes.of(dtype_enum) if dtype_enum else known.get(type_attr)
    if type(value) is Tensor or isinstance(value, Tensor):
        tensor = value
    else:
        preferred = None
        if dtype is None and type_attr in spec.defaults:
            preferred = dtypes.of(spec.defaults[type_attr])
        if is_ref:
            tensor = convert_to_tensor(value, None, arg, as_ref=True)
        else:
            try:
                tensor = convert_to_tensor(value, dtype, arg, preferred_dtype=preferred)
            except TypeError as e:
                if dtype is None:
                    raise
                raise TypeError("Expected %s passed to parameter '%s' of op '%s', got %r of type '%s' instead. Error: %s" % (
                    dtype.name, arg, spec.name, value, type(value).__name__, e))
            except ValueError as e:
                if dtype is None or not hasattr(value, 'dtype') or value.dtype.base_dtype == dtype:
                    raise ValueError("Tried to convert '%s' to a tensor and failed. Error: %s" % (arg, e))
                raise TypeError(_mismatch(spec, arg, value.dtype.base_dtype, dtype, sources.get(type_attr)))
    base = tensor.dtype._base
    if is_ref and not tensor.dtype._is_ref_dtype:
        raise TypeError("'%s' Op requires that input '%s' be a mutable tensor (e.g.: a tf.Variable)" % (spec.name, arg))
    if dtype is not None and base is not dtype:
        raise TypeError(_mismatch(spec, arg, base, dtype, sources.get(type_attr)))
    if type_attr and type_attr not in known:
        known[type_attr], sources[type_attr] = base, arg
    return tensor


def _mismatch(spec, arg, found, wanted, source):
    text = "Input '%s' of '%s' Op has type %s that does not match " % (arg, spec.name, found.name)
    return text + ('type %s of argument \'%s\'.' % (wanted.name, source) if source else 'expected type of %s.' % wanted.name)


def _convert_list(spec, value, arg, dtype_enum, type_attr, number_attr, is_ref, known, core_attrs, handles, sources):
    if not isinstance(value, (list, tuple)):
        raise TypeError("Expected list for '%s' argument to '%s' Op, not %s." % (arg, spec.name, value))
    dtype = dtypes.of(dtype_enum) if dtype_enum else known.get(type_attr)
    if dtype is None:
        for item in value:
            if isinstance(item, Tensor) or hasattr(item, '_as_tensor'):
                dtype = item.dtype.base_dtype
                break
    tensors = []
    for i, item in enumerate(value):
        if not isinstance(item, Tensor):
            item = convert_to_tensor(item, dtype, '%s_%d' % (arg, i), as_ref=is_ref)
        elif dtype is not None and item.dtype.base_dtype is not dtype:
            raise TypeError("Tensors in list passed to '%s' of '%s' Op have types [%s] that don't all match." % (
                arg, spec.name, ', '.join(v.dtype.base_dtype.name if hasattr(v, 'dtype') and isinstance(v.dtype, dtypes.DType)
                                          else '<NOT CONVERTIBLE TO TENSOR>' for v in value)))
        if dtype is None:
            dtype = item.dtype.base_dtype
        tensors.append(item)
    core_attrs[number_attr] = len(tensors)
    if type_attr and dtype is not None and type_attr not in known:
        known[type_attr], sources[type_attr] = dtype, arg
    handles.extend(t._handle for t in tensors)
