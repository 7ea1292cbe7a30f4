"""Inception v3: "Rethinking the Inception architecture for computer vision" (arXiv 1512.00567)."""
from headrace.tf1 import nn
from headrace.tf1.contrib import layers
from headrace.tf1.contrib.framework.arg_scope import arg_scope
from headrace.tf1.framework import array, init, variable_scope as vs
from headrace.tf1.framework.graph import GraphKeys

# A step: ('conv', filters, kernel, name), ('max', name) or ('avg', name); a list of steps goes from the same inputs and is put together.
# Names are those of checkpoints, with their oddities.
_HALF = dict(stride=2, padding='VALID')


def _conv(filters, kernel, name, **options):
    return 'conv', filters, kernel, name, options


_STEM = [('Conv2d_1a_3x3', _conv(32, 3, '', stride=2)), ('Conv2d_2a_3x3', _conv(32, 3, '')),
         ('Conv2d_2b_3x3', _conv(64, 3, '', padding='SAME')), ('MaxPool_3a_3x3', ('max',)), ('Conv2d_3b_1x1', _conv(80, 1, '')),
         ('Conv2d_4a_3x3', _conv(192, 3, '')), ('MaxPool_5a_3x3', ('max',))]


def _pooled(filters):
    return [('avg', 'AvgPool_0a_3x3'), _conv(filters, 1, 'Conv2d_0b_1x1')]


def _block_5(pool_filters, names=('Conv2d_0a_1x1', 'Conv2d_0b_5x5')):
    return [[_conv(64, 1, 'Conv2d_0a_1x1')], [_conv(48, 1, names[0]), _conv(64, 5, names[1])],
            [_conv(64, 1, 'Conv2d_0a_1x1'), _conv(96, 3, 'Conv2d_0b_3x3'), _conv(96, 3, 'Conv2d_0c_3x3')], _pooled(pool_filters)]


def _block_6(n):
    return [[_conv(192, 1, 'Conv2d_0a_1x1')],
            [_conv(n, 1, 'Conv2d_0a_1x1'), _conv(n, [1, 7], 'Conv2d_0b_1x7'), _conv(192, [7, 1], 'Conv2d_0c_7x1')],
            [_conv(n, 1, 'Conv2d_0a_1x1'), _conv(n, [7, 1], 'Conv2d_0b_7x1'), _conv(n, [1, 7], 'Conv2d_0c_1x7'),
             _conv(n, [7, 1], 'Conv2d_0d_7x1'), _conv(192, [1, 7], 'Conv2d_0e_1x7')], _pooled(192)]


def _block_7(last):
    return [[_conv(320, 1, 'Conv2d_0a_1x1')],
            [_conv(384, 1, 'Conv2d_0a_1x1'), [_conv(384, [1, 3], 'Conv2d_0b_1x3'), _conv(384, [3, 1], last)]],
            [_conv(448, 1, 'Conv2d_0a_1x1'), _conv(384, 3, 'Conv2d_0b_3x3'),
             [_conv(384, [1, 3], 'Conv2d_0c_1x3'), _conv(384, [3, 1], 'Conv2d_0d_3x1')]], _pooled(192)]


_BLOCKS = [
    ('Mixed_5b', _block_5(32)),
    ('Mixed_5c', _block_5(64, ('Conv2d_0b_1x1', 'Conv_1_0c_5x5'))),
    ('Mixed_5d', _block_5(64)),
    ('Mixed_6a', [[_conv(384, 3, 'Conv2d_1a_1x1', **_HALF)],
                  [_conv(64, 1, 'Conv2d_0a_1x1'), _conv(96, 3, 'Conv2d_0b_3x3'), _conv(96, 3, 'Conv2d_1a_1x1', **_HALF)],
                  [('max', 'MaxPool_1a_3x3')]]),
    ('Mixed_6b', _block_6(128)), ('Mixed_6c', _block_6(160)), ('Mixed_6d', _block_6(160)), ('Mixed_6e', _block_6(192)),
    ('Mixed_7a', [[_conv(192, 1, 'Conv2d_0a_1x1'), _conv(320, 3, 'Conv2d_1a_3x3', **_HALF)],
                  [_conv(192, 1, 'Conv2d_0a_1x1'), _conv(192, [1, 7], 'Conv2d_0b_1x7'), _conv(192, [7, 1], 'Conv2d_0c_7x1'),
                   _conv(192, 3, 'Conv2d_1a_3x3', **_HALF)],
                  [('max', 'MaxPool_1a_3x3')]]),
    ('Mixed_7b', _block_7('Conv2d_0b_3x1')), ('Mixed_7c', _block_7('Conv2d_0c_3x1')),
]


def _apply(step, net, depth, name=None):
    if isinstance(step, list):
        return array.concat([_apply(one, net, depth) for one in step], 3)
    if step[0] == 'max':
        return layers.max_pool2d(net, [3, 3], scope=name or step[1], **_HALF)
    if step[0] == 'avg':
        return layers.avg_pool2d(net, [3, 3], scope=name or step[1])
    _, filters, kernel, own_name, options = step
    return layers.conv2d(net, depth(filters), [kernel, kernel] if isinstance(kernel, int) else kernel, scope=name or own_name, **options)


