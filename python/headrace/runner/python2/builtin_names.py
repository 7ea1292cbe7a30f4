"""`__builtin__`: Python 2's built-in names as a module."""
from headrace.runner.python2.builtins import TABLE


def __getattr__(name):
    try:
        return TABLE[name]
    except KeyError:
        raise AttributeError("module '__builtin__' has no attribute %r" % name) from None
