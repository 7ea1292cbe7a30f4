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
        if renorm and set(renorm_clipping or {}) - {'rmax', 'rmin', 'dmax'}:
            raise ValueError("renorm_clipping %s contains keys not in ['rmax', 'rmin', 'dmax']" % renorm_clipping)
        self.renorm, self.renorm_clipping, self.renorm_momentum = renorm, renorm_clipping or {}, renorm_momentum
        self.virtual_batch_size, self.adjustment = virtual_batch_size, adjustment
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale
        def stddev_initializer(*args, **kwargs):
            return math.sqrt(moving_variance_initializer(*args, **kwargs))
        self._initializers = dict(beta=beta_initializer, gamma=gamma_initializer, moving_mean=moving_mean_initializer,
                                  moving_variance=moving_variance_initializer, moving_stddev=stddev_initializer,
                                  renorm_mean=moving_mean_initializer, renorm_stddev=stddev_initializer)
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
        self._check_virtual_batches()
        if self.fused in (None, True):
            self.fused = (rank == 4 and self.axis in ([1], [3]) and not self.renorm and self.virtual_batch_size is None
                          and self.adjustment is None)
        self._data_format = 'NCHW' if self.fused and self.axis == [1] else 'NHWC'
        sizes = {a: shape[a] for a in self.axis}
        if None in sizes.values():
            raise ValueError('Input has undefined `axis` dimension. Input shape: ', input_shape)
        self.input_spec = InputSpec(ndim=rank, axes=sizes)
        if len(sizes) == 1 and self.virtual_batch_size is None:
            parameter = [sizes[self.axis[0]]]
        else:
            parameter = [sizes.get(i, 1) for i in range(rank)]
            if self.virtual_batch_size is not None:  # inputs get another dimension there
                parameter.insert(1, 1)
                self.axis = [a + 1 for a in self.axis]
        dtype = dtypes.float32 if self._dtype in ('float16', 'bfloat16') else None
        self.gamma = self._parameter('gamma', parameter, dtype) if self.scale else None
        if not self.scale and self.fused:
            self._gamma_const = convert.constant(1.0, dtype=dtype or dtypes.as_dtype(self._dtype), shape=parameter)
        self.beta = self._parameter('beta', parameter, dtype) if self.center else None
        if not self.center and self.fused:
            self._beta_const = convert.constant(0.0, dtype=dtype or dtypes.as_dtype(self._dtype), shape=parameter)
        self.moving_mean = self._average('moving_mean', parameter, dtype)
        self.moving_variance = self._average('moving_variance', parameter, dtype)
        if self.renorm:
            with graph_lib.colocate_with(self.moving_variance):
                self.moving_stddev = self._average('moving_stddev', parameter, dtype)
            with graph_lib.colocate_with(self.moving_mean):
                self.renorm_mean = self._average('renorm_mean', parameter, dtype)
            with graph_lib.colocate_with(self.moving_stddev):
                self.renorm_stddev = self._average('renorm_stddev', parameter, dtype)

    def _check_virtual_batches(self):
        if self.virtual_batch_size is None:
            return
        if self.virtual_batch_size <= 0:
            raise ValueError('virtual_batch_size must be a positive integer that divides the true batch size of the input Tensor')
        if 0 in self.axis:
            raise ValueError('When using virtual_batch_size, the batch dimension must be 0 and thus axis cannot include 0')
        if self.adjustment is not None:
            raise ValueError('When using virtual_batch_size, adjustment cannot be specified')

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
        if self.fused:
            return self._fused(inputs, training)
        if self.virtual_batch_size is None:
            return self._plain(inputs, training)
        whole = [-1] + inputs.shape.as_list()[1:]
        parts = array.reshape(inputs, [self.virtual_batch_size, -1] + whole[1:])
        return array.reshape(self._plain(parts, training), whole)

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
        if self.virtual_batch_size is not None:
            del axes[1]  # each virtual batch has its own moments
        broadcast = [1] * rank
        broadcast[self.axis[0]] = inputs.shape.as_list()[self.axis[0]]

        def spread(value):
            needed = value is not None and value.shape.rank != rank and axes != list(range(rank - 1))
            return array.reshape(value, broadcast) if needed else value
        scale, offset = spread(self.gamma), spread(self.beta)
        constant = control_flow.smart_constant(training)
        if constant is not None and not constant:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            if self.adjustment is not None:
                first_scale, first_offset = self._adjusted(inputs, training)
                scale, offset = _compose(first_scale, first_offset, scale, offset)
            mean, variance = self._moments(inputs, axes, training)
            new_mean, new_variance = mean, variance
            if self.virtual_batch_size is not None:
                new_mean, new_variance = [math.reduce_mean(v, axis=1, keepdims=True) for v in (mean, variance)]
            if self.renorm:
                r, d, new_mean, new_variance = self._renormed(new_mean, new_variance, training)
                r, d = spread(array.stop_gradient(r, name='renorm_r')), spread(array.stop_gradient(d, name='renorm_d'))
                scale, offset = _compose(r, d, scale, offset)
            self.add_update(self._if_training(training, self.moving_mean, lambda: self._assign_moving_average(
                self.moving_mean, new_mean, self.momentum)))
            self.add_update(self._if_training(training, self.moving_variance, lambda: self._update_variance(new_variance)))
        mean, variance = math.cast(mean, inputs.dtype), math.cast(variance, inputs.dtype)
        offset = None if offset is None else math.cast(offset, inputs.dtype)
        scale = None if scale is None else math.cast(scale, inputs.dtype)
        outputs = nn.batch_normalization(inputs, spread(mean), spread(variance), offset, scale, self.epsilon)
        outputs.set_shape(inputs.shape)
        return outputs

    @staticmethod
    def _if_training(training, variable, update):
        """What the update gives in training, else the variable as it is."""
        return control_flow.smart_cond(training, update, lambda: convert.convert_to_tensor(variable))

    def _moments(self, inputs, axes, training):
        """Mean and variance of the batch, outside of training the averages."""
        keep = self.virtual_batch_size is not None or len(self.axis) > 1
        mean, variance = nn.moments(math.cast(inputs, self.moving_mean.dtype.base_dtype), axes, keep_dims=keep)
        moving_mean, moving_variance = self.moving_mean, self.moving_variance
        return (self._if_training(training, moving_mean, lambda: mean),
                self._if_training(training, moving_variance, lambda: variance))

    def _update_variance(self, variance):
        if not self.renorm:
            return self._assign_moving_average(self.moving_variance, variance, self.momentum)
        stddev = self._assign_moving_average(self.moving_stddev, math.sqrt(variance + self.epsilon), self.momentum)
        squared = nn.relu(stddev * stddev - self.epsilon)  # rounding may make it negative
        with name_scope('AssignNewValue') as scope:
            with graph_lib.colocate_with(self.moving_variance):
                return variables.assign(self.moving_variance, squared, name=scope)

    def _adjusted(self, inputs, training):
        scale, offset = self.adjustment(array.shape(inputs))
        return (control_flow.smart_cond(training, lambda: scale, lambda: array.ones_like(scale)),
                control_flow.smart_cond(training, lambda: offset, lambda: array.zeros_like(offset)))

    def _renormed(self, mean, variance, training):
        """Batch renormalisation (Ioffe, 2017): (scale r, offset d, mean, variance), the latter two once the averages are updated."""
        stddev = math.sqrt(variance + self.epsilon)
        renorm_stddev = math.maximum(self.renorm_stddev, math.sqrt(self.epsilon))
        r = stddev / renorm_stddev
        d = (mean - self.renorm_mean) / renorm_stddev
        with graph_lib.control_dependencies([r, d]):  # which take the averages before their update
            mean, stddev = array.identity(mean), array.identity(stddev)
        least, most, far = [self.renorm_clipping.get(key) for key in ('rmin', 'rmax', 'dmax')]
        if least is not None:
            r = math.maximum(r, least)
        if most is not None:
            r = math.minimum(r, most)
        if far is not None:
            d = math.minimum(math.maximum(d, -far), far)
        clipped_r, clipped_d = r, d
        r = control_flow.smart_cond(training, lambda: clipped_r, lambda: array.ones_like(clipped_r))
        d = control_flow.smart_cond(training, lambda: clipped_d, lambda: array.zeros_like(clipped_d))

        def update(variable, value):
            value = array.identity(value)
            return control_flow.smart_cond(training, lambda: self._assign_moving_average(variable, value, self.renorm_momentum),
                                           lambda: array.identity(variable))
        updates = [update(self.renorm_mean, mean), update(self.renorm_stddev, stddev)]
        with graph_lib.control_dependencies(updates):
            return r, d, array.identity(mean), array.identity(variance)


def _compose(scale, offset, then_scale, then_offset):
    """Scale and offset of one linear map after another."""
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    if then_offset is not None:
        offset = offset + then_offset
    return scale, offset


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
