"""Sparse tensors: row-by-row indices, the values there, and a shape. tf.SparseTensor and the ops on it."""
import collections
import numbers

import numpy as np

from headrace.tf1.framework import array, checks, control, convert, dtypes, graph as graph_lib, math, session, shapes
from headrace.tf1.framework.convert import apply_op, constant, convert_to_tensor
from headrace.tf1.framework.graph import IndexedSlices, Tensor, name_scope

SparseTensorValue = collections.namedtuple('SparseTensorValue', ['indices', 'values', 'dense_shape'])


class SparseTensor(object):
    """The tensor that has `values` at `indices` and zeros elsewhere. Shapes: indices [n, rank], values [n], dense_shape [rank]."""

    def __init__(self, indices, values, dense_shape):
        with name_scope(None, 'SparseTensor', [v for v in (indices, values, dense_shape) if hasattr(v, 'graph')]):
            indices = convert_to_tensor(indices, name='indices', dtype=dtypes.int64)
            values = convert_to_tensor(values, name='values')
            dense_shape = convert_to_tensor(dense_shape, name='dense_shape', dtype=dtypes.int64)
        self._indices, self._values, self._dense_shape = indices, values, dense_shape
        rows, columns = indices.shape.with_rank(2).dims
        rows.merge_with(values.shape.with_rank(1).dims[0])
        columns.merge_with(dense_shape.shape.with_rank(1).dims[0])

    @classmethod
    def from_value(cls, sparse_tensor_value):
        """The tensor of a SparseTensorValue (or of another SparseTensor's parts)."""
        value = sparse_tensor_value
        if not is_sparse(value):
            raise TypeError('Neither a SparseTensor nor SparseTensorValue: %s.' % (value,))
        return cls(indices=value.indices, values=value.values, dense_shape=value.dense_shape)

    indices = property(lambda self: self._indices)
    values = property(lambda self: self._values)
    dense_shape = property(lambda self: self._dense_shape)
    op = property(lambda self: self._values.op)
    name = property(lambda self: self._values.name)
    dtype = property(lambda self: self._values.dtype)
    graph = property(lambda self: self._indices.graph)
    shape = property(lambda self: convert.constant_value_as_shape(self._dense_shape))

    def get_shape(self):
        return self.shape

    def consumers(self):
        return [op for part in (self._indices, self._values, self._dense_shape) for op in part.consumers()]

    def eval(self, feed_dict=None, session=None):
        """Its SparseTensorValue, by the default session or `session`."""
        return graph_lib.session_for(session, self.graph, 'evaluate tensor').run(self, feed_dict)

    def __str__(self):
        return 'SparseTensor(indices=%s, values=%s, dense_shape=%s)' % (self._indices, self._values, self._dense_shape)

    def _with_values(self, op, name, dense):
        """The values combined with the dense tensor's at the same places."""
        with name_scope(None, name, [self._indices]) as scope:
            dense = convert_to_tensor(dense, dtype=self.dtype.base_dtype, name='y')
            values = self._values
            if name == 'truediv':
                with name_scope(scope, 'truediv'):
                    wanted = _quotient(values.dtype)
                    if wanted is not None:
                        values, dense = math.cast(values, wanted), math.cast(dense, wanted)
            return SparseTensor(self._indices, apply_op(op, self._indices, values, self._dense_shape, dense, name=scope),
                                self._dense_shape)

    def __mul__(self, dense):
        return self._with_values('SparseDenseCwiseMul', 'mul', dense)

    __rmul__ = __mul__

    def __div__(self, dense):
        return self._with_values('SparseDenseCwiseDiv', 'div', dense)

    def __truediv__(self, dense):
        return self._with_values('SparseDenseCwiseDiv', 'truediv', dense)


def _quotient(dtype):
    """The dtype in which integers are divided; None for what divides as it is."""
    if not dtype.is_integer:
        return None
    return dtypes.float32 if dtype.size < 4 else dtypes.float64


