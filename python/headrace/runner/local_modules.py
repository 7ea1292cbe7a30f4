"""Imports of modules that belong to the program: converted where they are Python 2, and no bytecode is written beside them."""
import importlib.machinery
import os
import sys
import sysconfig

from headrace.runner import source

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _installed_folders():
    paths = sysconfig.get_paths()
    folders = {os.path.realpath(paths[name]) for name in ('stdlib', 'platstdlib', 'purelib', 'platlib', 'scripts')}
    # In a build folder the package is a folder of links.
    folders |= {_PACKAGE, os.path.realpath(_PACKAGE), os.path.dirname(os.path.dirname(os.path.realpath(__file__)))}
    folders.add(os.path.dirname(os.path.realpath(os.__file__)))
    return tuple(folder + os.sep for folder in folders)


_INSTALLED = _installed_folders()
_known = {}


def is_programs_own(path):
    """Whether a file is neither Python's, nor an installed package's (or the command `headrace`), nor ours."""
    own = _known.get(path)
    if own is None:
        real = os.path.realpath(path)
        # Extension modules name sources that are not there (numpy/random/mtrand.pyx); a cell's name begins with its notebook's.
        own = (os.path.exists(path.partition(', cell ')[0])
               and not path.startswith(('<',) + _INSTALLED) and not real.startswith(_INSTALLED)
               and not any(part in ('site-packages', 'dist-packages') for part in real.split(os.sep)))
        _known[path] = own
    return own


def remember(path):
    """The program itself: its name may be relative to a folder that it leaves."""
    _known[path] = True


class ProgramLoader(importlib.machinery.SourceFileLoader):
    """Loads one module of the program."""

    def get_code(self, fullname):
        """The module's code, from its source each time."""
        return self._unit().code

    def _unit(self):
        return source.compile_text(source.read(self.path), self.path)

    def exec_module(self, module):
        """Runs the module, with Python 2's built-in names where it is Python 2."""
        unit = self._unit()
        if unit.python2:
            from headrace.runner.python2 import builtins
            module.__dict__['__builtins__'] = builtins.TABLE
        exec(unit.code, module.__dict__)  # pylint: disable=exec-used


class ProgramFinder(object):
    """Finds what Python's own finder finds, and takes over where that is a source file of the program."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """The spec of a module of the program, else None."""
        if name.partition('.')[0] == 'headrace':
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or not is_programs_own(spec.origin):
            return None
        spec.loader = ProgramLoader(spec.loader.name, spec.loader.path)
        spec.cached = None
        return spec


def install():
    """From now on modules of the program are loaded by us."""
    if not any(finder is ProgramFinder for finder in sys.meta_path):
        sys.meta_path.insert(0, ProgramFinder)
