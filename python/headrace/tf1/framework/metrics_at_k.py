"""Metrics of the k best predictions (tf.metrics.precision_at_k and its relatives): labels and predictions are sets of classes.

Labels are int64 class ids: [D1, ..., DN, number of labels], dense or a SparseTensor, or [D1, ..., DN] with one label each. Predictions are
[D1, ..., DN, number of classes], or for the `_top_k` forms the ids of the k best classes.
"""
from headrace.tf1 import nn, sets
from headrace.tf1.framework import array, control_flow, dtypes, math, sparse, weights as weights_lib
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.graph import control_dependencies, name_scope
from headrace.tf1.framework.metric_values import collect, variable
from headrace.tf1.framework.sparse import SparseTensor, convert_to_tensor_or_sparse_tensor


def _scope(name, default, values):
    return name_scope(name, default, [v for v in values if hasattr(v, 'graph')])


def _named(what, k, class_id=None):
    return '%s_at_%s%s' % (what, 'k' if k is None else '%d' % k, '' if class_id is None else '_class%d' % class_id)


# ---- labels

def _with_set_dimension(labels, predictions):
    """Labels with a last dimension for the sets, which labels of one class each lack."""
    with _scope(None, 'expand_labels', (labels, predictions)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            lacks = math.equal(array.rank(predictions), array.size(labels.dense_shape) + 1)
            return control_flow.cond(
                lacks, lambda: sparse.sparse_reshape(labels, array.concat([labels.dense_shape, [1]], 0), name=scope), lambda: labels)
        have, want = labels.shape.rank, predictions.shape.rank
        if have is None or want is None:
            return control_flow.cond(math.equal(array.rank(predictions), array.rank(labels) + 1),
                                     lambda: array.expand_dims(labels, -1, name=scope), lambda: labels)
        if have == want:
            return labels
        if have + 1 == want:
            return array.expand_dims(labels, -1, name=scope)
        raise ValueError('Unexpected labels shape %s for predictions shape %s.' % (labels.shape, predictions.shape))


def _of_class(ids, class_id):
    """Only that class of each set."""
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return sparse.sparse_retain(ids, math.equal(ids.values, class_id))
    shape = array.shape(ids, out_type=dtypes.int64)
    last = array.size(shape) - 1
    filled = array.fill(_with_ones(shape, array.reshape(last, [1])), math.cast(class_id, dtypes.int64))
    found = sets.set_intersection(filled, ids)
    return SparseTensor(found.indices, found.values, shape)


def _with_ones(shape, axes):
    """The shape with size 1 along the axes."""
    shape, axes = math.cast(shape, dtypes.int32), math.cast(axes, dtypes.int32)
    rank = array.size(shape)
    axes = (axes + rank) % rank
    ones_shape = array.shape(axes)
    return apply_op('DynamicStitch', [math.range(rank), axes], [shape, array.fill(ones_shape, 1)])


def _weighted(count, weights):
    count = math.cast(count, dtypes.float64)
    if weights is None:
        return count
    with control_dependencies([weights_lib.assert_broadcastable(weights, count)]):
        return math.multiply(count, math.cast(weights, dtypes.float64))


# ---- counts

# What is counted -> which labels and predictions make it.
_SETS = {
    'true_positive': lambda predicted, labels: sets.set_intersection(predicted, labels),
    'false_positive': lambda predicted, labels: sets.set_difference(predicted, labels, aminusb=True),
    'false_negative': lambda predicted, labels: sets.set_difference(predicted, labels, aminusb=False),
}


def _counted(kind, labels, predicted, class_id=None, weights=None, name=None):
    """How many of each set's ids are of that kind."""
    with _scope(name, kind + 's', (predicted, labels, weights)):
        if class_id is not None:
            labels, predicted = _of_class(labels, class_id), _of_class(predicted, class_id)
        return _weighted(sets.set_size(_SETS[kind](predicted, labels)), weights)


def _count(kind, labels, predicted, k, class_id, weights):
    """(variable with the number so far, op that adds the batch's)"""
    with _scope(None, _named(kind, k, class_id), (predicted, labels, weights)) as scope:
        number = _counted(kind, labels, predicted, class_id, weights)
        total = math.cast(math.reduce_sum(number), dtypes.float64)
        so_far = variable([], dtypes.float64, scope)
        return so_far, apply_op('AssignAdd', so_far, total, use_locking=False, name='update')


def _share(what, other):
    """The metric true positives / (true positives + `other`): of given ids, and of the best k predictions."""
    def at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _scope(name, _named(what, k, class_id), (predictions_idx, labels, weights)) as scope:
            labels = _with_set_dimension(labels, predictions_idx)
            ids = math.cast(predictions_idx, dtypes.int64)
            right, right_update = _count('true_positive', labels, ids, k, class_id, weights)
            wrong, wrong_update = _count(other, labels, ids, k, class_id, weights)
            value = math.div(right, math.add(right, wrong), name=scope)
            update = math.div(right_update, math.add(right_update, wrong_update), name='update')
            return collect(value, update, metrics_collections, updates_collections)

    def at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _scope(name, _named(what, k, class_id), (predictions, labels, weights)) as scope:
            _, ids = nn.top_k(predictions, k)
            return at_top_k(labels, ids, k, class_id, weights, metrics_collections, updates_collections, scope)
    at_top_k.__name__, at_k.__name__ = what + '_at_top_k', what + '_at_k'
    at_top_k.__doc__ = '(%s of the classes `predictions_idx` so far, op that takes in a batch). `class_id`: of that class only.' % what
    at_k.__doc__ = '(%s of the k best classes so far, op that takes in a batch). `class_id`: of that class only.' % what
    return at_k, at_top_k


recall_at_k, recall_at_top_k = _share('recall', 'false_negative')
precision_at_k, precision_at_top_k = _share('precision', 'false_positive')
sparse_precision_at_k = precision_at_k


# ---- average precision

def _repeated(labels, k, name):
    """Each set k times: [D1, ..., DN, k, labels]."""
    with _scope(name, 'expand_and_tile', (labels,)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            split = array.reshape(array.size(labels.dense_shape) + -1, [1])
            shape = array.concat([array.slice(labels.dense_shape, [0], split), [1], array.slice(labels.dense_shape, split, [-1])], 0,
                                 name='expanded_shape')
            expanded = sparse.sparse_reshape(labels, shape, name='expand')
            return expanded if k == 1 else sparse.sparse_concat(-2, [expanded] * k, name=scope)
        expanded = array.expand_dims(labels, -2, name='expand')
        if k == 1:
            return expanded
        ones = array.ones_like(array.shape(labels))
        return array.tile(expanded, array.concat([ones[:-1], (k,), ones[-1:]], 0, name='multiples'), name=scope)


def _number_relevant(labels, k):
    """How many of the k best could be right."""
    with _scope(None, 'num_relevant', (labels,)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return math.minimum(sets.set_size(labels), k, name=scope)
        there = array.where_v2(math.greater_equal(labels, 0), array.ones_like(labels), array.zeros_like(labels))
        return math.minimum(math.reduce_sum(there, axis=-1), k, name=scope)


def _average_precision(labels, predicted):
    """Of each set: the mean of the precisions at those of the k best places that are right."""
    with _scope(None, 'average_precision', (predicted, labels)) as scope:
        predicted = math.cast(predicted, dtypes.int64, name='predictions_idx')
        if predicted.shape.rank == 0:
            raise ValueError('The rank of predictions_idx must be at least 1.')
        k = predicted.shape.as_list()[-1]
        if k is None:
            raise ValueError('The last dimension of predictions_idx must be set.')
        labels = _with_set_dimension(labels, predicted)
        each = array.expand_dims(predicted, -1, name='predictions_idx_per_k')
        relevant = _counted('true_positive', _repeated(labels, k, 'labels_per_k'), each, name='relevant_per_k')
        right = math.cumsum(relevant, axis=-1, name='tp_per_k')
        retrieved = math.cumsum(array.ones_like(relevant), axis=-1, name='retrieved_per_k')
        precision = math.div(math.cast(right, dtypes.float64), math.cast(retrieved, dtypes.float64), name='precision_per_k')
        relevant = math.multiply(precision, math.cast(relevant, dtypes.float64), name='relevant_precision_per_k')
        total = math.reduce_sum(relevant, axis=(-1,), name='precision_sum')
        return math.div(total, math.cast(_number_relevant(labels, k), dtypes.float64), name=scope)


def _known_labels(labels, num_classes):
    """Labels with -1 for ids of no class, which no prediction equals."""
    is_sparse = sparse.is_sparse(labels)

    def clean():
        values = labels.values if is_sparse else labels
        values = array.where_v2(math.greater_equal(values, num_classes), -1 * array.ones_like(values), values)
        return type(labels)(labels.indices, values, labels.dense_shape) if is_sparse else values
    most = math.reduce_max(labels.values if is_sparse else labels)
    return control_flow.cond(math.greater_equal(most, num_classes), clean, lambda: labels)


def _mean_average_precision(labels, predicted, weights, metrics_collections, updates_collections, name):
    with _scope(name, 'average_precision_at_top_k', (predicted, labels, weights)) as scope:
        average = _average_precision(labels, predicted)
        if weights is not None:
            weights = weights_lib.broadcast_weights(math.cast(weights, dtypes.float64), average)
            average = math.multiply(average, weights)
        with _scope(None, 'max', (average,)) as inner:
            most = variable([], dtypes.float64, inner)
            batch = math.cast(array.size(average, name='batch_max'), dtypes.float64) if weights is None else math.reduce_sum(
                weights, name='batch_max')
            most_update = apply_op('AssignAdd', most, batch, use_locking=False, name='update')
        with _scope(None, 'total', (average,)) as inner:
            total = variable([], dtypes.float64, inner)
            total_update = apply_op('AssignAdd', total, math.reduce_sum(average, name='batch_total'), use_locking=False, name='update')
        return collect(math.div_no_nan(total, most, name='mean'), math.div_no_nan(total_update, most_update, name=scope),
                       metrics_collections, updates_collections)


def average_precision_at_k(labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """(mean average precision of the k best classes so far, op that takes in a batch)"""
    if k < 1:
        raise ValueError('Invalid k=%s.' % k)
    with _scope(name, _named('average_precision', k), (predictions, labels, weights)) as scope:
        _, ids = nn.top_k(predictions, k)
        labels = _known_labels(labels, math.cast(array.shape(predictions)[-1], dtypes.int64))
        return _mean_average_precision(labels, ids, weights, metrics_collections, updates_collections, scope)


sparse_average_precision_at_k = average_precision_at_k
