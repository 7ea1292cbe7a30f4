"""Arithmetic on tensors: operators, element-wise functions, reductions, products."""
import builtins

import numpy as np

from headrace.tf1.framework import array, convert, dtypes, gen, graph as graph_lib
from headrace.tf1.framework.array import (boolean_mask, concat, expand_dims, reshape, shape, split, squeeze, stack)  # noqa: F401
from headrace.tf1.framework.convert import apply_op, constant, convert_to_tensor
from headrace.tf1.framework.graph import IndexedSlices, Tensor, name_scope
from headrace.tf1.framework.resource_variable import ResourceVariable
from headrace.tf1.framework.variables import Variable


_builtin_range = builtins.range  # `range` below is tf.range


# ---- functions that are one op each

def _unary(op, doc):
    def function(x, name=None):
        return apply_op(op, x, name=name)
    function.__doc__ = doc
    function.__name__ = gen.snake_case(op)
    return function


def _binary(op, doc):
    def function(x, y, name=None):
        return apply_op(op, x, y, name=name)
    function.__doc__ = doc
    function.__name__ = gen.snake_case(op)
    return function


def _keep_sparse(function, op):
    """The function on the values of IndexedSlices and SparseTensors, too."""
    def wrapped(x, name=None):
        if isinstance(x, IndexedSlices):
            return IndexedSlices(function(x.values, name), x.indices, x.dense_shape)
        if hasattr(x, 'dense_shape') and hasattr(x, 'values') and not callable(x.values):
            _try_dense(op, name)
            return type(x)(indices=x.indices, values=function(x.values, name), dense_shape=x.dense_shape)
        return function(x, name)
    wrapped.__name__, wrapped.__doc__ = function.__name__, function.__doc__
    return wrapped


def _try_dense(op, name):
    """TensorFlow first tries the op on the sparse tensor itself: that takes the name."""
    with name_scope(name or op):
        pass


square = _keep_sparse(_unary('Square', 'x * x'), 'Square')
sqrt = _keep_sparse(_unary('Sqrt', 'The square root.'), 'Sqrt')
rsqrt = _unary('Rsqrt', '1 / sqrt(x)')
exp, expm1 = _unary('Exp', 'e^x'), _unary('Expm1', 'e^x - 1, exact near 0')
log, log1p = _unary('Log', 'The natural logarithm.'), _unary('Log1p', 'log(1 + x), exact near 0')
sin, cos, tan = _unary('Sin', 'The sine.'), _unary('Cos', 'The cosine.'), _unary('Tan', 'The tangent.')
asin, acos, atan = _unary('Asin', 'Inverse sine.'), _unary('Acos', 'Inverse cosine.'), _unary('Atan', 'Inverse tangent.')
sinh, cosh = _unary('Sinh', 'Hyperbolic sine.'), _unary('Cosh', 'Hyperbolic cosine.')
asinh, acosh, atanh = _unary('Asinh', 'Inverse of sinh.'), _unary('Acosh', 'Inverse of cosh.'), _unary('Atanh', 'Inverse of tanh.')
ceil, floor, rint = _unary('Ceil', 'Rounds up.'), _unary('Floor', 'Rounds down.'), _unary('Rint', 'To the nearest, halves to even.')
erf = _keep_sparse(_unary('Erf', 'The error function.'), 'Erf')
erfc = _unary('Erfc', '1 - erf(x)')
lgamma, digamma = _unary('Lgamma', 'log |gamma(x)|'), _unary('Digamma', 'Derivative of lgamma.')
is_nan, is_inf, is_finite = _unary('IsNan', 'x is NaN'), _unary('IsInf', 'x is infinite'), _unary('IsFinite', 'x is a number')
reciprocal = _unary('Reciprocal', '1 / x')
logical_not = _unary('LogicalNot', 'not x')
negative = _keep_sparse(_unary('Neg', '-x'), 'Neg')
tanh = _keep_sparse(_unary('Tanh', 'Hyperbolic tangent.'), 'Tanh')
conj_op = _unary('Conj', 'Complex conjugate.')
bessel_i0e, bessel_i1e = _unary('BesselI0e', 'exp(-|x|) I0(x)'), _unary('BesselI1e', 'exp(-|x|) I1(x)')
invert = _unary('Invert', 'Flips all bits.')

