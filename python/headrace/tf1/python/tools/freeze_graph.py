"""tensorflow.python.tools.freeze_graph: a graph and a checkpoint as one GraphDef with constants for variables; also a command.

    python -m headrace.tf1.python.tools.freeze_graph --input_graph=graph.pbtxt --input_checkpoint=model.ckpt \\
        --output_node_names=softmax --output_graph=frozen.pb
"""
import argparse

from headrace.tf1 import gfile, graph_util
from headrace.tf1.framework import graph as graph_lib, importer, protos, session as session_lib
from headrace.tf1.saved_model import loader, tag_constants
from headrace.tf1.train import checkpoint_management, checkpoint_utils, saver as saver_lib


def _names(text):
    return text.replace(' ', '').split(',') if text else None


def _read(message, path, binary, what):
    """The message in a file, binary or as text. IOError if there is none."""
    if not gfile.Exists(path):
        raise IOError("Input %s file '%s' does not exist!" % (what, path))
    found = protos.message(message)()
    with gfile.GFile(path, 'rb' if binary else 'r') as f:
        if binary:
            found.ParseFromString(f.read())
        else:
            from google.protobuf import text_format
            text_format.Merge(f.read(), found)
    return found


def _saver_of_checkpoint(graph, checkpoint):
    """A saver of the variables that the graph and the checkpoint both have. ValueError if there are none."""
    found = {}
    for name in checkpoint_utils.NewCheckpointReader(checkpoint).get_variable_to_shape_map():
        try:
            found[name] = graph.get_tensor_by_name(name + ':0')
        except KeyError:
            continue  # kept by the training program only
    variables = {name: tensor for name, tensor in found.items() if tensor.op.type in ('Variable', 'VariableV2', 'VarHandleOp')}
    if found and not variables:
        if any('/part_' in op.name for op in graph.get_operations()):
            raise ValueError('Models containing partition variables cannot be converted from checkpoint files. Please pass in a SavedModel using '
                             'the flag --input_saved_model_dir.')
        raise ValueError('No variables were found in this model. It is likely the model was frozen previously. You cannot freeze a graph twice.')
    return saver_lib.Saver(var_list=variables)


def _load_values(sess, checkpoint, saver_def, meta_graph_def, saved_model_dir, tags, initializer_nodes):
    if saver_def:
        saver_lib.Saver(saver_def=saver_def).restore(sess, checkpoint)
        return
    if saved_model_dir and not meta_graph_def:
        loader.load(sess, tags or [], saved_model_dir)
        return
    saver = importer.import_meta_graph(meta_graph_def, clear_devices=True) if meta_graph_def else _saver_of_checkpoint(sess.graph, checkpoint)
    saver.restore(sess, checkpoint)
    if initializer_nodes:
        sess.run(_names(initializer_nodes))


def freeze_graph_with_def_protos(input_graph_def, input_saver_def, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name,
                                 output_graph, clear_devices, initializer_nodes, variable_names_whitelist='', variable_names_blacklist='',
                                 input_meta_graph_def=None, input_saved_model_dir=None, saved_model_tags=None, checkpoint_version=2):
    """freeze_graph on messages. Adds the graph to the default one. Errors: ValueError for a missing checkpoint, output, or variables."""
    if not input_saved_model_dir and not checkpoint_management.checkpoint_exists(input_checkpoint):
        raise ValueError("Input checkpoint '%s' doesn't exist!" % input_checkpoint)
    if not output_node_names:
        raise ValueError('You need to supply the name of a node to --output_node_names.')
    graph_def = input_meta_graph_def.graph_def if input_meta_graph_def else input_graph_def
    if clear_devices and graph_def:
        for node in graph_def.node:
            node.device = ''
    if input_graph_def and not input_meta_graph_def and (input_saver_def or not input_saved_model_dir):
        importer.import_graph_def(input_graph_def, name='')
    with session_lib.Session() as sess:
        _load_values(sess, input_checkpoint, input_saver_def, input_meta_graph_def, input_saved_model_dir, saved_model_tags, initializer_nodes)
        frozen = graph_util.convert_variables_to_constants(
            sess, graph_def, _names(output_node_names), variable_names_whitelist=_names(variable_names_whitelist),
            variable_names_blacklist=_names(variable_names_blacklist))
    if output_graph:
        with gfile.GFile(output_graph, 'wb') as f:
            f.write(frozen.SerializeToString())
    return frozen


