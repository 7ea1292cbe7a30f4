"""Feeds and fetches: structures, names, what may be fed, what is refused; sessions as contexts and on graphs of their own."""
import collections

import numpy as np
import tensorflow as tf

Pair = collections.namedtuple('Pair', ['left', 'right'])
x = tf.placeholder(tf.float32, [None, 2], name='x')
n = tf.placeholder(tf.int32, name='n')
s = tf.placeholder(tf.string, [2], name='s')
y = tf.reduce_sum(x, 1, name='y')
c = tf.constant([1, 2], name='c')
d = c * n
op = tf.no_op(name='nothing')
sparse = tf.IndexedSlices(y, c)
v = tf.Variable([1.0, 2.0], name='v')


def attempt(what):
    try:
        print(what())
    except Exception as e:  # pylint: disable=broad-except
        print(type(e).__name__, str(e).split('\n')[0].split(' (made')[0][:60])


def plain(value):
    if isinstance(value, Pair):
        return 'Pair', plain(value.left), plain(value.right)
    if isinstance(value, dict):
        return sorted((k, plain(i)) for k, i in value.items())
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(i) for i in value]
    return value.tolist() if hasattr(value, 'tolist') else value


with tf.Session() as sess:
    feed = {x: [[1, 2], [3, 4]], n: 5}
    print(plain(sess.run([y, (d, [op, 'y:0'])], feed)))
    print(plain(sess.run({'a': Pair(y, d), 'b': {'c': c}}, feed)))
    print(plain(sess.run(collections.OrderedDict([('z', c), ('a', op)]))), plain(sess.run([])), plain(sess.run({})))
    print(plain(sess.run('c:0')), sess.run('nothing'), plain(sess.run([c, c])))
    print(plain(sess.run(d, {'c:0': [7, 8], n: np.int64(2)})), plain(sess.run(d, {c: [3, 4], n: np.array([1, 2])})))
    print(plain(sess.run([c, y], {c: [9, 9], y: [1.5]})), plain(sess.run(tf.identity(s), {s: ['a', b'b']})), plain(sess.run(tf.identity(s), {s: np.array(['x', u'\u00e9'])})))
    print(plain(sess.run(sparse, feed).values), plain(y.eval({x: [[1, 1]]})), plain(sess.run(v, {v: [5.0, 6.0]})))
    print(plain(sess.make_callable([y, d], [x, n])([[1, 2]], 3)))
    for bad in (lambda: sess.run(y), lambda: sess.run(y, {x: [1, 2]}), lambda: sess.run(y, {x: [['a', 'b']]}), lambda: sess.run(d, {n: 2 ** 40}),
                lambda: sess.run('absent:0'), lambda: sess.run('absent'), lambda: sess.run(None), lambda: sess.run(3), lambda: sess.run([y, None]),
                lambda: sess.run(y, {'x': [[1, 2]]}), lambda: sess.run(y, {'nowhere:0': 1}), lambda: sess.run(y, {x: tf.constant(1.0)}),
                lambda: sess.run(v), lambda: sess.run(d, {n: [1, 2, 3]}), lambda: sess.run(y, {op: 1}),
                lambda: sess.run(d, {n: 1.5}) is not None):
        attempt(bad)
    print(sess.graph is tf.get_default_graph(), tf.get_default_session() is sess)
attempt(lambda: sess.run(c))
attempt(c.eval)
attempt(lambda: tf.Session(graph=3))
other = tf.Graph()
with other.as_default():
    z = tf.constant(4.0, name='z')
attempt(lambda: tf.Session().run(z))
with tf.Session(graph=other) as sess:
    print(z.eval(), tf.get_default_graph() is other, plain(sess.run('z:0')))
    attempt(c.eval)
    attempt(lambda: other.as_graph_element('z').name)
    attempt(lambda: other.get_tensor_by_name('z'))
    attempt(lambda: other.get_operation_by_name('z:0'))
    attempt(lambda: other.get_tensor_by_name('z:1'))
    other.finalize()
    attempt(lambda: z + 1)
sess = tf.InteractiveSession()
print(plain(c.eval()), tf.get_default_session() is sess)
sess.close()
for misuse in (bool, len, list):
    try:
        misuse(c)
    except TypeError as e:
        print(isinstance(e, TypeError), misuse.__name__)