maximum, minimum = _binary('Maximum', 'The larger.'), _binary('Minimum', 'The smaller.')
equal, not_equal = _binary('Equal', 'x == y'), _binary('NotEqual', 'x != y')
less, less_equal = _binary('Less', 'x < y'), _binary('LessEqual', 'x <= y')
greater, greater_equal = _binary('Greater', 'x > y'), _binary('GreaterEqual', 'x >= y')
logical_and, logical_or = _binary('LogicalAnd', 'x and y'), _binary('LogicalOr', 'x or y')
squared_difference = _binary('SquaredDifference', '(x - y)^2')
atan2 = _binary('Atan2', 'Angle of the point (y, x).')
floormod = mod = _binary('FloorMod', 'Remainder with the sign of the divisor.')
floordiv_op = _binary('FloorDiv', 'x / y rounded down.')
truncatediv, truncatemod = _binary('TruncateDiv', 'x / y rounded to 0.'), _binary('TruncateMod', 'Remainder of truncatediv.')
realdiv = _binary('RealDiv', 'x / y')
igamma, igammac = _binary('Igamma', 'Lower regularised gamma.'), _binary('Igammac', 'Upper regularised gamma.')
zeta, polygamma = _binary('Zeta', 'Hurwitz zeta.'), _binary('Polygamma', 'Derivatives of lgamma.')
xdivy, xlogy = _binary('Xdivy', 'x / y, 0 where x is 0'), _binary('Xlogy', 'x log y, 0 where x is 0')
add, subtract = _binary('Add', 'x + y'), _binary('Sub', 'x - y')
multiply = _binary('Mul', 'x * y')
cross = _binary('Cross', 'Cross product of 3-vectors.')
bitwise_and, bitwise_or = _binary('BitwiseAnd', 'x & y'), _binary('BitwiseOr', 'x | y')
bitwise_xor = _binary('BitwiseXor', 'x ^ y')


def div_no_nan(x, y, name=None):
    """x / y, 0 where y is 0."""
    with name_scope(name, 'div_no_nan', [x, y]) as scope:
        x = convert_to_tensor(x, name='x')
        return apply_op('DivNoNan', x, convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype), name=scope)


def betainc(a, b, x, name=None):
    return apply_op('Betainc', a, b, x, name=name)


def sub(x, y, name=None):
    return apply_op('Sub', x, y, name=name)


def mul(x, y, name=None):
    return apply_op('Mul', x, y, name=name)


neg = negative


def logical_xor(x, y, name='LogicalXor'):
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)


