"""tf.losses: losses that are added to the collection LOSSES."""
from headrace.tf1 import nn
from headrace.tf1.framework import array, dtypes, graph as graph_lib, math, weights as weights_lib
from headrace.tf1.framework.convert import constant, convert_to_tensor
from headrace.tf1.framework.graph import GraphKeys, control_dependencies, name_scope


class Reduction(object):
    """How the losses of elements become one number."""
    NONE = 'none'
    SUM = 'weighted_sum'
    SUM_OVER_BATCH_SIZE = 'weighted_sum_over_batch_size'
    MEAN = 'weighted_mean'
    SUM_BY_NONZERO_WEIGHTS = 'weighted_sum_by_nonzero_weights'
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls):
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key):
        if key not in cls.all():
            raise ValueError('Invalid Reduction Key %s.' % key)


_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    if loss_collection:
        graph_lib.add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=GraphKeys.LOSSES):
    return graph_lib.get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    return graph_lib.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope=None, name='total_regularization_loss'):
    losses = get_regularization_losses(scope)
    return math.add_n(losses, name=name) if losses else constant(0.0)


def get_total_loss(add_regularization_losses=True, name='total_loss', scope=None):
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    return math.add_n(losses, name=name)


def _safe_mean(losses, count):
    return math.div_no_nan(math.reduce_sum(losses), count, name='value')


def _num_elements(losses):
    with name_scope(None, 'num_elements', [losses]) as scope:
        return math.cast(array.size(losses, name=scope), dtype=losses.dtype)


def _num_present(losses, weights, per_batch=False):
    if isinstance(weights, float) and weights != 0.0:
        return _num_elements(losses)
    with name_scope(None, 'num_present', [losses]) as scope:
        weights = math.cast(weights, dtypes.float32)
        present = array.where(math.equal(weights, 0.0), array.zeros_like(weights), array.ones_like(weights))
        present = weights_lib.broadcast_weights(present, losses)
        if per_batch:
            return math.reduce_sum(present, axis=math.range(1, array.rank(present)), keepdims=True, name=scope)
        return math.reduce_sum(present, name=scope)


def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    """Weights the losses of elements and reduces them. Shapes: losses any, weights a scalar or as the losses with 1 where they repeat."""
    Reduction.validate(reduction)
    with name_scope(scope, 'weighted_loss', [v for v in (losses, weights) if hasattr(v, 'graph')]):
        with control_dependencies([weights_lib.assert_broadcastable(weights, losses)]):
            losses = convert_to_tensor(losses)
            dtype = losses.dtype
            losses, weights = math.cast(losses, dtypes.float32), math.cast(weights, dtypes.float32)
            weighted = math.multiply(losses, weights)
            if reduction == Reduction.NONE:
                loss = weighted
            else:
                loss = math.reduce_sum(weighted)
                if reduction == Reduction.MEAN:
                    loss = _safe_mean(loss, math.reduce_sum(array.ones_like(losses) * weights))
                elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
                    loss = _safe_mean(loss, _num_present(losses, weights))
                elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                    loss = _safe_mean(loss, _num_elements(losses))
            loss = math.cast(loss, dtype)
            add_loss(loss, loss_collection)
            return loss


def _given(**values):
    for name, value in values.items():
        if value is None:
            raise ValueError('%s must not be None.' % name)


def _graphs(*values):
    return [v for v in values if hasattr(v, 'graph')]


def _floats(predictions, labels):
    predictions, labels = math.cast(predictions, dtypes.float32), math.cast(labels, dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels


def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _given(labels=labels, predictions=predictions)
    with name_scope(scope, 'absolute_difference', _graphs(predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = math.abs(math.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _given(labels=labels, predictions=predictions)
    with name_scope(scope, 'mean_squared_error', _graphs(predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = math.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT,
                    dim=None):
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    _given(labels=labels, predictions=predictions)
    with name_scope(scope, 'cosine_distance_loss', _graphs(predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = 1 - math.reduce_sum(math.multiply(predictions, labels), axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _given(labels=labels, logits=logits)
    with name_scope(scope, 'hinge_loss', _graphs(logits, labels, weights)) as scope:
        logits, labels = _floats(logits, labels)
        ones = array.ones_like(labels)
        labels = math.subtract(2 * labels, ones)
        losses = nn.relu(math.subtract(ones, math.multiply(labels, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _given(labels=labels, predictions=predictions)
    with name_scope(scope, 'huber_loss', _graphs(predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        error = math.abs(math.subtract(predictions, labels))
        quadratic = math.minimum(error, delta)
        linear = math.subtract(error, quadratic)
        half = convert_to_tensor(0.5, dtype=quadratic.dtype)
        losses = math.add(math.multiply(half, math.multiply(quadratic, quadratic)), math.multiply(delta, linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _given(labels=labels, predictions=predictions)
    with name_scope(scope, 'log_loss', _graphs(predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = -math.multiply(labels, math.log(predictions + epsilon)) - math.multiply(
            (1 - labels), math.log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES):
    _given(labels=labels, predictions=predictions)
    with name_scope(scope, 'mean_pairwise_squared_error', _graphs(predictions, labels, weights)) as scope:
        weights, labels = math.cast(weights, dtypes.float32), math.cast(labels, dtypes.float32)
        with control_dependencies([weights_lib.assert_broadcastable(weights, labels)]):
            predictions = math.cast(predictions, dtypes.float32)
            predictions.shape.assert_is_compatible_with(labels.shape)
            diffs = math.subtract(predictions, labels)
            axis = math.range(1, array.rank(diffs))
            squares = math.reduce_sum(math.square(diffs), axis=axis, keepdims=True)
            count = _num_present(diffs, weights, per_batch=True)
            term1 = 2.0 * math.div_no_nan(squares, math.maximum(count - 1, 0), name='value')
            total = math.reduce_sum(diffs, axis=axis, keepdims=True)
            term2 = 2.0 * math.div_no_nan(math.square(total), math.maximum(math.multiply(count, count - 1), 0), name='value')
            weighted = math.multiply(term1 - term2, weights)
            loss = math.reduce_sum(weighted)
            mean = array.where(math.reduce_sum(count) > 0, loss, array.zeros_like(loss), name='value')
            add_loss(mean, loss_collection)
            return mean


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=GraphKeys.LOSSES,
                          reduction=_DEFAULT):
    _given(multi_class_labels=multi_class_labels, logits=logits)
    with name_scope(scope, 'sigmoid_cross_entropy_loss', _graphs(logits, multi_class_labels, weights)) as scope:
        logits = convert_to_tensor(logits)
        labels = math.cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=GraphKeys.LOSSES,
                          reduction=_DEFAULT):
    _given(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope, 'softmax_cross_entropy_loss', _graphs(logits, onehot_labels, weights)) as scope:
        logits = convert_to_tensor(logits)
        labels = math.cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            classes = math.cast(array.shape(labels)[-1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        labels = array.stop_gradient(labels, name='labels_stop_gradient')
        losses = nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _given(labels=labels, logits=logits)
    with name_scope(scope, 'sparse_softmax_cross_entropy_loss', _graphs(logits, labels, weights)) as scope:
        labels, logits = weights_lib.remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        weights = convert_to_tensor(weights)
        if labels.shape.rank is not None and weights.shape.rank is not None and weights.shape.rank - labels.shape.rank == 1:
            weights = array.squeeze(weights, [-1])
        losses = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
