"""tf.metrics: values over all batches since their local variables were initialised, each with an op that takes in one more batch."""
from headrace.tf1.framework import array, convert, dtypes, graph as graph_lib, math, variable_scope as vs, weights as weights_lib
from headrace.tf1.framework.convert import convert_to_tensor
from headrace.tf1.framework.graph import GraphKeys, control_dependencies
from headrace.tf1.framework.variables import Variable

_EPSILON = 1e-7


def _variable(shape, dtype, name):
    return Variable(lambda: array.zeros(shape, dtype), trainable=False, name=name, validate_shape=True,
                    collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES])


def _scope(name, default, values):
    return vs.variable_scope(name, default, [v for v in values if hasattr(v, 'graph')])


def _collect(value, update, metrics_collections, updates_collections):
    if metrics_collections:
        graph_lib.add_to_collections(metrics_collections, value)
    if updates_collections:
        graph_lib.add_to_collections(updates_collections, update)
    return value, update


def _squeeze(predictions, labels, weights):
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = weights_lib.remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    rank, own = predictions.shape.rank, weights.shape.rank
    if rank is not None and own is not None and own != 0:
        if own - rank == 1:
            weights = array.squeeze(weights, [-1])
        elif rank - own == 1:
            weights = array.expand_dims(weights, [-1])
    return predictions, labels, weights


def _ratio(numerator, denominator, name):
    return math.div_no_nan(numerator, math.maximum(denominator, 0), name=name)


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """(mean so far, op that takes in `values` and gives the new mean)"""
    with _scope(name, 'mean', (values, weights)):
        values = math.cast(values, dtypes.float32)
        total, count = _variable([], dtypes.float32, 'total'), _variable([], dtypes.float32, 'count')
        if weights is None:
            number = math.cast(array.size(values), dtypes.float32)
        else:
            values, _, weights = _squeeze(values, None, weights)
            weights = weights_lib.broadcast_weights(math.cast(weights, dtypes.float32), values)
            values = math.multiply(values, weights)
            number = math.reduce_sum(weights)
        update_total = total.assign_add(math.reduce_sum(values))
        with control_dependencies([values]):
            update_count = count.assign_add(number)
        return _collect(_ratio(total, count, 'value'), _ratio(update_total, update_count, 'update_op'), metrics_collections,
                        updates_collections)


