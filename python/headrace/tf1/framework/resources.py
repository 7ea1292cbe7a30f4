"""Resources that a program makes and that must be initialised: tables, trees (tensorflow.python.ops.resources)."""
import collections

from headrace.tf1.framework import array, control, convert, dtypes, graph as graph_lib, math
from headrace.tf1.framework.graph import GraphKeys

_Resource = collections.namedtuple('_Resource', ['handle', 'create', 'is_initialized'])


def register_resource(handle, create_op, is_initialized_op, is_shared=True):
    """Puts a resource into the collection of shared (or else local) resources."""
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    graph_lib.add_to_collection(key, _Resource(handle, create_op, is_initialized_op))


def shared_resources():
    """Resources that the tasks of a cluster share."""
    return graph_lib.get_collection(GraphKeys.RESOURCES)


def local_resources():
    """Resources of this task."""
    return graph_lib.get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(resource_list=None, name='report_uninitialized_resources'):
    """Names of the handles of resources that are not initialised. DTypes: string."""
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    with graph_lib.name_scope(name), graph_lib.device('/cpu:0'):
        if not resource_list:
            return convert.constant([], dtype=dtypes.string)
        lacking = math.logical_not(array.stack([r.is_initialized for r in resource_list]))
        return array.boolean_mask(convert.constant([r.handle.name for r in resource_list]), lacking)


def initialize_resources(resource_list, name='init'):
    """The operation that makes them all."""
    return control.group(*[r.create for r in resource_list], name=name) if resource_list else control.no_op(name=name)
