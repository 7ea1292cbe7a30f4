"""Graphs from and to messages: tf.import_graph_def, tf.train.import_meta_graph, tf.train.export_meta_graph, tf.train.write_graph."""
import os
import re

from headrace import _core
from headrace.tf1.framework import errors, graph as graph_lib, protos, variables
from headrace.tf1.framework.graph import GraphKeys

_UNBOUND = '$unbound_inputs_'
# What graph files say of the program that made them.
TENSORFLOW_VERSION, TENSORFLOW_GIT_VERSION = '1.15.5', 'v1.15.5'


def _text(value):
    return value.decode('utf-8') if isinstance(value, bytes) else value


def strip_name_scope(name, export_scope):
    """`name` without the scope in front ("loc:@" and "^" stay)."""
    if not export_scope:
        return name
    scope = export_scope.rstrip('/')
    return re.sub(r'([\^]|loc:@|^)' + re.escape(scope) + r'[\/]+(.*)', r'\1\2', _text(name), count=1)


def prepend_name_scope(name, import_scope):
    """`name` with the scope in front, behind "loc:@" or "^"."""
    if not import_scope:
        return name
    return re.sub(r'([\^]|loc:@|^)(.*)', r'\1' + import_scope.rstrip('/').replace('\\', r'\\') + r'/\2', _text(name), count=1)


# ---- how the items of collections become messages

_proto_functions = {}


def register_proto_function(collection_name, proto_type=None, to_proto=None, from_proto=None):
    """How the items of a collection become messages and come back.

    `proto_type` is the message's class, or a function that gives it.
    """
    if to_proto and not callable(to_proto):
        raise TypeError('to_proto must be callable.')
    if from_proto and not callable(from_proto):
        raise TypeError('from_proto must be callable.')
    _proto_functions[collection_name] = (proto_type, to_proto, from_proto)


def _variable_from_proto(proto, import_scope=None):
    return variables.Variable.from_proto(proto, import_scope)


def _proto_function(key):
    """(class of the messages, to_proto, from_proto) or None."""
    found = _proto_functions.get(key)
    if found is None and (key in GraphKeys._VARIABLE_COLLECTIONS or key in (GraphKeys.GLOBAL_STEP, GraphKeys.EVAL_STEP)):
        return protos.message('VariableDef'), lambda v, export_scope=None: v.to_proto(export_scope), _variable_from_proto
    if found is None and key == GraphKeys.SAVERS:
        from headrace.tf1.train import saver
        return protos.message('SaverDef'), saver.Saver.to_proto, saver.Saver.from_proto
    if found is None and key == GraphKeys.QUEUE_RUNNERS:
        from headrace.tf1.train import queue_runner
        return protos.message('QueueRunnerDef'), queue_runner.QueueRunner.to_proto, queue_runner.QueueRunner.from_proto
    if found is not None and not hasattr(found[0], 'DESCRIPTOR') and callable(found[0]):
        return (found[0](),) + found[1:]
    return found


# ---- import

def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
    """Adds the nodes of a GraphDef below the scope `name` ("import").

    input_map: name of a tensor in the message -> tensor to take in its place. return_elements: names of operations and tensors in the
    message, given back as a list. Errors: TypeError for what is no GraphDef, ValueError for one that does not fit.
    """
    graph_def_class = protos.message('GraphDef')
    if not isinstance(graph_def, graph_def_class):
        if isinstance(graph_def, bytes) or not hasattr(graph_def, 'SerializeToString'):
            try:
                old, graph_def = graph_def, graph_def_class()
                graph_def.MergeFrom(old)
            except TypeError:
                raise TypeError('graph_def must be a GraphDef proto.')
        else:
            graph_def = graph_def_class.FromString(graph_def.SerializeToString())
    mapped = _checked_input_map(graph_def, input_map)
    if return_elements is not None:
        return_elements = tuple(return_elements)
        for element in return_elements:
            if not isinstance(element, (str, bytes)):
                raise TypeError('return_elements must be a list of strings.')
    if producer_op_list is not None:
        graph_def = _without_new_defaults(graph_def, producer_op_list)
    graph = graph_lib.get_default_graph()
    if graph.finalized:
        raise RuntimeError('Graph is finalized and cannot be modified.')
    first = graph._core.num_nodes
    error = None
    with graph_lib.name_scope(name, 'import') as scope:
        try:
            graph._core.import_graph(graph_def.SerializeToString(), '', mapped, False, [])
        except errors.InvalidArgumentError as e:
            error = e.message
    if error is not None:
        raise ValueError(error)
    full = scope[:-1] if scope else ''
    graph._after_bulk(first)
    if return_elements is None:
        return None
    return [_returned(graph, full, _text(element)) for element in return_elements]


