"""The specification's perceptron, smaller: names, values and 20 steps of training."""
import numpy as np
import tensorflow as tf

tf.set_random_seed(7)
x = tf.placeholder(tf.float32, [None, 8], name='x-input')
y_ = tf.placeholder(tf.float32, [None, 3], name='y-input')
w1 = tf.Variable(tf.truncated_normal([8, 5], stddev=0.1))
b1 = tf.Variable(tf.constant(0.1, shape=[5]))
w2 = tf.Variable(tf.truncated_normal([5, 3], stddev=0.1))
b2 = tf.Variable(tf.constant(0.1, shape=[3]))
layer1 = tf.nn.relu(tf.matmul(x, w1) + b1)
y = tf.matmul(layer1, w2) + b2
entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=y, labels=tf.argmax(y_, 1))
loss = tf.reduce_mean(entropy) + 0.01 * tf.nn.l2_loss(w1)
grads = tf.gradients(loss, [w1, b1, w2, b2])
with tf.control_dependencies(grads):
    updates = tf.group(*[tf.assign_sub(v, 0.5 * g) for v, g in zip([w1, b1, w2, b2], grads)])
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1)), tf.float32))
rng = np.random.RandomState(0)
data, labels = rng.rand(16, 8).astype(np.float32), np.eye(3, dtype=np.float32)[rng.randint(0, 3, 16)]
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    print(sess.run(w1)[0])
    for i in range(20):
        _, value = sess.run([updates, loss], feed_dict={x: data, y_: labels})
        if i % 5 == 0:
            print('step %d loss %.5f' % (i, value))
    print('accuracy %.3f' % sess.run(accuracy, {x: data, y_: labels}))
