"""Normalisation of activations: by batch, layer, instance and group."""
from headrace.tf1 import nn
from headrace.tf1.contrib.framework.arg_scope import add_arg_scope
from headrace.tf1.contrib.framework.variables import model_variable
from headrace.tf1.contrib.layers import utils
from headrace.tf1.contrib.layers.functional import check_layout, finish, model_variable_getter
from headrace.tf1.framework import array, convert, dtypes, graph as graph_lib, init, math, variable_scope as vs
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.layers.normalization import BatchNormalization

_START = {'beta': init.zeros_initializer(), 'gamma': init.ones_initializer(), 'moving_mean': init.zeros_initializer(),
          'moving_variance': init.ones_initializer()}


class _Parameters(object):
    """The variables of a normalisation: offset, scale and averages of the channels."""

    def __init__(self, shape, dtype, initializers, variables_collections, trainable, regularizers=None):
        self._shape, self._dtype, self._trainable = shape, dtype, trainable
        self._initializers, self._regularizers = dict(_START, **(initializers or {})), regularizers or {}
        self._collections = variables_collections

    def make(self, name, trainable=None):
        """The variable "beta", "gamma", "moving_mean" or "moving_variance"."""
        return model_variable(name, shape=self._shape, dtype=self._dtype, initializer=self._initializers[name],
                              regularizer=self._regularizers.get(name),
                              collections=utils.get_variable_collections(self._collections, name),
                              trainable=self._trainable if trainable is None else trainable)

    def averages(self):
        """(moving mean, moving variance), in one part whatever the scope's partitioner says."""
        with vs.variable_scope(vs.get_variable_scope()) as scope:
            scope.set_partitioner(None)
            return self.make('moving_mean', trainable=False), self.make('moving_variance', trainable=False)


def _assign_averages(averages, moments, decay, zero_debias):
    from headrace.tf1.train.moving_averages import assign_moving_average
    return (assign_moving_average(averages[0], moments[0], decay, zero_debias=zero_debias),
            assign_moving_average(averages[1], moments[1], decay, zero_debias=False))


def _channels(inputs, shape, data_format, what):
    size = shape[1:2] if data_format == 'NCHW' else shape[-1:]
    if not size.is_fully_defined():
        raise ValueError('Inputs %s has undefined %s dimension %s.' % (inputs.name, what, size))
    return size


@add_arg_scope
def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, param_initializers=None,
               param_regularizers=None, updates_collections=GraphKeys.UPDATE_OPS, is_training=True, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True, batch_weights=None, fused=None, data_format='NHWC',
               zero_debias_moving_mean=False, scope=None, renorm=False, renorm_clipping=None, renorm_decay=0.99, adjustment=None):
    """In training, normalises by the batch's mean and variance and keeps running averages of them (by the operations in
    updates_collections, or with None before the outputs are ready); else by the averages.

    Errors: ValueError for a data_format other than NHWC and NCHW, and for an unknown rank or number of channels.
    """
    fused = True if fused is None else fused
    inputs = convert.convert_to_tensor(inputs)
    rank = inputs.get_shape().ndims
    special = zero_debias_moving_mean or updates_collections is not GraphKeys.UPDATE_OPS
    if fused and batch_weights is None and not renorm and rank in (2, 4) and adjustment is None and (special or rank == 2):
        function, getter, more = _fused, None, {}
    else:
        check_layout(data_format)
        function = _weighted if batch_weights is not None or special else _layer
        getter = model_variable_getter()
        more = dict(batch_weights=batch_weights, fused=fused, renorm=renorm, renorm_clipping=renorm_clipping, renorm_decay=renorm_decay,
                    adjustment=adjustment, reuse=reuse)
    check_layout(data_format)
    with vs.variable_scope(scope, 'BatchNorm', [inputs], reuse=reuse, custom_getter=getter) as sc:
        outputs = function(inputs, sc, decay=decay, center=center, scale=scale, epsilon=epsilon, param_initializers=param_initializers,
                           param_regularizers=param_regularizers, updates_collections=updates_collections, is_training=is_training,
                           variables_collections=variables_collections, trainable=trainable, data_format=data_format,
                           zero_debias=zero_debias_moving_mean, **more)
        return finish(outputs, sc, activation_fn, outputs_collections)


