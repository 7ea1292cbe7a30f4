"""Sessions: run parts of a graph (tf.Session, tf.InteractiveSession)."""
import sys
import weakref

import numpy as np

from headrace import _core
from headrace.tf1.framework import dtypes, errors, graph as graph_lib
from headrace.tf1.framework.graph import IndexedSlices, IndexedSlicesValue, Operation, Tensor

_servers = {}  # target -> tf.train.Server; they live as long as the process, as programs keep only the target
_sessions_of_servers = weakref.WeakSet()


def add_server(target, server):
    """From now on `target` means that server of this process."""
    _servers[target] = server


def server_core(config, job, task):
    """The engine's part of a server, with the devices that its ConfigProto says."""
    return _core.Server(dict(session_options(config), job=job, task=task))


def _server_of(target):
    """The server that a session's target means, None for the process itself. Errors: NotFound, NotImplementedError for those of others."""
    if target in ('', 'local'):
        return None
    server = _servers.get(target)
    if server is not None:
        return server
    here = ', '.join(repr(t) for t in sorted(_servers)) or 'none'
    if target.startswith('grpc://'):
        raise NotImplementedError("a session of another process (target %r) is not here yet: use target '', or that of a tf.train.Server of this "
                                  'process (there: %s)' % (target, here))
    raise errors.NotFoundError(None, None, 'No session factory registered for the given session options: {target: "%s"} Registered factories are '
                               "{DIRECT_SESSION, GRPC_SESSION}.\n    wanted is '' or the target of a tf.train.Server (there: %s)" % (target, here))


# Of a loop that fetches something new in every run, not all steps are kept.
_MOST_STEPS = 256

# type -> (fetch -> (list of tensors or operations, function of their values), (key, value) of a feed -> [(tensor, value)])
_expansions = []


def register_session_run_conversion_functions(tensor_type, fetch_function, feed_function=None, feed_function_for_partial_run=None):
    """How objects of a type are fetched and fed."""
    for existing, _, _ in _expansions:
        if issubclass(tensor_type, existing):
            raise ValueError('%s has already been registered so ignore it.' % tensor_type)
    _expansions.insert(0, (tensor_type, fetch_function, feed_function))


def _expansion_of(value):
    for tensor_type, fetch, feed in _expansions:
        if isinstance(value, tensor_type):
            return fetch, feed
    return None


def _fetch_slices(value):
    if value.dense_shape is None:
        return [value.values, value.indices], lambda v: IndexedSlicesValue(v[0], v[1], None)
    return [value.values, value.indices, value.dense_shape], lambda v: IndexedSlicesValue(*v)


def _feed_slices(key, value):
    tensors = [key.values, key.indices] + ([key.dense_shape] if key.dense_shape is not None else [])
    return list(zip(tensors, value))


register_session_run_conversion_functions(IndexedSlices, _fetch_slices, _feed_slices)


class _Fetches(object):
    """What a fetch argument stands for: handles, target nodes, and how results are put together."""

    def __init__(self, graph, fetches):
        self.graph = graph
        self.handles, self.targets = [], []
        self._positions = {}
        self.build = self._plan(fetches, fetches)

    def _tensor(self, tensor):
        position = self._positions.get(tensor._handle)
        if position is None:
            position = self._positions[tensor._handle] = len(self.handles)
            self.handles.append(tensor._handle)
        return position

    def _plan(self, fetch, whole):
        """A function from the list of values to what `fetch` gives."""
        if fetch is None:
            raise TypeError('Fetch argument %r has invalid type %r' % (fetch, type(fetch)))
        if isinstance(fetch, (list, tuple)):
            parts = [self._plan(f, whole) for f in fetch]
            if isinstance(fetch, tuple) and hasattr(fetch, '_fields'):
                made = type(fetch)
                return lambda values: made(*[p(values) for p in parts])
            made = type(fetch)
            if made is list:
                return lambda values: [p(values) for p in parts]
            return lambda values: made([p(values) for p in parts])
        if isinstance(fetch, dict) or hasattr(fetch, 'keys') and hasattr(fetch, '__getitem__'):
            keys, parts = list(fetch.keys()), [self._plan(fetch[k], whole) for k in fetch.keys()]
            made = type(fetch)
            if made is dict:
                return lambda values: {k: p(values) for k, p in zip(keys, parts)}
            return lambda values: made([(k, p(values)) for k, p in zip(keys, parts)])
        if not isinstance(fetch, (str, bytes, Tensor, Operation)):
            expansion = _expansion_of(fetch)
            if expansion is not None:
                items, contract = expansion[0](fetch)
                parts = [self._plan(item, whole) for item in items]
                return lambda values: contract([p(values) for p in parts])
        try:
            element = self.graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as e:
            raise TypeError('Fetch argument %r has invalid type %r, must be a string or Tensor. (%s)' % (fetch, type(fetch), e))
        except ValueError as e:
            raise ValueError('Fetch argument %r cannot be interpreted as a Tensor. (%s)' % (fetch, e))
        except KeyError as e:
            raise ValueError('Fetch argument %r cannot be interpreted as a Tensor. (%s)' % (fetch, e))
        if not self.graph.is_fetchable(element):
            raise ValueError('Operation %r has been marked as not fetchable.' % element.name)
        if isinstance(element, Operation):
            self.targets.append(element._id)
            return lambda values: None
        position = self._tensor(element)
        return lambda values: values[position]


