"""`import tensorflow` is `headrace.tf1`, and TensorFlow's inner modules lead to its public names, in this process."""
import importlib
import importlib.machinery
import os
import sys
import types

from headrace.runner import spellings

SURFACE = 'headrace.tf1'
ROOT = 'tensorflow'
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _missing():
    # Not at the top: a program that does not import TensorFlow does not load the engine.
    from headrace.tf1 import _missing as module
    return module


def public(name):
    """The object of a public name ('' is tf itself, 'nn.relu'), or AttributeError. Missing names are no objects."""
    found = importlib.import_module(SURFACE)
    path = SURFACE
    for part in name.split('.') if name else ():
        path += '.' + part
        try:
            found = getattr(found, part)
        except AttributeError:
            if not isinstance(found, types.ModuleType) or not hasattr(found, '__path__'):
                raise
            try:
                found = importlib.import_module(path)
            except ModuleNotFoundError as error:
                if error.name != path:
                    raise
                raise AttributeError(name) from None
        if _missing().is_missing(found) or isinstance(found, InnerModule):  # left there by an import
            raise AttributeError(name)
    return found


class InnerModule(types.ModuleType):
    """A module of TensorFlow that is not public: `tensorflow.python.ops.math_ops`. Names come from where they are public."""

    def __init__(self, name):
        super(InnerModule, self).__init__(name)
        self.__path__ = []

    def __getattr__(self, attribute):
        if attribute.startswith('__'):
            raise AttributeError("module '%s' has no attribute %r" % (self.__name__, attribute))
        name = self.__name__[len(ROOT) + 1:]
        if spellings.is_folder(name):
            # contrib's folders have the names of their modules, too.
            found = lookup(name, attribute) if name.startswith('contrib.') else None
            if found is not None and not isinstance(found, types.ModuleType):
                return found
            return importlib.import_module('%s.%s' % (self.__name__, attribute))
        found = lookup(name, attribute)
        if found is None:
            raise _missing().name_error('%s.%s' % (self.__name__, attribute))
        setattr(self, attribute, found)
        return found


    # `from tensorflow.python.ops.math_ops import foo`: what is no name of math_ops may be a module in it, until it is used.
    def __call__(self, *arguments, **options):
        raise _missing().name_error(self.__name__)

    def __mro_entries__(self, bases):
        raise _missing().name_error(self.__name__)


class MessageModule(InnerModule):
    """A module of messages: `tensorflow.core.framework.graph_pb2`."""

    def __getattr__(self, attribute):
        if attribute.startswith('__'):
            raise AttributeError("module '%s' has no attribute %r" % (self.__name__, attribute))
        found = message(attribute)
        if found is None:
            raise _missing().name_error('%s.%s' % (self.__name__, attribute))
        setattr(self, attribute, found)
        return found


def message(name):
    """The class of a protocol-buffer message, an enumeration or one of its values; None if we have none of that name."""
    protos = importlib.import_module(SURFACE + '.framework.protos')
    if protos.has_message(name):
        return protos.message(name)
    try:
        return protos.enum(name)
    except KeyError:
        pass
    for enumeration in ('DataType',):
        try:
            return protos.enum(enumeration).Value(name)
        except (KeyError, ValueError):
            pass
    return None


def lookup(module, attribute):
    """What an inner module (without `tensorflow.`) has under a name; None if we do not have it."""
    # What is written for this spelling comes first: headrace/tf1/python/client/timeline.py.
    found = _own(module)
    if found is not None and hasattr(found, attribute):
        return getattr(found, attribute)
    if module.startswith('python.ops.gen_'):  # TensorFlow's wrappers of single ops; older versions began their names with a `_`
        return getattr(importlib.import_module(SURFACE + '.framework.gen'), attribute.lstrip('_'), None)
    for name in spellings.public_names(module, attribute):
        try:
            return public(name)
        except AttributeError:
            continue
    return None


def _own(module):
    name = '%s.%s' % (SURFACE, module)
    if name in sys.modules:
        return sys.modules[name]
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + '.')):
            return None
        raise


def resolve(name):
    """The module for `tensorflow.NAME`: ours, one of inner names, or one whose use says that we do not have it."""
    if name == '':
        return importlib.import_module(SURFACE)
    if name.endswith('_pb2') and name.startswith(('core.', 'tsl.')):
        return MessageModule('%s.%s' % (ROOT, name))
    own = _own(name)
    if spellings.rows(name) is not None or spellings.is_folder(name) and own is None:
        return InnerModule('%s.%s' % (ROOT, name))
    if own is not None:
        return own
    try:
        found = public(name)
    except AttributeError:
        found = None
    return found if isinstance(found, types.ModuleType) else _missing().MissingModule('%s.%s' % (ROOT, name))


class _Loader(object):
    @staticmethod
    def create_module(spec):
        """A stand-in that exec_module replaces: the module that it stands for keeps its own spec."""
        return None

    @staticmethod
    def exec_module(module):
        """Puts the real module in its place."""
        name = module.__name__
        found = resolve(name[len(ROOT) + 1:])
        if not hasattr(found, '__path__'):
            found.__path__ = []  # so that `import tensorflow.a.b` reaches this finder for b
        if isinstance(found, types.ModuleType) and found.__name__.startswith(SURFACE + '.'):
            _missing().watch(found, 'tf' + name[len(ROOT):])
        sys.modules[name] = found
        if name == ROOT:  # programs reach them as tf.python.... too
            importlib.import_module(ROOT + '.python')
            importlib.import_module(ROOT + '.core')


class TensorflowFinder(object):
    """Finds `tensorflow` and everything under it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """A spec for names of TensorFlow, else None."""
        if name != ROOT and not name.startswith(ROOT + '.'):
            return None
        return importlib.machinery.ModuleSpec(name, _Loader, is_package=True)


class _MissingLoader(object):
    @staticmethod
    def create_module(spec):
        return _missing().MissingModule(ROOT + spec.name[len(SURFACE):])

    @staticmethod
    def exec_module(module):
        """It is complete."""


class MissingNameFinder(object):
    """`from tensorflow.nn import foo` in a program, where we have no foo: it can be imported, and its use raises."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """A spec for a name that a program's `from` asks of one of our modules, else None."""
        if not name.startswith(SURFACE + '.') or not _is_from_of_program():
            return None
        return importlib.machinery.ModuleSpec(name, _MissingLoader)


def _is_from_of_program():
    """Whether the import that is going on is a `from ... import` outside of our package."""
    frame, is_from = sys._getframe(2), False
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith('<frozen importlib'):
            return is_from and file != importlib.__file__ and not file.startswith(_PACKAGE)
        is_from = is_from or frame.f_code.co_name == '_handle_fromlist'
        frame = frame.f_back
    return False


def install():
    """From now on `import tensorflow` is our surface."""
    if not any(finder is TensorflowFinder for finder in sys.meta_path):
        sys.meta_path.insert(0, TensorflowFinder)
        sys.meta_path.append(MissingNameFinder)
