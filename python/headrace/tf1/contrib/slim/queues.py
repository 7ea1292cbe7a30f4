"""Queue runners for the time of a block."""
import contextlib
import threading

from headrace.tf1.framework import graph as graph_lib
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.train.coordinator import Coordinator

_lock = threading.Lock()


class NestedQueueRunnerError(Exception):
    """QueueRunners inside QueueRunners."""


@contextlib.contextmanager
def QueueRunners(session):  # pylint: disable=invalid-name
    """Inside, the threads of the graph's queue runners feed their queues. NestedQueueRunnerError for one inside another."""
    if not _lock.acquire(False):
        raise NestedQueueRunnerError('QueueRunners cannot be nested')
    coord, threads = Coordinator(), []
    try:
        for runner in graph_lib.get_collection(GraphKeys.QUEUE_RUNNERS):
            threads.extend(runner.create_threads(session, coord=coord, daemon=True, start=True))
        yield
    finally:
        coord.request_stop()
        try:
            coord.join(threads, stop_grace_period_secs=120)
        except RuntimeError:
            session.close()
        _lock.release()
