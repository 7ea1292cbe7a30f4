"""Pooling layers."""
from headrace.tf1 import nn
from headrace.tf1.framework import array
from headrace.tf1.layers.base import InputSpec, Layer


def _tuple(value, n, what):
    if isinstance(value, int):
        return (value,) * n
    value = tuple(value)
    if len(value) != n:
        raise ValueError('The `%s` argument must be a tuple of %d integers. Received: %s' % (what, n, value))
    return value


class _Pooling(Layer):
    def __init__(self, function, n, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs):
        super(_Pooling, self).__init__(name=name, **kwargs)
        self._function, self._n = function, n
        self.pool_size = _tuple(pool_size, n, 'pool_size')
        self.strides = _tuple(pool_size if strides is None else strides, n, 'strides')
        self.padding, self.data_format = padding.lower(), data_format.lower()
        if self.padding not in ('valid', 'same'):
            raise ValueError('The `padding` argument must be one of "valid", "same". Received: %s' % padding)
        if self.data_format not in ('channels_last', 'channels_first'):
            raise ValueError('The `data_format` argument must be one of "channels_first", "channels_last". Received: %s' % data_format)
        self.input_spec = InputSpec(ndim=n + 2)

    def _windows(self):
        if self.data_format == 'channels_last':
            return [1] + list(self.pool_size) + [1], [1] + list(self.strides) + [1]
        return [1, 1] + list(self.pool_size), [1, 1] + list(self.strides)

    def call(self, inputs):
        if self._n == 1:
            axis = 2 if self.data_format == 'channels_last' else 3
            if self.data_format == 'channels_last':
                window, strides = [1, self.pool_size[0], 1, 1], [1, self.strides[0], 1, 1]
            else:
                window, strides = [1, 1, self.pool_size[0], 1], [1, 1, self.strides[0], 1]
            wide = array.expand_dims(inputs, axis)
            pooled = self._function(wide, window, strides, padding=self.padding.upper(),
                                    data_format='NHWC' if self.data_format == 'channels_last' else 'NCHW')
            return array.squeeze(pooled, axis)
        window, strides = self._windows()
        layout = {2: ('NHWC', 'NCHW'), 3: ('NDHWC', 'NCDHW')}[self._n][self.data_format == 'channels_first']
        return self._function(inputs, window, strides, padding=self.padding.upper(), data_format=layout)


def _make(kind, n):
    function = {('Max', 1): nn.max_pool, ('Max', 2): nn.max_pool, ('Max', 3): nn.max_pool3d, ('Average', 1): nn.avg_pool,
                ('Average', 2): nn.avg_pool, ('Average', 3): nn.avg_pool3d}[kind, n]

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs):
        _Pooling.__init__(self, function, n, pool_size, strides, padding, data_format, name, **kwargs)
    cls = type('%sPooling%dD' % (kind, n), (_Pooling,), {'__init__': __init__, '__doc__': '%s of windows.' % kind, '__module__': __name__})

    def make(inputs, pool_size, strides, padding='valid', data_format='channels_last', name=None):
        return cls(pool_size=pool_size, strides=strides, padding=padding, data_format=data_format, name=name).apply(inputs)
    make.__name__ = '%s_pooling%dd' % (kind.lower(), n)
    return cls, make


MaxPooling1D, max_pooling1d = _make('Max', 1)
MaxPooling2D, max_pooling2d = _make('Max', 2)
MaxPooling3D, max_pooling3d = _make('Max', 3)
AveragePooling1D, average_pooling1d = _make('Average', 1)
AveragePooling2D, average_pooling2d = _make('Average', 2)
AveragePooling3D, average_pooling3d = _make('Average', 3)
