"""Layers as functions: fully connected, convolutions, pooling, dropout; with normalisers and activations, and arguments from arg_scope."""
import functools

from headrace.tf1 import nn
from headrace.tf1.contrib.framework.arg_scope import add_arg_scope
from headrace.tf1.contrib.framework.variables import model_variable
from headrace.tf1.contrib.layers import initializers, utils
from headrace.tf1.framework import array, convert, graph as graph_lib, init, variable_scope as vs
from headrace.tf1.framework.variables import VariableAggregation, VariableSynchronization
from headrace.tf1.layers import convolutional, core, pooling

DATA_FORMAT_NCHW, DATA_FORMAT_NHWC, DATA_FORMAT_NCDHW, DATA_FORMAT_NDHWC = 'NCHW', 'NHWC', 'NCDHW', 'NDHWC'


# ---- what layers share

def model_variable_getter(rename=None):
    """A custom getter that makes the variables of a layer model variables, under other last names: {'kernel': 'weights'}."""
    def getter(inner, name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None,
               caching_device=None, partitioner=None, use_resource=None, synchronization=VariableSynchronization.AUTO,
               aggregation=VariableAggregation.NONE, **unused):
        scope, slash, last = name.rpartition('/')
        name = scope + slash + (rename or {}).get(last, last)
        return model_variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, collections=collections,
                              trainable=trainable, caching_device=caching_device, partitioner=partitioner, custom_getter=inner,
                              use_resource=use_resource, synchronization=synchronization, aggregation=aggregation)
    return getter


def check_layout(data_format, allowed=(DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)):
    """"channels_first" or "channels_last". ValueError for a layout that is not allowed."""
    if data_format not in allowed:
        raise ValueError('data_format has to be either %s.' % ' or '.join(allowed))
    return _layout(data_format)


def _layout(data_format):
    return 'channels_first' if data_format and data_format.startswith('NC') else 'channels_last'


def finish(outputs, sc, activation_fn, outputs_collections):
    """The activation of a layer's outputs, put into its collections."""
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return utils.collect_named_outputs(outputs_collections, sc if isinstance(sc, str) else sc.name, outputs)


def _normalize(outputs, normalizer_fn, normalizer_params):
    return outputs if normalizer_fn is None else normalizer_fn(outputs, **(normalizer_params or {}))


def _add_biases(outputs, size, dtype, initializer, regularizer, variables_collections, trainable, data_format=None):
    """outputs + a new model variable "biases"."""
    biases = model_variable('biases', shape=[size], dtype=dtype, initializer=initializer, regularizer=regularizer,
                            collections=utils.get_variable_collections(variables_collections, 'biases'), trainable=trainable)
    return nn.bias_add(outputs, biases, **({} if data_format is None else {'data_format': data_format}))


def _apply_layer(make, inputs, sc, reuse, trainable, normalizer_fn, weights, biases, variables_collections):
    """Makes a layer of tf.layers in an open variable scope, calls it, and puts its variables into collections.

    weights, biases: (initializer, regularizer).
    """
    layer = make(activation=None, use_bias=bool(not normalizer_fn and biases[0]), bias_initializer=biases[0], bias_regularizer=biases[1],
                 activity_regularizer=None, trainable=trainable, name=sc.name, dtype=inputs.dtype.base_dtype, _scope=sc, _reuse=reuse,
                 **weights)
    outputs = layer.apply(inputs)
    for attribute in ('kernel', 'depthwise_kernel', 'pointwise_kernel'):
        if hasattr(layer, attribute):
            utils.add_variable_to_collections(getattr(layer, attribute), variables_collections, 'weights')
    if layer.bias is not None:
        utils.add_variable_to_collections(layer.bias, variables_collections, 'biases')
    return outputs


_RENAME = {'bias': 'biases', 'kernel': 'weights'}


# ---- fully connected

@add_arg_scope
def fully_connected(inputs, num_outputs, activation_fn=nn.relu, normalizer_fn=None, normalizer_params=None,
                    weights_initializer=initializers.xavier_initializer(), weights_regularizer=None,
                    biases_initializer=init.zeros_initializer(), biases_regularizer=None, reuse=None, variables_collections=None,
                    outputs_collections=None, trainable=True, scope=None):
    """activation_fn(inputs . weights + biases) over the last dimension; with normalizer_fn that instead of biases.

    Errors: ValueError for num_outputs that is no integer.
    """
    if not isinstance(num_outputs, int) and not hasattr(num_outputs, '__index__'):
        raise ValueError('num_outputs type should be one of %s, got %s.' % ([int], type(num_outputs)))
    with vs.variable_scope(scope, 'fully_connected', [inputs], reuse=reuse, custom_getter=model_variable_getter(_RENAME)) as sc:
        inputs = convert.convert_to_tensor(inputs)
        outputs = _apply_layer(functools.partial(core.Dense, num_outputs), inputs, sc, reuse, trainable, normalizer_fn,
                               dict(kernel_initializer=weights_initializer, kernel_regularizer=weights_regularizer),
                               (biases_initializer, biases_regularizer), variables_collections)
        return finish(_normalize(outputs, normalizer_fn, normalizer_params), sc, activation_fn, outputs_collections)


