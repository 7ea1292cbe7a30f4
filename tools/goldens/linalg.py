"""Op cases of linear algebra and Fourier transforms."""
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_array_ops, gen_linalg_ops, gen_math_ops

F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64
C64, C128 = np.complex64, np.complex128


def cases(o, lib):
    rnd = lib.rnd

    def cplx(seed, shape, scale=1.0, dtype=C64):
        part = F32 if dtype == C64 else F64
        return (rnd(seed, shape, scale, dtype=part) + 1j * rnd(seed + 500, shape, scale, dtype=part)).astype(dtype)

    def spd(seed, shape, dtype=F32):
        """Positive definite, well conditioned."""
        a = cplx(seed, shape, dtype=dtype) if dtype in (C64, C128) else rnd(seed, shape, dtype=dtype)
        m = np.matmul(a, np.conj(np.swapaxes(a, -1, -2)))
        return np.round(m + np.eye(shape[-1]), 3).astype(dtype)

    def strong(seed, shape, dtype=F32):
        """Square, far from singular."""
        a = cplx(seed, shape, dtype=dtype) if dtype in (C64, C128) else rnd(seed, shape, dtype=dtype)
        return (a + 2 * np.eye(shape[-1])).astype(dtype)

    def parts(*ys):
        """Complex results, and their parts for gradients."""
        ys = [y for y in ys]
        return ys + [f(y) for y in ys for f in (tf.real, tf.imag)]

    la = tf.linalg
    diagonals(o, rnd, cplx)

    # ---- decompositions
    for name, shape in (('2', [2, 2]), ('batch', [2, 3, 3]), ('1', [1, 1]), ('empty', [0, 0]), ('no_batch', [0, 2, 2])):
        o.add('cholesky:' + name, tf.cholesky, [spd(1, shape)])
        o.add('matrix_inverse:' + name, tf.matrix_inverse, [strong(2, shape)])
        o.add('matrix_determinant:' + name, tf.matrix_determinant, [strong(3, shape)])
        o.add('log_matrix_determinant:' + name, lambda a: list(gen_linalg_ops.log_matrix_determinant(a)), [-strong(4, shape)])
        rhs = rnd(5, shape[:-1] + [2])
        o.add('matrix_solve:' + name, tf.matrix_solve, [strong(6, shape), rhs])
        o.add('matrix_triangular_solve:' + name, tf.matrix_triangular_solve, [strong(7, shape), rhs])
        o.add('lu:' + name, lambda a: list(gen_linalg_ops.lu(a)), [strong(8, shape)[..., ::-1, :]], grad=False)
        o.add('self_adjoint_eig:' + name, lambda a: list(tf.self_adjoint_eig(a)), [np.round(spd(9, shape) + np.diag(3.0 * np.arange(shape[-1])).astype(F32), 3)])
        o.add('matrix_square_root:' + name, la.sqrtm, [spd(10, shape)], grad=name != 'empty')
    for dtype in (F64, C64, C128):
        t = np.dtype(dtype).name
        c = dtype in (C64, C128)
        g = [0] if c else True
        f = parts if c else lambda *ys: list(ys)
        rhs = cplx(11, [3, 2], dtype=dtype) if c else rnd(11, [3, 2], dtype=dtype)
        gg = [0, 1] if c else True
        o.add('cholesky:' + t, lambda a: f(tf.cholesky(a)), [spd(12, [3, 3], dtype)], grad=g)
        o.add('matrix_inverse:' + t, lambda a: f(tf.matrix_inverse(a)), [strong(13, [3, 3], dtype)], grad=g)
        o.add('matrix_inverse:adjoint_' + t, lambda a: tf.matrix_inverse(a, adjoint=True), [strong(14, [3, 3], dtype)], grad=False)
        o.add('matrix_determinant:' + t, lambda a: f(tf.matrix_determinant(a)), [strong(15, [2, 2, 2], dtype)], grad=g)
        o.add('log_matrix_determinant:' + t, lambda a: f(*gen_linalg_ops.log_matrix_determinant(a)), [strong(16, [2, 2], dtype)], grad=g)
        o.add('lu:' + t, lambda a: list(gen_linalg_ops.lu(a, output_idx_type=tf.int64)), [strong(17, [3, 3], dtype)[::-1]], grad=False)
        o.add('matrix_square_root:' + t, lambda a: f(la.sqrtm(a)), [spd(18, [2, 2], dtype)], grad=g)
        for adjoint in (False, True):
            n = ('adjoint_' if adjoint else '') + t
            o.add('matrix_solve:' + n, lambda a, b: f(tf.matrix_solve(a, b, adjoint=adjoint)), [strong(19, [3, 3], dtype), rhs], grad=gg)
            for lower in (False, True):
                o.add('matrix_triangular_solve:%s_%s' % ('lower' if lower else 'upper', n),
                      lambda a, b: f(tf.matrix_triangular_solve(a, b, lower=lower, adjoint=adjoint)), [strong(20, [3, 3], dtype), rhs], grad=gg)
        spread = np.diag(3.0 * np.arange(3)).astype(dtype)
        o.add('self_adjoint_eig:values_' + t, lambda a: f(tf.self_adjoint_eigvals(a)), [spd(21, [3, 3], dtype) + spread], grad=g)
        for shape in ([3, 3], [4, 2], [2, 4], [3, 2], [2, 3]):
            a = cplx(22, shape, dtype=dtype) if c else rnd(22, shape, dtype=dtype)
            n = '%s_%dx%d' % (t, shape[0], shape[1])
            for full in (False, True):
                m = 'full_' + n if full else n
                o.add('qr:' + m, lambda a: list(tf.qr(a, full_matrices=full)), [a], grad=not c)
                if dtype != C64 or shape != [3, 3]:  # whose signs Eigen has changed since
                    o.add('svd:' + m, lambda a: list(tf.svd(a, full_matrices=full)), [a], grad=not c)
            o.add('svd:values_' + n, lambda a: tf.svd(a, compute_uv=False), [a], grad=True)
            b = cplx(23, [shape[0], 2], dtype=dtype) if c else rnd(23, [shape[0], 2], dtype=dtype)
            o.add('matrix_solve_ls:' + n, lambda a, b: f(gen_linalg_ops.matrix_solve_ls(a, b, tf.constant(0.25, tf.float64))), [a, b], grad=gg)
            o.add('matrix_solve_ls:slow_' + n, lambda a, b: gen_linalg_ops.matrix_solve_ls(a, b, tf.constant(0.0, tf.float64), fast=False), [a, b], grad=False)
        if c:
            o.add('matrix_logarithm:' + t, gen_linalg_ops.matrix_logarithm, [spd(24, [2, 3, 3], dtype)], grad=False)
    o.add('self_adjoint_eig:complex', lambda a: tf.self_adjoint_eig(a)[0], [spd(25, [3, 3], C64) + np.diag(3.0 * np.arange(3)).astype(C64)], grad=False)
    o.add('svd:batch', lambda a: list(tf.svd(a)), [rnd(26, [2, 4, 3])])
    o.add('qr:batch', lambda a: list(tf.qr(a)), [rnd(27, [2, 4, 3])])
    o.add('matrix_solve_ls:batch', lambda a, b: gen_linalg_ops.matrix_solve_ls(a, b, tf.constant(0.5, tf.float64)), [rnd(28, [2, 4, 3]), rnd(29, [2, 4, 1])])
    o.add('cholesky:dynamic', tf.cholesky, [spd(30, [2, 3, 3])], static=False)
    o.add('matrix_determinant:dynamic', tf.matrix_determinant, [strong(31, [2, 2])], static=False)
    o.add('matrix_inverse:dynamic', tf.matrix_inverse, [strong(31, [2, 2])], static=False)
    o.add('matrix_square_root:dynamic', la.sqrtm, [spd(32, [2, 2, 2])], static=False)
    o.add('self_adjoint_eig:dynamic', lambda a: list(tf.self_adjoint_eig(a)), [spd(33, [3, 3]) + np.diag(3.0 * np.arange(3)).astype(F32)], static=False)
    o.add('svd:values_dynamic', lambda a: tf.svd(a, compute_uv=False), [rnd(34, [3, 2])], static=False)
    l = np.tril(strong(35, [3, 3]))
    o.add('cholesky_grad', gen_linalg_ops.cholesky_grad, [l, rnd(36, [3, 3])], grad=False)
    o.add('cholesky_grad:batch', gen_linalg_ops.cholesky_grad, [np.tril(strong(37, [2, 2, 2], F64)), rnd(38, [2, 2, 2], dtype=F64)], grad=False)
    o.add('cholesky_solve', tf.cholesky_solve, [l, rnd(39, [3, 2])])
    nan = float('nan')
    o.add('matrix_determinant:nan', tf.matrix_determinant, [np.array([[1, nan], [2, 3]], F32)], grad=False)
    o.add('log_matrix_determinant:singular', lambda a: list(gen_linalg_ops.log_matrix_determinant(a)), [np.array([[1, 2], [2, 4]], F32)], grad=False)
    o.add('cholesky:nan', tf.cholesky, [np.array([[1, nan], [nan, 1]], F32)], grad=False)
    o.add('matrix_inverse:nan', tf.matrix_inverse, [np.array([[1, nan], [2, 4]], F32)], grad=False)
    o.add('svd:nan', lambda a: list(tf.svd(a)), [np.array([[1, nan], [2, 4]], F32)], grad=False)

    # ---- three diagonals
    for dtype in (F32, F64, C64):
        c = dtype == C64
        make = cplx if c else rnd
        t = np.dtype(dtype).name
        d = make(40, [3, 4], dtype=dtype)
        d[1] += 3
        f = parts if c else lambda y: y
        for pivoting in (True, False):
            o.add('tridiagonal_solve:%s_%s' % (t, pivoting), lambda d, b: f(gen_linalg_ops.tridiagonal_solve(d, b, partial_pivoting=pivoting)),
                  [d, make(41, [4, 2], dtype=dtype)], grad=[0, 1])
        o.add('tridiagonal_matmul:' + t, lambda a, b, c, d: f(gen_linalg_ops.tridiagonal_mat_mul(a, b, c, d)),
              [make(42 + i, [1, 4], dtype=dtype) for i in range(3)] + [make(45, [4, 2], dtype=dtype)], grad=[0, 1, 2, 3])
    o.add('tridiagonal_solve:exchanges', gen_linalg_ops.tridiagonal_solve, [np.array([[2, 1, 3, 9], [0, 0.5, 0, 1], [9, 1, 2, 1]], F32), rnd(46, [4, 1])])
    o.add('tridiagonal_solve:batch', gen_linalg_ops.tridiagonal_solve, [rnd(47, [2, 3, 3]) + np.array([[0], [3], [0]], F32), rnd(48, [2, 3, 2])])
    o.add('tridiagonal_solve:one', gen_linalg_ops.tridiagonal_solve, [np.array([[9], [2], [9]], F32), rnd(49, [1, 2])])
    o.add('tridiagonal_solve:dynamic', gen_linalg_ops.tridiagonal_solve, [rnd(50, [3, 3]) + np.array([[0], [3], [0]], F32), rnd(51, [3, 2])], static=False)
    o.add('tridiagonal_matmul:batch', gen_linalg_ops.tridiagonal_mat_mul, [rnd(52 + i, [2, 1, 3]) for i in range(3)] + [rnd(55, [2, 3, 2])])
    o.add('tridiagonal_matmul:dynamic', gen_linalg_ops.tridiagonal_mat_mul, [rnd(52 + i, [1, 3]) for i in range(3)] + [rnd(55, [3, 2])], static=False)

    o.add('cross', tf.cross, [rnd(60, [2, 3]), rnd(61, [2, 3])])
    o.add('cross:int', tf.cross, [np.array([[1, 2, 3]], I32), np.array([[4, -5, 6]], I32)])
    o.add('cross:uint8', tf.cross, [np.array([1, 200, 3], np.uint8), np.array([40, 5, 60], np.uint8)])

    composites(o, rnd, cplx)
    transforms(o, rnd, cplx)
    # what no gradient function of TensorFlow takes is not kept as a case of ours
    for case in o.cases:
        assert 'error' not in case, (case['name'], case['error'])


