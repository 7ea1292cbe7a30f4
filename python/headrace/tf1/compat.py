"""tf.compat: text and bytes, types, and the same interface by its other name, tf.compat.v1."""
import collections.abc as collections_abc  # noqa: F401 pylint: disable=unused-import
import datetime
import numbers as _numbers

import numpy as _np

bytes_or_text_types = (bytes, str)
integral_types = (_numbers.Integral, _np.integer)
real_types = (_numbers.Real, _np.integer, _np.floating)
complex_types = (_numbers.Complex, _np.number)

_COMPATIBILITY_DATE = datetime.date(2019, 10, 4)  # that of TensorFlow 1.15


def _refuse(value):
    raise TypeError('Expected binary or unicode string, got %r' % (value,))


def as_bytes(bytes_or_text, encoding='utf-8'):
    """Bytes of text or bytes. TypeError for anything else."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    return bytes_or_text if isinstance(bytes_or_text, bytes) else _refuse(bytes_or_text)


def as_text(bytes_or_text, encoding='utf-8'):
    """Text of text or bytes. TypeError for anything else."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    return bytes_or_text.decode(encoding) if isinstance(bytes_or_text, bytes) else _refuse(bytes_or_text)


as_str = as_text


def as_str_any(value):
    """Text of anything: bytes are decoded, the rest is `str(value)`."""
    return as_str(value) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    """A path object as text; text as it is."""
    return as_str_any(path.__fspath__()) if hasattr(path, '__fspath__') else path


def forward_compatible(year, month, day):
    """Whether a graph made now may use what exists since that day."""
    return _COMPATIBILITY_DATE > datetime.date(year, month, day)


class forward_compatibility_horizon(object):  # pylint: disable=invalid-name
    """Within it forward_compatible answers as if it were that day."""

    def __init__(self, year, month, day):
        self._day = datetime.date(year, month, day)

    def __enter__(self):
        global _COMPATIBILITY_DATE
        self._before, _COMPATIBILITY_DATE = _COMPATIBILITY_DATE, self._day

    def __exit__(self, *unused_error):
        global _COMPATIBILITY_DATE
        _COMPATIBILITY_DATE = self._before


def dimension_value(dimension):
    """The integer of a Dimension; integers and None as they are."""
    return dimension.value if hasattr(dimension, 'value') else dimension


def dimension_at_index(shape, index):
    """The Dimension of a shape at an index; an unknown one where the rank is unknown."""
    from headrace.tf1.framework import shapes
    return shapes.Dimension(None) if shape.ndims is None else shapes.TensorShape(shape).dims[index]


def __getattr__(name):
    if name == 'v1':
        import headrace.tf1
        return headrace.tf1
    raise AttributeError("module 'tf.compat' has no attribute %r" % name)
