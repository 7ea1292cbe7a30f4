#!/usr/bin/env python3
"""B3 with TensorFlow 2 on the CPU. Variants: `function`, a tf.function; `jit`, the same compiled by XLA."""
import os

import b3_common as b3

args = b3.arguments(["function", "jit"])
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import tensorflow as tf  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(args.threads)
tf.config.threading.set_inter_op_parallelism_threads(1)

weights = [tf.Variable(w) for w in b3.weights()]
images, labels = (tf.constant(x) for x in b3.batch(args.batch))


@tf.function(jit_compile=args.variant == "jit")
def step(images, labels):
    w1, b1, w2, b2 = weights
    with tf.GradientTape() as tape:
        logits = tf.nn.relu(images @ w1 + b1) @ w2 + b2
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        loss += b3.PENALTY * (tf.nn.l2_loss(w1) + tf.nn.l2_loss(w2))
    for weight, gradient in zip(weights, tape.gradient(loss, weights)):
        weight.assign_sub(b3.RATE * gradient)
    return loss


b3.report(f"TensorFlow {tf.__version__}", args, lambda: step(images, labels).numpy())
