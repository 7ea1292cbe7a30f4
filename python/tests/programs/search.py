"""Sorting, searching, histograms, repeating, scatters into tensors, stateless random numbers, and other smaller ops."""
import numpy as np
import tensorflow as tf


def tried(function):
    try:
        function()
        print('passed')
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0].split(' [')[0])


x = tf.placeholder(tf.float32, [2, 3], name='x')
u = tf.placeholder(tf.float32, [None, 3], name='u')
i = tf.placeholder(tf.int32, [2, 2], name='i')
out = [tf.sort(x), tf.sort(x, axis=0), tf.sort(x, direction='DESCENDING'), tf.argsort(x), tf.argsort(u, axis=0, direction='DESCENDING'),
       tf.searchsorted([[1., 3., 5.]], [[2., 3., 6., 0.]]), tf.searchsorted([[1., 3., 5.]], [[2., 3., 6., 0.]], side='right', name='upper'),
       tf.histogram_fixed_width(x, [0.0, 5.0], nbins=5), tf.histogram_fixed_width_bins(x, [0.0, 5.0], nbins=5), tf.batch_gather(x, i),
       tf.batch_gather(u, i), tf.roll(x, 1, 1), tf.manip.roll(x, shift=[1, -1], axis=[0, 1]),
       tf.unravel_index([3, 5], [2, 3]), tf.tensor_scatter_update(x, [[0, 1]], [9.0]), tf.tensor_scatter_nd_add(x, [[1]], [[1.0, 1.0, 1.0]]),
       tf.tensor_scatter_sub(x, [[1, 2]], [2.0]), tf.lbeta(x), tf.math.bessel_i0(x), tf.math.bessel_i1(x),
       tf.math.multiply_no_nan(x, [0.0, 1.0, 2.0]), tf.math.reciprocal_no_nan(x), tf.math.polyval([2.0, 1.0, 0.5], x), tf.math.nextafter(x, x),
       tf.math.unsorted_segment_sqrt_n(x, [0, 0], 2), tf.sparse_matmul(x, tf.ones([3, 2])), tf.guarantee_const(x),
       tf.fingerprint(['a', 'bc']), tf.verify_tensor_all_finite(x, 'bad'), tf.where_v2(x > 2.0, x, 0.0),
       tf.space_to_batch_nd(tf.ones([1, 4, 1]), [2], [[0, 0]]), tf.batch_to_space_nd(tf.ones([2, 2, 1]), [2], [[0, 0]]),
       tf.required_space_to_batch_paddings([5, 3], [2, 2]), tf.fake_quant_with_min_max_args(x, min=0, max=4),
       tf.fake_quant_with_min_max_vars(x, 0.0, 4.0), tf.quantization.quantize_and_dequantize(x, 0.0, 4.0, range_given=True),
       tf.random.stateless_uniform([2, 2], [3, 4]), tf.random.stateless_uniform([3], [1, 2], maxval=10, dtype=tf.int32),
       tf.random.stateless_normal([2], [5, 6], mean=1.0), tf.random.stateless_truncated_normal([2], tf.constant([5, 6]), stddev=0.5),
       tf.random.stateless_categorical([[0.1, 0.9]], 3, [1, 1]), tf.math.zero_fraction(x), tf.math.softplus(x), tf.math.top_k(x, 2),
       tf.raw_ops.Add(x=x, y=x), tf.raw_ops.Cumsum(x=x, axis=1, reverse=True)]
grads = tf.gradients([tf.sort(x), tf.tensor_scatter_nd_add(x, [[1]], [[1.0, 1.0, 1.0]]), tf.roll(x, 1, 1),
                      tf.fake_quant_with_min_max_args(x, min=0, max=4)], x)
print([getattr(o, 'name', None) for o in out], [str(getattr(o, 'shape', None)) for o in out[:26]])
print(tf.executing_eagerly(), tf.get_static_value(tf.constant([1, 2])).tolist())
with tf.control_dependencies([x]):
    with tf.init_scope():
        free = tf.constant(1.0, name='free')
tables = tf.tables_initializer()
print(free.op.control_inputs, tables.name, tf.make_ndarray(tf.make_tensor_proto([1.0, 2.0])).tolist())
tried(lambda: tf.sort(x, direction='UP'))
tried(lambda: tf.sort(x, axis=[0]))
tried(lambda: tf.searchsorted([[1.]], [[1.]], side='middle'))
tried(lambda: tf.batch_gather(u, tf.placeholder(tf.int32)))
tried(lambda: tf.random.stateless_uniform([2], [1, 2], dtype=tf.int32))
tried(lambda: tf.random.stateless_uniform([2], [1, 2], dtype=tf.string))
with tf.Session() as sess:
    feed = {x: [[3.0, 1.0, 2.0], [0.5, 4.0, 0.0]], u: [[3.0, 1.0, 2.0], [0.5, 4.0, 0.0]], i: [[0, 2], [1, 1]]}
    for value in sess.run(out + grads, feed):
        if isinstance(value, tuple):
            print([np.round(v, 4).tolist() for v in value])
        else:
            print(np.round(value, 4).tolist())
    tried(lambda: sess.run(out[28], {x: [[np.nan, 1.0, 2.0], [0.5, 4.0, 0.0]]}))