def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How often predictions equal labels."""
    predictions, labels, weights = _squeeze(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = math.cast(predictions, labels.dtype)
    is_correct = math.cast(math.equal(predictions, labels), dtypes.float32)
    return mean(is_correct, weights, metrics_collections, updates_collections, name or 'accuracy')


def _error(function, default):
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        predictions, labels, weights = _squeeze(predictions, labels, weights)
        predictions, labels = math.cast(predictions, dtypes.float32), math.cast(labels, dtypes.float32)
        return mean(function(labels, predictions), weights, metrics_collections, updates_collections, name or default)
    metric.__name__ = default
    return metric


mean_absolute_error = _error(lambda labels, predictions: math.abs(predictions - labels), 'mean_absolute_error')
mean_squared_error = _error(lambda labels, predictions: math.squared_difference(labels, predictions), 'mean_squared_error')


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None):
    predictions, labels, weights = _squeeze(predictions, labels, weights)
    predictions, normalizer = weights_lib.remove_squeezable_dimensions(predictions, normalizer)
    errors = array.where(math.equal(normalizer, 0.0), array.zeros_like(labels), math.div(math.abs(labels - predictions), normalizer))
    return mean(errors, weights, metrics_collections, updates_collections, name or 'mean_relative_error')


def mean_cosine_distance(labels, predictions, dim, weights=None, metrics_collections=None, updates_collections=None, name=None):
    predictions, labels, weights = _squeeze(predictions, labels, weights)
    radial = math.reduce_sum(math.multiply(predictions, labels), axis=[dim], keepdims=True)
    distance, update = mean(radial, weights, None, None, name or 'mean_cosine_distance')
    return _collect(math.subtract(1.0, distance), math.subtract(1.0, update), metrics_collections, updates_collections)


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    mse, update = mean_squared_error(labels, predictions, weights, None, None, name or 'root_mean_squared_error')
    return _collect(math.sqrt(mse), math.sqrt(update), metrics_collections, updates_collections)


def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    with _scope(name, 'mean', (values, weights)):
        values = math.cast(values, dtypes.float32)
        total = _variable(values.shape, dtypes.float32, 'total_tensor')
        count = _variable(values.shape, dtypes.float32, 'count_tensor')
        number = array.ones_like(values)
        if weights is not None:
            values, _, weights = _squeeze(values, None, weights)
            weights = weights_lib.broadcast_weights(math.cast(weights, dtypes.float32), values)
            values, number = math.multiply(values, weights), math.multiply(number, weights)
        update_total = total.assign_add(values)
        with control_dependencies([values]):
            update_count = count.assign_add(number)
        return _collect(_ratio(total, count, 'value'), _ratio(update_total, update_count, 'update_op'), metrics_collections,
                        updates_collections)


def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    below = math.cast(math.less(values, threshold), dtypes.float32)
    return mean(below, weights, metrics_collections, updates_collections, name or 'percentage_below_threshold')


# ---- counts

def _count_condition(values, weights=None, metrics_collections=None, updates_collections=None):
    count = _variable([], dtypes.float32, 'count')
    values = math.cast(values, dtypes.float32)
    if weights is not None:
        with control_dependencies([]):
            weights = math.cast(weights, dtypes.float32)
            values = math.multiply(values, weights)
    value = array.identity(count)
    return _collect(value, count.assign_add(math.reduce_sum(values)), metrics_collections, updates_collections)


def _count(default, condition):
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _scope(name, default, (predictions, labels, weights)):
            predictions, labels, weights = _squeeze(math.cast(predictions, dtypes.bool), math.cast(labels, dtypes.bool), weights)
            hit = math.logical_and(math.equal(labels, condition[0]), math.equal(predictions, condition[1]))
            return _count_condition(hit, weights, metrics_collections, updates_collections)
    metric.__name__ = default
    return metric


true_positives, false_negatives = _count('true_positives', (True, True)), _count('false_negatives', (True, False))
false_positives, true_negatives = _count('false_positives', (False, True)), _count('true_negatives', (False, False))


def precision(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """True positives among what was predicted positive."""
    with _scope(name, 'precision', (predictions, labels, weights)):
        predictions, labels, weights = _squeeze(math.cast(predictions, dtypes.bool), math.cast(labels, dtypes.bool), weights)
        tp, tp_update = true_positives(labels, predictions, weights)
        fp, fp_update = false_positives(labels, predictions, weights)

        def compute(a, b, scope):
            return array.where(math.greater(a + b, 0), math.div(a, a + b), 0, scope)
        return _collect(compute(tp, fp, 'value'), compute(tp_update, fp_update, 'update_op'), metrics_collections, updates_collections)


def recall(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """True positives among what is positive."""
    with _scope(name, 'recall', (predictions, labels, weights)):
        predictions, labels, weights = _squeeze(math.cast(predictions, dtypes.bool), math.cast(labels, dtypes.bool), weights)
        tp, tp_update = true_positives(labels, predictions, weights)
        fn, fn_update = false_negatives(labels, predictions, weights)

        def compute(a, b, scope):
            return array.where(math.greater(a + b, 0), math.div(a, a + b), 0, scope)
        return _collect(compute(tp, fn, 'value'), compute(tp_update, fn_update, 'update_op'), metrics_collections, updates_collections)


def _confusion_at(labels, predictions, thresholds, weights):
    """Variables and updates of tp, fn, tn, fp at each threshold."""
    predictions, labels, weights = _squeeze(math.cast(predictions, dtypes.float32), math.cast(labels, dtypes.bool), weights)
    n = len(thresholds)
    flat_p, flat_l = array.reshape(predictions, [1, -1]), array.reshape(labels, [1, -1])
    thresholds = array.expand_dims(convert.constant(thresholds), [1])
    positive = math.greater(array.tile(flat_p, [n, 1]), array.tile(thresholds, array.stack([1, array.shape(flat_p)[1]])))
    negative = math.logical_not(positive)
    is_true = array.tile(flat_l, [n, 1])
    is_false = math.logical_not(is_true)
    if weights is not None:
        weights = weights_lib.broadcast_weights(math.cast(weights, dtypes.float32), predictions)
        weights = array.tile(array.reshape(weights, [1, -1]), [n, 1])
    values, updates = {}, {}
    for name, pair in (('true_positives', (is_true, positive)), ('false_negatives', (is_true, negative)),
                       ('true_negatives', (is_false, negative)), ('false_positives', (is_false, positive))):
        variable = _variable([n], dtypes.float32, name)
        hit = math.cast(math.logical_and(*pair), dtypes.float32)
        if weights is not None:
            hit = hit * weights
        values[name], updates[name] = variable, variable.assign_add(math.reduce_sum(hit, 1))
    return values, updates


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None, curve='ROC', name=None,
        summation_method='trapezoidal', thresholds=None):
    """Area under the curve of true against false positives (or of precision against recall with curve "PR")."""
    if curve not in ('ROC', 'PR'):
        raise ValueError('curve must be either ROC or PR, %s unknown' % curve)
    if summation_method not in ('trapezoidal', 'minoring', 'majoring', 'careful_interpolation'):
        raise ValueError('Invalid summation_method: %s' % summation_method)
    with _scope(name, 'auc', (labels, predictions, weights)):
        if thresholds is None:
            thresholds = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        points = [0.0 - _EPSILON] + sorted(thresholds) + [1.0 + _EPSILON]
        values, updates = _confusion_at(labels, predictions, points, weights)

        def compute(v, scope):
            tp, fn, tn, fp = v['true_positives'], v['false_negatives'], v['true_negatives'], v['false_positives']
            rec = math.div(tp + _EPSILON, tp + fn + _EPSILON)
            if curve == 'ROC':
                x, y = math.div(fp, fp + tn + _EPSILON), rec
            else:
                x, y = rec, math.div(tp + _EPSILON, tp + fp + _EPSILON)
            n = len(points)
            if summation_method in ('trapezoidal', 'careful_interpolation'):
                height = (y[:n - 1] + y[1:]) / 2.
            elif summation_method == 'minoring':
                height = math.minimum(y[:n - 1], y[1:])
            else:
                height = math.maximum(y[:n - 1], y[1:])
            return math.reduce_sum(math.multiply(x[:n - 1] - x[1:], height), name=scope)
        return _collect(compute(values, 'value'), compute(updates, 'update_op'), metrics_collections, updates_collections)


def _at_thresholds(default, formula):
    def metric(labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _scope(name, default, (predictions, labels, weights)):
            values, updates = _confusion_at(labels, predictions, list(thresholds), weights)
            return _collect(formula(values, 'value'), formula(updates, 'update_op'), metrics_collections, updates_collections)
    metric.__name__ = default
    return metric


precision_at_thresholds = _at_thresholds('precision_at_thresholds', lambda v, name: math.div(
    v['true_positives'], _EPSILON + v['true_positives'] + v['false_positives'], name='precision_' + name))
recall_at_thresholds = _at_thresholds('recall_at_thresholds', lambda v, name: math.div(
    v['true_positives'], _EPSILON + v['true_positives'] + v['false_negatives'], name='recall_' + name))


def mean_per_class_accuracy(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    with _scope(name, 'mean_accuracy', (predictions, labels, weights)):
        labels = array.reshape(math.cast(labels, dtypes.int64), [-1])
        predictions = array.reshape(math.cast(predictions, dtypes.int64), [-1])
        total, count = _variable([num_classes], dtypes.float32, 'total'), _variable([num_classes], dtypes.float32, 'count')
        ones = array.ones([array.size(labels)], dtypes.float32)
        correct = math.cast(math.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = array.reshape(math.cast(weights, dtypes.float32), [-1])
            ones, correct = ones * weights, correct * weights
        from headrace.tf1.framework.convert import apply_op
        update_total = apply_op('ScatterAdd', total, labels, ones, use_locking=False)
        update_count = apply_op('ScatterAdd', count, labels, correct, use_locking=False)
        value = math.reduce_mean(math.div_no_nan(count, total), name='mean_accuracy')
        return _collect(value, math.div_no_nan(update_count, update_total, name='update_op'), metrics_collections, updates_collections)


def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Mean over the classes of intersection over union."""
    with _scope(name, 'mean_iou', (predictions, labels, weights)):
        labels = array.reshape(math.cast(labels, dtypes.int64), [-1])
        predictions = array.reshape(math.cast(predictions, dtypes.int64), [-1])
        matrix = _variable([num_classes, num_classes], dtypes.float64, 'total_confusion_matrix')
        weights = None if weights is None else array.reshape(weights, [-1])
        current = confusion_matrix(labels, predictions, num_classes, dtype=dtypes.float64, weights=weights)
        update = matrix.assign_add(current)
        rows = math.cast(math.reduce_sum(matrix, 0), dtypes.float32)
        columns = math.cast(math.reduce_sum(matrix, 1), dtypes.float32)
        from headrace.tf1.framework.convert import apply_op
        diagonal = math.cast(apply_op('MatrixDiagPart', matrix), dtypes.float32)
        union = rows + columns - diagonal
        valid = math.reduce_sum(math.cast(math.not_equal(union, 0), dtypes.float32))
        union = array.where(math.greater(union, 0), union, array.ones_like(union))
        iou = math.div(diagonal, union)
        value = array.where(math.greater(valid, 0), math.div(math.reduce_sum(iou), valid, name='mean_iou'), 0)
        return _collect(value, update, metrics_collections, updates_collections)


def confusion_matrix(labels, predictions, num_classes=None, dtype=dtypes.int32, name=None, weights=None):
    """[classes, classes]: how often each label (row) was predicted as each class (column)."""
    with graph_lib.name_scope(name, 'confusion_matrix'):
        labels, predictions = weights_lib.remove_squeezable_dimensions(convert_to_tensor(labels, name='labels'),
                                                                       convert_to_tensor(predictions, name='predictions'))
        predictions, labels = math.cast(predictions, dtypes.int64), math.cast(labels, dtypes.int64)
        if num_classes is None:
            num_classes = math.maximum(math.reduce_max(predictions), math.reduce_max(labels)) + 1
        else:
            num_classes = math.cast(num_classes, dtypes.int64)
        shape = array.stack([num_classes, num_classes])
        indices = array.stack([labels, predictions], axis=1)
        values = array.ones_like(predictions, dtype) if weights is None else math.cast(weights, dtype)
        return array.scatter_nd(indices, values, shape)


