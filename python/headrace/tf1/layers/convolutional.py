"""Convolution layers."""
from headrace.tf1 import nn
from headrace.tf1.framework import array, init, shapes
from headrace.tf1.layers.base import InputSpec, Layer, dims
from headrace.tf1.layers.pooling import _tuple

_LAYOUTS = {1: ('NWC', 'NCW'), 2: ('NHWC', 'NCHW'), 3: ('NDHWC', 'NCDHW')}


class _Conv(Layer):
    def __init__(self, rank, filters, kernel_size, strides=1, padding='valid', data_format='channels_last', dilation_rate=1,
                 activation=None, use_bias=True, kernel_initializer=None, bias_initializer=init.zeros_initializer(), kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
                 **kwargs):
        super(_Conv, self).__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.rank, self.filters = rank, filters if filters is None else int(filters)
        self.kernel_size = _tuple(kernel_size, rank, 'kernel_size')
        self.strides, self.dilation_rate = _tuple(strides, rank, 'strides'), _tuple(dilation_rate, rank, 'dilation_rate')
        self.padding, self.data_format = padding.lower(), data_format.lower()
        if self.padding not in ('valid', 'same'):
            raise ValueError('The `padding` argument must be one of "valid", "same". Received: %s' % padding)
        if any(s > 1 for s in self.strides) and any(d > 1 for d in self.dilation_rate):
            raise ValueError('`strides > 1` not supported in conjunction with `dilation_rate > 1`')
        self.activation, self.use_bias = activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(ndim=rank + 2)

    @property
    def _channel_axis(self):
        return 1 if self.data_format == 'channels_first' else -1

    @property
    def _layout(self):
        return _LAYOUTS[self.rank][self.data_format == 'channels_first']

    def _channels(self, input_shape):
        channels = dims(input_shape)[self._channel_axis]
        if channels is None:
            raise ValueError('The channel dimension of the inputs should be defined. Found `None`.')
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        return channels

    def _add_bias_weight(self):
        self.bias = self.add_weight('bias', shape=(self.filters,), initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                                    constraint=self.bias_constraint) if self.use_bias else None

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.kernel = self.add_weight('kernel', shape=self.kernel_size + (channels, self.filters), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self._add_bias_weight()
        self._convolution = nn.Convolution(shapes.as_shape(input_shape), self.kernel.shape, self.padding.upper(), self.strides,
                                           self.dilation_rate, self._layout)

    def call(self, inputs):
        return self._finish(self._convolution(inputs, self.kernel))

    def _finish(self, outputs):
        if self.use_bias:
            if self.data_format == 'channels_first' and self.rank == 1:
                outputs = outputs + array.reshape(self.bias, (1, self.filters, 1))
            elif self.data_format == 'channels_first':
                outputs = nn.bias_add(outputs, self.bias, data_format='NCHW')
            else:
                outputs = nn.bias_add(outputs, self.bias, data_format='NHWC')
        return self.activation(outputs) if self.activation is not None else outputs


class Conv1D(_Conv):
    """Convolution over one dimension."""

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format='channels_last', dilation_rate=1, **kwargs):
        super(Conv1D, self).__init__(1, filters, kernel_size, strides, padding, data_format, dilation_rate, **kwargs)


class Conv2D(_Conv):
    """Convolution over two dimensions."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last', dilation_rate=(1, 1), **kwargs):
        super(Conv2D, self).__init__(2, filters, kernel_size, strides, padding, data_format, dilation_rate, **kwargs)


class Conv3D(_Conv):
    """Convolution over three dimensions."""

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid', data_format='channels_last', dilation_rate=(1, 1, 1),
                 **kwargs):
        super(Conv3D, self).__init__(3, filters, kernel_size, strides, padding, data_format, dilation_rate, **kwargs)


def _output_length(length, kernel, padding, stride):
    if length is None:
        return None
    length = length * stride
    return length + max(kernel - stride, 0) if padding == 'valid' else length


class _ConvTranspose(_Conv):
    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.kernel = self.add_weight('kernel', shape=self.kernel_size + (self.filters, channels), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self._add_bias_weight()

    def call(self, inputs):
        first = self.data_format == 'channels_first'
        axes = list(range(2, 2 + self.rank)) if first else list(range(1, 1 + self.rank))
        shape = array.shape(inputs)
        batch = shape[0]
        sizes = [shape[a] for a in axes]
        outs = [_output_length(s, k, self.padding, t) for s, k, t in zip(sizes, self.kernel_size, self.strides)]
        output_shape = array.stack((batch, self.filters) + tuple(outs) if first else (batch,) + tuple(outs) + (self.filters,))
        outputs = self._transposed(inputs, output_shape)
        static = inputs.shape.as_list()
        static[1 if first else -1] = self.filters
        for axis, kernel, stride in zip(axes, self.kernel_size, self.strides):
            static[axis] = _output_length(static[axis], kernel, self.padding, stride)
        outputs.set_shape(static)
        return self._finish(outputs)


class Conv2DTranspose(_ConvTranspose):
    """Transposed convolution over two dimensions."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last', **kwargs):
        super(Conv2DTranspose, self).__init__(2, filters, kernel_size, strides, padding, data_format, 1, **kwargs)

    def _transposed(self, inputs, output_shape):
        output_shape[0]  # TensorFlow looks at the batch here, and leaves the node
        return nn.conv2d_transpose(inputs, self.kernel, output_shape, list(self.strides), self.padding.upper(), data_format=self._layout)


