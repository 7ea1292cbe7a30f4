"""py_func, gradients of the program's own, gradients that are overridden, stopped or given."""
import numpy as np
import tensorflow as tf


def show(*things):
    print(*[np.asarray(t).ravel().tolist() if t is not None else None for t in things])


@tf.RegisterGradient('HalfTheGradient')
def half(op, grad):
    return grad * 0.5


@tf.RegisterGradient('GradientOfPyFunc')
def of_py_func(op, grad):
    return grad * 2 * op.inputs[0]


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))
    return tf.log(1 + e), grad


x = tf.constant([1.0, 2.0, -3.0], name='x')
with tf.get_default_graph().gradient_override_map({'Identity': 'HalfTheGradient'}):
    y = tf.identity(x, name='halved')
plain = tf.identity(x)
z = log1pexp(x)
with tf.get_default_graph().gradient_override_map({'PyFunc': 'GradientOfPyFunc'}):
    squared = tf.py_func(lambda a: (a * a).astype(np.float32), [x], tf.float32, name='squared')
several = tf.py_func(lambda a, n: [a.sum(), np.int64(n + 1), b'bytes'], [x, tf.constant(4)], [tf.float32, tf.int64, tf.string], stateful=False)
a = x * 3
b = a * a + x
try:
    tf.RegisterGradient('HalfTheGradient')(half)
except KeyError as e:
    print('KeyError', str(e)[:50])
w = tf.Variable([1.0, 2.0])
rows = tf.gather(w, [0, 0, 1])
g1, g2, g3, g4 = [tf.gradients(t, x)[0] for t in (y, plain, z, squared)]
partial = tf.gradients(b, [a, x], stop_gradients=[a, x])
given = tf.gradients([a, b], x, grad_ys=[tf.ones([3]) * 2, None])[0]
second = tf.gradients(tf.gradients(tf.reduce_sum(x * x * x), x)[0], x)[0]
none = tf.gradients(tf.constant(1.0), x)
stopped = tf.gradients(tf.stop_gradient(a) * x, x)[0]
sparse = tf.gradients(rows, w)[0]
colocated = tf.gradients(b, x, colocate_gradients_with_ops=True, name='colocated')[0]
print(none, type(sparse).__name__, g1.name, given.name, colocated.name, [t.name for t in several], [t.get_shape() for t in several])
norm, clipped = tf.global_norm([a, b]), tf.clip_by_norm(a, 1.0)
with tf.Session() as sess:
    sess.run(w.initializer)
    show(*sess.run([g1, g2, squared, g4]))
    show(*sess.run(partial + [given, second, stopped, colocated]))
    print([t.tolist() if hasattr(t, 'tolist') else t for t in sess.run(several[1:])], sess.run(several[0]).tolist())
    print(' '.join('%.5f' % v for v in sess.run([z, g3])[1]), '%.4f' % sess.run(norm), ' '.join('%.4f' % v for v in sess.run(clipped)))
    show(sess.run(sparse).values, sess.run(sparse).indices)