elu = functools.partial(fully_connected, activation_fn=nn.elu)
relu = functools.partial(fully_connected, activation_fn=nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=nn.relu6)
linear = functools.partial(fully_connected, activation_fn=None)


# ---- convolutions

@add_arg_scope
def convolution(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None, rate=1, activation_fn=nn.relu,
                normalizer_fn=None, normalizer_params=None, weights_initializer=initializers.xavier_initializer(),
                weights_regularizer=None, biases_initializer=init.zeros_initializer(), biases_regularizer=None, reuse=None,
                variables_collections=None, outputs_collections=None, trainable=True, scope=None, conv_dims=None):
    """A convolution over one, two or three dimensions, as the rank of the inputs says.

    Errors: ValueError for an unknown data_format, a rank that does not fit conv_dims, stride and rate both above 1.
    """
    if data_format not in (None, 'NWC', 'NCW', 'NHWC', 'NCHW', 'NDHWC', 'NCDHW'):
        raise ValueError('Invalid data_format: %r' % (data_format,))
    with vs.variable_scope(scope, 'Conv', [inputs], reuse=reuse, custom_getter=model_variable_getter(_RENAME)) as sc:
        inputs = convert.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError('Convolution expects input with rank %d, got %s' % (conv_dims + 2, rank))
        classes = {3: convolutional.Conv1D, 4: convolutional.Conv2D, 5: convolutional.Conv3D}
        if rank not in classes:
            raise ValueError('Convolution not supported for input with rank', rank)
        make = functools.partial(classes[rank], filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding,
                                 data_format=_layout(data_format), dilation_rate=rate)
        outputs = _apply_layer(make, inputs, sc, reuse, trainable, normalizer_fn,
                               dict(kernel_initializer=weights_initializer, kernel_regularizer=weights_regularizer),
                               (biases_initializer, biases_regularizer), variables_collections)
        return finish(_normalize(outputs, normalizer_fn, normalizer_params), sc, activation_fn, outputs_collections)


def _convolution_of(dims):
    def function(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None, rate=1, activation_fn=nn.relu,
                 normalizer_fn=None, normalizer_params=None, weights_initializer=initializers.xavier_initializer(),
                 weights_regularizer=None, biases_initializer=init.zeros_initializer(), biases_regularizer=None, reuse=None,
                 variables_collections=None, outputs_collections=None, trainable=True, scope=None):
        return convolution(inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn, normalizer_fn,
                           normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
                           variables_collections, outputs_collections, trainable, scope, conv_dims=dims)
    function.__name__ = function.__qualname__ = 'convolution%dd' % dims
    function.__doc__ = '`convolution` of inputs of rank %d.' % (dims + 2)
    return add_arg_scope(function)


conv1d = convolution1d = _convolution_of(1)
conv2d = convolution2d = _convolution_of(2)
conv3d = convolution3d = _convolution_of(3)


def _transpose_of(dims, cls, layouts):
    def function(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=layouts[1], activation_fn=nn.relu,
                 normalizer_fn=None, normalizer_params=None, weights_initializer=initializers.xavier_initializer(),
                 weights_regularizer=None, biases_initializer=init.zeros_initializer(), biases_regularizer=None, reuse=None,
                 variables_collections=None, outputs_collections=None, trainable=True, scope=None):
        with vs.variable_scope(scope, 'Conv%dd_transpose' % dims, [inputs], reuse=reuse,
                               custom_getter=model_variable_getter(_RENAME)) as sc:
            layout = check_layout(data_format, layouts)
            inputs = convert.convert_to_tensor(inputs)
            make = functools.partial(cls, filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding,
                                     data_format=layout)
            outputs = _apply_layer(make, inputs, sc, reuse, trainable, normalizer_fn,
                                   dict(kernel_initializer=weights_initializer, kernel_regularizer=weights_regularizer),
                                   (biases_initializer, biases_regularizer), variables_collections)
            return finish(_normalize(outputs, normalizer_fn, normalizer_params), sc, activation_fn, outputs_collections)
    function.__name__ = function.__qualname__ = 'convolution%dd_transpose' % dims
    function.__doc__ = 'A transposed convolution over %d dimensions, `stride` times as large as its inputs.' % dims
    return add_arg_scope(function)


