"""tf.manip: shapes and places of elements."""
from headrace.tf1.framework.array import (  # noqa: F401
    batch_to_space_nd, gather_nd, reshape, reverse, scatter_nd, space_to_batch_nd, tile)
from headrace.tf1.framework.search import roll  # noqa: F401
