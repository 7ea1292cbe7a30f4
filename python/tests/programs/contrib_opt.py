"""tf.contrib.opt: variants of Adam on dense and sparse gradients of both kinds of variables, and an optimizer of the program's own."""
import numpy as np
import tensorflow as tf

opt = tf.contrib.opt


def steps(name, make, use_resource):
    with tf.variable_scope(name, use_resource=use_resource):
        table = tf.get_variable('table', initializer=np.arange(8, dtype=np.float32).reshape(4, 2))
        bias = tf.get_variable('bias', initializer=np.ones(2, np.float32))
        rows = tf.nn.embedding_lookup(table, [1, 3, 1])
        loss = tf.reduce_sum(tf.square(rows - 1.0) + bias)
        optimizer = make()
        return optimizer.minimize(loss), table, bias, optimizer.get_slot(table, 'm'), optimizer.get_slot(table, 'v')


runs = [steps('lazy', lambda: opt.LazyAdamOptimizer(0.1), False), steps('lazy_resource', lambda: opt.LazyAdamOptimizer(0.1, name='L'), True),
        steps('nadam', lambda: opt.NadamOptimizer(0.1), False), steps('nadam_resource', lambda: opt.NadamOptimizer(0.1, name='N'), True)]


class Halves(opt.ExternalOptimizerInterface):
    """Goes down the gradient with halved steps."""

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, inequality_funcs, packed_bounds, step_callback, optimizer_kwargs, **unused):
        x, rate = initial_val, optimizer_kwargs['rate']
        print(packed_bounds, len(equality_funcs), ['%.3f' % v for v in inequality_funcs[0](x)])
        for _ in range(8):
            loss, gradient = loss_grad_func(x)
            x = (x - rate * gradient).astype(np.float32)
            rate *= 0.5
            step_callback(x)
        return x


a = tf.Variable([3.0, 1.0], name='a')
b = tf.Variable([[2.0]], name='b')
unused = tf.Variable(5.0, name='unused')
target = tf.placeholder(tf.float32, [], name='target')
external_loss = tf.reduce_sum(tf.square(a - target)) + tf.reduce_sum(tf.square(b))
external = Halves(external_loss, var_list=[a, b, unused], inequalities=[tf.reduce_sum(a) - 1.0], var_to_bounds={a: ([0.0, 1.0], 9.0)}, rate=0.6)
losses, vectors = [], []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for train, table, bias, m, v in runs:
        for _ in range(3):
            sess.run(train)
        for value in sess.run([table, bias, m, v]):
            print(' '.join('%.5f' % x for x in value.ravel()))
    external.minimize(sess, feed_dict={target: 2.0}, fetches=[external_loss], loss_callback=losses.append, step_callback=vectors.append)
    print(['%.4f' % x for x in losses], len(vectors))
    print(['%.4f' % x for x in sess.run(a).tolist() + sess.run(b).ravel().tolist()], sess.run(unused))
