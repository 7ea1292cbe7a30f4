"""Element-wise, reduction and array ops beyond the commonest ones."""
import numpy as np
import tensorflow as tf

F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64
NAN, INF = float('nan'), float('inf')
raw = tf.raw_ops


def f(*v):
    return np.array(v, F32)


def i(*v):
    return np.array(v, I32)


def cases(o, lib):
    bits(o)
    special(o, lib.rnd)
    sums(o, lib.rnd)
    counting(o)
    moving(o, lib.rnd)
    scatter(o, lib.rnd)
    segments(o, lib.rnd)
    others(o, lib.rnd)
    edges(o)


def bits(o):
    for dt in (np.int8, np.int16, I32, I64, np.uint8, np.uint16):
        name = np.dtype(dt).name
        a, b = np.array([0, 1, 5, 127, 64, 100], dt), np.array([3, 1, 12, 64, 7, 0], dt)
        if np.dtype(dt).kind == 'i':
            a = np.concatenate([a, np.array([-1, -128, -5], dt)])
            b = np.concatenate([b, np.array([7, -1, 2], dt)])
        for op in ('bitwise_and', 'bitwise_or', 'bitwise_xor'):
            o.add('%s:%s' % (op, name), getattr(tf.bitwise, op), [a, b])
        for op in ('left_shift', 'right_shift'):
            o.add('%s:%s' % (op, name), getattr(tf.bitwise, op), [a, b])
        o.add('invert:' + name, tf.bitwise.invert, [a])
        o.add('population_count:' + name, lambda x: raw.PopulationCount(x=x), [a])
    o.add('bitwise_and:broadcast', tf.bitwise.bitwise_and, [i(1, 2, 3).reshape(3, 1), i(7, 1)])
    o.add('left_shift:too_far', tf.bitwise.left_shift, [np.array([1, 64, -1, 3], np.int8), np.array([9, 100, -3, 7], np.int8)])
    o.add('right_shift:too_far', tf.bitwise.right_shift, [np.array([-128, 64, -1], np.int8), np.array([9, 100, -3], np.int8)])
    for a, to in ((f(1, -2, 0.5), tf.int32), (f(1, -2), tf.uint8), (np.arange(8, dtype=np.uint8).reshape(2, 4), tf.float32),
                  (np.array([1.5, -2], F64), tf.int64)):
        o.add('bitcast:%s_to_%s' % (a.dtype.name, to.name), lambda x, to=to: tf.bitcast(x, to), [a], grad=False)
    o.add('bitcast:int8_to_uint8', lambda x: tf.bitcast(x, tf.uint8), [np.array([-1, 5], np.int8)])


