"""Order and places of elements: sorting, searching, histograms, repeating, scattering into tensors."""
import numpy as np

from headrace.tf1 import nn
from headrace.tf1.framework import array, convert, dtypes, math
from headrace.tf1.framework.convert import apply_op, constant, convert_to_tensor
from headrace.tf1.framework.graph import name_scope


def _graphs(*values):
    return [v for v in values if hasattr(v, 'graph')]


# ---- sorting

def _sorted(values, axis, direction, position):
    if direction not in ('ASCENDING', 'DESCENDING'):
        raise ValueError('%s should be one of ASCENDING, DESCENDING' % direction)
    axis = convert_to_tensor(axis, name='axis')
    known = convert.constant_value(axis)
    if axis.shape.rank != 0 or known is None:
        raise ValueError('axis must be a constant scalar')
    values = convert_to_tensor(values, name='values')
    is_ascending = direction == 'ASCENDING'
    found = _largest_first(-values if is_ascending else values, int(known), position)
    return -found if is_ascending and not position else found


def _largest_first(values, axis, position):
    """The values in descending order (or, with `position` 1, where they were) along an axis, by finding the top k in the last one."""
    k = array.shape(values)[axis]
    rank, known_rank = array.rank(values), values.shape.rank
    perm = None
    if axis != -1 and axis + 1 != known_rank:
        if axis < 0:
            axis += known_rank or rank
        if known_rank is not None:
            order = list(range(known_rank))
            order[axis], order[-1] = order[-1], order[axis]
            perm = constant(np.array(order), name='transposition')
        else:
            perm = array.concat([math.range(axis), [rank - 1], math.range(axis + 1, rank - 1), [axis]], axis=0)
        values = array.transpose(values, perm)
    found = nn.top_k(values, k)[position]
    return found if perm is None else array.transpose(found, perm)


def sort(values, axis=-1, direction='ASCENDING', name=None):
    """The values in order along an axis."""
    with name_scope(name, 'sort'):
        return _sorted(values, axis, direction, 0)


def argsort(values, axis=-1, direction='ASCENDING', stable=False, name=None):
    """Where the values come from that sort would give."""
    with name_scope(name, 'argsort'):
        return _sorted(values, axis, direction, 1)


def searchsorted(sorted_sequence, values, side='left', out_type=dtypes.int32, name=None):
    """Where each value would go in the sorted rows, before ("left") or after ("right") equal ones."""
    ops = {'left': 'LowerBound', 'right': 'UpperBound'}
    rows = array.reshape(sorted_sequence, [-1, array.shape(sorted_sequence)[-1]])
    wanted = array.reshape(values, [-1, array.shape(values)[-1]])
    if side not in ops:
        raise ValueError("side must be either 'right' or 'left'.  Saw: %s." % side)
    return array.reshape(apply_op(ops[side], rows, wanted, out_type=out_type, name=name), array.shape(values))


def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """Which of `nbins` equal bins of the range each value falls into; values outside go to the first or last one."""
    with name_scope(name, 'histogram_fixed_width_bins', _graphs(values, value_range, nbins)):
        values = convert_to_tensor(values, name='values')
        shape = array.shape(values)
        values = array.reshape(values, [-1])
        value_range = convert_to_tensor(value_range, name='value_range')
        nbins = convert_to_tensor(nbins, dtype=dtypes.int32, name='nbins')
        count = math.cast(nbins, values.dtype)
        scaled = math.truediv(values - value_range[0], value_range[1] - value_range[0], name='scaled_values')
        indices = math.floor(count * scaled, name='indices')
        indices = math.cast(math.clip_by_value(indices, 0, count - 1), dtypes.int32)
        return array.reshape(indices, shape)


