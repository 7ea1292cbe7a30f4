"""tf.nn: activations, losses of logits, convolutions, pooling, normalisation, embeddings."""
import numbers

from headrace.tf1.framework import array, convert, dilation, dtypes, graph as graph_lib, math, random, shapes
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.framework.math import log_sigmoid, sigmoid, tanh  # noqa: F401
from headrace.tf1.framework.variables import PartitionedVariable


# ---- activations

def relu(features, name=None):
    """max(x, 0)"""
    return apply_op('Relu', features, name=name)


def relu6(features, name=None):
    with name_scope(name, 'Relu6', [features]) as scope:
        return apply_op('Relu6', convert_to_tensor(features, name='features'), name=scope)


def elu(features, name=None):
    return apply_op('Elu', features, name=name)


def selu(features, name=None):
    return apply_op('Selu', features, name=name)


def softplus(features, name=None):
    return apply_op('Softplus', features, name=name)


def softsign(features, name=None):
    return apply_op('Softsign', features, name=name)


def leaky_relu(features, alpha=0.2, name=None):
    with name_scope(name, 'LeakyRelu', [features]) as scope:
        features = convert_to_tensor(features, name='features')
        if features.dtype.is_integer:
            features = math.cast(features, dtypes.float32)
        if isinstance(alpha, numbers.Real):
            return apply_op('LeakyRelu', features, alpha=alpha, name=scope)
        return math.maximum(alpha * features, features, name=scope)


def crelu(features, name=None, axis=-1):
    with name_scope(name, 'CRelu', [features]) as scope:
        features = convert_to_tensor(features, name='features')
        c = array.concat([features, -features], axis, name=scope)
        return relu(c)


def swish(features):
    features = convert_to_tensor(features, name='features')
    return features * sigmoid(features)


def relu_layer(x, weights, biases, name=None):
    with name_scope(name, 'relu_layer', [x, weights, biases]) as scope:
        x, weights = convert_to_tensor(x, name='x'), convert_to_tensor(weights, name='weights')
        biases = convert_to_tensor(biases, name='biases')
        return relu(bias_add(math.matmul(x, weights), biases), name=scope)


def xw_plus_b(x, weights, biases, name=None):
    with name_scope(name, 'xw_plus_b', [x, weights, biases]) as scope:
        x, weights = convert_to_tensor(x, name='x'), convert_to_tensor(weights, name='weights')
        biases = convert_to_tensor(biases, name='biases')
        return bias_add(math.matmul(x, weights), biases, name=scope)


def bias_add(value, bias, data_format=None, name=None):
    """Adds a vector to the last dimension (the second with data_format NCHW)."""
    with name_scope(name, 'BiasAdd', [value, bias]) as scope:
        if data_format is not None:
            data_format = 'NCHW' if data_format.startswith('NC') else 'NHWC' if data_format.startswith('N') else data_format
            if data_format not in ('NCHW', 'NHWC'):
                raise ValueError('data_format must be of the form `N...C` or `NC...`')
        value = convert_to_tensor(value, name='input')
        bias = convert_to_tensor(bias, dtype=value.dtype, name='bias')
        return apply_op('BiasAdd', value, bias, data_format=data_format or 'NHWC', name=scope)


