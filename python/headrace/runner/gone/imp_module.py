"""imp, which Python 3.12 dropped: the functions that programs call."""
import importlib
import importlib.machinery
import importlib.util
import sys
import types

reload = importlib.reload
new_module = types.ModuleType


def load_source(name, path, file=None):
    """Loads a source file as the module `name`."""
    spec = importlib.util.spec_from_loader(name, importlib.machinery.SourceFileLoader(name, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
