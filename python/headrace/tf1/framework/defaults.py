"""The default graph and the default session of each thread."""
import threading


class _Stacks(threading.local):
    def __init__(self):
        super(_Stacks, self).__init__()
        self.graphs, self.sessions = [], []


_stacks = _Stacks()
_global_graph = None
_global_lock = threading.Lock()


def default_graphs():
    """The stack of this thread's default graphs."""
    return _stacks.graphs


class Default(object):
    """Puts an object on a stack inside a `with` block."""
    __slots__ = ('_stack', '_object')

    def __init__(self, stack, item):
        self._stack, self._object = stack, item

    def __enter__(self):
        self._stack.append(self._object)
        return self._object

    def __exit__(self, *unused):
        if not self._stack or self._stack[-1] is not self._object:
            if self._object in self._stack:
                self._stack.remove(self._object)
                raise AssertionError('Nesting violated for default stack of %s objects' % type(self._object))
            return False
        self._stack.pop()
        return False


def get_default_graph():
    """The graph that new nodes go to."""
    stack = _stacks.graphs
    if stack:
        return stack[-1]
    global _global_graph
    if _global_graph is None:
        with _global_lock:
            if _global_graph is None:
                from headrace.tf1.framework.graph import Graph
                _global_graph = Graph()
    return _global_graph


def reset_default_graph():
    """Forgets the global default graph."""
    if _stacks.graphs:
        raise AssertionError('Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting '
                             'and create a new graph.')
    global _global_graph
    _global_graph = None


def get_default_session():
    return _stacks.sessions[-1] if _stacks.sessions else None


def default_session(session):
    """Makes a session the default one inside a `with` block."""
    return Default(_stacks.sessions, session)


def session_for(session, graph, what):
    """`session`, or the default one, which must be of that graph. ValueError if it is not, or if there is none."""
    method = 'run' if what == 'run operation' else 'eval'
    what = 'execute operation' if method == 'run' else what
    if session is None:
        session = get_default_session()
        if session is None:
            raise ValueError('Cannot %s using `%s()`: No default session is registered. Use `with sess.as_default()%s` or pass an explicit '
                             'session to `%s(session=sess)`' % (what, method, ':' if method == 'run' else '', method))
        if session.graph is not graph:
            whose = "the operation's" if method == 'run' else "the tensor's"
            raise ValueError("Cannot use the default session to %s: %s graph is different from the session's graph. Pass an "
                             'explicit session to `%s(session=sess)`.' % (what, whose, method))
    elif session.graph is not graph:
        whose = "the operation's" if method == 'run' else "the tensor's"
        raise ValueError("Cannot use the given session to %s: %s graph is different from the session's graph." % (what, whose))
    return session
