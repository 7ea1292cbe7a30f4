# Whole graphs of moving averages of variables.
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name='x')
w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer(0.5))
with tf.variable_scope('layer'):
    b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
average = tf.train.ExponentialMovingAverage(0.9, step)
with tf.control_dependencies([train]):
    update = average.apply(tf.trainable_variables())
with tf.variable_scope('other'):
    plain = tf.train.ExponentialMovingAverage(0.5, name='Mean')
    plain_update = plain.apply([w])
init = tf.global_variables_initializer()
print([v.name for v in tf.global_variables()], [v.name for v in tf.moving_average_variables()])
print(average.average(w).name, average.average_name(b), plain.average_name(w))
with tf.Session() as sess:
    sess.run(init)
    for i in range(3):
        sess.run(update, {x: [[1.0, 2.0, 3.0]]})
    sess.run(plain_update)
    for value in sess.run([average.average(w), average.average(b), step]):
        print(' '.join('%.5g' % v for v in value.ravel().tolist()))
