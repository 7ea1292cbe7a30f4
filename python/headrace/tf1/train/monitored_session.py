"""Sessions that initialise, recover, save and stop by themselves (tf.train.MonitoredTrainingSession)."""
import inspect

from headrace.tf1.framework import array, control, errors, graph as graph_lib, protos, variables
from headrace.tf1.framework import session as session_lib
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.train import basic_session_run_hooks as hooks_lib
from headrace.tf1.train import coordinator, queue_runner, session_manager, session_run_hook

USE_DEFAULT = object()
_PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)


def _log():
    from headrace.tf1 import logging
    return logging


def _nothing():
    """What TensorFlow puts where resources would be initialised."""
    return control.no_op(name='init')


def _report_nothing():
    from headrace.tf1.framework import convert, dtypes
    with graph_lib.name_scope('report_uninitialized_resources'), graph_lib.device('/cpu:0'):
        return convert.constant([], dtypes.string, shape=[0])


class Scaffold(object):
    """The parts of a graph that sessions need: initialisers, checks, saver, summaries; made by `finalize` where they are not given."""

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None, local_init_op=None,
                 summary_op=None, saver=None, copy_from_scaffold=None):
        if copy_from_scaffold is not None:
            if not isinstance(copy_from_scaffold, Scaffold):
                raise TypeError('copy_from_scaffold is not a Scaffold instance.')
            other = copy_from_scaffold
            init_op = other.init_op if init_op is None else init_op
            init_feed_dict = other.init_feed_dict if init_feed_dict is None else init_feed_dict
            init_fn = other._user_init_fn if init_fn is None else init_fn
            ready_op = other.ready_op if ready_op is None else ready_op
            if ready_for_local_init_op is None:
                ready_for_local_init_op = other.ready_for_local_init_op
            local_init_op = other.local_init_op if local_init_op is None else local_init_op
            summary_op = other.summary_op if summary_op is None else summary_op
            saver = other.saver if saver is None else saver
        self._user_init_fn = init_fn
        self._init_fn = (lambda sess: init_fn(self, sess)) if init_fn else None
        self._init_op, self._init_feed_dict, self._ready_op = init_op, init_feed_dict, ready_op
        self._ready_for_local_init_op, self._local_init_op = ready_for_local_init_op, local_init_op
        self._summary_op, self._saver = summary_op, saver

    init_fn = property(lambda self: self._init_fn)
    init_op = property(lambda self: self._init_op)
    ready_op = property(lambda self: self._ready_op)
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op)
    local_init_op = property(lambda self: self._local_init_op)
    summary_op = property(lambda self: self._summary_op)
    saver = property(lambda self: self._saver)
    init_feed_dict = property(lambda self: self._init_feed_dict)

    def finalize(self):
        """Makes what is missing; the graph takes no nodes after that."""
        from headrace.tf1 import summary
        from headrace.tf1.train import saver as saver_lib
        if self._init_op is None:
            self._init_op = Scaffold.get_or_default(
                'init_op', GraphKeys.INIT_OP, lambda: control.group(variables.global_variables_initializer(), _nothing()))
        if self._ready_op is None:
            self._ready_op = Scaffold.get_or_default(
                'ready_op', GraphKeys.READY_OP,
                lambda: array.concat([variables.report_uninitialized_variables(), _report_nothing()], 0))
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = Scaffold.get_or_default(
                'ready_for_local_init_op', GraphKeys.READY_FOR_LOCAL_INIT_OP,
                lambda: array.concat([variables.report_uninitialized_variables(variables.global_variables()), _report_nothing()], 0))
        if self._local_init_op is None:
            self._local_init_op = Scaffold.get_or_default('local_init_op', GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
        if self._summary_op is None:
            self._summary_op = Scaffold.get_or_default('summary_op', GraphKeys.SUMMARY_OP, summary.merge_all)
        if self._saver is None:
            self._saver = saver_lib._get_saver_or_default()
        self._saver.build()
        graph_lib.get_default_graph().finalize()
        _log().info('Graph was finalized.')
        return self

    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """The item of a collection, or what the function makes, which then is in the collection. RuntimeError for several items."""
        items = graph_lib.get_collection(collection_key)
        if len(items) > 1:
            raise RuntimeError('More than one item in the collection "%s". Please indicate which one to use by passing it to the '
                               'tf.Scaffold constructor as:  tf.Scaffold(%s=item to use)' % (collection_key, arg_name))
        if items:
            return items[0]
        op = default_constructor()
        if op is not None:
            graph_lib.add_to_collection(collection_key, op)
        return op

    @staticmethod
    def default_local_init_op():
        """The operation that initialises local variables and tables."""
        tables = graph_lib.get_collection(GraphKeys.TABLE_INITIALIZERS)
        tables = control.group(*tables, name='init_all_tables') if tables else control.no_op(name='init_all_tables')
        return control.group(variables.local_variables_initializer(), tables, _nothing())


class SessionCreator(object):
    """Makes sessions for a MonitoredSession."""

    def create_session(self):
        """A new session."""
        raise NotImplementedError('create_session is not implemented for %s.' % self)


class ChiefSessionCreator(SessionCreator):
    """Initialises or restores the model."""

    def __init__(self, scaffold=None, master='', config=None, checkpoint_dir=None, checkpoint_filename_with_path=None):
        self._scaffold, self._master, self._config = scaffold or Scaffold(), master, config
        self._checkpoint_dir, self._checkpoint_filename_with_path = checkpoint_dir, checkpoint_filename_with_path
        self._session_manager = None

    def _manager(self):
        if self._session_manager is None:
            self._session_manager = session_manager.SessionManager(
                local_init_op=self._scaffold.local_init_op, ready_op=self._scaffold.ready_op,
                ready_for_local_init_op=self._scaffold.ready_for_local_init_op, graph=graph_lib.get_default_graph())
        return self._session_manager

    def create_session(self):
        """See SessionCreator."""
        self._scaffold.finalize()
        return self._manager().prepare_session(
            self._master, saver=self._scaffold.saver, checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path, config=self._config, init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict, init_fn=self._scaffold.init_fn)


class WorkerSessionCreator(SessionCreator):
    """Waits for the chief to initialise the model."""

    def __init__(self, scaffold=None, master='', config=None, max_wait_secs=30 * 60):
        self._scaffold, self._master, self._config, self._max_wait_secs = scaffold or Scaffold(), master, config, max_wait_secs
        self._session_manager = None

    _manager = ChiefSessionCreator._manager

    def create_session(self):
        """See SessionCreator."""
        self._scaffold.finalize()
        return self._manager().wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)