def diagonals(o, rnd, cplx):
    i32 = lambda *v: np.array(v, I32)
    o.add('diag', tf.diag, [rnd(70, [3])])
    o.add('diag:matrix', tf.diag, [rnd(71, [2, 3])])
    o.add('diag:int', tf.diag, [np.array([[1, 2]], I64)])
    o.add('diag_part', tf.diag_part, [rnd(72, [3, 3])])
    o.add('diag_part:matrix', tf.diag_part, [rnd(73, [2, 3, 2, 3])])
    for shape in ([3], [2, 3], [0], [2, 0], [1]):
        o.add('matrix_diag:%s' % shape, tf.matrix_diag, [rnd(74, shape)])
    for shape in ([3, 3], [2, 3, 2], [2, 3], [0, 3], [2, 0, 0], [0, 2, 2]):
        o.add('matrix_diag_part:%s' % shape, tf.matrix_diag_part, [rnd(75, shape)])
        o.add('matrix_set_diag:%s' % shape, tf.matrix_set_diag, [rnd(76, shape), rnd(77, shape[:-2] + [min(shape[-2:])])])
    o.add('matrix_diag_part:dynamic', tf.matrix_diag_part, [rnd(78, [3, 2])], static=False)
    o.add('matrix_set_diag:dynamic', tf.matrix_set_diag, [rnd(79, [2, 3, 2]), rnd(80, [2, 2])], static=False)
    o.add('matrix_diag:bool', tf.matrix_diag, [np.array([True, True])])
    o.add('matrix_diag:complex', lambda x: [tf.matrix_diag(x), tf.real(tf.matrix_diag(x))], [cplx(81, [2])], grad=[0])
    for lower, upper in ((0, 0), (-1, 0), (0, -1), (1, 1), (0, 2), (3, 0), (-1, -1)):
        o.add('matrix_band_part:%d_%d' % (lower, upper), lambda x: tf.matrix_band_part(x, lower, upper), [rnd(82, [2, 3, 4])])
    o.add('matrix_band_part:int32', lambda x, l, u: tf.matrix_band_part(x, l, u), [rnd(83, [3, 3]), np.array(1, I32), np.array(0, I32)], grad=[0])

    v2 = [(0, 0), (1, 1), (-1, -1), (-1, 1), (0, 2), (-2, -1)]
    for lower, upper in v2:
        k = i32(lower) if lower == upper else i32(lower, upper)
        n = '%d_%d' % (lower, upper)
        band = [upper - lower + 1] if upper > lower else []
        o.add('matrix_diag_v2:' + n, lambda x, k: gen_array_ops.matrix_diag_v2(x, k, -1, -1, 7.0), [rnd(84, [2] + band + [2]), k], grad=False)
        o.add('matrix_diag_part_v2:' + n, lambda x, k: gen_array_ops.matrix_diag_part_v2(x, k, 7.0), [rnd(85, [2, 3, 4]), k], grad=False)
        longest = min(3 + min(upper, 0), 4 - max(lower, 0))
        o.add('matrix_set_diag_v2:' + n, gen_array_ops.matrix_set_diag_v2, [rnd(86, [2, 3, 4]), rnd(87, [2] + band + [longest]), k], grad=False)
    o.add('matrix_diag_v2:rows', lambda x: gen_array_ops.matrix_diag_v2(x, 1, 5, -1, 0.0), [rnd(88, [3])], grad=False)
    o.add('matrix_diag_v2:cols', lambda x: gen_array_ops.matrix_diag_v2(x, -1, -1, 6, 0.0), [rnd(89, [3])], grad=False)
    o.add('matrix_diag_v2:int', lambda x: gen_array_ops.matrix_diag_v2(x, [0, 1], 3, 2, 9), [np.array([[1, 2], [3, 4]], I32)], grad=False)


