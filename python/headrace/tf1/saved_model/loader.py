"""tf.saved_model.loader: a saved model into a session."""
import os

from headrace.tf1.framework import graph as graph_lib, importer, protos
from headrace.tf1.saved_model import constants, signature_def_utils


def _log():
    from headrace.tf1 import logging
    return logging


def _text(path):
    return path.decode('utf-8') if isinstance(path, bytes) else os.fspath(path)


def parse_saved_model(export_dir):
    """The SavedModel message of a folder. IOError if there is none or it cannot be read."""
    from google.protobuf import message, text_format
    export_dir = _text(export_dir)
    binary = os.path.join(export_dir, constants.SAVED_MODEL_FILENAME_PB)
    text = os.path.join(export_dir, constants.SAVED_MODEL_FILENAME_PBTXT)
    model = protos.message('SavedModel')()
    for path in (binary, text):
        if not os.path.exists(path):
            continue
        with open(path, 'rb') as file:
            content = file.read()
        try:
            if path == binary:
                model.ParseFromString(content)
            else:
                text_format.Merge(content.decode('utf-8'), model)
        except (message.DecodeError, text_format.ParseError, UnicodeDecodeError) as e:
            error = IOError('Cannot parse file %s: %s.' % (path, e))
        else:
            return model
        raise error
    raise IOError('SavedModel file does not exist at: %s/{%s|%s}' % (
        export_dir, constants.SAVED_MODEL_FILENAME_PBTXT, constants.SAVED_MODEL_FILENAME_PB))


def maybe_saved_model_directory(export_dir):
    """Does the folder hold a saved model?"""
    export_dir = _text(export_dir)
    return any(os.path.exists(os.path.join(export_dir, name))
               for name in (constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT))


def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Loads the graph with exactly these tags and its variables into a session; gives its MetaGraphDef.

    Errors: IOError for what is no saved model, RuntimeError when it has no graph of these tags.
    """
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)


class SavedModelLoader(object):
    """Loads a saved model in steps."""

    def __init__(self, export_dir):
        self._export_dir = _text(export_dir)
        self._saved_model = parse_saved_model(export_dir)

    export_dir = property(lambda self: self._export_dir)
    saved_model = property(lambda self: self._saved_model)
    variables_path = property(lambda self: os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME))

    def get_meta_graph_def_from_tags(self, tags):
        """The graph that has exactly these tags. RuntimeError if there is none, naming those that are there."""
        wanted = {tags} if isinstance(tags, str) else set(tags)
        there = []
        for meta in self._saved_model.meta_graphs:
            found = set(meta.meta_info_def.tags)
            there.append(found)
            if found == wanted:
                return meta
        raise RuntimeError(
            "MetaGraphDef associated with tags %s could not be found in SavedModel. To inspect available tag-sets in the SavedModel, please "
            "use the SavedModel CLI: `saved_model_cli`\navailable_tags: %s" % (str(tags).strip('[]'), there))

    def load_graph(self, graph, tags, import_scope=None, **saver_kwargs):
        """(saver, elements): adds the nodes to a graph."""
        meta = self.get_meta_graph_def_from_tags(tags)
        with graph.as_default():
            return importer.import_meta_graph_with_return_elements(meta, import_scope=import_scope, **saver_kwargs)

    def restore_variables(self, sess, saver, import_scope=None):
        """Gives the session's variables their values."""
        with sess.graph.as_default():
            from headrace.tf1.framework import variables
            if saver is None and not variables._global_saveable_variables(import_scope):
                _log().info('The specified SavedModel has no variables; no checkpoints were restored.')
                return
            saver.restore(sess, self.variables_path)

    def run_init_ops(self, sess, tags, import_scope=None):
        """Runs what the model wants run when it is loaded."""
        meta = self.get_meta_graph_def_from_tags(tags)
        with sess.graph.as_default():
            feeds = _assets(self._export_dir, meta, import_scope)
            init = _init_op(meta, import_scope)
            if init is not None:
                sess.run(fetches=[init], feed_dict=feeds)

    def load(self, sess, tags, import_scope=None, **saver_kwargs):
        """All steps; gives the MetaGraphDef."""
        with sess.graph.as_default():
            saver, _ = self.load_graph(sess.graph, tags, import_scope, **saver_kwargs)
            self.restore_variables(sess, saver, import_scope)
            self.run_init_ops(sess, tags, import_scope)
        return self.get_meta_graph_def_from_tags(tags)


def _assets(export_dir, meta, import_scope):
    """{name of a tensor: path of its file}"""
    files = list(meta.asset_file_def)
    if not files and constants.ASSETS_KEY in meta.collection_def:
        for packed in meta.collection_def[constants.ASSETS_KEY].any_list.value:
            files.append(protos.message('AssetFileDef').FromString(packed.value))
    return {importer.prepend_name_scope(f.tensor_info.name, import_scope): os.path.join(
        export_dir, constants.ASSETS_DIRECTORY, f.filename) for f in files}


def _init_op(meta, import_scope):
    signature = meta.signature_def
    if constants.INIT_OP_SIGNATURE_KEY in signature:
        return signature_def_utils.load_op_from_signature_def(
            signature[constants.INIT_OP_SIGNATURE_KEY], constants.INIT_OP_SIGNATURE_KEY, import_scope)
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if key in meta.collection_def:
            names = meta.collection_def[key].node_list.value
            if len(names) != 1:
                raise RuntimeError('Expected exactly one SavedModel init op.')
            return graph_lib.get_default_graph().as_graph_element(importer.prepend_name_scope(names[0], import_scope))
    return None
