"""Windows with gaps between their elements, by ops without: batches of every rate-th element (space to batch), the op, and back."""
import numpy as np

from headrace.tf1.framework import array, convert, dtypes
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.graph import name_scope


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """(paddings, crops), each [dimensions, 2]: what space_to_batch_nd must pad so that blocks fit, and batch_to_space_nd cut off again.

    input_shape, block_shape: [dimensions]. base_paddings: [dimensions, 2] that are wanted anyhow (default zeros).
    """
    with name_scope(name, 'required_space_to_batch_paddings', [v for v in (input_shape, block_shape) if hasattr(v, 'graph')]):
        input_shape = convert.convert_to_tensor(input_shape, dtype=dtypes.int32, name='input_shape')
        block_shape = convert.convert_to_tensor(block_shape, dtype=dtypes.int32, name='block_shape')
        block_shape.get_shape().assert_is_fully_defined()
        block_shape.get_shape().assert_has_rank(1)
        count = block_shape.get_shape().as_list()[0]
        if not count:
            return array.zeros([0, 2], dtypes.int32), array.zeros([0, 2], dtypes.int32)
        input_shape.get_shape().assert_is_compatible_with([count])
        if base_paddings is None:
            base_paddings = array.zeros([count, 2], dtypes.int32)
        else:
            base_paddings = convert.convert_to_tensor(base_paddings, dtype=dtypes.int32, name='base_paddings')
            base_paddings.get_shape().assert_is_compatible_with([count, 2])
        known = [convert.constant_value(tensor) for tensor in (block_shape, input_shape, base_paddings)]
        if all(value is not None for value in known):
            block_shape, input_shape, base_paddings = known
        start, end = base_paddings[:, 0], base_paddings[:, 1]
        full = input_shape + start + end
        extra = (block_shape - full % block_shape) % block_shape
        end = end + extra
        return (array.stack([[start[i], end[i]] for i in range(count)], name='paddings'),
                array.stack([[0, extra[i]] for i in range(count)], name='crops'))


def _base_paddings(filter_shape, rate):
    """What SAME pads for windows with gaps, [dimensions, 2]."""
    count = len(rate)
    sizes = filter_shape[:count]
    total = sizes + (sizes - 1) * (rate - 1) - 1
    start = total // 2
    end = total - start
    return array.stack([[start[i], end[i]] for i in range(count)])


def _for_all_dimensions(values, fill, first):
    """Rows for the dimensions before the first spatial one, too."""
    known = convert.constant_value(values)
    rows = values[0:values.get_shape().as_list()[0]] if known is None else known
    before = [np.full([first - 1] + values.get_shape().as_list()[1:], fill, values.dtype.as_numpy_dtype)] if first > 1 else []
    return array.concat(before + [rows], 0) if known is None else np.concatenate(before + [rows])


def dilated(input_shape, rate, padding, op, filter_shape, first=1):
    """A function of (inputs, *more) that applies `op(inputs, padding, *more)` with gaps of `rate`.

    rate: one number for each spatial dimension. first: the first spatial dimension. Errors: ValueError for rates below 1 and an unknown
    padding.
    """
    rate_tensor = convert.convert_to_tensor(rate, dtypes.int32, name='dilation_rate')
    rate = convert.constant_value(rate_tensor)
    if np.any(rate < 1):
        raise ValueError('dilation_rate must be positive')
    if np.all(rate == 1):
        return lambda inputs, *more: op(inputs, padding, *more)
    if padding == 'SAME':
        filter_shape = convert.convert_to_tensor(filter_shape, name='filter_shape')
        known = convert.constant_value(filter_shape)
        base = _base_paddings(filter_shape if known is None else known, rate)
    elif padding == 'VALID':
        base = np.zeros([len(rate), 2], np.int32)
    else:
        raise ValueError('Invalid padding method %r' % (padding,))

    def apply(inputs, *more):
        spatial = range(first, first + len(rate))
        sizes = None if input_shape.dims is None else [input_shape.as_list()[i] for i in spatial]
        if sizes is None or None in sizes:
            shape = array.shape(inputs)
            sizes = array.stack([shape[i] for i in spatial])
        paddings, crops = required_space_to_batch_paddings(sizes, rate_tensor, base)
        block = _for_all_dimensions(rate_tensor, 1, first)
        paddings, crops = _for_all_dimensions(paddings, 0, first), _for_all_dimensions(crops, 0, first)
        result = op(apply_op('SpaceToBatchND', inputs, block, paddings), 'VALID', *more)
        return apply_op('BatchToSpaceND', result, block, crops)
    return apply