def MonitoredTrainingSession(  # pylint: disable=invalid-name
        master='', is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None, save_checkpoint_secs=USE_DEFAULT,
        save_summaries_steps=USE_DEFAULT, save_summaries_secs=USE_DEFAULT, config=None, stop_grace_period_secs=120,
        log_step_count_steps=100, max_wait_secs=7200, save_checkpoint_steps=USE_DEFAULT, summary_dir=None):
    """A MonitoredSession for training: restores from `checkpoint_dir`, saves there every 600 s, writes summaries every 100 steps."""
    if save_summaries_steps is USE_DEFAULT and save_summaries_secs is USE_DEFAULT:
        save_summaries_steps, save_summaries_secs = 100, None
    save_summaries_steps = None if save_summaries_steps is USE_DEFAULT else save_summaries_steps
    save_summaries_secs = None if save_summaries_secs is USE_DEFAULT else save_summaries_secs
    if save_checkpoint_steps is USE_DEFAULT and save_checkpoint_secs is USE_DEFAULT:
        save_checkpoint_steps, save_checkpoint_secs = None, 600
    save_checkpoint_steps = None if save_checkpoint_steps is USE_DEFAULT else save_checkpoint_steps
    save_checkpoint_secs = None if save_checkpoint_secs is USE_DEFAULT else save_checkpoint_secs
    scaffold = scaffold or Scaffold()
    if not is_chief:
        creator = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, hooks or [], stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or [])
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(hooks_lib.StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if (save_summaries_steps or 0) > 0 or (save_summaries_secs or 0) > 0:
            all_hooks.append(hooks_lib.SummarySaverHook(scaffold=scaffold, save_steps=save_summaries_steps, save_secs=save_summaries_secs,
                                                        output_dir=summary_dir))
    if checkpoint_dir and ((save_checkpoint_secs or 0) > 0 or (save_checkpoint_steps or 0) > 0):
        all_hooks.append(hooks_lib.CheckpointSaverHook(checkpoint_dir, save_steps=save_checkpoint_steps, save_secs=save_checkpoint_secs,
                                                       scaffold=scaffold))
    all_hooks.extend(hooks or [])
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)


