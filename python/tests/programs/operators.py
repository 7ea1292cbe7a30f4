"""Operators, slices, conversions: names and values."""
import numpy as np
import tensorflow as tf

a = tf.constant([[1., 2., 3.], [4., 5., 6.]])
i = tf.constant([7, -7, 2])
v = tf.Variable([1., 2., 3.])
results = [a + 1, 2 - a, a * v, a / 2.0, 3.0 / a, i / 2, i // 2, i % 4, -a, abs(i), a ** 2, a > 2, a <= v, a[0], a[:, 1:], a[..., tf.newaxis],
           a[::-1, -1], i[1], tf.matmul(a, a, transpose_b=True), tf.reduce_sum(a), tf.reduce_mean(a, 1), tf.reduce_max(a, [0, 1], keepdims=True),
           tf.concat([a, a], 0), tf.stack([a[0], a[1]]), tf.stack([i, i], axis=1), tf.transpose(a), tf.reshape(a, [-1]),
           tf.cast(a, tf.int32), tf.argmax(a, 1), tf.equal(i, [7, 7, 2]), tf.one_hot(i, 3), tf.where(a > 2, a, tf.zeros_like(a)),
           tf.clip_by_value(a, 2, 5), tf.expand_dims(a, 1), tf.squeeze([[1.0]]), tf.tile(a, [1, 2]), tf.pad(a, [[1, 0], [0, 1]]),
           tf.gather(a, [1, 0]), tf.range(3), tf.linspace(0.0, 1.0, 3), tf.fill([2], 9), tf.shape(a), tf.size(a), tf.rank(a),
           tf.add_n([a, a]), tf.pow(a, 2.0), tf.maximum(a, 3), tf.logical_and(a > 1, a < 5), tf.convert_to_tensor([v[0], 2.0]),
           tf.split(a, 3, axis=1)[1], tf.unstack(a)[0], tf.cumsum(a, axis=1), tf.sigmoid(a), tf.tanh(a), tf.square(a), tf.zeros([2, 2]),
           tf.ones([2], tf.int32), tf.truediv(i, 4), tf.div(i, 2), tf.floordiv(a, 2.0), tf.nn.softmax(a), tf.sequence_mask([1, 3], 3),
           tf.boolean_mask(a, [True, False]), tf.tensordot(a, a, [[1], [1]])]
for r in results:
    print(r.name, r.dtype.name, r.get_shape())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for r, value in zip(results, sess.run(results)):
        print(r.op.name, np.array2string(np.asarray(value), precision=4, separator=','))
