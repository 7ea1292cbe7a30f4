"""AlexNet v2: "One weird trick for parallelizing convolutional neural networks" (arXiv 1404.5997)."""
from headrace.tf1 import nn
from headrace.tf1.contrib import layers
from headrace.tf1.contrib.framework.arg_scope import arg_scope
from headrace.tf1.contrib.slim.nets.vgg import classify
from headrace.tf1.framework import init, variable_scope as vs


def alexnet_v2_arg_scope(weight_decay=0.0005):
    with arg_scope([layers.conv2d, layers.fully_connected], activation_fn=nn.relu, biases_initializer=init.constant_initializer(0.1),
                   weights_regularizer=layers.l2_regularizer(weight_decay)):
        with arg_scope([layers.conv2d], padding='SAME'):
            with arg_scope([layers.max_pool2d], padding='VALID') as scope:
                return scope


def alexnet_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True, scope='alexnet_v2'):
    """(logits, {name: outputs}) for images of 224 x 224."""
    with vs.variable_scope(scope, 'alexnet_v2', [inputs]) as sc:
        ends = sc.original_name_scope + '_end_points'
        with arg_scope([layers.conv2d, layers.fully_connected, layers.max_pool2d], outputs_collections=[ends]):
            net = layers.conv2d(inputs, 64, [11, 11], 4, padding='VALID', scope='conv1')
            net = layers.max_pool2d(net, [3, 3], 2, scope='pool1')
            net = layers.conv2d(net, 192, [5, 5], scope='conv2')
            net = layers.max_pool2d(net, [3, 3], 2, scope='pool2')
            for name, filters in (('conv3', 384), ('conv4', 384), ('conv5', 256)):
                net = layers.conv2d(net, filters, [3, 3], scope=name)
            net = layers.max_pool2d(net, [3, 3], 2, scope='pool5')
            with arg_scope([layers.conv2d], weights_initializer=init.truncated_normal_initializer(0.0, 0.005),
                           biases_initializer=init.constant_initializer(0.1)):
                return classify(net, sc, ends, [5, 5], num_classes, is_training, dropout_keep_prob, spatial_squeeze,
                                biases_initializer=init.zeros_initializer())


alexnet_v2.default_image_size = 224
