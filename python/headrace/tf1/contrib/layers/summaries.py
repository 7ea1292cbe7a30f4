"""Summaries of tensors, named after their nodes."""
import functools
import re

from headrace.tf1 import summary
from headrace.tf1.framework import dtypes, graph as graph_lib, math
from headrace.tf1.framework.graph import GraphKeys


def _scalar(tensor, tag=None):
    tensor.get_shape().assert_has_rank(0)
    return summary.scalar(tag or '%s_summary' % tensor.op.name, tensor)


def summarize_tensor(tensor, tag=None):
    """A scalar summary of a scalar, a histogram of another tensor; None for strings and truth values."""
    if tensor.dtype.is_compatible_with(dtypes.string) or tensor.dtype.base_dtype == dtypes.bool:
        return None
    if tensor.get_shape().ndims == 0:
        return _scalar(tensor, tag)
    return summary.histogram(tag or '%s_summary' % tensor.op.name, tensor)


def _fraction(compare, features, bound, tag):
    outside = compare(features, math.cast(bound, features.dtype))
    _scalar(math.reduce_mean(math.to_float(outside)), tag)


def summarize_activation(op):
    """A histogram of activations; for relus also the fractions that are cut off."""
    kind, name = op.op.type, op.op.name
    if kind in ('Relu', 'Softplus', 'Relu6'):
        _fraction(math.less, op.op.inputs[0], 0.0, '%s/zeros' % name)
    if kind == 'Relu6':
        _fraction(math.greater, op.op.inputs[0], 6.0, '%s/sixes' % name)
    return summary.histogram('%s/activation' % name, op)


def summarize_tensors(tensors, summarizer=summarize_tensor):
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    """Summaries of all of a collection whose names fit the regular expression `name_filter`."""
    return summarize_tensors([item for item in graph_lib.get_collection(collection)
                              if name_filter is None or re.match(name_filter, item.op.name)], summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)


def summarize_activations(name_filter=None, summarizer=summarize_activation):
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
