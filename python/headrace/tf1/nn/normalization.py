"""Moments, normalisation, and measures of whole tensors."""
from headrace.tf1.framework import array, convert, dtypes, math
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope


def lrn(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):  # pylint: disable=redefined-builtin
    return apply_op('LRN', input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name)


local_response_normalization = lrn


def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """(mean, variance) over the axes."""
    keep = bool(keep_dims if keepdims is None else keepdims)
    with name_scope(name, 'moments', [x]):
        y = math.cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x
        mean = math.reduce_mean(y, axes, keepdims=True, name='mean')
        variance = math.reduce_mean(math.squared_difference(y, array.stop_gradient(mean)), axes, keepdims=True, name='variance')
        if not keep:
            mean, variance = array.squeeze(mean, axes), array.squeeze(variance, axes)
        if x.dtype is dtypes.float16:
            return math.cast(mean, dtypes.float16), math.cast(variance, dtypes.float16)
        return mean, variance


def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    keep = bool(keep_dims if keepdims is None else keepdims)
    with name_scope(name, 'weighted_moments', [x, frequency_weights]):
        x = convert_to_tensor(x, name='x')
        weights = math.cast(convert_to_tensor(frequency_weights, name='frequency_weights'), x.dtype)
        weighted = math.reduce_sum(weights * x, axes, name='weighted_input_sum', keepdims=True)
        total = math.reduce_sum(weights + array.zeros_like(x), axes, name='sum_of_weights', keepdims=True)
        divisor = math.reciprocal(total, name='inv_weight_sum')
        mean = math.multiply(weighted, divisor)
        distance = math.reduce_sum(weights * math.squared_difference(x, mean), axes, name='weighted_distsq', keepdims=True)
        variance = math.multiply(distance, divisor)
        if not keep:
            mean, variance = array.squeeze(mean, axes), array.squeeze(variance, axes)
        return mean, variance


def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    keep = bool(keep_dims if keepdims is None else keepdims)
    axes = list(set(axes))
    with name_scope(name, 'sufficient_statistics', [x]):
        x = convert_to_tensor(x, name='x')
        if x.shape.is_fully_defined():
            count = 1
            for d in axes:
                count *= x.shape.as_list()[d]
            count = convert.constant(count, dtype=x.dtype)
        else:
            count = math.cast(math.reduce_prod(array.gather(array.shape(x), axes)), x.dtype)
        first, second = (x, math.square(x)) if shift is None else (math.subtract(x, shift), math.squared_difference(x, shift))
        return (count, math.reduce_sum(first, axes, keepdims=keep, name='mean_ss'),
                math.reduce_sum(second, axes, keepdims=keep, name='var_ss'), shift)


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    with name_scope(name, 'normalize', [counts, mean_ss, variance_ss]):
        divisor = math.reciprocal(counts, name='divisor')
        if shift is not None:
            shifted = math.multiply(mean_ss, divisor, name='shifted_mean')
            mean = math.add(shifted, shift, name='mean')
        else:
            shifted = mean = math.multiply(mean_ss, divisor, name='mean')
        return mean, math.subtract(math.multiply(variance_ss, divisor), math.square(shifted), name='variance')


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset"""
    with name_scope(name, 'batchnorm', [v for v in (x, mean, variance, scale, offset) if v is not None]):
        inverse = math.rsqrt(variance + variance_epsilon)
        if scale is not None:
            inverse = inverse * scale
        return x * math.cast(inverse, x.dtype) + math.cast(offset - mean * inverse if offset is not None else -mean * inverse, x.dtype)


def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format='NHWC', is_training=True, name=None):
    """(y, batch mean, batch variance)"""
    x, scale = convert_to_tensor(x, name='input'), convert_to_tensor(scale, name='scale')
    offset = convert_to_tensor(offset, name='offset')
    if is_training and (mean is not None or variance is not None):
        raise ValueError("Both 'mean' and 'variance' must be None if is_training is True.")
    if not is_training and (mean is None or variance is None):
        raise ValueError("Both 'mean' and 'variance' must be given if is_training is False.")
    mean = convert.constant([]) if mean is None else mean
    variance = convert.constant([]) if variance is None else variance
    # Versions after V1 have more outputs; what TensorFlow 1.4 made is understood everywhere.
    op = 'FusedBatchNorm' if x.dtype is dtypes.float32 else 'FusedBatchNormV2'
    result = apply_op(op, x, scale, offset, mean, variance, epsilon=max(epsilon, 1.001e-5), data_format=data_format,
                      is_training=is_training, name=name)
    return result[0], result[1], result[2]


def batch_norm_with_global_normalization(t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None,
                                         scale_after_normalization=None, name=None, input=None, mean=None, variance=None):
    t, m, v = input if t is None else t, mean if m is None else m, variance if v is None else v  # pylint: disable=redefined-builtin
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    axis = dim if axis is None else axis
    with name_scope(name, 'l2_normalize', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        inverse = math.rsqrt(math.maximum(math.reduce_sum(math.square(x), axis, keepdims=True), epsilon))
        return math.multiply(x, inverse, name=scope)


def l2_loss(t, name=None):
    """sum(t^2) / 2"""
    return apply_op('L2Loss', t, name=name)


def zero_fraction(value, name=None):
    """How much of the elements is zero."""
    from headrace.tf1.framework import control_flow
    with name_scope(name, 'zero_fraction', [value]):
        value = convert_to_tensor(value, name='value')
        size = array.size(value, out_type=dtypes.int64)

        def count(dtype):
            with name_scope(None, 'count_nonzero', [value]):
                zero = array.zeros([], dtype=value.dtype)
                return math.reduce_sum(math.cast(math.not_equal(value, zero), dtype=dtype), name='nonzero_count')
        others = control_flow.cond(size <= dtypes.int32.max, lambda: math.cast(count(dtypes.int32), dtypes.int64),
                                   lambda: count(dtypes.int64))
        with name_scope('counts_to_fraction'):
            zeros = math.cast(size - others, dtypes.float32)
            fraction = zeros / math.cast(size, dtypes.float32)
        return array.identity(fraction, name='fraction')
