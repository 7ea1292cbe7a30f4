"""Edges of ops that move elements, of segments and of matrices: golden_edges.py."""
import numpy as np
import tensorflow as tf

from golden_edges import ALL, C64, C128, COMPLEX, F32, F64, FLOATS, I32, I64, INF, INTS, NAN, Edges, name_of, plain, specials


def cases(o, lib):
    e = Edges(o)
    segments(e)
    moves(e)
    joins(e)
    indices(e)
    scatters(e)
    products(e)
    others(e)


def segments(e):
    for op in ('SegmentSum', 'SegmentMean', 'SegmentProd', 'SegmentMax', 'SegmentMin'):
        for dtype in FLOATS + INTS + COMPLEX:
            x = specials(dtype)[:9] if dtype not in INTS else specials(dtype)[:7]
            e.add(op, name_of(dtype), [x, np.array([0, 0, 0, 2, 2, 2, 2, 3, 3][:len(x)], I32)], grad=dtype in (F32, F64))
        for variant, ids in (('gap', [1, 1, 4]), ('unsorted', [1, 0, 2]), ('negative', [-1, 0, 1]), ('short', [0, 1])):
            e.add(op, variant, [plain(F32, [3, 2]), np.array(ids, I64)], grad=False)
        e.add(op, 'empty', [plain(F32, [0, 2]), np.array([], I32)])
        e.add(op, 'nan', [np.array([NAN, 1, 2, NAN, INF, -INF], F32), np.array([0, 0, 1, 1, 2, 2], I32)])
    for op in ('UnsortedSegmentSum', 'UnsortedSegmentProd', 'UnsortedSegmentMax', 'UnsortedSegmentMin'):
        for dtype in FLOATS + INTS + COMPLEX:
            x = specials(dtype)[:7]
            e.add(op, name_of(dtype), [x, np.array([0, 2, 0, 2, -1, 2, 0], I32), np.array(4, I32)], grad=dtype in (F32, F64))
        for variant, ids, count in (('too_far', [0, 4, 1], 4), ('none', [0, 0, 0], 0), ('negative_count', [0, 0, 0], -1), ('short', [0, 1], 2)):
            e.add(op, variant, [plain(F32, [3, 2]), np.array(ids, I64), np.array(count, I32)], grad=False)
        e.add(op, 'empty', [plain(F32, [0, 2]), np.array([], I32), np.array(2, I32)])
    for op in ('SparseSegmentSum', 'SparseSegmentMean', 'SparseSegmentSqrtN'):
        for variant, at, ids in (('nan', [0, 1, 1], [0, 0, 1]), ('empty', [], []), ('gap', [0, 1, 2], [0, 2, 2]), ('too_far', [0, 3, 1], [0, 0, 1]), ('unsorted', [0, 1, 2], [1, 0, 1]),
                                 ('negative', [0, -1, 1], [0, 0, 1]), ('short', [0, 1, 2], [0, 1])):
            for dtype in (F32, F64):
                e.add(op, '%s_%s' % (variant, name_of(dtype)), [np.array([[NAN, 1], [2, INF], [3, 4]], dtype), np.array(at, I32), np.array(ids, I32)])


