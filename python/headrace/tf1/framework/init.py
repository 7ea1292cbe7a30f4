"""Initial values of variables (tf.initializers): objects that are called with a shape."""
import math as _math

import numpy as np

from headrace.tf1.framework import array, convert, dtypes, linalg, random


class Initializer(object):
    """Called as initializer(shape, dtype=None, partition_info=None); gives a tensor."""

    def __call__(self, shape, dtype=None, partition_info=None):
        raise NotImplementedError

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def _floating(dtype):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise TypeError('Cannot create initializer for non-floating point type.')
    return dtype


class Zeros(Initializer):
    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array.zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self):
        return {'dtype': self.dtype.name}


class Ones(Zeros):
    def __call__(self, shape, dtype=None, partition_info=None):
        return array.ones(shape, self.dtype if dtype is None else dtype)


class Constant(Initializer):
    def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError('Invalid type for initial value: %s (expected Python scalar, list or tuple of values, or numpy.ndarray).' %
                            type(value))
        self.value, self.dtype, self._verify_shape = value, dtypes.as_dtype(dtype), verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        return convert.constant(self.value, dtype=self.dtype if dtype is None else dtype, shape=shape,
                                verify_shape=self._verify_shape if verify_shape is None else verify_shape)

    def get_config(self):
        return {'value': self.value, 'dtype': self.dtype.name}


class _Seeded(Initializer):
    def __init__(self, first, second, seed, dtype):
        self._first, self._second, self.seed, self.dtype = first, second, seed, dtype

    def __call__(self, shape, dtype=None, partition_info=None):
        return self._draw(shape, self._first, self._second, self.dtype if dtype is None else dtype, seed=self.seed)


class RandomNormal(_Seeded):
    _draw = staticmethod(random.random_normal)

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
        super(RandomNormal, self).__init__(mean, stddev, seed, _floating(dtype))
        self.mean, self.stddev = mean, stddev

    def get_config(self):
        return {'mean': self.mean, 'stddev': self.stddev, 'seed': self.seed, 'dtype': self.dtype.name}


class TruncatedNormal(RandomNormal):
    _draw = staticmethod(random.truncated_normal)


class RandomUniform(_Seeded):
    _draw = staticmethod(random.random_uniform)

    def __init__(self, minval=0, maxval=None, seed=None, dtype=dtypes.float32):
        super(RandomUniform, self).__init__(minval, maxval, seed, dtypes.as_dtype(dtype))
        self.minval, self.maxval = minval, maxval

    def get_config(self):
        return {'minval': self.minval, 'maxval': self.maxval, 'seed': self.seed, 'dtype': self.dtype.name}


