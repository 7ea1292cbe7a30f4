"""Element types of tensors (tf.float32, tf.DType, tf.as_dtype)."""
import numpy as np

# Numbers are those of TensorFlow's DataType; 100 more is a reference to a variable of that type.
_NAMES = {
    1: 'float32', 2: 'float64', 3: 'int32', 4: 'uint8', 5: 'int16', 6: 'int8', 7: 'string', 8: 'complex64', 9: 'int64', 10: 'bool',
    11: 'qint8', 12: 'quint8', 13: 'qint32', 14: 'bfloat16', 15: 'qint16', 16: 'quint16', 17: 'uint16', 18: 'complex128',
    19: 'float16', 20: 'resource', 21: 'variant', 22: 'uint32', 23: 'uint64'}
_NUMPY = {
    'float32': np.float32, 'float64': np.float64, 'int32': np.int32, 'uint8': np.uint8, 'int16': np.int16, 'int8': np.int8,
    'string': np.object_, 'complex64': np.complex64, 'int64': np.int64, 'bool': np.bool_, 'qint8': np.int8, 'quint8': np.uint8,
    'qint32': np.int32, 'qint16': np.int16, 'quint16': np.uint16, 'uint16': np.uint16, 'complex128': np.complex128,
    'float16': np.float16, 'uint32': np.uint32, 'uint64': np.uint64, 'bfloat16': np.float32}
_FLOATING = frozenset(['float16', 'bfloat16', 'float32', 'float64'])
_INTEGER = frozenset(['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'])
_REF = 100


class DType(object):
    """One element type. There is one object of each, so `is` and `==` agree."""
    __slots__ = ('_enum', 'name', '_numpy', '_base', '_ref', '__weakref__')

    def __init__(self, type_enum):
        self._enum = type_enum
        base = _NAMES[type_enum % _REF]
        self.name = base + '_ref' if type_enum > _REF else base
        self._numpy = _NUMPY.get(base)
        self._base = self._ref = self

    @property
    def as_datatype_enum(self):
        return self._enum

    @property
    def as_numpy_dtype(self):
        return self._numpy

    @property
    def base_dtype(self):
        return self._base

    @property
    def real_dtype(self):
        return {'complex64': float32, 'complex128': float64}.get(self._base.name, self)

    @property
    def is_numpy_compatible(self):
        return self._numpy is not None

    @property
    def _is_ref_dtype(self):
        return self._enum > _REF

    @property
    def _as_ref(self):
        return self._ref

    @property
    def is_bool(self):
        return self._base is bool

    @property
    def is_integer(self):
        return self._base.name in _INTEGER

    @property
    def is_floating(self):
        return self._base.name in _FLOATING

    @property
    def is_complex(self):
        return self._base.name in ('complex64', 'complex128')

    @property
    def is_quantized(self):
        return self._base.name.startswith('q')

    @property
    def is_unsigned(self):
        return self._base.name.startswith('uint')

    @property
    def size(self):
        """Bytes of an element (1 for types without a fixed size, as in TensorFlow)."""
        if self._base in (variant, resource):
            return 1
        if self._base is bfloat16:
            return 2
        return np.dtype(self._numpy).itemsize

    def _limits(self):
        if self.is_integer or (self.is_quantized and self._numpy is not None):
            return np.iinfo(self._numpy)
        if self.is_floating:
            return np.finfo(self._numpy)
        raise TypeError('Cannot find minimum or maximum value of %s.' % self)

    @property
    def min(self):
        return 0 if self.is_bool else self._limits().min

    @property
    def max(self):
        return 1 if self.is_bool else self._limits().max

    @property
    def limits(self, clip_negative=True):
        return 0 if self.is_unsigned else self.min, self.max

    def is_compatible_with(self, other):
        other = as_dtype(other)
        return self._enum in (other._enum, other.base_dtype._enum)

    def __eq__(self, other):
        if other is None:
            return False
        if type(other) is DType:
            return self is other
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return self._enum

    def __str__(self):
        return "<dtype: %r>" % self.name

    def __repr__(self):
        return 'tf.' + self.name

    def __reduce__(self):
        return as_dtype, (self.name,)

    def __int__(self):
        return self._enum


