"""tf.train.Supervisor: a session with checkpoints and summaries written by threads of its own."""
import contextlib
import os
import time

from headrace.tf1.framework import control, dtypes, graph as graph_lib, importer, protos, variables
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.train import coordinator, session_manager as session_manager_lib


def _log():
    from headrace.tf1 import logging
    return logging


def _first(key):
    """The first item of a collection, or None."""
    items = graph_lib.get_collection(key)
    if len(items) > 1:
        _log().info('Found %d %s operations. Returning the first one.', len(items), key)
    return items[0] if items else None


def _first_or_make(key, make):
    op = _first(key)
    if op is None:
        op = make()
        if op is not None:
            graph_lib.add_to_collection(key, op)
    return op


class Supervisor(object):
    """Prepares sessions (from a checkpoint in `logdir` if there is one), saves and summarises in the background, and stops threads."""
    USE_DEFAULT = 0

    def __init__(self, graph=None, ready_op=USE_DEFAULT, ready_for_local_init_op=USE_DEFAULT, is_chief=True, init_op=USE_DEFAULT,
                 init_feed_dict=None, local_init_op=USE_DEFAULT, logdir=None, summary_op=USE_DEFAULT, saver=USE_DEFAULT,
                 global_step=USE_DEFAULT, save_summaries_secs=120, save_model_secs=600, recovery_wait_secs=30, stop_grace_secs=120,
                 checkpoint_basename='model.ckpt', session_manager=None, summary_writer=USE_DEFAULT, init_fn=None,
                 local_init_run_options=None):
        graph = graph_lib.get_default_graph() if graph is None else graph
        default = Supervisor.USE_DEFAULT
        with graph.as_default():
            self._ready_op = ready_op if ready_op is not default else _first_or_make(
                GraphKeys.READY_OP, variables.report_uninitialized_variables)
            self._ready_for_local_init_op = (ready_for_local_init_op if ready_for_local_init_op is not default
                                             else _first(GraphKeys.READY_FOR_LOCAL_INIT_OP))
            self._init_op = init_op if init_op is not default else _first_or_make(
                GraphKeys.INIT_OP, variables.global_variables_initializer)
            self._local_init_op = local_init_op if local_init_op is not default else _first_or_make(
                GraphKeys.LOCAL_INIT_OP, _local_init)
            self._saver = saver if saver is not default else _first_or_make(GraphKeys.SAVERS, _default_saver)
            self._summary_op = summary_op if summary_op is not default else _first_or_make(GraphKeys.SUMMARY_OP, _merge_all)
            self._global_step = global_step if global_step is not default else _first_or_make(
                GraphKeys.GLOBAL_STEP, _default_global_step)
        self._graph, self._init_feed_dict, self._init_fn = graph, init_feed_dict, init_fn
        self._meta_graph_def = importer.create_meta_graph_def(
            graph=graph, graph_def=graph.as_graph_def(add_shapes=True), saver_def=self._saver.saver_def if self._saver else None)
        self._is_chief, self._coord = is_chief, coordinator.Coordinator()
        self._recovery_wait_secs, self._stop_grace_secs = recovery_wait_secs, stop_grace_secs
        self._logdir = self._save_summaries_secs = self._save_model_secs = self._save_path = self._summary_writer = None
        if is_chief:
            self._logdir, self._save_summaries_secs, self._save_model_secs = logdir, save_summaries_secs, save_model_secs
            if logdir:
                self._save_path = os.path.join(logdir, checkpoint_basename)
            if summary_writer is not default:
                self._summary_writer = summary_writer
            elif logdir:
                from headrace.tf1.summary import FileWriter
                self._summary_writer = FileWriter(logdir)
            self._graph_added_to_summary = False
        self._session_manager = session_manager or session_manager_lib.SessionManager(
            local_init_op=self._local_init_op, ready_op=self._ready_op, ready_for_local_init_op=self._ready_for_local_init_op, graph=graph,
            recovery_wait_secs=recovery_wait_secs, local_init_run_options=local_init_run_options)
        if not is_chief:
            for op in graph.get_operations():
                if op.type in ('Variable', 'VariableV2') and not op.device:
                    raise ValueError('When using replicas, all Variables must have their device set: %s' % op)
        graph.finalize()

    is_chief = property(lambda self: self._is_chief)
    session_manager = property(lambda self: self._session_manager)
    coord = property(lambda self: self._coord)
    init_op = property(lambda self: self._init_op)
    init_feed_dict = property(lambda self: self._init_feed_dict)
    ready_op = property(lambda self: self._ready_op)
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op)
    summary_writer = property(lambda self: self._summary_writer)
    summary_op = property(lambda self: self._summary_op)
    save_summaries_secs = property(lambda self: self._save_summaries_secs)
    global_step = property(lambda self: self._global_step)
    saver = property(lambda self: self._saver)
    save_model_secs = property(lambda self: self._save_model_secs)
    save_path = property(lambda self: self._save_path)

    def _write_graph(self):
        if self._logdir:
            importer.write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, 'graph.pbtxt')
        if self._summary_writer and not self._graph_added_to_summary:
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(self._meta_graph_def)
            self._graph_added_to_summary = True

    def start_standard_services(self, sess):
        """Starts the threads that summarise, count steps and save; gives them. RuntimeError if it is not the chief's."""
        if not self._is_chief:
            raise RuntimeError('Only chief supervisor can start standard services. Because only chief supervisors can write events.')
        if not self._logdir:
            _log().warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer:
            self._add_session_log('START', int(sess.run(self._global_step)))
        threads = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def _add_session_log(self, status, step=None, **fields):
        log_class = protos.message('SessionLog')
        self._summary_writer.add_session_log(log_class(status=getattr(log_class, status), **fields), step)

    def prepare_or_wait_for_session(self, master='', config=None, wait_for_checkpoint=False, max_wait_secs=7200,
                                    start_standard_services=True):
        """A session that is ready; the services run."""
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master, init_op=self._init_op, saver=self._saver, checkpoint_dir=self._logdir, wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs, config=config, init_feed_dict=self._init_feed_dict, init_fn=self._init_fn)
            self._write_graph()
            if start_standard_services:
                _log().info('Starting standard services.')
                self.start_standard_services(sess)
        else:
            sess = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        if start_standard_services:
            _log().info('Starting queue runners.')
            self.start_queue_runners(sess)
        return sess

    def start_queue_runners(self, sess, queue_runners=None):
        """Starts the threads of queue runners, by default of all of the graph; gives them."""
        runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS) if queue_runners is None else queue_runners
        return [t for runner in runners for t in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)]

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        """A started thread that calls `target` every so many seconds."""
        return coordinator.LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        """Stops all threads, raises what they reported."""
        self._coord.request_stop()
        try:
            self._coord.join(threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads)
        finally:
            if close_summary_writer and self._summary_writer:
                self._add_session_log('STOP')
                self._summary_writer.close()
                self._graph_added_to_summary = False

    def request_stop(self, ex=None):
        """All threads are to stop."""
        self._coord.request_stop(ex)

    def should_stop(self):
        """Has someone asked to stop?"""
        return self._coord.should_stop()

    def stop_on_exception(self):
        """In a `with` block: an exception asks to stop."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self):
        """Waits until someone asks to stop."""
        self._coord.wait_for_stop()

    def summary_computed(self, sess, summary, global_step=None):
        """Writes a summary. RuntimeError without a writer."""
        if not self._summary_writer:
            raise RuntimeError('Writing a summary requires a summary writer.')
        if global_step is None and self._global_step is not None:
            global_step = int(sess.run(self._global_step))
        self._summary_writer.add_summary(summary, global_step)

    @contextlib.contextmanager
    def managed_session(self, master='', config=None, start_standard_services=True, close_summary_writer=True):
        """`with sv.managed_session() as sess:`: a session that is ready; all stops at the end of the block."""
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(master=master, config=config, start_standard_services=start_standard_services)
            yield sess
        except Exception as e:  # pylint: disable=broad-except
            self.request_stop(e)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if sess is not None:
                    sess.close()

    PrepareSession, StartQueueRunners, StartStandardServices = prepare_or_wait_for_session, start_queue_runners, start_standard_services
    Stop, RequestStop, Loop, ShouldStop, StopOnException = stop, request_stop, loop, should_stop, stop_on_exception
    WaitForStop, SummaryComputed = wait_for_stop, summary_computed


def _local_init():
    tables = graph_lib.get_collection(GraphKeys.TABLE_INITIALIZERS)
    tables = control.group(*tables, name='init_all_tables') if tables else control.no_op(name='init_all_tables')
    return control.group(variables.local_variables_initializer(), tables)


def _default_saver():
    if not variables.global_variables():
        return None
    from headrace.tf1.train.saver import Saver
    return Saver()


def _merge_all():
    from headrace.tf1 import summary
    return summary.merge_all()


def _default_global_step():
    try:
        step = graph_lib.get_default_graph().get_tensor_by_name('global_step:0')
    except KeyError:
        return None
    if step.dtype.base_dtype in (dtypes.int32, dtypes.int64):
        return step
    _log().warning("Found 'global_step' is not an int type: %s", step.dtype)
    return None


class SVSummaryThread(coordinator.LooperThread):
    """Writes summaries every save_summaries_secs."""

    def __init__(self, sv, sess):
        super(SVSummaryThread, self).__init__(sv.coord, sv.save_summaries_secs)
        self._sv, self._sess = sv, sess

    def run_loop(self):
        step = None
        if self._sv.global_step is None:
            summaries = self._sess.run(self._sv.summary_op)
        else:
            summaries, step = self._sess.run([self._sv.summary_op, self._sv.global_step])
        if self._sv.summary_writer:
            _log().info('Recording summary at step %s.', step)
            self._sv.summary_writer.add_summary(summaries, step)


class SVStepCounterThread(coordinator.LooperThread):
    """Writes how many steps a second are made every save_summaries_secs."""

    def __init__(self, sv, sess, step_counter=None):
        super(SVStepCounterThread, self).__init__(sv.coord, sv.save_summaries_secs)
        self._sv, self._sess, self._step_counter = sv, sess, sv.global_step if step_counter is None else step_counter
        self._last_time, self._last_step, self._logged = 0.0, 0, 0
        self._summary_tag = '%s/sec' % self._step_counter.op.name

    def start_loop(self):
        self._last_time, self._last_step = time.time(), int(self._sess.run(self._step_counter))

    def run_loop(self):
        step, now = int(self._sess.run(self._step_counter)), time.time()
        seconds, steps = now - self._last_time, step - self._last_step
        self._last_time, self._last_step = now, step
        rate = steps / seconds if seconds > 0 else float('inf')
        if self._sv.summary_writer:
            summary = protos.message('Summary')()
            summary.value.add(tag=self._summary_tag, simple_value=rate)
            self._sv.summary_writer.add_summary(summary, step)
        if self._logged < 10:
            self._logged += 1
            _log().info('%s: %g', self._summary_tag, rate)


class SVTimerCheckpointThread(coordinator.LooperThread):
    """Saves a checkpoint every save_model_secs."""

    def __init__(self, sv, sess):
        super(SVTimerCheckpointThread, self).__init__(sv.coord, sv.save_model_secs)
        self._sv, self._sess = sv, sess

    def run_loop(self):
        _log().info('Saving checkpoint to path %s', self._sv.save_path)
        self._sv.saver.save(self._sess, self._sv.save_path, global_step=self._sv.global_step)
        if self._sv.summary_writer and self._sv.global_step is not None:
            self._sv._add_session_log('CHECKPOINT', int(self._sess.run(self._sv.global_step)), checkpoint_path=self._sv.save_path)
