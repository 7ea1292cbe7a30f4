"""scipy where SciPy is not installed: nothing but the image functions of scipy.misc, which SciPy itself no longer has."""
__path__ = []


def __getattr__(name):
    if name == 'misc':
        from headrace.runner.gone import scipy_misc_module
        return scipy_misc_module
    raise AttributeError("SciPy is not installed, so there is no scipy.%s (pip install scipy)" % name)
