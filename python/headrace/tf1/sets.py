"""tf.sets: the rows of a last dimension as sets. Results are SparseTensors, each set in ascending order."""
from headrace.tf1.framework import dtypes
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.sparse import SparseTensor, convert_to_tensor_or_sparse_tensor

_DTYPES = frozenset([dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.string])


def set_size(a, validate_indices=True):
    """How many distinct values each set of a SparseTensor has. Shapes: all dimensions of `a` but the last. DTypes: int32."""
    a = convert_to_tensor_or_sparse_tensor(a, name='a')
    if not isinstance(a, SparseTensor):
        raise TypeError('Expected `SparseTensor`, got %s.' % a)
    if a.values.dtype.base_dtype not in _DTYPES:
        raise TypeError('Invalid dtype %s.' % a.values.dtype)
    return apply_op('SetSize', a.indices, a.values, a.dense_shape, validate_indices=validate_indices)


def _pair(a, b):
    """(a, b, are they swapped?): the dense one of two goes first, as the op wants it."""
    a = convert_to_tensor_or_sparse_tensor(a, name='a')
    if a.dtype.base_dtype not in _DTYPES:
        raise TypeError("'a' invalid dtype %s." % a.dtype)
    b = convert_to_tensor_or_sparse_tensor(b, name='b')
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError("Types don't match, %s vs %s." % (a.dtype, b.dtype))
    swapped = isinstance(a, SparseTensor) and not isinstance(b, SparseTensor)
    return (b, a, True) if swapped else (a, b, False)


def _operate(a, b, operation, validate_indices):
    kinds, parts = [], []
    for each in (a, b):
        sparse = isinstance(each, SparseTensor)
        kinds.append('Sparse' if sparse else 'Dense')
        parts += [each.indices, each.values, each.dense_shape] if sparse else [each]
    op = '%sTo%sSetOperation' % tuple(kinds)
    return SparseTensor(*apply_op(op, *parts, set_operation=operation, validate_indices=validate_indices))


def set_intersection(a, b, validate_indices=True):
    """What both sets have. Shapes: all dimensions but the last are equal."""
    a, b, _ = _pair(a, b)
    return _operate(a, b, 'intersection', validate_indices)


def set_difference(a, b, aminusb=True, validate_indices=True):
    """What only the first set has (only the second one for `aminusb=False`)."""
    a, b, swapped = _pair(a, b)
    return _operate(a, b, 'a-b' if aminusb != swapped else 'b-a', validate_indices)


def set_union(a, b, validate_indices=True):
    """What either set has."""
    a, b, _ = _pair(a, b)
    return _operate(a, b, 'union', validate_indices)


size, intersection, difference, union = set_size, set_intersection, set_difference, set_union