def is_sparse(x):
    return isinstance(x, (SparseTensor, SparseTensorValue))


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """A SparseTensor for what is sparse, else a tensor."""
    if not is_sparse(value):
        return convert_to_tensor(value, dtype=dtype, name=name)
    value = _sparse(value)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise RuntimeError('Sparse dtype: requested = %s, actual = %s' % (dtypes.as_dtype(dtype).name, value.dtype.name))
    return value


def _sparse(value):
    if isinstance(value, SparseTensor):
        return value
    if not isinstance(value, SparseTensorValue):
        raise TypeError('Input must be a SparseTensor.')
    return SparseTensor.from_value(value)


def _sparse_list(values):
    if not isinstance(values, (list, tuple)):
        raise TypeError('Inputs must be a list or tuple.')
    return [_sparse(v) for v in values]


def _parts(sp):
    return sp.indices, sp.values, sp.dense_shape


def _fetch(sp):
    return list(_parts(sp)), lambda values: SparseTensorValue(*values)


def _feed(sp, value):
    if not isinstance(value, tuple) or len(value) != 3:
        raise TypeError('A SparseTensor is fed a SparseTensorValue or a tuple (indices, values, dense_shape), got %r' % (value,))
    return list(zip(_parts(sp), value))


session.register_session_run_conversion_functions(SparseTensor, _fetch, _feed)


# ---- making them

def sparse_placeholder(dtype, shape=None, name=None):
    """A sparse tensor that every run must be fed. `shape`: None, a list (with None for an unknown size), or a tensor."""
    def named(part):
        return None if name is None else '%s/%s' % (name, part)
    if shape is None:
        rank = dense_shape = None
    elif isinstance(shape, Tensor):
        rank, dense_shape = shape.shape[0], convert_to_tensor(shape, dtype=dtypes.int64, name=named('shape'))
    else:
        rank = len(shape)
        dense_shape = None if None in tuple(shape) else convert_to_tensor(shape, dtype=dtypes.int64, name=named('shape'))
    if dense_shape is None:
        dense_shape = array.placeholder(dtypes.int64, shape=[rank], name=named('shape'))
    values = array.placeholder(dtype, shape=[None], name=named('values'))
    return SparseTensor(array.placeholder(dtypes.int64, shape=[None, rank], name=named('indices')), values, dense_shape)


def from_dense(tensor, name=None):
    """The elements that are not zero."""
    with name_scope(name, 'dense_to_sparse'):
        tensor = convert_to_tensor(tensor)
        indices = array.where(math.not_equal(tensor, constant(0, tensor.dtype)))
        values = array.gather_nd(tensor, indices)
        return SparseTensor(indices, values, array.shape(tensor, out_type=dtypes.int64))


def _int64(value, name):
    if isinstance(value, numbers.Integral):
        return convert_to_tensor(value, name=name, dtype=dtypes.int64)
    if not isinstance(value, Tensor):
        raise TypeError('%s must be an integer value' % name)
    return math.cast(value, dtypes.int64)


def sparse_eye(num_rows, num_columns=None, dtype=dtypes.float32, name=None):
    """Ones on the diagonal."""
    with name_scope(name, 'eye', [v for v in (num_rows, num_columns) if hasattr(v, 'graph')]):
        rows = _int64(num_rows, 'num_rows')
        columns = rows if num_columns is None else _int64(num_columns, 'num_columns')
        size = math.minimum(rows, columns)
        diagonal = math.range(size, dtype=dtypes.int64)
        return SparseTensor(array.stack([diagonal, diagonal], axis=1), array.ones(size, dtype=dtype), [rows, columns])


# ---- to dense

def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    """A dense tensor of `default_value` with the values at the indices. Errors: of the step, for indices out of order or repeated."""
    return apply_op('SparseToDense', sparse_indices, output_shape, sparse_values, default_value, validate_indices=validate_indices,
                    name=name)


