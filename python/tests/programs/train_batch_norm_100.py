"""Batch normalisation: 100 steps with its updates, then with what was learnt; by layers and by hand."""
import numpy as np
import tensorflow as tf

tf.set_random_seed(8)
x = tf.placeholder(tf.float32, [None, 6], name='x')
y_ = tf.placeholder(tf.float32, [None, 1], name='y')
training = tf.placeholder(tf.bool, name='training')
net = tf.layers.dense(x, 8, use_bias=False, kernel_initializer=tf.random_normal_initializer(stddev=0.4))
net = tf.layers.batch_normalization(net, training=training, momentum=0.9)
net = tf.nn.relu(net)
with tf.variable_scope('by_hand'):
    mean, variance = tf.nn.moments(net, [0])
    offset = tf.get_variable('offset', [8], initializer=tf.zeros_initializer())
    scale = tf.get_variable('scale', [8], initializer=tf.ones_initializer())
    average = tf.train.ExponentialMovingAverage(0.9)
    update = average.apply([mean, variance])
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
    net = tf.nn.batch_normalization(net, mean, variance, offset, scale, 1e-3)
y = tf.layers.dense(net, 1, kernel_initializer=tf.random_normal_initializer(stddev=0.4), name='out')
loss = tf.losses.mean_squared_error(y_, y)
print([op.name for op in tf.get_collection(tf.GraphKeys.UPDATE_OPS)])
print([v.name for v in tf.trainable_variables()])
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
rng = np.random.RandomState(4)
data = rng.rand(40, 6).astype(np.float32) * 5
truth = (data[:, :1] - data[:, 1:2] + 1).astype(np.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(100):
        feed = {x: data[i % 4 * 10:i % 4 * 10 + 10], y_: truth[i % 4 * 10:i % 4 * 10 + 10], training: True}
        _, value = sess.run([train, loss], feed)
        if i % 20 == 0:
            print('step %d loss %.3f' % (i, value))
    for name in ('batch_normalization/moving_mean:0', 'batch_normalization/moving_variance:0'):
        print(name, ' '.join('%.3f' % v for v in sess.run(name)))
    print('%.3f' % sess.run(loss, {x: data, y_: truth, training: False}))
    print('%.3f' % sess.run(loss, {x: data, y_: truth, training: True}))
    print(' '.join('%.3f' % v for v in sess.run(average.average(mean))))
