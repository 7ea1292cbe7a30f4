"""tensorflow.examples.tutorials.mnist: input_data (reads MNIST's files) and mnist (the tutorial's network)."""
import importlib


def __getattr__(name):
    if name in ('input_data', 'mnist', 'files'):
        return importlib.import_module('%s.%s' % (__name__, name))
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
