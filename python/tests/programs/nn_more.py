"""Morphology, pools, gradients of convolutions by name, safe embeddings, tf.nest."""
import collections

import numpy as np
import tensorflow as tf


def tried(function):
    try:
        function()
        print('passed')
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)


x = tf.placeholder(tf.float32, [1, 4, 4, 2], name='x')
v = tf.placeholder(tf.float32, [1, 3, 4, 4, 1], name='v')
k = tf.constant(np.arange(8).reshape(2, 2, 2) * 0.1, tf.float32)
w = tf.constant(np.arange(8).reshape(2, 2, 2, 1) * 0.1, tf.float32)
out = [tf.nn.dilation2d(x, k, [1, 1, 1, 1], [1, 1, 1, 1], 'SAME'), tf.nn.erosion2d(x, k, [1, 2, 2, 1], [1, 1, 1, 1], 'VALID'),
       tf.nn.max_pool_v2(x, 2, 2, 'VALID'), tf.nn.avg_pool_v2(x, [2, 2], [1, 1], 'SAME', name='mean'), tf.nn.max_pool_v2(v, 2, 1, 'VALID'),
       tf.nn.depthwise_conv2d_native_backprop_input([1, 4, 4, 2], w, x, [1, 1, 1, 1], 'SAME'),
       tf.nn.depthwise_conv2d_native_backprop_filter(x, [2, 2, 2, 1], x, [1, 1, 1, 1], 'SAME'),
       tf.nn.conv3d_backprop_filter_v2(v, [2, 2, 2, 1, 1], v, [1, 1, 1, 1, 1], 'SAME'), tf.nn.space_to_depth(x, 2),
       tf.nn.depth_to_space(tf.ones([1, 1, 1, 4]), 2)]
pooled = tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0], deterministic=True, seed=3, seed2=4)
table = tf.get_variable('table', initializer=np.arange(8).reshape(4, 2).astype(np.float32))
ids = tf.sparse_placeholder(tf.int64, [None, 2], name='ids')
weights = tf.sparse_placeholder(tf.float32, name='weights')
rows = [tf.nn.safe_embedding_lookup_sparse(table, ids), tf.nn.safe_embedding_lookup_sparse(table, ids, weights, combiner='sum', default_id=2),
        tf.nn.safe_embedding_lookup_sparse([table], ids, weights, name='mean_row')]
print([o.name for o in out], [str(o.shape) for o in out], [r.name for r in rows], [str(r.shape) for r in rows])
Point = collections.namedtuple('Point', 'x y')
nested = {'b': [1, (2, 3)], 'a': Point(4, {'z': 5, 'y': 6})}
print(tf.nest.flatten(nested), tf.nest.flatten(7), tf.nest.is_nested([]), tf.nest.is_nested('ab'))
made = tf.nest.map_structure(lambda a, b: a * b, nested, nested)
print(sorted(made.items()), tf.nest.pack_sequence_as([0, [0]], ['p', 'q']), tf.nest.pack_sequence_as(1, [2]))
tried(lambda: tf.nest.pack_sequence_as([0, [0]], [1]))
tried(lambda: tf.nest.assert_same_structure([1, 2], [1, [2]]))
tried(lambda: tf.nest.assert_same_structure([1, 2], (1, 2)))
tried(lambda: tf.nest.assert_same_structure([1, 2], (1, 2), check_types=False))
tried(lambda: tf.nest.map_structure(3, [1]))
tried(lambda: tf.nn.max_pool_v2(tf.zeros([2, 2]), 2, 1, 'SAME'))
print(tf.saved_model.SERVING, tf.saved_model.PREDICT_METHOD_NAME)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.arange(32).reshape(1, 4, 4, 2) % 7, v: np.arange(48).reshape(1, 3, 4, 4, 1) % 5,
            ids: ([[0, 0], [0, 1], [2, 0]], [1, 3, -1], [4, 2]), weights: ([[0, 0], [0, 1], [2, 0]], [1.0, 3.0, 1.0], [4, 2])}
    for value in sess.run(out + rows, feed):
        print(np.round(value, 3).tolist())
    print([p.tolist() for p in sess.run(pooled, feed)])
