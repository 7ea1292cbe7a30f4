"""Accumulators of gradients, dense and sparse."""
import numpy as np
import tensorflow as tf


def told(function):
    try:
        result = function()
        print(result.tolist() if isinstance(result, np.ndarray) else result)
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0].split(' [[')[0])


g = tf.placeholder(tf.float32, name='g')
step = tf.placeholder(tf.int64, [], name='step')
dense = tf.ConditionalAccumulator(tf.float32, shape=[2])
total = tf.ConditionalAccumulator(tf.float64, reduction_type='SUM', shared_name='total', name='scope/total')
apply, take, count = dense.apply_grad(g, local_step=step), dense.take_grad(2), dense.num_accumulated()
apply_total, take_total = total.apply_grad(tf.constant([1.0, 2.0], tf.float64)), total.take_grad(1, name='taken')
back = dense.set_global_step(5, name='back')
print(dense.name, total.name, dense.dtype, take.name, take.shape, take_total.shape, count.name, apply.name)

i = tf.placeholder(tf.int64, [None], name='i')
sparse = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
put, taken = sparse.apply_grad(i, g, local_step=step), sparse.take_grad(2)
slices = tf.IndexedSlices(g, i, tf.constant([4, 2], tf.int64))
put_slices, slices_taken = sparse.apply_indexed_slices_grad(slices, local_step=step, name='put_slices'), sparse.take_indexed_slices_grad(1)
sparse_count, sparse_step = sparse.num_accumulated(name='how_many'), sparse.set_global_step(7)
print(sparse.name, taken[0].name, slices_taken.values.name, sparse_count.name)
told(lambda: dense.apply_grad([1.0, 2.0, 3.0]))
try:
    tf.ConditionalAccumulator(tf.float32, [2], reduction_type='MAX')
except ValueError as error:
    print('reduction_type' in str(error))

with tf.Session() as sess:
    for number, grad in enumerate(([1, 2], [3, 5], [5, 11])):
        sess.run(apply, {g: grad, step: number})
    told(lambda: sess.run(count))
    told(lambda: sess.run(take))
    sess.run(apply, {g: [1, 1], step: 0})
    told(lambda: sess.run(count))
    sess.run(back)
    sess.run(apply, {g: [1, 1], step: 4})
    sess.run(apply, {g: [7, 7], step: 5})
    told(lambda: sess.run(count))
    told(lambda: sess.run(apply, {g: [1, 2, 3], step: 9}))
    sess.run([apply_total])
    sess.run(apply_total)
    told(lambda: sess.run(take_total))
    sess.run(put, {i: [0, 2], g: [[1, 2], [3, 4]], step: 0})
    sess.run(put_slices, {i: [2, 3], g: [[1, 2], [3, 4]], step: 0})
    told(lambda: sess.run(sparse_count))
    print([part.tolist() for part in sess.run(taken)])
    sess.run(put_slices, {i: [1], g: [[1, 2]], step: 1})
    value = sess.run(slices_taken)
    print(value.indices.tolist(), value.values.tolist(), value.dense_shape.tolist())
    sess.run(sparse_step)
    sess.run(put, {i: [1], g: [[1, 2]], step: 6})
    told(lambda: sess.run(sparse_count))
    told(lambda: sess.run(put, {i: [1, 2], g: [[1, 2]], step: 9}))
    told(lambda: sess.run(put, {i: [9], g: [[1, 2]], step: 9}))
    try:
        sess.run(take, options=tf.RunOptions(timeout_in_ms=50))
    except tf.errors.DeadlineExceededError as error:
        print(type(error).__name__)
