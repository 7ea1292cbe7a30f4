"""Activations, bias, dropout."""
import numbers

from headrace.tf1.framework import array, convert, dtypes, math, random, shapes
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.framework.math import sigmoid


def relu(features, name=None):
    """max(x, 0)"""
    return apply_op('Relu', features, name=name)


def relu6(features, name=None):
    with name_scope(name, 'Relu6', [features]) as scope:
        return apply_op('Relu6', convert_to_tensor(features, name='features'), name=scope)


def elu(features, name=None):
    return apply_op('Elu', features, name=name)


def selu(features, name=None):
    return apply_op('Selu', features, name=name)


def softplus(features, name=None):
    return apply_op('Softplus', features, name=name)


def softsign(features, name=None):
    return apply_op('Softsign', features, name=name)


def leaky_relu(features, alpha=0.2, name=None):
    with name_scope(name, 'LeakyRelu', [features]) as scope:
        features = convert_to_tensor(features, name='features')
        if features.dtype.is_integer:
            features = math.cast(features, dtypes.float32)
        if isinstance(alpha, numbers.Real):
            return apply_op('LeakyRelu', features, alpha=alpha, name=scope)
        return math.maximum(alpha * features, features, name=scope)


def crelu(features, name=None, axis=-1):
    with name_scope(name, 'CRelu', [features]) as scope:
        features = convert_to_tensor(features, name='features')
        c = array.concat([features, -features], axis, name=scope)
        return relu(c)


def swish(features):
    features = convert_to_tensor(features, name='features')
    return features * sigmoid(features)


def relu_layer(x, weights, biases, name=None):
    with name_scope(name, 'relu_layer', [x, weights, biases]) as scope:
        x, weights = convert_to_tensor(x, name='x'), convert_to_tensor(weights, name='weights')
        biases = convert_to_tensor(biases, name='biases')
        return relu(bias_add(math.matmul(x, weights), biases), name=scope)


def xw_plus_b(x, weights, biases, name=None):
    with name_scope(name, 'xw_plus_b', [x, weights, biases]) as scope:
        x, weights = convert_to_tensor(x, name='x'), convert_to_tensor(weights, name='weights')
        biases = convert_to_tensor(biases, name='biases')
        return bias_add(math.matmul(x, weights), biases, name=scope)


def bias_add(value, bias, data_format=None, name=None):
    """Adds a vector to the last dimension (the second with data_format NCHW)."""
    with name_scope(name, 'BiasAdd', [value, bias]) as scope:
        if data_format is not None:
            data_format = 'NCHW' if data_format.startswith('NC') else 'NHWC' if data_format.startswith('N') else data_format
            if data_format not in ('NCHW', 'NHWC'):
                raise ValueError('data_format must be of the form `N...C` or `NC...`')
        value = convert_to_tensor(value, name='input')
        bias = convert_to_tensor(bias, dtype=value.dtype, name='bias')
        return apply_op('BiasAdd', value, bias, data_format=data_format or 'NHWC', name=scope)


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Zeroes elements at random with probability 1 - keep_prob, and scales the others by 1 / keep_prob."""
    if keep_prob is not None:
        if rate is not None:
            raise ValueError("Cannot specify both 'rate' and 'keep_prob'.")
        rate = 1. - keep_prob
    if rate is None:
        raise ValueError('You must provide a rate to dropout.')
    with name_scope(name, 'dropout', [x]):
        x = convert_to_tensor(x, name='x')
        if not x.dtype.is_floating:
            raise ValueError('x has to be a floating point tensor since it\'s going to be scaled. Got a %s tensor instead.' % x.dtype)
        if isinstance(rate, numbers.Real):
            if not 0 <= rate < 1:
                raise ValueError('rate must be a scalar tensor or a float in the range [0, 1), got %g' % rate)
            if rate == 0:
                return x
        rate = convert_to_tensor(rate, dtype=x.dtype, name='rate')
        rate.shape.assert_has_rank(0)
        known = convert.constant_value(rate)
        if known is not None and known == 0:
            return x
        noise_shape = _noise_shape(x, noise_shape)
        numbers_ = random.random_uniform(noise_shape, seed=seed, dtype=x.dtype)
        keep = 1 - rate
        scale = 1 / keep
        mask = numbers_ >= rate
        result = x * scale * math.cast(mask, x.dtype)
        result.set_shape(x.shape)
        return result


def _noise_shape(x, noise_shape):
    if noise_shape is None:
        return array.shape(x)
    try:
        given = shapes.as_shape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    if x.shape.rank is not None and given.rank == x.shape.rank:
        return shapes.TensorShape([a if b is None else b for a, b in zip(x.shape.as_list(), given.as_list())])
    return noise_shape