def moves(e):
    for dtype in ALL:
        n, x = name_of(dtype), plain(dtype, [2, 3])
        e.add('Transpose', n, [x, np.array([1, 0], I32)])
        e.add('ConjugateTranspose', n, [x, np.array([1, 0], I32)])
        e.add('Reshape', n, [x, np.array([3, -1], I32)])
        e.add('Tile', n, [x, np.array([2, 0], I32)])
        e.add('Pad', n, [x, np.array([[0, 1], [2, 0]], I32)])
        e.add('PadV2', n, [x, np.array([[0, 1], [2, 0]], I32), np.ones([], dtype)])
        e.add('MirrorPad', n, [x, np.array([[1, 1], [2, 0]], I32)], mode='REFLECT')
        e.add('MirrorPad', n + '_symmetric', [x, np.array([[2, 1], [3, 0]], I32)], mode='SYMMETRIC')
        e.add('ReverseV2', n, [x, np.array([1, 0], I32)])
        e.add('Roll', n, [x, np.array([-4, 7], I32), np.array([0, 1], I32)])
        e.add('Slice', n, [x, np.array([0, 1], I32), np.array([-1, 2], I32)])
        e.add('StridedSlice', n, [x, np.array([0, 5], I32), np.array([0, -9], I32), np.array([1, -2], I32)], begin_mask=1, end_mask=1)
        e.add('ExpandDims', n, [x, np.array(-1, I32)])
        e.add('BroadcastTo', n, [plain(dtype, [2, 1]), np.array([3, 2, 2], I32)])
        e.add('Fill', n, [np.array([2, 0, 3], I32), np.ones([], dtype)])
        e.add('MatrixBandPart', n, [plain(dtype, [3, 3]), np.array(-1, I64), np.array(0, I64)])
        e.add('MatrixDiagPart', n, [plain(dtype, [3, 2])])
        e.add('MatrixDiag', n, [plain(dtype, [3])])
        e.add('MatrixSetDiag', n, [plain(dtype, [3, 2]), plain(dtype, [2], 9)])
        e.add('Unpack', n, [x], num=2)
        e.add('SpaceToDepth', n, [plain(dtype, [1, 2, 2, 1])], block_size=2)
        e.add('DepthToSpace', n, [plain(dtype, [1, 1, 1, 4])], block_size=2)
        e.add('ReverseSequence', n, [x, np.array([0, 3], I32)], seq_dim=1, batch_dim=0)
        e.add('SpaceToBatchND', n, [plain(dtype, [1, 3, 1]), np.array([2], I32), np.array([[1, 0]], I32)])
        e.add('BatchToSpaceND', n, [plain(dtype, [2, 2, 1]), np.array([2], I32), np.array([[1, 0]], I32)])
    for variant, shape, to in (('empty', [0], [0, 5]), ('empty_open', [0, 3], [-1, 3]), ('empty_open_zero', [0, 3], [0, -1]), ('scalar', [1], []), ('wrong', [2, 3], [4]),
                               ('two_open', [4], [-1, -1]), ('negative', [4], [-2, 2])):
        e.add('Reshape', variant, [plain(F32, shape), np.array(to, I64)])
    for op, shape, arguments in (('Transpose', [0, 2], [[1, 0]]), ('Transpose', [], [[]]), ('Transpose', [2, 3], [[0, 0]]), ('Transpose', [2, 3], [[0, 2]]), ('Transpose', [2, 3], [[0]]),
                                 ('Tile', [0, 2], [[2, 2]]), ('Tile', [], [[]]), ('Tile', [2], [[-1]]), ('Tile', [2], [[1, 1]]),
                                 ('Pad', [0, 2], [[[1, 1], [0, 0]]]), ('Pad', [2], [[[-1, 0]]]), ('Pad', [], [np.zeros([0, 2], I32)]), ('Pad', [2], [[[1, 1], [1, 1]]]),
                                 ('ReverseV2', [0, 2], [[0]]), ('ReverseV2', [2], [[0, 0]]), ('ReverseV2', [2], [[1]]), ('ReverseV2', [], [[]]),
                                 ('Roll', [0, 2], [[1], [0]]), ('Roll', [3], [[1, 2], [0, 0]]), ('Roll', [3], [[1], [1]]), ('Roll', [], [[1], [0]]),
                                 ('Slice', [0], [[0], [0]]), ('Slice', [3], [[3], [-1]]), ('Slice', [3], [[1], [3]]), ('Slice', [3], [[-1], [1]]), ('Slice', [3], [[0], [-2]]),
                                 ('ExpandDims', [2], [2]), ('ExpandDims', [2], [-3]), ('ExpandDims', [], [0]), ('ExpandDims', [0], [1]),
                                 ('BroadcastTo', [2], [[0]]), ('BroadcastTo', [1], [[0]]), ('BroadcastTo', [], [[2, 0]]), ('BroadcastTo', [2, 2], [[2]]), ('BroadcastTo', [3], [[2, -1]]),
                                 ('BroadcastTo', [3], [[2, 2]])):
        e.add(op, '%s_%s' % ('x'.join(map(str, shape)) or 'scalar', '_'.join(str(np.array(a).tolist()) for a in arguments).replace(' ', '')),
              [plain(F32, shape)] + [np.array(a, I32) for a in arguments])
    for mode in ('REFLECT', 'SYMMETRIC'):
        for paddings in ([[2, 0]], [[3, 0]], [[0, 4]], [[0, 0]]):
            e.add('MirrorPad', '%s_%s' % (mode, paddings[0]), [plain(F32, [3]), np.array(paddings, I32)], mode=mode)
    for begin, end, step in ((3, 0, -1), (0, 9, 2), (-1, -9, -2), (1, 1, 1), (2, 1, 1), (0, 3, 0), (5, 9, 1), (-9, 2, 1)):
        e.add('StridedSlice', '%d_%d_%d' % (begin, end, step), [plain(F32, [4]), np.array([begin], I32), np.array([end], I32), np.array([step], I32)])
    for masks in ({'new_axis_mask': 1}, {'ellipsis_mask': 1}, {'shrink_axis_mask': 1}, {'shrink_axis_mask': 3}, {'begin_mask': 3, 'end_mask': 3}, {'new_axis_mask': 2, 'shrink_axis_mask': 1}):
        for shape in ([2, 3], [2, 0], [1, 1]):
            e.add('StridedSlice', '%s_of_%s' % ('_'.join('%s%d' % m for m in sorted(masks.items())), 'x'.join(map(str, shape))),
                  [plain(F32, shape), np.array([0, 0], I32), np.array([1, 1], I32), np.array([1, 1], I32)], **masks)
    for start, limit, delta in ((0, 0, 1), (3, 0, -1), (0, 3, -1), (3, 0, 1), (0, 5, 0), (0, 7, 3)):
        for dtype in (I32, I64, F32, F64):
            e.add('Range', '%s_%d_%d_%d' % (name_of(dtype), start, limit, delta), [np.array(v, dtype) for v in (start, limit, delta)], grad=False)
    e.add('Range', 'thirds', [np.array(v, F32) for v in (0, 1, 0.1)], grad=False)
    e.add('Range', 'beyond_2_53', [np.array(v, I64) for v in ((1 << 62) + 1, (1 << 62) + 10, 4)], grad=False)
    for num in (1, 2, 5, 0, -1):
        for dtype in (F32, F64):
            e.add('LinSpace', '%s_%d' % (name_of(dtype), num), [np.array(-1, dtype), np.array(2, dtype), np.array(num, I32)], grad=False)
    for dims in (None, [0], [-1], [1], [5]):
        e.add('Squeeze', str(dims), [plain(F32, [1, 2, 1])], **({} if dims is None else {'axis': dims}))


