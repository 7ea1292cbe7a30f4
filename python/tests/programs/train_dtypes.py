# Optimizers, averages and savers with other dtypes, unknown shapes, and variables in scopes that are reused.
import os
import tempfile

import tensorflow as tf


def show(*values):
    """Numbers with six digits, whatever the version of NumPy."""
    def text(v):
        if hasattr(v, 'tolist'):
            v = v.tolist()
        if isinstance(v, (list, tuple)):
            return '[ ' + ' '.join(text(i) for i in v) + ' ]'
        return '%.6g' % v if isinstance(v, float) else str(v)
    print(*[text(v) for v in values])


d = tf.Variable(tf.constant([1.0, 2.0], tf.float64), name='d')
h = tf.get_variable('h', [2, 2], tf.float16, initializer=tf.ones_initializer())
big = tf.get_variable('big', [40, 50], initializer=tf.zeros_initializer())
loss = tf.cast(tf.reduce_sum(tf.square(d)), tf.float32) + tf.cast(tf.reduce_sum(h * h), tf.float32) + tf.reduce_sum(big * 2.0)
ops = []
for optimizer in (tf.train.AdamOptimizer(0.01), tf.train.MomentumOptimizer(0.01, 0.5), tf.train.RMSPropOptimizer(0.01)):
    ops.append(optimizer.minimize(loss))
ops.append(tf.train.AdagradOptimizer(0.01).minimize(loss, var_list=[d, h]))
with tf.variable_scope('model'):
    with tf.variable_scope('inner') as inner:
        v = tf.get_variable('v', [2], initializer=tf.ones_initializer())
    with tf.variable_scope(inner, reuse=True):
        again = tf.get_variable('v', [2])
        print(again is v)
    ops.append(tf.train.AdamOptimizer(0.1, name='Scoped').minimize(tf.reduce_sum(again * again), var_list=[v]))
    ops.append(tf.train.AdamOptimizer(0.1, name='Scoped').minimize(tf.reduce_sum(again * again), var_list=[v]))
loose = tf.Variable(tf.placeholder_with_default([1.0, 2.0, 3.0], [None], name='start'), validate_shape=False, name='loose')
ops.append(tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(loose * loose), var_list=[loose]))
saver = tf.train.Saver()
print([x.name for x in tf.global_variables()])
folder = tempfile.mkdtemp()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for op in ops:
        sess.run(op)
    show(sess.run([d, h, v, loose]), sess.run(tf.reduce_sum(big)))
    path = saver.save(sess, os.path.join(folder, 'm'))
    before = sess.run([d, h, v, loose])
    sess.run(tf.global_variables_initializer())
    saver.restore(sess, path)
    show([(a == b).all() for a, b in zip(before, sess.run([d, h, v, loose]))])
print(tf.train.list_variables(path)[:6])
