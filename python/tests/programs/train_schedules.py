# Learning rates that change with the step.
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

step = tf.train.get_or_create_global_step()
rates = [
    tf.train.exponential_decay(0.5, step, 10, 0.9),
    tf.train.exponential_decay(0.5, step, 10, 0.9, staircase=True, name='stairs'),
    tf.train.natural_exp_decay(0.5, step, 10, 0.9),
    tf.train.inverse_time_decay(0.5, step, 10, 0.9, staircase=True),
    tf.train.polynomial_decay(0.5, step, 20, 0.01, power=0.5),
    tf.train.cosine_decay(0.5, step, 20, alpha=0.1),
    tf.train.linear_cosine_decay(0.5, step, 20),
    tf.train.exponential_decay(tf.constant(0.25, name='base'), step, tf.constant(7), 0.5),
]
print([r.name for r in rates])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in (0, 1, 5, 13, 30):
        step.load(value, sess)
        show(value, sess.run(rates))
with tf.name_scope('more'):
    rates = [tf.train.polynomial_decay(0.5, step, 10, cycle=True),
             tf.train.cosine_decay_restarts(0.5, step, 5),
             tf.train.cosine_decay_restarts(0.5, step, 5, t_mul=1.0, m_mul=0.9, alpha=0.1, name='same')]
    print([r.name for r in rates])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value in (0, 5, 6, 10, 11, 20, 21, 100):
            step.load(value, sess)
            show(value, sess.run(rates))
with tf.Graph().as_default():
    step = tf.train.create_global_step()
    rates = [tf.train.piecewise_constant(step, [10, 20], [1.0, 0.1, 0.01]), tf.train.piecewise_constant(step, [5], [1, 2])]
    print([r.name for r in rates], [r.dtype for r in rates], len(tf.get_default_graph().get_operations()))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value in (0, 5, 6, 10, 11, 20, 21, 100):
            step.load(value, sess)
            show(value, sess.run(rates))
    for bad in (lambda: tf.train.exponential_decay(0.1, None, 1, 1), lambda: tf.train.cosine_decay(0.1, None, 1),
                lambda: tf.train.piecewise_constant(step, [1], [1.0]), lambda: tf.train.create_global_step(),
                lambda: tf.train.piecewise_constant(step, [1.5], [1.0, 2.0]),
                lambda: tf.train.piecewise_constant(step, [1], [1.0, 2])):
        try:
            bad()
        except Exception as e:
            print(type(e).__name__, str(e)[:26])
