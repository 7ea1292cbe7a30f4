"""Sparse tensors through tf.train's batches."""
import numpy as np
import tensorflow as tf

n = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
one = tf.SparseTensor(tf.cast(tf.reshape(tf.range(n), [-1, 1]), tf.int64), tf.fill([n], n), [4])
batch, label = tf.train.batch([one, n], 2)
many = tf.train.batch({'rows': tf.sparse_placeholder(tf.float32, [3, 4], name='rows')}, 3, enqueue_many=True)
kept, kept_n = tf.train.maybe_batch([one, n], tf.greater(n, 1), 2)
chosen = tf.train.maybe_batch([tf.sparse_placeholder(tf.float32, [3, 4], name='more'), tf.constant([1, 2, 3])],
                              tf.constant([True, False, True]), 2, enqueue_many=True)
join = tf.train.shuffle_batch_join([[one, n], [one, n]], 2, 8, 2, seed=3)
print(batch.indices.shape, batch.dense_shape.shape, label.name, kept.values.name)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    threads = [t for r in runners[:2] for t in r.create_threads(sess, coord, start=True)]
    for _ in range(2):
        value, numbers = sess.run([batch, label])
        print([part.tolist() for part in value], numbers.tolist())
    rows = tf.SparseTensorValue(np.array([[0, 1], [2, 0], [2, 3]]), np.array([1, 2, 3], np.float32), [3, 4])
    sess.run(runners[2].enqueue_ops[0], {'rows/indices:0': rows[0], 'rows/values:0': rows[1]})
    print([part.tolist() for part in sess.run(many['rows'])])
    sess.run(runners[4].enqueue_ops[0], {'more/indices:0': rows[0], 'more/values:0': rows[1]})
    value, numbers = sess.run(chosen)
    print([part.tolist() for part in value], numbers.tolist())
    coord.request_stop()
    coord.join(threads)
