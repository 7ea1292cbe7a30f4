"""Variables of models, and choosing among the variables of a graph."""
import functools
import re

from headrace.tf1.contrib.framework.arg_scope import add_arg_scope
from headrace.tf1.framework import array, control, dtypes, graph as graph_lib, variable_scope as vs
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.framework.variables import Variable, VariableAggregation, VariableSynchronization
from headrace.tf1.train.training_util import (  # noqa: F401
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step)


def assert_or_get_global_step(graph=None, global_step_tensor=None):
    """The graph's global step; or the given one, if it can be one (else TypeError)."""
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


# ---- making variables

def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A variable of the collection LOCAL_VARIABLES, untrainable."""
    return Variable(initial_value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], validate_shape=validate_shape, name=name)


def global_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A variable of the collection GLOBAL_VARIABLES, untrainable."""
    return Variable(initial_value, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES], validate_shape=validate_shape, name=name)


@add_arg_scope
def variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None, caching_device=None,
             device=None, partitioner=None, custom_getter=None, use_resource=None, synchronization=VariableSynchronization.AUTO,
             aggregation=VariableAggregation.NONE):
    """get_variable on a device; its arguments can come from an arg_scope."""
    collections = list(dict.fromkeys([GraphKeys.GLOBAL_VARIABLES] if collections is None else collections))
    getter = vs.get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=vs.get_variable_scope().reuse)
    with graph_lib.device(device or ''):
        return getter(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
                      collections=collections, caching_device=caching_device, partitioner=partitioner, use_resource=use_resource,
                      synchronization=synchronization, aggregation=aggregation)


@add_arg_scope
def model_variable(name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None, trainable=True, collections=None,
                   caching_device=None, device=None, partitioner=None, custom_getter=None, use_resource=None,
                   synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregation.NONE):
    """A `variable` of the collection MODEL_VARIABLES, too."""
    collections = list(collections or []) + [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
                    collections=collections, caching_device=caching_device, device=device, partitioner=partitioner,
                    custom_getter=custom_getter, use_resource=use_resource, synchronization=synchronization, aggregation=aggregation)


def add_model_variable(var):
    """Puts a variable into MODEL_VARIABLES unless it is there."""
    if var not in graph_lib.get_collection(GraphKeys.MODEL_VARIABLES):
        graph_lib.add_to_collection(GraphKeys.MODEL_VARIABLES, var)


# ---- finding variables

def get_variables(scope=None, suffix=None, collection=GraphKeys.GLOBAL_VARIABLES):
    """The variables of a collection whose names begin with `scope` (a regular expression or VariableScope) and end with `suffix`."""
    if isinstance(scope, vs.VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = '%s.*%s' % (scope or '', suffix if ':' in suffix else suffix + ':')
    return graph_lib.get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix, scope=None):
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name, scope=None):
    """The variables whose name is "given_name" or ends with "/given_name"."""
    return get_variables(scope=scope, suffix='/%s:|^%s:' % (given_name, given_name))


def get_unique_variable(var_op_name):
    """The variable of exactly that name. ValueError if there is none."""
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError("Couldn't find variable %s" % var_op_name)
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError('Variable %s does not uniquely identify a variable' % var_op_name)


def get_variable_full_name(var):
    """Its name; for a part, that of the whole variable."""
    return var._save_slice_info.full_name if var._save_slice_info else var.op.name


def _of_scopes(scopes, what):
    if not isinstance(scopes, (list, tuple)):
        raise TypeError('%s is provided but is not a list or a tuple.' % what)
    return [var for scope in scopes for var in get_variables(scope)]


def get_variables_to_restore(include=None, exclude=None):
    """The variables of the scopes `include` (None: all) without those of the scopes `exclude`."""
    included = get_variables() if include is None else _of_scopes(include, 'include')
    excluded = set() if exclude is None else set(_of_scopes(exclude, 'exclude'))
    return [var for var in included if var not in excluded]


def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    """The variables whose names fit one of `include_patterns` (None: all) and none of `exclude_patterns`.

    reg_search: a pattern may fit anywhere in the name, else at its beginning.
    """
    fits = re.search if reg_search else re.match

    def fits_any(patterns, var):
        return any(fits(pattern, var.name) for pattern in patterns)
    return [var for var in var_list if (include_patterns is None or fits_any(include_patterns, var)) and not (
        exclude_patterns is not None and fits_any(exclude_patterns, var))]


# ---- values from outside