def _returned(graph, scope, element):
    if element.count(':') > 1:
        raise ValueError('Cannot convert %r to a tensor name.' % element)
    name = scope + '/' + element if scope else element
    try:
        return graph.as_graph_element(name)
    except (KeyError, ValueError):
        raise ValueError("Requested return %s '%s' not found in graph def" % ('tensor' if ':' in element else 'node', element))


def _checked_input_map(graph_def, input_map):
    """{name in the message: handle} of what the message uses."""
    if input_map is None:
        return {}
    if not (isinstance(input_map, dict) and all(isinstance(k, (str, bytes)) for k in input_map)):
        raise TypeError('input_map must be a dictionary mapping strings to Tensor objects.')
    from headrace.tf1.framework import convert
    graph = graph_lib.get_default_graph()
    known, outputs = {n.name for n in graph_def.node}, set()
    for node in graph_def.node:
        for i in node.input:
            outputs.add(i if ':' in i or i.startswith('^') else i + ':0')
    mapped, missing = {}, []
    for key, value in input_map.items():
        key = _text(key)
        if key.startswith('^'):
            mapped[key] = graph_lib.op_of(value)._id << 16
        else:
            if not isinstance(value, graph_lib.Tensor):
                with graph.name_scope('_inputs'):
                    value = convert.convert_to_tensor(value)
            if value.graph is not graph:
                raise ValueError('input_map contains a tensor of another graph: %s' % value)
            mapped[key] = value._handle
        full = key if ':' in key or key.startswith('^') else key + ':0'
        if full not in outputs and key.lstrip('^').split(':')[0] not in known:
            missing.append(full)
    if missing:
        raise ValueError('Attempted to map inputs that were not found in graph_def: [%s]' % ', '.join(missing))
    return mapped


def _without_new_defaults(graph_def, producer_op_list):
    """Attributes that our op does not know go if they have the default that the producer's op states."""
    producers = {op.name: {a.name: a for a in op.attr} for op in producer_op_list.op}
    from headrace.tf1.framework import convert
    changed = None
    for i, node in enumerate(graph_def.node):
        known = producers.get(node.op)
        if known is None or _core.op_def(node.op) is None:
            continue
        ours = convert.op_spec(node.op).kinds
        for key in list(node.attr):
            if key in ours or key.startswith('_') or key not in known or not known[key].HasField('default_value'):
                continue
            if node.attr[key] == known[key].default_value:
                if changed is None:
                    changed = type(graph_def)()
                    changed.CopyFrom(graph_def)
                del changed.node[i].attr[key]
    return graph_def if changed is None else changed


