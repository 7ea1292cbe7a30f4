"""Gives scipy.misc its image functions back."""
from headrace.runner.gone import scipy_misc_module

_NAMES = ('imread', 'imsave', 'imresize', 'imrotate', 'imshow', 'toimage', 'fromimage', 'bytescale')


def restore(module):
    """Adds the functions to scipy.misc where it has none; later SciPy's module is empty."""
    for name in _NAMES:
        if name not in vars(module):
            setattr(module, name, getattr(scipy_misc_module, name))
