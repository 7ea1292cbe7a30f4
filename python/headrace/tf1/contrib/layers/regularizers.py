"""Penalties on weights: functions of a variable that give a scalar, for `weights_regularizer=` of layers."""
import numbers

from headrace.tf1 import logging, nn
from headrace.tf1.framework import convert, graph as graph_lib, math
from headrace.tf1.framework.graph import GraphKeys


def _scaled(scale, scope, default, name, end, penalty):
    """A regularizer scale * penalty(weights); none for scale 0."""
    if isinstance(scale, numbers.Integral):
        raise ValueError('%s cannot be an integer: %s' % (name, scale))
    if isinstance(scale, numbers.Real):
        if scale < 0.:
            raise ValueError('Setting a scale less than 0 on a regularizer: %g%s' % (scale, end))
        if scale == 0.:
            logging.info('Scale of 0 disables regularizer.')
            return lambda _: None

    def regularizer(weights, name=None):
        with graph_lib.name_scope(scope, default, [weights]) as name:
            factor = convert.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name='scale')
            return math.multiply(factor, penalty(weights), name=name)
    return regularizer


def l1_regularizer(scale, scope=None):
    """scale * sum(|weights|). ValueError for an integer or a negative scale."""
    return _scaled(scale, scope, 'l1_regularizer', 'scale', '', lambda weights: math.reduce_sum(math.abs(weights)))


def l2_regularizer(scale, scope=None):
    """scale * sum(weights^2) / 2. ValueError for an integer or a negative scale."""
    return _scaled(scale, scope, 'l2_regularizer', 'scale', '.', nn.l2_loss)


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """The sum of both."""
    for name, scale in (('scale_l1', scale_l1), ('scale_l2', scale_l2)):
        if isinstance(scale, numbers.Integral):
            raise ValueError('%s cannot be an integer: %s' % (name, scale))
    scope = scope or 'l1_l2_regularizer'
    if scale_l1 == 0.:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(regularizer_list, scope=None):
    """The sum of regularizers; None entries count nothing."""
    regularizers = [regularizer for regularizer in regularizer_list if regularizer is not None]
    if not regularizers:
        return None

    def regularizer(weights):
        with graph_lib.name_scope(scope, 'sum_regularizer', [weights]) as name:
            penalties = [penalty for penalty in (one(weights) for one in regularizers) if penalty is not None]
            return math.add_n(penalties, name=name) if penalties else None
    return regularizer


def apply_regularization(regularizer, weights_list=None):
    """The sum of the penalties on all weights (default the collection WEIGHTS), put into REGULARIZATION_LOSSES.

    Errors: ValueError without weights, and for a regularizer that gives no scalar.
    """
    weights = weights_list or graph_lib.get_collection(GraphKeys.WEIGHTS)
    if not weights:
        raise ValueError('No weights to regularize.')
    with graph_lib.name_scope('get_regularization_penalty', values=weights) as scope:
        penalties = [regularizer(w) for w in weights]
        penalties = [convert.constant(0.0) if penalty is None else penalty for penalty in penalties]
        for penalty in penalties:
            if penalty.get_shape().ndims != 0:
                raise ValueError('regularizer must return a scalar Tensor instead of a Tensor with rank %d.' % penalty.get_shape().ndims)
        total = math.add_n(penalties, name=scope)
        graph_lib.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total
