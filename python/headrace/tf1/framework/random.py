"""Random tensors: with the same seeds, TensorFlow 1.15's numbers bit for bit."""
from headrace.tf1.framework import array, convert, dtypes, math
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import Tensor, get_seed, name_scope


def _shape_tensor(shape):
    if isinstance(shape, (tuple, list)) and not shape:
        return convert.constant([], dtypes.int32, shape=[0], name='shape')
    return convert_to_tensor(shape, name='shape')


def _seeds(seed):
    first, second = get_seed(seed)
    return {'seed': first or 0, 'seed2': second or 0}


def random_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normal numbers."""
    return _scaled('RandomStandardNormal', 'random_normal', shape, mean, stddev, dtype, seed, name)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normal numbers, those more than two standard deviations off drawn again."""
    return _scaled('TruncatedNormal', 'truncated_normal', shape, mean, stddev, dtype, seed, name)


def _scaled(op, default, shape, mean, stddev, dtype, seed, name):
    dtype = dtypes.as_dtype(dtype)
    with name_scope(name, default, [v for v in (shape, mean, stddev) if isinstance(v, Tensor)]) as scope:
        shape = _shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name='mean')
        stddev = convert_to_tensor(stddev, dtype=dtype, name='stddev')
        numbers = apply_op(op, shape, dtype=dtype, **_seeds(seed))
        return math.add(numbers * stddev, mean, name=scope)


def random_uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None):
    """Numbers in [minval, maxval), all equally likely."""
    dtype = dtypes.as_dtype(dtype)
    if dtype not in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64):
        raise ValueError('Invalid dtype %r' % dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError('Must specify maxval for integer dtype %r' % dtype)
        maxval = 1
    with name_scope(name, 'random_uniform', [v for v in (shape, minval, maxval) if isinstance(v, Tensor)]) as scope:
        shape = _shape_tensor(shape)
        minval = convert_to_tensor(minval, dtype=dtype, name='min')
        maxval = convert_to_tensor(maxval, dtype=dtype, name='max')
        seeds = _seeds(seed)
        if dtype.is_integer:
            return apply_op('RandomUniformInt', shape, minval, maxval, name=scope, **seeds)
        numbers = apply_op('RandomUniform', shape, dtype=dtype, **seeds)
        return math.add(numbers * (maxval - minval), minval, name=scope)


def parameterized_truncated_normal(shape, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, dtype=dtypes.float32, seed=None, name=None):
    with name_scope(name, 'parameterized_truncated_normal'):
        values = [convert_to_tensor(v, dtype=dtype, name=n) for v, n in (
            (means, 'means'), (stddevs, 'stddevs'), (minvals, 'minvals'), (maxvals, 'maxvals'))]
        return apply_op('ParameterizedTruncatedNormal', _shape_tensor(shape), *values, **_seeds(seed))


def random_shuffle(value, seed=None, name=None):
    """The rows in a random order."""
    return apply_op('RandomShuffle', value, name=name, **_seeds(seed))


def random_crop(value, size, seed=None, name=None):
    """A part of `value` of shape `size` at a random place."""
    from headrace.tf1.framework import control
    with name_scope(name, 'random_crop', [v for v in (value, size) if isinstance(v, Tensor)]) as scope:
        value = convert_to_tensor(value, name='value')
        size = convert_to_tensor(size, dtype=dtypes.int32, name='size')
        shape = array.shape(value)
        check = control.Assert(math.reduce_all(shape >= size), ['Need value.shape >= size, got ', shape, size], summarize=1000)
        shape = control.with_dependencies([check], shape)
        limit = shape - size + 1
        offset = random_uniform(array.shape(shape), dtype=size.dtype, maxval=size.dtype.max, seed=seed) % limit
        return array.slice(value, offset, size, name=scope)


def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
    """Draws classes by unnormalised log probabilities."""
    with name_scope(name, 'multinomial', [logits] if isinstance(logits, Tensor) else None):
        logits = convert_to_tensor(logits, name='logits')
        return apply_op('Multinomial', logits, num_samples, output_dtype=output_dtype or dtypes.int64, **_seeds(seed))


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    with name_scope(name, 'categorical'):
        return multinomial(logits, num_samples, seed, output_dtype=dtype)


def random_gamma(shape, alpha, beta=None, dtype=dtypes.float32, seed=None, name=None):
    with name_scope(name, 'random_gamma'):
        shape = convert_to_tensor(shape, name='shape', dtype=dtypes.int32)
        alpha = convert_to_tensor(alpha, name='alpha', dtype=dtype)
        beta = convert_to_tensor(beta if beta is not None else 1, name='beta', dtype=dtype)
        alpha = alpha + array.zeros_like(beta)
        tiny = alpha.dtype.as_numpy_dtype(_tiny(alpha.dtype))
        return math.maximum(tiny, apply_op('RandomGamma', shape, alpha, **_seeds(seed)) / beta)


def _tiny(dtype):
    import numpy as np
    return np.finfo(dtype.as_numpy_dtype).tiny


def random_poisson(lam, shape, dtype=dtypes.float32, seed=None, name=None):
    with name_scope(name, 'random_poisson'):
        shape = convert_to_tensor(shape, name='shape', dtype=dtypes.int32)
        return apply_op('RandomPoissonV2', shape, lam, dtype=dtype, **_seeds(seed))


def stateless_random_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None):
    dtype = dtypes.as_dtype(dtype)
    maxval = 1 if maxval is None and not dtype.is_integer else maxval
    with name_scope(name, 'stateless_random_uniform') as scope:
        shape = _shape_tensor(shape)
        minval, maxval = convert_to_tensor(minval, dtype=dtype, name='min'), convert_to_tensor(maxval, dtype=dtype, name='max')
        if dtype.is_integer:
            return apply_op('StatelessRandomUniformInt', shape, seed, minval, maxval, name=scope)
        return math.add(apply_op('StatelessRandomUniform', shape, seed, dtype=dtype) * (maxval - minval), minval, name=scope)


def _stateless(op, default):
    def function(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        with name_scope(name, default) as scope:
            shape = _shape_tensor(shape)
            mean, stddev = convert_to_tensor(mean, dtype=dtype, name='mean'), convert_to_tensor(stddev, dtype=dtype, name='stddev')
            return math.add(apply_op(op, shape, seed, dtype=dtype) * stddev, mean, name=scope)
    return function


stateless_random_normal = _stateless('StatelessRandomNormal', 'stateless_random_normal')
stateless_truncated_normal = _stateless('StatelessTruncatedNormal', 'stateless_truncated_normal')
