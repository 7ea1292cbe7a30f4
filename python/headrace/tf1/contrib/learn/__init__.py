"""tf.contrib.learn: its data sets and its preprocessing of texts."""
import importlib


def __getattr__(name):
    if name not in ('datasets', 'preprocessing'):
        raise AttributeError(name)
    return importlib.import_module('headrace.tf1.contrib.learn.' + name)
