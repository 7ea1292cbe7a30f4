"""Checks of values, ranks and dtypes: tf.assert_equal and its like, made while the graph is built where the answer is known then."""
import collections

import numpy as np

from headrace.tf1.framework import array, control, control_flow, convert, dtypes, errors, graph as graph_lib, math
from headrace.tf1.framework.convert import constant, convert_to_tensor
from headrace.tf1.framework.graph import IndexedSlices, Tensor, control_dependencies, name_scope

_NUMERIC = frozenset(dtypes.as_dtype(name) for name in (
    'float32 float64 int8 int16 int32 int64 uint8 qint8 qint32 quint8 complex64').split())


def _graphs(*values):
    return [v for v in values if hasattr(v, 'graph')]


def _known_text(value):
    if not isinstance(value, Tensor):
        return str(value)
    known = convert.constant_value(value)
    return str(value if known is None else known)


# ---- two tensors, element by element

_Comparison = collections.namedtuple('_Comparison', 'sign op known')
_COMPARISONS = {
    'assert_equal': _Comparison('==', math.equal, np.equal), 'assert_none_equal': _Comparison('!=', math.not_equal, np.not_equal),
    'assert_less': _Comparison('<', math.less, np.less), 'assert_less_equal': _Comparison('<=', math.less_equal, np.less_equal),
    'assert_greater': _Comparison('>', math.greater, np.greater),
    'assert_greater_equal': _Comparison('>=', math.greater_equal, np.greater_equal)}


def _compare(kind, x, y, data, summarize, message, name):
    comparison = _COMPARISONS[kind]
    with name_scope(name, kind, _graphs(x, y)):
        x, y = convert_to_tensor(x, name='x'), convert_to_tensor(y, name='y')
        if data is None:
            data = ['Condition x %s y did not hold element-wise:' % comparison.sign, 'x (%s) = ' % x.name, x, 'y (%s) = ' % y.name, y]
        if message is not None:
            data = [message] + list(data)
        holds = math.reduce_all(comparison.op(x, y))
        known_x, known_y = convert.constant_value(x), convert.constant_value(y)
        if known_x is not None and known_y is not None and not np.all(comparison.known(known_x, known_y)):
            raise errors.InvalidArgumentError(None, None, '\n'.join(_known_text(item) for item in data))
        return control.Assert(holds, data, summarize=summarize)


def _comparison(kind):
    def check(x, y, data=None, summarize=None, message=None, name=None):
        return _compare(kind, x, y, data, summarize, message, name)
    check.__name__ = kind
    check.__doc__ = 'An operation that fails unless x %s y for all pairs of elements, with broadcasting.' % _COMPARISONS[kind].sign
    return check