class BaseSession(object):
    """A session without the `with` statement: see Session."""

    def __init__(self, target='', graph=None, config=None):
        if graph is None:
            graph = graph_lib.get_default_graph()
        elif not isinstance(graph, graph_lib.Graph):
            raise TypeError('graph must be a tf.Graph, but got %s' % type(graph))
        if isinstance(target, str):
            target = target.encode()
        if not isinstance(target, bytes):
            raise TypeError('target must be a string, but got %s' % type(target))
        if config is not None and not hasattr(config, 'gpu_options'):
            raise TypeError('config must be a tf.ConfigProto, but got %s' % type(config))
        self._server = _server_of(target.decode())
        self._graph, self._target, self._config = graph, target, config
        self._options = session_options(config)
        self._session = _core.Session(graph._core, self._options, None if self._server is None else self._server._core)
        if self._server is not None:
            _sessions_of_servers.add(self)
        self._closed = self._reset = False
        self._opened = True
        self._steps = {}
        self._default_session = None

    # ---- properties

    @property
    def graph(self):
        return self._graph

    @property
    def graph_def(self):
        return self._graph.as_graph_def()

    @property
    def sess_str(self):
        return self._target

    def list_devices(self):
        """Devices of this session."""
        import collections
        attributes = collections.namedtuple('_DeviceAttributes', ['name', 'device_type', 'memory_limit_bytes', 'incarnation'])
        return [attributes(d['name'], d['device_type'], d['memory_limit_bytes'], 1) for d in self._session.devices()]

    def placement(self, op):
        """Full name of the device where an operation runs in this session."""
        return self._session.placement(graph_lib.op_of(op)._id)

    def placement_report(self):
        """A table: node, op, requested device, assigned device, reason."""
        return self._session.placement_report()

    def close(self):
        """Ends what runs and frees variables."""
        if not self._closed:
            self._closed = True
            self._steps.clear()
            self._session.close()

    def as_default(self):
        return graph_lib.default_session(self)

    # ---- running

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Values of the fetches, in the structure in which they are given.

        fetches: a tensor, operation (gives None), name, or nested lists, tuples and dicts of these. feed_dict: values of tensors.
        Errors: tf.errors.OpError of the first node that failed; ValueError, TypeError for what cannot be fetched or fed.
        """
        key = None
        if options is None and run_metadata is None:
            try:
                kind = type(fetches)
                if kind is list or kind is tuple:
                    key = (kind, tuple(fetches), tuple(feed_dict) if feed_dict else None)
                else:
                    key = (fetches, tuple(feed_dict) if feed_dict else None)
                found = self._steps.get(key)
            except TypeError:
                key = found = None
            if found is not None:
                step, build, plain = found
                if plain and (not feed_dict or hasattr(feed_dict, 'values')):
                    try:
                        return build(step.run(list(feed_dict.values()) if feed_dict else ()))
                    except (errors.OpError, ValueError, TypeError, OverflowError, NotImplementedError) as e:
                        error = e
                    self._raise(error, feed_dict)
        return self._run(fetches, feed_dict, options, run_metadata, key)

    def _check_open(self):
        if self._reset:
            raise errors.AbortedError(None, None, 'Session %x is not found.\n    Session.reset of %r closed it' % (id(self), self._target.decode()))
        if self._closed:
            raise RuntimeError('Attempted to use a closed Session.')
        if self._graph.version == 0:
            raise RuntimeError('The Session graph is empty.  Add operations to the graph before calling run().')

    def _run(self, fetches, feed_dict, options, run_metadata, key):
        self._check_open()
        feeds, plain = self._feeds(feed_dict)
        plan = _Fetches(self._graph, fetches)
        step = self._step([t for t, _ in feeds], plan)
        if key is not None:
            if len(self._steps) >= _MOST_STEPS:
                self._steps.clear()  # one call for all: other threads may be looking
            try:
                self._steps[key] = step, plan.build, plain
            except TypeError:
                pass
        trace, timeout = None, 0
        if options is not None:
            timeout = options.timeout_in_ms
            if options.trace_level > 0:
                trace = _core.StepTrace()
        try:
            values = step.run([v for _, v in feeds], timeout, trace)
        except (errors.OpError, ValueError, TypeError, OverflowError, NotImplementedError) as e:
            error = e
        else:
            if run_metadata is not None and trace is not None:
                run_metadata.ParseFromString(trace.run_metadata())
            return plan.build(values)
        self._raise(error, feed_dict)

    def _step(self, feed_tensors, plan):
        if self._options.get('log_device_placement'):
            sys.stdout.flush()
        try:
            return self._session.make_step([t._handle for t in feed_tensors], plan.handles, plan.targets)
        except errors.OpError as e:
            error = errors.with_op(e, self._graph)
        raise error

    def _feeds(self, feed_dict):
        """([(tensor, value)], can the values be taken from the dict as they are?)"""
        feeds, plain = [], True
        if feed_dict is not None and not hasattr(feed_dict, 'items'):
            raise TypeError('input must be a dictionary of tensors and their values, got feed_dict=%r' % (feed_dict,))
        for key, value in (feed_dict or {}).items():
            expansion = None if isinstance(key, Tensor) else _expansion_of(key)
            if expansion is not None and expansion[1] is not None:
                plain = False
                feeds.extend((self._feed_tensor(k), v) for k, v in expansion[1](key, value))
            elif isinstance(key, (tuple, list)) and isinstance(value, (tuple, list)):
                plain = False
                for k, v in zip(key, value):
                    more, _ = self._feeds({k: v})
                    feeds.extend(more)
            else:
                feeds.append((self._feed_tensor(key), value))
        seen = set()
        for tensor, value in feeds:
            if tensor._handle in seen:
                raise ValueError('Tensor %r is fed twice' % tensor.name)
            seen.add(tensor._handle)
            _check_feed_value(tensor, value)
        return feeds, plain

    def _feed_tensor(self, key):
        try:
            tensor = self._graph.as_graph_element(key, allow_operation=False)
        except Exception as e:
            raise TypeError('Cannot interpret feed_dict key as Tensor: %s' % e.args[0])
        if not self._graph.is_feedable(tensor):
            raise ValueError('Tensor %s may not be fed.' % tensor)
        return tensor

    def _raise(self, error, feed_dict):
        """Raises what TensorFlow raises: a feed that does not fit is a ValueError or TypeError."""
        self._check_open()
        if feed_dict and not isinstance(error, errors.OpError) or isinstance(error, errors.InvalidArgumentError):
            feeds, _ = self._feeds(feed_dict)
            for tensor, value in feeds:
                _explain_feed(tensor, value)
        if isinstance(error, errors.OpError):
            errors.with_op(error, self._graph)
            if self._server is not None and not error._message.startswith('Cannot assign a device'):  # which the master says
                definition = self._server.server_def
                error._message = 'From /job:%s/replica:0/task:%d:\n%s' % (definition.job_name, definition.task_index, error._message)
        raise error

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function of the values of `feed_list` that runs the fetches: faster than run, as all is resolved once."""
        self._check_open()
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError('`feed_list` must be a list or tuple.')
        tensors = [self._feed_tensor(t) for t in feed_list or []]
        plan = _Fetches(self._graph, fetches)
        if accept_options:
            def with_options(*args, **kwargs):
                return self.run(fetches, dict(zip(tensors, args)), kwargs.get('options'), kwargs.get('run_metadata'))
            return with_options

        def explain(error, values):
            if isinstance(error, (errors.OpError, ValueError, TypeError)):
                self._raise(error, dict(zip(tensors, values)))
            raise error
        return _core.Call(self._step(tensors, plan), None if isinstance(fetches, Tensor) else plan.build, explain)

    def partial_run_setup(self, fetches, feeds=None):
        raise NotImplementedError('partial runs are not here: fetch all in one run')

    def partial_run(self, handle, fetches, feed_dict=None):
        raise NotImplementedError('partial runs are not here: fetch all in one run')


