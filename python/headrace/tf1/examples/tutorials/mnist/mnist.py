"""The network of TensorFlow's MNIST tutorial: two hidden layers of ReLUs and a linear layer.

inference() builds it up to the logits, loss() adds the loss, training() the ops that a training step runs, evaluation() counts right
answers.
"""
import math

import headrace.tf1 as tf

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _layer(name, inputs, width, units):
    with tf.name_scope(name):
        weights = tf.Variable(tf.truncated_normal([width, units], stddev=1.0 / math.sqrt(float(width))), name='weights')
        biases = tf.Variable(tf.zeros([units]), name='biases')
        product = tf.matmul(inputs, weights) + biases
        return product if name == 'softmax_linear' else tf.nn.relu(product)


def inference(images, hidden1_units, hidden2_units):
    """Logits of images. Shapes: [N, 784] -> [N, 10]."""
    hidden1 = _layer('hidden1', images, IMAGE_PIXELS, hidden1_units)
    hidden2 = _layer('hidden2', hidden1, hidden1_units, hidden2_units)
    return _layer('softmax_linear', hidden2, hidden2_units, NUM_CLASSES)


def loss(logits, labels):
    """The mean cross entropy. Shapes: [N, 10], [N] integers -> scalar."""
    return tf.losses.sparse_softmax_cross_entropy(labels=tf.to_int64(labels), logits=logits)


def training(loss, learning_rate):  # pylint: disable=redefined-outer-name
    """The op of one step of gradient descent, which counts `global_step`; a summary of the loss."""
    tf.summary.scalar('loss', loss)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    global_step = tf.Variable(0, name='global_step', trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits, labels):
    """How many of a batch are classified right. Shapes: [N, 10], [N] -> scalar int32."""
    correct = tf.nn.in_top_k(logits, labels, 1)
    return tf.reduce_sum(tf.cast(correct, tf.int32))
