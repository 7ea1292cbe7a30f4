"""Fully connected layers, dropout, flattening."""
from headrace.tf1 import nn
from headrace.tf1.framework import array, init, math
from headrace.tf1.framework.convert import convert_to_tensor
from headrace.tf1.layers.base import InputSpec, Layer, dims


class Dense(Layer):
    """activation(inputs . kernel + bias) over the last dimension."""

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=init.zeros_initializer(),
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 trainable=True, name=None, **kwargs):
        super(Dense, self).__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation, self.use_bias = activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape):
        last = dims(input_shape)[-1]
        if last is None:
            raise ValueError('The last dimension of the inputs to `Dense` should be defined. Found `None`.')
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight('kernel', shape=[last, self.units], initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.bias = self.add_weight('bias', shape=[self.units], initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                                    constraint=self.bias_constraint) if self.use_bias else None

    def call(self, inputs):
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank > 2:
            outputs = math.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.shape.as_list()[:-1] + [self.units])
        else:
            outputs = math.matmul(inputs, self.kernel)
        if self.use_bias:
            outputs = nn.bias_add(outputs, self.bias)
        return self.activation(outputs) if self.activation is not None else outputs

    def compute_output_shape(self, input_shape):
        return dims(input_shape)[:-1] + [self.units]


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=init.zeros_initializer(),
          kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
          trainable=True, name=None, reuse=None):
    layer = Dense(units, activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                  bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                  activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint, bias_constraint=bias_constraint,
                  trainable=trainable, name=name, _scope=name, _reuse=reuse)
    return layer.apply(inputs)


class Dropout(Layer):
    """In training, zeroes elements with probability `rate` and scales the others up."""

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super(Dropout, self).__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs, training=False):
        from headrace.tf1.framework import control_flow

        def dropped():
            return nn.dropout(inputs, noise_shape=self.noise_shape, seed=self.seed, rate=self.rate)
        return control_flow.smart_cond(training, dropped, lambda: array.identity(inputs))


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    return Dropout(rate, noise_shape=noise_shape, seed=seed, name=name).apply(inputs, training=training)


class Flatten(Layer):
    """[batch, ...] -> [batch, elements]"""

    def __init__(self, data_format=None, name=None, **kwargs):
        super(Flatten, self).__init__(name=name, **kwargs)
        self.data_format = data_format or 'channels_last'
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs):
        if self.data_format == 'channels_first' and inputs.shape.rank is not None and inputs.shape.rank > 1:
            inputs = array.transpose(inputs, [0] + list(range(2, inputs.shape.rank)) + [1])
        outputs = array.reshape(inputs, (array.shape(inputs)[0], -1))
        shape = inputs.shape
        if shape.rank == 1:
            outputs.set_shape([shape[0], 1])
        elif shape.rank is not None and shape[1:].is_fully_defined():
            outputs.set_shape([shape[0], shape[1:].num_elements()])
        return outputs


def flatten(inputs, name=None, data_format='channels_last'):
    return Flatten(name=name, data_format=data_format).apply(inputs)
