"""tf.graph_util: graphs as messages, cut down, frozen, simplified."""
import re

from headrace.tf1.framework import dtypes, graph as graph_lib, protos
from headrace.tf1.framework.importer import import_graph_def  # noqa: F401

_VARIABLE_OPS = frozenset(['Assign', 'AssignAdd', 'AssignSub', 'Queue', 'ScatterAdd', 'ScatterSub', 'ScatterUpdate', 'TruncatedNormal',
                           'Variable', 'VariableV2'])
# op -> attribute with the dtype of what lies in the host's memory
_HOST = {'Const': ('dtype', (dtypes.string, dtypes.int32)), 'DynamicStitch': ('T', (dtypes.int32,)),
         'ParallelDynamicStitch': ('T', (dtypes.int32,)), 'Cast': ('SrcT', (dtypes.int32,))}


def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """Must the node (an Operation or NodeDef) run on a CPU?"""
    node = node.node_def if isinstance(node, graph_lib.Operation) else node
    if pin_variables_on_cpu and node.op in _VARIABLE_OPS:
        return True
    attr, types = _HOST.get(node.op, (None, ()))
    return attr is not None and dtypes.of(node.attr[attr].type) in types


def _node_name(name):
    return name[1:] if name.startswith('^') else name.split(':')[0]


def extract_sub_graph(graph_def, dest_nodes):
    """The part of a GraphDef that the nodes named `dest_nodes` need. AssertionError for one that is not there."""
    if not isinstance(graph_def, protos.message('GraphDef')):
        raise TypeError('graph_def must be a graph_pb2.GraphDef proto.')
    if isinstance(dest_nodes, (str, bytes)):
        raise TypeError('dest_nodes must be a list.')
    nodes = {n.name: n for n in graph_def.node}
    for name in dest_nodes:
        assert name in nodes, '%s is not in graph' % name
    keep, pending = set(), list(dest_nodes)
    while pending:
        name = pending.pop()
        if name in keep or name not in nodes:
            continue
        keep.add(name)
        node = nodes[name]
        pending.extend(_node_name(i) for i in node.input)
        if '_class' in node.attr:
            pending.extend(s.decode()[5:] for s in node.attr['_class'].list.s if s.startswith(b'loc:@'))
    result = type(graph_def)()
    result.node.extend(n for n in graph_def.node if n.name in keep)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def tensor_shape_from_node_def_name(graph, input_name):
    """The shape of a node's first output, or of a tensor given as "name:index"."""
    return graph.get_tensor_by_name(input_name if ':' in input_name else input_name + ':0').get_shape()


def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None,
                                   variable_names_blacklist=None):
    """What the outputs need of a GraphDef, with constants of the session's values in the place of variables."""
    from headrace.tf1 import logging
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    names = [n.name for n in graph_def.node if n.op in ('Variable', 'VariableV2')
             and (variable_names_whitelist is None or n.name in variable_names_whitelist)
             and (variable_names_blacklist is None or n.name not in variable_names_blacklist)]
    values = dict(zip(names, sess.run([name + ':0' for name in names]) if names else []))
    logging.info('Froze %d variables.', len(values))
    result = type(graph_def)()
    for node in graph_def.node:
        if node.name not in values:
            result.node.add().CopyFrom(node)
            continue
        constant = result.node.add(op='Const', name=node.name)
        constant.attr['dtype'].CopyFrom(node.attr['dtype'])
        constant.attr['value'].tensor.CopyFrom(
            protos.make_tensor_proto(values[node.name], dtypes.of(node.attr['dtype'].type), values[node.name].shape))
    result.library.CopyFrom(graph_def.library)
    logging.info('Converted %d variables to const ops.', len(values))
    return result


def remove_training_nodes(input_graph, protected_nodes=None):
    """A GraphDef without nodes that only training needs: CheckNumerics, and Identity where no control edge depends on it."""
    protected = set(protected_nodes or ())
    checks = {n.name for n in input_graph.node if n.op == 'CheckNumerics' and n.name not in protected}
    nodes = []
    for node in input_graph.node:
        if node.name in checks:
            continue
        copy = type(node)()
        copy.CopyFrom(node)
        copy.input[:] = [i for i in node.input if re.sub(r'^\^', '', i) not in checks]
        nodes.append(copy)
    waited_for = {i[1:] for n in nodes for i in n.input if i.startswith('^')}
    splice = {n.name: n.input[0] for n in nodes if n.op == 'Identity' and n.name not in protected and n.name not in waited_for
              and not any(i.startswith('^') for i in n.input)}
    result = type(input_graph)()
    for node in nodes:
        if node.name in splice:
            continue
        for k, name in enumerate(node.input):
            while re.sub(r'^\^', '', name) in splice:
                name = splice[re.sub(r'^\^', '', name)]
            node.input[k] = name
        result.node.append(node)
    return result
