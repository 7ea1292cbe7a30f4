"""slim.evaluation: metrics of a checkpoint over several batches, once and in a loop; layers with partitioned variables."""
import os
import tempfile

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
folder, logs = tempfile.mkdtemp(), tempfile.mkdtemp()
rng = np.random.RandomState(0)
features, classes = rng.rand(12, 4).astype(np.float32), rng.randint(0, 3, 12)


def model():
    tf.set_random_seed(6)
    with tf.variable_scope('net', partitioner=tf.fixed_size_partitioner(2)):
        h = slim.fully_connected(tf.constant(features), 6, weights_regularizer=slim.l2_regularizer(0.1), variables_collections=['all'])
        return slim.fully_connected(h, 3, activation_fn=None, normalizer_fn=slim.batch_norm)


with tf.Graph().as_default():
    loss = tf.losses.sparse_softmax_cross_entropy(tf.constant(classes), model())
    train_op = slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.5))
    print('%.4f' % slim.learning.train(train_op, folder, number_of_steps=4, log_every_n_steps=0))

with tf.Graph().as_default():
    predictions = tf.argmax(model(), 1)
    names, updates = slim.metrics.aggregate_metric_map({'accuracy': slim.metrics.streaming_accuracy(predictions, tf.constant(classes))})
    print(['%.4f' % v for v in slim.evaluation.evaluation_loop(
        '', folder, logs, num_evals=2, eval_op=list(updates.values()), final_op=list(names.values()), max_number_of_evaluations=1,
        eval_interval_secs=0)])

predictions = tf.argmax(model(), 1)
names, updates = slim.metrics.aggregate_metric_map({'accuracy': slim.metrics.streaming_accuracy(predictions, tf.constant(classes))})
tf.train.get_or_create_global_step()
tf.summary.scalar('accuracy', names['accuracy'])
print([v.name for v in tf.get_collection('all')], [v.name for v in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
print([v.name for v in tf.model_variables()])
result = slim.evaluation.evaluate_once(
    '', tf.train.latest_checkpoint(folder), logs, num_evals=3, eval_op=updates, final_op=names,
    variables_to_restore=slim.get_variables_to_restore())
print({key: '%.4f' % value for key, value in result.items()}, sorted(os.listdir(logs))[0][:16])
print([v.name for v in tf.local_variables()])
