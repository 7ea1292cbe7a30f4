"""tf.metrics: values over all batches since their local variables were initialised, each with an op that takes in one more batch."""
from headrace.tf1 import logging
from headrace.tf1.framework import (array, checks, control, control_flow, dtypes, graph as graph_lib, linalg, math, sparse, state,
                                    variable_scope as vs, weights as weights_lib)
from headrace.tf1.framework.convert import constant, convert_to_tensor
from headrace.tf1.framework.graph import control_dependencies
from headrace.tf1.framework.metric_values import collect as _collect, ratio as _ratio, variable as _variable
from headrace.tf1.framework.metrics_at_k import (  # noqa: F401
    average_precision_at_k, precision_at_k, precision_at_top_k, recall_at_k, recall_at_top_k, sparse_average_precision_at_k,
    sparse_precision_at_k)

_EPSILON = 1e-7


def _scope(name, default, values):
    return vs.variable_scope(name, default, [v for v in values if hasattr(v, 'graph')])


def _squeeze(predictions, labels, weights):
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = weights_lib.remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    rank, own = predictions.shape.rank, weights.shape.rank
    if own == 0:
        return predictions, labels, weights
    if rank is not None and own is not None:
        if own - rank == 1:
            weights = array.squeeze(weights, [-1])
        elif rank - own == 1:
            weights = array.expand_dims(weights, [-1])
        return predictions, labels, weights
    # Ranks that are only known when the graph runs.
    weights_rank = array.rank(weights)
    difference = weights_rank - array.rank(predictions)
    can_squeeze = own is None or weights.shape.dims[-1].is_compatible_with(1)

    def expand():
        return control_flow.cond(math.equal(difference, -1), lambda: array.expand_dims(weights, [-1]), lambda: weights)

    def adjust():
        return control_flow.cond(math.equal(difference, 1), lambda: array.squeeze(weights, [-1]) if can_squeeze else weights, expand)
    return predictions, labels, control_flow.cond(math.equal(weights_rank, 0), lambda: weights, adjust)


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
    predictions.shape.assert_is_compatible_with(labels.shape)
    if labels.dtype != predictions.dtype:
        predictions = math.cast(predictions, labels.dtype)
    is_correct = math.cast(math.equal(predictions, labels), dtypes.float32)
    return mean(is_correct, weights, metrics_collections, updates_collections, name or 'accuracy')


def _error(function, default):
    def metric(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        predictions, labels, weights = _squeeze(predictions, labels, weights)
        return mean(function(labels, predictions), weights, metrics_collections, updates_collections, name or default)
    metric.__name__ = default
    return metric


mean_absolute_error = _error(lambda labels, predictions: math.abs(predictions - labels), 'mean_absolute_error')
mean_squared_error = _error(lambda labels, predictions: math.squared_difference(labels, predictions), 'mean_squared_error')


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None):
    predictions, labels, weights = _squeeze(predictions, labels, weights)
    predictions, normalizer = weights_lib.remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    errors = array.where(math.equal(normalizer, 0.0), array.zeros_like(labels), math.div(math.abs(labels - predictions), normalizer))
    return mean(errors, weights, metrics_collections, updates_collections, name or 'mean_relative_error')


def mean_cosine_distance(labels, predictions, dim, weights=None, metrics_collections=None, updates_collections=None, name=None):
    predictions, labels, weights = _squeeze(predictions, labels, weights)
    radial = math.reduce_sum(math.multiply(predictions, labels), axis=[dim], keepdims=True)
    distance, update = mean(radial, weights, None, None, name or 'mean_cosine_distance')
    return _collect(math.subtract(1.0, distance), math.subtract(1.0, update), metrics_collections, updates_collections)


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    predictions, labels, weights = _squeeze(predictions, labels, weights)
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
    checks.assert_type(values, dtypes.bool)
    count = _variable([], dtypes.float32, 'count')
    values = math.cast(values, dtypes.float32)
    if weights is not None:
        with control_dependencies([checks.assert_rank_in(weights, (0, array.rank(values)))]):
            values = math.multiply(values, math.cast(weights, dtypes.float32))
    return _collect(array.identity(count), count.assign_add(math.reduce_sum(values)), metrics_collections, updates_collections)


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


