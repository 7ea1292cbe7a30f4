"""tf.zeros and tf.ones of sizes that are numbers, dimensions, tensors, variables."""
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [5, None], name='x')
n = tf.shape(x)[1]
v = tf.Variable(3)
made = [tf.zeros([x.shape[0], n]), tf.zeros([n, x.shape[0]]), tf.zeros([np.int64(3), n]), tf.zeros((2, n, 3)), tf.ones([n]),
        tf.zeros([np.int32(3), n], tf.int64), tf.zeros([5, x.get_shape()[0]]), tf.zeros([v, 2]), tf.ones([v, n], tf.bool), tf.zeros(n),
        tf.ones([40, 50]), tf.zeros([2, 3], tf.string)]
print([t.name for t in made], [str(t.shape) for t in made])
with tf.Session() as sess:
    sess.run(v.initializer)
    print([t.shape for t in sess.run(made, {x: np.zeros([5, 2])})])
