"""Sparse tensors: making, feeding, fetching, arithmetic, shapes, strings, gradients, errors."""
import numpy as np
import tensorflow as tf


def tried(function):
    try:
        print('passed', type(function()).__name__)
    except (ValueError, TypeError, RuntimeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split(' [')[0])


def shown(value):
    if isinstance(value, (list, tuple)) and not isinstance(value, tf.SparseTensorValue):
        return '(%s)' % ' '.join(shown(v) for v in value)
    if isinstance(value, tf.SparseTensorValue):
        return 'sparse %s %s %s' % tuple(np.asarray(v).tolist() for v in value)
    return str(np.asarray(value).tolist())


a = tf.SparseTensor(indices=[[0, 1], [1, 0], [1, 2]], values=[1.0, 2.0, 3.0], dense_shape=[2, 3])
b = tf.SparseTensor([[0, 0], [1, 2]], [4.0, -3.0], [2, 3])
p = tf.sparse_placeholder(tf.float32, name='p')
q = tf.sparse_placeholder(tf.float32, shape=[None, 3], name='q')
fixed = tf.sparse_placeholder(tf.float32, shape=[2, 3], name='fixed')
r = tf.sparse_placeholder(tf.int64, shape=[None, 3])
d = tf.placeholder(tf.float32, [2, 3], name='d')
print(a, a.get_shape(), p.shape, fixed.shape, r.shape, a.dtype.name)
ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([3, 1, 2], tf.int64), [2, 2])
out = [a, tf.sparse_tensor_to_dense(a), tf.sparse_tensor_to_dense(p, default_value=-1.0, name='dense'),
       tf.sparse_to_dense([1, 3], [4], [5, 6], default_value=9), tf.sparse_add(a, b), tf.sparse_add(p, q, threshold=0.5),
       tf.sparse_add(a, d), tf.sparse_add(d, p), tf.sparse_tensor_dense_matmul(a, d, adjoint_b=True),
       tf.sparse_tensor_dense_matmul(p, d, adjoint_a=True, name='product'), tf.sparse_reduce_sum(a), tf.sparse_reduce_sum(p, axis=1),
       tf.sparse_reduce_sum(p, 0, keepdims=True), tf.sparse_reduce_max(a, [0]), tf.sparse_reduce_sum_sparse(a, axis=1),
       tf.sparse_reduce_max_sparse(p, axis=0), tf.sparse_concat(1, [a, b]), tf.sparse_concat(0, [p, a], name='joined'),
       tf.sparse_concat(-1, [a, tf.SparseTensor([[0, 0]], [7.0], [3, 1])], expand_nonconcat_dim=True),
       tf.sparse_split(sp_input=a, num_split=2, axis=1), tf.sparse_slice(a, [0, 1], [2, 2]), tf.sparse_reorder(p),
       tf.sparse_reshape(a, [3, -1]), tf.sparse_reshape(p, [-1]), tf.sparse_retain(a, [True, False, True]),
       tf.sparse_reset_shape(a), tf.sparse_reset_shape(a, [3, 4]), tf.sparse_reset_shape(p, [4, 4]),
       tf.sparse_fill_empty_rows(tf.SparseTensor([[0, 1]], [1.0], [3, 2]), 5.0), tf.sparse_softmax(a), tf.sparse_maximum(a, b),
       tf.sparse_minimum(a, b), tf.sparse_transpose(a), tf.sparse_transpose(p, [1, 0]), tf.sparse_to_indicator(ids, 5),
       tf.sparse_merge(ids, tf.SparseTensor(ids.indices, [0.1, 0.2, 0.3], ids.dense_shape), 4), a * d, p / d, a * 2.0, d * a,
       tf.square(a), tf.negative(p), tf.cast(a, tf.int32), tf.deserialize_many_sparse(tf.serialize_many_sparse(a), tf.float32),
       tf.sparse.from_dense(d), tf.sparse.eye(2, 3), tf.sparse.expand_dims(a, 1), tf.shape(a), tf.size(a), tf.rank(a)]
serialized = tf.serialize_sparse(a)
grads = tf.gradients([tf.sparse_tensor_to_dense(p), tf.sparse_reduce_sum(p, 1), tf.sparse_add(p, d)], [p.values, d])
masked = tf.sparse_mask(tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([0, 2, 4])), [2])
print(serialized.shape, [o.name for o in out if isinstance(o, tf.Tensor)])
tried(lambda: tf.SparseTensor([[0, 0]], [1.0, 2.0], [2, 2]))
tried(lambda: tf.SparseTensor([0, 0], [1.0], [2, 2]))
tried(lambda: tf.sparse_add(d, d))
tried(lambda: tf.sparse_reshape(a, [4, 2]))
tried(lambda: tf.sparse_reshape(a, [-1, -1]))
tried(lambda: tf.sparse_reset_shape(a, [1, 1]))
tried(lambda: tf.sparse_split(a, 2, 1))
tried(lambda: tf.sparse_split(sp_input=a, axis=1))
tried(lambda: tf.sparse_reorder(d))
tried(lambda: tf.sparse_merge(ids, a, 'many'))
tried(lambda: tf.convert_to_tensor_or_sparse_tensor(a, tf.int32))
tried(lambda: tf.convert_to_tensor_or_sparse_tensor(tf.SparseTensorValue([[0]], [1.0], [2])))
with tf.Session() as sess:
    feed = {p: tf.SparseTensorValue([[0, 2], [1, 1]], [0.25, 2.0], [2, 3]), q: ([[0, 2], [1, 0]], [-0.125, 3.0], [2, 3]),
            d: [[1.0, 2.0, 0.0], [4.0, 0.0, 6.0]]}
    for o, v in zip(out, sess.run(out, feed)):
        print(shown(v))
    print(shown(sess.run(grads, feed)), shown(sess.run([masked.values, masked.indices])))
    print(shown(a.eval()), sess.run(serialized).shape, shown(sess.run({'p': p}, feed)['p']))
    tried(lambda: sess.run(tf.sparse_tensor_to_dense(tf.SparseTensor([[1], [0]], [1.0, 2.0], [2]))))
