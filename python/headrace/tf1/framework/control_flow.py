"""Choices that are made while the graph is built, where they can be."""
from headrace.tf1.framework import convert
from headrace.tf1.framework.graph import Tensor


def smart_constant(pred):
    """True or False where `pred` is known while the graph is built, else None."""
    if isinstance(pred, Tensor) or hasattr(pred, '_as_tensor'):
        tensor = convert.convert_to_tensor(pred)
        if tensor.op.type == 'PlaceholderWithDefault':
            return None
        value = convert.constant_value(tensor)
        return None if value is None else bool(value)
    if pred in (0, 1):
        return bool(pred)
    raise TypeError('`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: %s' % pred)


def smart_cond(pred, true_fn, false_fn, name=None):
    """What one of the functions gives: that which `pred` chooses, where it is known; else a tf.cond."""
    known = smart_constant(pred)
    if known is not None:
        return true_fn() if known else false_fn()
    raise NotImplementedError('a choice by a tensor that is only known when the graph runs (tf.cond: training=%s) is not here yet: pass a '
                              'Python bool' % (pred,))