def joins(e):
    for dtype in ALL:
        n = name_of(dtype)
        parts = [plain(dtype, [2, 1]), plain(dtype, [2, 0]), plain(dtype, [2, 2], 8)]
        e.made('ConcatV2', n, lambda *x: tf.raw_ops.ConcatV2(values=list(x), axis=1), parts)
        e.made('Pack', n, lambda *x: tf.raw_ops.Pack(values=list(x), axis=-1), [plain(dtype, [2]), plain(dtype, [2], 7)])
        e.made('Split', n, lambda x: tf.raw_ops.Split(axis=1, value=x, num_split=3), [plain(dtype, [2, 3])])
        e.made('SplitV', n, lambda x: tf.raw_ops.SplitV(value=x, size_splits=[0, -1, 1], axis=1, num_split=3), [plain(dtype, [2, 3])])
        if dtype in FLOATS + INTS + COMPLEX:
            e.made('AddN', n, lambda *x: tf.raw_ops.AddN(inputs=list(x)), [specials(dtype)] * 3)
            e.made('AccumulateNV2', n, lambda *x: tf.accumulate_n(list(x)), [plain(dtype, [2, 0])] * 2)


def indices(e):
    for dtype in ALL:
        n, x = name_of(dtype), plain(dtype, [3, 2])
        e.add('GatherV2', n, [x, np.array([2, 0, 2], I32), np.array(0, I32)])
        e.add('GatherV2', n + '_columns', [x, np.array([[1], [1]], I64), np.array(-1, I32)])
        e.add('GatherNd', n, [x, np.array([[2, 1], [0, 0]], I32)])
        e.add('Select', n, [np.array([True, False, True]), x, plain(dtype, [3, 2], 11)])
        e.add('SelectV2', n, [np.array([True, False]), x, plain(dtype, [1, 2], 11)])
        e.add('DynamicPartition', n, [x, np.array([1, 0, 1], I32)], num_partitions=3)
        e.add('Unique', n, [np.concatenate([specials(dtype), specials(dtype)[:2]])], grad=False)
        e.add('UniqueWithCounts', n, [specials(dtype)[[0, 1, 0]]], grad=False)
        e.add('ListDiff', n, [specials(dtype), specials(dtype)[:3]], grad=False)
        e.add('OneHot', n, [np.array([0, -1, 2, 7], I32), np.array(3, I32), np.ones([], dtype), np.zeros([], dtype)], grad=False)
        e.add('Where', n + '_matrix', [x], grad=False)
        if dtype in FLOATS + INTS:
            e.add('ClipByValue', n, [specials(dtype), np.ones([], dtype), np.full([], 3, dtype)])
            e.add('ClipByValue', n + '_crossed', [specials(dtype), np.full([], 3, dtype), np.ones([], dtype)], grad=False)
    for variant, shape, at, axis in (('too_far', [3], [3], 0), ('negative', [3], [-1], 0), ('of_empty', [0, 2], [0], 0), ('none', [3, 2], [], 0), ('none_of_empty', [0, 2], [], 0),
                                     ('empty_rows', [3, 0], [2, 1], 0), ('far_axis', [3], [0], 1), ('negative_axis', [3, 2], [0], -2)):
        e.add('GatherV2', variant, [plain(F32, shape), np.array(at, I32), np.array(axis, I32)])
    for variant, shape, at in (('too_far', [3, 2], [[3, 0]]), ('negative', [3, 2], [[0, -1]]), ('whole', [3, 2], np.zeros([2, 0], I32)), ('none', [3, 2], np.zeros([0, 2], I32)),
                               ('too_deep', [3], [[0, 0]]), ('rows', [3, 2], [[1], [1]]), ('empty', [0, 2], np.zeros([0, 1], I32)), ('of_empty', [0, 2], [[0]])):
        e.add('GatherNd', variant, [plain(F32, shape), np.array(at, I32)])
    for depth in (0, 1, -1):
        e.add('OneHot', 'depth_%d' % depth, [np.array([0, 1], I64), np.array(depth, I32), np.array(1, F32), np.array(0, F32)], grad=False)
    e.add('OneHot', 'empty', [np.zeros([0, 2], I32), np.array(3, I32), np.array(1, F32), np.array(0, F32)], grad=False)
    e.add('OneHot', 'scalar_first', [np.array(1, I32), np.array(3, I32), np.array(NAN, F32), np.array(INF, F32)], grad=False, axis=0)
    for at in ([1, 0], [], [0, 0], [2, 0], [-1, 0]):
        for dtype in (I32, I64):
            e.add('InvertPermutation', '%s_%s' % (name_of(dtype), at), [np.array(at, dtype)], grad=False)
    for ids in ([0, 3, 1], [0, -1, 1]):
        e.add('DynamicPartition', str(ids), [plain(F32, [3]), np.array(ids, I32)], grad=False, num_partitions=3)