def _depth(depth_multiplier, min_depth):
    if depth_multiplier <= 0:
        raise ValueError('depth_multiplier is not greater than zero.')
    return lambda filters: max(int(filters * depth_multiplier), min_depth)


def inception_v3_base(inputs, final_endpoint='Mixed_7c', min_depth=16, depth_multiplier=1.0, scope=None):
    """(outputs, {name: outputs}) of the convolutions up to `final_endpoint`. ValueError for a name that none has."""
    depth, end_points, net = _depth(depth_multiplier, min_depth), {}, inputs
    pools = [layers.conv2d, layers.max_pool2d, layers.avg_pool2d]
    with vs.variable_scope(scope, 'InceptionV3', [inputs]):
        with arg_scope(pools, stride=1, padding='VALID'):
            for name, step in _STEM:
                net = end_points[name] = _apply(step, net, depth, name)
                if name == final_endpoint:
                    return net, end_points
        with arg_scope(pools, stride=1, padding='SAME'):
            for name, branches in _BLOCKS:
                with vs.variable_scope(name):
                    outputs = []
                    for i, steps in enumerate(branches):
                        with vs.variable_scope('Branch_%d' % i):
                            branch = net
                            for step in steps:
                                branch = _apply(step, branch, depth)
                        outputs.append(branch)
                    net = end_points[name] = array.concat(outputs, 3)
                if name == final_endpoint:
                    return net, end_points
    raise ValueError('Unknown final endpoint %s' % final_endpoint)


def _window(tensor, size):
    """A window that is no larger than the image, if that is known."""
    height, width = tensor.get_shape().as_list()[1:3]
    return [size, size] if height is None or width is None else [min(height, size), min(width, size)]


def inception_v3(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8, min_depth=16, depth_multiplier=1.0,
                 prediction_fn=layers.softmax, spatial_squeeze=True, reuse=None, scope='InceptionV3'):
    """(logits, {name: outputs}) for images of 299 x 299, with logits from the middle as "AuxLogits"."""
    depth = _depth(depth_multiplier, min_depth)
    with vs.variable_scope(scope, 'InceptionV3', [inputs], reuse=reuse) as scope:
        with arg_scope([layers.batch_norm, layers.dropout], is_training=is_training):
            net, end_points = inception_v3_base(inputs, scope=scope, min_depth=min_depth, depth_multiplier=depth_multiplier)
            with arg_scope([layers.conv2d, layers.max_pool2d, layers.avg_pool2d], stride=1, padding='SAME'):
                aux = end_points['Mixed_6e']
                with vs.variable_scope('AuxLogits'):
                    aux = layers.avg_pool2d(aux, [5, 5], stride=3, padding='VALID', scope='AvgPool_1a_5x5')
                    aux = layers.conv2d(aux, depth(128), [1, 1], scope='Conv2d_1b_1x1')
                    size = _window(aux, 5)
                    aux = layers.conv2d(aux, depth(768), size, weights_initializer=init.truncated_normal_initializer(0.0, 0.01),
                                        padding='VALID', scope='Conv2d_2a_%dx%d' % tuple(size))
                    aux = layers.conv2d(aux, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                                        weights_initializer=init.truncated_normal_initializer(0.0, 0.001), scope='Conv2d_2b_1x1')
                    if spatial_squeeze:
                        aux = array.squeeze(aux, [1, 2], name='SpatialSqueeze')
                    end_points['AuxLogits'] = aux
            with vs.variable_scope('Logits'):
                size = _window(net, 8)
                net = layers.avg_pool2d(net, size, padding='VALID', scope='AvgPool_1a_%dx%d' % tuple(size))
                net = end_points['PreLogits'] = layers.dropout(net, keep_prob=dropout_keep_prob, scope='Dropout_1b')
                logits = layers.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope='Conv2d_1c_1x1')
                if spatial_squeeze:
                    logits = array.squeeze(logits, [1, 2], name='SpatialSqueeze')
            end_points['Logits'] = logits
            end_points['Predictions'] = prediction_fn(logits, scope='Predictions')
    return logits, end_points


inception_v3.default_image_size = 299


def inception_v3_arg_scope(weight_decay=0.00004, batch_norm_var_collection='moving_vars', batch_norm_decay=0.9997,
                           batch_norm_epsilon=0.001, updates_collections=GraphKeys.UPDATE_OPS, use_fused_batchnorm=True):
    averages = [batch_norm_var_collection]
    normalizer = dict(decay=batch_norm_decay, epsilon=batch_norm_epsilon, updates_collections=updates_collections,
                      fused=use_fused_batchnorm, variables_collections=dict(beta=None, gamma=None, moving_mean=averages,
                                                                            moving_variance=averages))
    with arg_scope([layers.conv2d, layers.fully_connected], weights_regularizer=layers.l2_regularizer(weight_decay)):
        with arg_scope([layers.conv2d], weights_initializer=layers.variance_scaling_initializer(), activation_fn=nn.relu,
                       normalizer_fn=layers.batch_norm, normalizer_params=normalizer) as scope:
            return scope
