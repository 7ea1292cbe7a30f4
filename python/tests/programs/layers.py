"""tf.layers: names, variables, initial values, regularisation losses, updates."""
import numpy as np
import tensorflow as tf

tf.set_random_seed(5)
x = tf.placeholder(tf.float32, [None, 28, 28, 1])
h = tf.layers.conv2d(x, 8, 5, activation=tf.nn.relu, kernel_regularizer=lambda v: 0.01 * tf.nn.l2_loss(v))
h = tf.layers.max_pooling2d(h, 2, 2)
h = tf.layers.batch_normalization(h, training=False)
h = tf.layers.conv2d(h, 4, (3, 3), strides=2, padding='same', use_bias=False, name='second')
h = tf.layers.average_pooling2d(h, 2, 1)
f = tf.layers.flatten(h)
d = tf.layers.dense(f, 10, activation=tf.nn.relu, name='fc')
d = tf.layers.dropout(d, 0.4, training=True)
d2 = tf.layers.dense(d, 3, kernel_initializer=tf.random_normal_initializer(stddev=0.1), bias_initializer=tf.constant_initializer(0.1))
bn = tf.layers.batch_normalization(d2, training=True)
t = tf.layers.conv2d_transpose(h, 3, 3, strides=2, padding='same')
s = tf.layers.separable_conv2d(x, 4, 3)
c1 = tf.layers.conv1d(tf.reshape(x, [-1, 28, 28]), 4, 3)
mp1 = tf.layers.max_pooling1d(c1, 2, 2)
bn4 = tf.layers.batch_normalization(t, training=True, name='bn4')
with tf.variable_scope('outer'):
    again = tf.layers.dense(f, 4, name='fc')
    more = tf.layers.dense(again, 4)
    more = tf.layers.dense(more, 4)
same = tf.layers.dense(f, 10, activation=tf.nn.relu, name='fc', reuse=True)
layer = tf.layers.Dense(2, name='shared')
one, two = layer(f), layer(f)
print([v.name for v in layer.trainable_variables])
print([v.name for v in tf.trainable_variables()])
print([v.name for v in tf.get_collection(tf.GraphKeys.UPDATE_OPS)])
print([v.name for v in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
for y in (h, f, d2, bn, t, s, c1, mp1, bn4, more, two):
    print(y.name, y.get_shape())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.random.RandomState(0).rand(2, 28, 28, 1)}
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    for value in sess.run([tf.reduce_sum(y) for y in (h, t, s, mp1, one, more)], feed):
        print('%.3f' % value)
    sess.run(updates, feed)