def histogram_fixed_width(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """How many values fall into each of `nbins` equal bins of the range."""
    with name_scope(name, 'histogram_fixed_width', _graphs(values, value_range, nbins)) as scope:
        return apply_op('HistogramFixedWidth', values, value_range, nbins, dtype=dtype, name=scope)


# ---- gathering and repeating

def batch_gather(params, indices, name=None):
    """Rows of each batch: params[b, indices[b, i]] for all leading dimensions that indices has before its last one."""
    with name_scope(name, 'BatchGather', _graphs(params, indices)):
        indices = convert_to_tensor(indices, name='indices')
        params = convert_to_tensor(params, name='params')
        n = indices.shape.rank
        if n is None:
            raise ValueError('batch_gather does not allow indices with unknown shape.')
        batch = n - 1
        if params.shape.rank is not None and batch >= params.shape.rank:
            raise ValueError('batch_dims = %d must be less than rank(params) = %d' % (batch, params.shape.rank))
        index_shape, param_shape = array.shape(indices), array.shape(params)
        flat, dtype = indices, indices.dtype.base_dtype
        step = array.ones((), dtype=dtype)
        sizes = apply_op('Cast', param_shape, DstT=dtype)
        for dim in range(batch, 0, -1):
            size = sizes[dim - 1]
            step *= sizes[dim]
            start, one = array.zeros((), dtype=dtype), array.ones((), dtype=dtype)
            offsets = apply_op('Range', start, size, one)
            offsets *= step
            flat += array.reshape(offsets, array.stack([1] * (dim - 1) + [size] + [1] * (n - dim), axis=0))
        flat = array.reshape(flat, [-1])
        outer = param_shape[batch + 1:]
        rows = apply_op('Prod', param_shape[:batch + 1], [0], keep_dims=False)
        result = array.gather(array.reshape(params, array.concat([[rows], outer], axis=0)), flat)
        result = array.reshape(result, array.concat([index_shape, outer], axis=0))
        known = indices.shape[:batch].merge_with(params.shape[:batch])
        result.set_shape(known.concatenate(indices.shape[batch:]).concatenate(params.shape[batch + 1:]))
        return result


def _integers(value, name):
    tensor = convert_to_tensor(value, name=name, preferred_dtype=dtypes.int32)
    if not tensor.dtype.is_integer:
        raise TypeError('%s must be an integer tensor; dtype=%s' % (name, tensor.dtype))
    return apply_op('Cast', tensor, DstT=dtypes.int32)


def _position(axis, rank):
    if not isinstance(axis, int):
        raise TypeError('axis must be an int; got %s' % type(axis).__name__)
    if rank is None and axis < 0:
        raise ValueError('axis may only be negative if ndims is statically known.')
    if rank is not None and not -rank <= axis < rank:
        raise ValueError('axis=%s out of bounds: expected %s<=axis<%s' % (axis, -rank, rank))
    return axis + rank if axis < 0 else axis


def _tiled(data, axis, count):
    if data.shape.rank is not None:
        return array.tile(data, [1] * axis + [count] + [1] * (data.shape.rank - axis - 1))
    ones = array.ones(array.rank(data), dtypes.int32)
    return array.tile(data, array.concat([ones[:axis], [count], ones[axis + 1:]], axis=0))


def repeat(input, repeats, axis=None, name=None):  # pylint: disable=redefined-builtin
    """Each element (or slice along an axis) as often as `repeats` says, a number or one for each."""
    if axis is None:
        input, axis = array.reshape(input, [-1]), 0
    if not isinstance(axis, int):
        raise TypeError('axis must be an int; got %s' % type(axis).__name__)
    with name_scope(name, 'Repeat', _graphs(input, repeats)):
        data, counts = convert_to_tensor(input, name='data'), _integers(repeats, 'repeats')
        counts.shape.with_rank_at_most(1)
        if data.shape.rank is None:
            sizes, rank = array.shape(data), array.rank(data)
            data = array.reshape(data, array.concat([[1], sizes], axis=0)[-rank:])
        elif data.shape.rank == 0:
            data = array.stack([data])
        sizes = array.shape(data)
        axis = _position(axis, data.shape.rank)
        if counts.shape.rank == 1:
            data.shape.dims[axis].assert_is_compatible_with(counts.shape[0])
        if counts.shape.rank == 0:
            tiled = _tiled(array.expand_dims(data, axis + 1), axis + 1, counts)
            return array.reshape(tiled, array.concat([sizes[:axis], [-1], sizes[axis + 1:]], axis=0))
        if counts.shape.rank != axis + 1:
            own, rank = array.shape(counts), array.rank(counts)
            counts = array.broadcast_to(counts, array.concat([sizes[:axis + 1 - rank], own], axis=0))
            counts.set_shape([None] * (axis + 1))
        largest = apply_op('Maximum', 0, apply_op('Max', counts, math._all_dims(counts), keep_dims=False))
        mask = array.sequence_mask(counts, largest)
        tiled = _tiled(array.expand_dims(data, axis + 1), axis + 1, largest)
        result = array.boolean_mask(tiled, mask)
        if axis:
            result = array.reshape(result, array.concat([sizes[:axis], [-1], sizes[axis + 1:]], axis=0))
        if data.shape.rank is not None:
            result.set_shape(data.shape[:axis].concatenate([None]).concatenate(data.shape[axis + 1:]))
        return result


def roll(input, shift, axis, name=None):  # pylint: disable=redefined-builtin
    """Elements shifted along axes; what leaves at one end enters at the other."""
    return apply_op('Roll', input, shift, axis, name=name)


def unravel_index(indices, dims, name=None):
    """Positions in a tensor of these dimensions of the elements that have these numbers in row-major order."""
    return apply_op('UnravelIndex', indices, dims, name=name)


# ---- new values in a tensor

def _scatter(op, verb):
    def function(tensor, indices, updates, name=None):
        return apply_op(op, tensor, indices, updates, name=name)
    function.__name__, function.__doc__ = op, 'The tensor with `updates` %s at `indices` (of its first dimensions).' % verb
    return function


tensor_scatter_add = tensor_scatter_nd_add = _scatter('TensorScatterAdd', 'added')
tensor_scatter_sub = tensor_scatter_nd_sub = _scatter('TensorScatterSub', 'subtracted')
tensor_scatter_update = tensor_scatter_nd_update = _scatter('TensorScatterUpdate', 'put')


# ---- numbers

def lbeta(x, name=None):
    """log of the Beta function of the numbers in the last dimension."""
    with name_scope(name, 'lbeta', [x]):
        x = convert_to_tensor(x, name='x')
        of_parts = math.reduce_sum(math.lgamma(x), axis=[-1])
        return of_parts - math.lgamma(math.reduce_sum(x, axis=[-1]))


def _bessel(name_, scaled):
    def function(x, name=None):
        with name_scope(name, name_, [x]):
            return math.exp(math.abs(x)) * scaled(x)
    function.__name__ = name_
    return function


bessel_i0, bessel_i1 = _bessel('bessel_i0', math.bessel_i0e), _bessel('bessel_i1', math.bessel_i1e)


def multiply_no_nan(x, y, name=None):
    """x * y, 0 where y is 0 even if x is infinite or NaN."""
    with name_scope(name, 'multiply_no_nan', [x, y]) as scope:
        x = convert_to_tensor(x, name='x')
        return apply_op('MulNoNan', x, convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype), name=scope)


