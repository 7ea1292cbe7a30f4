"""Runs a program as this process's `__main__`."""
import importlib.machinery
import importlib.util
import os
import sys
import types
import warnings

from headrace.runner import class_names, gone, local_modules, report, source, tensorflow_names


def prepare(arguments, folder):
    """Makes the process that of `python PROG ARGS`: sys.argv, sys.path[0], and the imports that old programs expect."""
    from headrace.runner.gone import matplotlib_show
    sys.argv = list(arguments)
    # `python -m headrace` put the working directory here, the installed command its own folder.
    sys.path[0] = folder
    # What is looked up first stands last here: TensorFlow's names, names that are gone, the program's own modules.
    local_modules.install()
    gone.install()
    tensorflow_names.install()
    class_names.install()
    matplotlib_show.choose_backend()
    report.install()
    if not sys.warnoptions:
        # What newer packages say to those who still write the program says nothing to those who run it.
        for category in (DeprecationWarning, PendingDeprecationWarning, SyntaxWarning):
            warnings.simplefilter('ignore', category)


def main_module(file, python2=False):
    """A new `__main__`, with Python 2's built-in names where the program is Python 2."""
    module = types.ModuleType('__main__')
    module.__file__ = file
    module.__builtins__ = sys.modules['builtins']
    if python2:
        use_python2_names(module)
    sys.modules['__main__'] = module
    return module


def use_python2_names(module):
    """Gives a module Python 2's built-in names."""
    from headrace.runner.python2 import builtins
    module.__dict__['__builtins__'] = builtins.TABLE


def run_file(arguments):
    """Runs the program arguments[0]. What it raises comes through, SystemExit too."""
    path = arguments[0]
    # As Python does: __file__ is absolute, tracebacks show the name that was given.
    prepare(arguments, os.path.dirname(os.path.realpath(path)))
    _run(source.compile_text(source.read(path), path), os.path.abspath(path), path)


def run_module(arguments):
    """Runs a module by its dotted name, as `python -m` does."""
    name = arguments[0]
    prepare(arguments, os.getcwd())
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        name += '.__main__'
        spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None or not spec.origin.endswith('.py'):
        sys.stderr.write('headrace: No module named %s\n' % name)
        sys.exit(1)
    sys.argv[0] = spec.origin
    _run(source.compile_text(source.read(spec.origin), spec.origin), spec.origin, spec.origin, spec)


def _run(unit, file, shown, spec=None):
    local_modules.remember(shown)
    module = main_module(file, unit.python2)
    module.__loader__ = local_modules.ProgramLoader('__main__', shown)
    module.__spec__ = spec
    if spec is not None:
        module.__package__ = spec.parent
    else:
        module.__package__ = None
    try:
        exec(unit.code, module.__dict__)  # pylint: disable=exec-used
    finally:
        if unit.python2:
            from headrace.runner.python2 import builtins
            builtins.end_line()
