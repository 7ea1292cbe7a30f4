"""Functions that work on the default graph: scopes, collections, seeds."""
from headrace.tf1.framework.defaults import get_default_graph
from headrace.tf1.framework.elements import graph_of


class name_scope(object):  # pylint: disable=invalid-name
    """`with tf.name_scope("layer") as scope:` or, inside a function, `tf.name_scope(name, "default", [inputs])`."""

    def __init__(self, name, default_name=None, values=None):
        self._name = default_name if name is None else name
        self._given = name
        if self._name is None and values is not None:
            raise ValueError('At least one of name (%s) and default_name (%s) must be provided.' % (name, default_name))
        self._values = values

    @property
    def name(self):
        return self._name

    def __enter__(self):
        graph = graph_of(self._values) if self._values else get_default_graph()
        self._default = None if graph is get_default_graph() else graph.as_default()
        if self._default is not None:
            self._default.__enter__()
        try:
            self._scope = graph.name_scope(self._name)
            return self._scope.__enter__()
        except Exception:
            if self._default is not None:
                self._default.__exit__()
            raise

    def __exit__(self, *exc):
        self._scope.__exit__(*exc)
        if self._default is not None:
            self._default.__exit__(*exc)
        return False


def op_scope(values, name, default_name=None):
    return name_scope(name, default_name, values)


def device(device_name_or_function):
    return get_default_graph().device(device_name_or_function)


def control_dependencies(control_inputs):
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op, ignore_existing=False):
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name):
    return get_default_graph().container(container_name)


def add_to_collection(name, value):
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None):
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key):
    return get_default_graph().get_collection_ref(key)


def get_all_collection_keys():
    return get_default_graph().get_all_collection_keys()


def set_random_seed(seed):
    """Seed of the default graph: with it, random ops give the same numbers in every run."""
    get_default_graph().seed = seed


def get_seed(op_seed):
    """(seed, seed2) for a random op, by TensorFlow 1's rule."""
    graph_seed = get_default_graph().seed
    largest = 2 ** 31 - 1
    if graph_seed is not None:
        op_seed = get_default_graph()._last_id if op_seed is None else op_seed
        seeds = int(graph_seed) % largest, int(op_seed) % largest
    elif op_seed is not None:
        seeds = 87654321, int(op_seed) % largest
    else:
        return None, None
    return (0, largest) if seeds == (0, 0) else seeds
