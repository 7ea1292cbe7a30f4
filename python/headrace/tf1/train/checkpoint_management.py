"""The state file of a folder of checkpoints, and the checkpoints themselves."""
import os
import re

from headrace import _core
from headrace.tf1 import gfile
from headrace.tf1.framework import protos

V1, V2 = 1, 2  # SaverDef.CheckpointFormatVersion


def _text(path):
    return path.decode('utf-8') if isinstance(path, bytes) else os.fspath(path)


def _state_file(save_dir, latest_filename):
    return os.path.join(save_dir, latest_filename or 'checkpoint')


def _log():
    from headrace.tf1 import logging
    return logging


def generate_checkpoint_state_proto(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None,
                                    all_model_checkpoint_timestamps=None, last_preserved_timestamp=None):
    """The CheckpointState of these checkpoints; in a relative folder, relative paths count from it."""
    paths = list(all_model_checkpoint_paths or [])
    if not paths or paths[-1] != model_checkpoint_path:
        _log().info('%s is not in all_model_checkpoint_paths. Manually adding it.', model_checkpoint_path)
        paths.append(model_checkpoint_path)
    times = all_model_checkpoint_timestamps
    if times and len(times) != len(paths):
        raise ValueError('Checkpoint timestamps, if provided, must match checkpoint paths (got paths %s and timestamps %s)' % (
            paths, times))
    if not os.path.isabs(save_dir):
        model_checkpoint_path, paths = _inside(model_checkpoint_path, save_dir), [_inside(p, save_dir) for p in paths]
    return protos.message('CheckpointState')(
        model_checkpoint_path=model_checkpoint_path, all_model_checkpoint_paths=paths, all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp)


def _inside(path, folder):
    return path if os.path.isabs(path) else os.path.relpath(path, folder or '.')


def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None, latest_filename=None,
                            all_model_checkpoint_timestamps=None, last_preserved_timestamp=None):
    """Writes the state file. RuntimeError when it is the checkpoint's own name."""
    save_dir = _text(save_dir)
    state = generate_checkpoint_state_proto(save_dir, _text(model_checkpoint_path), all_model_checkpoint_paths,
                                            all_model_checkpoint_timestamps, last_preserved_timestamp)
    path = _state_file(save_dir, latest_filename)
    if path == state.model_checkpoint_path:
        raise RuntimeError("Save path '%s' conflicts with path used for checkpoint state.  Please use a different save path." %
                           model_checkpoint_path)
    from google.protobuf import text_format
    _core.write_file(path, text_format.MessageToString(state).encode('utf-8'))


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """The CheckpointState of a folder with full paths, or None if there is none that can be read."""
    checkpoint_dir = _text(checkpoint_dir)
    path = _state_file(checkpoint_dir, latest_filename)
    try:
        with open(path, 'rb') as file:
            content = file.read().decode('utf-8')
    except FileNotFoundError:
        return None
    except OSError as e:
        _log().warning('%s: %s', type(e).__name__, e)
        _log().warning('%s: Checkpoint ignored', path)
        return None
    from google.protobuf import text_format
    state = protos.message('CheckpointState')()
    try:
        text_format.Merge(content, state)
    except text_format.ParseError as e:
        _log().warning('%s: %s', type(e).__name__, e)
        _log().warning('%s: Checkpoint ignored', path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError('Invalid checkpoint state loaded from ' + checkpoint_dir)
    state.model_checkpoint_path = os.path.join(checkpoint_dir, state.model_checkpoint_path)
    for i, p in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[i] = os.path.join(checkpoint_dir, p)
    return state


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """The path of the newest checkpoint of a folder, or None."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    _log().error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def _matching(pattern):
    """Files that match; the pattern's own characters count first. NotFoundError if the folder is not there."""
    return [pattern] if os.path.exists(pattern) else sorted(gfile.Glob(pattern))


def checkpoint_exists(checkpoint_prefix):
    """Is there a checkpoint (of format V2 or V1) with that prefix?"""
    prefix = _text(checkpoint_prefix)
    return bool(_matching(prefix + '.index')) or bool(_matching(prefix))


def get_checkpoint_mtimes(checkpoint_prefixes):
    """When those that exist were written, in seconds since 1970."""
    times = []
    for prefix in checkpoint_prefixes:
        files = _matching(_text(prefix) + '.index') or _matching(_text(prefix))
        if files:
            times.append(os.stat(files[0]).st_mtime)
    return times


def remove_checkpoint(checkpoint_prefix, checkpoint_format_version=V2, meta_graph_suffix='meta'):
    """Deletes the files of a checkpoint."""
    prefix = _text(checkpoint_prefix)
    patterns = [meta_graph_filename(prefix, meta_graph_suffix)]
    patterns += [prefix + '.index', prefix + '.data-?????-of-?????'] if checkpoint_format_version == V2 else [prefix]
    for pattern in patterns:
        for file in _matching(pattern):
            os.remove(file)


def meta_graph_filename(checkpoint_filename, meta_graph_suffix='meta'):
    """Where the graph that belongs to a checkpoint lies."""
    return '%s.%s' % (re.sub(r'-[\d\?]+-of-\d+$', '', checkpoint_filename), meta_graph_suffix)