def special(o, rnd):
    a, x = f(0.1, 0.5, 1, 2, 5, 20, 3, 0.3), f(0.5, 3, 1, 0.1, 6, 18, 30, 1e-3)
    for name in ('igamma', 'igammac'):
        fn = getattr(tf.math, name)
        o.add(name, fn, [a, x])
        o.add(name + ':float64', fn, [a.astype(F64), x.astype(F64)])
        o.add(name + ':broadcast', fn, [f(1, 2, 3).reshape(3, 1), f(0.5, 2)])
        o.add(name + ':dynamic', fn, [f(1, 2, 3).reshape(3, 1), f(0.5, 2)], static=False)
        o.add(name + ':edges', fn, [f(1, 0, -1, 2, 2, NAN, 1), f(0, 1, 1, -1, INF, 1, NAN)], grad=False)
    o.add('igamma_grad_a', lambda a, x: raw.IgammaGradA(a=a, x=x), [a, x], grad=False)
    o.add('igamma_grad_a:edges', lambda a, x: raw.IgammaGradA(a=a, x=x), [f(1, 0, -1, 2, NAN, 1, 5), f(0, 1, 1, -1, 1, NAN, 3)], grad=False)
    o.add('random_gamma_grad', lambda a, x: raw.RandomGammaGrad(alpha=a, sample=x), [f(1, 0.5, 2, 5, 20, 3), f(0.5, 1e-3, 4, 3, 18, 10)], grad=False)
    o.add('betainc', tf.math.betainc, [f(0.5, 1, 2, 5, 30, 0.2), f(0.5, 3, 2, 1, 20, 4), f(0.1, 0.5, 0.9, 0.3, 0.6, 0.01)], grad=[2])
    o.add('betainc:scalars', tf.math.betainc, [F32(2), F32(3), f(0.1, 0.5, 0.9)], grad=[2])
    o.add('betainc:scalar_x', tf.math.betainc, [f(1, 2, 3), f(2, 2, 2), F32(0.3)], grad=[2])
    o.add('betainc:edges', tf.math.betainc, [f(1, 0, 2, 2, 2, NAN, 2), f(1, 1, -1, 2, 2, 1, 1), f(0, 0.5, 0.5, -0.1, 1, 0.5, NAN)], grad=False)
    z = f(0, 0.5, -1, 5, -10, 29, 31, 100)
    for name in ('bessel_i0e', 'bessel_i1e'):
        o.add(name, getattr(tf.math, name), [z])
        o.add(name + ':float64', getattr(tf.math, name), [z.astype(F64)])
        o.add(name + ':edges', getattr(tf.math, name), [f(INF, -INF, NAN)], grad=False)
    o.add('nextafter', tf.math.nextafter, [f(0, 1, NAN, 1, -0.0, INF, 1), f(1, 0, 1, 1, -1, 0, NAN)], grad=False)
    o.add('nextafter:gradient', tf.math.nextafter, [np.array([[1.0, 2.0]], F64), np.array([[2.0], [0.0]], F64)])
    o.add('approximate_equal', lambda x, y: raw.ApproximateEqual(x=x, y=y, tolerance=0.1), [f(1, 1, NAN, 2), f(1.05, 1.2, NAN, 2)], grad=False)
    o.add('approximate_equal:default', lambda x, y: raw.ApproximateEqual(x=x, y=y), [f(1, 1), f(1.000001, 1.001)], grad=False)
    o.add('zeta', tf.math.zeta, [f(2, 3.5, 1.5), f(1, 2.5, 0.25)], grad=[1])
    o.add('polygamma', tf.math.polygamma, [f(0, 1, 2), f(0.5, 2, 3)], grad=[1])


def sums(o, rnd):
    x = rnd(8, [2, 3, 2], 2.0)
    for axis, kd in ((None, False), (1, True), ([0, 2], False), (-1, False)):
        o.add('euclidean_norm:axis=%s,keepdims=%s' % (axis, kd), lambda a, axis=axis, kd=kd: tf.math.reduce_euclidean_norm(a, axis, kd), [x], grad=False)
        o.add('reduce_variance:axis=%s,keepdims=%s' % (axis, kd), lambda a, axis=axis, kd=kd: tf.math.reduce_variance(a, axis, kd), [x])
        o.add('reduce_std:axis=%s,keepdims=%s' % (axis, kd), lambda a, axis=axis, kd=kd: tf.math.reduce_std(a, axis, kd), [x])
    o.add('euclidean_norm:empty', lambda a: tf.math.reduce_euclidean_norm(a, 0), [np.zeros([0, 2], F32)], grad=False)
    o.add('euclidean_norm:int32', lambda a: tf.math.reduce_euclidean_norm(a, 1), [np.array([[3, 4], [1, 1], [-5, 0]], I32)])
    o.add('euclidean_norm:nan', lambda a: tf.math.reduce_euclidean_norm(a, 1), [np.array([[NAN, 1], [INF, 2]], F32)], grad=False)
    o.add('reduce_logsumexp:float64', lambda a: tf.reduce_logsumexp(a, 1), [x.astype(F64)])
    y = rnd(9, [2, 4], 3.0)
    for ex in (False, True):
        for rev in (False, True):
            o.add('cumulative_logsumexp:exclusive=%s,reverse=%s' % (ex, rev),
                  lambda a, ex=ex, rev=rev: tf.math.cumulative_logsumexp(a, 1, exclusive=ex, reverse=rev), [y], grad=not ex)
    o.add('cumulative_logsumexp:edges', lambda a: tf.math.cumulative_logsumexp(a), [f(1, 2, -INF, 3, 88, 1000, INF)], grad=False)
    o.add('cumulative_logsumexp:float64', lambda a: tf.math.cumulative_logsumexp(a, 0), [y.astype(F64)])
    o.add('accumulate_n', lambda *v: tf.accumulate_n(list(v)), [rnd(1, [3]), rnd(2, [3]), rnd(3, [3])])
    for ta in (False, True):
        for tb in (False, True):
            a, b = rnd(1, [3, 2] if ta else [2, 3]), rnd(2, [4, 3] if tb else [3, 4])
            o.add('sparse_matmul:transpose_a=%s,transpose_b=%s' % (ta, tb),
                  lambda a, b, ta=ta, tb=tb: tf.sparse_matmul(a, b, ta, tb, a_is_sparse=True), [a, b])
    o.add('sparse_matmul:plain', lambda a, b: raw.SparseMatMul(a=a, b=b), [rnd(1, [2, 3]), rnd(2, [3, 2])])
    o.add('sparse_matmul:bfloat16', lambda a, b: raw.SparseMatMul(a=tf.cast(a, tf.bfloat16), b=b), [f(1, 2, 3, 4).reshape(2, 2), f(1, 0.5).reshape(2, 1)])
    o.add('cross', tf.linalg.cross, [rnd(1, [2, 3]), rnd(2, [2, 3])])


