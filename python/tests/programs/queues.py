"""Queues by hand: all kinds, names of their nodes, order, closing, what errors say."""
import threading

import numpy as np
import tensorflow as tf


def told(function):
    try:
        print(function())
    except (ValueError, TypeError, tf.errors.OpError) as error:
        text = getattr(error, 'message', str(error)).split('\n')[0]
        print(type(error).__name__, text[text.find("' "):] if 'Queue \'' in text else text.split(' [')[0].split(', received 1')[0])


tf.set_random_seed(7)
fifo = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []])
named = tf.FIFOQueue(3, [tf.string, tf.int64], shapes=[[], []], names=['text', 'n'], shared_name='pairs', name='named')
shuffled = tf.RandomShuffleQueue(30, 4, tf.int32, shapes=[[]], seed=5)
same = tf.RandomShuffleQueue(30, 0, [tf.int32], [[]], shared_name='all')
padded = tf.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[[None, 2], [None]], name='scope/padded')
first = tf.PriorityQueue(10, [tf.string], shapes=[[]])
loose = tf.FIFOQueue(2, tf.float32)
print([q.name for q in (fifo, named, shuffled, same, padded, first, loose)], fifo.dtypes, fifo.shapes, named.names, loose.shapes)

x = tf.placeholder(tf.float32, [None, 2], name='x')
put = fifo.enqueue_many([x, [1, 2, 3]])
one = fifo.enqueue((tf.zeros([2]), 9), name='one')
a, b = fifo.dequeue()
many, up_to = fifo.dequeue_many(2), fifo.dequeue_up_to(5, name='rest')
print(a.shape, b.shape, [t.shape for t in many], [str(t.shape) for t in up_to], put.name, one.name, a.name, many[0].name, up_to[0].name)
put_named = named.enqueue({'text': 'hello', 'n': 3})
put_names = named.enqueue_many({'n': [4, 5], 'text': ['a', 'b']})
got_named, got_names = named.dequeue(), named.dequeue_many(2)
put_shuffled, got_shuffled, next_shuffled = shuffled.enqueue_many([list(range(20))]), shuffled.dequeue_many(8), shuffled.dequeue()
p = tf.placeholder(tf.int32, [None, 2], name='p')
s = tf.placeholder(tf.string, [None], name='s')
put_padded, got_padded = padded.enqueue([p, s]), padded.dequeue_many(3)
put_first, got_first = first.enqueue_many([[5, 1, 3, 1], ['e', 'a', 'c', 'b']]), first.dequeue_many(4)
chosen = tf.QueueBase.from_list(tf.placeholder_with_default(1, [], name='which'), [tf.FIFOQueue(4, [tf.int32], [[]], name='q0'),
                                                                                   tf.FIFOQueue(4, [tf.int32], [[]], name='q1')])
put_chosen, got_chosen, size_chosen = chosen.enqueue(4), chosen.dequeue(), chosen.size()
sizes = [q.size() for q in (fifo, named, shuffled, padded, first)]
closed, close, cancel = fifo.is_closed(), fifo.close(), fifo.close(cancel_pending_enqueues=True, name='cancel')
loose_put, loose_get, loose_many = loose.enqueue([tf.constant([[1.0]])]), loose.dequeue(), loose.dequeue_many(1)

told(lambda: fifo.enqueue([tf.zeros([3]), 1]))
told(lambda: fifo.enqueue_many([tf.zeros([2, 2]), tf.zeros([3], tf.int32)]))
told(lambda: named.enqueue(['a', 1]))
told(lambda: fifo.enqueue({'a': 1}))
told(lambda: named.enqueue({'text': 'a'}))
told(lambda: tf.FIFOQueue(3, [tf.int32], [[None]]))
told(lambda: tf.FIFOQueue(3, [tf.int32, tf.int32], [[]]))
told(lambda: tf.FIFOQueue(3, [tf.int32], names=['a', 'b']))
told(lambda: tf.PaddingFIFOQueue(3, [tf.int32], [[], []]))
told(lambda: tf.QueueBase.from_list(0, [fifo, shuffled]))
told(lambda: tf.QueueBase.from_list(0, []))

with tf.Session() as sess:
    sess.run(put, {x: [[1, 2], [3, 4], [5, 6]]})
    sess.run(one)
    print([int(n) for n in sess.run(sizes)])
    print([v.tolist() for v in sess.run([a, b])], [v.tolist() for v in sess.run(many)])
    print(sess.run(closed))
    sess.run(close)
    print(sess.run(closed), [v.tolist() for v in sess.run(up_to)])
    told(lambda: sess.run(a))
    told(lambda: sess.run(many))
    told(lambda: sess.run(one))
    told(lambda: sess.run(close))
    sess.run([put_named])
    sess.run(put_names)
    print(sorted((k, v if k == 'text' else int(v)) for k, v in sess.run(got_named).items()), sorted((k, v.tolist()) for k, v in sess.run(got_names).items()))
    sess.run(put_shuffled)
    print(sess.run(got_shuffled).tolist(), [int(sess.run(next_shuffled)) for _ in range(8)])
    for rows, words in (([[1, 2]], ['a']), ([[3, 4], [5, 6]], []), (np.zeros([0, 2]), ['b', 'c', 'd'])):
        sess.run(put_padded, {p: rows, s: words})
    print([v.tolist() for v in sess.run(got_padded)])
    sess.run(put_first)
    print([v.tolist() for v in sess.run(got_first)])
    sess.run([put_chosen])
    sess.run(put_chosen, {'which:0': 0})
    print(sess.run(size_chosen), sess.run(got_chosen), sess.run(size_chosen), sess.run(size_chosen, {'which:0': 0}))
    sess.run(loose_put)
    print(sess.run(loose_get).tolist())
    told(lambda: sess.run(loose_many))

    # One step waits until another brings what it wants; another is ended before.
    results = []
    waiting = threading.Thread(target=lambda: results.append(sess.run(loose_get).tolist()))
    waiting.start()
    sess.run(loose_put)
    waiting.join()
    print(results)
    try:
        sess.run(loose_get, options=tf.RunOptions(timeout_in_ms=50))
    except tf.errors.DeadlineExceededError as error:
        print(type(error).__name__)
    print(sess.run(loose.size(name='left')))
