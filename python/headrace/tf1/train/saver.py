"""Saves variables to checkpoints and restores them (tf.train.Saver). The files are TensorFlow's."""
import os
import time
import uuid

from headrace import _core
from headrace.tf1.framework import array, control, convert, dtypes, errors, graph as graph_lib, importer, protos, variables
from headrace.tf1.framework import session as session_lib
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.train import checkpoint_management, saveable as saveable_lib

V1, V2 = checkpoint_management.V1, checkpoint_management.V2


def _log():
    from headrace.tf1 import logging
    return logging


class BaseSaverBuilder(object):
    """Makes the nodes of a saver. Subclasses may change save_op, restore_op and so on."""
    SaveSpec = saveable_lib.SaveSpec
    SaveableObject = saveable_lib.SaveableObject
    VariableSaveable = saveable_lib.ReferenceVariableSaveable

    def __init__(self, write_version=V2):
        self._write_version = write_version

    def save_op(self, filename_tensor, saveables):
        """The operation that writes them."""
        specs = [spec for saveable in saveables for spec in saveable.specs]
        return apply_op('SaveV2', filename_tensor, [s.name for s in specs], [s.slice_spec for s in specs], [s.tensor for s in specs])

    def restore_op(self, filename_tensor, saveable, preferred_shard):
        """The tensors of one of them, as they are in the checkpoint."""
        return [_restore(filename_tensor, [spec])[0] for spec in saveable.specs]

    def bulk_restore(self, filename_tensor, saveables, preferred_shard, restore_sequentially):
        """The tensors of all of them in a row."""
        tensors = []
        for saveable in saveables:
            with graph_lib.device(saveable_lib.set_cpu0(saveable.device) if saveable.device else None):
                tensors.extend(self.restore_op(filename_tensor, saveable, preferred_shard))
        return tensors

    def sharded_filename(self, filename_tensor, shard, num_shards):
        return apply_op('ShardedFilename', filename_tensor, shard, num_shards)

    def _save_nodes(self, filename_tensor, saveables):
        return control.with_dependencies([self.save_op(filename_tensor, saveables)], filename_tensor)

    def _sharded_save_nodes(self, prefix, per_device):
        part_of = apply_op('StringJoin', [prefix, '_temp_%s/part' % uuid.uuid4().hex])
        num_shards = convert.constant(len(per_device), name='num_shards')
        prefixes, saves, last = [], [], None
        for shard, (device, saveables) in enumerate(per_device):
            last = saveable_lib.set_cpu0(device)
            with graph_lib.device(last):
                name = self.sharded_filename(part_of, shard, num_shards)
                prefixes.append(name)
                saves.append(self._save_nodes(name, saveables))
        with graph_lib.control_dependencies([s.op for s in saves]), graph_lib.device(last):
            merged = apply_op('MergeV2Checkpoints', prefixes, prefix, delete_old_dirs=True)
            with graph_lib.control_dependencies([merged]):
                return array.identity(prefix)

    def _restore_nodes(self, filename_tensor, saveables, restore_sequentially, reshape, preferred_shard=-1, name='restore_all'):
        tensors = list(self.bulk_restore(filename_tensor, saveables, preferred_shard, restore_sequentially))
        assigns = []
        for saveable in saveables:
            shapes = None
            if reshape:
                shapes = [s.tensor.get_shape() if s.tensor.get_shape().is_fully_defined() else array.shape(s.tensor)
                          for s in saveable.specs]
            count = len(saveable.specs)
            assigns.append(saveable.restore(tensors[:count], shapes))
            del tensors[:count]
        return control.group(*assigns, name=name)

    def _sharded_restore_nodes(self, filename_tensor, per_device, restore_sequentially, reshape):
        restores = []
        for shard, (device, saveables) in enumerate(per_device):
            with graph_lib.device(device):
                restores.append(self._restore_nodes(filename_tensor, saveables, restore_sequentially, reshape, shard, 'restore_shard'))
        return control.group(*restores, name='restore_all')

    @staticmethod
    def _by_device(saveables):
        from headrace.tf1.framework import device as device_lib
        groups = {}
        for saveable in saveables:
            devices = {device_lib.canonical(spec.tensor.device) for spec in saveable.specs}
            if len(devices) != 1:
                raise ValueError('All tensors of a saveable object must be on the same device: %s' % saveable.name)
            groups.setdefault(devices.pop(), []).append(saveable)
        return sorted(groups.items(), key=lambda item: item[0])

    def build(self, names_to_saveables, reshape=False, sharded=False, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None,
              restore_sequentially=False, filename='model'):
        """The SaverDef of new nodes that save these variables: {name in the checkpoint: variable}, or a list of variables."""
        saveables = saveable_lib.validate_and_slice_inputs(names_to_saveables)
        with graph_lib.name_scope(name, 'save', [s.op for s in saveables if hasattr(s.op, 'graph')]):
            filename_tensor = array.placeholder_with_default(filename or 'model', shape=(), name='filename')
            filename_tensor = array.placeholder_with_default(filename_tensor, shape=(), name='Const')
            if sharded and _core.op_def('StringJoin') is not None:
                per_device = self._by_device(saveables)
                save = self._sharded_save_nodes(filename_tensor, per_device)
                restore = self._sharded_restore_nodes(filename_tensor, per_device, restore_sequentially, reshape)
            else:
                save = self._save_nodes(filename_tensor, saveables)
                restore = self._restore_nodes(filename_tensor, saveables, restore_sequentially, reshape)
        return protos.message('SaverDef')(
            filename_tensor_name=filename_tensor.name, save_tensor_name=save.name, restore_op_name=restore.name,
            max_to_keep=max_to_keep or 0, sharded=sharded, keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version)


