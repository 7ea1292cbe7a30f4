"""tf.contrib.slim.prefetch_queue: batches that wait for the step that takes them."""
from headrace.tf1.framework import dtypes, math, queues
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.train import queue_runner


def prefetch_queue(tensors, capacity=8, num_threads=1, dynamic_pad=False, shared_name=None, name=None):
    """A queue that num_threads threads fill with `tensors` (a list, or a dictionary); a summary says how full it is."""
    from headrace.tf1 import summary
    names = sorted(tensors) if isinstance(tensors, dict) else None
    listed = tensors if names is None else [tensors[key] for key in names]
    with name_scope(name, 'prefetch_queue', listed) as name:
        make = queues.PaddingFIFOQueue if dynamic_pad else queues.FIFOQueue
        queue = make(capacity=capacity, dtypes=[t.dtype for t in listed], shapes=[t.shape for t in listed], names=names,
                     shared_name=shared_name)
        queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, [queue.enqueue(tensors)] * num_threads))
        summary.scalar('fraction_of_%d_full' % capacity, math.cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue
