"""What is in a checkpoint (tf.train.list_variables, NewCheckpointReader), and variables that start from one."""
import os
import time

from headrace import _core
from headrace.tf1.framework import dtypes, errors, graph as graph_lib, shapes, variables
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.train import checkpoint_management, saveable as saveable_lib


class CheckpointReader(object):
    """Reads a checkpoint of TensorFlow's formats V2 and V1. NotFoundError if there is none."""

    def __init__(self, filename):
        self._reader = _open(checkpoint_management._text(filename))
        self._variables = {name: (dtypes.of(dtype), list(shape)) for name, dtype, shape in self._reader.variables()}

    def get_variable_to_shape_map(self):
        """{name: shape as a list}"""
        return {name: list(shape) for name, (_, shape) in self._variables.items()}

    def get_variable_to_dtype_map(self):
        """{name: dtype}"""
        return {name: dtype for name, (dtype, _) in self._variables.items()}

    def has_tensor(self, tensor_str):
        """Is there a variable of that name?"""
        return checkpoint_management._text(tensor_str) in self._variables

    def get_tensor(self, tensor_str):
        """The value of a variable. NotFoundError, with the nearest names, if there is none."""
        return self._reader.read(checkpoint_management._text(tensor_str))

    def debug_string(self):
        """A line for each variable: name, dtype, shape."""
        lines = ['%s (DT_%s) [%s]\n' % (name, {'float32': 'FLOAT', 'float64': 'DOUBLE', 'float16': 'HALF'}.get(
            dtype.name, dtype.name.upper()), ','.join(str(d) for d in shape)) for name, (dtype, shape) in sorted(self._variables.items())]
        return ''.join(lines).encode('utf-8')


def _open(path):
    """The engine's reader; what it says when there is no checkpoint comes after TensorFlow's words."""
    try:
        return _core.CheckpointReader(path)
    except errors.NotFoundError as e:
        folder, why = os.path.dirname(path), e.message
        if folder and not os.path.isdir(folder):
            error = errors.InvalidArgumentError(None, None, 'Unsuccessful TensorSliceReader constructor: Failed to get matching files on %s: Not '
                                                'found: %s; No such file or directory\n    %s' % (path, folder, why))
        else:
            error = errors.NotFoundError(None, None, 'Unsuccessful TensorSliceReader constructor: Failed to find any matching files for %s\n    '
                                         '%s' % (path, why))
    except errors.InvalidArgumentError as e:
        if 'is not a table' not in e.message:
            raise
        error = errors.DataLossError(None, None, 'Unable to open table file %s: Data loss: not an sstable (bad magic number): perhaps your file '
                                     'is in a different file format and you need to use a different restore operator?\n    %s' % (path, e.message))
    raise error


def NewCheckpointReader(filepattern):  # pylint: disable=invalid-name
    """A reader of the checkpoint with that path."""
    return CheckpointReader(filepattern)


def _checkpoint_filename(ckpt_dir_or_file):
    path = checkpoint_management._text(ckpt_dir_or_file)
    return checkpoint_management.latest_checkpoint(path) if os.path.isdir(path) else path


def load_checkpoint(ckpt_dir_or_file):
    """A reader of a checkpoint, or of the newest one of a folder. ValueError for a folder without."""
    filename = _checkpoint_filename(ckpt_dir_or_file)
    if filename is None:
        raise ValueError("Couldn't find 'checkpoint' file or checkpoints in given directory %s" % ckpt_dir_or_file)
    return CheckpointReader(filename)