def read_meta_graph_file(filename):
    """The MetaGraphDef of a file, binary or text. IOError if it is not there or cannot be read."""
    filename = os.fspath(filename)
    if not os.path.exists(filename):
        raise IOError('File %s does not exist.' % filename)
    with open(filename, 'rb') as file:
        content = file.read()
    from google.protobuf import message, text_format
    meta = protos.message('MetaGraphDef')()
    try:
        meta.ParseFromString(content)
        return meta
    except message.DecodeError:
        meta.Clear()
    try:
        text_format.Merge(content.decode('utf-8'), meta)
    except (text_format.ParseError, UnicodeDecodeError) as e:
        error = IOError('Cannot parse file %s: %s.' % (filename, e))
    else:
        return meta
    raise error


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Adds a graph and its collections from a MetaGraphDef or its file. The Saver that it came with, or None if it has no variables."""
    return import_meta_graph_with_return_elements(meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def import_meta_graph_with_return_elements(meta_graph_or_file, clear_devices=False, import_scope=None, return_elements=None, **kwargs):
    """(what import_meta_graph gives, the elements)"""
    from headrace.tf1.train import saver as saver_lib
    meta = meta_graph_or_file
    if not isinstance(meta, protos.message('MetaGraphDef')):
        meta = read_meta_graph_file(meta)
    found, elements = import_scoped_meta_graph(meta, clear_devices, import_scope=import_scope, return_elements=return_elements, **kwargs)
    if meta.HasField('saver_def'):
        scope = import_scope or ''
        # The scope may have got another number than was asked for.
        if found:
            key = next(iter(found))
            name = found[key].name
            scope = name[:len(name) - len(key)].rstrip('/') if name != key else ''
        return saver_lib.Saver(saver_def=meta.saver_def, name=scope or None), elements
    if variables._global_saveable_variables(import_scope):
        return saver_lib.Saver(), elements
    from headrace.tf1 import logging
    logging.info('Saver not created because there are no variables in the graph to restore')
    return None, elements


def import_scoped_meta_graph(meta_graph_or_file, clear_devices=False, graph=None, import_scope=None, input_map=None,
                             unbound_inputs_col_name='unbound_inputs', restore_collections_predicate=None, return_elements=None):
    """({name without scope: variable} of the global variables, the elements asked for)"""
    meta = meta_graph_or_file
    if not isinstance(meta, protos.message('MetaGraphDef')):
        meta = read_meta_graph_file(meta)
    if unbound_inputs_col_name and unbound_inputs_col_name in meta.collection_def:
        values = [_text(v) for v in meta.collection_def[unbound_inputs_col_name].bytes_list.value]
        if values and sorted(values) != sorted(input_map or {}):
            raise ValueError('Graph contains unbound inputs: %s. Must provide these inputs through input_map.' % ','.join(
                v for v in values if not input_map or v not in input_map))
    graph = graph or graph_lib.get_default_graph()
    with graph.as_default():
        graph_def = meta.graph_def
        if clear_devices:
            graph_def = type(graph_def)()
            graph_def.CopyFrom(meta.graph_def)
            for node in graph_def.node:
                node.device = ''
        scope = graph.unique_name(import_scope or '', mark_as_used=False) if import_scope else graph.get_name_scope()
        producer_ops = meta.meta_info_def.stripped_op_list if meta.meta_info_def.HasField('stripped_op_list') else None
        elements = import_graph_def(graph_def, name=import_scope or (scope + '/' if scope else ''), input_map=input_map,
                                    producer_op_list=producer_ops, return_elements=return_elements)
        for key in sorted(meta.collection_def, key=lambda k: (k != GraphKeys.TRAINABLE_VARIABLES, k)):
            if key == unbound_inputs_col_name:
                continue
            if restore_collections_predicate is None or restore_collections_predicate(key):
                _import_collection(graph, meta, key, scope)
        found = {strip_name_scope(v.name, scope): v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope or None)}
        return found, elements


def _states_trainable(meta):
    """Do its VariableDefs say whether they are trainable? Those of TensorFlow before 1.9 do not."""
    version = re.match(r'(\d+)\.(\d+)', meta.meta_info_def.tensorflow_version)
    return version is None or (int(version.group(1)), int(version.group(2))) >= (1, 9)


def _import_collection(graph, meta, key, scope):
    from headrace.tf1 import logging
    collection = meta.collection_def[key]
    kind = collection.WhichOneof('kind')
    if kind is None:
        logging.error('Cannot identify data type for collection %s. Skipping.', key)
        return
    functions = _proto_function(key)
    if functions is not None and functions[2] is not None and kind == 'bytes_list':
        made = graph.__dict__.setdefault('_imported_variables', {})
        for value in collection.bytes_list.value:
            if functions[0] is protos.message('VariableDef'):
                # One variable is one object in all collections.
                item = made.get((scope, value))
                if item is None:
                    proto = functions[0].FromString(value)
                    if not _states_trainable(meta):
                        proto.trainable = key == GraphKeys.TRAINABLE_VARIABLES
                    item = made[scope, value] = functions[2](proto, import_scope=scope)
            else:
                item = functions[2](functions[0].FromString(value), import_scope=scope)
            graph.add_to_collection(key, item)
        return
    values = getattr(collection, kind).value
    if key in GraphKeys._VARIABLE_COLLECTIONS:
        logging.warning("The saved meta_graph is possibly from an older release:\n'%s' collection should be of type 'byte_list', but "
                        "instead is of type '%s'.", key, kind)
    for value in values:
        if kind == 'node_list':
            value = graph.as_graph_element(prepend_name_scope(value, scope))
        elif kind == 'int64_list':
            value = int(value)
        elif kind == 'bytes_list':
            value = prepend_name_scope(value, scope) if scope else value
        graph.add_to_collection(key, value)


# ---- export

def _kind(item):
    if isinstance(item, (str, bytes)):
        return 'bytes_list'
    if isinstance(item, int):
        return 'int64_list'
    if isinstance(item, float):
        return 'float_list'
    if getattr(getattr(item, 'DESCRIPTOR', None), 'full_name', None) == 'google.protobuf.Any':
        return 'any_list'
    return 'node_list'


def _includes(item, export_scope, exclude):
    name = item if isinstance(item, str) else getattr(item, 'name', None)
    if not isinstance(name, str):
        return True
    if exclude and name.split(':')[0] in exclude:
        return False
    return name.startswith(_UNBOUND) or not export_scope or name.startswith(export_scope)


def add_collection_def(meta_graph_def, key, graph=None, export_scope=None, exclude_nodes=None, override_contents=None):
    """Puts a collection into a MetaGraphDef; what has no form there is left out with a warning."""
    from headrace.tf1 import logging
    if not isinstance(key, (str, bytes)):
        logging.warning('Only collections with string type keys will be serialized. This key has %s', type(key))
        return
    graph = graph or graph_lib.get_default_graph()
    items = override_contents or graph.get_collection(key)
    items = [item for item in items if _includes(item, export_scope, exclude_nodes)]
    if not items:
        return
    functions = _proto_function(key)
    try:
        collection = protos.message('CollectionDef')()
        if functions is not None and functions[1] is not None:
            for item in items:
                proto = functions[1](item, export_scope=export_scope)
                if proto:
                    collection.bytes_list.value.append(proto.SerializeToString())
            collection.bytes_list.SetInParent()
        else:
            kind = _kind(items[0])
            if kind == 'node_list':
                items = [strip_name_scope(item.name, export_scope) for item in items
                         if not export_scope or item.name.startswith(export_scope)]
            elif kind == 'bytes_list':
                items = [item if isinstance(item, bytes) else item.encode('utf-8') for item in items]
            if kind == 'any_list':
                for item in items:
                    collection.any_list.value.add(type_url=item.type_url, value=item.value)
            else:
                getattr(collection, kind).value.extend(items)
        meta_graph_def.collection_def[key].CopyFrom(collection)
    except Exception as e:  # pylint: disable=broad-except
        logging.warning("Issue encountered when serializing %s.\nType is unsupported, or the types of the items don't match field type in "
                        'CollectionDef. Note this is a warning and probably safe to ignore.\n%s', key, e)


_SAVE_OPS = ('SaveV2', 'Save', 'SaveSlice', 'LegacySave', 'LegacySaveSlice', 'RestoreV2', 'Restore', 'RestoreSlice', 'LegacyRestore',
             'LegacyRestoreSlice')


def _extraneous_saver_nodes(graph_def, saver_def):
    """Names of nodes of savers other than this one."""
    def scope_of(name):
        return name.lstrip('^').split(':')[0].rpartition('/')[0]
    savers = {n.name for n in graph_def.node if n.op in _SAVE_OPS}
    scopes = {scope_of(name) + '/' for name in savers if scope_of(name) not in savers}
    if saver_def is not None:
        scopes -= {scope_of(saver_def.save_tensor_name) + '/', scope_of(saver_def.restore_op_name) + '/'}
    return {n.name for n in graph_def.node if any(n.name.startswith(s) for s in scopes)}


def _scoped(node, export_scope, unbound, clear_devices):
    """A NodeDef without the scope; inputs from outside of it are marked as unbound."""
    copy = type(node)()
    copy.CopyFrom(node)
    for i, name in enumerate(node.input):
        if export_scope and not name.lstrip('^').startswith(export_scope):
            copy.input[i] = re.sub(r'([\^]|^)(.*)', r'\1' + re.escape(_UNBOUND).replace('\\', '') + r'\2', name, count=1)
            unbound.append(copy.input[i])
        else:
            copy.input[i] = strip_name_scope(name, export_scope)
    copy.name = strip_name_scope(node.name, export_scope)
    if export_scope and '_class' in node.attr:
        kept = [s for s in node.attr['_class'].list.s if s.decode().split('@')[1].startswith(export_scope)]
        copy.attr['_class'].list.s[:] = [strip_name_scope(s, export_scope).encode() for s in kept]
    if clear_devices:
        copy.device = ''
    return copy


_op_list = None


def _stripped_op_list(graph_def):
    """The definitions of the ops that occur, sorted by name."""
    global _op_list
    if _op_list is None:
        _op_list = {op.name: op for op in protos.message('OpList').FromString(_core.op_list()).op}
    used = {n.op for n in graph_def.node}
    for function in graph_def.library.function:
        used.update(n.op for n in function.node_def)
    return protos.message('OpList')(op=[_op_list[name] for name in sorted(used) if name in _op_list])


def create_meta_graph_def(meta_info_def=None, graph_def=None, saver_def=None, collection_list=None, graph=None, export_scope=None,
                          exclude_nodes=None, clear_extraneous_savers=False, strip_default_attrs=False):
    """The MetaGraphDef of a graph."""
    meta_class = protos.message('MetaGraphDef')
    for value, name in ((graph_def, 'GraphDef'), (saver_def, 'SaverDef')):
        if value is not None and not isinstance(value, protos.message(name)):
            raise TypeError('%s must be of type %s, not %s' % (name.replace('Def', '_def').lower(), name, type(value)))
    graph = graph or graph_lib.get_default_graph()
    meta = meta_class()
    if meta_info_def is not None:
        meta.meta_info_def.MergeFrom(meta_info_def)
    meta.meta_info_def.tensorflow_version = TENSORFLOW_VERSION
    meta.meta_info_def.tensorflow_git_version = TENSORFLOW_GIT_VERSION
    if graph_def is not None:
        meta.graph_def.MergeFrom(graph_def)
    else:
        meta.graph_def.ParseFromString(graph._core.export_graph(strip_defaults=bool(strip_default_attrs), with_shapes=True))
    if not meta.meta_info_def.stripped_op_list.op:
        meta.meta_info_def.stripped_op_list.MergeFrom(_stripped_op_list(meta.graph_def))
    if strip_default_attrs:
        if graph_def is not None:
            _strip_defaults(meta)
        meta.meta_info_def.stripped_default_attrs = True
    if saver_def is not None:
        meta.saver_def.MergeFrom(saver_def)
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        override = None
        if clear_extraneous_savers and key == GraphKeys.SAVERS and saver_def is not None:
            override = [_proto_function(key)[2](saver_def)]
        add_collection_def(meta, key, graph, export_scope, exclude_nodes, override)
    return meta


def _strip_defaults(meta):
    defaults = {op.name: {a.name: a.default_value for a in op.attr if a.HasField('default_value')}
                for op in meta.meta_info_def.stripped_op_list.op}
    for node in meta.graph_def.node:
        for key, default in defaults.get(node.op, {}).items():
            if key in node.attr and node.attr[key] == default:
                del node.attr[key]


def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None, collection_list=None, as_text=False, graph=None,
                      export_scope=None, clear_devices=False, clear_extraneous_savers=False, strip_default_attrs=False,
                      save_debug_info=False, **kwargs):
    """The MetaGraphDef of a graph with its collections, also written to `filename` if it is given."""
    unbound_name = kwargs.pop('unbound_inputs_col_name', 'unbound_inputs')
    if kwargs:
        raise TypeError('export_meta_graph got unexpected arguments: %s' % ', '.join(sorted(kwargs)))
    graph = graph or graph_lib.get_default_graph()
    exclude = None
    if export_scope or clear_devices or clear_extraneous_savers:
        source = graph_def if graph_def is not None else graph.as_graph_def(add_shapes=True)
        if clear_extraneous_savers:
            exclude = _extraneous_saver_nodes(source, saver_def)
        graph_def, unbound = type(source)(), []
        graph_def.versions.CopyFrom(source.versions)
        graph_def.library.CopyFrom(source.library)
        for node in source.node:
            if _includes(node.name, export_scope, exclude):
                graph_def.node.append(_scoped(node, export_scope, unbound, clear_devices))
        if unbound_name:
            graph.clear_collection(unbound_name)
            for name in unbound:
                graph.add_to_collection(unbound_name, name)
    meta = create_meta_graph_def(meta_info_def, graph_def, saver_def, collection_list, graph, export_scope, exclude,
                                 clear_extraneous_savers, strip_default_attrs)
    if filename:
        write_graph(meta, os.path.dirname(filename), os.path.basename(filename), as_text=as_text)
    return meta


def export_scoped_meta_graph(filename=None, **kwargs):
    """(MetaGraphDef, {name without scope: variable})"""
    meta = export_meta_graph(filename, **kwargs)
    scope = kwargs.get('export_scope')
    graph = kwargs.get('graph') or graph_lib.get_default_graph()
    return meta, {strip_name_scope(v.name, scope): v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)}


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph or message to a file, whose path it gives; makes the folder."""
    message = graph_or_graph_def
    if isinstance(message, graph_lib.Graph):
        message = message.as_graph_def()
    logdir = _text(logdir) if isinstance(logdir, bytes) else os.fspath(logdir)
    path = os.path.join(logdir, name)
    if as_text:
        from google.protobuf import text_format
        content = text_format.MessageToString(message).encode('utf-8')
    else:
        content = message.SerializeToString()
    if logdir:
        os.makedirs(logdir, exist_ok=True)
    _core.write_file(path, content)
    return path