def _assignment(var):
    """(placeholder, assign) for a variable."""
    value = array.placeholder(dtype=var.dtype.base_dtype, shape=var.get_shape(), name='placeholder/' + var.op.name)
    return value, var.assign(value)


def assign_from_values(var_names_to_values):
    """(operation, feed_dict) that give variables, by name, the values of NumPy arrays. ValueError for a name that no variable has."""
    feeds, assigns = {}, []
    for name, value in var_names_to_values.items():
        found = graph_lib.get_collection(GraphKeys.GLOBAL_VARIABLES, name)
        if not found:
            raise ValueError("Variable %s wasn't found" % name)
        if len(found) > 1:
            found = [var for var in found if var.op.name == name]
            if not found:
                raise ValueError("Variable %s doesn't uniquely identify a variable" % name)
        placeholder, assign = _assignment(found[0])
        assigns.append(assign)
        feeds[placeholder] = value.reshape(found[0].get_shape().as_list())
    return control.group(*assigns), feeds


def assign_from_values_fn(var_names_to_values):
    """A function of a session that does it."""
    operation, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(operation, feeds)


def _by_checkpoint_name(var_list):
    """{name in the checkpoint: variables, or parts of one}"""
    grouped = {}
    if isinstance(var_list, (tuple, list)):
        for var in var_list:
            grouped.setdefault(get_variable_full_name(var), []).append(var)
        return grouped
    return {name: value if isinstance(value, (tuple, list)) else [value] for name, value in var_list.items()}


def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """(operation, feed_dict) that give variables the values of a checkpoint.

    var_list: variables, or {name in the checkpoint: variable or its parts}. Errors: ValueError for a variable that the checkpoint lacks
    (a warning with ignore_missing_vars) or has with another shape.
    """
    from headrace.tf1 import logging
    from headrace.tf1.train import checkpoint_utils
    reader = checkpoint_utils.NewCheckpointReader(model_path)
    feeds, assigns = {}, []
    for name, parts in _by_checkpoint_name(var_list).items():
        if not reader.has_tensor(name):
            text = 'Checkpoint is missing variable [%s]' % name
            if not ignore_missing_vars:
                raise ValueError(text)
            logging.warning(text)
            continue
        stored = reader.get_tensor(name)
        for var in parts:
            placeholder, assign = _assignment(var)
            assigns.append(assign)
            info = var._save_slice_info
            if info:
                where = tuple(slice(start, start + size) for start, size in zip(info.var_offset, info.var_shape))
                feeds[placeholder] = stored[where].reshape(info.var_shape)
                continue
            if tuple(var.get_shape().as_list()) != stored.shape:
                raise ValueError('Total size of new array must be unchanged for %s lh_shape: [%s], rh_shape: [%s]' % (
                    name, stored.shape, var.get_shape()))
            feeds[placeholder] = stored
    return control.group(*assigns), feeds


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False, reshape_variables=False):
    """A function of a session that restores the variables from a checkpoint; None if nothing is to be restored.

    Errors: ValueError for an empty var_list.
    """
    from headrace.tf1 import logging
    from headrace.tf1.train import checkpoint_utils
    from headrace.tf1.train.saver import Saver
    if not var_list:
        raise ValueError('var_list cannot be empty')
    if ignore_missing_vars:
        reader = checkpoint_utils.NewCheckpointReader(model_path)
        wanted = var_list if isinstance(var_list, dict) else {var.op.name: var for var in var_list}
        var_list = {}
        for name, var in wanted.items():
            if reader.has_tensor(name):
                var_list[name] = var
            else:
                logging.warning('Variable %s missing in checkpoint %s', name, model_path)
    if not var_list:
        logging.warning('No Variables to restore')
        return None
    saver = Saver(var_list, reshape=reshape_variables, write_version=1)
    return lambda session: saver.restore(session, model_path)


class VariableDeviceChooser(object):
    """A device function that deals variables out to parameter servers in turn."""

    def __init__(self, num_tasks=0, job_name='ps', device_type='CPU', device_index=0, replica=None):
        self._job_name, self._device_type, self._device_index, self._replica = job_name, device_type, device_index, replica
        self._num_tasks, self._next_task_id = num_tasks, 0

    def __call__(self, op):
        from headrace.tf1.framework.device import DeviceSpec
        spec = DeviceSpec(replica=self._replica, device_type=self._device_type, device_index=self._device_index)
        if self._num_tasks > 0:
            spec.job, spec.task = self._job_name, self._next_task_id
            self._next_task_id = (self._next_task_id + 1) % self._num_tasks
        return spec.to_string()