def freeze_graph(input_graph, input_saver, input_binary, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name,
                 output_graph, clear_devices, initializer_nodes, variable_names_whitelist='', variable_names_blacklist='',
                 input_meta_graph=None, input_saved_model_dir=None, saved_model_tags=tag_constants.SERVING, checkpoint_version=2):
    """Writes the part of a graph that the outputs need, with constants of the checkpoint's values for its variables, to `output_graph`.

    The graph is a GraphDef file (`input_binary`: not text), a meta graph, or a saved model. `restore_op_name` and `filename_tensor_name`
    are not used. Gives the GraphDef.
    """
    tags = _names(saved_model_tags)
    graph_def = meta_graph_def = saver_def = None
    if input_saved_model_dir:
        graph_def = _saved_graph(input_saved_model_dir, tags)
    elif input_graph:
        graph_def = _read('GraphDef', input_graph, input_binary, 'graph')
    if input_meta_graph:
        meta_graph_def = _read('MetaGraphDef', input_meta_graph, input_binary, 'meta graph')
        print("Loaded meta graph file '" + input_meta_graph)
    if input_saver:
        saver_def = _read('SaverDef', input_saver, input_binary, 'saver')
    return freeze_graph_with_def_protos(
        graph_def, saver_def, input_checkpoint, output_node_names, restore_op_name, filename_tensor_name, output_graph, clear_devices,
        initializer_nodes, variable_names_whitelist, variable_names_blacklist, meta_graph_def, input_saved_model_dir, tags,
        checkpoint_version=checkpoint_version)


def _saved_graph(folder, tags):
    """The GraphDef of the saved model's meta graph with those tags."""
    with graph_lib.Graph().as_default() as graph, session_lib.Session(graph=graph) as sess:
        return loader.load(sess, tags, folder).graph_def


def _truth(text):
    return text.lower() == 'true'


def run_main():
    """The command."""
    parser = argparse.ArgumentParser(prog='freeze_graph', description=__doc__.split('\n')[0])
    for name, default, text in (
            ('input_graph', '', 'GraphDef file'), ('input_saver', '', 'SaverDef file'), ('input_checkpoint', '', 'prefix of the checkpoint'),
            ('output_graph', '', 'file to write'), ('output_node_names', '', 'nodes that are kept, with commas between'),
            ('restore_op_name', 'save/restore_all', 'not used'), ('filename_tensor_name', 'save/Const:0', 'not used'),
            ('initializer_nodes', '', 'nodes to run first, with commas between'),
            ('variable_names_whitelist', '', 'only these variables become constants'),
            ('variable_names_blacklist', '', 'these variables stay'), ('input_meta_graph', '', 'MetaGraphDef file'),
            ('input_saved_model_dir', '', 'folder of a saved model'), ('saved_model_tags', 'serve', 'tags of its meta graph')):
        parser.add_argument('--' + name, default=default, help=text)
    parser.add_argument('--checkpoint_version', type=int, default=2, choices=(1, 2), help='read as it is')
    for name, default, text in (('input_binary', False, 'are files of messages binary?'), ('clear_devices', True, 'leave devices out?')):
        parser.add_argument('--' + name, nargs='?', const=True, type=_truth, default=default, help=text)
    flags = parser.parse_args()
    freeze_graph(flags.input_graph, flags.input_saver, flags.input_binary, flags.input_checkpoint, flags.output_node_names,
                 flags.restore_op_name, flags.filename_tensor_name, flags.output_graph, flags.clear_devices, flags.initializer_nodes,
                 flags.variable_names_whitelist, flags.variable_names_blacklist, flags.input_meta_graph, flags.input_saved_model_dir,
                 flags.saved_model_tags, flags.checkpoint_version)


if __name__ == '__main__':
    run_main()
