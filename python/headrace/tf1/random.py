"""tf.random"""
from headrace.tf1.framework.graph import get_seed, set_random_seed  # noqa: F401
from headrace.tf1.framework.random import *  # noqa: F401,F403
from headrace.tf1.framework.random import random_gamma as gamma, random_normal as normal, random_poisson as poisson  # noqa: F401
from headrace.tf1.framework.random import random_shuffle as shuffle, random_uniform as uniform  # noqa: F401
from headrace.tf1.framework.stateless import (  # noqa: F401
    stateless_categorical, stateless_multinomial, stateless_normal, stateless_truncated_normal, stateless_uniform)
from headrace.tf1.nn import (  # noqa: F401
    all_candidate_sampler, fixed_unigram_candidate_sampler, learned_unigram_candidate_sampler, log_uniform_candidate_sampler,
    uniform_candidate_sampler)
