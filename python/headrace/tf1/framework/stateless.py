"""Random numbers that only depend on their seed of two numbers: tf.random.stateless_uniform and its like."""
from headrace.tf1.framework import dtypes, math
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope


def _graphs(*values):
    return [v for v in values if hasattr(v, 'graph')]


def _shape(shape):
    return convert_to_tensor(shape, dtype=dtypes.int32 if isinstance(shape, (list, tuple)) and not shape else None, name='shape')


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None):
    """Numbers in [minval, maxval)."""
    dtype = dtypes.as_dtype(dtype)
    if dtype not in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64):
        raise ValueError('Invalid dtype %r' % dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError('Must specify maxval for integer dtype %r' % dtype)
        maxval = 1
    with name_scope(name, 'stateless_random_uniform', _graphs(shape, seed, minval, maxval)) as scope:
        shape = _shape(shape)
        low, high = convert_to_tensor(minval, dtype=dtype, name='min'), convert_to_tensor(maxval, dtype=dtype, name='max')
        if dtype.is_integer:
            return apply_op('StatelessRandomUniformInt', shape, seed, low, high, name=scope)
        numbers = apply_op('StatelessRandomUniform', shape, seed, dtype=dtype)
        return math.add(numbers * (high - low), low, name=scope)


def _normal(op, default):
    def function(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        with name_scope(name, default, _graphs(shape, seed, mean, stddev)) as scope:
            shape = _shape(shape)
            mean = convert_to_tensor(mean, dtype=dtype, name='mean')
            stddev = convert_to_tensor(stddev, dtype=dtype, name='stddev')
            numbers = apply_op(op, shape, seed, dtype=dtype)
            return math.add(numbers * stddev, mean, name=scope)
    function.__name__ = default
    return function


stateless_normal = _normal('StatelessRandomNormal', 'stateless_random_normal')
stateless_truncated_normal = _normal('StatelessTruncatedNormal', 'stateless_truncated_normal')


def stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.int64, name=None):
    """[rows, num_samples]: classes drawn with the unnormalised log-probabilities of each row."""
    with name_scope(name, 'stateless_multinomial', _graphs(logits, seed)):
        return apply_op('StatelessMultinomial', convert_to_tensor(logits, name='logits'), num_samples, seed, output_dtype=output_dtype)


def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None):
    """As stateless_multinomial."""
    with name_scope(name, 'stateless_categorical', _graphs(logits, seed)):
        return apply_op('StatelessMultinomial', convert_to_tensor(logits, name='logits'), num_samples, seed, output_dtype=dtype)
