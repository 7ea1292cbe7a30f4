"""Metrics of the k best predictions."""
import numpy as np
import tensorflow as tf

m = tf.metrics
scores = tf.constant(np.random.RandomState(3).rand(4, 5).astype(np.float32))
labels = tf.constant([[0, 2], [1, 4], [3, 3], [2, 9]], tf.int64)
single = tf.constant([0, 4, 3, 1], tf.int64)
sparse = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [3, 0]], tf.constant([2, 1, 4, 0], tf.int64), [4, 3])
weights = tf.constant([1.0, 0.5, 2.0, 1.0])
ids = tf.constant([[0, 1], [4, 1], [3, 2], [2, 0]], tf.int64)
unknown = tf.placeholder(tf.int64, name='unknown')
pairs = [m.recall_at_k(labels, scores, 2), m.recall_at_k(single, scores, 3), m.recall_at_k(sparse, scores, 2, weights=weights),
         m.recall_at_k(labels, scores, 2, class_id=2), m.recall_at_k(sparse, scores, 2, class_id=4, name='mine'),
         m.recall_at_top_k(labels, ids), m.recall_at_top_k(single, ids, k=2, metrics_collections=['values'], updates_collections=['ups']),
         m.precision_at_k(labels, scores, 2), m.precision_at_k(labels, scores, 3, class_id=1, weights=weights),
         m.precision_at_top_k(labels, ids, class_id=3), m.precision_at_top_k(sparse, ids, k=2), m.sparse_precision_at_k(single, scores, 1),
         m.average_precision_at_k(labels, scores, 3), m.average_precision_at_k(labels, scores, 1, weights=weights),
         m.average_precision_at_k(single, scores, 2), m.sparse_average_precision_at_k(sparse, scores, 3), m.recall_at_k(unknown, scores, 2)]
try:
    m.average_precision_at_k(labels, scores, 0)
except ValueError as e:
    print('ValueError', e)
try:
    m.recall_at_top_k(tf.constant([[[1]]], tf.int64), ids)
except ValueError as e:
    print('ValueError', e)
print(len(tf.get_collection('values')), len(tf.get_collection('ups')), len(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)))
feed = {unknown: [[0, 2], [1, 4], [3, 3], [2, 0]]}
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for _ in range(2):
        print(['%.5f' % v for v in sess.run([p[1] for p in pairs], feed)])
    print(['%.5f' % v for v in sess.run([p[0] for p in pairs])])
