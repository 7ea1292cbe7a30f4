"""tf.sets on dense and sparse sets."""
import numpy as np
import tensorflow as tf

a = tf.constant([[1, 2, 3], [4, 4, 5]], tf.int64)
b = tf.constant([[3, 2, 9], [5, 6, 7]], tf.int64)
sa = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 7], tf.int64), [2, 3])
sb = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([2, 7, 8], tf.int64), [2, 3])
words = tf.constant([['a', 'b'], ['c', 'c']])
more = tf.constant([['b', 'x'], ['c', 'd']])
results = [tf.sets.set_intersection(a, b), tf.sets.set_union(a, b), tf.sets.set_difference(a, b), tf.sets.set_difference(a, b, aminusb=False),
           tf.sets.set_intersection(a, sb), tf.sets.set_intersection(sa, b), tf.sets.set_difference(sa, b), tf.sets.set_difference(a, sb),
           tf.sets.set_difference(sa, b, False), tf.sets.set_union(sa, sb), tf.sets.set_intersection(sa, sb, validate_indices=False),
           tf.sets.set_union(words, more), tf.sets.intersection(words, more)]
sizes = [tf.sets.set_size(r) for r in results[:4]] + [tf.sets.size(sa)]
for wrong in (lambda: tf.sets.set_size(a), lambda: tf.sets.set_union(tf.constant([[1.0]]), a), lambda: tf.sets.set_union(a, words)):
    try:
        wrong()
    except TypeError as e:
        print('TypeError', str(e)[:30])
with tf.Session() as sess:
    for value in sess.run(results):
        print(np.asarray(value.indices).tolist(), [v if isinstance(v, bytes) else int(v) for v in value.values], np.asarray(value.dense_shape).tolist())
    for value in sess.run(sizes):
        print(value.dtype, value.tolist())