def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Zeroes elements at random with probability 1 - keep_prob, and scales the others by 1 / keep_prob."""
    if keep_prob is not None:
        if rate is not None:
            raise ValueError("Cannot specify both 'rate' and 'keep_prob'.")
        rate = 1. - keep_prob
    if rate is None:
        raise ValueError('You must provide a rate to dropout.')
    with name_scope(name, 'dropout', [x]):
        x = convert_to_tensor(x, name='x')
        if not x.dtype.is_floating:
            raise ValueError('x has to be a floating point tensor since it\'s going to be scaled. Got a %s tensor instead.' % x.dtype)
        if isinstance(rate, numbers.Real):
            if not 0 <= rate < 1:
                raise ValueError('rate must be a scalar tensor or a float in the range [0, 1), got %g' % rate)
            if rate == 0:
                return x
        rate = convert_to_tensor(rate, dtype=x.dtype, name='rate')
        rate.shape.assert_has_rank(0)
        known = convert.constant_value(rate)
        if known is not None and known == 0:
            return x
        noise_shape = _noise_shape(x, noise_shape)
        numbers_ = random.random_uniform(noise_shape, seed=seed, dtype=x.dtype)
        keep = 1 - rate
        scale = 1 / keep
        mask = numbers_ >= rate
        result = x * scale * math.cast(mask, x.dtype)
        result.set_shape(x.shape)
        return result


def _noise_shape(x, noise_shape):
    if noise_shape is None:
        return array.shape(x)
    try:
        given = shapes.as_shape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    if x.shape.rank is not None and given.rank == x.shape.rank:
        return shapes.TensorShape([a if b is None else b for a, b in zip(x.shape.as_list(), given.as_list())])
    return noise_shape


# ---- softmax and losses of logits

def _softmax(op, logits, dim, name):
    logits = convert_to_tensor(logits)
    rank = logits.shape.rank
    last = dim == -1 or (rank is not None and dim == rank - 1)
    if rank is not None and not -rank <= dim < rank and rank:
        raise ValueError('Dimension (%d) must be in the range [%d, %d) where %d is the number of dimensions in the input.' % (
            dim, -rank, rank, rank))
    if last:
        return apply_op(op, logits, name=name)
    if rank is None:
        raise ValueError('softmax over dimension %d needs the rank of %s' % (dim, logits))
    perm = list(range(rank))
    perm[dim % rank], perm[-1] = perm[-1], perm[dim % rank]
    with name_scope(name, op, [logits]) as scope:
        moved = apply_op(op, array.transpose(logits, perm))
        return array.transpose(moved, perm, name=scope)


def _dim(axis, dim):
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'.")
        return dim
    return -1 if axis is None else axis


def softmax(logits, axis=None, name=None, dim=None):
    """exp(logits), scaled to sum 1 along `axis` (default the last)."""
    return _softmax('Softmax', logits, _dim(axis, dim), name)


def log_softmax(logits, axis=None, name=None, dim=None):
    return _softmax('LogSoftmax', logits, _dim(axis, dim), name)


def _positional(what, sentinel, labels, logits):
    if sentinel is not None:
        raise ValueError('Only call `%s` with named arguments (labels=..., logits=..., ...)' % what)
    if labels is None or logits is None:
        raise ValueError('Both labels and logits must be provided.')


def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
    """Cross entropy of distributions `labels` and softmax(logits), one number a row; labels get no gradient."""
    _positional('softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    dim = dim if axis is None else axis
    with name_scope(name, 'softmax_cross_entropy_with_logits_sg', [logits, labels]) as scope:
        labels = array.stop_gradient(labels, name='labels_stop_gradient')
        return softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=dim, name=scope)


def softmax_cross_entropy_with_logits_v2(_sentinel=None, labels=None, logits=None, axis=None, name=None, dim=None):
    """The same; a gradient flows into the labels, too."""
    _positional('softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    axis = _dim(axis, dim)
    with name_scope(name, 'softmax_cross_entropy_with_logits', [logits, labels]) as scope:
        logits, labels = convert_to_tensor(logits, name='logits'), convert_to_tensor(labels, name='labels')
        half = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = math.cast(logits, dtypes.float32) if half else logits
        labels = math.cast(labels, precise.dtype)
        input_rank = array.rank(precise)
        static = logits.shape
        if axis != -1:
            perm = _swap(static.rank, axis)
            precise, labels = array.transpose(precise, perm), array.transpose(labels, perm)
        input_shape = array.shape(precise)
        precise, labels = _flatten_outer_dims(precise), _flatten_outer_dims(labels)
        cost = apply_op('SoftmaxCrossEntropyWithLogits', precise, labels, name=scope)[0]
        output_shape = array.slice(input_shape, [0], [math.subtract(input_rank, 1)])
        cost = array.reshape(cost, output_shape)
        if static.rank is not None:
            dims = static.as_list()
            del dims[axis]
            cost.set_shape(dims)
        return math.cast(cost, logits.dtype) if half else cost


def _swap(rank, dim):
    perm = list(range(rank))
    perm.append(perm.pop(dim % rank))
    return perm


def _flatten_outer_dims(logits):
    rank = array.rank(logits)
    last = array.slice(array.shape(logits), [math.subtract(rank, 1)], [1])
    output = array.reshape(logits, array.concat([[-1], last], 0))
    dims = logits.shape
    if dims.rank is not None:
        known = dims.as_list()
        if None not in known[:-1]:
            product = 1
            for d in known[:-1]:
                product *= d
            output.set_shape([product, known[-1]])
    return output


def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """Cross entropy of the classes `labels` (integers) and softmax(logits)."""
    _positional('sparse_softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    with name_scope(name, 'SparseSoftmaxCrossEntropyWithLogits', [labels, logits]):
        labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
        half = logits.dtype is dtypes.float16
        precise = math.cast(logits, dtypes.float32) if half else logits
        static = labels.shape
        labels_shape = array.shape(labels)
        defined = static.is_fully_defined() and logits.shape[:-1].is_fully_defined()
        if logits.shape.rank == 0:
            raise ValueError('Logits cannot be scalars - received shape %s.' % logits.shape)
        if logits.shape.rank is not None and static.rank not in (None, logits.shape.rank - 1):
            raise ValueError('Rank mismatch: Rank of labels (received %s) should equal rank of logits minus 1 (received %s).' % (
                static.rank, logits.shape.rank))
        if defined and static != logits.shape[:-1]:
            raise ValueError('Shape mismatch: The shape of labels (received %s) should equal the shape of logits except for the last '
                             'dimension (received %s).' % (static, logits.shape))
        if logits.shape.rank == 2:
            cost = apply_op('SparseSoftmaxCrossEntropyWithLogits', precise, labels, name=name)[0]
            return math.cast(cost, dtypes.float16) if half else cost
        checks = []
        if not defined:
            from headrace.tf1.framework import checks as check_lib
            checks.append(check_lib.assert_equal(array.shape(labels), array.shape(logits)[:-1]))
        with graph_lib.control_dependencies(checks):
            classes = array.shape(logits)[array.rank(logits) - 1]
            precise = array.reshape(precise, [-1, classes])
            labels = array.reshape(labels, [-1])
            cost = apply_op('SparseSoftmaxCrossEntropyWithLogits', precise, labels, name=name)[0]
            cost = array.reshape(cost, labels_shape)
            cost.set_shape(static)
            return math.cast(cost, dtypes.float16) if half else cost


def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """Cross entropy of independent yes/no labels and sigmoid(logits), element by element."""
    _positional('sigmoid_cross_entropy_with_logits', _sentinel, labels, logits)
    with name_scope(name, 'logistic_loss', [logits, labels]) as scope:
        logits, labels = convert_to_tensor(logits, name='logits'), convert_to_tensor(labels, name='labels')
        try:
            labels.shape.merge_with(logits.shape)
        except ValueError:
            raise ValueError('logits and labels must have the same shape (%s vs %s)' % (logits.shape, labels.shape))
        zeros = array.zeros_like(logits, dtype=logits.dtype)
        positive = logits >= zeros
        relu_logits = array.where(positive, logits, zeros)
        negative = array.where(positive, -logits, logits)
        return math.add(relu_logits - logits * labels, math.log1p(math.exp(negative)), name=scope)


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None, targets=None):
    labels = targets if labels is None else labels
    with name_scope(name, 'logistic_loss', [logits, labels]) as scope:
        logits, labels = convert_to_tensor(logits, name='logits'), convert_to_tensor(labels, name='labels')
        weight = 1 + (pos_weight - 1) * labels
        return math.add((1 - labels) * logits, weight * (math.log1p(math.exp(-math.abs(logits))) + relu(-logits)), name=scope)


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    with name_scope(name, 'log_poisson_loss', [log_input, targets]):
        log_input, targets = convert_to_tensor(log_input, name='log_input'), convert_to_tensor(targets, name='targets')
        result = math.exp(log_input) - log_input * targets
        if compute_full_loss:
            half = convert.constant(0.5, dtype=targets.dtype)
            two_pi = convert.constant(6.283185307179586, dtype=targets.dtype)
            stirling = targets * math.log(targets) - targets + half * math.log(two_pi * targets)
            zeros, ones = array.zeros_like(targets), array.ones_like(targets)
            keep = math.logical_and(targets >= zeros, targets <= ones)
            result += array.where(keep, zeros, stirling)
        return result


def l2_loss(t, name=None):
    """sum(t^2) / 2"""
    return apply_op('L2Loss', t, name=name)


def zero_fraction(value, name=None):
    """How much of the elements is zero."""
    from headrace.tf1.framework import control_flow
    with name_scope(name, 'zero_fraction', [value]):
        value = convert_to_tensor(value, name='value')
        size = array.size(value, out_type=dtypes.int64)

        def count(dtype):
            with name_scope(None, 'count_nonzero', [value]):
                zero = array.zeros([], dtype=value.dtype)
                return math.reduce_sum(math.cast(math.not_equal(value, zero), dtype=dtype), name='nonzero_count')
        others = control_flow.cond(size <= dtypes.int32.max, lambda: math.cast(count(dtypes.int32), dtypes.int64),
                                   lambda: count(dtypes.int64))
        with name_scope('counts_to_fraction'):
            zeros = math.cast(size - others, dtypes.float32)
            fraction = zeros / math.cast(size, dtypes.float32)
        return array.identity(fraction, name='fraction')


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    axis = dim if axis is None else axis
    with name_scope(name, 'l2_normalize', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        inverse = math.rsqrt(math.maximum(math.reduce_sum(math.square(x), axis, keepdims=True), epsilon))
        return math.multiply(x, inverse, name=scope)


def in_top_k(predictions, targets, k, name=None):
    with name_scope(name, 'in_top_k'):
        return apply_op('InTopKV2', predictions, targets, k, name=None)


def top_k(input, k=1, sorted=True, name=None):  # pylint: disable=redefined-builtin
    return apply_op('TopKV2', input, k, sorted=sorted, name=name)


# ---- convolutions

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


# ---- pooling

def _pool(op, value, ksize, strides, padding, data_format, name, n=2):
    default = 'NHWC' if n == 2 else 'NDHWC'
    data_format = data_format or default
    channel = 1 if data_format.startswith('NC') else n + 1
    with name_scope(name, op, [value]) as scope:
        value = convert_to_tensor(value, name='input' if n == 2 and op == 'MaxPool' else 'value')
        return apply_op(op, value, ksize=_list(ksize, n, channel, 'ksize'), strides=_list(strides, n, channel, 'strides'), padding=padding,
                        data_format=data_format, name=scope)


def max_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):  # pylint: disable=redefined-builtin
    """The largest of each window; ksize and strides as [1, height, width, 1]."""
    return _pool('MaxPool', input if value is None else value, ksize, strides, padding, data_format, name)


def avg_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):  # pylint: disable=redefined-builtin
    return _pool('AvgPool', input if value is None else value, ksize, strides, padding, data_format, name)


max_pool2d, avg_pool2d = max_pool, avg_pool


def max_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):  # pylint: disable=redefined-builtin
    return _pool('MaxPool3D', input, ksize, strides, padding, data_format, name, 3)


def avg_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):  # pylint: disable=redefined-builtin
    return _pool('AvgPool3D', input, ksize, strides, padding, data_format, name, 3)


def _pool1d(op, name_, input, ksize, strides, padding, data_format, name):  # pylint: disable=redefined-builtin
    with name_scope(name, name_, [input]) as scope:
        channel = 1 if (data_format or '').startswith('NC') else 2
        ksize, strides = [1] + _list(ksize, 1, channel, 'ksize'), [1] + _list(strides, 1, channel, 'strides')
        axis = 2 if channel == 1 else 1
        layout = 'NCHW' if channel == 1 else 'NHWC'
        if channel == 1:
            ksize, strides = [1, 1] + [1, ksize[-1]], [1, 1] + [1, strides[-1]]
        else:
            ksize, strides = [1, 1, ksize[2], 1], [1, 1, strides[2], 1]
        wide = array.expand_dims(input, axis)
        result = apply_op(op, wide, ksize=ksize, strides=strides, padding=padding, data_format=layout)
        return array.squeeze(result, axis, name=scope)


def max_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):  # pylint: disable=redefined-builtin
    return _pool1d('MaxPool', 'MaxPool1d', input, ksize, strides, padding, data_format, name)


def avg_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):  # pylint: disable=redefined-builtin
    return _pool1d('AvgPool', 'AvgPool1D', input, ksize, strides, padding, data_format, name)


def max_pool_with_argmax(input, ksize, strides, padding, data_format='NHWC', Targmax=None, name=None, output_dtype=None,
                         include_batch_in_index=False):  # pylint: disable=redefined-builtin,invalid-name
    return apply_op('MaxPoolWithArgmax', input, ksize=ksize, strides=strides, padding=padding, Targmax=Targmax or output_dtype or dtypes.int64,
                    include_batch_in_index=include_batch_in_index, name=name)


def pool(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None, dilations=None):
    """Pooling of 1, 2 or 3 spatial dimensions, "MAX" or "AVG"; with dilation_rate the elements of a window have gaps between them."""
    n = len(window_shape)  # pylint: disable=redefined-builtin
    functions = {('MAX', 1): max_pool, ('AVG', 1): avg_pool, ('MAX', 2): max_pool, ('AVG', 2): avg_pool, ('MAX', 3): max_pool3d,
                 ('AVG', 3): avg_pool3d}
    with name_scope(name, '%s_pool' % pooling_type.lower(), [input]) as scope:
        if (pooling_type, n) not in functions:
            raise ValueError('%d-D %s pooling is not supported.' % (n, pooling_type))
        input = convert_to_tensor(input, name='input')
        strides, rate = _rates(strides, n), _rates(dilations if dilation_rate is None else dilation_rate, n)
        if any(s > 1 for s in strides) and any(r > 1 for r in rate):
            raise ValueError('strides > 1 not supported in conjunction with dilation_rate > 1')
        if padding == 'SAME' and any(r > 1 for r in rate):
            raise ValueError('pooling with SAME padding is not implemented for dilation_rate > 1')
        if any(s > w for s, w in zip(strides, window_shape)):
            raise ValueError('strides > window_shape not supported due to inconsistency between CPU and GPU implementations')
        first = _first_spatial(data_format)
        window, steps = [[1] * first + list(v) + [1] * (2 - first) for v in (window_shape, strides)]
        layout = data_format or {1: 'NWC', 2: 'NHWC', 3: 'NDHWC'}[n]
        if n == 1:
            layout, window, steps = 'NHWC' if first == 1 else 'NCHW', [1] + window, [1] + steps

        def plain(inputs, inner_padding):
            inputs = array.expand_dims(inputs, first) if n == 1 else inputs
            result = functions[pooling_type, n](inputs, window, steps, inner_padding, data_format=layout, name=scope)
            return array.squeeze(result, [first]) if n == 1 else result
        return dilation.dilated(input.shape, rate, padding, plain, window_shape, first)(input)


# ---- normalisation

def lrn(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):  # pylint: disable=redefined-builtin
    return apply_op('LRN', input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name)


local_response_normalization = lrn


def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """(mean, variance) over the axes."""
    keep = bool(keep_dims if keepdims is None else keepdims)
    with name_scope(name, 'moments', [x]):
        y = math.cast(x, dtypes.float32) if x.dtype is dtypes.float16 else x
        mean = math.reduce_mean(y, axes, keepdims=True, name='mean')
        variance = math.reduce_mean(math.squared_difference(y, array.stop_gradient(mean)), axes, keepdims=True, name='variance')
        if not keep:
            mean, variance = array.squeeze(mean, axes), array.squeeze(variance, axes)
        if x.dtype is dtypes.float16:
            return math.cast(mean, dtypes.float16), math.cast(variance, dtypes.float16)
        return mean, variance


def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    keep = bool(keep_dims if keepdims is None else keepdims)
    with name_scope(name, 'weighted_moments', [x, frequency_weights]):
        x = convert_to_tensor(x, name='x')
        weights = math.cast(convert_to_tensor(frequency_weights, name='frequency_weights'), x.dtype)
        weighted = math.reduce_sum(weights * x, axes, name='weighted_input_sum', keepdims=True)
        total = math.reduce_sum(weights + array.zeros_like(x), axes, name='sum_of_weights', keepdims=True)
        divisor = math.reciprocal(total, name='inv_weight_sum')
        mean = math.multiply(weighted, divisor)
        distance = math.reduce_sum(weights * math.squared_difference(x, mean), axes, name='weighted_distsq', keepdims=True)
        variance = math.multiply(distance, divisor)
        if not keep:
            mean, variance = array.squeeze(mean, axes), array.squeeze(variance, axes)
        return mean, variance


def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    keep = bool(keep_dims if keepdims is None else keepdims)
    axes = list(set(axes))
    with name_scope(name, 'sufficient_statistics', [x]):
        x = convert_to_tensor(x, name='x')
        if x.shape.is_fully_defined():
            count = 1
            for d in axes:
                count *= x.shape.as_list()[d]
            count = convert.constant(count, dtype=x.dtype)
        else:
            count = math.cast(math.reduce_prod(array.gather(array.shape(x), axes)), x.dtype)
        first, second = (x, math.square(x)) if shift is None else (math.subtract(x, shift), math.squared_difference(x, shift))
        return (count, math.reduce_sum(first, axes, keepdims=keep, name='mean_ss'),
                math.reduce_sum(second, axes, keepdims=keep, name='var_ss'), shift)


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    with name_scope(name, 'normalize', [counts, mean_ss, variance_ss]):
        divisor = math.reciprocal(counts, name='divisor')
        if shift is not None:
            shifted = math.multiply(mean_ss, divisor, name='shifted_mean')
            mean = math.add(shifted, shift, name='mean')
        else:
            shifted = mean = math.multiply(mean_ss, divisor, name='mean')
        return mean, math.subtract(math.multiply(variance_ss, divisor), math.square(shifted), name='variance')


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """(x - mean) / sqrt(variance + epsilon) * scale + offset"""
    with name_scope(name, 'batchnorm', [v for v in (x, mean, variance, scale, offset) if v is not None]):
        inverse = math.rsqrt(variance + variance_epsilon)
        if scale is not None:
            inverse = inverse * scale
        return x * math.cast(inverse, x.dtype) + math.cast(offset - mean * inverse if offset is not None else -mean * inverse, x.dtype)


def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format='NHWC', is_training=True, name=None):
    """(y, batch mean, batch variance)"""
    x, scale = convert_to_tensor(x, name='input'), convert_to_tensor(scale, name='scale')
    offset = convert_to_tensor(offset, name='offset')
    if is_training and (mean is not None or variance is not None):
        raise ValueError("Both 'mean' and 'variance' must be None if is_training is True.")
    if not is_training and (mean is None or variance is None):
        raise ValueError("Both 'mean' and 'variance' must be given if is_training is False.")
    mean = convert.constant([]) if mean is None else mean
    variance = convert.constant([]) if variance is None else variance
    # Versions after V1 have more outputs; what TensorFlow 1.4 made is understood everywhere.
    op = 'FusedBatchNorm' if x.dtype is dtypes.float32 else 'FusedBatchNormV2'
    result = apply_op(op, x, scale, offset, mean, variance, epsilon=max(epsilon, 1.001e-5), data_format=data_format,
                      is_training=is_training, name=name)
    return result[0], result[1], result[2]


def batch_norm_with_global_normalization(t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None,
                                         scale_after_normalization=None, name=None, input=None, mean=None, variance=None):
    t, m, v = input if t is None else t, mean if m is None else m, variance if v is None else v  # pylint: disable=redefined-builtin
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


# ---- embeddings and sampled losses

def embedding_lookup(params, ids, partition_strategy='mod', name=None, validate_indices=True, max_norm=None):
    """Rows `ids` of one table, or of a table kept in parts."""
    return _lookup(params, ids, partition_strategy, name, max_norm)


def _clip_rows(result, ids, max_norm):
    if max_norm is None:
        return result
    ids_rank, rank = ids.shape.rank, result.shape.rank
    return math.clip_by_norm(result, max_norm, axes=list(range(ids_rank, rank)) if rank is not None and ids_rank is not None else
                             math.range(array.rank(ids), array.rank(result)))


def _lookup(params, ids, strategy, name, max_norm):
    if params is None:
        raise ValueError('params must be specified')
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError('Need at least one param')
    if isinstance(params, PartitionedVariable):
        params = list(params)
    params = list(params) if isinstance(params, (list, tuple)) else [params]
    with name_scope(name, 'embedding_lookup', [p for p in params if hasattr(p, 'graph')] + [ids]) as scope:
        params = [p if hasattr(p, 'sparse_read') else convert_to_tensor(p, name='params_%d' % i) for i, p in enumerate(params)]
        ids = convert_to_tensor(ids, name='ids')
        if len(params) == 1:
            with graph_lib.colocate_with(params[0]):
                result = _clip_rows(array.gather(params[0], ids, name=scope), ids, max_norm)
            return array.identity(result)
        n = len(params)
        flat = array.reshape(ids, [-1])
        original = math.range(array.size(flat))
        if strategy == 'mod':
            assignments, new_ids = flat % n, flat // n
        elif strategy == 'div':
            total = sum(p.shape[0].value for p in params)
            count = convert.constant(total, flat.dtype)
            per_part, extras = count // n, count % n
            assignments = math.maximum(flat // (per_part + 1), (flat - extras) // per_part)
            new_ids = array.where(assignments < extras, flat % (per_part + 1), (flat - extras) % per_part)
        else:
            raise ValueError('Unrecognized partition strategy: ' + strategy)
        assignments = math.cast(assignments, dtypes.int32)
        gathered = array.dynamic_partition(new_ids, assignments, n)
        positions = array.dynamic_partition(original, assignments, n)
        parts = []
        for p, rows in zip(params, gathered):
            with graph_lib.colocate_with(p):
                parts.append(array.gather(p, rows))
        result = apply_op('ParallelDynamicStitch', positions, parts, name=scope)
        element = params[0].shape[1:]
        for p in params[1:]:
            element = element.merge_with(p.shape[1:])
        result = array.reshape(result, array.concat([array.shape(ids), element], 0))
        result.set_shape(ids.shape.concatenate(element))
        return _clip_rows(result, ids, max_norm)


def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy='mod', name=None, combiner=None, max_norm=None):
    """For each row of a SparseTensor of ids the sum, mean or sqrtn of their embeddings."""
    combiner = 'mean' if combiner is None else combiner
    if combiner not in ('mean', 'sqrtn', 'sum'):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    params = list(params) if isinstance(params, (list, tuple, PartitionedVariable)) else [params]
    with name_scope(name, 'embedding_lookup_sparse', [p for p in params if hasattr(p, 'graph')]) as scope:
        segments = sp_ids.indices[:, 0]
        if segments.dtype != dtypes.int32:
            segments = math.cast(segments, dtypes.int32)
        ids = sp_ids.values
        ids, idx = array.unique(ids)
        embeddings = embedding_lookup(params, ids, partition_strategy, max_norm=max_norm)
        if sp_weights is None:
            function = {'sum': math.sparse_segment_sum, 'mean': math.sparse_segment_mean, 'sqrtn': math.sparse_segment_sqrt_n}[combiner]
            return function(embeddings, idx, segments, name=scope)
        weights = sp_weights.values
        if weights.dtype != embeddings.dtype:
            weights = math.cast(weights, embeddings.dtype)
        embeddings = array.gather(embeddings, idx)
        ones = array.fill(array.expand_dims(array.rank(embeddings) - 1, 0), 1)
        shape = array.concat([array.shape(weights), ones], 0)
        known = weights.shape
        weights = array.reshape(weights, shape)
        if embeddings.shape.rank is not None:
            weights.set_shape(known.concatenate([1] * (embeddings.shape.rank - 1)))
        total = math.segment_sum(embeddings * weights, segments, name=scope if combiner == 'sum' else None)
        if combiner == 'sum':
            return total
        sums = math.segment_sum(weights if combiner == 'mean' else math.pow(weights, 2), segments)
        if combiner == 'sqrtn':
            sums = math.sqrt(sums)
        return math.div(total, sums, name=scope)


def _sampler(op, default):
    def function(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
        seed1, seed2 = graph_lib.get_seed(seed)
        return apply_op(op, true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique, range_max=range_max, seed=seed1 or 0,
                        seed2=seed2 or 0, name=name)
    function.__name__ = default
    return function


uniform_candidate_sampler = _sampler('UniformCandidateSampler', 'uniform_candidate_sampler')
log_uniform_candidate_sampler = _sampler('LogUniformCandidateSampler', 'log_uniform_candidate_sampler')
learned_unigram_candidate_sampler = _sampler('LearnedUnigramCandidateSampler', 'learned_unigram_candidate_sampler')


def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, vocab_file='', distortion=1.0,
                                    num_reserved_ids=0, num_shards=1, shard=0, unigrams=(), seed=None, name=None):
    seed1, seed2 = graph_lib.get_seed(seed)
    return apply_op('FixedUnigramCandidateSampler', true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique,
                    range_max=range_max, vocab_file=vocab_file, distortion=distortion, num_reserved_ids=num_reserved_ids,
                    num_shards=num_shards, shard=shard, unigrams=[float(u) for u in unigrams], seed=seed1 or 0, seed2=seed2 or 0, name=name)


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    seed1, seed2 = graph_lib.get_seed(seed)
    return apply_op('AllCandidateSampler', true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique, seed=seed1 or 0,
                    seed2=seed2 or 0, name=name)


def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    seed1, seed2 = graph_lib.get_seed(seed)
    return apply_op('ComputeAccidentalHits', true_classes, sampled_candidates, num_true=num_true, seed=seed1 or 0, seed2=seed2 or 0,
                    name=name)


def _sum_rows(x):
    columns = array.shape(x)[1]
    ones = array.ones(array.stack([columns, 1]), x.dtype)
    return array.reshape(math.matmul(x, ones), [-1])


def _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, subtract_log_q=True,
                    remove_accidental_hits=False, partition_strategy='mod', name=None, seed=None):
    if isinstance(weights, PartitionedVariable):
        weights = list(weights)
    if not isinstance(weights, list):
        weights = [weights]
    with name_scope(name, 'compute_sampled_logits', [w for w in weights if hasattr(w, 'graph')] + [inputs, labels]):
        if labels.dtype != dtypes.int64:
            labels = math.cast(labels, dtypes.int64)
        labels_flat = array.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(true_classes=labels, num_true=num_true, num_sampled=num_sampled, unique=True,
                                                           range_max=num_classes, seed=seed)
        sampled, true_expected, sampled_expected = [array.stop_gradient(s) for s in sampled_values]
        sampled = math.cast(sampled, dtypes.int64)
        all_ids = array.concat([labels_flat, sampled], 0)
        all_w = embedding_lookup(weights, all_ids, partition_strategy=partition_strategy)
        true_w = array.slice(all_w, [0, 0], array.stack([array.shape(labels_flat)[0], -1]))
        sampled_w = array.slice(all_w, array.stack([array.shape(labels_flat)[0], 0]), [-1, -1])
        sampled_logits = math.matmul(inputs, sampled_w, transpose_b=True)
        all_b = embedding_lookup(biases, all_ids, partition_strategy=partition_strategy)
        true_b = array.slice(all_b, [0], array.shape(labels_flat))
        sampled_b = array.slice(all_b, array.shape(labels_flat), [-1])
        dim = array.shape(true_w)[1:2]
        new_shape = array.concat([[-1, num_true], dim], 0)
        row_dots = math.multiply(array.expand_dims(inputs, 1), array.reshape(true_w, new_shape))
        dots_matrix = array.reshape(row_dots, array.concat([[-1], dim], 0))
        true_logits = array.reshape(_sum_rows(dots_matrix), [-1, num_true])
        true_b = array.reshape(true_b, [-1, num_true])
        true_logits += true_b
        sampled_logits += sampled_b
        if remove_accidental_hits:
            indices, ids, hit_weights = compute_accidental_hits(labels, sampled, num_true=num_true)
            sampled_logits_shape = array.concat([array.shape(labels)[:1], array.expand_dims(num_sampled, 0)], 0)
            if sampled_logits.dtype != hit_weights.dtype:
                hit_weights = math.cast(hit_weights, sampled_logits.dtype)
            positions = array.concat([array.expand_dims(indices, 1), array.expand_dims(math.cast(ids, dtypes.int32), 1)], 1,
                                     'sparse_indices')
            sampled_logits += apply_op('SparseToDense', positions, sampled_logits_shape, hit_weights,
                                       convert.constant(0.0, sampled_logits.dtype), validate_indices=False)
        if subtract_log_q:
            true_logits -= math.log(true_expected)
            sampled_logits -= math.log(sampled_expected)
        out_logits = array.concat([true_logits, sampled_logits], 1)
        out_labels = array.concat([array.ones_like(true_logits) / num_true, array.zeros_like(sampled_logits)], 1)
        return out_logits, out_labels


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=False,
             partition_strategy='mod', name='nce_loss'):
    """Noise-contrastive estimation: one number a row."""
    logits, targets = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, True,
                                      remove_accidental_hits, partition_strategy, name)
    return _sum_rows(sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name='sampled_losses'))


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, partition_strategy='mod', name='sampled_softmax_loss', seed=None):
    """Softmax cross entropy over a sample of the classes: one number a row."""
    logits, targets = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, True,
                                      remove_accidental_hits, partition_strategy, name, seed)
    targets = array.stop_gradient(targets, name='labels_stop_gradient')
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)


# Names that another module has, which is made of this one.
_MORE = frozenset('''dilation2d erosion2d fractional_max_pool fractional_avg_pool max_pool_v2 avg_pool_v2 depthwise_conv2d_native_backprop_input
    depthwise_conv2d_native_backprop_filter depthwise_conv2d_backprop_input depthwise_conv2d_backprop_filter conv3d_backprop_filter
    conv3d_backprop_filter_v2 safe_embedding_lookup_sparse'''.split())


def __getattr__(name):
    if name in _MORE:
        from headrace.tf1.framework import nn_more
        return getattr(nn_more, name)
    if name in ('depth_to_space', 'space_to_batch', 'space_to_depth'):
        return getattr(array, name)
    raise AttributeError("module 'tf.nn' has no attribute %r" % name)


def __dir__():
    return sorted(set(globals()) | _MORE | {'depth_to_space', 'space_to_batch', 'space_to_depth'})
