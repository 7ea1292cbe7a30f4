"""tf.contrib.util: tensors as messages and arrays."""
from headrace.tf1.framework.convert import constant_value  # noqa: F401


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False):
    """The TensorProto of an array, number, string or list."""
    from headrace.tf1.framework import protos
    return protos.make_tensor_proto(values, dtype=dtype, shape=shape, verify_shape=verify_shape)


def make_ndarray(tensor):
    """The array of a TensorProto."""
    from headrace.tf1.framework import protos
    return protos.make_ndarray(tensor)