def _layer(inputs, sc, decay, center, scale, epsilon, param_initializers, param_regularizers, is_training, variables_collections,
           trainable, data_format, fused, renorm, renorm_clipping, renorm_decay, adjustment, reuse, **unused):
    """By the layer of tf.layers."""
    start, regularizers = dict(_START, **(param_initializers or {})), param_regularizers or {}
    layer = BatchNormalization(
        axis=1 if data_format == 'NCHW' else -1, momentum=decay, epsilon=epsilon, center=center, scale=scale,
        beta_initializer=start['beta'], gamma_initializer=start['gamma'], moving_mean_initializer=start['moving_mean'],
        moving_variance_initializer=start['moving_variance'], beta_regularizer=regularizers.get('beta'),
        gamma_regularizer=regularizers.get('gamma'), trainable=trainable, renorm=renorm, renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_decay, adjustment=adjustment, name=sc.name, _scope=sc, _reuse=reuse, fused=fused)
    outputs = layer.apply(inputs, training=is_training)
    for name in ('moving_mean', 'moving_variance', 'beta', 'gamma'):
        if getattr(layer, name) is not None:
            utils.add_variable_to_collections(getattr(layer, name), variables_collections, name)
    return outputs


def _fused(inputs, sc, decay, center, scale, epsilon, param_initializers, param_regularizers, updates_collections, is_training,
           variables_collections, trainable, data_format, zero_debias):
    """By one op for mean, variance and normalisation; a matrix as an image of one pixel."""
    original, shape = inputs, inputs.get_shape()
    if shape.ndims == 2:
        channels = shape.as_list()[-1]
        if channels is None:
            raise ValueError('`C` dimension must be known but is None')
        inputs = array.reshape(inputs, [-1, channels, 1, 1] if data_format == 'NCHW' else [-1, 1, 1, channels])
    inputs_shape = inputs.get_shape()
    size = _channels(inputs, inputs_shape, data_format, '`C`')
    # The statistics of half floats are floats.
    parameters = _Parameters(size, dtypes.float32, param_initializers, variables_collections, trainable, param_regularizers)
    beta = parameters.make('beta') if center else convert.constant(0.0, dtype=dtypes.float32, shape=size)
    gamma = parameters.make('gamma') if scale else convert.constant(1.0, dtype=dtypes.float32, shape=size)
    averages = parameters.averages()

    def with_batch():
        return nn.fused_batch_norm(inputs, gamma, beta, epsilon=epsilon, data_format=data_format)

    def with_averages():
        return nn.fused_batch_norm(inputs, gamma, beta, mean=averages[0], variance=averages[1], epsilon=epsilon, is_training=False,
                                   data_format=data_format)
    outputs, mean, variance = utils.smart_cond(is_training, with_batch, with_averages)
    known = utils.constant_value(is_training)
    if known is None or known:
        def updates():
            return _assign_averages(averages, (mean, variance), decay, zero_debias)
        if updates_collections is None:
            normalized = outputs

            def forced():
                with graph_lib.control_dependencies(updates()):
                    return array.identity(normalized)
            outputs = utils.smart_cond(is_training, forced, lambda: normalized)
        else:
            for update in utils.smart_cond(is_training, updates, lambda: averages):
                graph_lib.add_to_collections(updates_collections, update)
    outputs.set_shape(inputs_shape)
    return array.reshape(outputs, array.shape(original)) if shape.ndims == 2 else outputs


