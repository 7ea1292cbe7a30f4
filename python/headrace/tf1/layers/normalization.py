"""Batch normalisation."""
from headrace.tf1 import nn
from headrace.tf1.framework import array, control_flow, convert, dtypes, graph as graph_lib, init, math, variables
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.layers.base import InputSpec, Layer, dims


class BatchNormalization(Layer):
    """In training, normalises by the batch's mean and variance and keeps running averages of them (run the ops of the collection
    UPDATE_OPS with each step); else by the averages."""

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=init.zeros_initializer(),
                 gamma_initializer=init.ones_initializer(), moving_mean_initializer=init.zeros_initializer(),
                 moving_variance_initializer=init.ones_initializer(), beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99, fused=None, trainable=True,
                 virtual_batch_size=None, adjustment=None, name=None, **kwargs):
        super(BatchNormalization, self).__init__(trainable=trainable, name=name, **kwargs)
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise NotImplementedError('batch_normalization with renorm, virtual_batch_size or adjustment is not here')
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale
        self._initializers = dict(beta=beta_initializer, gamma=gamma_initializer, moving_mean=moving_mean_initializer,
                                  moving_variance=moving_variance_initializer)
        self._regularizers = dict(beta=beta_regularizer, gamma=gamma_regularizer)
        self._constraints = dict(beta=beta_constraint, gamma=gamma_constraint)
        self.fused = fused

    def build(self, input_shape):
        shape = dims(input_shape)
        rank = len(shape)
        self.axis = [a + rank if a < 0 else a for a in self.axis]
        for a in self.axis:
            if not 0 <= a < rank:
                raise ValueError('Invalid axis: %d' % a)
        if self.fused in (None, True):
            self.fused = rank == 4 and self.axis in ([1], [3])
        self._data_format = 'NCHW' if self.fused and self.axis == [1] else 'NHWC'
        sizes = {a: shape[a] for a in self.axis}
        if None in sizes.values():
            raise ValueError('Input has undefined `axis` dimension. Input shape: ', input_shape)
        self.input_spec = InputSpec(ndim=rank, axes=sizes)
        parameter = [sizes[self.axis[0]]] if len(sizes) == 1 else [sizes.get(i, 1) for i in range(rank)]
        dtype = dtypes.float32 if self._dtype in ('float16', 'bfloat16') else None
        self.gamma = self._parameter('gamma', parameter, dtype) if self.scale else None
        if not self.scale and self.fused:
            self._gamma_const = convert.constant(1.0, dtype=dtype or dtypes.as_dtype(self._dtype), shape=parameter)
        self.beta = self._parameter('beta', parameter, dtype) if self.center else None
        if not self.center and self.fused:
            self._beta_const = convert.constant(0.0, dtype=dtype or dtypes.as_dtype(self._dtype), shape=parameter)
        self.moving_mean = self._average('moving_mean', parameter, dtype)
        self.moving_variance = self._average('moving_variance', parameter, dtype)

    def _parameter(self, name, shape, dtype):
        return self.add_weight(name, shape=shape, dtype=dtype, initializer=self._initializers[name], regularizer=self._regularizers[name],
                               constraint=self._constraints[name], trainable=True)

    def _average(self, name, shape, dtype):
        return self.add_weight(name, shape=shape, dtype=dtype, initializer=self._initializers[name], trainable=False)

    def _assign_moving_average(self, variable, value, momentum):
        with name_scope('AssignMovingAvg', values=[variable, value]) as scope:
            with graph_lib.colocate_with(variable):
                if isinstance(momentum, float):
                    decay = convert.convert_to_tensor(1.0 - momentum, name='decay')
                else:
                    decay = 1.0 - momentum
                if decay.dtype != variable.dtype.base_dtype:
                    decay = math.cast(decay, variable.dtype.base_dtype)
                delta = (variable - math.cast(value, variable.dtype)) * decay
                return variables.assign_sub(variable, delta, name=scope)

    def call(self, inputs, training=False):
        return self._fused(inputs, training) if self.fused else self._plain(inputs, training)

    def _fused(self, inputs, training):
        beta = self.beta if self.center else self._beta_const
        gamma = self.gamma if self.scale else self._gamma_const

        def with_batch():
            return nn.fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon, data_format=self._data_format)

        def with_averages():
            return nn.fused_batch_norm(inputs, gamma, beta, mean=self.moving_mean, variance=self.moving_variance, epsilon=self.epsilon,
                                       is_training=False, data_format=self._data_format)
        output, mean, variance = control_flow.smart_cond(training, with_batch, with_averages)
        constant = control_flow.smart_constant(training)
        if constant is None:
            momentum = control_flow.smart_cond(training, lambda: convert.constant(self.momentum), lambda: convert.constant(1.0))
        else:
            momentum = convert.convert_to_tensor(self.momentum)
        if constant is None or constant:
            self.add_update(self._assign_moving_average(self.moving_mean, mean, momentum))
            self.add_update(self._assign_moving_average(self.moving_variance, variance, momentum))
        return output

    def _plain(self, inputs, training):
        rank = inputs.shape.rank
        axes = [i for i in range(rank) if i not in self.axis]
        broadcast = None
        if axes != list(range(rank - 1)) and len(self.axis) == 1:
            broadcast = [1] * rank
            broadcast[self.axis[0]] = inputs.shape.as_list()[self.axis[0]]

        def spread(value):
            return array.reshape(value, broadcast) if value is not None and broadcast is not None else value
        scale, offset = spread(self.gamma), spread(self.beta)
        constant = control_flow.smart_constant(training)
        if constant is not None and not constant:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            keep = len(self.axis) > 1
            mean, variance = nn.moments(inputs, axes, keep_dims=keep)
            moving_mean, moving_variance = self.moving_mean, self.moving_variance
            batch_mean, batch_variance = mean, variance
            mean = control_flow.smart_cond(training, lambda: batch_mean, lambda: convert.convert_to_tensor(moving_mean))
            variance = control_flow.smart_cond(training, lambda: batch_variance, lambda: convert.convert_to_tensor(moving_variance))

            def update(moving, value):
                if constant is None:
                    return control_flow.smart_cond(training, lambda: self._assign_moving_average(moving, value, self.momentum),
                                                   lambda: convert.convert_to_tensor(moving))
                return self._assign_moving_average(moving, value, self.momentum)
            self.add_update(update(self.moving_mean, mean))
            self.add_update(update(self.moving_variance, variance))
        mean, variance = spread(math.cast(mean, inputs.dtype)), spread(math.cast(variance, inputs.dtype))
        outputs = nn.batch_normalization(inputs, mean, variance, offset, scale, self.epsilon)
        outputs.set_shape(inputs.shape)
        return outputs


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=init.zeros_initializer(),
                        gamma_initializer=init.ones_initializer(), moving_mean_initializer=init.zeros_initializer(),
                        moving_variance_initializer=init.ones_initializer(), beta_regularizer=None, gamma_regularizer=None,
                        beta_constraint=None, gamma_constraint=None, training=False, trainable=True, name=None, reuse=None, renorm=False,
                        renorm_clipping=None, renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None):
    layer = BatchNormalization(
        axis=axis, momentum=momentum, epsilon=epsilon, center=center, scale=scale, beta_initializer=beta_initializer,
        gamma_initializer=gamma_initializer, moving_mean_initializer=moving_mean_initializer,
        moving_variance_initializer=moving_variance_initializer, beta_regularizer=beta_regularizer, gamma_regularizer=gamma_regularizer,
        beta_constraint=beta_constraint, gamma_constraint=gamma_constraint, renorm=renorm, renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_momentum, fused=fused, trainable=trainable, virtual_batch_size=virtual_batch_size, adjustment=adjustment,
        name=name, _reuse=reuse, _scope=name)
    return layer.apply(inputs, training=training)
