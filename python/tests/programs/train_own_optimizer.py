# Optimizers that the program implements.
import numpy as np
import tensorflow as tf


def show(*values):
    """Numbers with six digits, whatever the version of NumPy."""
    def text(v):
        if hasattr(v, 'tolist'):
            v = v.tolist()
        if isinstance(v, (list, tuple)):
            return '[ ' + ' '.join(text(i) for i in v) + ' ]'
        return '%.6g' % v if isinstance(v, float) else str(v)
    print(*[text(v) for v in values])


class Sign(tf.train.Optimizer):
    def __init__(self, rate=0.1, name='Sign', use_locking=False):
        super(Sign, self).__init__(use_locking, name)
        self._rate = rate

    def _prepare(self):
        self._rate_t = tf.convert_to_tensor(self._rate, name='rate')

    def _create_slots(self, var_list):
        self._create_non_slot_variable(1.0, 'decay_power', min(var_list, key=lambda v: v.name))
        for v in var_list:
            self._zeros_slot(v, 'm', self._name)
            self._get_or_make_slot(v, tf.ones(v.get_shape()), 'n', 'Count')

    def _apply_dense(self, grad, var):
        m, n = self.get_slot(var, 'm'), self.get_slot(var, 'n')
        m_t = m.assign(0.9 * m + 0.1 * grad)
        n_t = n.assign_add(tf.ones_like(n))
        update = tf.assign_sub(var, self._rate_t * tf.sign(m_t))
        return tf.group(update, m_t, n_t)

    def _apply_sparse(self, grad, var):
        return tf.scatter_sub(var, grad.indices, self._rate_t * tf.sign(grad.values))

    def _finish(self, update_ops, name_scope):
        power = self._get_non_slot_variable('decay_power', tf.get_default_graph())
        with tf.control_dependencies(update_ops), tf.colocate_with(power):
            next_power = power.assign(power * 0.5)
        return tf.group(*(update_ops + [next_power]), name=name_scope)


v = tf.Variable([1.0, -2.0, 3.0], name='v')
table = tf.Variable(np.ones((4, 2), np.float32), name='table')
loss = tf.reduce_sum(tf.square(v)) + tf.reduce_sum(tf.gather(table, [1, 2, 1]))
opt = Sign()
step = tf.train.get_or_create_global_step()
train = opt.minimize(loss, global_step=step)
print(opt.get_slot_names(), [x.name for x in opt.variables()], opt.get_slot(v, 'm').name)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train)
    show(sess.run([v, table, step]))
    show(sess.run(opt.variables()))
