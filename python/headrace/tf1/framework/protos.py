"""TensorFlow's protocol-buffer messages (tf.GraphDef, tf.ConfigProto, ...), as classes that the installed protobuf package makes
at run time from descriptions that the engine carries. Imported when first touched."""
import numpy as np

from headrace import _core
from headrace.tf1.framework import dtypes

_pool = None
_classes = {}


def _descriptors():
    global _pool
    if _pool is None:
        from google.protobuf import descriptor_pb2, descriptor_pool
        files = descriptor_pb2.FileDescriptorSet.FromString(_core.message_descriptions())
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.AddSerializedFile(file.SerializeToString())
        _pool = pool
    return _pool


def message(name):
    """The class of a message by its name without package: "GraphDef", "Summary.Value"."""
    found = _classes.get(name)
    if found is None:
        descriptor = _descriptors().FindMessageTypeByName('tensorflow.' + name)
        from google.protobuf import message_factory
        if hasattr(message_factory, 'GetMessageClass'):
            found = message_factory.GetMessageClass(descriptor)
        else:
            found = message_factory.MessageFactory(_descriptors()).GetPrototype(descriptor)
        _classes[name] = found
    return found


def has_message(name):
    try:
        _descriptors().FindMessageTypeByName('tensorflow.' + name)
    except KeyError:
        return False
    return True


def enum(name):
    """An enumeration (its wrapper) by its name without package: "DataType"."""
    from google.protobuf.internal import enum_type_wrapper
    return enum_type_wrapper.EnumTypeWrapper(_descriptors().FindEnumTypeByName('tensorflow.' + name))


def node_def(op):
    """The NodeDef of an operation."""
    node = message('NodeDef')()
    node.name, node.op, node.device = op.name, op.type, op.device
    for tensor in op.inputs:
        node.input.append(tensor._as_node_def_input())
    for control in op.control_inputs:
        node.input.append('^' + control.name)
    core = op._core
    for name in core.node_attr_names(op._id):
        kind, value = core.node_attr(op._id, name)
        set_attr(node.attr[name], kind, value, op)
    return node


def set_attr(attr, kind, value, op=None):
    """Fills an AttrValue from what the engine gives."""
    if kind.startswith('list('):
        attr.list.SetInParent()
        for item in value:
            if kind == 'list(shape)':
                _fill_shape(attr.list.shape.add(), item)
            elif kind == 'list(tensor)':
                attr.list.tensor.add().CopyFrom(make_tensor_proto(item))
            elif kind == 'list(function)':
                attr.list.func.add().name = item
            else:
                field = {'list(string)': 's', 'list(int)': 'i', 'list(float)': 'f', 'list(bool)': 'b', 'list(type)': 'type'}[kind]
                getattr(attr.list, field).append(item)
    elif kind == 'shape':
        _fill_shape(attr.shape, value)
    elif kind == 'tensor':
        dtype = dtypes.of(op._core.node_attr(op._id, 'dtype')[1]) if op is not None and op.type == 'Const' else None
        attr.tensor.CopyFrom(make_tensor_proto(value, dtype))
    elif kind == 'function':
        attr.func.name = value
    else:
        setattr(attr, {'string': 's', 'int': 'i', 'float': 'f', 'bool': 'b', 'type': 'type'}[kind], value)


def _fill_shape(proto, dims):
    if dims is None:
        proto.unknown_rank = True
        return
    proto.SetInParent()
    for d in dims:
        proto.dim.add().size = d


def op_def(name):
    """The OpDef of an op."""
    ops = message('OpList').FromString(_core.op_list())
    for op in ops.op:
        if op.name == name:
            return op
    raise KeyError(name)


_FIELDS = {
    'float32': 'float_val', 'float64': 'double_val', 'int32': 'int_val', 'int16': 'int_val', 'int8': 'int_val', 'uint8': 'int_val',
    'uint16': 'int_val', 'int64': 'int64_val', 'bool': 'bool_val', 'string': 'string_val', 'complex64': 'scomplex_val',
    'complex128': 'dcomplex_val', 'float16': 'half_val', 'bfloat16': 'half_val', 'uint32': 'uint32_val', 'uint64': 'uint64_val',
    'qint8': 'int_val', 'quint8': 'int_val', 'qint32': 'int_val', 'qint16': 'int_val', 'quint16': 'int_val'}


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """A TensorProto of a Python value or array; arrays of more than one element as raw bytes."""
    from headrace.tf1.framework import convert
    if isinstance(values, message('TensorProto')):
        return values
    array, dtype = convert.make_array(values, dtype, shape, verify_shape)
    proto = message('TensorProto')()
    proto.dtype = dtype._enum
    _fill_shape(proto.tensor_shape, array.shape)
    if dtype is dtypes.string:
        for item in array.ravel():
            proto.string_val.append(item if isinstance(item, bytes) else str(item).encode('utf-8'))
        return proto
    if isinstance(values, (np.ndarray, np.generic)) and array.size > 1 and dtype is not dtypes.bfloat16:
        proto.tensor_content = array.tobytes()
        return proto
    field = getattr(proto, _FIELDS[dtype.name])
    if dtype.is_complex:
        for item in array.ravel():
            field.extend([item.real, item.imag])
    elif dtype is dtypes.float16:
        field.extend(int(v) for v in array.ravel().view(np.uint16))
    elif dtype is dtypes.bfloat16:
        field.extend(int(v) for v in (array.astype(np.float32).ravel().view(np.uint32) >> 16))
    else:
        field.extend(array.ravel().tolist())
    return proto


def make_ndarray(tensor):
    """The array of a TensorProto."""
    shape = [d.size for d in tensor.tensor_shape.dim]
    size = int(np.prod(shape, dtype=np.int64)) if shape else 1
    dtype = dtypes.of(tensor.dtype)
    numpy_dtype = dtype.as_numpy_dtype
    if tensor.tensor_content:
        if dtype is dtypes.bfloat16:
            raw = np.frombuffer(tensor.tensor_content, np.uint16).astype(np.uint32) << 16
            return raw.view(np.float32).reshape(shape).copy()
        return np.frombuffer(tensor.tensor_content, numpy_dtype).copy().reshape(shape)
    values = getattr(tensor, _FIELDS[dtype.name])
    if dtype is dtypes.string:
        array = np.empty(len(values), object)
        array[:] = list(values)
    elif dtype.is_complex:
        pairs = np.array(values).reshape(-1, 2)
        array = (pairs[:, 0] + 1j * pairs[:, 1]).astype(numpy_dtype)
    elif dtype is dtypes.float16:
        array = np.array(values, np.uint16).view(np.float16)
    elif dtype is dtypes.bfloat16:
        array = (np.array(values, np.uint32) << 16).view(np.float32)
    else:
        array = np.array(values, numpy_dtype)
    if array.size == 1 and size != 1:
        return np.repeat(array, size).reshape(shape)
    if array.size < size:  # the last value fills the rest
        array = np.concatenate([array, np.repeat(array[-1:], size - array.size)]) if array.size else np.zeros(size, numpy_dtype)
    return array.reshape(shape)
