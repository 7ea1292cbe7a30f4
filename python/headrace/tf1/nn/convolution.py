"""Convolutions, their transposes, and their gradients by name."""
import numpy as np

from headrace.tf1.framework import array, dilation, graph as graph_lib
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope


def _list(value, n, channel, what):
    """[1, a, b, 1] (or [1, 1, a, b]) of a number or list of 1, n or n + 2."""
    if value is None:
        value = [1]
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(value) == 1:
        value = value * n
    elif len(value) == n + 2:
        return value
    elif len(value) != n:
        raise ValueError('%s should be of length 1, %d or %d but was %d' % (what, n, n + 2, len(value)))
    return [1, 1] + value if channel == 1 else [1] + value + [1]


def conv2d(input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format='NHWC', dilations=[1, 1, 1, 1],
           name=None, filters=None):  # pylint: disable=redefined-builtin,dangerous-default-value
    """Convolution of images [batch, height, width, in] (or NCHW) with filters [height, width, in, out]."""
    filter = filters if filter is None else filter
    data_format = data_format or 'NHWC'
    channel = 1 if data_format.startswith('NC') else 3
    padding, explicit = (padding, []) if isinstance(padding, str) else ('EXPLICIT', [p for pair in padding for p in pair])
    return apply_op('Conv2D', input, filter, strides=_list(strides, 2, channel, 'strides'), use_cudnn_on_gpu=use_cudnn_on_gpu,
                    padding=padding, explicit_paddings=explicit, data_format=data_format,
                    dilations=_list(dilations, 2, channel, 'dilations'), name=name)


def conv2d_backprop_filter(input, filter_sizes, out_backprop, strides=None, padding=None, use_cudnn_on_gpu=True, data_format='NHWC',
                           dilations=[1, 1, 1, 1], name=None):  # pylint: disable=redefined-builtin,dangerous-default-value
    return apply_op('Conv2DBackpropFilter', input, filter_sizes, out_backprop, strides=strides, padding=padding,
                    use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=data_format, dilations=dilations, name=name)


def conv2d_backprop_input(input_sizes, filter=None, out_backprop=None, strides=None, padding=None, use_cudnn_on_gpu=True,
                          data_format='NHWC', dilations=[1, 1, 1, 1], name=None, filters=None):  # pylint: disable=dangerous-default-value
    return apply_op('Conv2DBackpropInput', input_sizes, filters if filter is None else filter, out_backprop, strides=strides,
                    padding=padding, use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=data_format, dilations=dilations, name=name)


def conv2d_transpose(value=None, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NHWC', name=None, input=None,
                     filters=None, dilations=None):  # pylint: disable=redefined-builtin
    """The gradient of conv2d as a forward op: `filter` is [height, width, out, in]."""
    value = input if value is None else value
    filter = filters if filter is None else filter
    with name_scope(name, 'conv2d_transpose', [value, filter] if not isinstance(output_shape, graph_lib.Tensor) else
                    [value, filter, output_shape]) as scope:
        data_format = data_format or 'NHWC'
        channel = 1 if data_format.startswith('NC') else 3
        value = convert_to_tensor(value, name='value')
        filter = convert_to_tensor(filter, name='filter')
        if not value.shape.dims is None and value.shape.rank == 4 and filter.shape.rank == 4:
            if not value.shape.dims[channel].is_compatible_with(filter.shape[3]):
                raise ValueError("input channels does not match filter's input channels, %s != %s" % (value.shape[channel], filter.shape[3]))
        return apply_op('Conv2DBackpropInput', output_shape, filter, value, strides=_list(strides, 2, channel, 'strides'), padding=padding,
                        data_format=data_format, dilations=_list(dilations, 2, channel, 'dilations'), name=scope)


def conv1d_transpose(input, filters, output_shape, strides, padding='SAME', data_format='NWC', dilations=None, name=None):
    """The gradient of conv1d as a forward op: `filters` is [width, out, in]."""  # pylint: disable=redefined-builtin
    with name_scope(name, 'conv1d_transpose', _tensors(input, filters, output_shape)) as scope:
        if data_format not in (None, 'NWC', 'NCW'):
            raise ValueError('data_format must be "NWC" or "NCW".')
        first, channel, layout = (2, 1, 'NCHW') if data_format == 'NCW' else (1, 2, 'NHWC')
        input, filters = array.expand_dims(input, first), array.expand_dims(filters, 0)
        if not isinstance(output_shape, graph_lib.Tensor):
            output_shape = list(output_shape)
        output_shape = array.concat([output_shape[:first], [1], output_shape[first:]], 0)
        result = apply_op('Conv2DBackpropInput', output_shape, filters, input, strides=[1] + _list(strides, 1, channel, 'stride'),
                          padding=padding, data_format=layout, dilations=[1] + _list(dilations, 1, channel, 'dilations'), name=scope)
        return array.squeeze(result, first)


