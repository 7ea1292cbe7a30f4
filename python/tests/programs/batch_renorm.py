# Batch renormalisation: tf.layers and tf.contrib.layers, whose moving averages are debiased.
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 3], name='x')
step = tf.train.get_or_create_global_step()
clipping = {'rmax': 1.5, 'rmin': 0.5, 'dmax': tf.cast(step, tf.float32) * 0.1 + 0.2}
h = tf.layers.batch_normalization(x, training=True, renorm=True, renorm_clipping=clipping, renorm_momentum=0.9, momentum=0.8)
g = tf.contrib.layers.batch_norm(x, is_training=True, renorm=True, decay=0.7, scope='contrib')
training = tf.placeholder_with_default(True, [], name='training')
d = tf.layers.batch_normalization(x, training=training, renorm=True, name='dynamic')
images = tf.reshape(x, [1, 2, 2, 3])
i = tf.layers.batch_normalization(images, training=True, renorm=True, fused=False, name='images')
loss = tf.reduce_sum(tf.square(h)) + tf.reduce_sum(g * x) + tf.reduce_sum(d) + tf.reduce_sum(i * i * images)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
print([v.name for v in tf.global_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for k in range(3):
        feed = {x: [[1.0, 2.0, 3.0 + k], [2.0, -1.0, 0.5], [0.0, 1.0, 2.0], [4.0, 2.0, k]]}
        for value in sess.run([h, g, d, i], feed):
            print(' '.join('%.4g' % v for v in value.ravel().tolist()))
        sess.run(train, feed)
    for v in tf.global_variables():
        print(v.name, ' '.join('%.4g' % e for e in sess.run(v).ravel().tolist()))
