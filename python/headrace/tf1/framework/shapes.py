"""Shapes that may be known in part (tf.TensorShape, tf.Dimension)."""
import numpy as np


class Dimension(object):
    """One dimension: `.value` is an int or None. Comparison with an unknown one gives None, as in TensorFlow 1."""
    __slots__ = ('_value',)

    def __init__(self, value):
        if value is None:
            self._value = None
            return
        if isinstance(value, Dimension):
            self._value = value._value
            return
        self._value = int(value)
        if not isinstance(value, (str, bytes)) and self._value != value:
            raise ValueError('Ambiguous dimension: %s' % (value,))
        if self._value < 0:
            raise ValueError('Dimension %d must be >= 0' % self._value)

    @property
    def value(self):
        return self._value

    def __repr__(self):
        return 'Dimension(%r)' % (self._value,)

    def __str__(self):
        return '?' if self._value is None else str(self._value)

    def __hash__(self):
        return hash(self._value)

    def __int__(self):
        return self._value

    def __index__(self):
        if self._value is None:
            raise TypeError('an unknown Dimension has no integer value')
        return self._value

    def __bool__(self):
        return bool(self._value)

    def is_compatible_with(self, other):
        other = as_dimension(other)
        return self._value is None or other._value is None or self._value == other._value

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError('Dimensions %s and %s are not compatible' % (self, other))

    def merge_with(self, other):
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other._value if self._value is None else self._value)

    def _compare(self, other, operation):
        try:
            other = as_dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other._value is None:
            return None
        return operation(self._value, other._value)

    def __eq__(self, other):
        return self._compare(other, lambda a, b: a == b)

    def __ne__(self, other):
        return self._compare(other, lambda a, b: a != b)

    def __lt__(self, other):
        return self._compare(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compare(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compare(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compare(other, lambda a, b: a >= b)

    def _combine(self, other, operation, swap=False):
        try:
            other = as_dimension(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other._value is None:
            return Dimension(None)
        a, b = (other._value, self._value) if swap else (self._value, other._value)
        return Dimension(operation(a, b))

    def __add__(self, other):
        return self._combine(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other):
        return self._combine(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._combine(other, lambda a, b: a - b, swap=True)

    def __mul__(self, other):
        return self._combine(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __floordiv__(self, other):
        return self._combine(other, lambda a, b: a // b)

    def __rfloordiv__(self, other):
        return self._combine(other, lambda a, b: a // b, swap=True)

    def __div__(self, other):
        return self // other

    def __truediv__(self, other):
        raise TypeError("unsupported operand type(s) for /: 'Dimension' and '%s', please use // instead" % type(other).__name__)

    def __rtruediv__(self, other):
        raise TypeError("unsupported operand type(s) for /: '%s' and 'Dimension', please use // instead" % type(other).__name__)

    def __mod__(self, other):
        return self._combine(other, lambda a, b: a % b)

    def __rmod__(self, other):
        return self._combine(other, lambda a, b: a % b, swap=True)

    def __reduce__(self):
        return Dimension, (self._value,)


def as_dimension(value):
    return value if isinstance(value, Dimension) else Dimension(value)


def dimension_at_index(shape, index):
    """A dimension of a shape, unknown if the rank is."""
    return Dimension(None) if shape.rank is None else shape.dims[index]


def dimension_value(dimension):
    return dimension.value if isinstance(dimension, Dimension) else dimension


class TensorShape(object):
    """A shape: of unknown rank, or a list of dimensions each of which may be unknown."""
    __slots__ = ('_dims',)  # None, or a list of ints and Nones

    def __init__(self, dims):
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = None if dims._dims is None else list(dims._dims)
        elif hasattr(dims, 'unknown_rank') and hasattr(dims, 'dim'):  # TensorShapeProto
            self._dims = None if dims.unknown_rank else [None if d.size == -1 else d.size for d in dims.dim]
        elif isinstance(dims, (str, bytes)):
            raise TypeError('A shape is a list of dimensions, got %r' % (dims,))
        else:
            try:
                items = list(dims)
            except TypeError:
                items = [dims]
            self._dims = [as_dimension(d).value for d in items]

    @classmethod
    def _of(cls, dims):
        """From what the engine gives: None, or a tuple in which -1 is unknown."""
        shape = cls.__new__(cls)
        shape._dims = None if dims is None else [None if d < 0 else d for d in dims]
        return shape

    def _to_core(self):
        return None if self._dims is None else tuple(-1 if d is None else d for d in self._dims)

    @property
    def rank(self):
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self):
        return self.rank

    @property
    def dims(self):
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def _known(self):
        if self._dims is None:
            raise ValueError('Cannot take the length of shape with unknown rank.')
        return self._dims

    def __len__(self):
        return len(self._known())

    def __bool__(self):
        return self._dims is not None

    def __iter__(self):
        if self._dims is None:
            raise ValueError('Cannot iterate over a shape with unknown rank.')
        return iter([Dimension(d) for d in self._dims])

    def __getitem__(self, key):
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape(self._dims[key])
            return Dimension(self._dims[key])
        if isinstance(key, slice):
            start, stop = key.start or 0, key.stop
            if key.step is not None:
                raise ValueError('Steps are not yet handled')
            if stop is None:
                return unknown_shape()
            if start < 0 or stop < 0:
                return unknown_shape()
            return unknown_shape(max(stop - start, 0))
        return Dimension(None)

    def num_elements(self):
        if not self.is_fully_defined():
            return None
        size = 1
        for d in self._dims:
            size *= d
        return size

    def is_fully_defined(self):
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self):
        if not self.is_fully_defined():
            raise ValueError('Shape %s is not fully defined' % (self,))

    def is_compatible_with(self, other):
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims))

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError('Shapes %s and %s are incompatible' % (self, other))

    def most_specific_compatible_shape(self, other):
        other = as_shape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return unknown_shape()
        return TensorShape([a if a is not None and a == b else None for a, b in zip(self._dims, other._dims)])

    def merge_with(self, other):
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError('Shapes %s and %s are not compatible' % (self, other))
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims)])

    def concatenate(self, other):
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return TensorShape(self._dims + other._dims)

    def with_rank(self, rank):
        try:
            return self.merge_with(unknown_shape(rank))
        except ValueError:
            raise ValueError('Shape %s must have rank %d' % (self, rank))

    def with_rank_at_least(self, rank):
        if self.rank is not None and self.rank < rank:
            raise ValueError('Shape %s must have rank at least %d' % (self, rank))
        return self

    def with_rank_at_most(self, rank):
        if self.rank is not None and self.rank > rank:
            raise ValueError('Shape %s must have rank at most %d' % (self, rank))
        return self

    def assert_has_rank(self, rank):
        if self.rank not in (None, rank):
            raise ValueError('Shape %s must have rank %d' % (self, rank))

    def assert_same_rank(self, other):
        other = as_shape(other)
        if self.rank is not None and other.rank is not None and self.rank != other.rank:
            raise ValueError('Shapes %s and %s must have the same rank' % (self, other))

    def as_list(self):
        if self._dims is None:
            raise ValueError('as_list() is not defined on an unknown TensorShape.')
        return list(self._dims)

    def as_proto(self):
        from headrace.tf1.framework import protos
        proto = protos.message('TensorShapeProto')()
        if self._dims is None:
            proto.unknown_rank = True
        else:
            for d in self._dims:
                proto.dim.add().size = -1 if d is None else d
        return proto

    def __eq__(self, other):
        try:
            other = as_shape(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self._dims == other._dims

    def __ne__(self, other):
        try:
            other = as_shape(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._dims is None or other._dims is None:
            raise ValueError('The inequality of unknown TensorShapes is undefined.')
        return self._dims != other._dims

    def __hash__(self):
        return hash(None if self._dims is None else tuple(self._dims))

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return as_shape(other).concatenate(self)

    def __str__(self):
        if self._dims is None:
            return '<unknown>'
        if len(self._dims) == 1:
            return '(%s,)' % Dimension(self._dims[0])
        return '(%s)' % ', '.join(str(Dimension(d)) for d in self._dims)

    def __repr__(self):
        return 'TensorShape(%r)' % (self.dims,)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.as_list(), dtype=dtype)

    def __reduce__(self):
        return TensorShape, (self._dims,)


def as_shape(shape):
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank=None):
    return TensorShape(None if rank is None else [None] * rank)


def scalar():
    return TensorShape([])


def vector(length):
    return TensorShape([length])


def matrix(rows, cols):
    return TensorShape([rows, cols])