def _check_feed_value(tensor, value):
    if isinstance(value, Tensor) or hasattr(value, '_as_tensor'):
        raise TypeError('The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, lists, '
                        'numpy ndarrays, or TensorHandles. For reference, the tensor object was %s which was passed to the feed with key %s.'
                        % (value, tensor))


def _explain_feed(tensor, value):
    dtype = tensor.dtype.base_dtype
    if isinstance(value, int) and not isinstance(value, bool) and dtype.is_integer:
        if not dtype.min <= value <= dtype.max:
            raise TypeError('Type of feed value %s with type %s is not compatible with Tensor type %s. Try explicitly setting the type of '
                            'the feed tensor to a larger type (e.g. int64).' % (value, type(value), dtype.as_numpy_dtype))
    numpy_dtype = None if dtype is dtypes.string else dtype.as_numpy_dtype
    array = np.asarray(value, dtype=numpy_dtype)
    shape = tensor.shape
    if not shape.is_compatible_with(array.shape):
        raise ValueError('Cannot feed value of shape %r for Tensor %r, which has shape %r' % (array.shape, tensor.name, str(shape)))


class Session(BaseSession):
    """Runs a graph: `with tf.Session() as sess: sess.run(fetches, {placeholder: value})`."""

    def __init__(self, target='', graph=None, config=None):
        super(Session, self).__init__(target, graph, config)
        self._contexts = []

    def __enter__(self):
        graph_context, session_context = self._graph.as_default(), self.as_default()
        graph_context.__enter__()
        session_context.__enter__()
        self._contexts.append((graph_context, session_context))
        return self

    def __exit__(self, exc_type, exc_value, exc_tb):
        graph_context, session_context = self._contexts.pop()
        session_context.__exit__(exc_type, exc_value, exc_tb)
        graph_context.__exit__(exc_type, exc_value, exc_tb)
        self.close()
        return False

    @staticmethod
    def reset(target, containers=None, config=None):
        """Frees the variables and queues that the containers of a server hold (None: those outside of named ones), and closes its sessions."""
        server = _server_of(target)
        if server is None:
            raise errors.UnimplementedError(None, None, 'Reset() not supported.\n    a session without a server frees what it holds when it closes')
        for session in list(_sessions_of_servers):
            if session._server is server:
                session.close()
                session._reset = True
        for container in containers or ['']:
            server._core.reset(container)