def load_variable(ckpt_dir_or_file, name):
    """The value of a variable in a checkpoint."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name[:-2] if name.endswith(':0') else name)


def list_variables(ckpt_dir_or_file):
    """[(name, shape as a list)] of a checkpoint, by name."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def wait_for_new_checkpoint(checkpoint_dir, last_checkpoint=None, seconds_to_sleep=1, timeout=None):
    """The path of a checkpoint newer than `last_checkpoint`, or None after `timeout` seconds."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        path = checkpoint_management.latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            return path
        if deadline is not None and time.monotonic() + seconds_to_sleep > deadline:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """The newest checkpoint of a folder, again and again as new ones come; ends after `timeout` seconds without, unless `timeout_fn()`
    says False."""
    path = None
    while True:
        new = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if new is None:
            if not timeout_fn or timeout_fn():
                return
            continue
        started = time.monotonic()
        path = new
        yield path
        time.sleep(max(0.0, started + min_interval_secs - time.monotonic()))


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Variables get their initial values from a checkpoint.

    assignment_map: {name in the checkpoint: variable, its name, or list of its parts}, or {"scope/": "scope of variables/"}. Errors:
    ValueError for what is not in the checkpoint or has another shape there.
    """
    from headrace.tf1.framework import variable_scope
    filename = _checkpoint_filename(ckpt_dir_or_file)
    stored = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    made = variable_scope._variable_store()._vars
    for stored_name, target in sorted(assignment_map.items(), key=lambda item: item[0]):
        var = target
        if isinstance(target, str):
            var = made.get(target) or _parts(target, made)
        if var is not None:
            _initialize(var, stored_name, stored, filename, ckpt_dir_or_file)
        else:
            _initialize_scope(target, stored_name, stored, made, filename, ckpt_dir_or_file)


def _parts(name, made):
    """All parts of a partitioned variable, or None."""
    parts = []
    while '%s/part_%d' % (name, len(parts)) in made:
        parts.append(made['%s/part_%d' % (name, len(parts))])
    return parts or None


def _initialize_scope(target, stored_name, stored, made, filename, given):
    scope = target[:target.rindex('/')] if '/' in target else ''
    if not stored_name.endswith('/'):
        raise ValueError("Assignment map with scope only name %s should map to scope only %s. Should be 'scope/': 'other_scope/'." % (
            scope, stored_name))
    names = {name.partition('/part_')[0] for name in made if not scope or name.startswith(scope + '/')}
    for name in sorted(names):
        full = name[len(scope):]
        full = full[1:] if target != '/' else full
        full = (stored_name + full if stored_name != '/' else full).rstrip('/')
        if full not in stored:
            raise ValueError('Tensor %s (%s in %s) is not found in %s checkpoint' % (full, name[len(scope) + 1:], stored_name, given))
        _initialize(made.get(name) or _parts(name, made), full, stored, filename, given)


def _initialize(var, stored_name, stored, filename, given):
    if isinstance(var, variables.PartitionedVariable):
        var = list(var)
    if not isinstance(var, (variables.Variable, list, tuple)):
        raise TypeError('a variable, its name, or a list of its parts must stand for %s, got %r' % (stored_name, var))
    first = var[0] if isinstance(var, (list, tuple)) else var
    if stored_name not in stored:
        raise ValueError('Tensor %s is not found in %s checkpoint %s' % (stored_name, given, stored))
    shape = first.get_shape() if first is var else shapes.as_shape(first._save_slice_info.full_shape)
    if not shape.is_compatible_with(shapes.as_shape(stored[stored_name])):
        raise ValueError("Shape of variable %s (%s) doesn't match with shape of tensor %s (%s) from checkpoint reader." % (
            first.name, shape, stored_name, stored[stored_name]))
    for part in var if isinstance(var, (list, tuple)) else [var]:
        info = part._save_slice_info
        _set_initializer(part, filename, stored_name, info.spec if info is not None else '')


def _set_initializer(var, filename, stored_name, slice_spec):
    with var.graph.as_default(), graph_lib.device(var.device), graph_lib.device('/cpu:0'):
        value = apply_op('RestoreV2', filename, [stored_name], [slice_spec],
                         dtypes=[var.dtype.base_dtype], name='checkpoint_initializer')[0]
        init = saveable_lib.ReferenceVariableSaveable(var, slice_spec, var.op.name).restore([value], None)
    value.set_shape(var.get_shape())
    var._initializer_op, var._initial_value = init.op, value
