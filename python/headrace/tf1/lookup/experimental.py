"""tf.lookup.experimental."""
from headrace.tf1.framework.lookup import DenseHashTable  # noqa: F401
