# Every optimizer on a model with a dense and a gathered variable.
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

x = tf.placeholder(tf.float32, [None, 3], name='x')
ids = tf.placeholder(tf.int32, [None], name='ids')
w = tf.Variable([[0.5, -0.5], [0.25, 0.1], [-0.3, 0.7]], name='w')
table = tf.Variable(np.arange(10, dtype=np.float32).reshape(5, 2) / 10, name='table')
out = tf.matmul(x, w, name='out') + tf.gather(table, ids)
loss = tf.reduce_mean(tf.square(out - 1.0), name='loss')
step = tf.train.get_or_create_global_step()
optimizers = [
    tf.train.GradientDescentOptimizer(0.1),
    tf.train.MomentumOptimizer(0.1, 0.9),
    tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True, name='Nesterov', use_locking=True),
    tf.train.AdamOptimizer(),
    tf.train.AdagradOptimizer(0.1),
    tf.train.AdagradDAOptimizer(0.1, step, l1_regularization_strength=0.001),
    tf.train.AdadeltaOptimizer(0.5),
    tf.train.RMSPropOptimizer(0.01, momentum=0.5),
    tf.train.RMSPropOptimizer(0.01, centered=True, name='Centered'),
    tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    tf.train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.1, name='Shrink'),
    tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.01),
    tf.train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.01),
    tf.train.AdamOptimizer(0.01, name='Another'),
]
ops = [o.minimize(loss, global_step=step) for o in optimizers]
feeds = {x: [[1, 2, 3], [0, 1, 0], [2, 0, -1]], ids: [1, 3, 1]}
for o in optimizers:
    print(o.get_name(), o.get_slot_names(), [v.name for v in o.variables()])
    for name in o.get_slot_names():
        print(o.get_slot(w, name).name, o.get_slot(table, name).get_shape())
print(optimizers[0].get_slot(w, 'none'), optimizers[1].get_slot(w, 'none'))
print([v.name for v in tf.global_variables()])
print([v.name for v in tf.trainable_variables()])
print([op.name for op in tf.get_collection(tf.GraphKeys.TRAIN_OP)])
init = tf.global_variables_initializer()
with tf.Session() as sess:
    for o, op in zip(optimizers, ops):
        sess.run(init)
        for _ in range(5):
            sess.run(op, feeds)
        show(o.get_name(), sess.run(loss, feeds), sess.run(step))
        show(sess.run(w))
        show(sess.run(table))
