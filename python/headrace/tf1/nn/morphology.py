"""Dilation and erosion."""
from headrace.tf1.framework import array, math
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.graph import name_scope


def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None,  # pylint: disable=redefined-builtin
               dilations=None):
    """The largest of each window after adding the filter [height, width, depth]; strides and rates as [1, height, width, 1]."""
    return apply_op('Dilation2D', input, filters if filter is None else filter, strides=strides,
                    rates=dilations if rates is None else rates, padding=padding, name=name)


def erosion2d(value, kernel, strides, rates, padding, name=None):
    """The smallest of each window after subtracting the mirrored kernel."""
    with name_scope(name, 'erosion2d', [v for v in (value, kernel) if hasattr(v, 'graph')]) as scope:
        negative = math.negative(value)
        mirrored = array.reverse(kernel, [0, 1])
        return math.negative(apply_op('Dilation2D', negative, mirrored, strides=strides, rates=rates, padding=padding, name=scope))
