"""Pooling."""
from headrace.tf1.framework import array, dilation, dtypes
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.nn.convolution import _first_spatial, _list, _rates


def _pool(op, value, ksize, strides, padding, data_format, name, n=2):
    default = 'NHWC' if n == 2 else 'NDHWC'
    data_format = data_format or default
    channel = 1 if data_format.startswith('NC') else n + 1
    with name_scope(name, op, [value]) as scope:
        value = convert_to_tensor(value, name='input' if n == 2 and op == 'MaxPool' else 'value')
        return apply_op(op, value, ksize=_list(ksize, n, channel, 'ksize'), strides=_list(strides, n, channel, 'strides'), padding=padding,
                        data_format=data_format, name=scope)


def max_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):  # pylint: disable=redefined-builtin
    """The largest of each window; ksize and strides as [1, height, width, 1]."""
    return _pool('MaxPool', input if value is None else value, ksize, strides, padding, data_format, name)


def avg_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):  # pylint: disable=redefined-builtin
    return _pool('AvgPool', input if value is None else value, ksize, strides, padding, data_format, name)


max_pool2d, avg_pool2d = max_pool, avg_pool


def max_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):  # pylint: disable=redefined-builtin
    return _pool('MaxPool3D', input, ksize, strides, padding, data_format, name, 3)


def avg_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):  # pylint: disable=redefined-builtin
    return _pool('AvgPool3D', input, ksize, strides, padding, data_format, name, 3)


def _pool1d(op, name_, input, ksize, strides, padding, data_format, name):  # pylint: disable=redefined-builtin
    with name_scope(name, name_, [input]) as scope:
        channel = 1 if (data_format or '').startswith('NC') else 2
        ksize, strides = [1] + _list(ksize, 1, channel, 'ksize'), [1] + _list(strides, 1, channel, 'strides')
        axis = 2 if channel == 1 else 1
        layout = 'NCHW' if channel == 1 else 'NHWC'
        if channel == 1:
            ksize, strides = [1, 1] + [1, ksize[-1]], [1, 1] + [1, strides[-1]]
        else:
            ksize, strides = [1, 1, ksize[2], 1], [1, 1, strides[2], 1]
        wide = array.expand_dims(input, axis)
        result = apply_op(op, wide, ksize=ksize, strides=strides, padding=padding, data_format=layout)
        return array.squeeze(result, axis, name=scope)


def max_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):  # pylint: disable=redefined-builtin
    return _pool1d('MaxPool', 'MaxPool1d', input, ksize, strides, padding, data_format, name)


def avg_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):  # pylint: disable=redefined-builtin
    return _pool1d('AvgPool', 'AvgPool1D', input, ksize, strides, padding, data_format, name)


def max_pool_with_argmax(input, ksize, strides, padding, data_format='NHWC', Targmax=None, name=None, output_dtype=None,
                         include_batch_in_index=False):  # pylint: disable=redefined-builtin,invalid-name
    return apply_op('MaxPoolWithArgmax', input, ksize=ksize, strides=strides, padding=padding, Targmax=Targmax or output_dtype or dtypes.int64,
                    include_batch_in_index=include_batch_in_index, name=name)


def pool(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None, dilations=None):
    """Pooling of 1, 2 or 3 spatial dimensions, "MAX" or "AVG"; with dilation_rate the elements of a window have gaps between them."""
    n = len(window_shape)  # pylint: disable=redefined-builtin
    functions = {('MAX', 1): max_pool, ('AVG', 1): avg_pool, ('MAX', 2): max_pool, ('AVG', 2): avg_pool, ('MAX', 3): max_pool3d,
                 ('AVG', 3): avg_pool3d}
    with name_scope(name, '%s_pool' % pooling_type.lower(), [input]) as scope:
        if (pooling_type, n) not in functions:
            raise ValueError('%d-D %s pooling is not supported.' % (n, pooling_type))
        input = convert_to_tensor(input, name='input')
        strides, rate = _rates(strides, n), _rates(dilations if dilation_rate is None else dilation_rate, n)
        if any(s > 1 for s in strides) and any(r > 1 for r in rate):
            raise ValueError('strides > 1 not supported in conjunction with dilation_rate > 1')
        if padding == 'SAME' and any(r > 1 for r in rate):
            raise ValueError('pooling with SAME padding is not implemented for dilation_rate > 1')
        if any(s > w for s, w in zip(strides, window_shape)):
            raise ValueError('strides > window_shape not supported due to inconsistency between CPU and GPU implementations')
        first = _first_spatial(data_format)
        window, steps = [[1] * first + list(v) + [1] * (2 - first) for v in (window_shape, strides)]
        layout = data_format or {1: 'NWC', 2: 'NHWC', 3: 'NDHWC'}[n]
        if n == 1:
            layout, window, steps = 'NHWC' if first == 1 else 'NCHW', [1] + window, [1] + steps

        def plain(inputs, inner_padding):
            inputs = array.expand_dims(inputs, first) if n == 1 else inputs
            result = functions[pooling_type, n](inputs, window, steps, inner_padding, data_format=layout, name=scope)
            return array.squeeze(result, [first]) if n == 1 else result
        return dilation.dilated(input.shape, rate, padding, plain, window_shape, first)(input)


def _pool_v2(op):
    def pool(input, ksize, strides, padding, data_format=None, name=None):  # pylint: disable=redefined-builtin
        rank = input.shape.rank
        if rank is None and data_format is None:
            raise ValueError('The input must have a rank or a data format must be given.')
        n = (len(data_format) if rank is None else rank) - 2
        if not 1 <= n <= 3:
            raise ValueError('Input tensor must be of rank 3, 4 or 5 but was %d.' % (n + 2))
        channel = 1 if data_format is not None and data_format.startswith('NC') else n + 1
        ksize, strides = _list(ksize, n, channel, 'ksize'), _list(strides, n, channel, 'strides')
        if n == 1:
            made = max_pool1d if op == 'MaxPool' else avg_pool1d
            return made(input, ksize, strides, padding, data_format or 'NWC', name)
        return apply_op(op + ('3D' if n == 3 else ''), input, ksize=ksize, strides=strides, padding=padding, data_format=data_format,
                        name=name)
    return pool


max_pool_v2, avg_pool_v2 = _pool_v2('MaxPool'), _pool_v2('AvgPool')


def _fractional(op):
    def pool(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None):
        return apply_op(op, value, pooling_ratio=pooling_ratio, pseudo_random=pseudo_random, overlapping=overlapping,
                        deterministic=deterministic, seed=seed, seed2=seed2, name=name)
    pool.__doc__ = '(pooled values, row and column borders of the windows): windows of sizes that differ by 1, at random.'
    return pool


fractional_max_pool, fractional_avg_pool = _fractional('FractionalMaxPool'), _fractional('FractionalAvgPool')
