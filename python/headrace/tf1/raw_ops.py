"""tf.raw_ops: every op of the engine as a function of named arguments."""
from headrace import _core
from headrace.tf1.framework import gen


def __getattr__(name):
    if name.startswith('_') or name not in _names():
        raise AttributeError("module 'tf.raw_ops' has no attribute %r" % name)
    function = gen.function(name)

    def by_name(**arguments):
        return function(**arguments)
    by_name.__name__, by_name.__doc__ = name, function.__doc__
    globals()[name] = by_name
    return by_name


def _names():
    return frozenset(_core.op_names())


def __dir__():
    return sorted(n for n in _names() if not n.startswith('_'))
