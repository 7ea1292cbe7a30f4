# Moving averages: graphs of tensors' averages, numbers of variables'.
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


try:
    from tensorflow.python.training.moving_averages import assign_moving_average
except ImportError:  # outside of `headrace run`
    from headrace.tf1.train.moving_averages import assign_moving_average

x = tf.placeholder(tf.float32, [2], name='x')
t = tf.identity(x * 2.0, name='t')
with tf.variable_scope('scope'):
    ema = tf.train.ExponentialMovingAverage(0.9, zero_debias=True)
    update = ema.apply([t])
    print(ema.average(t).name, ema.average_name(t))
v = tf.get_variable('v', [2], initializer=tf.zeros_initializer(), trainable=False)
moved = assign_moving_average(v, t, 0.8, zero_debias=False)
u = tf.get_variable('u', [2], initializer=tf.zeros_initializer(), trainable=False)
debiased = assign_moving_average(u, t, 0.8, name='named')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run([update, moved, debiased], {x: [i, 1.0]})
        show(sess.run([ema.average(t), v, u]))
with tf.Graph().as_default():
    w = tf.Variable([1.0, 2.0], name='w')
    other = tf.Variable(7.0, name='other', trainable=False)
    step = tf.Variable(0, name='step', trainable=False)
    ema = tf.train.ExponentialMovingAverage(0.5, step)
    print(ema.average(w), ema.average_name(w))
    grow = tf.group(w.assign(w * 2.0), step.assign_add(1))
    with tf.control_dependencies([grow]):
        update = ema.apply([w])
    print(update.name, ema.average(w).name, ema.name, [v.name for v in tf.moving_average_variables()])
    print(sorted((k, v.name) for k, v in ema.variables_to_restore().items()))
    print([v.name for v in tf.global_variables()])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(update)
            show(sess.run([w, ema.average(w), step]))
    try:
        ema.apply([step])
    except TypeError as e:
        print(e)
