"""What metrics share: the local variables that they count in, and how their results are handed out."""
from headrace.tf1.framework import array, graph as graph_lib, math
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.framework.variables import Variable


def variable(shape, dtype, name):
    """A local variable of zeros."""
    return Variable(lambda: array.zeros(shape, dtype), trainable=False, name=name, validate_shape=True,
                    collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES])


def collect(value, update, metrics_collections, updates_collections):
    """(value, update), which are in those collections now."""
    if metrics_collections:
        graph_lib.add_to_collections(metrics_collections, value)
    if updates_collections:
        graph_lib.add_to_collections(updates_collections, update)
    return value, update


def ratio(numerator, denominator, name):
    """0 where nothing was counted yet."""
    return math.div_no_nan(numerator, math.maximum(denominator, 0), name=name)