conv2d_transpose = convolution2d_transpose = _transpose_of(2, convolutional.Conv2DTranspose, (DATA_FORMAT_NCHW, DATA_FORMAT_NHWC))
conv3d_transpose = convolution3d_transpose = _transpose_of(3, convolutional.Conv3DTranspose, (DATA_FORMAT_NCDHW, DATA_FORMAT_NDHWC))


@add_arg_scope
def convolution2d_in_plane(inputs, kernel_size, stride=1, padding='SAME', activation_fn=nn.relu, normalizer_fn=None,
                           normalizer_params=None, weights_initializer=initializers.xavier_initializer(), weights_regularizer=None,
                           biases_initializer=init.zeros_initializer(), biases_regularizer=None, reuse=None, variables_collections=None,
                           outputs_collections=None, trainable=True, scope=None):
    """The same filter over each channel by itself."""
    with vs.variable_scope(scope, 'ConvInPlane', [inputs], reuse=reuse) as sc:
        dtype = inputs.dtype.base_dtype
        height, width = utils.two_element_tuple(kernel_size)
        stride_h, stride_w = utils.two_element_tuple(stride)
        channels = utils.last_dimension(inputs.get_shape(), min_rank=4)
        weights = model_variable('weights', shape=[height, width, 1, 1], dtype=dtype, initializer=weights_initializer,
                                 regularizer=weights_regularizer,
                                 collections=utils.get_variable_collections(variables_collections, 'weights'), trainable=trainable)
        outputs = nn.depthwise_conv2d(inputs, array.tile(weights, [1, 1, channels, 1]), [1, stride_h, stride_w, 1], padding)
        if normalizer_fn is not None:
            outputs = _normalize(outputs, normalizer_fn, normalizer_params)
        elif biases_initializer is not None:
            outputs = _add_biases(outputs, channels, dtype, biases_initializer, biases_regularizer, variables_collections, trainable)
        return finish(outputs, sc, activation_fn, outputs_collections)


conv2d_in_plane = convolution2d_in_plane


@add_arg_scope
def separable_convolution2d(inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1, padding='SAME', data_format=DATA_FORMAT_NHWC,
                            rate=1, activation_fn=nn.relu, normalizer_fn=None, normalizer_params=None,
                            weights_initializer=initializers.xavier_initializer(), pointwise_initializer=None, weights_regularizer=None,
                            biases_initializer=init.zeros_initializer(), biases_regularizer=None, reuse=None, variables_collections=None,
                            outputs_collections=None, trainable=True, scope=None):
    """A convolution of each channel by itself, then one that mixes channels (none with num_outputs None)."""
    layout = check_layout(data_format)
    rename = {'bias': 'biases', 'depthwise_kernel': 'depthwise_weights', 'pointwise_kernel': 'pointwise_weights'}
    with vs.variable_scope(scope, 'SeparableConv2d', [inputs], reuse=reuse, custom_getter=model_variable_getter(rename)) as sc:
        inputs = convert.convert_to_tensor(inputs)
        if num_outputs is not None:
            make = functools.partial(convolutional.SeparableConv2D, filters=num_outputs, kernel_size=kernel_size, strides=stride,
                                     padding=padding, data_format=layout, dilation_rate=utils.two_element_tuple(rate),
                                     depth_multiplier=depth_multiplier)
            weights = dict(depthwise_initializer=weights_initializer, depthwise_regularizer=weights_regularizer,
                           pointwise_initializer=weights_initializer if pointwise_initializer is None else pointwise_initializer,
                           pointwise_regularizer=weights_regularizer)
            outputs = _apply_layer(make, inputs, sc, reuse, trainable, normalizer_fn, weights, (biases_initializer, biases_regularizer),
                                   variables_collections)
            return finish(_normalize(outputs, normalizer_fn, normalizer_params), sc, activation_fn, outputs_collections)
        dtype = inputs.dtype.base_dtype
        height, width = utils.two_element_tuple(kernel_size)
        stride_h, stride_w = utils.two_element_tuple(stride)
        channels = utils.channel_dimension(inputs.get_shape(), layout, min_rank=4)
        weights = model_variable('depthwise_weights', shape=[height, width, channels, depth_multiplier], dtype=dtype,
                                 initializer=weights_initializer, regularizer=weights_regularizer, trainable=trainable,
                                 collections=utils.get_variable_collections(variables_collections, 'weights'))
        strides = [1, 1, stride_h, stride_w] if layout == 'channels_first' else [1, stride_h, stride_w, 1]
        outputs = nn.depthwise_conv2d(inputs, weights, strides, padding, rate=utils.two_element_tuple(rate), data_format=data_format)
        if normalizer_fn is not None:
            outputs = _normalize(outputs, normalizer_fn, normalizer_params)
        elif biases_initializer is not None:
            outputs = _add_biases(outputs, depth_multiplier * channels, dtype, biases_initializer, biases_regularizer,
                                  variables_collections, trainable, data_format)
        return finish(outputs, sc, activation_fn, outputs_collections)