class InteractiveSession(BaseSession):
    """A session that is the default one from the moment it is made."""
    _active = 0

    def __init__(self, target='', graph=None, config=None):
        super(InteractiveSession, self).__init__(target, graph, config)
        if InteractiveSession._active > 0:
            import warnings
            warnings.warn('An interactive session is already active. This can cause out-of-memory errors in some cases. You must '
                          'explicitly call `InteractiveSession.close()` to release resources held by the other session(s).')
        InteractiveSession._active += 1
        self._explicit_graph = graph
        self._contexts = [self.as_default()]
        if graph is not None:
            self._contexts.append(graph.as_default())
        for context in self._contexts:
            context.__enter__()
        self._counted = True

    def close(self):
        super(InteractiveSession, self).close()
        if self._counted:
            self._counted = False
            InteractiveSession._active -= 1
            for context in reversed(self._contexts):
                stack = context._stack
                if stack and stack[-1] is context._object:
                    stack.pop()
                elif context._object in stack:
                    stack.remove(context._object)


def session_options(config):
    """The engine's options for a ConfigProto (None: all defaults)."""
    options = {}
    if config is None:
        return options
    gpu = config.gpu_options
    if config.allow_soft_placement:
        options['allow_soft_placement'] = True
    if config.log_device_placement:
        options['log_device_placement'] = True
    counts = dict(config.device_count)
    if 'CPU' in counts:
        options['cpu_count'] = max(counts['CPU'], 1)
    if 'GPU' in counts:
        options['gpu_count'] = counts['GPU']
    if config.intra_op_parallelism_threads > 0:
        options['threads'] = config.intra_op_parallelism_threads
    if config.operation_timeout_in_ms > 0:
        options['timeout_ms'] = config.operation_timeout_in_ms
    if gpu.per_process_gpu_memory_fraction > 0:
        options['gpu_memory_fraction'] = gpu.per_process_gpu_memory_fraction
    if gpu.allow_growth:
        options['gpu_allow_growth'] = True
    if gpu.visible_device_list:
        options['visible_device_list'] = gpu.visible_device_list
    if config.graph_options.optimizer_options.opt_level < 0 and config.graph_options.rewrite_options.disable_meta_optimizer:
        options['optimize'] = False
    return options
