"""Variable scopes, name scopes, reuse, collections."""
import tensorflow as tf

with tf.variable_scope('foo') as foo:
    v = tf.get_variable('v', [1], initializer=tf.constant_initializer(1.0))
    with tf.variable_scope('bar'):
        w = tf.get_variable('w', shape=[2, 3], regularizer=lambda t: 0.5 * tf.reduce_sum(tf.square(t)))
with tf.variable_scope('foo', reuse=True):
    v1 = tf.get_variable('v', [1])
    print(v is v1)
with tf.variable_scope(foo, reuse=True):
    same = tf.get_variable('v', [1]) + 1
with tf.variable_scope('root', reuse=tf.AUTO_REUSE):
    a = tf.get_variable('a', [2], initializer=tf.zeros_initializer())
    b = tf.get_variable('a', [2])
    c = a * b
with tf.name_scope('n1'):
    d = tf.Variable(3.0, name='d')
    e = tf.get_variable('e', [1], initializer=tf.ones_initializer())
    with tf.name_scope('n2') as scope:
        f = d + e
    with tf.name_scope(scope):
        g = tf.identity(f, name='g')
with tf.variable_scope('foo'):
    h = tf.constant(1.0, name='h')
try:
    with tf.variable_scope('foo'):
        tf.get_variable('v', [1])
except ValueError as error:
    print(str(error)[:60])
try:
    with tf.variable_scope('new', reuse=True):
        tf.get_variable('v', [1])
except ValueError as error:
    print(str(error)[:60])
print([x.name for x in tf.global_variables()])
print([x.name for x in tf.trainable_variables()])
print([x.name for x in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
print(same.name, c.name, f.name, g.name, h.name, scope)
for i in range(2):
    with tf.variable_scope(None, default_name='auto'):
        print(tf.get_variable('v', [1]).name, tf.constant(1).name)