separable_conv2d = separable_convolution2d


@add_arg_scope
def bias_add(inputs, activation_fn=None, initializer=init.zeros_initializer(), regularizer=None, reuse=None, variables_collections=None,
             outputs_collections=None, trainable=True, data_format=DATA_FORMAT_NHWC, scope=None):
    """inputs + biases. ValueError for an unknown rank or number of channels, and for NCHW with a rank other than 4."""
    layout = check_layout(data_format)
    with vs.variable_scope(scope, 'BiasAdd', [inputs], reuse=reuse) as sc:
        inputs = convert.convert_to_tensor(inputs)
        shape = inputs.get_shape()
        if shape.ndims is None:
            raise ValueError('Dims of shape must be known but is None')
        if shape.ndims != 4 and layout == 'channels_first':
            raise ValueError('Data format NCHW only supports 4D Tensor')
        size = shape.as_list()[1 if layout == 'channels_first' else -1]
        if size is None:
            raise ValueError('`C` dimension must be known but is None')
        outputs = _add_biases(inputs, size, inputs.dtype.base_dtype, initializer, regularizer, variables_collections, trainable,
                              data_format)
        return finish(outputs, sc, activation_fn, outputs_collections)


# ---- pooling

def _pooling(cls, default, layouts):
    def function(inputs, kernel_size, stride=2, padding='VALID', data_format=layouts[1], outputs_collections=None, scope=None):
        layout = check_layout(data_format, layouts)
        with graph_lib.name_scope(scope, default, [inputs]) as sc:
            inputs = convert.convert_to_tensor(inputs)
            outputs = cls(pool_size=kernel_size, strides=stride, padding=padding, data_format=layout, _scope=sc).apply(inputs)
            return utils.collect_named_outputs(outputs_collections, sc, outputs)
    function.__name__ = function.__qualname__ = default.replace('Pool', '_pool').lower()
    function.__doc__ = cls.__doc__
    return add_arg_scope(function)


avg_pool2d = _pooling(pooling.AveragePooling2D, 'AvgPool2D', (DATA_FORMAT_NCHW, DATA_FORMAT_NHWC))
avg_pool3d = _pooling(pooling.AveragePooling3D, 'AvgPool3D', (DATA_FORMAT_NCDHW, DATA_FORMAT_NDHWC))
max_pool2d = _pooling(pooling.MaxPooling2D, 'MaxPool2D', (DATA_FORMAT_NCHW, DATA_FORMAT_NHWC))
max_pool3d = _pooling(pooling.MaxPooling3D, 'MaxPool3D', (DATA_FORMAT_NCDHW, DATA_FORMAT_NDHWC))


@add_arg_scope
def pool(inputs, kernel_size, pooling_type, padding='VALID', data_format=None, dilation_rate=1, stride=1, outputs_collections=None,
         scope=None):
    """Pooling ("MAX" or "AVG") over one, two or three dimensions. ValueError for a rank that is unknown or below 3."""
    with graph_lib.name_scope(scope, '%s_pool' % pooling_type.lower(), [inputs]) as sc:
        inputs = convert.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError('Rank of inputs must be known')
        if rank < 3:
            raise ValueError('Rank of inputs must be >= 3')
        window, rates, strides = [utils.n_positive_integers(rank - 2, value) for value in (kernel_size, dilation_rate, stride)]
        outputs = nn.pool(input=inputs, window_shape=window, pooling_type=pooling_type, padding=padding, data_format=data_format,
                          dilation_rate=rates, strides=strides, name=sc)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


# ---- dropout, flattening

@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None):
    """In training, keeps elements with probability keep_prob, scaled up by 1 / keep_prob, and zeroes the others."""
    with vs.variable_scope(scope, 'Dropout', [inputs], custom_getter=model_variable_getter()) as sc:
        inputs = convert.convert_to_tensor(inputs)
        layer = core.Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=sc.name, _scope=sc)
        outputs = layer.apply(inputs, training=is_training)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    """[batch, ...] -> [batch, elements]"""
    with graph_lib.name_scope(scope, 'Flatten', [inputs]) as sc:
        inputs = convert.convert_to_tensor(inputs)
        return utils.collect_named_outputs(outputs_collections, sc, core.flatten(inputs))
