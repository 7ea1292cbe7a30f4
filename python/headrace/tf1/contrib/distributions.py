"""tf.contrib.distributions: the distributions of tf.distributions."""
from headrace.tf1.distributions import (  # noqa: F401
    FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Bernoulli, Categorical, Distribution, Normal, RegisterKL, ReparameterizationType, Uniform,
    kl_divergence)