def scatters(e):
    for dtype in ALL:
        n = name_of(dtype)
        e.add('ScatterNd', n, [np.array([[1], [1], [3]], I32), specials(dtype)[[0, 1, 1]], np.array([4], I32)])
        for op in ('TensorScatterUpdate', 'TensorScatterAdd', 'TensorScatterSub'):
            at = [[1], [0], [3]] if op == 'TensorScatterUpdate' else [[1], [1], [3]]
            e.add(op, n, [plain(dtype, [4]), np.array(at, I32), plain(dtype, [3], 5)])
        e.add('ScatterNdNonAliasingAdd', n, [plain(dtype, [4]), np.array([[1], [1], [3]], I32), plain(dtype, [3], 5)])
    for variant, at, shape in (('too_far', [[4]], [4]), ('negative', [[-1]], [4]), ('none', np.zeros([0, 1], I32), [4]), ('of_empty', np.zeros([0, 1], I32), [0]), ('into_empty', [[0]], [0])):
        e.add('ScatterNd', variant, [np.array(at, I32), plain(F32, [len(at)]), np.array(shape, I32)])
        for op in ('TensorScatterUpdate', 'TensorScatterAdd', 'TensorScatterSub', 'ScatterNdNonAliasingAdd'):
            e.add(op, variant, [plain(F32, shape), np.array(at, I32), plain(F32, [len(at)], 5)])