_KINDS = {'tp': ('true_positives', True, True), 'fn': ('false_negatives', True, False), 'tn': ('true_negatives', False, False),
          'fp': ('false_positives', False, True)}  # name, is the label positive, is the prediction


def _confusion_at(labels, predictions, thresholds, weights, kinds=('tp', 'fn', 'tn', 'fp')):
    """({kind: variable}, {kind: its update}): counts at each threshold."""
    in_range = [check(predictions, math.cast(limit, dtype=predictions.dtype), message='predictions must be in [0, 1]')
                for check, limit in ((checks.assert_greater_equal, 0.0), (checks.assert_less_equal, 1.0))]
    with control_dependencies(in_range):
        predictions, labels, weights = _squeeze(math.cast(predictions, dtypes.float32), math.cast(labels, dtypes.bool), weights)
    n = len(thresholds)
    column, row = array.reshape(predictions, [-1, 1]), array.reshape(math.cast(labels, dtypes.bool), [1, -1])
    count = column.shape.as_list()[0]
    if count is None:
        count = array.shape(column)[0]
    limits = array.tile(array.expand_dims(constant(thresholds), [1]), array.stack([1, count]))
    predicted = {True: math.greater(array.tile(array.transpose(column), [n, 1]), limits)}
    if 'fn' in kinds or 'tn' in kinds:
        predicted[False] = math.logical_not(predicted[True])
    actual = {True: array.tile(row, [n, 1])}
    if 'fp' in kinds or 'tn' in kinds:
        actual[False] = math.logical_not(actual[True])
    if weights is not None:
        weights = weights_lib.broadcast_weights(math.cast(weights, dtypes.float32), predictions)
        weights = array.tile(array.reshape(weights, [1, -1]), [n, 1])
        limits.shape.assert_is_compatible_with(weights.shape)
    values, updates = {}, {}
    for kind in _KINDS:
        if kind not in kinds:
            continue
        name, is_positive, is_predicted = _KINDS[kind]
        values[kind] = _variable([n], dtypes.float32, name)
        hit = math.cast(math.logical_and(actual[is_positive], predicted[is_predicted]), dtypes.float32)
        if weights is not None:
            hit = hit * weights
        updates[kind] = values[kind].assign_add(math.reduce_sum(hit, 1))
    return values, updates


def _pr_area(v, n):
    """Area under precision against recall, with the precision between two thresholds as it follows from counts that grow linearly."""
    tp, fn = v['tp'], v['fn']
    gained = tp[:n - 1] - tp[1:]
    found = tp + v['fp']
    slope = math.div_no_nan(gained, math.maximum(found[:n - 1] - found[1:], 0), name='prec_slope')
    intercept = tp[1:] - math.multiply(slope, found[1:])
    both = math.logical_and(found[:n - 1] > 0, found[1:] > 0)
    ratio = math.div_no_nan(found[:n - 1], math.maximum(found[1:], 0), name='recall_relative_ratio')
    ratio = array.where(both, ratio, array.ones_like(found[1:]))
    parts = math.div_no_nan(slope * (gained + intercept * math.log(ratio)), math.maximum(tp[1:] + fn[1:], 0), name='pr_auc_increment')
    return math.reduce_sum(parts, name='interpolate_pr_auc')


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None, curve='ROC', name=None,
        summation_method='trapezoidal', thresholds=None):
    """Area under the curve of true against false positives (or of precision against recall with curve "PR")."""
    with _scope(name, 'auc', (labels, predictions, weights)):
        if curve not in ('ROC', 'PR'):
            raise ValueError('curve must be either ROC or PR, %s unknown' % curve)
        points = _thresholds(num_thresholds) if thresholds is None else sorted(thresholds)
        points = [0.0 - _EPSILON] + points + [1.0 + _EPSILON]
        n = len(points)
        values, updates = _confusion_at(labels, predictions, points, weights)
        small = 1.0e-6

        def compute(v, scope):
            tp, fn, tn, fp = v['tp'], v['fn'], v['tn'], v['fp']
            if curve == 'PR' and summation_method == 'trapezoidal':
                logging.warning('Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "careful_interpolation" instead.')
            elif curve == 'PR' and summation_method == 'careful_interpolation':
                return _pr_area(v, n)
            y = math.div(tp + small, tp + fn + small)
            if curve == 'ROC':
                x = math.div(fp, fp + tn + small)
            else:
                x, y = y, math.div(tp + small, tp + fp + small)
            if summation_method not in ('trapezoidal', 'careful_interpolation', 'minoring', 'majoring'):
                raise ValueError('Invalid summation_method: %s' % summation_method)
            widths = x[:n - 1] - x[1:]
            if summation_method == 'minoring':
                heights = math.minimum(y[:n - 1], y[1:])
            elif summation_method == 'majoring':
                heights = math.maximum(y[:n - 1], y[1:])
            else:
                heights = (y[:n - 1] + y[1:]) / 2.
            return math.reduce_sum(math.multiply(widths, heights), name=scope)
        return _collect(compute(values, 'value'), compute(updates, 'update_op'), metrics_collections, updates_collections)


