"""tf.cond: nodes, values, gradients; Assert; batch normalisation whose mode is fed."""
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2], name='x')
p = tf.placeholder(tf.bool, [], name='p')
w = tf.Variable([1.0, 2.0], name='w')
y = tf.cond(p, lambda: x * w, lambda: x + 1.0)
z = tf.cond(tf.reduce_sum(x) > 3.0, lambda: (y, tf.constant(1)), lambda: (x, tf.constant(2)), name='second')
g = tf.gradients(tf.reduce_sum(y), [x, w])
check = tf.Assert(tf.reduce_all(x > 0), [x])
up = tf.cond(p, lambda: tf.assign_add(w, [1.0, 1.0]), lambda: w.read_value())
nested = tf.cond(p, lambda: tf.cond(x[0] > 1.0, lambda: x * 2.0, lambda: x * 3.0), lambda: x)
gn = tf.gradients(nested, x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for flag in (True, False):
        for data in ([1.0, 2.0], [2.0, 3.0]):
            out = sess.run([y, z, nested], {x: data, p: flag})
            print(flag, out[0], out[1][0], out[1][1], out[2])
            print([np.asarray(v) for v in sess.run(g, {x: data, p: flag})], sess.run(gn, {x: data, p: flag}))
    sess.run(check, {x: [1.0, 2.0]})
    try:
        sess.run(check, {x: [1.0, -2.0]})
    except tf.errors.InvalidArgumentError as error:
        print(error.message.split('\n')[0])
    print(sess.run(up, {p: False}), sess.run(up, {p: True}), sess.run(w))
try:
    tf.cond(True, lambda: x, lambda: x)
except TypeError as error:
    print(error)
