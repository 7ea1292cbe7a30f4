"""tf.train's input pipelines: producers, batches of all kinds, runners, summaries."""
import numpy as np
import tensorflow as tf


def told(function):
    try:
        print(function())
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0].split(' [')[0])


def values(sess, fetch, most=100):
    """What a fetch gives until it ends."""
    got = []
    try:
        for _ in range(most):
            got.append(sess.run(fetch))
    except tf.errors.OutOfRangeError as error:
        text = error.message.split('\n')[0]
        return got, text[:text.find(' ')], text[text.find("' is"):].split('\n')[0].split(' [')[0]
    return got, 'more'


tf.set_random_seed(3)
limited = tf.train.limit_epochs(tf.constant([1, 2]), num_epochs=2)
names = tf.train.string_input_producer(['a', 'b', 'c'], num_epochs=2, shuffle=False, name='names')
name = names.dequeue()
mixed = tf.train.string_input_producer(tf.constant(['u', 'v', 'w', 'x', 'y']), num_epochs=2, seed=4, capacity=10).dequeue()
numbers = tf.train.range_input_producer(4, num_epochs=1, shuffle=False, shared_name='numbers')
number = numbers.dequeue_many(2)
image, label = tf.train.slice_input_producer([np.arange(12, dtype=np.float32).reshape(6, 2), list(range(6))], num_epochs=1, shuffle=False)
rows = tf.train.input_producer(np.eye(3, dtype=np.float32), num_epochs=1, shuffle=False, summary_name='rows_full')
row = rows.dequeue()
print(name.name, number.name, image.shape, label.dtype, rows.name, row.shape)

pictures, labels = tf.train.batch([image, label], batch_size=4, allow_smaller_final_batch=True)
element = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
by_name = tf.train.batch({'square': tf.square(element), 'self': element}, 3, num_threads=1, capacity=8, name='by_name')
only = tf.train.batch({'only': tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()}, 2)
length = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
padded = tf.train.batch([tf.range(length), length], 2, dynamic_pad=True, shapes=[[None], []])
drawn = tf.train.shuffle_batch([tf.train.range_input_producer(20, num_epochs=1, shuffle=False, capacity=20).dequeue_many(20)], 6,
                               capacity=40, min_after_dequeue=10, seed=11, enqueue_many=True)
joined = tf.train.batch_join([[tf.constant(1)], [tf.constant(2)]], 4)
shuffled_join = tf.train.shuffle_batch_join([[tf.constant(1.0), tf.zeros([2])], [tf.constant(2.0), tf.ones([2])]], 4, 20, 5, seed=2)
even = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
evens = tf.train.maybe_batch([even], tf.equal(even % 2, 0), 2)
five = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue_many(5)
odds = tf.train.maybe_batch([five], tf.equal(five % 2, 1), 5, enqueue_many=True)
maybe_drawn = tf.train.maybe_shuffle_batch([even], 2, 10, 1, True, seed=1)
print([str(t.shape) for t in (pictures, labels, by_name['square'], only['only'], padded[0], drawn, joined, evens, odds)], padded[1].name)
print(sorted(v.name for v in tf.local_variables()))
print([(r.name, [op.name for op in r.enqueue_ops], r.close_op.name, r.cancel_op.name) for r in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)])
print([s.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)])

told(lambda: tf.train.limit_epochs(tf.constant(1), 0))
told(lambda: tf.train.string_input_producer([]))
told(lambda: tf.train.slice_input_producer([]))
told(lambda: tf.train.input_producer(tf.placeholder(tf.float32, [None, None])))
told(lambda: tf.train.shuffle_batch([1], 2, 5, 5))
told(lambda: tf.train.batch([], 2))
told(lambda: tf.train.maybe_batch([1], [True, False], 2))
told(lambda: tf.train.batch_join([[1], [1.0]], 2))
told(lambda: tf.train.batch([tf.placeholder(tf.float32)], 2))

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    told(lambda: [sess.run(limited).tolist() for _ in range(2)])
    told(lambda: sess.run(limited))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    print(len(threads))
    print(values(sess, name))
    got, kind, text = values(sess, mixed)
    print([v.decode() for v in got], kind, text)
    print(values(sess, number))
    print([v.tolist() for v in values(sess, row)[0]])
    print([(p.tolist(), l.tolist()) for p, l in values(sess, [pictures, labels])[0]])
    print([sorted((k, v.tolist()) for k, v in d.items()) for d in values(sess, by_name)[0]])
    print([d['only'].tolist() for d in values(sess, only)[0]])
    print([(v.tolist(), n.tolist()) for v, n in values(sess, padded)[0]])
    print(sorted(np.concatenate(values(sess, drawn)[0]).tolist()))
    print(set(np.concatenate(values(sess, joined, 20)[0]).tolist()) <= {1, 2})
    print([v.shape for v in sess.run(shuffled_join)])
    print([v.tolist() for v in values(sess, odds)[0]])
    coord.request_stop()
    coord.join(threads)
    print(all(not t.is_alive() for t in threads), coord.should_stop())