class StepContext(object):
    """What run_step_fn gives to its function."""

    def __init__(self, session, run_with_hooks_fn):
        self._session, self._run_with_hooks_fn = session, run_with_hooks_fn

    session = property(lambda self: self._session, doc='The session without hooks.')

    def run_with_hooks(self, *args, **kwargs):
        """A step with hooks, as MonitoredSession.run makes it."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self):
        """Ends the loop."""
        raise StopIteration('step_fn has requested the iterations to stop.')


class _MonitoredSession(object):
    """What MonitoredSession and SingularMonitoredSession share."""
    StepContext = StepContext

    def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120):
        self._graph_was_finalized = graph_lib.get_default_graph().finalized
        self._hooks = hooks or []
        for hook in self._hooks:
            hook.begin()
        self._creator = _CoordinatedCreator(session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs)
        self._sess = _RecoverableSession(self._creator) if should_recover else self._creator.create_session()

    @property
    def graph(self):
        return None if self._tf_sess() is None else self._tf_sess().graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """A step, with the hooks around it."""
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def run_step_fn(self, step_fn):
        """Calls step_fn(step_context), whose own steps may be with and without hooks. ValueError for other arguments."""
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (('step_context',), ('self', 'step_context')):
            raise ValueError("`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's an "
                             'instance method. Got %s instead.' % (names,))
        return self._sess.run_step_fn(step_fn, self._tf_sess(), None)

    def should_stop(self):
        """Has a hook, or another thread, asked to stop?"""
        return self._sess is None or self._sess.should_stop()

    def close(self):
        """Lets hooks end and closes the session."""
        self._close(None)

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        if exception_type in (errors.OutOfRangeError, StopIteration):
            exception_type = None
        self._close(exception_type)
        return exception_type is None

    def _close(self, exception_type):
        try:
            if not exception_type:
                for hook in self._hooks:
                    hook.end(self._creator.tf_sess)
        finally:
            try:
                if self._sess is None:
                    raise RuntimeError('Session is already closed.')
                self._sess.close()
            finally:
                self._sess = self._creator.tf_sess = self._creator.coord = None
                if not self._graph_was_finalized:
                    graph_lib.get_default_graph()._unsafe_unfinalize()

    def _is_closed(self):
        return self._creator.tf_sess is None

    def _tf_sess(self):
        return self._creator.tf_sess


class MonitoredSession(_MonitoredSession):
    """A session with hooks that begins anew, from the last checkpoint, when a step was aborted."""

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        super(MonitoredSession, self).__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks that does not recover from errors."""

    def __init__(self, hooks=None, scaffold=None, master='', config=None, checkpoint_dir=None, stop_grace_period_secs=120,
                 checkpoint_filename_with_path=None):
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super(SingularMonitoredSession, self).__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self):
        """The session without hooks."""
        return self._tf_sess()


class _CoordinatedCreator(SessionCreator):
    """Makes sessions with a coordinator, queue runners and hooks."""

    def __init__(self, session_creator, hooks, stop_grace_period_secs):
        self._session_creator, self._hooks, self._stop_grace_period_secs = session_creator, hooks, stop_grace_period_secs
        self.coord = self.tf_sess = None

    def create_session(self):
        self.tf_sess = self._session_creator.create_session()
        self.coord = coordinator.Coordinator(clean_stop_exception_types=[])
        if graph_lib.get_collection(GraphKeys.QUEUE_RUNNERS):
            queue_runner.start_queue_runners(sess=self.tf_sess, coord=self.coord)
        for hook in self._hooks:
            hook.after_create_session(self.tf_sess, self.coord)
        return _CoordinatedSession(_HookedSession(self.tf_sess, self._hooks), self.coord, self._stop_grace_period_secs)


class _WrappedSession(object):
    """A session around another one."""

    def __init__(self, sess):
        self._sess = sess

    graph = property(lambda self: self._sess.graph)
    sess_str = property(lambda self: self._sess.sess_str)

    def should_stop(self):
        if self._check_stop():
            return True
        if self._sess is None:
            return True
        return isinstance(self._sess, _WrappedSession) and self._sess.should_stop()

    def _check_stop(self):
        return False

    def close(self):
        if self._sess is None:
            return
        try:
            self._sess.close()
        except _PREEMPTION_ERRORS as e:
            _log().warning('An error occurred when attempting to close the session. This may be due to a preemption in a connected worker or '
                           'parameter server. Error: %s', e)
        finally:
            self._sess = None

    def run(self, *args, **kwargs):
        return self._sess.run(*args, **kwargs)

    def run_step_fn(self, step_fn, raw_session, run_with_hooks):
        return step_fn(StepContext(raw_session, run_with_hooks or self.run))


class _RecoverableSession(_WrappedSession):
    """Makes a new session when one was lost."""

    def __init__(self, creator):
        self._sess_creator = creator
        super(_RecoverableSession, self).__init__(self._create_session())

    def _create_session(self):
        while True:
            try:
                return self._sess_creator.create_session()
            except _PREEMPTION_ERRORS as e:
                self._report('was raised while a session was being created', e)

    @staticmethod
    def _report(what, error):
        _log().info('An error %s. This may be due to a preemption in a connected worker or parameter server. The current session will be '
                    'closed and a new session will be created. Error: %s', what, error)

    def _check_stop(self):
        try:
            return True if self._sess is None else self._sess._check_stop()
        except _PREEMPTION_ERRORS as e:
            self._report('was raised while considering whether the session is complete', e)
            self.close()
            self._sess = self._create_session()
            return False
        except Exception:  # pylint: disable=broad-except
            return True  # the next step reports it

    def _retry(self, call):
        while True:
            try:
                if self._sess is None:
                    self._sess = self._create_session()
                return call(self._sess)
            except _PREEMPTION_ERRORS as e:
                self._report('was raised', e)
                self.close()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        return self._retry(lambda sess: sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata))

    def run_step_fn(self, step_fn, raw_session, run_with_hooks):
        return self._retry(lambda sess: sess.run_step_fn(step_fn, raw_session, sess.run))