def products(e):
    for dtype in ALL:
        n = name_of(dtype)
        e.add('MatMul', n, [plain(dtype, [2, 3]), plain(dtype, [3, 2], 5)])
        e.add('MatMul', n + '_nothing_inside', [plain(dtype, [2, 0]), plain(dtype, [0, 2])])
        e.add('MatMul', n + '_empty', [plain(dtype, [0, 2]), plain(dtype, [2, 3])])
        e.add('MatMul', n + '_transposed', [plain(dtype, [3, 1]), plain(dtype, [2, 3], 5)], transpose_a=True, transpose_b=True)
        e.add('BatchMatMulV2', n, [plain(dtype, [2, 1, 1, 3]), plain(dtype, [2, 3, 2], 5)])
        e.add('BatchMatMulV2', n + '_nothing_inside', [plain(dtype, [2, 2, 0]), plain(dtype, [1, 0, 2])])
        e.add('BatchMatMul', n + '_adjoint', [plain(dtype, [2, 3, 1]), plain(dtype, [2, 2, 3], 5)], adj_x=True, adj_y=True)
        e.add('BatchMatMul', n + '_no_batch', [plain(dtype, [0, 2, 3]), plain(dtype, [0, 3, 2])])
        e.add('Cross', n, [plain(dtype, [2, 3]), plain(dtype, [2, 3], 5)])
    for value in (NAN, INF):
        e.add('MatMul', str(value), [np.array([[value, 0], [1, 2]], F32), np.array([[0, 1], [1, 0]], F32)])
    e.add('MatMul', 'wrong', [plain(F32, [2, 3]), plain(F32, [2, 3])])
    e.add('Cross', 'wrong', [plain(F32, [2, 2]), plain(F32, [2, 2])])
    for op in ('MatrixInverse', 'MatrixDeterminant', 'LogMatrixDeterminant', 'Cholesky'):
        for dtype in (F32, F64, C64, C128):
            for variant, x in (('empty', np.zeros([0, 0])), ('no_batch', np.zeros([0, 2, 2])), ('one', [[4]]), ('two', [[4, 1], [1, 3]]), ('singular', [[1, 1], [1, 1]]), ('wrong', [[1, 2, 3]])):
                e.add(op, '%s_%s' % (name_of(dtype), variant), [np.array(x, dtype)], grad=dtype in (F32, F64) and variant != 'singular')


def others(e):
    for shape in ([], [0], [0, 3], [2, 1]):
        v = 'x'.join(map(str, shape)) or 'scalar'
        for op in ('Shape', 'Size', 'Rank'):
            e.add(op, v, [plain(F32, shape)], grad=False)
    for a, b in (([], []), ([0], [1]), ([2, 1], [1, 3]), ([0], [2]), ([2, 3], [3, 3])):
        for op in ('BroadcastArgs', 'BroadcastGradientArgs'):
            e.add(op, '%s_%s' % (a, b), [np.array(a, I32), np.array(b, I32)], grad=False)
    for a, to in ((F32, tf.int32), (np.int8, tf.int32), (F64, tf.float32), (C64, tf.float64), (np.uint8, tf.float16)):
        for shape in ([4], [0, 4], [1, 4]):
            e.add('Bitcast', '%s_to_%s_%s' % (name_of(a), to.name, shape), [plain(a, shape)], grad=False, type=to)
