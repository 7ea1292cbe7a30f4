"""tf.contrib.opt: variants of Adam, and optimizers that are functions of the host."""
from headrace.tf1.contrib.opt.adam_variants import LazyAdamOptimizer, NadamOptimizer  # noqa: F401
from headrace.tf1.contrib.opt.external_optimizer import ExternalOptimizerInterface, ScipyOptimizerInterface  # noqa: F401