def counting(o):
    arr = i(1, 2, 1, 7, 0, 2)
    o.add('bincount', lambda a: raw.Bincount(arr=a, size=4, weights=tf.constant([], tf.int32)), [arr])
    for dt in (I32, I64, F32, F64):
        o.add('bincount:weights_' + np.dtype(dt).name, lambda a, w: raw.Bincount(arr=a, size=4, weights=w), [arr, np.arange(6).astype(dt)], grad=False)
    o.add('bincount:empty', lambda a: raw.Bincount(arr=a, size=2, weights=tf.constant([], tf.float32)), [np.zeros([0], I32)])
    o.add('bucketize', lambda a: raw.Bucketize(input=a, boundaries=[0, 1, 2.5]), [f(NAN, INF, -INF, 0, 1, 2, -0.0).reshape(7, 1)], grad=False)
    o.add('bucketize:equal', lambda a: raw.Bucketize(input=a, boundaries=[1, 1]), [f(0, 1, 2)], grad=False)
    o.add('bucketize:none', lambda a: raw.Bucketize(input=a, boundaries=[]), [f(0, 1, 2)], grad=False)
    for dt in (I32, I64, F64):
        o.add('bucketize:' + np.dtype(dt).name, lambda a: raw.Bucketize(input=a, boundaries=[0, 10, 100]), [np.array([-5, 0, 9, 10, 100, 150], dt)], grad=False)
    o.add('histogram_fixed_width', lambda v, r: tf.histogram_fixed_width(v, r, 5), [f(-1, 0, 1.5, 2, 5, 15, 4.999), f(0, 5)], grad=False)
    o.add('histogram_fixed_width:int', lambda v, r: tf.histogram_fixed_width(v, r, 3, tf.int64), [i(-1, 0, 1, 2, 3, 4, 9), i(0, 4)])
    o.add('histogram_fixed_width:float64', lambda v, r: tf.histogram_fixed_width(v, r, 4), [np.linspace(-1, 2, 12), np.array([0, 1.5])], grad=False)
    o.add('histogram_fixed_width:empty', lambda v, r: tf.histogram_fixed_width(v, r, 2), [f(), f(0, 1)], grad=False)
    rows = np.array([[1, 2, 2, 3], [0, 5, 7, 9]])
    for name, op in (('lower_bound', raw.LowerBound), ('upper_bound', raw.UpperBound)):
        for dt in (I32, F32, F64):
            o.add('%s:%s' % (name, np.dtype(dt).name), lambda a, b, op=op: op(sorted_inputs=a, values=b),
                  [rows.astype(dt), np.array([[2, 0, 9], [5, 6, -1]], dt)], grad=False)
        o.add(name + ':int64', lambda a, b, op=op: op(sorted_inputs=a, values=b, out_type=tf.int64), [rows.astype(I64), np.array([[2], [10]], I64)])
        o.add(name + ':empty', lambda a, b, op=op: op(sorted_inputs=a, values=b), [np.zeros([1, 0], F32), f(1, 2).reshape(1, 2)], grad=False)
    o.add('searchsorted', lambda a, b: tf.searchsorted(a, b, 'right'), [f(1, 3, 5, 7), f(0, 3, 8)], grad=False)
    o.add('unravel_index', lambda a: tf.unravel_index(a, [3, 4]), [i(0, 5, 11)])
    o.add('unravel_index:scalar', lambda a: tf.unravel_index(a, [2, 3, 4]), [I32(17)])
    o.add('unravel_index:int64', lambda a, d: tf.unravel_index(a, d), [np.array([2 ** 35], I64), np.array([2 ** 20, 2 ** 20], I64)])


