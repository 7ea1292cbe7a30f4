"""Summaries of a network while it is trained: names in scopes, the event file, run metadata, the projector's config."""
import glob
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
tf.set_random_seed(6)


def summaries(var, name):
    with tf.name_scope('summaries'):
        tf.summary.histogram(name, var)
        mean = tf.reduce_mean(var)
        tf.summary.scalar('mean/' + name, mean)
        tf.summary.scalar('stddev/' + name, tf.sqrt(tf.reduce_mean(tf.square(var - mean))))


def layer(x, rows, columns, name, act=tf.nn.relu):
    with tf.name_scope(name):
        with tf.name_scope('weights'):
            w = tf.Variable(tf.truncated_normal([rows, columns], stddev=0.1))
            summaries(w, name + '/weights')
        with tf.name_scope('biases'):
            b = tf.Variable(tf.constant(0.0, shape=[columns]))
            summaries(b, name + '/biases')
        with tf.name_scope('Wx_plus_b'):
            pre = tf.matmul(x, w) + b
            tf.summary.histogram(name + '/pre_activations', pre)
        return act(pre, name='activation')


with tf.name_scope('input'):
    x = tf.placeholder(tf.float32, [None, 16], name='x-input')
    y_ = tf.placeholder(tf.float32, [None, 3], name='y-input')
with tf.name_scope('input_reshape'):
    tf.summary.image('input', tf.reshape(x, [-1, 4, 4, 1]), 2)
y = layer(layer(x, 16, 8, 'layer1'), 8, 3, 'layer2', act=tf.identity)
with tf.name_scope('cross_entropy'):
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=y, labels=y_))
    tf.summary.scalar('cross_entropy', loss)
with tf.name_scope('train'):
    train = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.name_scope('accuracy'):
    with tf.name_scope('correct_prediction'):
        correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    with tf.name_scope('accuracy'):
        accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
    tf.summary.scalar('accuracy', accuracy)
merged = tf.summary.merge_all()
rng = np.random.RandomState(0)
with tf.Session() as sess:
    writer = tf.summary.FileWriter(folder, sess.graph)
    tf.global_variables_initializer().run()
    for i in range(30):
        kinds = rng.randint(0, 3, 12)
        feed = {x: rng.rand(12, 16) + kinds[:, None] * 0.2, y_: np.eye(3)[kinds]}
        if i % 15 == 0:
            metadata = tf.RunMetadata()
            summary, _ = sess.run([merged, train], feed, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
            writer.add_run_metadata(metadata, 'step%03d' % i, i)
        else:
            summary, _ = sess.run([merged, train], feed)
        writer.add_summary(summary, i)
writer.close()
files = glob.glob(os.path.join(folder, 'events.out.tfevents.*'))
print(len(files))
tags = {}
for event in tf.train.summary_iterator(files[0]):
    for value in event.summary.value:
        tags[value.tag] = value.WhichOneof('value')
        if value.tag in ('cross_entropy/cross_entropy', 'layer1/weights/summaries/mean/layer1/weights') and event.step % 10 == 0:
            print(event.step, value.tag, '%.5f' % value.simple_value)
    if event.WhichOneof('what') in ('graph_def', 'meta_graph_def', 'tagged_run_metadata', 'file_version'):
        print(event.step, event.WhichOneof('what'))
print(sorted(tags.items()))
