"""Quantiles of distributions."""
import numpy as np
import tensorflow as tf

p = np.array([0.0, 1e-20, 1e-9, 0.01, 0.1, 0.13, 0.14, 0.5, 0.86, 0.87, 0.99, 1.0], np.float32)
values = [tf.distributions.Normal(1.0, 2.0).quantile(p), tf.distributions.Normal([0.0, 1.0], 1.0, name='two').quantile([0.25, 0.75]),
          tf.distributions.Normal(np.float64(0.0), np.float64(1.0)).quantile(np.array([1e-300, 1e-30, 0.3, 0.7, 1 - 1e-15]))]
try:
    tf.distributions.Uniform(1.0, 2.0).quantile(0.5)
except NotImplementedError as e:
    print(e)
with tf.Session() as sess:
    for value in sess.run(values):
        print(value.dtype, value.shape)
        for number in value:
            print('%.6f' % number)