class UniformUnitScaling(Initializer):
    def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
        self.factor, self.seed, self.dtype = factor, seed, _floating(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        scale = shape if partition_info is None else partition_info.full_shape
        size = 1.0
        for dim in list(scale)[:-1]:
            size *= float(dim)
        limit = _math.sqrt(3 / max(size, 1.0)) * self.factor
        return random.random_uniform(shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed)

    def get_config(self):
        return {'factor': self.factor, 'seed': self.seed, 'dtype': self.dtype.name}


def _fans(shape):
    shape = [int(d) for d in shape]
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    receptive = 1
    for d in shape[:-2]:
        receptive *= d
    return shape[-2] * receptive, shape[-1] * receptive


class VarianceScaling(Initializer):
    def __init__(self, scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None, dtype=dtypes.float32):
        if scale <= 0.:
            raise ValueError('`scale` must be positive float.')
        if mode not in ('fan_in', 'fan_out', 'fan_avg'):
            raise ValueError('Invalid `mode` argument:', mode)
        distribution = distribution.lower()
        if distribution not in ('normal', 'uniform', 'truncated_normal', 'untruncated_normal'):
            raise ValueError('Invalid `distribution` argument:', distribution)
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        self.dtype = _floating(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtype
        fan_in, fan_out = _fans(shape if partition_info is None else partition_info.full_shape)
        scale = self.scale / max(1., {'fan_in': fan_in, 'fan_out': fan_out, 'fan_avg': (fan_in + fan_out) / 2.}[self.mode])
        if self.distribution in ('normal', 'truncated_normal'):
            # The deviation of a normal distribution cut off at two deviations.
            return random.truncated_normal(shape, 0.0, _math.sqrt(scale) / .87962566103423978, dtype, seed=self.seed)
        if self.distribution == 'untruncated_normal':
            return random.random_normal(shape, 0.0, _math.sqrt(scale), dtype, seed=self.seed)
        limit = _math.sqrt(3.0 * scale)
        return random.random_uniform(shape, -limit, limit, dtype, seed=self.seed)

    def get_config(self):
        return {'scale': self.scale, 'mode': self.mode, 'distribution': self.distribution, 'seed': self.seed, 'dtype': self.dtype.name}


class GlorotUniform(VarianceScaling):
    def __init__(self, seed=None, dtype=dtypes.float32):
        super(GlorotUniform, self).__init__(1.0, 'fan_avg', 'uniform', seed, dtype)

    def get_config(self):
        return {'seed': self.seed, 'dtype': self.dtype.name}


class GlorotNormal(VarianceScaling):
    def __init__(self, seed=None, dtype=dtypes.float32):
        super(GlorotNormal, self).__init__(1.0, 'fan_avg', 'truncated_normal', seed, dtype)

    def get_config(self):
        return {'seed': self.seed, 'dtype': self.dtype.name}


class Orthogonal(Initializer):
    def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
        self.gain, self.dtype, self.seed = gain, _floating(dtype), seed

    def __call__(self, shape, dtype=None, partition_info=None):
        from headrace.tf1.framework import math
        from headrace.tf1.framework.convert import apply_op
        dtype = self.dtype if dtype is None else dtype
        if len(shape) < 2:
            raise ValueError('The tensor to initialize must be at least two-dimensional')
        rows = 1
        for dim in list(shape)[:-1]:
            rows *= int(dim)
        columns = int(list(shape)[-1])
        flat = (rows, columns) if rows >= columns else (columns, rows)
        numbers = random.random_normal(flat, dtype=dtype, seed=self.seed)
        q, r = apply_op('Qr', numbers, full_matrices=False)
        q *= math.sign(apply_op('MatrixDiagPart', r))
        if rows < columns:
            q = array.matrix_transpose(q)
        return self.gain * array.reshape(q, shape)

    def get_config(self):
        return {'gain': self.gain, 'seed': self.seed, 'dtype': self.dtype.name}


class Identity(Initializer):
    def __init__(self, gain=1.0, dtype=dtypes.float32):
        self.gain, self.dtype = gain, _floating(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        full = shape if partition_info is None else partition_info.full_shape
        if len(full) != 2:
            raise ValueError('Identity matrix initializer can only be used for 2D matrices.')
        dtype = dtypes.as_dtype(self.dtype if dtype is None else dtype)
        result = linalg.eye(int(full[0]), int(full[1]), dtype=dtype)
        if partition_info is not None:
            result = array.slice(result, partition_info.var_offset, shape)
        return self.gain * result

    def get_config(self):
        return {'gain': self.gain, 'dtype': self.dtype.name}


zeros_initializer, ones_initializer, constant_initializer = Zeros, Ones, Constant
random_uniform_initializer, random_normal_initializer = RandomUniform, RandomNormal
truncated_normal_initializer, uniform_unit_scaling_initializer = TruncatedNormal, UniformUnitScaling
variance_scaling_initializer, orthogonal_initializer = VarianceScaling, Orthogonal
glorot_uniform_initializer, glorot_normal_initializer = GlorotUniform, GlorotNormal
identity_initializer = Identity


def lecun_normal(seed=None):
    return VarianceScaling(1., 'fan_in', 'truncated_normal', seed)


def lecun_uniform(seed=None):
    return VarianceScaling(1., 'fan_in', 'uniform', seed)


def he_normal(seed=None):
    return VarianceScaling(2., 'fan_in', 'truncated_normal', seed)


def he_uniform(seed=None):
    return VarianceScaling(2., 'fan_in', 'uniform', seed)
