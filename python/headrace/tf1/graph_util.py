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


_PASSING_ON = frozenset(['Identity', 'Switch', 'Merge', 'Enter', 'Exit', 'NextIteration', 'LoopCond'])


def _constant(result, name, dtype, value):
    node = result.node.add(op='Const', name=name)
    node.attr['dtype'].CopyFrom(dtype)
    node.attr['value'].tensor.CopyFrom(protos.make_tensor_proto(value, dtypes.of(dtype.type), getattr(value, 'shape', None)))


def _passed_handles(graph_def):
    """{name of a node that passes on a handle: dtype of the variable}"""
    nodes, found = {n.name: n for n in graph_def.node}, {}
    for node in graph_def.node:
        if node.op not in ('ReadVariableOp', 'ResourceGather'):
            continue
        sources = [node.input[0].split(':')[0]]
        while sources:
            source = nodes[sources.pop()]
            if source.op in _PASSING_ON:
                if source.name not in found:
                    found[source.name] = node.attr['dtype']
                    sources.extend(i.split(':')[0] for i in source.input[:2 if source.op == 'Merge' else 1])
            elif source.op != 'VarHandleOp':
                raise ValueError('Cannot find the variable that is an input to the ReadVariableOp.')
    return found


def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None,
                                   variable_names_blacklist=None):
    """What the outputs need of a GraphDef, with constants of the session's values in the place of variables."""
    from headrace.tf1 import logging
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    reads = {n.name: n.name + ('/Read/ReadVariableOp:0' if n.op == 'VarHandleOp' else ':0') for n in graph_def.node
             if n.op in ('Variable', 'VariableV2', 'VarHandleOp')
             and (variable_names_whitelist is None or n.name in variable_names_whitelist)
             and (variable_names_blacklist is None or n.name not in variable_names_blacklist)}
    values = sess.run(reads) if reads else {}
    logging.info('Froze %d variables.', len(values))
    handles = _passed_handles(graph_def)
    result = type(graph_def)()
    for node in graph_def.node:
        if node.name in values:
            _constant(result, node.name, node.attr['dtype'], values[node.name])
        elif node.name in handles:
            copy = result.node.add()
            copy.CopyFrom(node)
            copy.attr.pop('_output_shapes', None)
            copy.attr['T'].CopyFrom(handles[node.name])
        elif node.op == 'ReadVariableOp':
            copy = result.node.add(op='Identity', name=node.name, input=node.input[:1])
            copy.attr['T'].CopyFrom(node.attr['dtype'])
            if '_class' in node.attr:
                copy.attr['_class'].CopyFrom(node.attr['_class'])
        elif node.op == 'ResourceGather':
            if node.attr['batch_dims'].i:
                raise ValueError('batch_dims != 0 is not supported by freeze_graph.')
            axis = node.name + '/axis'
            _constant(result, axis, node.attr['Tindices'], 0)
            copy = result.node.add(op='GatherV2', name=node.name, input=[node.input[0], node.input[1], axis])
            for theirs, ours in (('Tparams', 'dtype'), ('Tindices', 'Tindices'), ('Taxis', 'Tindices')):
                copy.attr[theirs].CopyFrom(node.attr[ours])
            if '_class' in node.attr:
                copy.attr['_class'].CopyFrom(node.attr['_class'])
        else:
            result.node.add().CopyFrom(node)
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
