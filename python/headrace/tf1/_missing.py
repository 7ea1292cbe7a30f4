"""Names of TensorFlow that we do not have: they raise at their use, not at their import."""
import difflib
import importlib
import os
import sys
import types

_SURFACE = 'headrace.tf1.'
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class MissingNameError(NotImplementedError, AttributeError):
    """A program used a name of TensorFlow that Headrace does not have. An AttributeError too, so that `hasattr(tf, name)` is False
    and `getattr(tf, name, default)` works."""

    def __init__(self, name, file='', line=0):
        super(MissingNameError, self).__init__(name)
        self.missing, self.file, self.line = name, file, line

    def __str__(self):
        near = nearest(self.missing)
        return '%s is not in Headrace%s%s' % (
            self.missing, ' (%s:%d)' % (self.file, self.line) if self.line else '',
            '; the nearest names are ' + ', '.join(near) if near else '')


# In a traceback it is what it is: a NotImplementedError.
MissingNameError.__module__, MissingNameError.__name__, MissingNameError.__qualname__ = 'builtins', *2 * ('NotImplementedError',)


def name_error(name):
    """The exception to raise for a name (`tf.nn.foo`), with the line of the program that uses it.

    In a module: `def __getattr__(name): raise _missing.name_error('tf.nn.' + name)`.
    """
    file, line = _program_line()
    return MissingNameError(_public_spelling(name), file, line)


class MissingModule(types.ModuleType):
    """A module or another name that could be imported, but that we do not have: any use of it raises."""

    def __init__(self, name):
        super(MissingModule, self).__init__(name, 'Not in Headrace.')
        self.__path__ = []

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError("module '%s' has no attribute %r" % (self.__name__, name))
        raise name_error('%s.%s' % (self.__name__, name))

    def __call__(self, *arguments, **options):
        raise name_error(self.__name__)

    def __mro_entries__(self, bases):
        raise name_error(self.__name__)

    def __repr__(self):
        return "<module '%s', which Headrace does not have>" % self.__name__


def is_missing(value):
    """Whether an object only stands for a name that we do not have."""
    return isinstance(value, MissingModule)


def watch(module, name):
    """Lets the names that a public module (`name` is 'tf.nn') lacks raise MissingNameError, and finds modules inside it. Returns the
    module."""
    space = vars(module)
    own = space.get('__getattr__')
    if getattr(own, 'watches', False):
        return module

    def __getattr__(attribute):
        full = '%s.%s' % (name, attribute)
        if own is not None:
            try:
                return _watched(own(attribute), full)
            except AttributeError:
                pass
        if attribute.startswith('__'):
            raise AttributeError("module '%s' has no attribute %r" % (name, attribute))
        if '__path__' in space and not attribute.startswith('_'):
            path = '%s.%s' % (module.__name__, attribute)
            try:
                return _watched(importlib.import_module(path), full)
            except ModuleNotFoundError as error:
                if error.name != path:
                    raise
        raise name_error(full)
    __getattr__.watches = True
    module.__getattr__ = __getattr__
    for attribute, value in list(space.items()):
        if not attribute.startswith('_'):
            _watched(value, '%s.%s' % (name, attribute))
    return module


def _watched(value, name):
    if isinstance(value, types.ModuleType) and _is_public(value):
        watch(value, name)
    return value


def _is_public(module):
    return module.__name__.startswith(_SURFACE) and not module.__name__.startswith(_SURFACE + 'framework')


def nearest(name, candidates=None, count=3):
    """The public names that are most like a missing one: of the same last part anywhere, then of like spelling."""
    names = _all_names() if candidates is None else candidates
    last = name.rpartition('.')[2]
    same = [candidate for candidate in names if candidate.rpartition('.')[2] == last]
    ratio = lambda candidate: difflib.SequenceMatcher(None, candidate, name).ratio()  # noqa: E731
    found = sorted(same, key=lambda candidate: -ratio(candidate))[:count]
    by_last = {}
    for candidate in names:
        by_last.setdefault(candidate.rpartition('.')[2], []).append(candidate)
    for like in difflib.get_close_matches(last, list(by_last), n=count, cutoff=0.7):
        found += sorted(by_last[like], key=lambda candidate: -ratio(candidate))
    return list(dict.fromkeys(found))[:count]


_names = None


def _all_names():
    """All public names of the surface, with `tf.` in front. Loads every module of it: only a failing program pays."""
    global _names
    if _names is None:
        found = []
        _collect(importlib.import_module('headrace.tf1'), 'tf', set(), found)
        # One name for one thing, the shortest: tf.train.Saver, not tf.train.saver.Saver.
        shortest = {}
        for name, value in sorted(found, key=lambda pair: (pair[0].count('.'), len(pair[0]), pair[0])):
            shortest.setdefault((id(value), name.rpartition('.')[2]), name)
        _names = list(shortest.values())
    return _names


def _collect(module, prefix, seen, out):
    """Adds (name, value) of a module and all modules inside it, those of short paths first: modules name each other."""
    waiting = [(module, prefix)]
    for module, prefix in waiting:
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name in dir(module):
            if name.startswith('_'):
                continue
            try:
                value = getattr(module, name)
            except Exception:  # pylint: disable=broad-except
                continue  # a module that cannot be loaded has no names to offer
            full = '%s.%s' % (prefix, name)
            if is_missing(value):
                continue
            if isinstance(value, types.ModuleType):
                if _is_public(value):
                    waiting.append((value, full))
            else:
                out.append((full, value))


def _public_spelling(name):
    return 'tf.' + name[len('tensorflow.'):] if name.startswith('tensorflow.') and not name.startswith('tensorflow.python.') else name


def _program_line():
    """(file, line) of the innermost frame that is neither ours nor the import system's."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_PACKAGE) and not file.startswith('<frozen'):
            return file, frame.f_lineno
        frame = frame.f_back
    return '', 0