def moving(o, rnd):
    x = rnd(4, [3, 4])
    for shift, axis in ((1, 0), (-1, 1), (5, -1), ([1, 2], [0, 1]), ([1, 1], [0, 0]), (0, 0)):
        o.add('roll:shift=%s,axis=%s' % (shift, axis), lambda a, s=shift, ax=axis: tf.roll(a, s, ax), [x])
    o.add('roll:string', lambda a: tf.roll(a, 1, 0), [np.array(['a', 'b', 'c'])], grad=False)
    o.add('roll:empty', lambda a: tf.roll(a, 1, 0), [np.zeros([0, 2], F32)])
    o.add('roll:3d', lambda a: tf.roll(a, [1, -1], [2, 0]), [rnd(5, [2, 2, 3])])
    for axis in (0, 1):
        u = np.array([[1, 0, 1], [1, 0, 1], [2, 0, 2]], I32)
        o.add('unique_v2:axis%d' % axis, lambda a, ax=axis: list(raw.UniqueV2(x=a, axis=[ax])), [u])
        o.add('unique_with_counts_v2:axis%d' % axis, lambda a, ax=axis: list(raw.UniqueWithCountsV2(x=a, axis=[ax], out_idx=tf.int64)), [u])
    o.add('unique_with_counts_v2:flat', lambda a: list(raw.UniqueWithCountsV2(x=a, axis=tf.constant([], tf.int64))), [i(3, 1, 3, 2, 1)])
    o.add('unique_with_counts_v2:string', lambda a: list(raw.UniqueWithCountsV2(x=a, axis=[0])), [np.array(['b', 'a', 'b'])], grad=False)
    o.add('parallel_stack', lambda a, b: tf.parallel_stack([a, b]), [rnd(1, [3]), rnd(2, [3])], grad=False)
    o.add('deep_copy', lambda a: raw.DeepCopy(x=a), [f(1, 2)], grad=False)
    o.add('guarantee_const', tf.guarantee_const, [f(1, 2)], grad=False)
    o.add('empty', lambda a: raw.Empty(shape=a, dtype=tf.int32, init=True), [i(2, 2)])
    for norm in (True, False):
        def edit(hi, hv, ti, tv, norm=norm):
            return raw.EditDistance(hypothesis_indices=hi, hypothesis_values=hv, hypothesis_shape=tf.constant([3, 2], tf.int64),
                                    truth_indices=ti, truth_values=tv, truth_shape=tf.constant([3, 3], tf.int64), normalize=norm)
        h = np.array([[0, 0], [0, 1], [2, 0]], I64)
        t = np.array([[1, 0], [2, 0], [2, 1], [2, 2]], I64)
        o.add('edit_distance:int,normalize=%s' % norm, edit, [h, i(1, 2, 3), t, i(5, 4, 3, 2)])
        o.add('edit_distance:string,normalize=%s' % norm, edit, [h, np.array(['a', 'b', 'c']), t, np.array(['x', 'y', 'c', 'z'])], grad=False)


