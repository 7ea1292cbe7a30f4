# compute_gradients, apply_gradients, gates, scopes, constraints.
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

a = tf.Variable(3.0, name='a')
b = tf.Variable([1.0, 2.0], name='b')
c = tf.Variable([5.0], name='c', trainable=False)
idle = tf.Variable(1.0, name='idle')
loss = tf.reduce_sum(a * b + tf.square(b), name='loss')
opt = tf.train.GradientDescentOptimizer(0.1)
pairs = opt.compute_gradients(loss)
print([(g.name if g is not None else None, v.name) for g, v in pairs])
clipped = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in pairs if g is not None]
train = opt.apply_gradients(clipped, name='clipped')
norms, _ = tf.clip_by_global_norm([g for g, v in clipped], 0.5)
train2 = opt.apply_gradients(zip(norms, [a, b]), global_step=tf.train.create_global_step())
for gate in (tf.train.Optimizer.GATE_NONE, tf.train.Optimizer.GATE_GRAPH):
    print([g.name for g, _ in opt.compute_gradients(loss, [a, b], gate_gradients=gate)])
print([g.name for g, _ in opt.compute_gradients(a * a, [a], grad_loss=tf.constant(2.0), colocate_gradients_with_ops=True)])
with tf.name_scope('outer'):
    train3 = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, var_list=[b], name='named')
with tf.variable_scope('scope'):
    adam = tf.train.AdamOptimizer(0.1)
    train4 = adam.minimize(loss, var_list=(a,))
    print([v.name for v in adam.variables()])
lr = tf.Variable(0.5, name='lr', trainable=False)
opt6 = tf.train.GradientDescentOptimizer(lr)
train6 = opt6.minimize(a * a, var_list=[a])
print(train.name, train2.name, train2.type, train3.name, train4.name, train6.name)
for bad in (lambda: opt.minimize(c[0] * 1.0), lambda: opt.compute_gradients(tf.constant(1)), lambda: opt.apply_gradients([]),
            lambda: opt.apply_gradients([(None, a)]), lambda: opt.compute_gradients(loss, gate_gradients=7)):
    try:
        bad()
        print('no error')
    except Exception as e:
        print(type(e).__name__, str(e).split('\n')[0][:45])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for op in (train, train2, train3, train4, train6):
        sess.run(op)
        show(sess.run([a, b, c, idle]))
with tf.Graph().as_default():
    nonneg = tf.get_variable('nonneg', [2], initializer=tf.constant_initializer([0.05, 2.0]), constraint=lambda v: tf.maximum(v, 0.0))
    train = tf.train.GradientDescentOptimizer(tf.constant(0.1, name='rate')).minimize(tf.reduce_sum(nonneg), var_list=[nonneg])
    print(train.name, train.type)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        show(sess.run(nonneg))