def _weighted(inputs, sc, decay, center, scale, epsilon, param_initializers, updates_collections, is_training, variables_collections,
              trainable, data_format, zero_debias, batch_weights, renorm, **unused):
    """From single ops: with weights of the examples, or updates elsewhere than in UPDATE_OPS."""
    if renorm:
        raise ValueError('renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean')
    shape = inputs.get_shape()
    rank = shape.ndims
    if rank is None:
        raise ValueError('Inputs %s has undefined rank.' % inputs.name)
    if batch_weights is not None:
        batch_weights = convert.convert_to_tensor(batch_weights)
        shape[0:1].assert_is_compatible_with(batch_weights.get_shape())
        batch_weights = array.reshape(batch_weights, [-1] + [1] * (rank - 1))
    first = data_format == 'NCHW'
    axes = [0] + list(range(2, rank)) if first else list(range(rank - 1))
    parameters = _Parameters(_channels(inputs, shape, data_format, 'channels'), inputs.dtype.base_dtype, param_initializers,
                             variables_collections, trainable)
    beta = parameters.make('beta') if center else None
    gamma = parameters.make('gamma') if scale else None
    averages = parameters.averages()
    mean, variance = averages
    known = utils.constant_value(is_training)
    if known is None or known:
        if batch_weights is None:
            moments = nn.moments(inputs, axes, **({'keep_dims': True} if first else {}))
        else:
            moments = nn.weighted_moments(inputs, axes, batch_weights, **({'keepdims': True} if first else {}))
        if first:
            moments = tuple(array.reshape(moment, [-1]) for moment in moments)

        def updates():
            return _assign_averages(averages, moments, decay, zero_debias)

        def forced():
            with graph_lib.control_dependencies(updates()):
                return array.identity(moments[0]), array.identity(moments[1])
        if updates_collections is None:
            mean, variance = utils.smart_cond(is_training, forced, lambda: averages)
        else:
            for update in utils.smart_cond(is_training, updates, lambda: averages):
                graph_lib.add_to_collections(updates_collections, update)
            mean, variance = utils.smart_cond(is_training, lambda: moments, lambda: averages)
    if first:
        spread = [1, shape.as_list()[1]] + [1] * (rank - 2)
        mean, variance = array.reshape(mean, spread), array.reshape(variance, spread)
        beta = None if beta is None else array.reshape(beta, spread)
        gamma = None if gamma is None else array.reshape(gamma, spread)
    outputs = nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
    outputs.set_shape(shape)
    return outputs


@add_arg_scope
def layer_norm(inputs, center=True, scale=True, activation_fn=None, reuse=None, variables_collections=None, outputs_collections=None,
               trainable=True, begin_norm_axis=1, begin_params_axis=-1, scope=None):
    """Each example by its own mean and variance over the axes from begin_norm_axis on. ValueError for axes that are not there."""
    with vs.variable_scope(scope, 'LayerNorm', [inputs], reuse=reuse) as sc:
        inputs = convert.convert_to_tensor(inputs)
        shape = inputs.shape
        rank = shape.ndims
        if rank is None:
            raise ValueError('Inputs %s has undefined rank.' % inputs.name)
        dtype = inputs.dtype.base_dtype
        begin_norm_axis += rank if begin_norm_axis < 0 else 0
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError('begin_params_axis (%d) and begin_norm_axis (%d) must be < rank(inputs) (%d)' % (
                begin_params_axis, begin_norm_axis, rank))
        size = shape[begin_params_axis:]
        if not size.is_fully_defined():
            raise ValueError('Inputs %s: shape(inputs)[%s:] is not fully defined: %s' % (inputs.name, begin_params_axis, shape))
        parameters = _Parameters(size, dtype, None, variables_collections, trainable)
        beta = parameters.make('beta') if center else None
        gamma = parameters.make('gamma') if scale else None
        mean, variance = nn.moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        outputs = nn.batch_normalization(inputs, mean, variance, offset=beta, scale=gamma,
                                         variance_epsilon=1e-12 if dtype != dtypes.float16 else 1e-3)
        outputs.set_shape(shape)
        return finish(outputs, sc, activation_fn, outputs_collections)


