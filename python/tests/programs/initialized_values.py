# Variables that start from other variables: whatever order initialisers run in, each finds a value.
import tensorflow as tf

a = tf.Variable([1.0, 2.0], name='a')
b = tf.Variable(a * 3.0 + 1.0, name='b')
c = tf.get_variable('c', initializer=a.initialized_value() + 1.0)
hidden = tf.Variable(5.0, name='hidden', collections=[])
with tf.name_scope('scope'):
    d = tf.Variable(hidden + 1.0, name='d', trainable=False)
    start = a.initialized_value()
e = tf.Variable(lambda: a.initialized_value() * 2.0, name='e')
g = tf.Variable(tf.concat([a, a * c], 0), name='g')
f = tf.Variable(tf.random_uniform([2], seed=3), name='f')
print(start.name, b.initial_value.name, b.initializer.inputs[1].name, c.initializer.inputs[1].name)
with tf.Session() as sess:
    sess.run(hidden.initializer)
    sess.run(tf.global_variables_initializer())
    print([v.tolist() for v in sess.run([a, b, c, d, e, g])])
    sess.run(a.assign([10.0, 20.0]))
    print(sess.run(start).tolist(), sess.run(b.initializer.inputs[1]).tolist())
