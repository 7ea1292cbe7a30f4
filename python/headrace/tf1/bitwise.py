"""tf.bitwise"""
from headrace.tf1.framework.math import bitwise_and, bitwise_or, bitwise_xor, invert  # noqa: F401
from headrace.tf1.framework.convert import apply_op


def left_shift(x, y, name=None):
    return apply_op('LeftShift', x, y, name=name)


def right_shift(x, y, name=None):
    return apply_op('RightShift', x, y, name=name)
