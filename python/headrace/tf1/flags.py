"""tf.flags and tf.app.flags: command-line flags, through absl-py, with TensorFlow's leniency: FLAGS are parsed on first use, the old
argument names (flag_name, default_value, docstring) are taken, and a program may define flags that absl's logging has (log_dir, v)."""
import functools as _functools
import sys as _sys

from absl import flags as _absl
from absl import logging as _absl_logging
from absl.flags import *  # noqa: F401,F403 pylint: disable=wildcard-import,unused-wildcard-import

_OLD_ARGUMENTS = {'flag_name': 'name', 'default_value': 'default', 'docstring': 'help'}
_absl.disclaim_key_flags()  # flags are defined by the program, not by this module
for _flag in _absl.FLAGS.flags_by_module_dict().get(_absl_logging.__name__, ()):
    _flag.allow_override = True  # TensorFlow's flags had no log_dir before 1.14, and many programs define one


def _taking_old_names(define):
    @_functools.wraps(define)
    def wrapper(*arguments, **options):
        for old, new in _OLD_ARGUMENTS.items():
            if old in options:
                options[new] = options.pop(old)
        return define(*arguments, **options)
    return wrapper


DEFINE_string = _taking_old_names(_absl.DEFINE_string)
DEFINE_boolean = DEFINE_bool = _taking_old_names(_absl.DEFINE_boolean)
DEFINE_float = _taking_old_names(_absl.DEFINE_float)
DEFINE_integer = _taking_old_names(_absl.DEFINE_integer)


class _Flags(object):
    """absl's FLAGS, which parse sys.argv when one is first read."""
    __slots__ = ('_flags',)

    def __init__(self, values):
        object.__setattr__(self, '_flags', values)

    def __getattr__(self, name):
        values = object.__getattribute__(self, '_flags')
        if name == '_parse_flags':  # programs of TensorFlow 1.4 and earlier call it
            return _functools.partial(_parse_leniently, values)
        if name in values and not values.is_parsed():
            values(_sys.argv)
        return getattr(values, name)

    def __setattr__(self, name, value):
        setattr(self._flags, name, value)

    def __delattr__(self, name):
        delattr(self._flags, name)

    def __dir__(self):
        return dir(self._flags)

    def __getitem__(self, name):
        return self._flags[name]

    def __setitem__(self, name, flag):
        self._flags[name] = flag

    def __contains__(self, name):
        return name in self._flags

    def __len__(self):
        return len(self._flags)

    def __iter__(self):
        return iter(self._flags)

    def __str__(self):
        return str(self._flags)

    def __call__(self, *arguments, **options):
        return self._flags(*arguments, **options)


def _parse_leniently(values, argv=None):
    return values(_sys.argv if argv is None else argv, known_only=True)


FLAGS = _Flags(_absl.FLAGS)