def composites(o, rnd, cplx):
    o.add('trace', tf.trace, [rnd(90, [2, 3, 3])])
    o.add('eye', lambda: tf.eye(3), [], grad=False)
    o.add('eye:wide', lambda: tf.eye(2, 3, batch_shape=[2], dtype=tf.float64), [], grad=False)
    o.add('eye:tensor', lambda n: tf.eye(n), [np.array(2, I32)], grad=False)
    o.add('eye:tensors', lambda n, m: tf.eye(n, m, batch_shape=[2]), [np.array(2, I32), np.array(3, I32)], grad=False)
    x = rnd(91, [2, 3, 4])
    for n, args in (('all', {}), ('axis', {'axis': 1}), ('keep', {'axis': -1, 'keepdims': True}), ('matrix', {'axis': [-2, -1]}), ('one', {'ord': 1}),
                    ('one_matrix', {'ord': 1, 'axis': [1, 2]}), ('inf', {'ord': np.inf, 'axis': 0}), ('inf_matrix', {'ord': np.inf, 'axis': [0, 2]}),
                    ('three', {'ord': 3, 'axis': 1})):
        o.add('norm:' + n, lambda x: tf.norm(x, **args), [x])
    o.add('norm:complex', lambda x: tf.real(tf.norm(x)), [cplx(92, [2, 2])], grad=[0])
    o.add('matmul:adjoint_complex', lambda a, b: tf.real(tf.matmul(a, b, adjoint_a=True, adjoint_b=True)), [cplx(93, [2, 3]), cplx(94, [2, 2])], grad=[0, 1])
    o.add('matrix_transpose', tf.linalg.matrix_transpose, [x])
    o.add('matrix_transpose:dynamic', tf.linalg.matrix_transpose, [x], static=False)
    o.add('adjoint:complex', lambda x: tf.real(tf.linalg.adjoint(x)), [cplx(95, [2, 3])], grad=[0])
    for n, (a, b, axes) in enumerate((([2, 3], [3, 4], 1), ([2, 3, 4], [4, 3, 2], [[1, 2], [1, 0]]), ([2], [3], 0), ([2, 3], [4, 2], [[0], [1]]),
                                      ([2, 3, 4], [2, 4], [[-1], [-1]]))):
        o.add('tensordot:%d' % n, lambda a, b: tf.tensordot(a, b, axes), [rnd(96, a), rnd(97, b)])
    o.add('tensordot:axis', lambda a, b: tf.tensordot(a, b, [1, 0]), [rnd(96, [2, 3]), rnd(97, [3, 2])])
    for n, (equation, shapes) in enumerate((
            ('ij,jk->ik', ([2, 3], [3, 4])), ('ij,jk', ([2, 3], [3, 4])), ('i,i->', ([3], [3])), ('i,j->ij', ([2], [3])), ('ij->ji', ([2, 3],)),
            ('ii', ([3, 3],)), ('aij,ajk->aik', ([2, 2, 3], [2, 3, 2])), ('...ij,...jk->...ik', ([2, 2, 3], [2, 3, 2])), ('abc,cd->abd', ([2, 3, 2], [2, 2])),
            ('ijk,ikl->jl', ([2, 3, 2], [2, 2, 3])), ('ij,j->i', ([2, 3], [3])), ('ij->', ([2, 3],)), ('i,ij,j->', ([2], [2, 3], [3])),
            ('ab,bc,cd->ad', ([2, 3], [3, 2], [2, 2])), ('ij,ij->ij', ([2, 3], [2, 3])), ('ba,b->', ([2, 3], [2])), ('i,i,i->i', ([3], [3], [3])),
            ('i,i,i->', ([3], [3], [3])), ('ij,ik,il->jkl', ([2, 2], [2, 3], [2, 2])))):
        o.add('einsum:%d' % n, lambda *xs: tf.einsum(equation, *xs), [rnd(98 + i, s) for i, s in enumerate(shapes)])
    o.add('einsum:dynamic', lambda a, b: tf.einsum('bij,bjk->bik', tf.placeholder_with_default(a, [None, 2, None]), tf.placeholder_with_default(b, [None, None, 2])),
          [rnd(99, [2, 2, 3]), rnd(100, [2, 3, 2])], grad=False)
    for n, (equation, shapes) in enumerate((
            ('ij,jk->ik', ([2, 3], [3, 4])), ('ii->i', ([3, 3],)), ('ii->', ([3, 3],)), ('i->ii', ([3],)), ('iij,j->i', ([2, 2, 3], [3])),
            ('...ij,...jk->...ik', ([3, 1, 2, 3], [2, 3, 2])), ('ij,kl->', ([2, 3], [2, 2])), ('ab,ab->ba', ([2, 3], [2, 3])), ('ijk->kij', ([2, 3, 4],)),
            ('...,...->...', ([2, 1], [3])), ('i...,j...->...ij', ([2, 3], [4, 3])), ('ij,ij->', ([2, 0], [2, 0])), ('bi,bj->bij', ([2, 3], [2, 2])))):
        o.add('einsum_op:%d' % n, lambda *xs: gen_linalg_ops.einsum(list(xs), equation), [rnd(101 + i, s) for i, s in enumerate(shapes)], grad=False)
    o.add('einsum_op:complex', lambda a, b: gen_linalg_ops.einsum([a, b], 'ij,jk->ki'), [cplx(110, [2, 3]), cplx(111, [3, 2])], grad=False)


