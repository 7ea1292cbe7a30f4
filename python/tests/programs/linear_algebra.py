"""tf.linalg: decompositions, equations, norms, einsum, gradients, errors."""
import numpy as np
import tensorflow as tf


def tried(function):
    try:
        function()
        print('passed')
    except (ValueError, TypeError, NotImplementedError) as error:
        print(type(error).__name__, error)


a = tf.constant([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
m = tf.placeholder(tf.float32, [None, 3, 2], name='m')
t = tf.placeholder(tf.float32, [4, 2], name='t')
u = tf.placeholder(tf.float32, [None, None], name='u')
v = tf.constant([1.0, 2.0, 3.0])
b = tf.constant([[1.0], [2.0], [3.0]])
chol = tf.cholesky(a)
out = [chol, tf.cholesky_solve(chol, b), tf.matrix_inverse(a), tf.matrix_inverse(a, adjoint=True), tf.matrix_determinant(a),
       tf.matrix_solve(a, b), tf.matrix_triangular_solve(chol, b), tf.matrix_triangular_solve(chol, b, adjoint=True),
       tf.matrix_solve_ls(t, tf.ones([4, 1])), tf.matrix_solve_ls(t, tf.ones([4, 1]), l2_regularizer=0.5), tf.matrix_solve_ls(tf.transpose(t),
       tf.ones([2, 1])), tf.matrix_solve_ls(t, tf.ones([4, 1]), fast=False), tf.matrix_solve_ls(u, tf.ones([4, 1])), tf.diag(v),
       tf.diag_part(tf.diag(v)), tf.matrix_diag(m[:, :, 0]), tf.matrix_diag_part(a), tf.matrix_set_diag(a, v), tf.matrix_band_part(a, 0, -1),
       tf.matrix_transpose(m), tf.trace(a), tf.eye(3), tf.eye(2, 3), tf.eye(2, batch_shape=[2]), tf.eye(tf.shape(m)[0], dtype=tf.float64),
       tf.eye(2, num_columns=tf.shape(m)[1]), tf.norm(a), tf.norm(m, axis=1), tf.norm(m, ord=1, axis=[1, 2]), tf.norm(v, ord=np.inf),
       tf.norm(a, ord=np.inf, axis=(0, 1), keepdims=True), tf.norm(v, ord=3), tf.norm(m, ord='fro', axis=[-2, -1]),
       tf.linalg.logdet(a), tf.linalg.slogdet(a)[1], tf.linalg.adjoint(a), tf.linalg.tridiagonal_solve(
           tf.constant([[1., 1., 0.], [4., 4., 4.], [0., 1., 1.]]), v), tf.linalg.tridiagonal_matmul(
           [tf.constant([1., 1., 0.]), tf.constant([4., 4., 4.]), tf.constant([0., 1., 1.])], b, diagonals_format='sequence'),
       tf.self_adjoint_eigvals(a), tf.self_adjoint_eig(a)[0], tf.svd(a, compute_uv=False), tf.svd(m)[0], tf.abs(tf.qr(a)[1]),
       tf.linalg.lu(a)[1], tf.cross(v, [0.0, 1.0, 0.0]), tf.global_norm([v, a]), tf.matrix_square_root(a), tf.linalg.matvec(a, v),
       tf.linalg.matrix_rank(a), tf.linalg.pinv(t)]
sums = [tf.einsum('ij,jk->ik', a, b), tf.einsum('bij,kj->bik', m, t), tf.einsum('i,j->ij', v, v), tf.einsum('ij->ji', t),
        tf.einsum('ij->', t), tf.einsum('ii', a), tf.einsum('bij,bij->b', m, m), tf.einsum('...ij,jk->...ik', m, tf.transpose(t)),
        tf.einsum('ij,jk', a, a), tf.einsum('i,i,i->', v, v, v), tf.einsum('bij,bkj->bik', m, m), tf.einsum('ij,kl->ikl', u, a),
        tf.einsum('xy,yz,zx->x', a, a, a)]
grads = tf.gradients([tf.matrix_inverse(a), tf.cholesky(a), tf.matrix_solve(a, b), tf.matrix_determinant(a), sums[0]], [a])
print([o.name for o in out], [o.shape.as_list() if o.shape.ndims is not None else None for o in out[:25]])
print([o.name for o in sums])
tried(lambda: tf.norm(a, ord='nuc'))
tried(lambda: tf.norm(a, ord=3, axis=[0, 1]))
tried(lambda: tf.norm(a, axis=[0, 0]))
tried(lambda: tf.norm(a, axis=1.5))
tried(lambda: tf.eye(2.5))
tried(lambda: tf.einsum('ij,jk->ik', a))
tried(lambda: tf.einsum('ij;jk', a, a))
tried(lambda: tf.einsum('iij,jk->ik', m, a))
tried(lambda: tf.einsum('ij,jk->iz', a, a))
tried(lambda: tf.einsum('ij,jk->ik', a, a, extra=1))
tried(lambda: tf.einsum('...i...,jk->ik', a, a))
tried(lambda: tf.linalg.tridiagonal_solve(a, v, diagonals_format='odd'))
tried(lambda: tf.matrix_transpose(v))
with tf.Session() as sess:
    feed = {m: np.arange(12).reshape(2, 3, 2) * 0.1, t: [[1., 2.], [2., 1.], [0., 3.], [1., 1.]], u: [[1., 2.], [2., 1.], [0., 3.], [1., 1.]]}
    for value in sess.run(out + sums + grads, feed):
        print(np.round(value, 3).tolist())
