"""tf.version: which TensorFlow's interface this is."""
from headrace.tf1 import (  # noqa: F401
    COMPILER_VERSION, GIT_VERSION, GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER, GRAPH_DEF_VERSION_MIN_PRODUCER, VERSION)
