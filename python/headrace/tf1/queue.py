"""tf.queue: the queues under one roof."""
from headrace.tf1.framework.queues import (  # noqa: F401
    FIFOQueue, PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue)
