"""slim.learning.train and tf.contrib.training.train: losses, files, going on from a checkpoint; summaries of slim; contrib.metrics, nn, util."""
import os
import tempfile

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
rng = np.random.RandomState(0)
features, classes = rng.rand(12, 4), rng.randint(0, 3, 12)


def build():
    tf.set_random_seed(6)
    h = slim.fully_connected(tf.constant(features, tf.float32), 6, scope='hidden')
    logits = slim.fully_connected(slim.batch_norm(h, decay=0.9), 3, activation_fn=None, scope='logits')
    loss = tf.losses.sparse_softmax_cross_entropy(tf.constant(classes), logits)
    slim.summaries.add_scalar_summary(loss, 'loss', prefix='losses')
    slim.summaries.add_histogram_summary(h)
    slim.summaries.add_zero_fraction_summary(h)
    return slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.5))


folder = tempfile.mkdtemp()
for steps in (5, 9):
    with tf.Graph().as_default():
        print('%.4f' % slim.learning.train(build(), folder, number_of_steps=steps, log_every_n_steps=0, save_summaries_secs=600))
    print(os.path.basename(tf.train.latest_checkpoint(folder)), os.path.exists(os.path.join(folder, 'graph.pbtxt')))
print(tf.contrib.framework.load_variable(folder, 'global_step'), [name for name, _ in tf.contrib.framework.list_variables(folder)])
train_op = build()
print('%.4f' % slim.learning.train(train_op, None, number_of_steps=3, log_every_n_steps=1, summary_writer=None))
for wrong in (lambda: slim.learning.train(None, folder), lambda: slim.learning.train(train_op, folder, number_of_steps=0),
              lambda: slim.learning.train(train_op, None, summary_op=train_op.op),
              lambda: slim.learning.train(train_op, None, trace_every_n_steps=2),
              lambda: tf.contrib.training.train(train_op, None)):
    try:
        wrong()
        print('no error')
    except ValueError as e:
        print(e)

with tf.Graph().as_default():
    tf.set_random_seed(6)
    w = tf.get_variable('w', initializer=[1.0, 2.0])
    op = tf.contrib.training.create_train_op(
        tf.reduce_sum(tf.square(w + 0.0)), tf.train.GradientDescentOptimizer(0.1), summarize_gradients=True,
        transform_grads_fn=tf.contrib.training.clip_gradient_norms_fn(0.5))
    print(op.name, sorted(s.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)))
    loss = tf.contrib.training.train(op, None, hooks=[tf.train.StopAtStepHook(4)], save_checkpoint_secs=None, save_summaries_steps=None)
    print('%.4f' % loss)
with tf.Graph().as_default(), tf.Session() as sess:
    tf.set_random_seed(6)
    predictions = tf.constant([1, 0, 1, 1])
    truth = tf.constant([1, 1, 1, 0])
    values, updates = tf.contrib.metrics.aggregate_metric_map({
        'accuracy': tf.contrib.metrics.streaming_accuracy(predictions, truth),
        'mean': tf.contrib.metrics.streaming_mean([1.0, 2.0], [1.0, 3.0]),
        'precision': slim.metrics.streaming_precision(predictions, truth),
        'recall': tf.contrib.metrics.streaming_recall(predictions=predictions, labels=truth)})
    sess.run(tf.local_variables_initializer())
    sess.run(list(updates.values()))
    print(sorted((key, '%.3f' % value) for key, value in sess.run(values).items()))
    print('%.3f' % sess.run(tf.contrib.metrics.accuracy(predictions, truth, weights=[1.0, 2.0, 1.0, 1.0])))
    dropped = tf.contrib.nn.alpha_dropout(tf.ones([2, 4]), 0.5, seed=1)
    print(['%.4f' % v for v in np.ravel(sess.run(dropped))])
    flipped = tf.contrib.nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(tf.constant([0.5, -1.0]), tf.constant([1.0, 0.0]))
    print(['%.4f' % v for v in sess.run(flipped)])
    print(tf.contrib.util.constant_value(tf.constant([3, 4])), tf.contrib.util.constant_value(flipped))
proto = tf.contrib.util.make_tensor_proto([[1.5, 2.0]], dtype=tf.float64)
print(tf.contrib.util.make_ndarray(proto), proto.dtype, proto.tensor_shape.dim[1].size)
