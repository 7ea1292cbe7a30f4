"""A small LeNet, trained for 100 steps on made pictures."""
import numpy as np
import tensorflow as tf

SIZE, CHANNELS, LABELS, BATCH = 12, 1, 4, 8
tf.set_random_seed(2)


def inference(images, train, regularizer):
    """conv, pool, conv, pool, full, full."""
    with tf.variable_scope('layer1-conv1'):
        w = tf.get_variable('weight', [5, 5, CHANNELS, 6], initializer=tf.truncated_normal_initializer(stddev=0.1))
        b = tf.get_variable('bias', [6], initializer=tf.constant_initializer(0.0))
        net = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(images, w, strides=[1, 1, 1, 1], padding='SAME'), b))
    with tf.name_scope('layer2-pool1'):
        net = tf.nn.max_pool(net, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
    with tf.variable_scope('layer3-conv2'):
        w = tf.get_variable('weight', [3, 3, 6, 8], initializer=tf.truncated_normal_initializer(stddev=0.1))
        b = tf.get_variable('bias', [8], initializer=tf.constant_initializer(0.0))
        net = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(net, w, strides=[1, 1, 1, 1], padding='VALID'), b))
    with tf.name_scope('layer4-pool2'):
        net = tf.nn.avg_pool(net, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
        shape = net.get_shape().as_list()
        nodes = shape[1] * shape[2] * shape[3]
        flat = tf.reshape(net, [shape[0], nodes])
    for name, sizes, last in (('layer5-fc1', [nodes, 16], False), ('layer6-fc2', [16, LABELS], True)):
        with tf.variable_scope(name):
            w = tf.get_variable('weight', sizes, initializer=tf.truncated_normal_initializer(stddev=0.1))
            if regularizer is not None:
                tf.add_to_collection('losses', regularizer(w))
            b = tf.get_variable('bias', [sizes[1]], initializer=tf.constant_initializer(0.1))
            flat = tf.matmul(flat, w) + b
            if not last:
                flat = tf.nn.relu(flat)
                if train:
                    flat = tf.nn.dropout(flat, 0.5)
    return flat


x = tf.placeholder(tf.float32, [BATCH, SIZE, SIZE, CHANNELS], name='x-input')
y_ = tf.placeholder(tf.float32, [None, LABELS], name='y-input')
y = inference(x, True, lambda w: 1e-4 * tf.nn.l2_loss(w))
global_step = tf.Variable(0, trainable=False)
cross_entropy = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=y, labels=tf.argmax(y_, 1)))
loss = cross_entropy + tf.add_n(tf.get_collection('losses'))
rate = tf.train.exponential_decay(0.05, global_step, 25, 0.9, staircase=True)
train_step = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)
with tf.control_dependencies([train_step]):
    train_op = tf.no_op(name='train')
rng = np.random.RandomState(1)
marks = rng.rand(LABELS, SIZE, SIZE, CHANNELS)
print([v.op.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for i in range(100):
        kinds = rng.randint(0, LABELS, BATCH)
        pictures = marks[kinds] + 0.1 * rng.rand(BATCH, SIZE, SIZE, CHANNELS)
        _, value, step = sess.run([train_op, loss, global_step], feed_dict={x: pictures, y_: np.eye(LABELS)[kinds]})
        if i % 20 == 0:
            print('After %d training step(s), loss on training batch is %.4f.' % (step, value))
    with tf.variable_scope('layer6-fc2', reuse=True):
        w = tf.get_variable('weight')
    print(' '.join('%.4f' % v for v in sess.run(w)[:3].ravel()))
