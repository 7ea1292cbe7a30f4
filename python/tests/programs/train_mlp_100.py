"""A perceptron for each optimizer over 100 steps: losses, weights, and what the program calls its nodes."""
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
data = rng.rand(64, 6).astype(np.float32)
labels = (data.sum(1) > 3).astype(np.int64)


def network(x, hidden):
    """Two layers, with a collection for their penalties."""
    sizes, cur = [6, hidden, 2], x
    for i in range(1, len(sizes)):
        with tf.variable_scope('layer%d' % i):
            w = tf.get_variable('weights', [sizes[i - 1], sizes[i]], initializer=tf.truncated_normal_initializer(stddev=0.3))
            b = tf.get_variable('biases', [sizes[i]], initializer=tf.constant_initializer(0.1))
            tf.add_to_collection('losses', 1e-3 * tf.nn.l2_loss(w))
            cur = tf.matmul(cur, w) + b
            if i < len(sizes) - 1:
                cur = tf.nn.relu(cur)
    return cur


optimizers = [('sgd', lambda r: tf.train.GradientDescentOptimizer(r), 0.5), ('momentum', lambda r: tf.train.MomentumOptimizer(r, 0.9), 0.1),
              ('nesterov', lambda r: tf.train.MomentumOptimizer(r, 0.9, use_nesterov=True), 0.1),
              ('adam', lambda r: tf.train.AdamOptimizer(r), 0.01), ('adagrad', lambda r: tf.train.AdagradOptimizer(r), 0.1),
              ('adadelta', lambda r: tf.train.AdadeltaOptimizer(r), 1.0), ('rmsprop', lambda r: tf.train.RMSPropOptimizer(r), 0.005),
              ('centered', lambda r: tf.train.RMSPropOptimizer(r, centered=True, momentum=0.5), 0.005),
              ('ftrl', lambda r: tf.train.FtrlOptimizer(r), 0.2)]
for name, make, rate in optimizers:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(11)
        x = tf.placeholder(tf.float32, [None, 6], name='x-input')
        y_ = tf.placeholder(tf.int64, [None], name='y-input')
        y = network(x, 8)
        step = tf.Variable(0, trainable=False, name='step')
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_, logits=y)) + tf.add_n(tf.get_collection('losses'))
        learning_rate = tf.train.exponential_decay(rate, step, 20, 0.9, staircase=True)
        train = make(learning_rate).minimize(loss, global_step=step)
        accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), y_), tf.float32))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(101):
                start = i * 16 % 64
                feed = {x: data[start:start + 16], y_: labels[start:start + 16]}
                _, value = sess.run([train, loss], feed)
                if i % 20 == 0:
                    print('%s after %d steps: loss %.4f rate %.6f' % (name, i, value, sess.run(learning_rate)))
            print('%s accuracy %.4f' % (name, sess.run(accuracy, {x: data, y_: labels})))
            print(' '.join('%.4f' % v for v in sess.run('layer2/weights:0').ravel()))
        print(len(graph.get_operations()), [v.name for v in tf.global_variables()])
tf.constant(0, name='the_default_graph_is_empty_but_for_this')