def transforms(o, rnd, cplx):
    s = tf.signal
    for n in (1, 2, 3, 4, 5, 8, 12, 17, 30, 64, 97, 101):
        o.add('fft:%d' % n, lambda x: [tf.fft(x), tf.real(tf.fft(x))], [cplx(120, [n])], grad=[0])
        o.add('rfft:%d' % n, lambda x: [s.rfft(x), tf.real(s.rfft(x)), tf.imag(s.rfft(x))], [rnd(121, [n])], grad=[0] if n > 1 else False)
        if n > 1:
            o.add('irfft:%d' % n, lambda x: s.irfft(x, [n]), [cplx(122, [n // 2 + 1])], grad=[0])
    for name, fn, shape in (('fft', tf.fft, [2, 3, 6]), ('ifft', tf.ifft, [2, 6]), ('fft2d', tf.fft2d, [2, 3, 4]), ('ifft2d', tf.ifft2d, [2, 3, 4]),
                            ('fft3d', tf.fft3d, [2, 3, 4]), ('ifft3d', tf.ifft3d, [2, 2, 3, 4])):
        o.add(name + ':batch', lambda x: [fn(x), tf.real(fn(x)), tf.imag(fn(x))], [cplx(123, shape)], grad=[0])
        o.add(name + ':complex128', fn, [cplx(124, shape, dtype=C128)], grad=False)
        o.add(name + ':dynamic', lambda x: [fn(x), tf.real(fn(x))], [cplx(125, shape)], grad=[0], static=False)
    for name, fn, shape in (('rfft', s.rfft, [2, 6]), ('rfft', s.rfft, [2, 5]), ('rfft2d', s.rfft2d, [2, 3, 4]), ('rfft2d', s.rfft2d, [4, 3])):
        o.add('%s:%s' % (name, shape), lambda x: [fn(x), tf.real(fn(x)), tf.imag(fn(x))], [rnd(126, shape)], grad=[0])
    o.add('rfft3d', lambda x: s.rfft3d(x), [rnd(127, [2, 3, 4])], grad=False)
    for name, fn, shape in (('irfft', s.irfft, [2, 4]), ('irfft2d', s.irfft2d, [2, 3, 3])):
        o.add('%s:%s' % (name, shape), lambda x: fn(x), [cplx(128, shape)], grad=[0])
    o.add('irfft3d', lambda x: s.irfft3d(x), [cplx(129, [2, 3, 3])], grad=False)
    o.add('irfft:odd', lambda x: s.irfft(x, [5]), [cplx(130, [2, 3])], grad=[0])
    o.add('irfft2d:odd', lambda x: s.irfft2d(x, [3, 5]), [cplx(131, [3, 3])], grad=[0])
    o.add('rfft:padded', lambda x: [s.rfft(x, [8]), tf.real(s.rfft(x, [8]))], [rnd(132, [2, 5])], grad=[0])
    o.add('rfft:cut', lambda x: s.rfft(x, [4]), [rnd(133, [2, 7])], grad=False)
    o.add('rfft2d:cut', lambda x: s.rfft2d(x, [2, 4]), [rnd(134, [3, 7])], grad=False)
    o.add('irfft:padded', lambda x: s.irfft(x, [8]), [cplx(135, [3])], grad=[0])
    o.add('irfft2d:cut', lambda x: s.irfft2d(x, [2, 4]), [cplx(136, [3, 5])], grad=False)
    o.add('rfft:dynamic', lambda x: [s.rfft(x), tf.real(s.rfft(x))], [rnd(137, [2, 6])], grad=[0], static=False)
    o.add('rfft2d:dynamic', lambda x: [s.rfft2d(x), tf.real(s.rfft2d(x))], [rnd(139, [2, 3, 4])], grad=[0], static=False)
    o.add('fft:empty', tf.fft, [np.zeros([2, 0], C64)], grad=False)
    o.add('fft:no_batch', tf.fft, [np.zeros([0, 3], C64)], grad=False)
    o.add('rfft:no_batch', s.rfft, [np.zeros([0, 3], F32)], grad=False)
