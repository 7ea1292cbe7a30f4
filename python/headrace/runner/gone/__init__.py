"""Names that programs of TensorFlow 1's time use and that newer packages dropped, given back inside this process.

`install()` patches a package when it is first imported (at once, where it is loaded already): NumPy, SciPy, scikit-learn and
matplotlib cost nothing in a program that does not import them.
"""
import builtins
import importlib.machinery
import importlib.util
import sys

# Module -> our module with a function `restore(module)`.
_RESTORED = {
    'numpy': 'headrace.runner.gone.numpy_names',
    'scipy.misc': 'headrace.runner.gone.scipy_misc',
    'PIL.Image': 'headrace.runner.gone.pillow_names',
    'matplotlib.pyplot': 'headrace.runner.gone.matplotlib_show',
}
# Modules that no longer exist, or are not installed, and ours in their place.
_REPLACED = {
    'scipy': 'headrace.runner.gone.scipy_absent',
    'scipy.misc': 'headrace.runner.gone.scipy_misc_module',
    'sklearn.cross_validation': 'headrace.runner.gone.sklearn_cross_validation',
    'sklearn.grid_search': 'headrace.runner.gone.sklearn_grid_search',
    'sklearn.externals.joblib': 'joblib',
    'imp': 'headrace.runner.gone.imp_module',
}


def install():
    """Restores what is loaded, and the rest when it is imported."""
    from headrace.runner.gone import attributes, scalar_arithmetic, standard_library
    standard_library.restore()
    setattr(builtins, attributes.FUNCTION, attributes.attribute_of)
    vars(builtins).update(scalar_arithmetic.FUNCTIONS)
    if not any(finder is _Finder for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder)
    for name, ours in _RESTORED.items():
        if name in sys.modules:
            importlib.import_module(ours).restore(sys.modules[name])


class _Finder(object):
    """Lets the other finders find a module, and adds a step after its loading."""
    _busy = set()

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        """A spec whose loader restores names, or that of a stand-in; None for modules that are not ours to change."""
        if name not in _RESTORED and name not in _REPLACED or name in cls._busy:
            return None
        cls._busy.add(name)
        try:
            spec = cls._others(name, path, target)
        finally:
            cls._busy.discard(name)
        if spec is None:
            if name in _REPLACED:
                return importlib.machinery.ModuleSpec(name, _StandIn(_REPLACED[name]))
            return None
        if name in _RESTORED and spec.loader is not None and hasattr(spec.loader, 'exec_module'):
            spec.loader = _Restoring(spec.loader, _RESTORED[name])
        return spec

    @classmethod
    def _others(cls, name, path, target):
        for finder in sys.meta_path:
            if finder is not cls and hasattr(finder, 'find_spec'):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None


class _Restoring(object):
    """A loader that does what another does, and then restores names."""

    def __init__(self, loader, ours):
        self._loader, self._ours = loader, ours

    def create_module(self, spec):
        """As the real loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module):
        """As the real loader; afterwards the module has its old names."""
        self._loader.exec_module(module)
        importlib.import_module(self._ours).restore(module)

    def __getattr__(self, name):
        return getattr(self._loader, name)


class _StandIn(object):
    def __init__(self, ours):
        self._ours = ours

    @staticmethod
    def create_module(spec):
        """The import system's own empty module, which exec_module replaces."""
        return None

    def exec_module(self, module):
        """Puts ours in the place of the module that is gone."""
        sys.modules[module.__name__] = importlib.import_module(self._ours)
