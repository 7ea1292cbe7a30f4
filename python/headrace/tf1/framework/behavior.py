"""Which of TensorFlow's ways of working this is: graphs, never eager execution or version 2's."""
import contextlib

from headrace.tf1.framework import control, graph as graph_lib


def executing_eagerly():
    """False: nodes are made first and run by sessions."""
    return False


def _already_so():
    pass


disable_eager_execution = disable_v2_behavior = disable_v2_tensorshape = disable_control_flow_v2 = disable_tensor_equality = _already_so


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    raise NotImplementedError('eager execution is not in Headrace: make a graph, and run it with a tf.Session')


def enable_v2_behavior():
    raise NotImplementedError("version 2's behaviour is not in Headrace: it implements TensorFlow 1's graphs and sessions")


def control_flow_v2_enabled():
    return False


@contextlib.contextmanager
def init_scope():
    """Nodes made inside wait for nothing outside, and keep their name scope."""
    with graph_lib.control_dependencies(None):
        yield


def tables_initializer(name='init_all_tables'):
    """An operation that initialises all lookup tables."""
    initializers = graph_lib.get_collection(graph_lib.GraphKeys.TABLE_INITIALIZERS)
    return control.group(*initializers, name=name) if initializers else control.no_op(name=name)


initialize_all_tables = tables_initializer
