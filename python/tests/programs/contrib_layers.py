"""tf.contrib.layers: names, variables, collections, initial values, penalties and outputs of all layers."""
import numpy as np
import tensorflow as tf

layers = tf.contrib.layers
tf.set_random_seed(3)
x = tf.placeholder(tf.float32, [None, 16, 16, 3], name='x')
h = layers.conv2d(x, 8, 3, weights_regularizer=layers.l2_regularizer(0.01), outputs_collections='ends')
h = layers.max_pool2d(h, 2, outputs_collections='ends')
h = layers.conv2d(h, 4, [3, 3], stride=2, padding='VALID', activation_fn=None, biases_initializer=None, scope='second')
h = layers.avg_pool2d(h, [2, 2], stride=1, padding='SAME', scope='pooled')
up = layers.conv2d_transpose(h, 3, 3, stride=2)
sep = layers.separable_conv2d(x, 4, 3, depth_multiplier=2, weights_regularizer=layers.l1_regularizer(0.1))
depth = layers.separable_conv2d(x, None, 3, depth_multiplier=1, scope='depthwise')
plane = layers.conv2d_in_plane(x, 3)
dilated = layers.convolution2d(x, 2, 3, rate=2, scope='dilated')
line = layers.conv1d(tf.reshape(x, [-1, 16, 48]), 4, 3, scope='line')
cube = layers.conv3d(tf.reshape(x, [-1, 16, 16, 3, 1]), 2, [3, 3, 2])
flat = layers.flatten(h, scope='flat')
fc = layers.fully_connected(flat, 12, weights_regularizer=layers.l1_l2_regularizer(0.5, 0.25), variables_collections=['all'],
                            outputs_collections=['ends', 'fcs'])
fc = layers.dropout(fc, 0.75, scope='drop')
fc = layers.dropout(fc, 0.75, is_training=False)
lin = layers.linear(fc, 5, scope='out', weights_initializer=layers.xavier_initializer(uniform=False, seed=7),
                    variables_collections={'weights': ['ws'], 'biases': ['bs']})
six = layers.relu6(fc, 5, weights_initializer=layers.variance_scaling_initializer(seed=3, mode='FAN_OUT'))
again = layers.fully_connected(fc, 5, scope='out', reuse=True)
biased = layers.bias_add(flat, activation_fn=tf.nn.relu)
normed = layers.layer_norm(flat)
unit = layers.unit_norm(flat, 1)
hot = layers.one_hot_encoding(tf.constant([0, 2, 1]), 4)
stacked = layers.stack(flat, layers.fully_connected, [6, 5], scope='fcs')
repeated = layers.repeat(x, 2, layers.conv2d, 3, [3, 3], scope='conv')
soft = layers.softmax(tf.reshape(line, [-1, 16, 4]))
embedded = layers.embed_sequence(tf.constant([[1, 2], [3, 0]]), vocab_size=5, embed_dim=3)
spatial = layers.spatial_softmax(tf.placeholder_with_default(tf.reshape(x, [-1, 8, 8, 12]), [None, None, None, 12]), 0.5)
most = layers.maxout(flat, 9)
sequence = layers.images_to_sequence(tf.reshape(x, [2, 16, 16, 3]))
with tf.variable_scope('outer', regularizer=layers.l2_regularizer(0.5), initializer=tf.constant_initializer(0.5)):
    inner = layers.fully_connected(flat, 3, normalizer_fn=layers.layer_norm, normalizer_params={'center': False})
    inner = layers.fully_connected(inner, 3, activation_fn=tf.nn.tanh, trainable=False)
penalty = layers.apply_regularization(layers.sum_regularizer([layers.l1_regularizer(0.1), None, layers.l2_regularizer(0.3)]),
                                      tf.trainable_variables()[:2])
for key in ('ends', 'fcs', 'all', 'ws', 'bs', tf.GraphKeys.REGULARIZATION_LOSSES, tf.GraphKeys.MODEL_VARIABLES,
            tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.GLOBAL_VARIABLES):
    print(key, [v.name for v in tf.get_collection(key)])
outputs = [h, up, sep, depth, plane, dilated, line, cube, fc, lin, six, again, biased, normed, unit, hot, stacked, repeated, soft, embedded,
           spatial, most, sequence, inner, penalty]
for y in outputs:
    print(y.name, y.get_shape())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.random.RandomState(0).rand(2, 16, 16, 3)}
    for y, value in zip(outputs, sess.run([tf.reduce_sum(tf.abs(y)) for y in outputs], feed)):
        print('%s %.3f' % (y.op.name, value))
    for value in sess.run(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)):
        print('%.4f' % value)
