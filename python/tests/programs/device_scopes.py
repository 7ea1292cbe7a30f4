"""Devices that a program asks for: scopes in scopes, functions, colocation; what a session says it did, on the CPU."""
import tensorflow as tf


def to_ps(op):
    return '/job:ps/task:1' if op.type == 'VariableV2' else op.device


with tf.device('/job:worker/task:0'):
    a = tf.constant(1.0, name='a')
    with tf.device('/gpu:1'):
        b = tf.constant(1.0, name='b')
        with tf.device(None):
            c = tf.constant(1.0, name='c')
        with tf.device('/cpu:0'):
            d = tf.constant(1.0, name='d')
    with tf.device(to_ps):
        v = tf.Variable(1.0, name='v')
        with tf.device('/device:GPU:0'):
            w = tf.get_variable('w', [2])
            x = v + 1
with tf.colocate_with(w):
    e = tf.constant(1.0, name='e')
    with tf.colocate_with(a, ignore_existing=True):
        f = tf.constant(1.0, name='f')
with tf.colocate_with(v.op), tf.device('/cpu:0'):
    g = tf.identity(v, name='g')
with tf.device(tf.DeviceSpec(job='worker', device_type='GPU', device_index=3)):
    h = tf.constant(1.0, name='h')
with tf.device(lambda op: '/cpu:1'):
    with tf.device('/job:worker'):
        i = tf.constant(1.0, name='i')
with tf.Graph().as_default():
    with tf.device('/cpu:0'):
        inner = tf.constant(1.0)
    print(inner.device)
for t in (a, b, c, d, v, w, x, e, f, g, h, i):
    print(t.name, repr(t.device), t.op.colocation_groups())
print(w.initializer.device, v.initializer.device)
for bad in ('/cpu:0/gpu:1', '/foo:0', '/job:a/job:b', 'cpu'):
    try:
        with tf.device(bad):
            tf.constant(1.0, name='bad')
        print('no error', bad)
    except ValueError as error:
        print('ValueError', error)
spec = tf.DeviceSpec.from_string('/job:ps/replica:1/task:2/device:CPU:0')
print(spec.job, spec.replica, spec.task, spec.device_type, spec.device_index, spec.to_string(), tf.DeviceSpec(job='ps').to_string())
optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
with tf.device('/job:worker/task:0/cpu:0'):
    loss = tf.reduce_sum(w * v)
    train = optimizer.minimize(loss, colocate_gradients_with_ops=True)
print(optimizer.get_slot(w, 'momentum').device, train.device)
print(sorted({n.device for n in tf.get_default_graph().as_graph_def().node if n.name.startswith('gradients')}))
with tf.Graph().as_default():
    with tf.device('/cpu:0'):
        y = tf.constant([1.0, 2.0], name='y') + tf.constant(1.0, name='one')
    with tf.device('/gpu:7'):
        z = y * 2
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        print(sess.run(z).tolist(), z.device)
    with tf.Session() as sess:
        try:
            sess.run(z)
        except tf.errors.InvalidArgumentError as error:
            print(error.message[:40], error.error_code)
