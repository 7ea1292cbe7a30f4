"""Checks: nodes, texts, what fails while the graph is built and what when it runs."""
import numpy as np
import tensorflow as tf


def tried(function):
    try:
        print('passed', type(function()).__name__)
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)))


x = tf.placeholder(tf.float32, [None, 2], name='x')
i = tf.placeholder(tf.int32, name='i')
n = tf.placeholder(tf.int32, [3], name='n')
r = tf.placeholder(tf.int32, [], name='r')
checks = [tf.assert_equal(n, [1, 2, 3]), tf.assert_equal(x, x), tf.assert_equal(i, 2, message='i is two', name='two'),
          tf.debugging.assert_none_equal(x, 7.0), tf.assert_less(x, [3.0, 4.0], data=['told', x], summarize=5),
          tf.debugging.assert_less_equal(n, 3), tf.assert_greater(x, 0.0), tf.debugging.assert_greater_equal(n, 1),
          tf.debugging.assert_near(x, x + 1e-7), tf.debugging.assert_near(x, x * 1.01, rtol=0.1, atol=0.01),
          tf.debugging.assert_positive(x), tf.debugging.assert_negative(-n, message='below'), tf.debugging.assert_non_negative(x),
          tf.debugging.assert_non_positive(-x), tf.assert_rank(x, 2), tf.assert_rank(i, 0), tf.debugging.assert_rank_at_least(x, 1),
          tf.debugging.assert_rank_at_least(i, r), tf.debugging.assert_rank_in(i, [0, 1]),
          tf.debugging.assert_rank_in(x, (1, 2)), tf.debugging.assert_type(x, tf.float32), tf.debugging.assert_integer(n),
          tf.debugging.assert_shapes([(x, ('N', 2)), (n, (3,)), (tf.zeros([2, 3]), ('N', 'K')), (i, None), (x, ('*', 2))])]
scalar = tf.debugging.assert_scalar(3.0)
order = [tf.debugging.is_non_decreasing(n), tf.debugging.is_strictly_increasing(x)]
print(tf.debugging.is_numeric_tensor(x), tf.debugging.is_numeric_tensor(1), tf.debugging.is_numeric_tensor(tf.constant('a')))
print(tf.debugging.assert_same_float_dtype([x, None]).name, tf.debugging.assert_same_float_dtype().name)
shaped = tf.ensure_shape(i, [])
print(shaped.shape, [c.name for c in checks], scalar.name)
tried(lambda: tf.assert_equal([1, 2], [1, 3], message='known'))
tried(lambda: tf.assert_less(3, 2))
tried(lambda: tf.debugging.assert_positive([1.0, -1.0]))
tried(lambda: tf.assert_rank(x, 3, message='rank'))
tried(lambda: tf.assert_rank(x, [3]))
tried(lambda: tf.assert_rank(x, 2.0))
tried(lambda: tf.debugging.assert_rank_at_least(x, 3))
tried(lambda: tf.debugging.assert_rank_in(x, [0, 1]))
tried(lambda: tf.debugging.assert_type(n, tf.int64, message='dtype'))
tried(lambda: tf.debugging.assert_integer(x))
tried(lambda: tf.debugging.assert_scalar([1.0], name='s'))
tried(lambda: tf.debugging.assert_proper_iterable(b'text'))
tried(lambda: tf.debugging.assert_proper_iterable(np.zeros(2)))
tried(lambda: tf.debugging.assert_proper_iterable('text'))
tried(lambda: tf.debugging.assert_proper_iterable(5))
tried(lambda: tf.debugging.assert_proper_iterable([x]))
tried(lambda: tf.debugging.assert_same_float_dtype([x, n]))
tried(lambda: tf.debugging.assert_same_float_dtype([n]))
tried(lambda: tf.debugging.assert_shapes({x: ('N', 3)}))
tried(lambda: tf.debugging.is_non_decreasing(['a']))
with tf.Session() as sess:
    good = {x: [[1.0, 2.0], [2.0, 3.0]], i: 2, n: [1, 2, 3], r: 0}
    tried(lambda: sess.run(checks[:4] + checks[5:], good))
    print([float(v) for v in sess.run(order + [scalar], good)])
    print([bool(v) for v in sess.run(order, {x: [[1.0, 1.0]], n: [3, 2, 1]})], sess.run(order[1], {x: np.zeros([0, 2])}))
