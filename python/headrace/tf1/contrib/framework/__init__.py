"""tf.contrib.framework: arg_scope, variables of models, checkpoints."""
import importlib
import sys

from headrace.tf1.contrib.framework.arg_scope import (  # noqa: F401
    add_arg_scope, arg_scoped_arguments, current_arg_scope, has_arg_scope)
from headrace.tf1.contrib.framework.variables import (  # noqa: F401
    VariableDeviceChooser, add_model_variable, assert_global_step, assert_or_get_global_step, assign_from_checkpoint,
    assign_from_checkpoint_fn, assign_from_values, assign_from_values_fn, create_global_step, filter_variables, get_global_step,
    get_local_variables, get_model_variables, get_or_create_global_step, get_trainable_variables, get_unique_variable,
    get_variable_full_name, get_variables, get_variables_by_name, get_variables_by_suffix, get_variables_to_restore, global_variable,
    local_variable, model_variable, variable)
from headrace.tf1.contrib.framework import arg_scope as _arg_scope_module

arg_scope = _arg_scope_module.arg_scope  # the function; the module of that name stays importable

_ELSEWHERE = {
    'is_tensor': 'framework.variables', 'get_graph_from_inputs': 'contrib.framework.tensors', 'get_name_scope': 'contrib.framework.tensors',
    'assert_scalar': 'contrib.framework.tensors', 'assert_scalar_int': 'contrib.framework.tensors',
    'reduce_sum_n': 'contrib.framework.tensors', 'remove_squeezable_dimensions': 'contrib.framework.tensors',
    'deprecated': 'contrib.framework.tensors', 'deprecated_args': 'contrib.framework.tensors',
    'deprecated_arg_values': 'contrib.framework.tensors', 'get_placeholders': 'contrib.framework.tensors',
    'load_checkpoint': 'train.checkpoint_utils', 'load_variable': 'train.checkpoint_utils', 'list_variables': 'train.checkpoint_utils',
    'init_from_checkpoint': 'train.checkpoint_utils', 'py_func': 'framework.control', 'smart_cond': 'framework.control_flow',
    'prepend_name_scope': 'contrib.framework.tensors', 'strip_name_scope': 'contrib.framework.tensors',
}


def __getattr__(name):
    if name == 'nest':
        return importlib.import_module('headrace.tf1.nest')
    if name not in _ELSEWHERE:
        raise AttributeError(name)
    found = getattr(importlib.import_module('headrace.tf1.' + _ELSEWHERE[name]), name)
    setattr(sys.modules[__name__], name, found)
    return found


def __dir__():
    return sorted(set(globals()) | set(_ELSEWHERE) | {'nest'})
