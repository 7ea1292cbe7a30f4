"""Variables that an optimizer keeps beside a variable, named "<variable>/<slot>" in the current variable scope."""
from headrace.tf1.framework import array, graph as graph_lib, variables
from headrace.tf1.framework.resource_variable import is_resource_variable


def zeros_initializer(shape, dtype=None, partition_info=None):
    """Zeros: an initialiser without state."""
    return array.zeros(shape, dtype)


class _Nothing(object):
    def __enter__(self):
        return None

    def __exit__(self, *unused):
        return False


def _make(primary, name, colocate, initializer, shape, dtype, validate_shape):
    from headrace.tf1.framework import variable_scope
    from headrace.tf1.train import optimizers
    use_resource = is_resource_variable(primary) if isinstance(primary, variables.Variable) else None
    with variable_scope.variable_scope(None, primary.op.name + '/' + name) as scope:
        partitioner = scope.partitioner
        scope.set_partitioner(None)
        with graph_lib.colocate_with(primary) if colocate else _Nothing():
            slot = variable_scope.get_variable('', initializer=initializer, trainable=False, shape=shape, dtype=dtype,
                                               validate_shape=validate_shape, use_resource=use_resource)
        scope.set_partitioner(partitioner)
    if isinstance(primary, variables.Variable):
        optimizers.inherit_slices(slot, primary)
    return slot


def create_slot(primary, val, name, colocate_with_primary=True):
    """A slot of `primary` (a variable or tensor) that starts from the tensor `val`."""
    return _make(primary, name, colocate_with_primary, val, None, None, val.shape.is_fully_defined())


def create_slot_with_initializer(primary, initializer, shape, dtype, name, colocate_with_primary=True):
    """A slot of `primary` that starts from what `initializer(shape, dtype)` gives."""
    return _make(primary, name, colocate_with_primary, initializer, shape, dtype, shape.is_fully_defined())


def create_zeros_slot(primary, name, dtype=None, colocate_with_primary=True):
    """A slot of the shape of `primary` that starts from zeros."""
    dtype = (primary.dtype if dtype is None else dtype).base_dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(primary, zeros_initializer, shape, dtype, name, colocate_with_primary)
    value = primary.initialized_value() if isinstance(primary, variables.Variable) else primary
    return create_slot(primary, array.zeros(array.shape(value), dtype=dtype), name, colocate_with_primary)
