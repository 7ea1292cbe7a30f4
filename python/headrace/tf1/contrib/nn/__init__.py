"""tf.contrib.nn: variants of what tf.nn has."""
import numbers

from headrace.tf1 import nn
from headrace.tf1.framework import array, convert, math, random
from headrace.tf1.framework.graph import name_scope


def deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels, dim=-1, name=None):
    """tf.nn.softmax_cross_entropy_with_logits with the logits first."""
    return nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, labels, name=None):
    """tf.nn.sparse_softmax_cross_entropy_with_logits with the logits first."""
    return nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, targets, name=None):
    """tf.nn.sigmoid_cross_entropy_with_logits with the logits first."""
    return nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)


def alpha_dropout(x, keep_prob, noise_shape=None, seed=None, name=None):
    """Dropout that keeps mean and variance of selu's outputs. ValueError for a keep_prob that is not in (0, 1]."""
    with name_scope(name, 'alpha_dropout', [x]):
        x = convert.convert_to_tensor(x, name='x')
        if isinstance(keep_prob, numbers.Real) and not 0 < keep_prob <= 1.:
            raise ValueError('keep_prob must be a scalar tensor or a float in the range (0, 1], got %g' % keep_prob)
        keep_prob = convert.convert_to_tensor(keep_prob, dtype=x.dtype, name='keep_prob')
        keep_prob.get_shape().assert_has_rank(0)
        if convert.constant_value(keep_prob) == 1:
            return x
        dropped = -1.7580993408473766  # what selu gives for minus infinity
        shape = array.shape(x) if noise_shape is None else noise_shape
        drawn = random.random_uniform(shape, seed=seed, dtype=x.dtype)
        kept = math.cast(math.greater_equal(drawn, 1 - keep_prob), x.dtype)
        x = x * kept + dropped * (1 - kept)
        a = (keep_prob + keep_prob * (1 - keep_prob) * dropped ** 2) ** -0.5
        b = -a * dropped * (1 - keep_prob)
        return a * x + b


def __getattr__(name):
    if name in ('conv1d_transpose', 'nth_element'):
        return getattr(nn, name)
    raise AttributeError(name)
