"""tf.contrib.slim.nets: AlexNet, VGG, Inception and residual networks, each in a module with its arg_scope."""
import importlib

_NETS = ('alexnet', 'inception', 'inception_v3', 'resnet_utils', 'resnet_v1', 'resnet_v2', 'vgg')


def __getattr__(name):
    if name not in _NETS:
        raise AttributeError(name)
    return importlib.import_module('%s.%s' % (__name__, name))


def __dir__():
    return sorted(_NETS)
