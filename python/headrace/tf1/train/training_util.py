"""The count of updates so far: an integer variable that optimizers increment and schedules read."""
from headrace.tf1.framework import dtypes, graph as graph_lib, variables
from headrace.tf1.framework.graph import GraphKeys, Tensor

GLOBAL_STEP_READ_KEY = 'global_step_read_op_cache'


def global_step(sess, global_step_tensor):
    """Its value in a session, as an int."""
    return int(sess.run(global_step_tensor))


def get_global_step(graph=None):
    """The graph's global step, or None if it has none. TypeError for one that is no integer scalar."""
    graph = graph or graph_lib.get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        from headrace.tf1 import logging
        logging.error('Multiple tensors in global_step collection.')
        return None
    if found:
        step = found[0]
    else:
        try:
            step = graph.get_tensor_by_name('global_step:0')
        except KeyError:
            return None
    assert_global_step(step)
    return step


def create_global_step(graph=None):
    """Makes the variable "global_step" (int64). ValueError if there is one."""
    from headrace.tf1.framework import variable_scope
    from headrace.tf1.train import slot_creator
    graph = graph or graph_lib.get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return variable_scope.get_variable(
            GraphKeys.GLOBAL_STEP, shape=[], dtype=dtypes.int64, initializer=slot_creator.zeros_initializer, trainable=False,
            aggregation=variables.VariableAggregation.ONLY_FIRST_REPLICA,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])


def get_or_create_global_step(graph=None):
    """The graph's global step, made if there is none."""
    graph = graph or graph_lib.get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor):
    """TypeError unless it is an integer scalar."""
    if not isinstance(global_step_tensor, (variables.Variable, Tensor)):
        raise TypeError('Existing "global_step" must be a Variable or Tensor: %s.' % global_step_tensor)
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError('Existing "global_step" does not have integer type: %s' % global_step_tensor.dtype)
    shape = global_step_tensor.get_shape()
    if shape.ndims != 0 and shape.is_fully_defined():
        raise TypeError('Existing "global_step" is not scalar: %s' % shape)


def _get_or_create_global_step_read(graph=None):
    """A tensor of the step's value before this run's updates; one for each graph. None without a global step."""
    graph = graph or graph_lib.get_default_graph()
    found = graph.get_collection(GLOBAL_STEP_READ_KEY)
    if len(found) > 1:
        raise RuntimeError('There are multiple items in collection %s. There should be only one.' % GLOBAL_STEP_READ_KEY)
    if found:
        return found[0]
    step = get_global_step(graph)
    if step is None:
        return None
    with graph.as_default(), graph.name_scope(None), graph.name_scope(step.op.name + '/'):
        value = step.initialized_value() if isinstance(step, variables.Variable) else step
        graph.add_to_collection(GLOBAL_STEP_READ_KEY, value + 0)
    return graph.get_collection(GLOBAL_STEP_READ_KEY)[0]


def _increment_global_step(increment, graph=None):
    """An operation that adds to the step, after hooks have read it."""
    graph = graph or graph_lib.get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError('Global step tensor should be created by tf.train.get_or_create_global_step before calling increment.')
    read = _get_or_create_global_step_read(graph)
    with graph.as_default(), graph.name_scope(None), graph.name_scope(step.op.name + '/'):
        with graph.control_dependencies([read]):
            return variables.assign_add(step, increment)
