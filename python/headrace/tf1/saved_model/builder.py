"""tf.saved_model.builder: a folder with a graph, its signatures, variables and files."""
import filecmp
import os
import shutil

from headrace import _core
from headrace.tf1.framework import dtypes, graph as graph_lib, protos, variables
from headrace.tf1.saved_model import constants


def _log():
    from headrace.tf1 import logging
    return logging


def _text(path):
    return path.decode('utf-8') if isinstance(path, bytes) else os.fspath(path)


class SavedModelBuilder(object):
    """Writes a saved model: add_meta_graph_and_variables, more add_meta_graph for the same variables, save."""

    def __init__(self, export_dir):
        self._saved_model = protos.message('SavedModel')(saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION)
        self._export_dir = _text(export_dir)
        if os.path.exists(self._export_dir):
            if os.listdir(self._export_dir):
                raise AssertionError("Export directory already exists, and isn't empty. Please choose a different export directory, or delete "
                                     'all the contents of the specified directory: %s' % export_dir)
        else:
            os.makedirs(self._export_dir)
        self._has_saved_variables = False

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None,
                                     clear_devices=False, main_op=None, strip_default_attrs=False, saver=None):
        """The session's graph, under these tags, and its variables."""
        if self._has_saved_variables:
            raise AssertionError('Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` '
                                 'instead.')
        _check_signatures(signature_def_map or {})
        self._add_collections(assets_collection, main_op or legacy_init_op)
        folder = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
        os.makedirs(folder, exist_ok=True)
        saver = _saver(saver)
        saver.save(sess, os.path.join(folder, constants.VARIABLES_FILENAME), write_meta_graph=False, write_state=False)
        self._add(saver, tags, signature_def_map, clear_devices, strip_default_attrs)
        self._has_saved_variables = True

    def add_meta_graph(self, tags, signature_def_map=None, assets_collection=None, legacy_init_op=None, clear_devices=False, main_op=None,
                       strip_default_attrs=False, saver=None):
        """The default graph, under these tags, for the variables that are saved."""
        if not self._has_saved_variables:
            raise AssertionError('Graph state including variables and assets has not been saved yet. Please invoke '
                                 '`add_meta_graph_and_variables()` first.')
        _check_signatures(signature_def_map or {})
        self._add_collections(assets_collection, main_op or legacy_init_op)
        self._add(_saver(saver), tags, signature_def_map, clear_devices, strip_default_attrs)

    def _add(self, saver, tags, signature_def_map, clear_devices, strip_default_attrs):
        meta = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
        meta.meta_info_def.tags.extend(tags)
        for key, signature in (signature_def_map or {}).items():
            meta.signature_def[key].CopyFrom(signature)
        self._saved_model.meta_graphs.add().CopyFrom(meta)

    def _add_collections(self, assets, main_op):
        self._add_assets(assets)
        if main_op is None:
            return
        if not isinstance(main_op, graph_lib.Operation):
            raise TypeError('main_op needs to be an Operation: %r' % main_op)
        for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
            if graph_lib.get_collection(key):
                raise ValueError('Graph already contains one or more main ops under the collection %s.' % key)
        graph_lib.add_to_collection(constants.MAIN_OP_KEY, main_op)

    def _add_assets(self, assets):
        if assets is None:
            _log().info('No assets to save.')
        sources = {}
        for tensor in assets or []:
            source = _asset_path(tensor)
            name = _asset_name(source, sources)
            asset = protos.message('AssetFileDef')(filename=name)
            asset.tensor_info.name = tensor.name
            packed = protos.message('CollectionDef')().any_list.value.add(
                type_url='type.googleapis.com/tensorflow.AssetFileDef', value=asset.SerializeToString())
            graph_lib.add_to_collection(constants.ASSETS_KEY, packed)
            sources[name] = source
        if not sources:
            _log().info('No assets to write.')
            return
        folder = os.path.join(self._export_dir, constants.ASSETS_DIRECTORY)
        os.makedirs(folder, exist_ok=True)
        for name, source in sources.items():
            if not os.path.exists(os.path.join(folder, name)):
                shutil.copyfile(source, os.path.join(folder, name))
        _log().info('Assets written to: %s', folder)

    def save(self, as_text=False):
        """Writes the file of graphs and signatures; gives its path."""
        os.makedirs(self._export_dir, exist_ok=True)
        if as_text:
            path, content = constants.SAVED_MODEL_FILENAME_PBTXT, str(self._saved_model).encode('utf-8')
        else:
            path, content = constants.SAVED_MODEL_FILENAME_PB, self._saved_model.SerializeToString()
        path = os.path.join(self._export_dir, path)
        _core.write_file(path, content)
        _log().info('SavedModel written to: %s', path)
        return path.encode('utf-8')


def _saver(saver):
    if saver:
        return saver
    from headrace.tf1.train.saver import Saver
    return Saver(variables._global_saveable_variables(), sharded=True, allow_empty=True)


def _check_info(info):
    if info is None:
        raise AssertionError('All TensorInfo protos used in the SignatureDefs must have the name and dtype fields set.')
    if info.WhichOneof('encoding') is None:
        raise AssertionError("All TensorInfo protos used in the SignatureDefs must have one of the 'encoding' fields (e.g., name or "
                             'coo_sparse) set: %s' % info)
    if info.WhichOneof('encoding') != 'composite_tensor' and info.dtype == 0:
        raise AssertionError('All TensorInfo protos used in the SignatureDefs must have the dtype field set: %s' % info)


def _check_signatures(signatures):
    for signature in signatures.values():
        for infos in (signature.inputs, signature.outputs):
            for key in infos:
                _check_info(infos[key])
    for key, what in ((constants.INIT_OP_SIGNATURE_KEY, 'initialization'), (constants.TRAIN_OP_SIGNATURE_KEY, 'the train op')):
        if key in signatures:
            raise KeyError('SignatureDef map key "%s" is reserved for %s. Please use a different key.' % (key, what))


def _asset_path(tensor):
    if not isinstance(tensor, graph_lib.Tensor):
        raise TypeError('Asset path tensor must be a Tensor.')
    if tensor.op.type != 'Const':
        raise TypeError('Asset path tensor must be of type constant.')
    if tensor.dtype != dtypes.string:
        raise TypeError('Asset path tensor must be of dtype string.')
    values = tensor.op.get_attr('value').string_val
    if len(values) != 1:
        raise TypeError('Asset path tensor must be a scalar.')
    if not values[0]:
        raise ValueError('Invalid asset filepath tensor %s' % tensor)
    return values[0].decode('utf-8')


def _asset_name(source, sources):
    """A name under which no other file is kept."""
    name = os.path.basename(source)
    if name not in sources or sources[name] == source or filecmp.cmp(source, sources[name], shallow=False):
        return name
    i = 1
    while '%s_%d' % (name, i) in sources:
        i += 1
    return '%s_%d' % (name, i)
