"""tf.contrib.slim: layers, variables, losses and training loops for image networks, and networks made of them."""
import importlib

from headrace.tf1.contrib import layers as _layers
from headrace.tf1.contrib.framework import (  # noqa: F401
    VariableDeviceChooser, add_arg_scope, add_model_variable, arg_scope, arg_scoped_arguments, assert_global_step,
    assert_or_get_global_step, assign_from_checkpoint, assign_from_checkpoint_fn, assign_from_values, assign_from_values_fn,
    create_global_step, current_arg_scope, filter_variables, get_global_step, get_local_variables, get_model_variables,
    get_or_create_global_step, get_trainable_variables, get_unique_variable, get_variable_full_name, get_variables,
    get_variables_by_name, get_variables_by_suffix, get_variables_to_restore, global_variable, has_arg_scope, local_variable,
    model_variable, variable)
from headrace.tf1.contrib.layers import *  # noqa: F401,F403

initializers, regularizers, utils = _layers.initializers, _layers.regularizers, _layers.utils
optimizers = _layers.optimizers
_MODULES = {name: 'headrace.tf1.contrib.slim.' + name
            for name in '''data_decoder data_provider dataset dataset_data_provider evaluation learning model_analyzer nets parallel_reader
            prefetch_queue queues summaries tfexample_decoder'''.split()}
_MODULES.update({name: 'headrace.tf1.contrib.' + name for name in ('layers', 'losses', 'metrics')})


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(name)
    return importlib.import_module(_MODULES[name])


def __dir__():
    return sorted(set(globals()) | set(_MODULES))


# slim's summaries are those of single tensors; those of contrib.layers are names of their own here.
del summaries  # noqa: F821
