# Averages, savers, batch normalisation and clipping over variables behind handles.
import os
import tempfile

import tensorflow as tf

tf.enable_resource_variables()
print(tf.resource_variables_enabled())
x = tf.placeholder(tf.float32, [None, 3], name='x')
training = tf.placeholder_with_default(True, [], name='training')
h = tf.layers.dense(x, 2, kernel_initializer=tf.constant_initializer(0.5), activation=tf.nn.relu)
h = tf.layers.batch_normalization(h, training=training)
loss = tf.reduce_mean(tf.square(h - 1.0))
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.1, step, 2, 0.5, staircase=True)
optimizer = tf.train.AdamOptimizer(rate)
grads, variables = zip(*optimizer.compute_gradients(loss))
grads, _ = tf.clip_by_global_norm(grads, 1.0)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = optimizer.apply_gradients(zip(grads, variables), global_step=step)
average = tf.train.ExponentialMovingAverage(0.9, step)
with tf.control_dependencies([train]):
    update = average.apply(tf.trainable_variables())
saver = tf.train.Saver()
averaged = tf.train.Saver(average.variables_to_restore())
init = tf.global_variables_initializer()
print([v.name for v in tf.global_variables()])
print(sorted(k for k in average.variables_to_restore()))
with tf.Session() as sess:
    sess.run(init)
    for i in range(3):
        sess.run(update, {x: [[1.0, 2.0, 3.0], [0.5, 0.25, 0.125]]})
    values = sess.run(tf.global_variables())
    for value in values:
        print(' '.join('%.4g' % v for v in value.ravel().tolist()))
    path = saver.save(sess, os.path.join(tempfile.mkdtemp(), 'model'))
    sess.run(init)
    saver.restore(sess, path)
    print(all((a == b).all() for a, b in zip(values, sess.run(tf.global_variables()))))
    averaged.restore(sess, path)
    for value in sess.run(tf.trainable_variables()):
        print(' '.join('%.4g' % v for v in value.ravel().tolist()))
print(tf.train.list_variables(path))
with tf.Graph().as_default():
    loader = tf.train.import_meta_graph(path + '.meta')
    print([(type(v).__name__, v.name, v.trainable) for v in tf.trainable_variables()])
    with tf.Session() as sess:
        loader.restore(sess, path)
        for value in sess.run(tf.trainable_variables()):
            print(' '.join('%.4g' % v for v in value.ravel().tolist()))