def _restore(filename_tensor, specs):
    return apply_op('RestoreV2', filename_tensor, [s.name for s in specs], [s.slice_spec for s in specs],
                    dtypes=[dtypes.as_dtype(s.dtype).base_dtype for s in specs])


class BulkSaverBuilder(BaseSaverBuilder):
    """Reads all variables with one node."""

    def bulk_restore(self, filename_tensor, saveables, preferred_shard, restore_sequentially):
        """See BaseSaverBuilder.bulk_restore."""
        with graph_lib.device('cpu:0'):
            return _restore(filename_tensor, [spec for saveable in saveables for spec in saveable.specs])


class Saver(object):
    """Saves variables to checkpoint files and restores them: `saver.save(sess, "logs/model.ckpt", global_step=step)`."""

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None,
                 restore_sequentially=False, saver_def=None, builder=None, defer_build=False, allow_empty=False, write_version=V2,
                 pad_step_number=False, save_relative_paths=False, filename=None):
        if defer_build and var_list:
            raise ValueError('If `var_list` is provided then build cannot be deferred. Either set defer_build=False or var_list=None.')
        self._var_list, self._reshape, self._sharded, self._max_to_keep = var_list, reshape, sharded, max_to_keep
        self._keep_checkpoint_every_n_hours, self._name = keep_checkpoint_every_n_hours, name
        self._restore_sequentially, self.saver_def, self._builder = restore_sequentially, saver_def, builder
        self._is_built, self._allow_empty, self._is_empty = False, allow_empty, None
        self._write_version, self._pad_step_number = write_version, pad_step_number
        self._save_relative_paths, self._filename = save_relative_paths, filename
        self._last_checkpoints, self._checkpoints_to_be_deleted = [], []
        self._engines = {}  # graph -> the engine's saver
        if not defer_build:
            self.build()
        if self.saver_def is not None:
            self._check_saver_def()
            self._write_version = self.saver_def.version

    def build(self):
        """Makes the nodes, if that was deferred. ValueError when there are no variables."""
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is None:
            if self._builder is None:
                self._builder = BulkSaverBuilder(self._write_version)
            if self._var_list is None:
                self._var_list = variables._global_saveable_variables()
            if not self._var_list:
                if not self._allow_empty:
                    raise ValueError('No variables to save')
                self._is_empty = True
                return
            self._is_empty = False
            self.saver_def = self._builder.build(
                self._var_list, reshape=self._reshape, sharded=self._sharded, max_to_keep=self._max_to_keep,
                keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours, name=self._name,
                restore_sequentially=self._restore_sequentially, filename=self._filename)
        elif self._name:
            # The nodes of a saver from a file lie where the graph was imported.
            copy = type(self.saver_def)()
            copy.CopyFrom(self.saver_def)
            self.saver_def = copy
            for field in ('filename_tensor_name', 'save_tensor_name', 'restore_op_name'):
                setattr(copy, field, importer.prepend_name_scope(getattr(copy, field), self._name))
        self._check_saver_def()
        self._next_checkpoint_time = time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600

    def _check_saver_def(self):
        if not isinstance(self.saver_def, protos.message('SaverDef')):
            raise ValueError('saver_def must be a saver_pb2.SaverDef: %s' % self.saver_def)
        for field in ('save_tensor_name', 'restore_op_name'):
            if not getattr(self.saver_def, field):
                raise ValueError('saver_def must specify the %s: %s' % (field, self.saver_def))

    # ---- as a message

    def as_saver_def(self):
        """The SaverDef: how to save and restore."""
        return self.saver_def

    def to_proto(self, export_scope=None):
        """The SaverDef without the scope, or None if its nodes are outside of it."""
        if export_scope is None:
            return self.saver_def
        names = ('filename_tensor_name', 'save_tensor_name', 'restore_op_name')
        if not all(getattr(self.saver_def, n).startswith(export_scope) for n in names):
            return None
        saver_def = type(self.saver_def)()
        saver_def.CopyFrom(self.saver_def)
        for n in names:
            setattr(saver_def, n, importer.strip_name_scope(getattr(saver_def, n), export_scope))
        return saver_def

    @staticmethod
    def from_proto(saver_def, import_scope=None):
        """The Saver over nodes that are in the graph."""
        return Saver(saver_def=saver_def, name=import_scope)

    # ---- checkpoints that are kept

    @property
    def last_checkpoints(self):
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints):
        """Takes over these paths, oldest first; later saves delete them when there are too many."""
        assert isinstance(last_checkpoints, list)
        self._last_checkpoints = [(path, float('inf')) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time):
        """The same with the times when they were written: [(path, seconds since 1970)]."""
        assert isinstance(last_checkpoints_with_time, list)
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths):
        """Takes over the checkpoints of an earlier run that still exist."""
        found = []
        for path in checkpoint_paths:
            times = checkpoint_management.get_checkpoint_mtimes([path])
            if times:
                found.append((path, times[0]))
        self.set_last_checkpoints_with_time(found)

    def _record(self, path):
        if not self.saver_def.max_to_keep:
            return
        self._last_checkpoints = [entry for entry in self._last_checkpoints if entry[0] != path]
        self._last_checkpoints.append((path, time.time()))
        if len(self._last_checkpoints) > self.saver_def.max_to_keep:
            self._checkpoints_to_be_deleted.append(self._last_checkpoints.pop(0))

    def _delete_old(self, meta_graph_suffix):
        if not self._checkpoints_to_be_deleted:
            return
        path, written = self._checkpoints_to_be_deleted.pop(0)
        if written > self._next_checkpoint_time:
            self._next_checkpoint_time += self.saver_def.keep_checkpoint_every_n_hours * 3600
            return
        try:
            checkpoint_management.remove_checkpoint(path, V2, meta_graph_suffix)
        except OSError as e:
            _log().warning('Ignoring: %s', e)

    # ---- save and restore

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix='meta', write_meta_graph=True,
             write_state=True, strip_default_attrs=False, save_debug_info=False):
        """Writes a checkpoint and gives its path: `save_path`, or "<save_path>-<global_step>".

        Beside it lie the graph (".meta") and the state file "checkpoint", by which tf.train.latest_checkpoint finds it. Errors: TypeError
        for what is no session, ValueError for a folder that cannot be made, FailedPreconditionError for an uninitialised variable.
        """
        if not self._is_built:
            raise RuntimeError('`build()` should be called before save if defer_build==True')
        save_path = checkpoint_management._text(save_path)
        latest_filename = latest_filename or 'checkpoint'
        if self._write_version != V2:
            _log().warning("TensorFlow's V1 checkpoint format is read, not written: the checkpoint is of format V2, which all versions since "
                           '0.12 read.')
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        if global_step is not None:
            if not hasattr(global_step, '__index__') or isinstance(global_step, graph_lib.Tensor):
                global_step = int(sess.run(global_step))
            checkpoint_file = ('%s-%08d' if self._pad_step_number else '%s-%d') % (save_path, global_step)
        else:
            checkpoint_file = save_path
            if os.path.basename(save_path) == latest_filename and not self._sharded:
                raise ValueError("'latest_filename' collides with 'save_path': '%s' and '%s'" % (latest_filename, save_path))
        if not isinstance(sess, session_lib.BaseSession):
            raise TypeError("'sess' must be a Session; %s" % sess)
        folder = os.path.dirname(save_path)
        path = None
        if not self._is_empty:
            if folder and not os.path.isdir(folder) and not os.path.isdir(os.path.dirname(folder) or '.'):
                raise ValueError("Parent directory of %s doesn't exist, can't save." % save_path)
            path = sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: checkpoint_file})
            path = path.decode('utf-8') if isinstance(path, bytes) else str(path)
            if write_state:
                self._record(path)
                self._write_state(folder, path, latest_filename)
                self._delete_old(meta_graph_suffix)
        if write_meta_graph:
            with sess.graph.as_default():
                self.export_meta_graph(checkpoint_management.meta_graph_filename(checkpoint_file, meta_graph_suffix),
                                       strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info)
        return path

    def _write_state(self, folder, path, latest_filename):
        paths = self.last_checkpoints
        if self._save_relative_paths:
            path = os.path.relpath(path, folder) if os.path.isabs(path) else path
            paths = [os.path.relpath(p, folder) if os.path.isabs(p) else p for p in paths]
        checkpoint_management.update_checkpoint_state(folder, path, paths, latest_filename)

    def export_meta_graph(self, filename=None, collection_list=None, as_text=False, export_scope=None, clear_devices=False,
                          clear_extraneous_savers=False, strip_default_attrs=False, save_debug_info=False):
        """The MetaGraphDef of the default graph with this saver, also written to `filename` if it is given."""
        return importer.export_meta_graph(
            filename, saver_def=self.saver_def, collection_list=collection_list, as_text=as_text, export_scope=export_scope,
            clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers, strip_default_attrs=strip_default_attrs)

    def _engine(self, graph):
        engine = self._engines.get(graph)
        if engine is None:
            tensors = [graph.as_graph_element(n) for n in (self.saver_def.filename_tensor_name, self.saver_def.save_tensor_name)]
            restore = graph.as_graph_element(self.saver_def.restore_op_name)
            engine = self._engines[graph] = _core.Saver(graph._core, tensors[0]._handle, tensors[1]._handle, restore._id)
        return engine

    def restore(self, sess, save_path):
        """Gives the variables the values in a checkpoint; they need not be initialised, and change only if all of it fits.

        Errors: ValueError for what is no checkpoint, NotFoundError for a folder that is not there or a checkpoint that lacks variables,
        InvalidArgumentError for other shapes or dtypes.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = checkpoint_management._text(save_path)
        if not checkpoint_management.checkpoint_exists(path):
            raise ValueError('The passed save_path is not a valid checkpoint: ' + path)
        _log().info('Restoring parameters from %s', path)
        sess._check_open()
        engine = self._engine(sess.graph)
        try:
            engine.restore(sess._session, path)
            return
        except errors.NotFoundError as e:
            error, why = e, 'a Variable name or other graph key that is missing'
        except errors.InvalidArgumentError as e:
            error, why = e, 'a mismatch between the current graph and the graph'
        raise type(error)(error.node_def, error.op, (
            'Restoring from checkpoint failed. This is most likely due to %s from the checkpoint. Please ensure that you have not altered '
            'the graph expected based on the checkpoint. Original error:\n\n%s%s') % (
                why, _first_difference(sess.graph, engine, path), error.message))


def _first_difference(graph, engine, path):
    """A line as TensorFlow words it."""
    stored = {name: (dtype, shape) for name, dtype, shape in _core.CheckpointReader(path).variables()}
    wanted = engine.variables()
    for name in sorted(wanted):
        if name not in stored:
            return 'Key %s not found in checkpoint\n' % name
    for name in sorted(wanted):
        tensor = graph._tensor(wanted[name])
        dtype, shape = stored[name]
        if dtypes.of(dtype) != tensor.dtype.base_dtype:
            return 'tensor_name = %s; expected dtype %s does not equal original dtype %s\n' % (
                name, _c_name(tensor.dtype.base_dtype), _c_name(dtypes.of(dtype)))
        if not tensor.shape.is_compatible_with(shape):
            return 'Assign requires shapes of both tensors to match. lhs shape= [%s] rhs shape= [%s]\n' % (
                ','.join(str(d) for d in tensor.shape.as_list()), ','.join(str(d) for d in shape))
    return ''


def _c_name(dtype):
    return {'float32': 'float', 'float64': 'double', 'float16': 'half'}.get(dtype.name, dtype.name)


def _get_saver_or_default():
    """The graph's saver: from the collection, or a new one of all variables."""
    savers = graph_lib.get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError('More than one item in collection %s. Please indicate which one to use by passing it to the constructor.' %
                           GraphKeys.SAVERS)
    if savers:
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True)
    graph_lib.add_to_collection(GraphKeys.SAVERS, saver)
    return saver
