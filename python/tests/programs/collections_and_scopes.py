"""Collections, reuse of variables, and what is refused."""
import tensorflow as tf


def attempt(what):
    try:
        print(what())
    except Exception as e:  # pylint: disable=broad-except
        print(type(e).__name__, str(e).split('\n')[0].split(' (')[0][:70])


with tf.variable_scope('foo'):
    v = tf.get_variable('v', [1], initializer=tf.constant_initializer(1.0), collections=['mine', tf.GraphKeys.GLOBAL_VARIABLES])
    attempt(lambda: tf.get_variable('v', [1]))
with tf.variable_scope('foo', reuse=True):
    print(tf.get_variable('v', [1]) is v, tf.get_variable_scope().reuse, tf.get_variable_scope().name)
    attempt(lambda: tf.get_variable('absent', [1]))
    attempt(lambda: tf.get_variable('v', [2]))
    attempt(lambda: tf.get_variable('v', [1], tf.int32))
    with tf.variable_scope('bar'):
        print(tf.get_variable_scope().reuse)
with tf.variable_scope('root', initializer=tf.ones_initializer(), regularizer=lambda x: tf.reduce_sum(x, name='penalty')) as root:
    a = tf.get_variable('a', [2])
    with tf.variable_scope('in', regularizer=tf.no_regularizer):
        b = tf.get_variable('b', [2], trainable=False)
    with tf.name_scope('names'):
        c = tf.get_variable('c', [])
        d = tf.Variable(0.0, name='d')
        e = a + 1
with tf.variable_scope(root, reuse=tf.AUTO_REUSE):
    print(tf.get_variable('a', [2]) is a, tf.get_variable('new', [1]).name, (a * 2).name)
with tf.variable_scope('', reuse=True):
    print(tf.get_variable('root/c').name, tf.get_variable('foo/v') is v)
with tf.variable_scope(None, 'default'):
    first = tf.get_variable('v', [])
with tf.variable_scope(None, 'default'):
    second = tf.get_variable('v', [])
print([t.name for t in (a, b, c, d, e, first, second)])
for key in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES, tf.GraphKeys.REGULARIZATION_LOSSES, 'mine'):
    print(key, [x.name for x in tf.get_collection(key)], [x.name for x in tf.get_collection(key, scope='root')])
tf.add_to_collection('things', e)
tf.add_to_collection('things', 3)
tf.add_to_collections(['things', 'others'], 'text')
tf.get_collection_ref('others').append(4.5)
print(tf.get_collection('things')[1:], tf.get_collection('others'), tf.get_collection('none'), sorted(tf.get_default_graph().get_all_collection_keys()))
tf.get_collection('others').append('lost')
print(len(tf.get_collection('others')), tf.losses.get_regularization_losses()[0].name, tf.losses.get_total_loss().name)
tf.get_default_graph().clear_collection('others')
print(tf.get_collection('others'), tf.trainable_variables('root') == [a, c] or [x.name for x in tf.trainable_variables('root')])
with tf.Session() as sess:
    print(tf.report_uninitialized_variables().eval().tolist())
    sess.run(tf.variables_initializer([a, c]))
    print(sess.run(tf.is_variable_initialized(a)), sess.run(a).tolist(), sorted(sess.run(tf.report_uninitialized_variables()).tolist()))
    attempt(lambda: sess.run(v))
    tf.global_variables_initializer().run()
    print(sess.run([v, c, first]) is not None, sess.run(tf.losses.get_regularization_loss()).tolist())