def scatter(o, rnd):
    x = rnd(6, [4, 2])
    at, up = i(0, 2, 0).reshape(3, 1), rnd(7, [3, 2])
    for name in ('tensor_scatter_update', 'tensor_scatter_add', 'tensor_scatter_sub'):
        fn = getattr(tf, {'tensor_scatter_update': 'tensor_scatter_nd_update', 'tensor_scatter_add': 'tensor_scatter_nd_add',
                          'tensor_scatter_sub': 'tensor_scatter_nd_sub'}[name])
        a = at if name != 'tensor_scatter_update' else i(0, 2, 3).reshape(3, 1)
        o.add(name, fn, [x, a, up], grad=[0, 2])
        o.add(name + ':elements', fn, [x, np.array([[0, 1], [3, 0]], I64), f(5, 6)], grad=[0, 2])
        o.add(name + ':none', fn, [x, np.zeros([0, 1], I32), np.zeros([0, 2], F32)], grad=[0, 2])
        o.add(name + ':int64', fn, [np.arange(4, dtype=I64), i(1, 3).reshape(2, 1), np.array([2 ** 62, -7], I64)])
    o.add('tensor_scatter_update:string', tf.tensor_scatter_nd_update, [np.array(['a', 'b', 'c']), i(1).reshape(1, 1), np.array(['z'])], grad=False)
    nan_add = lambda t, a, u: raw.ScatterNdNonAliasingAdd(input=t, indices=a, updates=u)
    o.add('scatter_nd_non_aliasing_add', nan_add, [x, at, up], grad=[0, 2])
    o.add('scatter_nd_non_aliasing_add:bool', nan_add, [np.array([True, False, False]), i(1).reshape(1, 1), np.array([True])])
    o.add('tensor_strided_slice_update', lambda a, v: raw.TensorStridedSliceUpdate(input=a, begin=[1], end=[3], strides=[1], value=v), [x, rnd(8, [2, 2])], grad=False)
    o.add('tensor_strided_slice_update:reverse', lambda a, v: raw.TensorStridedSliceUpdate(input=a, begin=[3, 0], end=[0, 1], strides=[-2, 1], value=v, shrink_axis_mask=2),
          [x, f(7, 8)], grad=False)
    for name, op in (('inplace_update', raw.InplaceUpdate), ('inplace_add', raw.InplaceAdd), ('inplace_sub', raw.InplaceSub)):
        o.add(name, lambda a, v, op=op: op(x=tf.identity(a) + 0, i=[-1, 1], v=v), [x, rnd(8, [2, 2])], grad=False)


def segments(o, rnd):
    x = rnd(9, [4, 3])
    at, ids = i(0, 3, 1, 3, 2), i(0, 0, 2, 2, 2)
    for name in ('sum', 'mean', 'sqrt_n'):
        fn = getattr(tf.sparse, 'segment_' + name)
        o.add('sparse_segment_' + name, lambda a, at, ids, fn=fn: fn(a, at, ids), [x, at, ids], grad=[0])
        o.add('sparse_segment_%s:num_segments' % name, lambda a, at, ids, fn=fn: fn(a, at, ids, num_segments=5), [x, at, ids], grad=[0])
        o.add('sparse_segment_%s:float64' % name, lambda a, at, ids, fn=fn: fn(a, at, ids), [x.astype(F64), at, ids], grad=[0])
        o.add('sparse_segment_%s:empty' % name, lambda a, at, ids, fn=fn: fn(a, at, ids), [x, i(), i()], grad=False)
    o.add('sparse_segment_sum:int32', lambda a, at, ids: tf.sparse.segment_sum(a, at, ids), [np.array([2 ** 31 - 1, 1, 5], I32), i(0, 1, 2), i(0, 0, 1)])
    for name, op in (('sparse_segment_mean_grad', raw.SparseSegmentMeanGrad), ('sparse_segment_sqrt_n_grad', raw.SparseSegmentSqrtNGrad)):
        o.add(name, lambda g, at, ids, op=op: op(grad=g, indices=at, segment_ids=ids, output_dim0=5), [rnd(3, [3, 2]), at, ids], grad=False)


