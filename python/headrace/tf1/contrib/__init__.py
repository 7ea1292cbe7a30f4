"""tf.contrib: what TensorFlow 1 had beside its core, as far as it is here."""
import importlib


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    try:
        return importlib.import_module('headrace.tf1.contrib.' + name)
    except ModuleNotFoundError as e:
        if e.name != 'headrace.tf1.contrib.' + name:
            raise
    from headrace.tf1 import _missing
    raise _missing.name_error('tf.contrib.' + name)
