"""Initial values whose variance fits the size of a layer."""
import math

from headrace.tf1.framework import dtypes, random


def xavier_initializer(uniform=True, seed=None, dtype=dtypes.float32):
    """Variance 2 / (inputs + outputs), so that signals keep their size in both directions."""
    return variance_scaling_initializer(factor=1.0, mode='FAN_AVG', uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer


def _fans(shape):
    """(inputs, outputs) of a unit."""
    sizes = [float(size) for size in shape]
    if not sizes:
        return 1.0, 1.0
    window = math.prod(sizes[:-2])
    return (sizes[-2] if len(sizes) > 1 else sizes[-1]) * window, sizes[-1] * window


def variance_scaling_initializer(factor=2.0, mode='FAN_IN', uniform=False, seed=None, dtype=dtypes.float32):
    """Variance factor / n, n the inputs (FAN_IN), outputs (FAN_OUT) or their mean (FAN_AVG); uniform, or normal cut at two deviations.

    Errors: TypeError for a dtype that is no float, and for another mode.
    """
    if not dtypes.as_dtype(dtype).is_floating:
        raise TypeError('Cannot create initializer for non-floating point type.')
    if mode not in ('FAN_IN', 'FAN_OUT', 'FAN_AVG'):
        raise TypeError('Unknown mode %s [FAN_IN, FAN_OUT, FAN_AVG]', mode)

    def initializer(shape, dtype=dtype, partition_info=None):
        dtype = dtypes.as_dtype(dtype)
        if not dtype.is_floating:
            raise TypeError('Cannot create initializer for non-floating point type.')
        fan_in, fan_out = _fans(shape)
        n = {'FAN_IN': fan_in, 'FAN_OUT': fan_out, 'FAN_AVG': (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random.random_uniform(shape, -limit, limit, dtype, seed=seed)
        # 1.3: what cutting at two deviations takes from the variance.
        return random.truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / n), dtype, seed=seed)
    return initializer