def _thresholds(count):
    """The count - 2 that lie evenly inside (0, 1)."""
    return [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]


def _ratio_at_thresholds(default, other, prefix):
    def metric(labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _scope(name, default, (predictions, labels, weights)):
            values, updates = _confusion_at(labels, predictions, thresholds, weights, ('tp', other))

            def compute(v, what):
                return math.div(v['tp'], _EPSILON + v['tp'] + v[other], name=prefix + what)
            return _collect(compute(values, 'value'), compute(updates, 'update_op'), metrics_collections, updates_collections)
    metric.__name__ = default
    return metric


precision_at_thresholds = _ratio_at_thresholds('precision_at_thresholds', 'fp', 'precision_')
recall_at_thresholds = _ratio_at_thresholds('recall_at_thresholds', 'fn', 'recall_')


def _count_at_thresholds(kind):
    def metric(labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with _scope(name, _KINDS[kind][0], (predictions, labels, weights)):
            values, updates = _confusion_at(labels, predictions, thresholds, weights, (kind,))
            return _collect(array.identity(values[kind]), updates[kind], metrics_collections, updates_collections)
    metric.__name__ = _KINDS[kind][0] + '_at_thresholds'
    return metric


true_positives_at_thresholds, false_negatives_at_thresholds = _count_at_thresholds('tp'), _count_at_thresholds('fn')
false_positives_at_thresholds, true_negatives_at_thresholds = _count_at_thresholds('fp'), _count_at_thresholds('tn')


def sensitivity_at_specificity(labels, predictions, specificity, weights=None, num_thresholds=200, metrics_collections=None,
                               updates_collections=None, name=None):
    """Recall at the threshold at which the specificity is nearest to the given one."""
    if specificity < 0 or specificity > 1:
        raise ValueError('`specificity` must be in the range [0, 1].')
    with _scope(name, 'sensitivity_at_specificity', (predictions, labels, weights)):
        points = [0.0 - _EPSILON] + _thresholds(num_thresholds) + [1.0 + _EPSILON]
        values, updates = _confusion_at(labels, predictions, points, weights)

        def compute(v, scope):
            have = math.div(v['tn'], v['tn'] + v['fp'] + _EPSILON)
            at = math.cast(math.argmin(math.abs(have - specificity), 0), dtypes.int32)
            return math.div(v['tp'][at], v['tp'][at] + v['fn'][at] + _EPSILON, scope)
        return _collect(compute(values, 'value'), compute(updates, 'update_op'), metrics_collections, updates_collections)


def specificity_at_sensitivity(labels, predictions, sensitivity, weights=None, num_thresholds=200, metrics_collections=None,
                               updates_collections=None, name=None):
    """Specificity at the highest threshold at which the recall is nearest to the given one."""
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError('`sensitivity` must be in the range [0, 1].')
    with _scope(name, 'specificity_at_sensitivity', (predictions, labels, weights)):
        points = [0.0 - _EPSILON] + _thresholds(num_thresholds) + [1.0 - _EPSILON]
        values, updates = _confusion_at(labels, predictions, points, weights)

        def compute(v, scope):
            have = math.div(v['tp'], v['tp'] + v['fn'] + _EPSILON)
            nearest = math.reduce_min(math.abs(have - sensitivity))
            is_nearest = math.cast(math.equal(math.abs(have - sensitivity), nearest), dtypes.int64)
            at = math.cast(math.argmax(math.cumsum(is_nearest), 0), dtypes.int32)
            return math.div(v['tn'][at], v['tn'][at] + v['fp'][at] + _EPSILON, scope)
        return _collect(compute(values, 'value'), compute(updates, 'update_op'), metrics_collections, updates_collections)


def _flat(x):
    return array.reshape(x, [-1]) if x.shape.rank is not None and x.shape.rank > 1 else x


def mean_per_class_accuracy(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Mean over the classes of how often a label of the class is predicted."""
    with _scope(name, 'mean_accuracy', (predictions, labels, weights)):
        labels = _flat(math.cast(labels, dtypes.int64))
        predictions = _flat(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total, count = _variable([num_classes], dtypes.float32, 'total'), _variable([num_classes], dtypes.float32, 'count')
        ones = array.ones([array.size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = math.cast(predictions, labels.dtype)
        correct = math.cast(math.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = math.cast(_flat(weights), dtypes.float32)
            correct, ones = correct * weights, ones * weights
        update_total, update_count = state.scatter_add(total, labels, ones), state.scatter_add(count, labels, correct)
        value = math.reduce_mean(math.div_no_nan(count, math.maximum(total, 0)), name='mean_accuracy')
        return _collect(value, _ratio(update_count, update_total, 'update_op'), metrics_collections, updates_collections)


def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Mean over the classes of intersection over union."""
    with _scope(name, 'mean_iou', (predictions, labels, weights)):
        predictions.shape.assert_is_compatible_with(labels.shape)
        matrix = _variable([num_classes, num_classes], dtypes.float64, 'total_confusion_matrix')
        predictions, labels = math.cast(predictions, dtypes.int64), math.cast(labels, dtypes.int64)
        num_classes = math.cast(num_classes, dtypes.int64)
        predictions, labels = _flat(predictions), _flat(labels)
        current = confusion_matrix(labels, predictions, num_classes, dtype=dtypes.float64,
                                   weights=None if weights is None else _flat(weights))
        update = matrix.assign_add(current)
        rows = math.cast(math.reduce_sum(matrix, 0), dtypes.float32)
        columns = math.cast(math.reduce_sum(matrix, 1), dtypes.float32)
        diagonal = math.cast(linalg.tensor_diag_part(matrix), dtypes.float32)
        union = rows + columns - diagonal
        present = math.reduce_sum(math.cast(math.not_equal(union, 0), dtypes.float32))
        union = array.where(math.greater(union, 0), union, array.ones_like(union))
        iou = math.div(diagonal, union)
        value = array.where(math.greater(present, 0), math.reduce_sum(iou, name='mean_iou') / present, 0)
        return _collect(value, update, metrics_collections, updates_collections)


def _after(check, tensor):
    return control.with_dependencies([check], tensor)


def confusion_matrix(labels, predictions, num_classes=None, dtype=dtypes.int32, name=None, weights=None):
    """[classes, classes]: how often each label (row) was predicted as each class (column)."""
    with graph_lib.name_scope(name, 'confusion_matrix', [v for v in (predictions, labels) if hasattr(v, 'graph')]):
        labels, predictions = weights_lib.remove_squeezable_dimensions(convert_to_tensor(labels, name='labels'),
                                                                       convert_to_tensor(predictions, name='predictions'))
        predictions, labels = math.cast(predictions, dtypes.int64), math.cast(labels, dtypes.int64)
        labels = _after(checks.assert_non_negative(labels, message='`labels` contains negative values'), labels)
        predictions = _after(checks.assert_non_negative(predictions, message='`predictions` contains negative values'), predictions)
        if num_classes is None:
            num_classes = math.maximum(math.reduce_max(predictions), math.reduce_max(labels)) + 1
        else:
            limit = math.cast(num_classes, dtypes.int64)
            labels = _after(checks.assert_less(labels, limit, message='`labels` out of bound'), labels)
            predictions = _after(checks.assert_less(predictions, limit, message='`predictions` out of bound'), predictions)
        if weights is not None:
            weights = convert_to_tensor(weights, name='weights')
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = math.cast(weights, dtype)
        shape = array.stack([num_classes, num_classes])
        indices = array.stack([labels, predictions], axis=1)
        values = array.ones_like(predictions, dtype) if weights is None else weights
        counts = sparse.SparseTensor(indices, values, math.cast(shape, dtypes.int64))
        return sparse.sparse_add(array.zeros(math.cast(shape, dtypes.int32), dtype), counts)