class Conv3DTranspose(_ConvTranspose):
    """Transposed convolution over three dimensions."""

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid', data_format='channels_last', **kwargs):
        super(Conv3DTranspose, self).__init__(3, filters, kernel_size, strides, padding, data_format, 1, **kwargs)

    def _transposed(self, inputs, output_shape):
        return nn.conv3d_transpose(inputs, self.kernel, output_shape, list(self.strides), self.padding.upper(), data_format=self._layout)


class _SeparableConv(_Conv):
    def __init__(self, rank, filters, kernel_size, strides=1, padding='valid', data_format='channels_last', dilation_rate=1,
                 depth_multiplier=1, depthwise_initializer=None, pointwise_initializer=None, depthwise_regularizer=None,
                 pointwise_regularizer=None, depthwise_constraint=None, pointwise_constraint=None, **kwargs):
        super(_SeparableConv, self).__init__(rank, filters, kernel_size, strides, padding, data_format, dilation_rate, **kwargs)
        self.depth_multiplier = depth_multiplier
        self._depthwise = depthwise_initializer, depthwise_regularizer, depthwise_constraint
        self._pointwise = pointwise_initializer, pointwise_regularizer, pointwise_constraint

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight('depthwise_kernel', shape=self.kernel_size + (channels, self.depth_multiplier),
                                                initializer=self._depthwise[0], regularizer=self._depthwise[1], constraint=self._depthwise[2])
        self.pointwise_kernel = self.add_weight(
            'pointwise_kernel', shape=(1,) * self.rank + (self.depth_multiplier * channels, self.filters), initializer=self._pointwise[0],
            regularizer=self._pointwise[1], constraint=self._pointwise[2])
        self._add_bias_weight()


class SeparableConv2D(_SeparableConv):
    """A convolution of each channel by itself, then one that mixes channels."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last', dilation_rate=(1, 1), **kwargs):
        super(SeparableConv2D, self).__init__(2, filters, kernel_size, strides, padding, data_format, dilation_rate, **kwargs)

    def call(self, inputs):
        steps = list(self.strides)
        steps = [1, 1] + steps if self.data_format == 'channels_first' else [1] + steps + [1]
        outputs = nn.separable_conv2d(inputs, self.depthwise_kernel, self.pointwise_kernel, steps, self.padding.upper(),
                                      rate=self.dilation_rate, data_format=self._layout)
        return self._finish(outputs)


class SeparableConv1D(_SeparableConv):
    """The same over one dimension."""

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format='channels_last', dilation_rate=1, **kwargs):
        super(SeparableConv1D, self).__init__(1, filters, kernel_size, strides, padding, data_format, dilation_rate, **kwargs)

    def call(self, inputs):
        first = self.data_format == 'channels_first'
        axis = 2 if first else 1
        step = self.strides[0]
        wide = array.expand_dims(inputs, axis)
        depthwise, pointwise = array.expand_dims(self.depthwise_kernel, 0), array.expand_dims(self.pointwise_kernel, 0)
        outputs = nn.separable_conv2d(wide, depthwise, pointwise, [1, 1, step, step] if first else [1, step, step, 1], self.padding.upper(),
                                      rate=(1,) + self.dilation_rate, data_format='NCHW' if first else 'NHWC')
        return self._finish(array.squeeze(outputs, [axis]))


def _function(cls, name, doc_of):
    import inspect

    def function(inputs, *args, **kwargs):
        reuse = kwargs.pop('reuse', None)
        layer_name = kwargs.get('name')
        return cls(*args, _scope=layer_name, _reuse=reuse, **kwargs).apply(inputs)
    function.__name__ = name
    function.__doc__ = 'A %s, called. %s' % (doc_of, inspect.getdoc(cls))
    return function


# Positional parameters follow those of the classes: TensorFlow's functions take them in this order.
_ORDER = ['activation', 'use_bias', 'kernel_initializer', 'bias_initializer', 'kernel_regularizer', 'bias_regularizer',
          'activity_regularizer', 'kernel_constraint', 'bias_constraint', 'trainable', 'name', 'reuse']


def _positional(cls, own, name):
    called = _function(cls, name, cls.__name__)
    order = own + _ORDER

    def function(inputs, *args, **kwargs):
        if len(args) > len(order):
            raise TypeError('%s() takes at most %d positional arguments' % (name, len(order) + 1))
        for key, value in zip(order, args):
            if key in kwargs:
                raise TypeError("%s() got multiple values for argument '%s'" % (name, key))
            kwargs[key] = value
        return called(inputs, **kwargs)
    function.__name__, function.__doc__ = name, called.__doc__
    return function


_CONV = ['filters', 'kernel_size', 'strides', 'padding', 'data_format', 'dilation_rate']
_TRANSPOSE = ['filters', 'kernel_size', 'strides', 'padding', 'data_format']
conv1d, conv2d, conv3d = _positional(Conv1D, _CONV, 'conv1d'), _positional(Conv2D, _CONV, 'conv2d'), _positional(Conv3D, _CONV, 'conv3d')
conv2d_transpose = _positional(Conv2DTranspose, _TRANSPOSE, 'conv2d_transpose')
conv3d_transpose = _positional(Conv3DTranspose, _TRANSPOSE, 'conv3d_transpose')
separable_conv1d = _positional(SeparableConv1D, _CONV + ['depth_multiplier'], 'separable_conv1d')
separable_conv2d = _positional(SeparableConv2D, _CONV + ['depth_multiplier'], 'separable_conv2d')