_BY_ENUM = {}
for _enum in _NAMES:
    _value, _reference = DType(_enum), DType(_enum + _REF)
    _value._ref = _reference
    _reference._base = _value
    _BY_ENUM[_enum], _BY_ENUM[_enum + _REF] = _value, _reference

float16 = half = _BY_ENUM[19]
float32 = _BY_ENUM[1]
float64 = double = _BY_ENUM[2]
int8, int16, int32, int64 = _BY_ENUM[6], _BY_ENUM[5], _BY_ENUM[3], _BY_ENUM[9]
uint8, uint16, uint32, uint64 = _BY_ENUM[4], _BY_ENUM[17], _BY_ENUM[22], _BY_ENUM[23]
string = _BY_ENUM[7]
complex64, complex128 = _BY_ENUM[8], _BY_ENUM[18]
qint8, quint8, qint16, quint16, qint32 = _BY_ENUM[11], _BY_ENUM[12], _BY_ENUM[15], _BY_ENUM[16], _BY_ENUM[13]
bfloat16, resource, variant = _BY_ENUM[14], _BY_ENUM[20], _BY_ENUM[21]
_python_bool, _python_float, _python_int, _python_str = bool, float, int, str
bool = _BY_ENUM[10]

_BY_NAME = {d.name: d for d in _BY_ENUM.values()}
_BY_NAME.update(half=float16, double=float64, float=float32, half_ref=float16._as_ref, float_ref=float32._as_ref,
                double_ref=float64._as_ref)
_BY_PYTHON = {_python_float: float32, _python_int: int32, _python_bool: bool, _python_str: string, bytes: string, complex: complex128,
              object: string}
_BY_NUMPY = {np.dtype(_NUMPY[n]): _BY_NAME[n] for n in
             ('float16', 'float32', 'float64', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'bool',
              'complex64', 'complex128', 'string')}
QUANTIZED_DTYPES = frozenset([qint8, quint8, qint16, quint16, qint32])


def of(type_enum):
    """The dtype of a number of TensorFlow's DataType."""
    return _BY_ENUM[type_enum]


def as_listed(type_enums):
    """Numbers of dtypes in the order in which most of TensorFlow's op definitions list them."""
    types = sorted(type_enums)
    if sum(_BY_ENUM[t].is_quantized for t in types) == 1:  # real numbers, and one kind more
        types.sort(key=lambda t: _BY_ENUM[t].is_quantized)
    if not any(_BY_ENUM[t].is_integer for t in types):
        halves = [bfloat16._enum, float16._enum] if any(_BY_ENUM[t].is_complex for t in types) else [float16._enum, bfloat16._enum]
        return [t for t in halves if t in types] + [t for t in types if t not in halves]
    if uint8._enum in types and not any(_BY_ENUM[t].is_floating for t in types):
        return [uint8._enum] + [t for t in types if t != uint8._enum]
    return types


def as_dtype(type_value):
    """The DType of a DType, a number, a name, a NumPy dtype or a Python type.

    Errors: TypeError for what is none of these.
    """
    if type(type_value) is DType:
        return type_value
    try:
        found = _BY_ENUM.get(type_value) or _BY_NAME.get(type_value) or _BY_PYTHON.get(type_value)
        if found is not None:
            return found
    except TypeError:  # not hashable
        pass
    try:
        numpy_type = np.dtype(type_value)
    except TypeError:
        numpy_type = None
    if numpy_type is not None:
        if numpy_type.kind in 'SU':
            return string
        found = _BY_NUMPY.get(numpy_type.newbyteorder('='))
        if found is not None:
            return found
    raise TypeError('Cannot convert value %r to a TensorFlow DType.' % (type_value,))
