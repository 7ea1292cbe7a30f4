"""tf.contrib.slim: arg_scope, variables, end points, create_train_op, checkpoints that another model takes its start from."""
import os
import tempfile

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
framework = tf.contrib.framework


@slim.add_arg_scope
def scaled(x, factor=1.0, offset=0.0):
    return x * factor + offset


def net(images, is_training):
    with slim.arg_scope([slim.conv2d, slim.fully_connected], activation_fn=tf.nn.relu, normalizer_fn=slim.batch_norm,
                        weights_initializer=tf.truncated_normal_initializer(stddev=0.1), weights_regularizer=slim.l2_regularizer(0.001)):
        with slim.arg_scope([slim.batch_norm], is_training=is_training, decay=0.9) as scope:
            print(len(scope), sorted(len(v) for v in scope.values()))
            with slim.arg_scope([slim.conv2d, slim.max_pool2d], padding='SAME', outputs_collections='ends'):
                x = slim.conv2d(images, 8, [3, 3], scope='conv1')
                x = slim.max_pool2d(x, [2, 2], scope='pool1')
                x = slim.repeat(x, 2, slim.conv2d, 6, [3, 3], scope='conv2')
            with slim.arg_scope(scope):
                x = slim.conv2d(x, 4, 1, stride=2, scope='conv3')
    x = slim.flatten(x)
    x = slim.stack(x, slim.fully_connected, [16, 8], scope='fc')
    return slim.fully_connected(x, 3, activation_fn=None, scope='logits')


tf.set_random_seed(8)
images = tf.placeholder(tf.float32, [None, 8, 8, 2])
labels = tf.placeholder(tf.int64, [None])
with tf.variable_scope('model'):
    logits = net(images, True)
with tf.variable_scope('model', reuse=True):
    logits_eval = net(images, False)
print(slim.has_arg_scope(slim.conv2d), slim.has_arg_scope(tf.nn.relu), framework.arg_scoped_arguments(scaled))
with framework.arg_scope([scaled], factor=2.0):
    three = scaled(tf.constant(1.0), offset=1.0)
print(list(slim.utils.convert_collection_to_dict('ends')))
for found in (slim.get_variables('model/conv1'), slim.get_variables_by_name('weights', 'model/fc'), slim.get_variables_by_suffix('beta'),
              slim.get_model_variables()[:3], slim.get_variables_to_restore(exclude=['model/fc', 'model/conv2']),
              framework.filter_variables(tf.global_variables(), ['conv'], ['moving', 'beta'])):
    print([v.op.name for v in found])
print(slim.get_unique_variable('model/logits/biases').name)

slim.losses.sparse_softmax_cross_entropy(logits, labels)
total = slim.losses.get_total_loss()
own = slim.variable('own', shape=[2], initializer=tf.zeros_initializer(), regularizer=slim.l1_regularizer(0.1), device='/CPU:0')
extra = slim.model_variable('extra', shape=[2, 3], initializer=slim.xavier_initializer(), collections=['extras'], trainable=False)
made = slim.local_variable(tf.zeros([2]), name='counter')
print(own.device, own in tf.global_variables(), extra in tf.get_collection('extras'), extra in tf.model_variables(),
      made in tf.local_variables())
optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
train_op = slim.learning.create_train_op(total, optimizer, clip_gradient_norm=1.0, summarize_gradients=True,
                                         gradient_multipliers={'model/logits/biases': 2.0})
print(train_op.name, [t.name for t in tf.get_collection(tf.GraphKeys.TRAIN_OP)])
print([s.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)][:6])
accuracy = slim.metrics.accuracy(tf.argmax(logits_eval, 1), labels)
print(slim.model_analyzer.analyze_vars(slim.get_model_variables(), print_info=True))

folder = tempfile.mkdtemp()
rng = np.random.RandomState(0)
feed = {images: rng.rand(6, 8, 8, 2), labels: [0, 1, 2, 0, 1, 2]}
saver = tf.train.Saver()
values = {'model/logits/biases': np.array([1.0, 2.0, 3.0]), 'own': np.array([4.0, 5.0])}
assign = slim.assign_from_values(values)
restore = slim.assign_from_checkpoint_fn
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for _ in range(5):
        print('%.4f' % sess.run(train_op, feed))
    print(sess.run(tf.train.get_global_step()), '%.3f' % sess.run(accuracy, feed), sess.run(three))
    path = saver.save(sess, os.path.join(folder, 'model'))
    before = sess.run(slim.get_variables('model/logits'))
    sess.run(*assign)
    print(sess.run([own, slim.get_unique_variable('model/logits/biases')]))
    operation, values = slim.assign_from_checkpoint(path, slim.get_variables('model/logits'))
    sess.run(operation, values)
    print(all(np.array_equal(a, b) for a, b in zip(before, sess.run(slim.get_variables('model/logits')))))
    print(framework.list_variables(folder)[0], framework.load_variable(folder, 'own'))
with tf.Graph().as_default(), tf.Session() as sess:
    with tf.variable_scope('model/logits'):
        biases = slim.variable('biases', [3], initializer=tf.zeros_initializer())
        new = slim.variable('new', [3], initializer=tf.ones_initializer())
    sess.run(tf.global_variables_initializer())
    restore(path, slim.get_variables_to_restore(include=['model'], exclude=['model/logits/new']))(sess)
    print(any(np.array_equal(sess.run(biases), b) for b in before), sess.run(new))
    restore(path, {'model/logits/biases': new, 'nothing': biases}, ignore_missing_vars=True)(sess)
    print(np.array_equal(*sess.run([biases, new])))
for wrong in (lambda: slim.arg_scope('x').__enter__(),
              lambda: slim.arg_scope({}, x=1).__enter__(), lambda: slim.fully_connected(logits, 'x'),
              lambda: slim.l2_regularizer(1), lambda: slim.l2_regularizer(-1.0), lambda: slim.get_unique_variable('nothing'),
              lambda: slim.conv2d(logits, 3, 3), lambda: slim.max_pool2d(images, 2, data_format='NWC'),
              lambda: slim.assign_from_checkpoint(path, [own, made]), lambda: slim.stack(logits, slim.fully_connected, 3)):
    try:
        wrong()
        print('no error')
    except Exception as e:
        print(type(e).__name__, str(e).split(' at 0x')[0].split(' object')[0][:60])
