"""tf.math"""
from headrace.tf1.framework.math import *  # noqa: F401,F403
from headrace.tf1.framework.math import reduce_std, reduce_variance, sigmoid, log_sigmoid  # noqa: F401
from headrace.tf1.framework.array import invert_permutation  # noqa: F401
from headrace.tf1.framework.checks import is_non_decreasing, is_strictly_increasing  # noqa: F401
from headrace.tf1.framework.math import div_no_nan as divide_no_nan  # noqa: F401
from headrace.tf1.framework.search import (  # noqa: F401
    bessel_i0, bessel_i1, lbeta, multiply_no_nan, nextafter, polyval, reciprocal_no_nan, unsorted_segment_sqrt_n)
from headrace.tf1.nn import in_top_k, l2_normalize, log_softmax, softmax, softplus, softsign, top_k, zero_fraction  # noqa: F401


def __getattr__(name):
    if name == 'confusion_matrix':  # made of much that is made of this module
        from headrace.tf1.metrics import confusion_matrix
        return confusion_matrix
    raise AttributeError("module 'tf.math' has no attribute %r" % name)