def conv_transpose(input, filters, output_shape, strides, padding='SAME', data_format=None, dilations=None, name=None):
    """The gradient of a convolution of 1, 2 or 3 spatial dimensions, as many as output_shape says, as a forward op."""
    with name_scope(name, 'conv_transpose', _tensors(input, filters, output_shape)) as scope:  # pylint: disable=redefined-builtin
        if isinstance(output_shape, graph_lib.Tensor):
            n = output_shape.shape[0].value - 2
        elif hasattr(output_shape, '__len__'):
            n = len(output_shape) - 2
        else:
            raise ValueError('output_shape must be a tensor or sized collection.')
        if not 1 <= n <= 3:
            raise ValueError('output_shape must be of length 3, 4 or 5 but was %d.' % (n + 2))
        function = {1: conv1d_transpose, 2: conv2d_transpose, 3: conv3d_transpose}[n]
        return function(input, filters, output_shape, strides, padding=padding, data_format=data_format, dilations=dilations, name=scope)


def _tensors(*values):
    return [v for v in values if hasattr(v, 'graph')]


def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """The gradient of atrous_conv2d as a forward op: `filters` is [height, width, out, in]."""
    with name_scope(name, 'atrous_conv2d_transpose', _tensors(value, filters, output_shape)):
        value, filters = convert_to_tensor(value, name='value'), convert_to_tensor(filters, name='filters')
        if not value.shape.dims[3].is_compatible_with(filters.shape[3]):
            raise ValueError("value's input channels does not match filters' input channels, %s != %s" % (value.shape[3], filters.shape[3]))
        if rate < 1:
            raise ValueError('rate %s cannot be less than one' % rate)
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, strides=[1, 1, 1, 1], padding=padding, data_format='NHWC')
        if padding not in ('SAME', 'VALID'):
            raise ValueError('padding must be either VALID or SAME: %s' % padding)
        shape = convert_to_tensor(output_shape, name='output_shape')
        if not shape.shape.is_compatible_with([4]):
            raise ValueError('output_shape must have shape (4,), got %s' % shape.shape)
        sizes = output_shape
        if isinstance(sizes, (list, tuple, np.ndarray)):
            sizes = list(sizes)
            if not filters.shape.dims[2].is_compatible_with(sizes[3]):
                raise ValueError("output_shape does not match filter's output channels, %s != %s" % (sizes[3], filters.shape[2]))
        # The convolution without gaps is VALID: SAME pads for the wide filter here, more at the end as conv2d does.
        paddings = [(0, 0), (0, 0)]
        if padding == 'SAME':
            extent = filters.shape.as_list() if filters.shape.is_fully_defined() else array.shape(filters)
            total = [extent[i] + (extent[i] - 1) * (rate - 1) - 1 for i in (0, 1)]
            paddings = [(t // 2, t - t // 2) for t in total]
        inner = [sizes[i + 1] + paddings[i][0] + paddings[i][1] for i in (0, 1)]
        extra = [(rate - size % rate) % rate for size in inner]  # so that rate divides the sizes
        value = array.space_to_batch(input=value, paddings=[[0, extra[0]], [0, extra[1]]], block_size=rate)
        input_sizes = [rate * rate * sizes[0], (inner[0] + extra[0]) // rate, (inner[1] + extra[1]) // rate, sizes[3]]
        value = apply_op('Conv2DBackpropInput', input_sizes, filters, value, strides=[1, 1, 1, 1], padding='VALID', data_format='NHWC')
        crops = [[paddings[i][0], paddings[i][1] + extra[i]] for i in (0, 1)]
        return array.batch_to_space(input=value, crops=crops, block_size=rate)


def atrous_conv2d(value, filters, rate, padding, name=None):
    """conv2d with gaps of `rate` between the elements of the filter."""
    return convolution(value, filters, padding, dilation_rate=[rate, rate], name=name)


class Convolution(object):
    """A convolution whose strides and rates are looked at when it is made; called with inputs and filter."""

    def __init__(self, input_shape, filter_shape, padding, strides, rate, data_format, name=None):
        n = len(strides)
        if any(s > 1 for s in strides) and any(r > 1 for r in rate):
            raise ValueError('strides > 1 not supported in conjunction with dilation_rate > 1')

        def plain(inputs, inner_padding, filter):  # pylint: disable=redefined-builtin
            function = {1: conv1d, 2: conv2d, 3: conv3d}[n]
            return function(inputs, filter, strides[0] if n == 1 else list(strides), inner_padding, data_format=data_format, name=name)
        self._apply = dilation.dilated(input_shape, list(rate), padding, plain, filter_shape, _first_spatial(data_format))

    def __call__(self, inputs, filter):  # pylint: disable=redefined-builtin
        return self._apply(inputs, filter)


def convolution(input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None, filters=None,
                dilations=None):  # pylint: disable=redefined-builtin
    """Convolution of 1, 2 or 3 spatial dimensions; with dilation_rate the elements of the filter have gaps between them."""
    filter = filters if filter is None else filter
    dilation_rate = dilations if dilation_rate is None else dilation_rate
    with name_scope(name, 'convolution', [v for v in (input, filter) if hasattr(v, 'graph')]) as scope:
        input, filter = convert_to_tensor(input, name='input'), convert_to_tensor(filter, name='filter')
        n = (filter if input.shape.rank is None else input).shape.rank - 2
        strides, rate = _rates(strides, n), _rates(dilation_rate, n)
        data_format = data_format or {1: 'NWC', 2: 'NHWC', 3: 'NDHWC'}[n]
        if all(r == 1 for r in rate):
            function = {1: conv1d, 2: conv2d, 3: conv3d}[n]
            return function(input, filter, strides[0] if n == 1 else strides, padding, data_format=data_format, name=scope)
        return Convolution(input.shape, filter.shape, padding, strides, rate, data_format, scope)(input, filter)


def conv1d(value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, data_format=None, name=None, input=None,
           dilations=None):  # pylint: disable=redefined-builtin
    """Convolution of [batch, width, in] with [width, in, out], as a Conv2D of height 1."""
    value = input if value is None else value
    with name_scope(name, 'conv1d', [value, filters]) as scope:
        data_format = 'NWC' if data_format in (None, 'NHWC', 'NWC') else 'NCW' if data_format in ('NCHW', 'NCW') else data_format
        if data_format not in ('NWC', 'NCW'):
            raise ValueError("data_format must be \"NWC\" or \"NCW\".")
        stride = stride[0] if isinstance(stride, (list, tuple)) and len(stride) == 1 else stride
        rate = dilations[0] if isinstance(dilations, (list, tuple)) else dilations or 1
        axis, layout = (1, 'NHWC') if data_format == 'NWC' else (2, 'NCHW')
        steps, rates = ([1, 1, stride, 1], [1, 1, rate, 1]) if layout == 'NHWC' else ([1, 1, 1, stride], [1, 1, 1, rate])
        value = array.expand_dims(value, axis)
        filters = array.expand_dims(filters, 0)
        result = apply_op('Conv2D', value, filters, strides=steps, padding=padding, use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=layout,
                          dilations=rates, name=scope)
        return array.squeeze(result, [axis])


def conv3d(input, filter=None, strides=None, padding=None, data_format='NDHWC', dilations=[1, 1, 1, 1, 1], name=None,
           filters=None):  # pylint: disable=redefined-builtin,dangerous-default-value
    channel = 1 if (data_format or '').startswith('NC') else 4
    return apply_op('Conv3D', input, filters if filter is None else filter, strides=_list(strides, 3, channel, 'strides'), padding=padding,
                    data_format=data_format or 'NDHWC', dilations=_list(dilations, 3, channel, 'dilations'), name=name)


def conv3d_transpose(value, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NDHWC', name=None, input=None,
                     filters=None, dilations=None):  # pylint: disable=redefined-builtin
    value = input if value is None else value
    with name_scope(name, 'conv3d_transpose', [value]) as scope:
        channel = 1 if (data_format or '').startswith('NC') else 4
        return apply_op('Conv3DBackpropInputV2', output_shape, filters if filter is None else filter, value,
                        strides=_list(strides, 3, channel, 'strides'), padding=padding, data_format=data_format or 'NDHWC', name=scope)


def _rates(rate, n):
    """One number for each spatial dimension."""
    if rate is None:
        return [1] * n
    return list(rate) if isinstance(rate, (list, tuple)) or hasattr(rate, '__len__') else [rate] * n


def _first_spatial(data_format):
    return 2 if (data_format or '').startswith('NC') else 1


def _depthwise(input, filter, strides, padding, rate, data_format, name):  # pylint: disable=redefined-builtin
    def native(inputs, inner_padding):
        return depthwise_conv2d_native(inputs, filter, strides, inner_padding, data_format=data_format or 'NHWC', name=name)
    return dilation.dilated(input.shape, _rates(rate, 2), padding, native, array.shape(filter), _first_spatial(data_format))(input)


def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
    """Each input channel with filters of its own: [height, width, in, multiplier]."""  # pylint: disable=redefined-builtin
    rate = dilations if rate is None else rate
    with name_scope(name, 'depthwise', [input, filter]) as scope:
        input = convert_to_tensor(input, name='tensor_in')
        filter = convert_to_tensor(filter, name='filter_in')
        return _depthwise(input, filter, strides, padding, rate, data_format, scope)


def depthwise_conv2d_native(input, filter, strides, padding, data_format='NHWC', dilations=[1, 1, 1, 1], name=None):
    return apply_op('DepthwiseConv2dNative', input, filter, strides=strides, padding=padding, data_format=data_format, dilations=dilations,
                    name=name)  # pylint: disable=redefined-builtin,dangerous-default-value


def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
    """A convolution of each channel by itself, then one of single pixels that mixes channels."""  # pylint: disable=redefined-builtin
    rate = dilations if rate is None else rate
    with name_scope(name, 'separable_conv2d', [input, depthwise_filter, pointwise_filter]) as scope:
        input = convert_to_tensor(input, name='tensor_in')
        depthwise_filter = convert_to_tensor(depthwise_filter, name='depthwise_filter')
        pointwise_filter = convert_to_tensor(pointwise_filter, name='pointwise_filter')
        depthwise = _depthwise(input, depthwise_filter, strides, padding, rate, data_format, 'depthwise')
        return apply_op('Conv2D', depthwise, pointwise_filter, strides=[1, 1, 1, 1], padding='VALID', data_format=data_format or 'NHWC',
                        name=scope)


def _backprop(op, default_format):
    def function(first, second, out_backprop, strides, padding, data_format=default_format, dilations=None, name=None):
        return apply_op(op, first, second, out_backprop, strides=strides, padding=padding, data_format=data_format, dilations=dilations,
                        name=name)
    return function


_depthwise_input = _backprop('DepthwiseConv2dNativeBackpropInput', 'NHWC')
_depthwise_filter = _backprop('DepthwiseConv2dNativeBackpropFilter', 'NHWC')
_conv3d_filter = _backprop('Conv3DBackpropFilterV2', 'NDHWC')


def depthwise_conv2d_native_backprop_input(input_sizes, filter, out_backprop, strides, padding,  # pylint: disable=redefined-builtin
                                           data_format='NHWC', dilations=(1, 1, 1, 1), name=None):
    """The gradient of a depthwise convolution with respect to its input."""
    return _depthwise_input(input_sizes, filter, out_backprop, strides, padding, data_format, list(dilations), name)


def depthwise_conv2d_native_backprop_filter(input, filter_sizes, out_backprop, strides, padding,  # pylint: disable=redefined-builtin
                                            data_format='NHWC', dilations=(1, 1, 1, 1), name=None):
    """The gradient of a depthwise convolution with respect to its filter."""
    return _depthwise_filter(input, filter_sizes, out_backprop, strides, padding, data_format, list(dilations), name)


depthwise_conv2d_backprop_input = depthwise_conv2d_native_backprop_input
depthwise_conv2d_backprop_filter = depthwise_conv2d_native_backprop_filter


def conv3d_backprop_filter_v2(input, filter_sizes, out_backprop, strides, padding, data_format='NDHWC',  # pylint: disable=redefined-builtin
                              dilations=(1, 1, 1, 1, 1), name=None):
    """The gradient of a 3-D convolution with respect to its filter."""
    return _conv3d_filter(input, filter_sizes, out_backprop, strides, padding, data_format, list(dilations), name)


conv3d_backprop_filter = conv3d_backprop_filter_v2