def assert_equal(x, y, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless x == y for all pairs of elements, with broadcasting."""
    with name_scope(name, 'assert_equal', _graphs(x, y)):  # TensorFlow opens this scope twice: the nodes are in the second one
        if x is y:
            return control.no_op()
    return _compare('assert_equal', x, y, data, summarize, message, name)


assert_none_equal, assert_less = _comparison('assert_none_equal'), _comparison('assert_less')
assert_less_equal, assert_greater = _comparison('assert_less_equal'), _comparison('assert_greater')
assert_greater_equal = _comparison('assert_greater_equal')


def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless |x - y| < atol + rtol * |y|. Both tolerances are 10 times the dtype's resolution if not given."""
    with name_scope(name, 'assert_near', _graphs(x, y, rtol, atol)):
        x = convert_to_tensor(x, name='x')
        y = convert_to_tensor(y, name='y', dtype=x.dtype)
        resolution = 10 * np.finfo(x.dtype.as_numpy_dtype).eps
        rtol = convert_to_tensor(resolution if rtol is None else rtol, name='rtol', dtype=x.dtype)
        atol = convert_to_tensor(resolution if atol is None else atol, name='atol', dtype=x.dtype)
        if data is None:
            data = [message or '', 'x and y not equal to tolerance rtol = %s, atol = %s' % (rtol, atol), 'x (%s) = ' % x.name, x,
                    'y (%s) = ' % y.name, y]
        tolerance = atol + rtol * math.abs(y)
        difference = math.abs(x - y)
        return control.Assert(math.reduce_all(math.less(difference, tolerance)), data, summarize=summarize)


# ---- one tensor against zero

def _sign_check(kind, sign, zero_first, check):
    def against_zero(x, data=None, summarize=None, message=None, name=None):
        with name_scope(name, kind, _graphs(x)):
            x = convert_to_tensor(x, name='x')
            if data is None:
                told = ['Condition x %s did not hold element-wise:' % sign, 'x (%s) = ' % x.name]
                # TensorFlow runs these two together for assert_non_positive.
                data = [message or ''] + (told if kind != 'assert_non_positive' else [''.join(told)]) + [x]
            zero = convert_to_tensor(0, dtype=x.dtype)
            return check(zero, x, data=data, summarize=summarize) if zero_first else check(x, zero, data=data, summarize=summarize)
    against_zero.__name__ = kind
    against_zero.__doc__ = 'An operation that fails unless x %s for all elements.' % sign
    return against_zero


assert_positive = _sign_check('assert_positive', '> 0', True, assert_less)
assert_negative = _sign_check('assert_negative', '< 0', False, assert_less)
assert_non_negative = _sign_check('assert_non_negative', '>= 0', True, assert_less_equal)
assert_non_positive = _sign_check('assert_non_positive', '<= 0', False, assert_less_equal)


# ---- ranks

def _check_rank(x, ranks, known_fits, fits, wanted, shown, data, summarize, message):
    """`ranks` are tensors; `fits` makes the condition from x's rank and them, `known_fits` says it of numbers."""
    message = message or ''
    if data is None:
        data = [message, 'Tensor %s must have rank %s' % (x.name, wanted) if wanted else 'Tensor %s must have rank' % x.name]
        data += list(ranks) + ['Received shape: ', array.shape(x)]
    for rank in ranks:
        assert_type(rank, dtypes.int32)
    known = [convert.constant_value(rank) for rank in ranks]
    if all(rank is not None for rank in known):
        if any(rank.ndim for rank in known):
            raise ValueError('Rank must be a scalar.')
        if x.shape.rank is not None:
            if not known_fits(x.shape.rank, known):
                raise ValueError('%s.  Tensor %s must have rank %s%s.  Received rank %d, shape %s' % (
                    message, x.name, wanted + ' ' if wanted else '', shown(known), x.shape.rank, x.shape))
            return control.no_op(name='static_checks_determined_all_ok')
    condition = fits(array.rank(x), ranks)
    for rank, value in zip(ranks, known):
        if value is None:
            is_scalar = assert_rank(rank, 0, data=['Rank must be a scalar. Received rank: ', rank])
            condition = control.with_dependencies([is_scalar], condition)
    return control.Assert(condition, data, summarize=summarize)


def assert_rank(x, rank, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless x has this rank; ValueError where both are known."""
    with name_scope(name, 'assert_rank', _graphs(x, rank)):
        x, rank = convert_to_tensor(x, name='x'), convert_to_tensor(rank, name='rank')
        return _check_rank(x, (rank,), lambda have, want: have == want[0], lambda have, want: math.equal(have, want[0]), '',
                           lambda want: '%d' % want[0], data, summarize, message)


def assert_rank_at_least(x, rank, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless x has this rank or a higher one; ValueError where both are known."""
    with name_scope(name, 'assert_rank_at_least', _graphs(x, rank)):
        x, rank = convert_to_tensor(x, name='x'), convert_to_tensor(rank, name='rank')
        return _check_rank(x, (rank,), lambda have, want: have >= want[0], lambda have, want: math.greater_equal(have, want[0]),
                           'at least', lambda want: '%d' % want[0], data, summarize, message)


def _any_equal(have, ranks):
    if not ranks:
        return convert_to_tensor(False)
    condition = math.equal(ranks[0], have)
    for rank in ranks[1:]:
        condition = math.logical_or(condition, math.equal(rank, have))
    return condition


def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless x has one of these ranks; ValueError where all are known."""
    with name_scope(name, 'assert_rank_in', _graphs(x, *ranks)):
        x = convert_to_tensor(x, name='x')
        ranks = tuple(convert_to_tensor(rank, name='rank') for rank in ranks)
        return _check_rank(x, ranks, lambda have, want: have in [int(rank) for rank in want], _any_equal, 'in',
                           lambda want: str(tuple(want)), data, summarize, message)


# ---- dtypes and kinds

def assert_type(tensor, tf_type, message=None, name=None):
    """TypeError unless the tensor has this dtype."""
    with name_scope(name, 'assert_type', _graphs(tensor)):
        tensor = convert_to_tensor(tensor, name='tensor')
        if tensor.dtype != tf_type:
            raise TypeError('%s  %s must be of type %s' % (message or '', tensor.name, tf_type))
        return control.no_op('statically_determined_correct_type')


def assert_integer(x, message=None, name=None):
    """TypeError unless x is of an integer dtype."""
    with name_scope(name, 'assert_integer', _graphs(x)):
        x = convert_to_tensor(x, name='x')
        if not x.dtype.is_integer:
            raise TypeError('%s  Expected "x" to be integer type.  Found: %s of dtype %s' % (message or '', x.name, x.dtype))
        return control.no_op('statically_determined_was_integer')


def assert_scalar(tensor, name=None, message=None):
    """The tensor; ValueError unless it is known to be a scalar."""
    with name_scope(name, 'assert_scalar', _graphs(tensor)) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            raise ValueError('%sExpected scalar shape for %s, saw shape: %s.' % (message or '', tensor.name, tensor.shape))
        return tensor


def assert_proper_iterable(values):
    """TypeError for what iterates over elements rather than over values: tensors, arrays, strings; and for what does not iterate."""
    if isinstance(values, (Tensor, np.ndarray, str, bytes)) or hasattr(values, 'dense_shape') and not isinstance(values, (
            IndexedSlices, tuple)):
        raise TypeError('Expected argument "values" to be a "proper" iterable.  Found: %s' % type(values))
    if not hasattr(values, '__iter__'):
        raise TypeError('Expected argument "values" to be iterable.  Found: %s' % type(values))


def assert_same_float_dtype(tensors=None, dtype=None):
    """The floating dtype that all tensors (None ones left out) and `dtype` have; float32 without any. ValueError otherwise."""
    first = None
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    for tensor in tensors or []:
        if tensor is None:
            continue
        found = tensor.dtype.base_dtype
        if wanted is None:
            wanted, first = found, tensor
        elif found != wanted:
            like = '' if first is None else ' as %s' % getattr(first, 'name', first)
            raise ValueError('%s, type=%s, must be of the same type (%s)%s.' % (getattr(tensor, 'name', tensor), found, wanted, like))
    if wanted is None:
        return dtypes.float32
    if not wanted.is_floating:
        raise ValueError('Expected floating point type, got %s.' % wanted)
    return wanted


def is_numeric_tensor(tensor):
    return isinstance(tensor, Tensor) and tensor.dtype in _NUMERIC


# ---- shapes of several tensors

def _sizes(x):
    """Sizes of the dimensions: numbers where they are known, else tensors."""
    dynamic = array.shape(x)
    if x.shape.rank == 0:
        return (1,)
    if x.shape.rank is not None:
        return [dynamic[i] if size is None else int(size) for i, size in enumerate(x.shape.as_list())]
    return control_flow.cond(math.equal(array.rank(x), 0), lambda: constant([1]), lambda: dynamic)


def _number(size):
    try:
        return int(size)
    except (TypeError, ValueError):
        return None


_Specified = collections.namedtuple('_Specified', 'x open sizes symbols')


def _specified(x, symbols, message):
    if not hasattr(symbols, '__iter__') and not hasattr(symbols, '__getitem__'):
        raise ValueError('%s.  Tensor %s.  Specified shape must be an iterable.  An iterable has the attribute `__iter__` or '
                         '`__getitem__`.  Received specified shape: %s' % (message, x.name, symbols))
    symbols = tuple(symbols)
    for i, symbol in enumerate(symbols):
        if i and (symbol is Ellipsis or symbol == '*'):
            raise ValueError('%s.  Tensor %s specified shape index %d.  Symbol `...` or `*` for a variable number of unspecified '
                             'dimensions is only allowed as the first entry' % (message, x.name, i))
    is_open = bool(symbols) and (symbols[0] is Ellipsis or symbols[0] == '*')
    return _Specified(x, is_open, _sizes(x), (symbols[1:] if is_open else symbols) or (1,))


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless each tensor has the shape given for it.

    A shape lists numbers, symbols that stand for one size everywhere, None or '.' for any size, and first '*' or ... for any number of
    dimensions. Errors: ValueError where it is known that a shape does not fit.
    """
    pairs = list(shapes.items()) if isinstance(shapes, dict) else list(shapes)
    message = message or ''
    with name_scope(name, 'assert_shapes', _graphs(*[x for x, _ in pairs])):
        specified = [_specified(x, symbols, message) for x, symbols in [(convert_to_tensor(x), s) for x, s in pairs if s is not None]]
        ranks = []
        for item in specified:
            rank, options = len(item.symbols), dict(data=data, summarize=summarize, message=message, name=name)
            if item.open and rank > 1:
                ranks.append(assert_rank_at_least(item.x, rank, **options))
            elif not item.open:
                ranks.append(assert_rank_in(item.x, [0, 1], **options) if rank == 1 else assert_rank(item.x, rank, **options))
        checks, found = [], {}
        for item in specified:
            for i, symbol in enumerate(item.symbols):
                if symbol is not None and symbol != '.':
                    checks.extend(_check_size(item, i - len(item.symbols) if item.open else i, symbol, found, data, summarize, message))
        with control_dependencies(ranks):
            return control.group(checks)


def _check_size(item, dim, symbol, found, data, summarize, message):
    """[the check that a dimension has the size its symbol has], or nothing where that is known or this is the symbol's first use."""
    if _number(symbol) is not None:
        size, why = int(symbol), 'Specified explicitly'
    elif symbol in found:
        size, x, at = found[symbol]
        why = 'Specified by tensor %s dimension %d' % (x.name, at)
    else:
        found[symbol] = item.sizes[dim], item.x, dim
        return []
    actual = item.sizes[dim]
    if _number(actual) is not None and _number(size) is not None:
        if int(actual) != int(size):
            raise ValueError('%s.  %s.  Tensor %s dimension %s must have size %d.  Received size %d, shape %s' % (
                message, why, item.x.name, dim, size, actual, item.x.shape))
        return []
    condition = math.equal(convert_to_tensor(actual), convert_to_tensor(size))
    if data is None:
        data = [message, why, 'Tensor %s dimension' % item.x.name, dim, 'must have size', size, 'Received shape: ', array.shape(item.x)]
    return [control.Assert(condition, data, summarize=summarize)]


# ---- order of elements

def _steps(x):
    """Differences of neighbours of the flattened x; nothing if it has fewer than two elements."""
    x = array.reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError('Expected x to be numeric, instead found: %s' % x)
    is_short = math.less(array.size(x), 2)
    length = array.shape(x) - 1
    return control_flow.cond(is_short, lambda: convert_to_tensor([], dtype=x.dtype),
                             lambda: array.strided_slice(x, [1], [1] + length) - array.strided_slice(x, [0], length))


def is_non_decreasing(x, name=None):
    """Whether each element is at least the one before it."""
    with name_scope(name, 'is_non_decreasing', _graphs(x)):
        steps = _steps(x)
        return math.reduce_all(math.less_equal(convert_to_tensor(0, dtype=steps.dtype), steps))


def is_strictly_increasing(x, name=None):
    """Whether each element is above the one before it."""
    with name_scope(name, 'is_strictly_increasing', _graphs(x)):
        steps = _steps(x)
        return math.reduce_all(math.less(convert_to_tensor(0, dtype=steps.dtype), steps))


def ensure_shape(x, shape, name=None):
    """x, with `shape` known of it; the step fails if it has another one."""
    return convert.apply_op('EnsureShape', x, shape=shape, name=name)
