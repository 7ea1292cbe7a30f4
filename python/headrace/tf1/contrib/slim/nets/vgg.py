"""The networks of "Very deep convolutional networks for large-scale image recognition" (arXiv 1409.1556)."""
from headrace.tf1 import nn
from headrace.tf1.contrib import layers
from headrace.tf1.contrib.framework.arg_scope import arg_scope
from headrace.tf1.framework import array, init, variable_scope as vs


def vgg_arg_scope(weight_decay=0.0005):
    with arg_scope([layers.conv2d, layers.fully_connected], activation_fn=nn.relu, weights_regularizer=layers.l2_regularizer(weight_decay),
                   biases_initializer=init.zeros_initializer()):
        with arg_scope([layers.conv2d], padding='SAME') as scope:
            return scope


def classify(net, sc, ends, size, num_classes, is_training, keep_prob, spatial_squeeze, **options):
    """(logits, {name: outputs}): three fully connected layers, as convolutions, with dropout between them."""
    net = layers.conv2d(net, 4096, size, padding='VALID', scope='fc6')
    net = layers.dropout(net, keep_prob, is_training=is_training, scope='dropout6')
    net = layers.conv2d(net, 4096, [1, 1], scope='fc7')
    net = layers.dropout(net, keep_prob, is_training=is_training, scope='dropout7')
    net = layers.conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope='fc8', **options)
    end_points = layers.utils.convert_collection_to_dict(ends)
    if spatial_squeeze:
        net = array.squeeze(net, [1, 2], name='fc8/squeezed')
        end_points[sc.name + '/fc8'] = net
    return net, end_points


def _vgg(default, repeats):
    """A network with so many convolutions in each of its five blocks."""
    def net(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope=default):
        with vs.variable_scope(scope, default, [inputs]) as sc:
            ends = sc.original_name_scope + '_end_points'
            with arg_scope([layers.conv2d, layers.fully_connected, layers.max_pool2d], outputs_collections=ends):
                outputs = inputs
                for i, (count, filters) in enumerate(zip(repeats, (64, 128, 256, 512, 512)), 1):
                    outputs = layers.repeat(outputs, count, layers.conv2d, filters, [3, 3], scope='conv%d' % i)
                    outputs = layers.max_pool2d(outputs, [2, 2], scope='pool%d' % i)
                return classify(outputs, sc, ends, [7, 7], num_classes, is_training, dropout_keep_prob, spatial_squeeze)
    net.__name__ = net.__qualname__ = default
    net.__doc__ = '(logits, {name: outputs}) for images of 224 x 224.'
    net.default_image_size = 224
    return net


vgg_a = _vgg('vgg_a', (1, 1, 2, 2, 2))
vgg_16 = vgg_d = _vgg('vgg_16', (2, 2, 3, 3, 3))
vgg_19 = vgg_e = _vgg('vgg_19', (2, 2, 4, 4, 4))
