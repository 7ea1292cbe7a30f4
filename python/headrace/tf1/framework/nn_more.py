"""Ops of tf.nn that few programs use: morphology, fractional pools, gradients of convolutions by name, embeddings of sparse ids."""
from headrace.tf1 import nn
from headrace.tf1.framework import array, dtypes, math, shapes, sparse
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.framework.variables import PartitionedVariable


def _graphs(*values):
    return [v for v in values if hasattr(v, 'graph')]


# ---- morphology

def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None,  # pylint: disable=redefined-builtin
               dilations=None):
    """The largest of each window after adding the filter [height, width, depth]; strides and rates as [1, height, width, 1]."""
    return apply_op('Dilation2D', input, filters if filter is None else filter, strides=strides,
                    rates=dilations if rates is None else rates, padding=padding, name=name)


def erosion2d(value, kernel, strides, rates, padding, name=None):
    """The smallest of each window after subtracting the mirrored kernel."""
    with name_scope(name, 'erosion2d', _graphs(value, kernel)) as scope:
        negative = math.negative(value)
        mirrored = array.reverse(kernel, [0, 1])
        return math.negative(apply_op('Dilation2D', negative, mirrored, strides=strides, rates=rates, padding=padding, name=scope))


# ---- pools

def _fractional(op):
    def pool(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None):
        return apply_op(op, value, pooling_ratio=pooling_ratio, pseudo_random=pseudo_random, overlapping=overlapping,
                        deterministic=deterministic, seed=seed, seed2=seed2, name=name)
    pool.__doc__ = '(pooled values, row and column borders of the windows): windows of sizes that differ by 1, at random.'
    return pool


fractional_max_pool, fractional_avg_pool = _fractional('FractionalMaxPool'), _fractional('FractionalAvgPool')


def _sequence(value, n, channel, name):
    """A window or stride of each dimension, of one number or one for each spatial dimension."""
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    if len(value) == n + 2:
        return value
    if len(value) == 1:
        value = value * n
    elif len(value) != n:
        raise ValueError('%s should be of length 1, %d or %d but was %d' % (name, n, n + 2, len(value)))
    return [1, 1] + value if channel == 1 else [1] + value + [1]


def _pool_v2(op):
    def pool(input, ksize, strides, padding, data_format=None, name=None):  # pylint: disable=redefined-builtin
        rank = input.shape.rank
        if rank is None and data_format is None:
            raise ValueError('The input must have a rank or a data format must be given.')
        n = (len(data_format) if rank is None else rank) - 2
        if not 1 <= n <= 3:
            raise ValueError('Input tensor must be of rank 3, 4 or 5 but was %d.' % (n + 2))
        channel = 1 if data_format is not None and data_format.startswith('NC') else n + 1
        ksize, strides = _sequence(ksize, n, channel, 'ksize'), _sequence(strides, n, channel, 'strides')
        if n == 1:
            made = nn.max_pool1d if op == 'MaxPool' else nn.avg_pool1d
            return made(input, ksize, strides, padding, data_format or 'NWC', name)
        return apply_op(op + ('3D' if n == 3 else ''), input, ksize=ksize, strides=strides, padding=padding, data_format=data_format,
                        name=name)
    return pool


max_pool_v2, avg_pool_v2 = _pool_v2('MaxPool'), _pool_v2('AvgPool')


# ---- gradients of convolutions

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


# ---- embeddings

def _pruned(ids, weights, is_valid):
    kept = sparse.sparse_retain(ids, is_valid)
    return kept, None if weights is None else sparse.sparse_retain(weights, is_valid)


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None, combiner='mean', default_id=None, name=None,
                                 partition_strategy='div', max_norm=None):
    """embedding_lookup_sparse that leaves out ids below 0 and weights up to 0; rows without ids get default_id's embedding, or zeros."""
    if embedding_weights is None:
        raise ValueError('Missing embedding_weights %s.' % embedding_weights)
    tables = list(embedding_weights) if isinstance(embedding_weights, (list, PartitionedVariable)) else [embedding_weights]
    if not tables:
        raise ValueError('Missing embedding_weights %s.' % embedding_weights)
    dtype = None if sparse_weights is None else sparse_weights.dtype
    tables = [convert_to_tensor(table, dtype=dtype) for table in tables]
    with name_scope(name, 'embedding_lookup', _graphs(sparse_ids, *tables)) as scope:
        shape = sparse_ids.dense_shape
        known = shape.shape[0].value
        rank = array.size(shape) if known is None else known
        rows = math.reduce_prod(array.slice(shape, [0], [rank - 1]))
        ids = sparse.reshape_unknown(sparse_ids, [rows, array.gather(shape, rank - 1)])
        weights = None if sparse_weights is None else sparse.SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
        is_valid = math.greater_equal(ids.values, 0)
        if weights is not None:
            is_valid = math.logical_and(is_valid, array.ones_like(weights.values, dtype=dtypes.bool))
        ids, weights = _pruned(ids, weights, is_valid)
        if combiner != 'sum' and weights is not None:
            ids, weights = _pruned(ids, weights, math.greater(weights.values, 0))
        ids, is_empty = sparse.sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse.sparse_fill_empty_rows(weights, 1.0)
        result = nn.embedding_lookup_sparse(tables, ids, weights, combiner=combiner, partition_strategy=partition_strategy,
                                            name=None if default_id is None else scope, max_norm=max_norm)
        if default_id is None:
            is_empty = array.tile(array.reshape(is_empty, [-1, 1]), array.stack([1, array.shape(result)[1]]))
            result = array.where(is_empty, array.zeros_like(result), result, name=scope)
        outer = array.slice(math.cast(shape, dtypes.int32), [0], [rank - 1])
        final = array.reshape(result, array.concat([outer, array.slice(array.shape(result), [1], [-1])], 0))
        final.set_shape(shapes.TensorShape([None] * (known - 1) if known is not None else None).concatenate(result.shape[1:]))
        return final
