# Variables behind handles: how they are made, read and written.
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


v = tf.get_variable('v', [2, 2], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0]), use_resource=True)
w = tf.Variable([1.0, 2.0], name='w', use_resource=True)
n = tf.Variable(0, name='n', trainable=False, use_resource=True)
print(v, w.name, w.dtype, w.shape, w.op.type, w.handle.dtype, n.trainable, w.initializer.type)
print(w.value().name, w.read_value().name, tf.convert_to_tensor(w).name, w.initial_value.name)
y = tf.matmul(v, tf.expand_dims(w, 1)) + v[0, 1] - w[0]
rows = tf.gather(v, [1, 0, 1])
looked = tf.nn.embedding_lookup(v, [0, 1])
sliced = w[1:]
total = v + v * 2.0 - 1.0
negated = -w
with tf.variable_scope('scope', use_resource=True):
    s = tf.get_variable('s', [], initializer=tf.zeros_initializer())
    with tf.variable_scope('inner'):
        t = tf.get_variable('t', initializer=tf.ones([2]) * 3.0)
    r = tf.get_variable('r', [2], use_resource=False)
print(s.op.type, t.op.type, r.op.type)
with tf.variable_scope('scope', reuse=True):
    print(tf.get_variable('s') is s)
from_other = tf.Variable(w * 2.0, name='from_other', use_resource=True)
started = w.initialized_value()
cached = tf.get_variable('cached', [2], initializer=tf.ones_initializer(), use_resource=True, caching_device='/cpu:0')
reads = cached + 1.0
assigned = w.assign([5.0, 6.0])
added = w.assign_add([1.0, 1.0])
subtracted = w.assign_sub([0.5, 0.5], read_value=False)
by_function = tf.assign_add(n, 2)
scattered = w.scatter_add(tf.IndexedSlices([10.0], [1]))
also = tf.scatter_update(v, [0], [[7.0, 8.0]])
print(tf.is_variable_initialized(w).op.type, subtracted.type, type(assigned).__name__ != 'Tensor')
part = w[0].assign(9.0)
counted = n.count_up_to(5)
missing = tf.report_uninitialized_variables()
with tf.control_dependencies([added]):
    after = w.read_value()
init = tf.global_variables_initializer()
proto = w.to_proto()
print(proto.variable_name, proto.initializer_name, proto.snapshot_name, proto.is_resource, proto.initial_value_name)
grads = tf.gradients(tf.reduce_sum(y * y) + tf.reduce_sum(rows), [v, w, s])
print([type(g).__name__ for g in grads])
with tf.Session() as sess:
    try:
        sess.run(w)
    except tf.errors.FailedPreconditionError as e:
        print(e.message.split('\n')[0].split(' from')[0])
    print(sorted(sess.run(missing)))
    sess.run(init)
    show(sess.run([v, w, y, rows, looked, sliced, total, negated, s, t, from_other, started, reads]))
    show(sess.run(assigned), sess.run(added), sess.run(subtracted), sess.run(w))
    show(sess.run(by_function), sess.run(scattered), sess.run(w), sess.run(also), sess.run(v))
    show(sess.run(part), sess.run(counted), sess.run(n), sess.run(after))
    show(sess.run([v, w], {v: [[0.0, 0.0], [1.0, 1.0]]}))
    w.load([1.5, 2.5], sess)
    show(w.eval(), sess.run(tf.shape(w)))