def abs(x, name=None):  # pylint: disable=redefined-builtin
    """|x|"""
    if hasattr(x, 'dense_shape') and not isinstance(x, IndexedSlices):
        _try_dense('Abs', name)
        return type(x)(indices=x.indices, values=abs(x.values, name), dense_shape=x.dense_shape)
    with name_scope(name, 'Abs', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return apply_op('ComplexAbs' if x.dtype.is_complex else 'Abs', x,
                        name=scope, **({'Tout': x.dtype.real_dtype} if x.dtype.is_complex else {}))


def sign(x, name=None):
    return _keep_sparse(_unary('Sign', ''), 'Sign')(x, name)


def round(x, name=None):  # pylint: disable=redefined-builtin
    """To the nearest integer, halves to even."""
    x = convert_to_tensor(x, name='x')
    return x if x.dtype.is_integer else apply_op('Round', x, name=name)


def sigmoid(x, name=None):
    with name_scope(name, 'Sigmoid', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return apply_op('Sigmoid', x, name=scope)


def log_sigmoid(x, name=None):
    with name_scope(name, 'LogSigmoid', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return negative(apply_op('Softplus', negative(x)), name=scope)


def pow(x, y, name=None):  # pylint: disable=redefined-builtin
    with name_scope(name, 'Pow', [x]) as scope:
        return apply_op('Pow', x, y, name=scope)


def complex(real, imag, name=None):  # pylint: disable=redefined-builtin
    real, imag = convert_to_tensor(real, name='real'), convert_to_tensor(imag, name='imag')
    with name_scope(name, 'Complex', [real, imag]) as scope:
        types = (real.dtype.base_dtype, imag.dtype.base_dtype)
        if types == (dtypes.float64, dtypes.float64):
            out = dtypes.complex128
        elif types == (dtypes.float32, dtypes.float32):
            out = dtypes.complex64
        else:
            raise TypeError('real and imag have incorrect types: {} {}'.format(real.dtype.name, imag.dtype.name))
        return apply_op('Complex', real, imag, Tout=out, name=scope)


def _part(op, scope_name):
    def function(input, name=None):  # pylint: disable=redefined-builtin
        with name_scope(name, scope_name, [input]) as scope:
            value = convert_to_tensor(input)
            if value.dtype.is_complex:
                return apply_op(op, value, Tout=value.dtype.real_dtype, name=scope)
            return array.zeros_like(value) if op in ('Imag', 'Angle') else value
    function.__name__ = op.lower()
    return function


real, imag, angle = _part('Real', 'Real'), _part('Imag', 'Imag'), _part('Angle', 'Angle')


def conj(x, name=None):
    with name_scope(name, 'Conj', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return apply_op('Conj', x, name=scope) if x.dtype.is_complex else x


def cast(x, dtype, name=None):
    """The values as another dtype."""
    base = dtypes.as_dtype(dtype).base_dtype
    if isinstance(x, (Tensor, ResourceVariable)) and x.dtype is base:
        return x
    with name_scope(name, 'Cast', [x] if hasattr(x, 'graph') else None) as scope:
        if hasattr(x, 'dense_shape') and not isinstance(x, IndexedSlices):
            return type(x)(x.indices, cast(x.values, base, name=scope), x.dense_shape)
        if isinstance(x, IndexedSlices):
            return IndexedSlices(cast(x.values, base, name=scope), x.indices, x.dense_shape)
        x = convert_to_tensor(x, name='x')
        if x.dtype.base_dtype is not base:
            x = apply_op('Cast', x, DstT=base, name=scope)
        return x


def saturate_cast(value, dtype, name=None):
    with name_scope(name, 'saturate_cast', [value]) as scope:
        value, dtype = convert_to_tensor(value, name='value'), dtypes.as_dtype(dtype).base_dtype
        if value.dtype.min < dtype.min:
            value = maximum(value, convert_to_tensor(dtype.min, dtype=value.dtype, name='min'))
        if value.dtype.max > dtype.max:
            value = minimum(value, convert_to_tensor(dtype.max, dtype=value.dtype, name='max'))
        return cast(value, dtype, name=scope)


def _to(dtype, name_):
    def function(x, name=name_):
        return cast(x, dtype, name=name)
    function.__name__ = '_'.join(['to', dtype.name])
    return function


to_float, to_double = _to(dtypes.float32, 'ToFloat'), _to(dtypes.float64, 'ToDouble')
to_int32, to_int64 = _to(dtypes.int32, 'ToInt32'), _to(dtypes.int64, 'ToInt64')
to_bfloat16, to_complex64 = _to(dtypes.bfloat16, 'ToBFloat16'), _to(dtypes.complex64, 'ToComplex64')
to_complex128 = _to(dtypes.complex128, 'ToComplex128')


# ---- division

_TRUEDIV = {dtypes.uint8: dtypes.float32, dtypes.int8: dtypes.float32, dtypes.uint16: dtypes.float32, dtypes.int16: dtypes.float32,
            dtypes.int32: dtypes.float64, dtypes.int64: dtypes.float64}


def _same_dtypes(x, y):
    if x.dtype.base_dtype is not y.dtype.base_dtype:
        raise TypeError('x and y must have the same dtype, got %r != %r' % (x.dtype.base_dtype, y.dtype.base_dtype))
    return x.dtype.base_dtype


def truediv(x, y, name=None):
    """x / y; integers are divided as floats."""
    with name_scope(name, 'truediv', [x, y]) as scope:
        x = convert_to_tensor(x, name='x')
        y = convert_to_tensor(y, preferred_dtype=x.dtype.base_dtype, name='y')
        dtype = _same_dtypes(x, y)
        wanted = _TRUEDIV.get(dtype)
        if wanted is not None:
            x, y = cast(x, wanted), cast(y, wanted)
        return apply_op('RealDiv', x, y, name=scope)


def div(x, y, name=None):
    """Division of Python 2: rounded down for integers."""
    with name_scope(name, 'div', [x, y]) as scope:
        x = convert_to_tensor(x, name='x')
        y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name='y')
        dtype = _same_dtypes(x, y)
        return apply_op('RealDiv' if dtype.is_floating or dtype.is_complex else 'FloorDiv', x, y, name=scope)


def floordiv(x, y, name=None):
    with name_scope(name, 'floordiv', [x, y]) as scope:
        return apply_op('FloorDiv', x, y, name=scope)


floor_div = floordiv_op


def divide(x, y, name=None):
    if name is not None:
        return truediv(x, y, name)
    return convert_to_tensor(x) / y if not hasattr(x, '__truediv__') or not isinstance(x, (Tensor, Variable)) else x / y


# ---- reductions

def _all_dims(x, axis=None):
    if axis is not None:
        return axis
    if isinstance(x, Tensor) and x.shape.rank is not None:
        return constant(np.arange(x.shape.rank), dtype=dtypes.int32)
    if hasattr(x, 'dense_shape') and not isinstance(x, Tensor):
        known = x.dense_shape.shape
        if known.is_fully_defined():
            return constant(np.arange(known[0].value), dtype=dtypes.int32)
    return range(0, array.rank(x))


def _reduction(op, doc):
    def function(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        if reduction_indices is not None:
            if axis is not None:
                raise ValueError("Cannot specify both 'axis' and 'reduction_indices'.")
            axis = reduction_indices
        if keep_dims is not None:
            if keepdims is not None:
                raise ValueError("Cannot specify both 'keepdims' and 'keep_dims'.")
            keepdims = keep_dims
        x = input_tensor
        if axis is None and not isinstance(x, (Tensor, Variable)):
            x = convert_to_tensor(x, name='input_tensor')
        axis_given = axis is not None
        result = apply_op(op, x, _all_dims(x, axis), keep_dims=bool(keepdims), name=name)
        if not axis_given and not keepdims:
            result.set_shape(())
        return result
    function.__doc__ = doc + """

    input_tensor: any shape. axis (or reduction_indices): an int or list; default all dimensions, which gives a scalar.
    keepdims (or keep_dims): keep what is reduced as dimensions of 1.
    """
    return function


reduce_sum, reduce_mean = _reduction('Sum', 'Sum of elements.'), _reduction('Mean', 'Mean of elements.')
reduce_prod = _reduction('Prod', 'Product of elements.')
reduce_max, reduce_min = _reduction('Max', 'Largest element.'), _reduction('Min', 'Smallest element.')
reduce_all, reduce_any = _reduction('All', 'Are all true?'), _reduction('Any', 'Is any true?')
reduce_euclidean_norm = _reduction('EuclideanNorm', 'Root of the sum of squares.')


def count_nonzero(input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None, reduction_indices=None, keep_dims=None,
                  input=None):
    x = input if input_tensor is None else input_tensor
    keepdims = keep_dims if keepdims is None else keepdims
    axis = reduction_indices if axis is None else axis
    with name_scope(name, 'count_nonzero', [x]):
        x = convert_to_tensor(x, name='input')
        zero = constant('' if x.dtype is dtypes.string else 0, x.dtype) if x.dtype is not dtypes.bool else constant(False)
        return cast(reduce_sum(to_int64(not_equal(x, zero)), axis=axis, keepdims=bool(keepdims)), dtype=dtype)


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    with name_scope(name or 'reduce_variance'):
        means = reduce_mean(input_tensor, axis=axis, keepdims=True)
        return reduce_mean(square(input_tensor - means), axis=axis, keepdims=keepdims)


def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    with name_scope(name or 'reduce_std'):
        return sqrt(reduce_variance(input_tensor, axis=axis, keepdims=keepdims))


def reduce_logsumexp(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """log(sum(exp(x))) without overflow."""
    keepdims = bool(keep_dims if keepdims is None else keepdims)
    axis = reduction_indices if axis is None else axis
    x = convert_to_tensor(input_tensor)
    with name_scope(name, 'ReduceLogSumExp', [x]):
        raw_max = reduce_max(x, axis=axis, keepdims=True)
        top = array.stop_gradient(array.where(is_finite(raw_max), raw_max, array.zeros_like(raw_max)))
        result = log(reduce_sum(exp(sub(x, top)), axis, keepdims=keepdims))
        if not keepdims:
            top = reshape(top, shape(result))
        return add(result, top)


def argmax(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    """Index of the largest element along `axis` (default 0)."""
    axis = dimension if axis is None else axis
    return apply_op('ArgMax', input, 0 if axis is None else axis, output_type=output_type, name=name)


def argmin(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    axis = dimension if axis is None else axis
    return apply_op('ArgMin', input, 0 if axis is None else axis, output_type=output_type, name=name)


arg_max, arg_min = argmax, argmin


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    with name_scope(name, 'Cumsum', [x]) as scope:
        return apply_op('Cumsum', convert_to_tensor(x, name='x'), axis, exclusive=exclusive, reverse=reverse, name=scope)


def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    with name_scope(name, 'Cumprod', [x]) as scope:
        return apply_op('Cumprod', convert_to_tensor(x, name='x'), axis, exclusive=exclusive, reverse=reverse, name=scope)


def _segment(op):
    def function(data, segment_ids, name=None):
        return apply_op(op, data, segment_ids, name=name)
    return function


def _unsorted(op):
    def function(data, segment_ids, num_segments, name=None):
        return apply_op(op, data, segment_ids, num_segments, name=name)
    return function


segment_sum, segment_mean = _segment('SegmentSum'), _segment('SegmentMean')
segment_prod, segment_max, segment_min = _segment('SegmentProd'), _segment('SegmentMax'), _segment('SegmentMin')
unsorted_segment_sum, unsorted_segment_prod = _unsorted('UnsortedSegmentSum'), _unsorted('UnsortedSegmentProd')
unsorted_segment_max, unsorted_segment_min = _unsorted('UnsortedSegmentMax'), _unsorted('UnsortedSegmentMin')


def _segment_count(data, segment_ids, num_segments):
    ids = reshape(segment_ids, [-1])
    return maximum(unsorted_segment_sum(array.ones_like(ids, dtype=data.dtype), ids, num_segments), 1)


def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    with name_scope(name, 'UnsortedSegmentMean'):
        data = convert_to_tensor(data)
        count = _segment_count(data, convert_to_tensor(segment_ids), num_segments)
        total = unsorted_segment_sum(data, segment_ids, num_segments)
        return total / reshape(count, concat([shape(count), array.ones([data.shape.rank - convert_to_tensor(segment_ids).shape.rank],
                                                                       dtypes.int32)], 0))


def sparse_segment_sum(data, indices, segment_ids, name=None, num_segments=None):
    if num_segments is not None:
        return apply_op('SparseSegmentSumWithNumSegments', data, indices, segment_ids, num_segments, name=name)
    return apply_op('SparseSegmentSum', data, indices, segment_ids, name=name)


def sparse_segment_mean(data, indices, segment_ids, name=None, num_segments=None):
    if num_segments is not None:
        return apply_op('SparseSegmentMeanWithNumSegments', data, indices, segment_ids, num_segments, name=name)
    return apply_op('SparseSegmentMean', data, indices, segment_ids, name=name)


def sparse_segment_sqrt_n(data, indices, segment_ids, name=None, num_segments=None):
    if num_segments is not None:
        return apply_op('SparseSegmentSqrtNWithNumSegments', data, indices, segment_ids, num_segments, name=name)
    return apply_op('SparseSegmentSqrtN', data, indices, segment_ids, name=name)


# ---- sums and products

def add_n(inputs, name=None):
    """Sum of a list of tensors."""
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError('inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape')
    inputs = [convert.convert_to_tensor_or_indexed_slices(i) for i in inputs]
    if not all(isinstance(x, (Tensor, IndexedSlices)) for x in inputs):
        raise ValueError('inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape')
    if len(inputs) == 1:
        values = convert_to_tensor(inputs[0]) if isinstance(inputs[0], IndexedSlices) else inputs[0]
        return array.identity(values, name=name) if name else values
    return apply_op('AddN', [convert_to_tensor(i) for i in inputs], name=name)


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError('inputs must be a list of at least one Tensor with the same dtype and shape')
    return add_n(inputs, name=name or 'AccumulateNV2')


def scalar_mul(scalar, x):
    scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name='scalar')
    if scalar.shape.rank not in (None, 0):
        raise ValueError('Only scalar multiply works, got shape %s' % scalar.shape)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(multiply(scalar, x.values), x.indices, x.dense_shape)
    return multiply(scalar, x)


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False, b_is_sparse=False,
           name=None):
    """Product of matrices, or of batches of them ([..., m, k] by [..., k, n])."""
    with name_scope(name, 'MatMul', [a, b]) as scope:
        if transpose_a and adjoint_a:
            raise ValueError('Only one of transpose_a and adjoint_a can be True.')
        if transpose_b and adjoint_b:
            raise ValueError('Only one of transpose_b and adjoint_b can be True.')
        a = convert_to_tensor(a, name='a')
        b = convert_to_tensor(b, name='b')
        ranks = a.shape.rank, b.shape.rank
        if (ranks[0] is None or ranks[0] > 2) and (ranks[1] is None or ranks[1] > 2) or (
                ranks[0] is not None and ranks[1] is not None and max(ranks) > 2):
            if transpose_a:
                a, adjoint_a = conj(a), True
            if transpose_b:
                b, adjoint_b = conj(b), True
            op = 'BatchMatMulV2' if ranks[0] != ranks[1] else 'BatchMatMul'
            return apply_op(op, a, b, adj_x=adjoint_a, adj_y=adjoint_b, name=scope)
        if adjoint_a:
            a, transpose_a = conj(a), True
        if adjoint_b:
            b, transpose_b = conj(b), True
        if a_is_sparse or b_is_sparse:
            return apply_op('SparseMatMul', a, b, transpose_a=transpose_a, transpose_b=transpose_b, a_is_sparse=a_is_sparse,
                            b_is_sparse=b_is_sparse, name=scope)
        return apply_op('MatMul', a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=scope)


batch_matmul = matmul


def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None):
    with name_scope(name, 'MatVec', [a, b]):
        product = matmul(a, expand_dims(b, axis=-1), transpose_a=transpose_a, adjoint_a=adjoint_a)
        return squeeze(product, axis=-1)


def tensordot(a, b, axes, name=None):
    """Sum of products over the given axes of a and b."""
    with name_scope(name, 'Tensordot', [a, b, axes] if isinstance(axes, Tensor) else [a, b]) as scope:
        a, b = convert_to_tensor(a, name='a'), convert_to_tensor(b, name='b')
        if isinstance(axes, int):
            if a.shape.rank is None:
                raise ValueError('tensordot needs the rank of a, shape is unknown')
            if axes > a.shape.rank:
                raise ValueError("'axes' must not be larger than the number of dimensions of tensor %s." % a)
            a_axes, b_axes = list(_builtin_range(a.shape.rank - axes, a.shape.rank)), list(_builtin_range(axes))
        else:
            a_axes, b_axes = axes
            a_axes = [a_axes] if isinstance(a_axes, int) else list(a_axes)
            b_axes = [b_axes] if isinstance(b_axes, int) else list(b_axes)
            if len(a_axes) != len(b_axes):
                raise ValueError("Different number of contraction axes 'a' and 'b', %s != %s." % (len(a_axes), len(b_axes)))

        def flatten(x, x_axes, flipped):
            n = x.shape.rank
            x_axes = [i if i >= 0 else i + n for i in x_axes]
            free = [i for i in _builtin_range(n) if i not in x_axes]
            perm = x_axes + free if flipped else free + x_axes
            if x.shape.is_fully_defined():
                dims = x.shape.as_list()
                contracted = int(np.prod([dims[i] for i in x_axes], dtype=np.int64))
                rest = int(np.prod([dims[i] for i in free], dtype=np.int64))
                new = [contracted, rest] if flipped else [rest, contracted]
                return reshape(array.transpose(x, perm), new), [dims[i] for i in free], [dims[i] for i in free]
            dims = shape(x)
            free_dims = array.gather(dims, constant(free, dtypes.int32))
            contracted = reduce_prod(array.gather(dims, constant(x_axes, dtypes.int32)))
            rest = reduce_prod(free_dims)
            new = stack([contracted, rest] if flipped else [rest, contracted])
            return reshape(array.transpose(x, perm), new), free_dims, [x.shape[i].value for i in free]
        a_matrix, a_free, a_static = flatten(a, a_axes, False)
        b_matrix, b_free, b_static = flatten(b, b_axes, True)
        product = matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            return reshape(product, a_free + b_free, name=scope)
        result = reshape(product, concat([convert_to_tensor(a_free, dtypes.int32), convert_to_tensor(b_free, dtypes.int32)], 0), name=scope)
        result.set_shape(a_static + b_static)
        return result


def range(start, limit=None, delta=1, dtype=None, name='range'):  # pylint: disable=redefined-builtin
    """start, start + delta, ... below limit."""
    if limit is None:
        start, limit = 0, start
    with name_scope(name, 'Range', [v for v in (start, limit, delta) if hasattr(v, 'graph')]) as scope:
        if not isinstance(start, Tensor):
            start = convert_to_tensor(start, dtype=dtype, name='start')
        if not isinstance(limit, Tensor):
            limit = convert_to_tensor(limit, dtype=dtype, name='limit')
        if not isinstance(delta, Tensor):
            delta = convert_to_tensor(delta, dtype=dtype, name='delta')
        if dtype is None:
            order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
            wanted = max([v.dtype for v in (start, limit, delta)], key=order.index)
            start, limit, delta = cast(start, wanted), cast(limit, wanted), cast(delta, wanted)
        return apply_op('Range', start, limit, delta, name=scope)


def linspace(start, stop, num, name=None):
    return apply_op('LinSpace', start, stop, num, name=name)


lin_space = linspace


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32, name=None):
    with name_scope(name, 'bincount', [arr]):
        arr = convert_to_tensor(arr, name='arr', dtype=dtypes.int32)
        not_empty = reduce_prod(shape(arr)) > 0
        length = cast(not_empty, dtypes.int32) * (reduce_max(arr) + 1)
        if minlength is not None:
            length = maximum(convert_to_tensor(minlength, name='minlength', dtype=dtypes.int32), length)
        if maxlength is not None:
            length = minimum(convert_to_tensor(maxlength, name='maxlength', dtype=dtypes.int32), length)
        weights = constant([], dtype) if weights is None else convert_to_tensor(weights, name='weights')
        return apply_op('Bincount', arr, length, weights)


def add_check_numerics_ops():
    """An operation that fails when any floating tensor of the graph has a NaN or infinity."""
    from headrace.tf1.framework import control
    checks = []
    for op in graph_lib.get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
                with graph_lib.control_dependencies(checks):
                    checks = [apply_op('CheckNumerics', output, message=output.name)]
    return control.group(*checks)


# ---- clipping

def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    with name_scope(name, 'clip_by_value', [t, clip_value_min, clip_value_max] if isinstance(t, Tensor) else [t]) as scope:
        values = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name='t')
        low = minimum(values, clip_value_max)
        values.shape.merge_with(low.shape)
        high = maximum(low, clip_value_min, name=scope)
        values.shape.merge_with(high.shape)
        return IndexedSlices(high, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else high


def clip_by_norm(t, clip_norm, axes=None, name=None):
    with name_scope(name, 'clip_by_norm', [t]) as scope:
        values = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name='t')
        l2sum = reduce_sum(values * values, axes, keepdims=True)
        pred = l2sum > 0
        safe = array.where(pred, l2sum, array.ones_like(l2sum))
        l2norm = array.where(pred, sqrt(safe), l2sum)
        intermediate = values * clip_norm
        values.shape.merge_with(intermediate.shape)
        clipped = array.identity(intermediate / maximum(l2norm, clip_norm), name=scope)
        return IndexedSlices(clipped, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else clipped


def global_norm(t_list, name=None):
    """Norm of all tensors together; None entries count nothing."""
    if not isinstance(t_list, (list, tuple)):
        raise TypeError('t_list should be a sequence')
    t_list = list(t_list)
    with name_scope(name, 'global_norm', [t for t in t_list if t is not None]):
        values = [convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name='t_%d' % i) if t is not None else None
                  for i, t in enumerate(t_list)]
        halves = []
        for v in values:
            if v is not None:
                with graph_lib.colocate_with(v):
                    halves.append(apply_op('L2Loss', v))
        half = reduce_sum(stack(halves))
        return sqrt(half * constant(2.0, dtype=half.dtype), name='global_norm')


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """(the tensors scaled so that their global norm is at most clip_norm, that norm)."""
    if not isinstance(t_list, (list, tuple)):
        raise TypeError('t_list should be a sequence')
    t_list = list(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with name_scope(name, 'clip_by_global_norm', [t for t in t_list if t is not None] + [clip_norm]) as scope:
        one = constant(1.0, dtype=use_norm.dtype)
        scale_for_finite = clip_norm * minimum(1.0 / use_norm, one / clip_norm)
        scale = array.where(is_finite(use_norm), scale_for_finite, constant(float('nan'), dtype=use_norm.dtype))
        values = [convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name='t_%d' % i) if t is not None else None
                  for i, t in enumerate(t_list)]
        clipped = []
        for i, v in enumerate(values):
            if v is None:
                clipped.append(None)
            else:
                with graph_lib.colocate_with(v):
                    clipped.append(array.identity(v * scale, name='%s_%d' % (scope, i)))
        return [IndexedSlices(c, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else c
                for c, t in zip(clipped, t_list)], use_norm


def clip_by_average_norm(t, clip_norm, name=None):
    with name_scope(name, 'clip_by_average_norm', [t]) as scope:
        t = convert_to_tensor(t, name='t')
        count = cast(array.size(t), dtypes.float32)
        inverse = apply_op('Rsqrt', reduce_sum(t * t, apply_op('Range', 0, array.rank(t), 1)))
        return array.identity(t * clip_norm * minimum(inverse * count, constant(1.0) / clip_norm), name=scope)


# ---- operators

def _operator(python_name, op_name, function):
    def binary(x, y):
        if hasattr(y, 'dense_shape') and not isinstance(y, (IndexedSlices, Tensor)):
            return NotImplemented
        with name_scope(None, op_name, [x, y]) as scope:
            x = x if isinstance(x, Tensor) else convert_to_tensor(x)
            if not isinstance(y, Tensor):
                try:
                    y = convert_to_tensor(y, preferred_dtype=x.dtype.base_dtype, name='y')
                except TypeError:
                    if hasattr(type(y), '__r%s__' % python_name):
                        return NotImplemented
                    raise
            return function(x, y, scope)

    def reflected(y, x):
        with name_scope(None, op_name, [x, y]) as scope:
            y = y if isinstance(y, Tensor) else convert_to_tensor(y)
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name='x')
            return function(x, y, scope)
    for cls in (Tensor, Variable):
        setattr(cls, '__%s__' % python_name, _on_value(binary) if cls is Variable else binary)
        setattr(cls, '__r%s__' % python_name, _on_value(reflected) if cls is Variable else reflected)


def _on_value(function):
    def on_variable(self, *args):
        return function(self.value(), *args)
    return on_variable


def _node(op):
    return lambda x, y, scope: apply_op(op, x, y, name=scope)


_operator('add', 'add', lambda x, y, scope: apply_op('Add', x, y, name=scope))
_operator('sub', 'sub', _node('Sub'))
_operator('mul', 'mul', _node('Mul'))
_operator('div', 'div', div)
_operator('truediv', 'truediv', truediv)
_operator('floordiv', 'floordiv', floordiv)
_operator('mod', 'mod', _node('FloorMod'))
_operator('pow', 'pow', pow)
_operator('matmul', 'matmul', lambda x, y, scope: matmul(x, y, name=scope))
_operator('and', 'and', _node('LogicalAnd'))
_operator('or', 'or', _node('LogicalOr'))
_operator('xor', 'xor', lambda x, y, scope: logical_xor(x, y, name=scope))

for _name, _function in (('lt', less), ('le', less_equal), ('gt', greater), ('ge', greater_equal)):
    setattr(Tensor, '__%s__' % _name, (lambda f: lambda x, y: f(x, y))(_function))
    setattr(Variable, '__%s__' % _name, (lambda f: lambda x, y: f(x.value(), y))(_function))
for _name, _function in (('neg', negative), ('invert', logical_not), ('abs', abs)):
    setattr(Tensor, '__%s__' % _name, (lambda f: lambda x: f(x))(_function))
    setattr(Variable, '__%s__' % _name, (lambda f: lambda x: f(x.value()))(_function))
Tensor.__getitem__ = array.slice_helper


def _variable_item(variable, spec):
    return array.slice_helper(variable.value(), spec, variable)


Variable.__getitem__ = _variable_item
Tensor.OVERLOADABLE_OPERATORS = frozenset('__%s__' % n for n in (
    'add', 'radd', 'sub', 'rsub', 'mul', 'rmul', 'div', 'rdiv', 'truediv', 'rtruediv', 'floordiv', 'rfloordiv', 'mod', 'rmod', 'lt',
    'le', 'gt', 'ge', 'and', 'rand', 'or', 'ror', 'xor', 'rxor', 'getitem', 'pow', 'rpow', 'invert', 'neg', 'abs', 'matmul', 'rmatmul'))