def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    sp = _sparse(sp_input)
    if default_value is None:
        default_value = array.zeros([], dtype=sp.dtype)
    return sparse_to_dense(sp.indices, sp.dense_shape, sp.values, default_value, validate_indices, name)


def sparse_to_indicator(sp_input, vocab_size, name=None):
    """[..., vocab_size]: whether the row has that id among its values."""
    sp = _sparse(sp_input)
    with name_scope(name, 'SparseToIndicator', [sp]) as scope:
        count = array.shape(sp.indices)[0]
        true = array.fill(array.expand_dims(count, 0), True)
        merged = sparse_merge(sp, SparseTensor(sp.indices, true, sp.dense_shape), vocab_size, scope)
        return sparse_tensor_to_dense(merged, default_value=False, validate_indices=False, name=scope)


def _is_size(value):
    return isinstance(value, (Tensor, numbers.Integral))


def sparse_merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """The values at the places that the ids name in their last dimension, or in one last dimension for each list of ids."""
    if is_sparse(sp_ids):
        if not _is_size(vocab_size):
            raise TypeError('vocab_size has to be a Tensor or Python int. Found %s' % type(vocab_size))
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    else:
        if not hasattr(sp_ids, '__iter__'):
            raise TypeError('sp_ids has to be a SparseTensor or list thereof. Found %s' % type(sp_ids))
        found = vocab_size if not hasattr(vocab_size, '__iter__') or isinstance(vocab_size, Tensor) else next(
            (size for size in vocab_size if not _is_size(size)), None)
        if found is not None:
            raise TypeError('vocab_size has to be a list of Tensors or Python ints. Found %s' % type(found))
    if len(sp_ids) != len(vocab_size):
        raise ValueError('sp_ids and vocab_size have to have equal lengths.')
    with name_scope(name, 'SparseMerge'):
        ids, values = _sparse_list(list(sp_ids)), _sparse(sp_values)
        columns = [array.expand_dims(math.cast(sp.values, dtypes.int64), axis=1) for sp in ids]
        sizes = [math.cast(size, dtypes.int64) for size in vocab_size]
        indices = array.concat([ids[0].indices[:, :-1]] + columns, 1)
        shape = array.concat([ids[0].dense_shape[:-1], sizes], 0)
        merged = SparseTensor(indices, values.values, shape)
        if already_sorted:
            return merged
        merged = sparse_reorder(merged)
        return SparseTensor(merged.indices, merged.values, shape)


# ---- arithmetic

def sparse_add(a, b, threshold=None, thresh=None):
    """The sum: sparse if both are (sums whose magnitude is below the threshold left out), else dense."""
    threshold = thresh if threshold is None else threshold
    if not is_sparse(a) and not is_sparse(b):
        raise TypeError('At least one input should be SparseTensor; do you mean to use tf.add()?')
    if is_sparse(a) and is_sparse(b):
        a, b = _sparse(a), _sparse(b)
        threshold = convert_to_tensor(0 if threshold is None else threshold, dtype=a.dtype.base_dtype.real_dtype, name='threshold')
        indices, values, shape = apply_op('SparseAdd', *(_parts(a) + _parts(b) + (threshold,)))
        a.shape.assert_is_compatible_with(b.shape)
        known = array.broadcast_static_shape(a.shape, b.shape)
        return SparseTensor(indices, values, known.as_list() if known.is_fully_defined() else shape)
    if is_sparse(b):
        a, b = b, a
    return apply_op('SparseTensorDenseAdd', a.indices, a.values, a.dense_shape, b)


