"""Distribution functions of tf.distributions, against the error function of the standard library."""
import math

import headrace.tf1 as tf


def test_normal_cdf_and_survival_function():
    with tf.Graph().as_default():
        d = tf.distributions.Normal(0.5, 2.0)
        with tf.Session() as sess:
            for x in (-3.0, 0.5, 1.7):
                expected = 0.5 * (1.0 + math.erf((x - 0.5) / (2.0 * math.sqrt(2.0))))
                values = sess.run([d.cdf(x), d.survival_function(x), d.log_cdf(x), d.log_survival_function(x)])
                wanted = [expected, 1.0 - expected, math.log(expected), math.log1p(-expected)]
                assert all(abs(a - b) < 1e-5 for a, b in zip(values, wanted)), (values, wanted)


def test_contrib_has_the_same_distributions():
    assert tf.contrib.distributions.Normal is tf.distributions.Normal
