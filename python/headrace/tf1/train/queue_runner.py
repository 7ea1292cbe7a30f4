"""Threads that fill queues (tf.train.QueueRunner, tf.train.start_queue_runners)."""
import threading
import weakref

from headrace.tf1.framework import errors, graph as graph_lib, importer, protos
from headrace.tf1.framework import session as session_lib
from headrace.tf1.framework.graph import GraphKeys


def _log():
    from headrace.tf1 import logging
    return logging


class QueueRunner(object):
    """Runs each of `enqueue_ops` in a thread of its own until the queue is closed or the coordinator stops."""

    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None, queue_closed_exception_types=None,
                 queue_runner_def=None, import_scope=None):
        self._lock = threading.Lock()
        self._runs_per_session = weakref.WeakKeyDictionary()
        self._exceptions_raised = []
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise ValueError('queue_runner_def and queue are mutually exclusive.')
            self._init_from_proto(queue_runner_def, import_scope)
            return
        if not queue or not enqueue_ops:
            raise ValueError('Must provide queue and enqueue_ops.')
        types = queue_closed_exception_types
        if types is not None and not (isinstance(types, tuple) and types and all(issubclass(t, errors.OpError) for t in types)):
            raise TypeError('queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: %s' % (types,))
        self._queue, self._enqueue_ops = queue, enqueue_ops
        self._queue_closed_exception_types = types or (errors.OutOfRangeError,)
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op

    def _init_from_proto(self, message, import_scope):
        graph = graph_lib.get_default_graph()

        def get(name):
            return graph.as_graph_element(importer.prepend_name_scope(name, import_scope))
        self._queue = get(message.queue_name)
        self._enqueue_ops = [get(name) for name in message.enqueue_op_name]
        self._close_op, self._cancel_op = get(message.close_op_name), get(message.cancel_op_name)
        self._queue_closed_exception_types = tuple(
            errors.exception_type_from_error_code(code) for code in message.queue_closed_exception_types) or (errors.OutOfRangeError,)

    queue = property(lambda self: self._queue)
    enqueue_ops = property(lambda self: self._enqueue_ops)
    close_op = property(lambda self: self._close_op)
    cancel_op = property(lambda self: self._cancel_op)
    queue_closed_exception_types = property(lambda self: self._queue_closed_exception_types)
    exceptions_raised = property(lambda self: self._exceptions_raised, doc='Of threads that run without a coordinator.')
    name = property(lambda self: self._queue.name)

    def _run(self, sess, enqueue_op, coord=None):
        """What a thread does."""
        closed = False
        try:
            enqueue = sess.make_callable(enqueue_op)
            while not (coord and coord.should_stop()):
                enqueue()
        except self._queue_closed_exception_types:
            closed = True
        except Exception as e:  # pylint: disable=broad-except
            if coord:
                coord.request_stop(e)
            else:
                _log().error('Exception in QueueRunner: %s', e)
                with self._lock:
                    self._exceptions_raised.append(e)
                raise
        finally:
            with self._lock:
                self._runs_per_session[sess] -= 1
                last = self._runs_per_session[sess] == 0
        if closed and last:
            self._run_quietly(sess, self._close_op)

    @staticmethod
    def _run_quietly(sess, op):
        try:
            sess.run(op)
        except Exception as e:  # pylint: disable=broad-except
            _log().vlog(1, 'Ignored exception: %s', e)

    def _close_on_stop(self, sess, cancel_op, coord):
        coord.wait_for_stop()
        self._run_quietly(sess, cancel_op)

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        """The threads for a session; none if they run for it already."""
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        threads = [threading.Thread(target=self._run, args=(sess, op, coord), name='QueueRunnerThread-%s-%s' % (self.name, op.name))
                   for op in self._enqueue_ops]
        if coord:
            threads.append(threading.Thread(target=self._close_on_stop, args=(sess, self._cancel_op, coord),
                                            name='QueueRunnerThread-%s-close_on_stop' % self.name))
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    def to_proto(self, export_scope=None):
        """The QueueRunnerDef, or None if the queue is outside of the scope."""
        if export_scope is not None and not self.queue.name.startswith(export_scope):
            return None

        def strip(item):
            return importer.strip_name_scope(item.name, export_scope)
        return protos.message('QueueRunnerDef')(
            queue_name=strip(self.queue), enqueue_op_name=[strip(op) for op in self.enqueue_ops], close_op_name=strip(self.close_op),
            cancel_op_name=strip(self.cancel_op),
            queue_closed_exception_types=[errors.error_code_from_exception_type(t) for t in self._queue_closed_exception_types])

    @staticmethod
    def from_proto(queue_runner_def, import_scope=None):
        """The QueueRunner of a message, over nodes that are in the graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(qr, collection=GraphKeys.QUEUE_RUNNERS):
    """start_queue_runners starts this one, too."""
    graph_lib.add_to_collection(collection, qr)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=GraphKeys.QUEUE_RUNNERS):
    """Starts the threads of all queue runners of the graph; gives the threads. ValueError without a session."""
    if sess is None:
        sess = graph_lib.get_default_session()
        if sess is None:
            raise ValueError('Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an '
                             'explicit session to tf.start_queue_runners(sess=sess)')
    if not isinstance(sess, session_lib.BaseSession):
        if type(sess).__name__ in ('MonitoredSession', 'SingularMonitoredSession'):
            return []  # it has started them
        raise TypeError('sess must be a `tf.Session` object. Given class: %s' % type(sess))
    if not graph_lib.get_collection(collection):
        _log().warning('`tf.train.start_queue_runners()` was called when no queue runners were defined. You can safely remove the call to '
                       'this deprecated function.')
    threads = []
    with sess.graph.as_default():
        for runner in graph_lib.get_collection(collection):
            threads.extend(runner.create_threads(sess, coord=coord, daemon=daemon, start=start))
    return threads
