"""Variables that start from other variables: their initial values do not depend on the order in which initialisers run."""
from headrace.tf1.framework import graph as graph_lib
from headrace.tf1.framework.graph import GraphKeys

_VARIABLES = ('VariableV2', 'Variable')
# What needs no initialised variable, or decides itself.
_ENDS = ('IsVariableInitialized', 'VarIsInitializedOp', 'ReadVariableOp', 'If')


def initialized_value(variable):
    """The variable's value if it is initialised when the graph runs, else its initial value."""
    from headrace.tf1.framework import control_flow
    with graph_lib.control_dependencies(None):
        return control_flow.cond(variable.is_initialized(), variable.read_value, lambda: variable.initial_value)


def guarded(value, scope):
    """A copy of the initial value of the variable in `scope` that takes the initialized_value of the variables it depends on.

    The value itself where it depends on none, or lies behind a loop. Nodes of the copy are called "<original>_<variable>".
    """
    graph = value.graph
    core = graph._core
    order = _in_order(core, value.op._id)
    if order is None or not any(core.node_op(node) in _VARIABLES for node in order):
        return value
    variables = {v.op._id: v for key in (GraphKeys.LOCAL_VARIABLES, GraphKeys.GLOBAL_VARIABLES)
                 for v in graph.get_collection(key) if hasattr(v, 'initialized_value')}
    copies = {}  # node -> operation
    for node in order:
        kind = core.node_op(node)
        if kind in _VARIABLES:
            if node in variables:
                copies[node] = variables[node].initialized_value().op
            continue
        inputs = [graph._tensor(handle) for handle in core.node_inputs(node)]
        if kind in _ENDS or not any(t.op._id in copies for t in inputs):
            continue
        op = graph._operation(node)
        copies[node] = graph.create_op('Switch' if kind == 'RefSwitch' else kind,
                                       [copies[t.op._id]._outputs[t.value_index] if t.op._id in copies else t for t in inputs],
                                       name='%s_%s' % (op.name, scope.replace(':', '_')), attrs=op.node_def.attr)
    return copies[value.op._id]._outputs[value.value_index] if value.op._id in copies else value


def _in_order(core, last):
    """Ids of the nodes that `last` depends on, itself included, each after its inputs; None if they form a circle."""
    order, done, open_nodes = [], set(), set()
    stack = [(last, False)]
    while stack:
        node, left = stack.pop()
        if left:
            open_nodes.discard(node)
            done.add(node)
            order.append(node)
            continue
        if node in done:
            continue
        if node in open_nodes:
            return None
        open_nodes.add(node)
        stack.append((node, True))
        if core.node_op(node) not in _ENDS:
            before = [handle >> graph_lib.INDEX_BITS for handle in core.node_inputs(node)]
            stack.extend((n, False) for n in reversed(before) if n not in done)
    return order