def others(o, rnd):
    o.add('compare_and_bitpack', lambda a, t: raw.CompareAndBitpack(input=a, threshold=t), [rnd(3, [2, 16]), F32(0.1)], grad=False)
    o.add('compare_and_bitpack:bool', lambda a, t: raw.CompareAndBitpack(input=a, threshold=t), [np.array([True, False] * 4), np.array(True)])
    for name, op in (('stateless_random_uniform', raw.StatelessRandomUniform), ('stateless_random_normal', raw.StatelessRandomNormal),
                     ('stateless_truncated_normal', raw.StatelessTruncatedNormal)):
        o.add(name, lambda s, op=op: op(shape=[7], seed=s), [np.array([12, -34], I64)])
        o.add(name + ':int32_seed', lambda s, op=op: op(shape=[2, 3], seed=s, dtype=tf.float64), [i(-1, 2)])
    o.add('stateless_random_uniform_int', lambda s: raw.StatelessRandomUniformInt(shape=[9], seed=s, minval=-5, maxval=50), [np.array([1, 2], I64)])
    o.add('stateless_multinomial', lambda l: raw.StatelessMultinomial(logits=l, num_samples=9, seed=tf.constant([3, 4], tf.int64)), [rnd(1, [2, 5], 2.0)], grad=False)


def edges(o):
    """What is easy to get wrong in ops that are older than this family."""
    big = np.array([2 ** 31 - 1, -2 ** 31, 5], I32)
    one = np.array([1, -1, 3], I32)
    for name, fn in (('add', tf.add), ('subtract', tf.subtract), ('multiply', tf.multiply), ('floordiv', tf.floordiv), ('floormod', tf.floormod)):
        if name in ('floordiv', 'floormod'):
            o.add('edge_%s:signs' % name, fn, [i(7, -7, 7, -7, 0, 1), i(3, 3, -3, -3, 5, -4)])
            o.add('edge_%s:zero' % name, fn, [i(1), i(0)])
            o.add('edge_%s:int64_zero' % name, fn, [np.array([1], I64), np.array([0], I64)])
        else:
            o.add('edge_%s:overflow' % name, fn, [big, one])
            o.add('edge_%s:int8_overflow' % name, fn, [np.array([127, -128], np.int8), np.array([1, -1], np.int8)])
    o.add('edge_div:zero', lambda a, b: raw.Div(x=a, y=b), [i(1), i(0)])
    o.add('edge_mod:zero', lambda a, b: raw.Mod(x=a, y=b), [i(1), i(0)])
    o.add('edge_pow:negative', tf.pow, [i(2), i(-1)])
    o.add('edge_clip_by_value:nan', lambda a: tf.clip_by_value(a, 0.0, 1.0), [f(NAN, -1, 2, 0.5)], grad=False)
    for name in ('argmax', 'argmin'):
        o.add('edge_%s:nan_first' % name, lambda a, fn=getattr(tf, name): fn(a), [f(NAN, 1, 2)], grad=False)
        o.add('edge_%s:int64_axis' % name, lambda a, fn=getattr(tf, name): fn(a, tf.constant(1, tf.int64)), [np.array([[1, 2], [3, 0]], I64)])
    for name in ('reduce_sum', 'reduce_max', 'reduce_prod', 'reduce_mean'):
        fn = getattr(tf, name)
        o.add('edge_%s:empty_axes_of_empty' % name, lambda a, fn=fn: fn(a, [0, 1]), [np.zeros([0, 3], F32)], grad=False)
        o.add('edge_%s:int64_axes' % name, lambda a, fn=fn: fn(a, tf.constant([0], tf.int64)), [np.array([[1, 2], [3, 4]], I64)])
    o.add('edge_scatter_nd:repeated', lambda a, u: tf.scatter_nd(a, u, [3]), [i(1, 1, 2).reshape(3, 1), f(1, 2, 4)])
    o.add('edge_reshape:int64', lambda a, s: tf.reshape(a, s), [f(1, 2, 3, 4), np.array([2, -1], I64)], grad=[0])
    o.add('edge_tile:int64', lambda a, s: tf.tile(a, s), [f(1, 2), np.array([2], I64)], grad=[0])
    o.add('edge_broadcast_to:int64', lambda a, s: tf.broadcast_to(a, s), [f(1, 2), np.array([3, 2], I64)], grad=False)
