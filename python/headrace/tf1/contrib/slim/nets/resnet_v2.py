"""Residual networks that normalise before they convolve: "Identity mappings in deep residual networks" (arXiv 1603.05027)."""
from headrace.tf1 import nn
from headrace.tf1.contrib import layers
from headrace.tf1.contrib.framework.arg_scope import add_arg_scope, arg_scope
from headrace.tf1.contrib.slim.nets import resnet_utils
from headrace.tf1.framework import math, variable_scope as vs

resnet_arg_scope = resnet_utils.resnet_arg_scope
_PLAIN = dict(normalizer_fn=None, activation_fn=None)


@add_arg_scope
def bottleneck(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None, scope=None):
    """inputs + three convolutions of the normalised inputs."""
    with vs.variable_scope(scope, 'bottleneck_v2', [inputs]) as sc:
        depth_in = layers.utils.last_dimension(inputs.get_shape(), min_rank=4)
        preact = layers.batch_norm(inputs, activation_fn=nn.relu, scope='preact')
        if depth == depth_in:
            shortcut = resnet_utils.subsample(inputs, stride, 'shortcut')
        else:
            shortcut = layers.conv2d(preact, depth, [1, 1], stride=stride, scope='shortcut', **_PLAIN)
        residual = layers.conv2d(preact, depth_bottleneck, [1, 1], stride=1, scope='conv1')
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope='conv2')
        residual = layers.conv2d(residual, depth, [1, 1], stride=1, scope='conv3', **_PLAIN)
        return layers.utils.collect_named_outputs(outputs_collections, sc.name, shortcut + residual)


def resnet_v2(inputs, blocks, num_classes=None, is_training=True, global_pool=True, output_stride=None, include_root_block=True,
              reuse=None, scope=None):
    """(outputs, {name: outputs}); outputs are logits [batch, 1, 1, num_classes] with num_classes."""
    with vs.variable_scope(scope, 'resnet_v2', [inputs], reuse=reuse) as sc:
        ends = sc.original_name_scope + '_end_points'
        with arg_scope([layers.conv2d, bottleneck, resnet_utils.stack_blocks_dense], outputs_collections=ends):
            with arg_scope([layers.batch_norm], is_training=is_training):
                net = inputs
                if include_root_block:
                    if output_stride is not None:
                        if output_stride % 4:
                            raise ValueError('The output_stride needs to be a multiple of 4.')
                        output_stride //= 4
                    with arg_scope([layers.conv2d], **_PLAIN):
                        net = resnet_utils.conv2d_same(net, 64, 7, stride=2, scope='conv1')
                    net = layers.max_pool2d(net, [3, 3], stride=2, scope='pool1')
                net = resnet_utils.stack_blocks_dense(net, blocks, output_stride)
                net = layers.batch_norm(net, activation_fn=nn.relu, scope='postnorm')
                if global_pool:
                    net = math.reduce_mean(net, [1, 2], name='pool5', keepdims=True)
                if num_classes is not None:
                    net = layers.conv2d(net, num_classes, [1, 1], scope='logits', **_PLAIN)
                end_points = layers.utils.convert_collection_to_dict(ends)
                if num_classes is not None:
                    end_points['predictions'] = layers.softmax(net, scope='predictions')
                return net, end_points


resnet_v2.default_image_size = 224


def resnet_v2_block(scope, base_depth, num_units, stride):
    """A block whose last unit takes the stride."""
    unit = dict(depth=base_depth * 4, depth_bottleneck=base_depth, stride=1)
    return resnet_utils.Block(scope, bottleneck, [unit] * (num_units - 1) + [dict(unit, stride=stride)])


def _resnet(depth, units):
    default = 'resnet_v2_%d' % depth

    def net(inputs, num_classes=None, is_training=True, global_pool=True, output_stride=None, reuse=None, scope=default):
        blocks = [resnet_v2_block('block%d' % (i + 1), 64 << i, count, 2 if i < 3 else 1) for i, count in enumerate(units)]
        return resnet_v2(inputs, blocks, num_classes, is_training, global_pool, output_stride, include_root_block=True, reuse=reuse,
                         scope=scope)
    net.__name__ = net.__qualname__ = default
    net.__doc__ = 'The network with %d layers.' % depth
    net.default_image_size = resnet_v2.default_image_size
    return net


resnet_v2_50, resnet_v2_101 = _resnet(50, (3, 4, 6, 3)), _resnet(101, (3, 4, 23, 3))
resnet_v2_152, resnet_v2_200 = _resnet(152, (3, 8, 36, 3)), _resnet(200, (3, 24, 36, 3))
