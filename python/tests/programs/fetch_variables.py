"""What a fetched variable is in a step that writes it, and the network's numbers of the first chapters to the last digit."""
import numpy as np
import tensorflow as tf


def values(things):
    return [None if t is None else np.asarray(t).ravel().tolist() for t in things]


v = tf.Variable(1.0, name='v')
step = tf.Variable(0, trainable=False, name='step')
train = tf.train.GradientDescentOptimizer(0.25).minimize(v * v, global_step=step)
add, more = tf.assign_add(v, 10.0), tf.assign_add(v, 100.0)
copy = tf.identity(v)
flag = tf.placeholder(tf.bool, [], name='flag')
choice = tf.cond(flag, lambda: v * 2, lambda: v * 3)
with tf.control_dependencies([add]):
    after = v.read_value()
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    print(values(sess.run([train, v, step])), values(sess.run([step, train])), values(sess.run([v, step])))
    print(values(sess.run([add, v, copy])), values(sess.run([v, more, add])), values(sess.run([after, v])))
    print(values(sess.run([v.assign(2.0), v, copy])), values(sess.run([v.assign_sub(0.5).op, v])))
    print(values(sess.run([train, step, choice], {flag: True}))[:2], values(sess.run([choice, v], {flag: False})))
    print(sorted((k, float(t)) for k, t in sess.run({'a': v, 'b': step.assign_add(5)}).items()))
w1 = tf.Variable(tf.random_normal([2, 3], stddev=1, seed=1))
w2 = tf.Variable(tf.random_normal([3, 1], stddev=1, seed=1))
x = tf.placeholder(tf.float32, [None, 2], name='input')
y_ = tf.placeholder(tf.float32, [None, 1], name='label')
y = tf.matmul(tf.matmul(x, w1), w2)
p = tf.sigmoid(y)
entropy = -tf.reduce_mean(y_ * tf.log(tf.clip_by_value(p, 1e-10, 1.0)) + (1 - y_) * tf.log(tf.clip_by_value(1 - p, 1e-10, 1.0)))
descent = tf.train.AdamOptimizer(0.001).minimize(entropy)
rng = np.random.RandomState(1)
X = rng.rand(128, 2)
Y = [[int(a + b < 1)] for a, b in X]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    # As text, so that digits are compared one by one.
    print([str(n) for n in sess.run(y, {x: [[0.7, 0.9], [0.1, 0.4], [0.5, 0.8]]}).ravel()])
    for i in range(101):
        sess.run(descent, {x: X[i * 8 % 128:i * 8 % 128 + 8], y_: Y[i * 8 % 128:i * 8 % 128 + 8]})
        if i % 50 == 0:
            print('After %d step(s), cross entropy on all data is %.5f' % (i, sess.run(entropy, {x: X, y_: Y})))
