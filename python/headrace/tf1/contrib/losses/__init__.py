"""tf.contrib.losses: the losses of before tf.losses: predictions come first, and weights count whole examples."""
from headrace.tf1 import nn
from headrace.tf1.contrib.framework.arg_scope import add_arg_scope
from headrace.tf1.framework import array, convert, dtypes, graph as graph_lib, math
from headrace.tf1.framework.graph import GraphKeys, name_scope


@add_arg_scope
def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    """Puts a loss into the collection LOSSES."""
    if loss_collection:
        graph_lib.add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=GraphKeys.LOSSES):
    return graph_lib.get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    return graph_lib.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_total_loss(add_regularization_losses=True, name='total_loss'):
    """The sum of all losses."""
    return math.add_n(get_losses() + (get_regularization_losses() if add_regularization_losses else []), name=name)


def _num_present(losses, weights, per_batch=False):
    """How many elements have a weight other than 0: of each example, or in all."""
    rank = weights.get_shape().ndims
    if rank == 0:
        batch = array.reshape(array.slice(array.shape(losses), [0], [1]), [])
        count = math.div(math.cast(array.size(losses), dtypes.float32), math.cast(batch, dtypes.float32))
        count = array.where(math.equal(weights, 0), 0.0, count)
        count = math.multiply(array.ones(array.reshape(batch, [1])), count)
    else:
        nonzero = math.reduce_sum(math.cast(math.not_equal(weights, 0), dtypes.float32), axis=list(range(1, rank)))
        rest = math.reduce_prod(array.slice(array.shape(losses), [rank], [-1]))
        count = math.multiply(nonzero, math.cast(rest, dtypes.float32))
    return count if per_batch else math.reduce_sum(count)


def _scale_losses(losses, weights):
    axes = list(range(max(0, weights.get_shape().ndims), losses.get_shape().ndims))
    return math.reduce_sum(math.multiply(math.reduce_sum(losses, axis=axes), weights))


def compute_weighted_loss(losses, weights=1.0, scope=None):
    """The mean of the losses with a weight other than 0. Shapes: weights a scalar, [batch], or the first dimensions of the losses.

    Errors: ValueError for losses or weights of unknown rank.
    """
    with name_scope(scope, 'weighted_loss', [v for v in (losses, weights) if hasattr(v, 'graph')]):
        losses = convert.convert_to_tensor(losses)
        dtype = losses.dtype
        losses = math.cast(losses, dtypes.float32)
        weights = math.cast(convert.convert_to_tensor(weights), dtypes.float32)
        for name, value in (('losses', losses), ('weights', weights)):
            if value.get_shape().ndims is None:
                raise ValueError('%s.get_shape().ndims cannot be None' % name)
        if weights.get_shape().ndims > 1 and weights.get_shape().dims[-1].is_compatible_with(1):
            weights = array.squeeze(weights, [-1])
        total = _scale_losses(losses, weights)
        present = _num_present(losses, weights)
        mean = math.div_no_nan(math.reduce_sum(total), present, name='value')
        mean = math.cast(mean, dtype)
        add_loss(mean)
        return mean


def _given(*values):
    return [value for value in values if hasattr(value, 'graph')]


def _floats(predictions, labels):
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return math.cast(predictions, dtypes.float32), math.cast(labels, dtypes.float32)


def absolute_difference(predictions, labels=None, weights=1.0, scope=None):
    with name_scope(scope, 'absolute_difference', _given(predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(math.abs(math.subtract(predictions, labels)), weights, scope=scope)


def mean_squared_error(predictions, labels=None, weights=1.0, scope=None):
    with name_scope(scope, 'mean_squared_error', _given(predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        return compute_weighted_loss(math.squared_difference(predictions, labels), weights, scope=scope)


def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None):
    with name_scope(scope, 'sigmoid_cross_entropy_loss', _given(logits, multi_class_labels, weights)) as scope:
        logits.get_shape().assert_is_compatible_with(multi_class_labels.get_shape())
        labels = math.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None):
    with name_scope(scope, 'softmax_cross_entropy_loss', _given(logits, onehot_labels, weights)) as scope:
        logits.get_shape().assert_is_compatible_with(onehot_labels.get_shape())
        labels = math.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            classes = math.cast(array.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        losses = nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None):
    with name_scope(scope, 'sparse_softmax_cross_entropy_loss', _given(logits, labels, weights)) as scope:
        labels = array.reshape(labels, shape=[array.shape(labels)[0]])
        losses = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None):
    with name_scope(scope, 'log_loss', _given(predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = -math.multiply(labels, math.log(predictions + epsilon)) - math.multiply(
            1 - labels, math.log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope=scope)


def hinge_loss(logits, labels=None, scope=None):
    """The losses of elements, not reduced."""
    with name_scope(scope, 'hinge_loss', _given(logits, labels)):
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        labels = math.cast(labels, dtypes.float32)
        ones = array.ones_like(labels)
        labels = math.subtract(2 * labels, ones)
        return nn.relu(math.subtract(ones, math.multiply(labels, logits)))


def mean_pairwise_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """How differently pairs of elements of an example differ in predictions and labels."""
    with name_scope(scope, 'mean_pairwise_squared_error', _given(predictions, labels, weights)):
        predictions, labels = _floats(predictions, labels)
        weights = math.cast(convert.convert_to_tensor(weights), dtypes.float32)
        diffs = math.subtract(predictions, labels)
        for name, value in (('diffs', diffs), ('weights', weights)):
            if value.get_shape().ndims is None:
                raise ValueError('%s.get_shape().ndims cannot be None' % name)
        axes = list(range(1, diffs.get_shape().ndims))
        squares = math.reduce_sum(math.square(diffs), axis=axes)
        count = _num_present(diffs, weights, per_batch=True)
        first = 2.0 * math.div_no_nan(squares, count, name='value')
        total = math.reduce_sum(diffs, axis=axes)
        second = 2.0 * math.div_no_nan(math.square(total), math.square(count), name='value')
        loss = _scale_losses(first - second, weights)
        mean = array.where(math.reduce_sum(count) > 0, loss, array.zeros_like(loss), name='value')
        add_loss(mean)
        return mean


def cosine_distance(predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None):
    """1 - cosine of vectors of length 1 along `axis`. ValueError without axis."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with name_scope(scope, 'cosine_distance_loss', _given(predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = 1 - math.reduce_sum(math.multiply(predictions, labels), axis=[axis])
        return compute_weighted_loss(losses, weights, scope=scope)