def reciprocal_no_nan(x, name=None):
    """1 / x, 0 where x is 0."""
    with name_scope(name, 'reciprocal_no_nan', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return apply_op('DivNoNan', constant(1, dtype=x.dtype.base_dtype, name='one'), x, name=scope)


def nextafter(x1, x2, name=None):
    """The next number after x1 towards x2."""
    return apply_op('NextAfter', x1, x2, name=name)


def polyval(coeffs, x, name=None):
    """The polynomial with these coefficients, highest power first."""
    with name_scope(name, 'polyval', _graphs(x, *coeffs)) as scope:
        x = convert_to_tensor(x, name='x')
        if not coeffs:
            return array.zeros_like(x, name=scope)
        coeffs = [convert_to_tensor(c, name='coeff_%d' % i) for i, c in enumerate(coeffs)]
        value = coeffs[0]
        for c in coeffs[1:]:
            value = c + value * x
        return value


def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """Sums of segments divided by the square root of their sizes."""
    with name_scope(name, 'UnsortedSegmentSqrtN'):
        data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        ones = array.ones(array.shape(ids), dtype=data.dtype)
        count = apply_op('UnsortedSegmentSum', ones, ids, num_segments)
        count = array.reshape(count, [num_segments] + [1] * (data.shape.rank - ids.shape.rank))
        count = apply_op('Maximum', count, 1)
        total = apply_op('UnsortedSegmentSum', data, ids, num_segments)
        return total / math.sqrt(count)


def sparse_matmul(a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, name=None):
    """Product of dense matrices that are mostly zeros."""
    return apply_op('SparseMatMul', a, b, transpose_a=transpose_a, transpose_b=transpose_b, a_is_sparse=a_is_sparse,
                    b_is_sparse=b_is_sparse, name=name)


def fingerprint(data, method='farmhash64', name=None):
    """[n, 8]: the hash of each row's bytes."""
    return apply_op('Fingerprint', data, method, name=name)


def guarantee_const(input, name=None):  # pylint: disable=redefined-builtin
    """The input, which never changes."""
    return apply_op('GuaranteeConst', input, name=name)


def timestamp(name=None):
    """Seconds since 1970."""
    return apply_op('Timestamp', name=name)


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """The tensor; the step fails with `msg` if it has a NaN or an infinity."""
    from headrace.tf1.framework import control
    from headrace.tf1.framework.graph import colocate_with
    with name_scope(name, 'VerifyFinite', [t if x is None else x]):
        tensor = convert_to_tensor(t if x is None else x, name='x')
        with colocate_with(tensor):
            check = array.check_numerics(tensor, message=msg if message is None else message)
            return control.with_dependencies([check], tensor)
