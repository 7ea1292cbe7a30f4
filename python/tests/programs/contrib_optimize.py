"""tf.contrib.layers.optimize_loss and its summaries, contrib.losses, contrib.training."""
import json

import numpy as np
import tensorflow as tf

layers = tf.contrib.layers
losses = tf.contrib.losses
tf.set_random_seed(2)
x = tf.placeholder(tf.float32, [None, 4], name='x')
y = tf.placeholder(tf.float32, [None, 3], name='y')
h = layers.fully_connected(x, 5)
layers.summarize_activation(h)
h = layers.batch_norm(h)
out = layers.linear(h, 3, scope='out')
weights = tf.constant([1.0, 0.0, 2.0])
all_losses = [
    losses.softmax_cross_entropy(out, y, label_smoothing=0.1),
    losses.sigmoid_cross_entropy(out, y, weights=weights),
    losses.mean_squared_error(out, y, weights=0.5),
    losses.absolute_difference(out, y, weights=tf.expand_dims(weights, 1)),
    losses.log_loss(tf.nn.softmax(out), y),
    losses.cosine_distance(out, y, axis=1, weights=weights),
    losses.mean_pairwise_squared_error(out, y, weights=weights),
    losses.compute_weighted_loss(losses.hinge_loss(out, y), 3.0),
    losses.sparse_softmax_cross_entropy(out, tf.argmax(y, 1)),
]
loss = losses.get_total_loss()
step = tf.train.get_or_create_global_step()
train = layers.optimize_loss(
    loss, step, 0.1, 'Adam', clip_gradients=2.0, gradient_multipliers={'out/biases:0': 0.5},
    learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(rate, step, 10, 0.9),
    summaries=['learning_rate', 'loss', 'gradients', 'gradient_norm', 'global_gradient_norm'])
sgd = layers.optimize_loss(all_losses[2], step, 0.2, tf.train.GradientDescentOptimizer, name='second', increment_global_step=False,
                           update_ops=[])
momentum = layers.optimize_loss(all_losses[3], None, 0.01, lambda rate: tf.train.MomentumOptimizer(rate, 0.5), summaries=[],
                                variables=tf.trainable_variables('out'), clip_gradients=lambda pairs: [(-g, v) for g, v in pairs])
layers.summarize_tensors([loss, out, y > 0.0])
layers.summarize_collection(tf.GraphKeys.TRAINABLE_VARIABLES, 'out')
print([v.name for v in tf.global_variables()])
print([v.name for v in losses.get_losses()])
print([v.name for v in tf.get_collection(tf.GraphKeys.SUMMARIES)])
rng = np.random.RandomState(1)
feed = {x: rng.rand(3, 4), y: np.eye(3)}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in sess.run(all_losses, feed):
        print('%.4f' % value)
    for op in (train, train, sgd, momentum, train):
        print('%.4f' % sess.run(op, feed))
    print(sess.run(step), ['%.4f' % v for v in np.ravel(sess.run(tf.trainable_variables()[-1]))])
for wrong in (lambda: layers.optimize_loss(loss, step, 0.1, 'Best'), lambda: layers.optimize_loss(loss, step, -0.1, 'SGD'),
              lambda: layers.optimize_loss(loss, step, 1, 'SGD'), lambda: layers.optimize_loss(loss, step, None, 'SGD'),
              lambda: layers.optimize_loss(loss, step, 0.1, 'SGD', summaries=['x'])):
    try:
        with tf.Graph().as_default():
            pass
        wrong()
        print('no error')
    except ValueError as e:
        print(str(e)[:40])
with tf.Graph().as_default(), tf.Session() as sess:
    tf.set_random_seed(5)
    w = tf.get_variable('w', initializer=[1.0, 2.0])
    noisy = layers.optimize_loss(tf.reduce_sum(w * w), tf.train.create_global_step(), 0.1, 'SGD', gradient_noise_scale=0.5)
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(noisy)
        print(['%.4f' % v for v in sess.run(w)])

hparams = tf.contrib.training.HParams(rate=0.1, units=[8, 4], name='net', deep=True, steps=3)
hparams.parse('rate=0.5,units=[1,2,3],deep=false,name=other')
print(sorted(hparams.values().items()), hparams.rate, 'rate' in hparams, hparams.get('none', 7), hparams.get('steps', 1))
hparams.add_hparam('more', 'x')
hparams.set_hparam('steps', 9)
hparams.override_from_dict({'rate': 1})
print(repr(hparams), json.loads(hparams.to_json())['units'])
hparams.parse_json('{"name": "json", "units": [5]}')
print(hparams.name, hparams.units)
for wrong in ('rate', 'what=1', 'steps=1.5', 'steps=1,steps=2', 'units=3', 'rate=[1,2]', 'deep=maybe'):
    try:
        hparams.parse(wrong)
        print('no error')
    except ValueError as e:
        print(str(e))
for wrong in (lambda: hparams.set_hparam('steps', 'x'), lambda: hparams.set_hparam('name', 1), lambda: hparams.add_hparam('rate', 1),
              lambda: hparams.set_hparam('steps', True), lambda: hparams.add_hparam('empty', []), lambda: hparams.get('rate', 'x')):
    try:
        wrong()
        print('no error')
    except ValueError as e:
        print(str(e))
nest = tf.contrib.framework.nest
print(nest.flatten({'b': [1, (2, 3)], 'a': 4}), nest.map_structure(lambda a, b: a + b, {'x': [1, 2]}, {'x': [3, 4]}))
print(nest.pack_sequence_as([1, (2, {'k': 3})], [7, 8, 9]), nest.is_sequence('text'), nest.flatten_up_to([0, 0], [[1, 2], (3,)]))