class _CoordinatedSession(_WrappedSession):
    """Stops with its coordinator, and raises the exceptions of its threads."""

    def __init__(self, sess, coord, stop_grace_period_secs=120):
        super(_CoordinatedSession, self).__init__(sess)
        self._coord, self._stop_grace_period_secs = coord, stop_grace_period_secs

    def _check_stop(self):
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self):
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True)
        finally:
            try:
                super(_CoordinatedSession, self).close()
            except Exception:  # pylint: disable=broad-except
                pass  # what join raised says more

    def run(self, *args, **kwargs):
        try:
            return self._sess.run(*args, **kwargs)
        except _PREEMPTION_ERRORS:
            raise
        except Exception as e:  # pylint: disable=broad-except
            try:
                self._coord.raise_requested_exception()
            except _PREEMPTION_ERRORS:
                raise  # the loss of a peer is what lies behind it
            except Exception:  # pylint: disable=broad-except
                pass
            raise e


class _HookedSession(_WrappedSession):
    """Calls hooks around each step."""

    def __init__(self, sess, hooks):
        super(_HookedSession, self).__init__(sess)
        self._hooks, self._should_stop, self._plans = hooks, False, {}

    def _check_stop(self):
        return self._should_stop

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self.should_stop():
            raise RuntimeError('Run called even after should_stop requested.')
        context = session_run_hook.SessionRunContext(session_run_hook.SessionRunArgs(fetches, feed_dict), self._sess)
        asking, wanted, feeds = [], [fetches], {}
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                asking.append(hook)
                wanted.append(request.fetches)
            if request.feed_dict:
                _check_feeds(feeds, request.feed_dict, 'Same tensor is fed by two hooks.')
                feeds.update(request.feed_dict)
            if request.options:
                options = _merged(options, request.options)
        if feeds and feed_dict:
            _check_feeds(feed_dict, feeds, 'Same tensor is fed by a SessionRunHook and user.')
        feeds.update(feed_dict or {})
        if options is not None and run_metadata is None:
            run_metadata = protos.message('RunMetadata')()
        results = self._fetch(wanted, feeds or None, options, run_metadata)
        of_hooks = dict(zip(asking, results[1:]))
        for hook in self._hooks:
            hook.after_run(context, session_run_hook.SessionRunValues(of_hooks.get(hook), options, run_metadata))
        self._should_stop = self._should_stop or context.stop_requested
        return results[0]

    def _fetch(self, wanted, feeds, options, run_metadata):
        """What the session gives, in the structure of `wanted`. How that is put together is found once for each structure."""
        try:
            key = _structure(wanted)
            plan = self._plans.get(key)
        except TypeError:  # something that cannot be a key
            return self._sess.run(wanted, feed_dict=feeds, options=options, run_metadata=run_metadata)
        if plan is None:
            graph = self._sess.graph
            found = session_lib._Fetches(graph, wanted)
            flat = tuple([graph._tensor(h) for h in found.handles] + [graph._operation(t) for t in found.targets])
            plan = self._plans[key] = (flat, len(found.handles), found.build)
        flat, count, build = plan
        return build(self._sess.run(flat, feed_dict=feeds, options=options, run_metadata=run_metadata)[:count])


def _structure(value):
    """A key for what is fetched: equal for equal structures of the same objects."""
    kind = type(value)
    if kind is dict:
        return kind, tuple(value), tuple([_structure(v) for v in value.values()])
    if kind is list or isinstance(value, tuple):
        return kind, tuple([_structure(v) for v in value])
    hash(value)
    return value


def _check_feeds(feeds, others, text):
    both = [key for key in feeds if key in others]
    if both:
        raise RuntimeError(text + ' Conflict(s): ' + str(both))


def _merged(options, more):
    """Options that trace as much, and wait as long, as either asks for."""
    result = type(more)()
    if options is not None:
        result.CopyFrom(options)
    result.trace_level = max(result.trace_level, more.trace_level)
    result.timeout_in_ms = max(result.timeout_in_ms, more.timeout_in_ms)
    result.output_partition_graphs = result.output_partition_graphs or more.output_partition_graphs
    result.report_tensor_allocations_upon_oom = (result.report_tensor_allocations_upon_oom
                                                 or more.report_tensor_allocations_upon_oom)
    return result
