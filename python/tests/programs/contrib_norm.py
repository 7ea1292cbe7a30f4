"""tf.contrib.layers.batch_norm and its relatives: every way in which they are built, and what training does to their averages."""
import numpy as np
import tensorflow as tf

layers = tf.contrib.layers
tf.set_random_seed(4)
training = tf.placeholder(tf.bool, [], name='training')
x = tf.placeholder(tf.float32, [None, 6, 6, 4], name='x')
flat = tf.reshape(x, [-1, 144])
outputs = [
    layers.batch_norm(x),
    layers.batch_norm(x, is_training=False, scale=True),
    layers.batch_norm(x, is_training=training, scale=True, decay=0.9, scope='either'),
    layers.batch_norm(x, updates_collections=None, decay=0.5, scope='forced'),
    layers.batch_norm(x, updates_collections=None, is_training=training, scope='maybe_forced'),
    layers.batch_norm(x, updates_collections='mine', is_training=training, scope='mine'),
    layers.batch_norm(flat, activation_fn=tf.nn.relu, scope='flat'),
    layers.batch_norm(flat, is_training=training, scope='flat_either'),
    layers.batch_norm(flat, fused=False, center=False, scope='plain'),
    layers.batch_norm(x, fused=False, updates_collections=None, is_training=training, scope='plain_forced'),
    layers.batch_norm(x, fused=False, updates_collections='mine', decay=0.8, scope='plain_mine'),
    layers.batch_norm(x, param_initializers={'gamma': tf.constant_initializer(2.0), 'beta': tf.constant_initializer(0.5)}, scale=True,
                      param_regularizers={'gamma': layers.l2_regularizer(0.1)}, variables_collections={'beta': ['betas']}, scope='params'),
    layers.batch_norm(x, batch_weights=tf.constant([1.0, 2.0, 1.0]), scope='weighted'),
    layers.instance_norm(x),
    layers.group_norm(x, groups=2),
    layers.layer_norm(x, begin_norm_axis=2, activation_fn=tf.nn.relu),
    layers.conv2d(x, 3, 3, normalizer_fn=layers.batch_norm, normalizer_params={'is_training': training, 'scale': True}),
    layers.fully_connected(flat, 3, normalizer_fn=layers.batch_norm, normalizer_params={'decay': 0.7}),
]
print([v.name for v in tf.get_collection(tf.GraphKeys.UPDATE_OPS)])
print([v.name for v in tf.get_collection('mine')])
print([v.name for v in tf.get_collection('betas')])
print([v.name for v in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)])
print([v.name for v in tf.model_variables()])
print([v.name for v in tf.trainable_variables()])
updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS) + tf.get_collection('mine')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    images = np.random.RandomState(0).rand(3, 6, 6, 4)
    for flag in (True, False, True):
        values = sess.run([tf.reduce_sum(tf.abs(y)) for y in outputs] + updates, {x: images, training: flag})[:len(outputs)]
        print(['%.3f' % value for value in values])
    for v in tf.global_variables():
        if 'moving' in v.name:
            print(v.op.name, ['%.4f' % value for value in np.ravel(sess.run(v))[:3]])
