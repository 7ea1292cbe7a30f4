"""The Inception networks: version 3."""
from headrace.tf1.contrib.slim.nets.inception_v3 import inception_v3, inception_v3_arg_scope, inception_v3_base  # noqa: F401
