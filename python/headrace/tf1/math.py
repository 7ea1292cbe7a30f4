"""tf.math"""
from headrace.tf1.framework.math import *  # noqa: F401,F403
from headrace.tf1.framework.math import reduce_std, reduce_variance, sigmoid, log_sigmoid  # noqa: F401
