"""What residual networks are made of."""
import collections

from headrace.tf1 import nn
from headrace.tf1.contrib import layers
from headrace.tf1.contrib.framework.arg_scope import add_arg_scope, arg_scope
from headrace.tf1.framework import array, variable_scope as vs
from headrace.tf1.framework.graph import GraphKeys

Block = collections.namedtuple('Block', ['scope', 'unit_fn', 'args'])
Block.__doc__ = 'Units of one block: their function, and for each a dict of its arguments.'


def subsample(inputs, factor, scope=None):
    """Every factor-th pixel."""
    return inputs if factor == 1 else layers.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(inputs, num_outputs, kernel_size, stride, rate=1, scope=None):
    """A convolution that pads as SAME does without a stride, whatever the size of the image."""
    if stride == 1:
        return layers.conv2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding='SAME', scope=scope)
    total = kernel_size + (kernel_size - 1) * (rate - 1) - 1
    pad = [total // 2, total - total // 2]
    inputs = array.pad(inputs, [[0, 0], pad, pad, [0, 0]])
    return layers.conv2d(inputs, num_outputs, kernel_size, stride=stride, rate=rate, padding='VALID', scope=scope)


@add_arg_scope
def stack_blocks_dense(net, blocks, output_stride=None, outputs_collections=None):
    """Blocks upon blocks; from `output_stride` on the units dilate instead of taking strides. ValueError for one that is not reached."""
    stride, rate = 1, 1
    for block in blocks:
        with vs.variable_scope(block.scope, 'block', [net]) as sc:
            for i, unit in enumerate(block.args, 1):
                if output_stride is not None and stride > output_stride:
                    raise ValueError('The target output_stride cannot be reached.')
                with vs.variable_scope('unit_%d' % i, values=[net]):
                    if stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **dict(unit, stride=1))
                        rate *= unit.get('stride', 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        stride *= unit.get('stride', 1)
            net = layers.utils.collect_named_outputs(outputs_collections, sc.name, net)
    if output_stride is not None and stride != output_stride:
        raise ValueError('The target output_stride cannot be reached.')
    return net


def resnet_arg_scope(weight_decay=0.0001, batch_norm_decay=0.997, batch_norm_epsilon=1e-5, batch_norm_scale=True):
    normalizer = dict(decay=batch_norm_decay, epsilon=batch_norm_epsilon, scale=batch_norm_scale,
                      updates_collections=GraphKeys.UPDATE_OPS)
    with arg_scope([layers.conv2d], weights_regularizer=layers.l2_regularizer(weight_decay),
                   weights_initializer=layers.variance_scaling_initializer(), activation_fn=nn.relu, normalizer_fn=layers.batch_norm,
                   normalizer_params=normalizer):
        with arg_scope([layers.batch_norm], **normalizer):
            with arg_scope([layers.max_pool2d], padding='SAME') as scope:
                return scope
