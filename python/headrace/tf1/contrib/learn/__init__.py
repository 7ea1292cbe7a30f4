"""tf.contrib.learn: its data sets."""
import importlib


def __getattr__(name):
    if name != 'datasets':
        raise AttributeError(name)
    return importlib.import_module('headrace.tf1.contrib.learn.datasets')