@add_arg_scope
def instance_norm(inputs, center=True, scale=True, epsilon=1e-6, activation_fn=None, param_initializers=None, reuse=None,
                  variables_collections=None, outputs_collections=None, trainable=True, data_format='NHWC', scope=None):
    """Each channel of each example by its own mean and variance. ValueError for an unknown rank or number of channels."""
    inputs = convert.convert_to_tensor(inputs)
    shape = inputs.shape
    rank = shape.ndims
    if rank is None:
        raise ValueError('Inputs %s has undefined rank.' % inputs.name)
    first = check_layout(data_format) == 'channels_first'
    with vs.variable_scope(scope, 'InstanceNorm', [inputs], reuse=reuse) as sc:
        channels = 1 if first else rank - 1
        parameters = _Parameters(_channels(inputs, shape, data_format, 'channels'), inputs.dtype.base_dtype, param_initializers,
                                 variables_collections, trainable)

        def spread(variable):
            return array.reshape(variable, [1, shape.as_list()[1]] + [1] * (rank - 2)) if first else variable
        beta = spread(parameters.make('beta')) if center else None
        gamma = spread(parameters.make('gamma')) if scale else None
        mean, variance = nn.moments(inputs, [axis for axis in range(1, rank) if axis != channels], keep_dims=True)
        outputs = nn.batch_normalization(inputs, mean, variance, beta, gamma, epsilon, name='instancenorm')
        return finish(outputs, sc, activation_fn, outputs_collections)


@add_arg_scope
def group_norm(inputs, groups=32, channels_axis=-1, reduction_axes=(-3, -2), center=True, scale=True, epsilon=1e-6, activation_fn=None,
               param_initializers=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True, scope=None,
               mean_close_to_zero=False):
    """Groups of channels of each example by their own mean and variance. ValueError for axes and groups that do not fit the inputs."""
    inputs = convert.convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError('Inputs %s has undefined rank.' % inputs.name)
    if channels_axis > rank - 1:
        raise ValueError('Axis is out of bounds.')
    dynamic = array.shape(inputs)
    static = inputs.shape.as_list()
    sizes = [dynamic[i] if size is None else size for i, size in enumerate(static)]
    channels_axis += rank if channels_axis < 0 else 0
    channels = static[channels_axis]
    if channels is None:
        raise ValueError('Inputs %s has undefined channel dimension: %d.' % (inputs.name, channels_axis))
    axes = [axis + rank if axis < 0 else axis for axis in reduction_axes]
    for axis in axes:
        if axis >= rank:
            raise ValueError('Axis is out of bounds.')
        if static[axis] is None:
            raise ValueError('Inputs %s has undefined dimensions %d.' % (inputs.name, axis))
        if axis == channels_axis:
            raise ValueError('reduction_axis must be mutually exclusive with channels_axis')
    if groups > channels:
        raise ValueError('Invalid groups %d for %d channels.' % (groups, channels))
    if channels % groups:
        raise ValueError('%d channels is not commensurate with %d groups.' % (channels, groups))
    group = [groups, channels // groups]
    spread = [1] * channels_axis + group + [1] * (rank - channels_axis - 1)
    inputs = array.reshape(inputs, sizes[:channels_axis] + group + sizes[channels_axis + 1:])
    axes = [channels_axis + 1] + [axis + 1 if axis > channels_axis else axis for axis in axes]
    with vs.variable_scope(scope, 'GroupNorm', [inputs], reuse=reuse) as sc:
        parameters = _Parameters([channels], inputs.dtype.base_dtype, param_initializers, variables_collections, trainable)
        beta = array.reshape(parameters.make('beta'), spread) if center else None
        gamma = array.reshape(parameters.make('gamma'), spread) if scale else None
        if mean_close_to_zero:
            counts, mean_ss, variance_ss, _ = nn.sufficient_statistics(inputs, axes, keep_dims=True)
            mean, variance = nn.normalize_moments(counts, mean_ss, variance_ss, shift=None)
        else:
            mean, variance = nn.moments(inputs, axes, keep_dims=True)
        gain = math.rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain *= gamma
            offset *= gamma
        if beta is not None:
            offset += beta
        outputs = array.reshape(inputs * gain + offset, sizes)
        return finish(outputs, sc, activation_fn, outputs_collections)