def sparse_tensor_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """Product of a sparse matrix and a dense one."""
    sp_a = _sparse(sp_a)
    with name_scope(name, 'SparseTensorDenseMatMul', [sp_a]):
        b = convert_to_tensor(b, name='b')
        return apply_op('SparseTensorDenseMatMul', *(_parts(sp_a) + (b,)), adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def sparse_softmax(sp_input, name=None):
    """Softmax over the values of each row of the last dimension."""
    with name_scope(name, 'SparseSoftmax', [sp_input]):
        return SparseTensor(sp_input.indices, apply_op('SparseSoftmax', *_parts(sp_input)), sp_input.dense_shape)


def _extreme(op):
    def function(sp_a, sp_b, name=None):
        with name_scope(name, op, [sp_a, sp_b]) as scope:
            indices, values = apply_op(op, *(_parts(sp_a) + _parts(sp_b)), name=scope)
        return SparseTensor(indices, values, sp_a.dense_shape)
    return function


sparse_maximum, sparse_minimum = _extreme('SparseSparseMaximum'), _extreme('SparseSparseMinimum')


def _reduction(op, is_sparse_result):
    def reduce(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
        if axis is not None and reduction_axes is not None:
            raise ValueError("Can't specify both axis' and 'reduction_indices'.")
        axes = math._all_dims(sp_input, reduction_axes if axis is None else axis)
        result = apply_op(op, *(_parts(sp_input) + (axes,)), keep_dims=bool(keep_dims if keepdims is None else keepdims))
        return SparseTensor(*result) if is_sparse_result else result
    return reduce


sparse_reduce_sum, sparse_reduce_sum_sparse = _reduction('SparseReduceSum', False), _reduction('SparseReduceSumSparse', True)
sparse_reduce_max, sparse_reduce_max_sparse = _reduction('SparseReduceMax', False), _reduction('SparseReduceMaxSparse', True)


# ---- order and shape

def sparse_reorder(sp_input, name=None):
    """The same tensor with indices in row-major order."""
    sp = _sparse(sp_input)
    return _reordered(sp, sp.shape, name)


def _reordered(sp, known, name=None):
    indices, values = apply_op('SparseReorder', *_parts(sp), name=name)
    return SparseTensor(indices, values, known.as_list() if known.is_fully_defined() else array.identity(sp.dense_shape))


def sparse_reshape(sp_input, shape, name=None):
    """The same elements in another shape; one dimension may be -1. Errors: ValueError where it is known that the sizes differ."""
    shape = math.cast(shape, dtype=dtypes.int64)
    return _reshaped(sp_input, shape, convert.constant_value_as_shape(shape), name)


def reshape_unknown(sp_input, shape, name=None):
    """sparse_reshape to sizes that nothing shall be known of while the graph is built."""
    return _reshaped(sp_input, math.cast(shape, dtype=dtypes.int64), shapes.TensorShape(None), name)


def _reshaped(sp_input, shape, wanted, name):
    sp = _sparse(sp_input)
    with name_scope(name, 'SparseReshape', [sp]) as scope:
        indices, dense_shape = apply_op('SparseReshape', sp.indices, sp.dense_shape, shape, name=scope)
        if wanted.rank is not None and sp.shape.is_fully_defined():
            known = convert.constant_value(shape)
            if known is not None and sum(d == -1 for d in known) > 1:
                raise ValueError('At most one dimension can be inferred (-1). Found: %s' % known)
            dims, size = wanted.as_list(), int(np.prod(sp.shape.as_list()))
            if dims.count(None) <= 1:
                dims = [size // int(np.prod([d for d in dims if d is not None])) if d is None else d for d in dims]
                if int(np.prod(dims)) != size:
                    raise ValueError('Cannot reshape a tensor with %d elements to shape %s (%d elements).' % (
                        size, wanted.as_list(), np.prod(dims)))
                dense_shape = constant(dims, dtype=dtypes.int64)
        return SparseTensor(indices, array.identity(sp.values), dense_shape)


def sparse_transpose(sp_input, perm=None, name=None):
    """Dimensions in another order, reversed without `perm`."""
    with name_scope(name, 'SparseTranspose', [sp_input]):
        known = None
        if perm is None:
            rank = array.rank(sp_input)
            perm = (rank - 1) - math.range(0, rank, 1)
        else:
            known = convert.constant_value(convert_to_tensor(perm))
        indices = array.transpose(array.gather(array.transpose(sp_input.indices), perm))
        if known is not None and sp_input.shape.is_fully_defined():
            old = sp_input.shape.as_list()
            shape = [old[p] for p in known]
            return sparse_reorder(SparseTensor(indices, sp_input.values, shape))
        shape = array.gather(sp_input.dense_shape, perm)
        return _reordered(SparseTensor(indices, sp_input.values, shape), shapes.TensorShape(None))


def sparse_expand_dims(sp_input, axis=None, name=None):
    """With a new dimension of size 1 at `axis`."""
    rank = sp_input.dense_shape.shape[0]
    axis = -1 if axis is None else axis
    with name_scope(name, 'expand_dims', [sp_input]):
        if isinstance(axis, numbers.Integral):
            axis = convert_to_tensor(axis, name='axis', dtype=dtypes.int32)
        elif not isinstance(axis, Tensor):
            raise TypeError('axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]')
        axis = apply_op('SelectV2', axis >= 0, axis, axis + rank + 1)
        rows = array.shape(sp_input.indices)[0]
        column = array.zeros([rows, 1], dtype=dtypes.int64)
        before = array.slice(sp_input.indices, [0, 0], [-1, axis])
        after = array.slice(sp_input.indices, [0, axis], [-1, -1])
        indices = array.concat([before, column, after], axis=1)
        before = array.slice(sp_input.dense_shape, [0], [axis])
        after = array.slice(sp_input.dense_shape, [axis], [-1])
        one = convert_to_tensor([1], name='new_shape', dtype=dtypes.int64)
        return SparseTensor(indices, sp_input.values, array.concat([before, one, after], axis=0))


def sparse_concat(axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None, expand_nonconcat_dims=None):
    """Sparse tensors joined along a dimension; with expand_nonconcat_dims the other dimensions may differ and become the largest."""
    axis = concat_dim if axis is None else axis
    expand = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    inputs = _sparse_list(sp_inputs)
    if len(inputs) == 1:
        return inputs[0]
    dense_shapes = [sp.dense_shape for sp in inputs]
    if expand:
        largest = math.reduce_max(array.concat([array.reshape(shape, [1, -1]) for shape in dense_shapes], 0), 0)

        def expanded(shape):
            last = axis == -1
            return array.concat([largest[:axis], shape[-1:] if last else shape[axis:axis + 1], [] if last else largest[axis + 1:]], 0)
        dense_shapes = [expanded(shape) for shape in dense_shapes]
    indices, values, shape = apply_op('SparseConcat', [sp.indices for sp in inputs], [sp.values for sp in inputs], dense_shapes,
                                      concat_dim=axis, name=name)
    known = [convert.constant_value(s) for s in dense_shapes]
    if all(s is not None for s in known):
        joined = np.array(known[0])
        joined[axis] = sum(s[axis] for s in known)
        shape = convert_to_tensor(joined)
    return SparseTensor(indices, values, shape)


class _KeywordsOnly(object):
    def __repr__(self):
        return 'KeywordRequired()'


def sparse_split(keyword_required=_KeywordsOnly(), sp_input=None, num_split=None, axis=None, name=None, split_dim=None):
    """num_split sparse tensors along a dimension; the first ones are one larger if it does not divide. Arguments by keyword only."""
    if not isinstance(keyword_required, _KeywordsOnly):
        raise ValueError('Keyword arguments are required for this function.')
    axis = split_dim if axis is None else axis
    for value, what in ((sp_input, 'sp_input'), (num_split, 'num_split'), (axis, 'axis')):
        if value is None:
            raise ValueError('%s is required' % what)
    sp = _sparse(sp_input)
    parts = apply_op('SparseSplit', axis, *_parts(sp), num_split=num_split, name=name)
    return [SparseTensor(*part) for part in zip(*parts)]


def sparse_slice(sp_input, start, size, name=None):
    sp = _sparse(sp_input)
    start, size = convert_to_tensor(start, dtypes.int64), convert_to_tensor(size, dtypes.int64)
    with name_scope(name, 'SparseSlice', [sp]) as scope:
        return SparseTensor(*apply_op('SparseSlice', *(_parts(sp) + (start, size)), name=scope))


def sparse_retain(sp_input, to_retain):
    """Only the values for which `to_retain` is true."""
    sp, keep = _sparse(sp_input), convert_to_tensor(to_retain)
    keep.shape.assert_has_rank(1)
    if sp.values.shape.rank is not None:
        sp.values.shape.dims[0].merge_with(keep.shape.dims[0])
    rows = array.reshape(array.where(keep), [-1])
    indices = array.gather(sp.indices, rows)
    return SparseTensor(indices, array.gather(sp.values, rows), array.identity(sp.dense_shape))


def sparse_reset_shape(sp_input, new_shape=None):
    """The same values in a larger shape, or in the smallest that holds them."""
    sp = _sparse(sp_input)
    indices, values, dense_shape = (array.identity(part) for part in _parts(sp))
    if new_shape is None:
        largest = math.reduce_max(indices, axis=0)
        zero = constant(0, dtype=dtypes.int64)
        return SparseTensor(indices, values, math.maximum(zero, math.add(largest, array.ones_like(dense_shape))))
    shape = convert_to_tensor(new_shape)
    shape.shape.assert_has_rank(1)
    shape = math.cast(shape, dtypes.int64)
    shape.shape.dims[0].merge_with(dense_shape.shape.dims[0])
    known = convert.constant_value(shape)
    if known is not None and sp.shape.is_fully_defined():
        old = np.array(sp.shape.as_list())
        if not np.all(old <= known):
            raise ValueError('Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape (%s), '
                             'sp_input.shape (%s).' % (old, known))
        return SparseTensor(indices, values, known)
    same_rank = checks.assert_equal(array.shape(dense_shape), array.shape(shape))
    shape = control.with_dependencies([same_rank], shape)
    shape = control.with_dependencies([checks.assert_less_equal(dense_shape, shape)], shape)
    return SparseTensor(indices, values, shape)


def sparse_fill_empty_rows(sp_input, default_value, name=None):
    """(the tensor with default_value in column 0 of each row that had nothing, which rows these were)"""
    sp = _sparse(sp_input)
    with name_scope(name, 'SparseFillEmptyRows', [sp]):
        default_value = convert_to_tensor(default_value, dtype=sp.values.dtype)
        indices, values, was_empty, _ = apply_op('SparseFillEmptyRows', *(_parts(sp) + (default_value,)))
        return SparseTensor(indices, values, sp.dense_shape), was_empty


def sparse_mask(a, mask_indices, name=None):
    """The IndexedSlices without the rows at these indices."""
    with name_scope(name, 'sparse_mask', [v for v in (a, mask_indices) if hasattr(v, 'graph')]) as scope:
        indices, rows = array.setdiff1d(a.indices, mask_indices)
        return IndexedSlices(array.gather(a.values, rows, name=scope), indices, a.dense_shape)


# ---- as strings

def serialize_sparse(sp_input, name=None, out_type=dtypes.string):
    """A vector of 3 strings (or variants): indices, values, shape."""
    return apply_op('SerializeSparse', *_parts(_sparse(sp_input)), out_type=out_type, name=name)


def serialize_many_sparse(sp_input, name=None, out_type=dtypes.string):
    """[n, 3]: each entry of the first dimension as serialize_sparse gives it."""
    return apply_op('SerializeManySparse', *_parts(_sparse(sp_input)), out_type=out_type, name=name)


def _deserialize(op, serialized_sparse, dtype, rank, name):
    indices, values, shape = apply_op(op, serialized_sparse, dtype=dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def deserialize_sparse(serialized_sparse, dtype, rank=None, name=None):
    return _deserialize('DeserializeSparse', serialized_sparse, dtype, rank, name)


def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """One sparse tensor of several, along a new first dimension."""
    return _deserialize('DeserializeManySparse', serialized_sparse, dtype, rank, name)
