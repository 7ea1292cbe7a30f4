"""Layers made of layers, and functions of tensors that layers are used with."""
import functools

from headrace.tf1 import nn
from headrace.tf1.contrib.framework.arg_scope import add_arg_scope
from headrace.tf1.contrib.framework.variables import model_variable
from headrace.tf1.contrib.layers import initializers, utils
from headrace.tf1.contrib.layers.functional import check_layout
from headrace.tf1.framework import array, convert, dtypes, graph as graph_lib, init, math, variable_scope as vs
from headrace.tf1.framework.graph import GraphKeys


def _layer_name(layer, default):
    """What a layer's function is called; that of a functools.partial is its function's."""
    return getattr(layer, '__name__', None) or getattr(getattr(layer, 'func', None), '__name__', default)


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """layer(layer(inputs, ...), ...) and so on, in scopes "<scope>_1", "<scope>_2", ..."""
    scope = kwargs.pop('scope', None)
    with vs.variable_scope(scope, 'Repeat', [inputs]):
        outputs = convert.convert_to_tensor(inputs)
        scope = _layer_name(layer, 'repeat') if scope is None else scope
        for i in range(1, repetitions + 1):
            outputs = layer(outputs, *args, **dict(kwargs, scope='%s_%d' % (scope, i)))
        return outputs


