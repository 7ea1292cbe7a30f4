"""NumPy's old names: np.int, np.float, np.bool, np.object, np.str, np.fromstring of bytes, ragged arrays, numbers in lists as they
were printed, and what NumPy 2 dropped."""
import builtins
import functools

from headrace.runner.gone import scalar_arithmetic

_PYTHON_TYPES = {'int': int, 'float': float, 'bool': bool, 'object': object, 'str': str, 'complex': complex, 'unicode': str,
                 'long': int}
_RENAMED = {
    'float_': 'float64', 'complex_': 'complex128', 'unicode_': 'str_', 'string_': 'bytes_', 'Inf': 'inf', 'Infinity': 'inf',
    'PINF': 'inf', 'infty': 'inf', 'NaN': 'nan', 'NAN': 'nan', 'product': 'prod', 'cumproduct': 'cumprod', 'sometrue': 'any',
    'alltrue': 'all', 'row_stack': 'vstack', 'trapz': 'trapezoid', 'rank': 'ndim', 'singlecomplex': 'complex64', 'cfloat': 'complex128',
    'longfloat': 'longdouble', 'int0': 'intp', 'uint0': 'uintp', 'bool8': 'bool_', 'object0': 'object_', 'round_': 'round'}


def restore(numpy):
    """Gives the module `numpy` the names that it lacks; names that it has stay as they are."""
    have = vars(numpy)
    for name, value in _PYTHON_TYPES.items():
        # NumPy 2 has np.bool, and np.long of another meaning: those stay.
        if name not in have:
            setattr(numpy, name, value)
    for name, new in _RENAMED.items():
        if name not in have and new in have:
            setattr(numpy, name, have[new])
    for name, value in (('NINF', -numpy.inf), ('PZERO', 0.0), ('NZERO', -0.0), ('asscalar', lambda array: array.item()),
                        ('msort', lambda array: numpy.sort(array, axis=0)), ('asfarray', _asfarray(numpy)), ('in1d', _in1d(numpy)),
                        ('find_common_type', _find_common_type(numpy))):
        if name not in have:
            setattr(numpy, name, value)
    numpy.fromstring = _fromstring(numpy, have.get('fromstring'))
    _print_numbers_as_before(numpy)
    scalar_arithmetic.restore(numpy)
    numpy.array, numpy.asarray = _ragged(numpy.array), _ragged(numpy.asarray)


def _print_numbers_as_before(numpy):
    """`print(sess.run([a, b]))` shows [1.0, 2.0]: NumPy 2 made it [np.float32(1.0), np.float32(2.0)]."""
    if int(numpy.__version__.split('.')[0]) >= 2:
        numpy.set_printoptions(legacy='1.25')


def _ragged(real):
    """Rows of different lengths make an array of objects, as they did before NumPy 1.24."""
    if getattr(real, 'headrace', False):
        return real

    @functools.wraps(real)
    def wrapper(*arguments, **options):
        try:
            return real(*arguments, **options)
        except ValueError as error:
            if 'inhomogeneous' not in str(error) or len(arguments) != 1 or options.get('dtype') is not None:
                raise
            return real(*arguments, **dict(options, dtype=object))
    wrapper.headrace = True
    return wrapper


def _fromstring(numpy, real):
    if getattr(real, 'headrace', False):
        return real

    def fromstring(string, dtype=float, count=-1, sep='', **options):
        """Numbers in a text, or (sep='') the bytes of an array: a new array, as it always was."""
        if sep != '':
            return real(string, dtype=dtype, count=count, sep=sep, **options)
        data = string.encode('latin-1') if isinstance(string, builtins.str) else string
        return numpy.frombuffer(data, dtype=dtype, count=count).copy()
    fromstring.headrace = True
    return fromstring


def _asfarray(numpy):
    def asfarray(a, dtype=float):
        """An array of floating-point numbers."""
        return numpy.asarray(a, dtype=dtype if numpy.issubdtype(dtype, numpy.inexact) else float)
    return asfarray


def _in1d(numpy):
    def in1d(ar1, ar2, assume_unique=False, invert=False):
        """Which elements of the flattened first array are in the second."""
        return numpy.isin(numpy.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)
    return in1d


def _find_common_type(numpy):
    def find_common_type(array_types, scalar_types):
        """The type that holds all of these."""
        return numpy.result_type(*(list(array_types) or list(scalar_types)))
    return find_common_type
