"""tf.random"""
from headrace.tf1.framework.graph import get_seed, set_random_seed  # noqa: F401
from headrace.tf1.framework.random import *  # noqa: F401,F403
from headrace.tf1.framework.random import random_gamma as gamma, random_normal as normal, random_poisson as poisson  # noqa: F401
from headrace.tf1.framework.random import random_shuffle as shuffle, random_uniform as uniform  # noqa: F401