def stack(inputs, layer, stack_args, **kwargs):
    """Layers upon layers, each with its own arguments: stack(x, fully_connected, [32, 64]). ValueError for stack_args that are no list."""
    scope = kwargs.pop('scope', None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError('stack_args need to be a list or tuple')
    with vs.variable_scope(scope, 'Stack', [inputs]):
        outputs = convert.convert_to_tensor(inputs)
        scope = _layer_name(layer, 'stack') if scope is None else scope
        for i, args in enumerate(stack_args, 1):
            args = args if isinstance(args, (list, tuple)) else [args]
            outputs = layer(outputs, *args, **dict(kwargs, scope='%s_%d' % (scope, i)))
        return outputs


@add_arg_scope
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    """Integers as vectors of num_classes numbers."""
    with graph_lib.name_scope(scope, 'OneHotEncoding', [v for v in (labels, num_classes) if hasattr(v, 'graph')]) as sc:
        labels = convert.convert_to_tensor(labels)
        if labels.dtype == dtypes.int32:
            labels = math.to_int64(labels)
        outputs = array.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def softmax(logits, scope=None):
    """tf.nn.softmax over the last dimension of a tensor of any rank above 1."""
    with vs.variable_scope(scope, 'softmax', [logits]):
        classes = utils.last_dimension(logits.get_shape(), min_rank=2)
        predictions = nn.softmax(array.reshape(logits, [-1, classes]))
        predictions = array.reshape(predictions, array.shape(logits))
        predictions.set_shape(logits.get_shape())
        return predictions


@add_arg_scope
def spatial_softmax(features, temperature=None, name=None, variables_collections=None, trainable=True, data_format='NHWC'):
    """Where each channel of images is largest on average: [batch, 2 * channels] coordinates between -1 and 1."""
    with vs.variable_scope(name, 'spatial_softmax'):
        shape, static = array.shape(features), features.shape.as_list()
        if check_layout(data_format) == 'channels_first':
            channels, height, width = static[1], shape[2], shape[3]
        else:
            height, width, channels = shape[1], shape[2], static[3]
        if channels is None:
            raise ValueError('The num_channels dimension of the inputs to `spatial_softmax` should be defined. Found `None`.')
        with graph_lib.name_scope('spatial_softmax_op', 'spatial_softmax_op', [features]):
            pos_x, pos_y = array.meshgrid(math.lin_space(-1., 1., num=height), math.lin_space(-1., 1., num=width), indexing='ij')
            pos_x = array.reshape(pos_x, [height * width])
            pos_y = array.reshape(pos_y, [height * width])
            start = init.ones_initializer() if temperature is None else init.constant_initializer(temperature)
            collections = utils.get_variable_collections(variables_collections, 'temperature') if trainable else None
            temperature = model_variable('temperature', shape=(), dtype=dtypes.float32, initializer=start, collections=collections,
                                         trainable=trainable)
            if data_format == 'NHWC':
                features = array.transpose(features, [0, 3, 1, 2])
            attention = nn.softmax(array.reshape(features, [-1, height * width]) / temperature)
            expected_x = math.reduce_sum(pos_x * attention, [1], keepdims=True)
            expected_y = math.reduce_sum(pos_y * attention, [1], keepdims=True)
            points = array.reshape(array.concat([expected_x, expected_y], 1), [-1, channels * 2])
            points.set_shape([None, channels * 2])
    return points


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """Vectors along dimension `dim`, scaled to length 1. ValueError for a dimension that is not there."""
    with vs.variable_scope(scope, 'UnitNorm', [inputs]):
        rank = inputs.get_shape().ndims
        if not rank:
            raise ValueError('The input rank must be known.')
        if not 0 <= dim < rank:
            raise ValueError('dim must be positive but smaller than the input rank.')
        lengths = math.sqrt(epsilon + math.reduce_sum(math.square(inputs), dim, True))
        multiples = [array.ones([dim], dtypes.int32)] if dim > 0 else []
        multiples.append(array.strided_slice(array.shape(inputs), [dim], [dim + 1]))
        if dim < rank - 1:
            multiples.append(array.ones([rank - 1 - dim], dtypes.int32))
        return math.div(inputs, array.tile(lengths, array.concat(multiples, 0)))


@add_arg_scope
def maxout(inputs, num_units, axis=-1, scope=None):
    """The largest of each group of channels: num_units of them. ValueError unless num_units divides the channels."""
    with vs.variable_scope(scope, 'MaxOut', [inputs]):
        inputs = convert.convert_to_tensor(inputs)
        shape = inputs.get_shape().as_list()
        channels = shape[axis]
        if channels % num_units:
            raise ValueError('number of features({}) is not a multiple of num_units({})'.format(channels, num_units))
        shape[axis] = num_units
        shape = [array.shape(inputs)[i] if size is None else size for i, size in enumerate(shape)] + [channels // num_units]
        return math.reduce_max(array.reshape(inputs, shape), -1, keepdims=False)


@add_arg_scope
def images_to_sequence(inputs, data_format='NHWC', outputs_collections=None, scope=None):
    """Images [batch, height, width, depth] as sequences [width, batch * height, depth]."""
    layout = check_layout(data_format)
    with graph_lib.name_scope(scope, 'ImagesToSequence', [inputs]) as sc:
        inputs = convert.convert_to_tensor(inputs)
        if layout == 'channels_first':
            inputs = array.transpose(inputs, [0, 2, 3, 1])
        _, _, width, depth = inputs.get_shape().as_list()
        shape = array.shape(inputs)
        batch, height = shape[0], shape[1]
        outputs = array.reshape(array.transpose(inputs, [2, 0, 1, 3]), [width, batch * height, depth])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def sequence_to_images(inputs, height, output_data_format='channels_last', outputs_collections=None, scope=None):
    """The reverse of images_to_sequence."""
    with graph_lib.name_scope(scope, 'SequenceToImages', [inputs]) as sc:
        inputs = convert.convert_to_tensor(inputs)
        width, batches, depth = inputs.get_shape().as_list()
        batches = -1 if batches is None else batches // height
        images = array.reshape(inputs, [width, batches, height, depth])
        outputs = array.transpose(images, [1, 3, 2, 0] if output_data_format == 'channels_first' else [1, 2, 0, 3])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


# ---- embeddings

def embed_sequence(ids, vocab_size=None, embed_dim=None, unique=False, initializer=None, regularizer=None, trainable=True, scope=None,
                   reuse=None):
    """Rows of a table of embeddings, [vocab_size, embed_dim], for ids. ValueError without the sizes of a new table."""
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError('Must specify vocab size and embedding dimension when not reusing. Got vocab_size=%s and embed_dim=%s' % (
            vocab_size, embed_dim))
    with vs.variable_scope(scope, 'EmbedSequence', [ids], reuse=reuse):
        shape = None if embed_dim is None or reuse and vocab_size is None else [vocab_size, embed_dim]
        table = model_variable('embeddings', shape=shape, initializer=initializer, regularizer=regularizer, trainable=trainable)
        return embedding_lookup_unique(table, ids) if unique else nn.embedding_lookup(table, ids)


def embedding_lookup_unique(params, ids, partition_strategy='mod', name=None):
    """embedding_lookup that looks each id up once."""
    with graph_lib.name_scope(name, 'EmbeddingLookupUnique', [params, ids]):
        ids = convert.convert_to_tensor(ids)
        shape = array.shape(ids)
        unique_ids, where = array.unique(array.reshape(ids, math.reduce_prod(shape, keepdims=True)))
        unique_rows = nn.embedding_lookup(params, unique_ids, partition_strategy)
        rows = array.gather(unique_rows, where)
        rows = array.reshape(rows, array.concat([shape, array.slice(array.shape(unique_rows), [1], [-1])], 0))
        rows.set_shape(ids.get_shape().concatenate(unique_rows.get_shape()[1:]))
        return rows


# ---- layers as they were before model variables

def legacy_fully_connected(x, num_output_units, activation_fn=None, weight_init=initializers.xavier_initializer(),
                           bias_init=init.zeros_initializer(), name=None, weight_collections=(GraphKeys.WEIGHTS,),
                           bias_collections=(GraphKeys.BIASES,), output_collections=(GraphKeys.ACTIVATIONS,), trainable=True,
                           weight_regularizer=None, bias_regularizer=None):
    """activation_fn(x . weights + bias) over the last dimension. ValueError for a rank below 2 or an unknown last dimension."""
    with vs.variable_scope(name, 'fully_connected', [x]):
        x = convert.convert_to_tensor(x)
        shape = x.get_shape()
        if shape.ndims is None:
            raise ValueError('dims of x must be known but is None')
        if shape.ndims < 2:
            raise ValueError('rank of x must be at least 2 not: %d' % shape.ndims)
        units, dtype = shape.as_list()[-1], x.dtype.base_dtype
        if units is None:
            raise ValueError('last dimension of x must be known but is None')

        def variable(last, size, initializer, collections, regularizer):
            return vs.get_variable(last, shape=size, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
                                   collections=list(dict.fromkeys(list(collections or []) + [GraphKeys.GLOBAL_VARIABLES])))
        weights = variable('weights', [units, num_output_units], weight_init, weight_collections, weight_regularizer)
        y = math.matmul(x if shape.ndims <= 2 else array.reshape(x, [-1, units]), weights)
        if bias_init is not None:
            y = nn.bias_add(y, variable('bias', [num_output_units], bias_init, bias_collections, bias_regularizer))
        if shape.ndims > 2:
            sizes = array.unstack(array.shape(x))
            sizes[-1] = num_output_units
            y = array.reshape(y, array.stack(sizes))
            y.set_shape(shape.as_list()[:-1] + [num_output_units])
        if activation_fn is not None:
            y = activation_fn(y)
        graph_lib.add_to_collections(list(output_collections or []) + [GraphKeys.ACTIVATIONS], y)
        return y


legacy_relu = functools.partial(legacy_fully_connected, activation_fn=nn.relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
