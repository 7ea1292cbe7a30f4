"""Checkpoints: names that differ from the variables', averages restored in their place, graphs from meta files, latest ones."""
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
path = os.path.join(folder, 'model.ckpt')


def show(*values):
    print(*['%.6g' % float(np.ravel(v)[0]) for v in values])


v = tf.Variable(0, dtype=tf.float32, name='v')
print([x.name for x in tf.global_variables()])
average = tf.Variable(0, dtype=tf.float32, name='v/ExponentialMovingAverage', trainable=False)
maintain = average.assign_sub((average - v) * 0.01)
print([x.name for x in tf.global_variables()], tf.train.ExponentialMovingAverage(0.99).average_name(v))
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.assign(v, 10))
    sess.run(maintain)
    print(os.path.basename(saver.save(sess, path)), sorted(os.listdir(folder)))
    show(*sess.run([v, average]))
    for i in (3, 7):
        saver.save(sess, path, global_step=i, write_meta_graph=False)
print(os.path.basename(tf.train.latest_checkpoint(folder)), sorted(f for f in os.listdir(folder) if f.endswith('.index')))
with tf.Graph().as_default(), tf.Session() as sess:
    v = tf.Variable(0, dtype=tf.float32, name='v')
    other = tf.train.ExponentialMovingAverage(0.99)
    print(sorted((k, x.name) for k, x in other.variables_to_restore().items()))
    tf.train.Saver(other.variables_to_restore()).restore(sess, path)
    show(sess.run(v))
    tf.train.Saver({'v': v}).restore(sess, tf.train.latest_checkpoint(folder))
    show(sess.run(v))
    try:
        tf.train.Saver({'absent': v}).restore(sess, path)
    except tf.errors.NotFoundError as e:
        print('absent' in e.message, 'not found in checkpoint' in e.message)
with tf.Graph().as_default() as graph, tf.Session() as sess:
    again = tf.train.import_meta_graph(path + '.meta')
    again.restore(sess, path)
    show(*sess.run(['v:0', graph.get_tensor_by_name('v/ExponentialMovingAverage:0')]))
    print([x.name for x in tf.global_variables()], [x.name for x in tf.trainable_variables()])
print(tf.train.list_variables(path), float(tf.train.load_checkpoint(path).get_tensor('v')))
