"""tf.distributions: samples of given seeds, densities, moments, divergences, errors."""
import numpy as np
import tensorflow as tf

tfd = tf.distributions


def tried(function):
    try:
        function()
        print('passed')
    except (ValueError, TypeError, NotImplementedError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0])


mean = tf.placeholder(tf.float32, [2], name='mean')
logits = tf.placeholder(tf.float32, [None, 3], name='logits')
n, m = tfd.Normal(mean, [1.0, 2.0]), tfd.Normal(loc=0.0, scale=1.5, validate_args=True, name='other')
u = tfd.Uniform(low=[0.0, 1.0], high=3.0)
b, c = tfd.Bernoulli(logits=mean), tfd.Bernoulli(probs=[0.2, 0.7], dtype=tf.float32)
k, j = tfd.Categorical(logits=logits), tfd.Categorical(probs=[0.1, 0.2, 0.7])
print(n, u, c, j, [d.name for d in (n, m, u, b, c, k, j)])
out = [n.sample(seed=1), n.sample([3], seed=2), m.sample(2, seed=3), n.log_prob([0.5, 1.0]), n.prob(0.5), n.entropy(), n.mean(), n.stddev(),
       n.variance(), n.mode(), tfd.kl_divergence(n, m), n.kl_divergence(m), u.sample(2, seed=4), u.prob([0.5, 4.0]), u.log_prob(2.0), u.cdf(2.0),
       u.mean(), u.variance(), u.stddev(), u.entropy(), u.range(), b.sample(4, seed=5), c.sample(seed=6), b.log_prob([1, 0]), c.prob([1.0, 0.0]),
       b.entropy(), b.mean(), b.variance(), c.mode(), tfd.kl_divergence(b, tfd.Bernoulli(logits=[0.0, 0.5])), k.sample(3, seed=7),
       j.sample(4, seed=8), k.log_prob([1, 2]), j.log_prob(2), k.entropy(), k.mode(), tfd.kl_divergence(k, tfd.Categorical(logits=[0.0, 1.0, 0.0])),
       n.batch_shape_tensor(), k.batch_shape_tensor(), n.event_shape_tensor()]
grads = tf.gradients([out[1], out[3]], [mean])
print([str(o.shape) for o in out[:36]], n.batch_shape, k.batch_shape, k.event_size.name, n.reparameterization_type)
tried(lambda: tfd.Bernoulli(logits=0.0, probs=0.5))
tried(lambda: tfd.Categorical(probs=[1, 0]))
tried(lambda: tfd.Normal(0.0, -1.0, validate_args=True))
tried(lambda: tfd.kl_divergence(n, u))
with tf.Session() as sess:
    for value in sess.run(out + grads, {mean: [0.5, -1.0], logits: [[0.1, 0.2, 0.3], [1.0, 0.0, 2.0]]}):
        print(np.round(value, 4).tolist())
