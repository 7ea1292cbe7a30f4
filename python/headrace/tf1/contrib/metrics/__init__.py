"""tf.contrib.metrics: tf.metrics under their old names, with predictions before labels; and accuracy of one batch."""
import functools
import sys

from headrace.tf1.framework import array, dtypes, math
from headrace.tf1.framework.graph import name_scope

_END = 'weights metrics_collections updates_collections name'
_OF_LABELS = 'predictions labels ' + _END
_AT_THRESHOLDS = 'predictions labels thresholds ' + _END
_AT_K = 'predictions labels k class_id ' + _END
# name without "streaming_" -> (name in tf.metrics, arguments in their order here)
_STREAMING = {
    'mean': ('mean', 'values ' + _END),
    'mean_tensor': ('mean_tensor', 'values ' + _END),
    'accuracy': ('accuracy', _OF_LABELS),
    'precision': ('precision', _OF_LABELS),
    'recall': ('recall', _OF_LABELS),
    'true_positives': ('true_positives', _OF_LABELS),
    'true_negatives': ('true_negatives', _OF_LABELS),
    'false_positives': ('false_positives', _OF_LABELS),
    'false_negatives': ('false_negatives', _OF_LABELS),
    'precision_at_thresholds': ('precision_at_thresholds', _AT_THRESHOLDS),
    'recall_at_thresholds': ('recall_at_thresholds', _AT_THRESHOLDS),
    'auc': ('auc', 'predictions labels weights num_thresholds metrics_collections updates_collections curve name'),
    'specificity_at_sensitivity': (
        'specificity_at_sensitivity', 'predictions labels sensitivity weights num_thresholds metrics_collections updates_collections name'),
    'sensitivity_at_specificity': (
        'sensitivity_at_specificity', 'predictions labels specificity weights num_thresholds metrics_collections updates_collections name'),
    'sparse_recall_at_k': ('recall_at_k', _AT_K),
    'sparse_precision_at_k': ('precision_at_k', _AT_K),
    'sparse_average_precision_at_k': ('average_precision_at_k', 'predictions labels k ' + _END),
    'mean_absolute_error': ('mean_absolute_error', _OF_LABELS),
    'mean_squared_error': ('mean_squared_error', _OF_LABELS),
    'root_mean_squared_error': ('root_mean_squared_error', _OF_LABELS),
    'mean_relative_error': ('mean_relative_error', 'predictions labels normalizer ' + _END),
    'mean_cosine_distance': ('mean_cosine_distance', 'predictions labels dim ' + _END),
    'percentage_less': ('percentage_below', 'values threshold ' + _END),
    'mean_iou': ('mean_iou', 'predictions labels num_classes ' + _END),
}


def _streaming(name, target, arguments):
    """The metric `target` with arguments in another order."""
    arguments = arguments.split()

    @functools.wraps(target)
    def metric(*args, **kwargs):
        if len(args) > len(arguments):
            raise TypeError('%s() takes at most %d positional arguments' % (name, len(arguments)))
        for argument, value in zip(arguments, args):
            if argument in kwargs:
                raise TypeError("%s() got multiple values for argument '%s'" % (name, argument))
            kwargs[argument] = value
        return target(**kwargs)
    metric.__name__ = metric.__qualname__ = name
    return metric


def __getattr__(name):
    short = name[len('streaming_'):] if name.startswith('streaming_') else None
    if short not in _STREAMING and name != 'confusion_matrix':
        raise AttributeError(name)
    from headrace.tf1 import metrics
    if name == 'confusion_matrix':
        found = metrics.confusion_matrix
    else:
        found = _streaming(name, getattr(metrics, _STREAMING[short][0]), _STREAMING[short][1])
    setattr(sys.modules[__name__], name, found)
    return found


def __dir__():
    from headrace.tf1 import metrics
    return sorted(set(globals()) | {'confusion_matrix'} | {
        'streaming_' + name for name, (target, _) in _STREAMING.items() if target in vars(metrics)})


def accuracy(predictions, labels, weights=None, name=None):
    """The part of a batch's predictions that equal the labels. ValueError for labels of floats, and for two dtypes."""
    if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool, dtypes.string)):
        raise ValueError('Labels should have bool, integer, or string dtype, not %r' % labels.dtype)
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError('Dtypes of predictions and labels should match. Given: predictions (%r) and labels (%r)' % (
            predictions.dtype, labels.dtype))
    with name_scope(name, 'accuracy', values=[predictions, labels]):
        correct = math.cast(math.equal(predictions, labels), dtypes.float32)
        if weights is None:
            return math.reduce_mean(correct)
        correct = math.multiply(correct, weights)
        count = math.multiply(weights, array.ones_like(correct))
        return math.div(math.reduce_sum(correct), math.reduce_sum(count))


def aggregate_metrics(*value_update_tuples):
    """([values], [updates]) of several metrics. ValueError for none."""
    if not value_update_tuples:
        raise ValueError('Expected at least one value_tensor/update_op pair')
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples):
    """({name: value}, {name: update}) of {name: metric}."""
    return ({name: value for name, (value, _) in names_to_tuples.items()},
            {name: update for name, (_, update) in names_to_tuples.items()})
