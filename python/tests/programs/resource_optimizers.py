# Every optimizer on variables behind handles, with dense gradients and with gradients of some rows.
import tensorflow as tf

optimizers = [
    ('GradientDescent', lambda step: tf.train.GradientDescentOptimizer(0.1)),
    ('Momentum', lambda step: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True)),
    ('Adam', lambda step: tf.train.AdamOptimizer(0.1)),
    ('Adagrad', lambda step: tf.train.AdagradOptimizer(0.1)),
    ('AdagradDA', lambda step: tf.train.AdagradDAOptimizer(0.1, step)),
    ('Adadelta', lambda step: tf.train.AdadeltaOptimizer(0.1)),
    ('RMSProp', lambda step: tf.train.RMSPropOptimizer(0.1, momentum=0.5)),
    ('Centered', lambda step: tf.train.RMSPropOptimizer(0.1, centered=True)),
    ('Ftrl', lambda step: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01)),
    ('Shrinking', lambda step: tf.train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.01)),
    ('ProximalGradientDescent', lambda step: tf.train.ProximalGradientDescentOptimizer(0.1, 0.01)),
    ('ProximalAdagrad', lambda step: tf.train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.01)),
]
steps, inits = [], []
for name, make in optimizers:
    with tf.variable_scope(name, use_resource=True):
        w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer(0.5))
        table = tf.get_variable('table', [4, 3], initializer=tf.constant_initializer(0.25))
        step = tf.get_variable('step', [], tf.int64, initializer=tf.zeros_initializer(), trainable=False)
        rows = tf.gather(table, [1, 3, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(rows, w) - 1.0))
        optimizer = make(step)
        train = optimizer.minimize(loss, global_step=step, var_list=[w, table])
        print(name, train.name, optimizer.get_slot_names(), [v.name for v in optimizer.variables()])
        steps.append((train, w, table, step))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for train, w, table, step in steps:
        for _ in range(3):
            sess.run(train)
        for value in sess.run([w, table, step]):
            print(' '.join('%.5g' % v for v in value.ravel().tolist()))
