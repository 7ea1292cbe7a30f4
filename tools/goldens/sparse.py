"""Sparse tensors. Indices and shapes are constants of the graph; values are fed."""
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_sparse_ops as sp

F32, I32, I64 = np.float32, np.int32, np.int64


def sets(o):
    from tensorflow.python.ops import gen_set_ops as st
    i = np.array([[0, 0], [0, 1], [0, 3], [2, 0]], I64)
    j = np.array([[0, 0], [1, 0], [1, 1], [2, 3]], I64)
    s = np.array([3, 4], I64)
    for dt in (np.int8, np.uint8, np.int16, np.uint16, I32, I64, object):
        def values(*v):
            return np.array([b'%d' % x for x in v], object) if dt is object else np.array(v, dt)
        name = 'string' if dt is object else np.dtype(dt).name
        v, w = values(5, 7, 5, 9), values(7, 1, 1, 9)
        a, b = values(5, 1, 2, 2, 9, 0).reshape(3, 2), values(1, 1, 3, 5, 2, 2, 0, 4, 9).reshape(3, 3)
        o.add('set_size:' + name, lambda x: st.set_size(i, x, s), [v], grad=False)
        for op in ('a-b', 'b-a', 'intersection', 'union'):
            o.add('dense_to_dense_set_operation:%s:%s' % (op, name),
                  lambda x, y: list(st.dense_to_dense_set_operation(x, y, op)), [a, b], grad=False)
            o.add('dense_to_sparse_set_operation:%s:%s' % (op, name),
                  lambda x, y: list(st.dense_to_sparse_set_operation(x, i, y, s, op)), [a, v], grad=False)
            o.add('sparse_to_sparse_set_operation:%s:%s' % (op, name),
                  lambda x, y: list(st.sparse_to_sparse_set_operation(i, x, s, j, y, s, op)), [v, w], grad=False)
    none = np.zeros([0, 2], I64)
    for shape in ([0, 2], [2, 0], [2, 3, 2]):
        x = np.arange(np.prod(shape)).reshape(shape)
        o.add('dense_to_dense_set_operation:shape_%s' % 'x'.join(map(str, shape)),
              lambda x: list(st.dense_to_dense_set_operation(x, x, 'union')), [x], grad=False)
    o.add('sparse_to_sparse_set_operation:empty', lambda x: list(st.sparse_to_sparse_set_operation(none, x, s, none, x, s, 'union')),
          [np.zeros([0], I64)], grad=False)
    o.add('set_size:rank_3', lambda x: st.set_size(np.array([[0, 0, 1], [1, 2, 0], [1, 2, 2]], I64), x, np.array([2, 3, 3], I64)),
          [np.array([4, 5, 5])], grad=False)
    for name, bad in [('order', i[::-1]), ('bounds', i + 1), ('repeated', i * 0)]:
        o.add('set_size:' + name, lambda x: st.set_size(bad, x, s), [np.arange(4)], grad=False)
    o.add('dense_to_dense_set_operation:mismatch', lambda x, y: list(st.dense_to_dense_set_operation(x, y, 'union')),
          [np.arange(4).reshape(2, 2), np.arange(4).reshape(1, 4)], grad=False, static=False)
    o.add('dense_to_dense_set_operation:rank', lambda x: list(st.dense_to_dense_set_operation(x, x, 'union')),
          [np.arange(4)], grad=False, static=False)


def cases(o, lib):
    rnd = lib.rnd
    sets(o)
    i = np.array([[0, 1], [1, 0], [1, 3], [2, 2]], I64)          # of [4, 4], row 3 is empty
    j = np.array([[0, 0], [0, 1], [1, 3], [3, 1]], I64)
    s = np.array([4, 4], I64)
    v, w = rnd(1, [4]), rnd(2, [4])
    cube_i = np.array([[0, 0, 1], [0, 2, 0], [1, 0, 1], [1, 2, 2]], I64)
    cube_s = np.array([2, 3, 3], I64)
    words = np.array([b'a', b'bc', b'', b'd'], object)
    none_i = np.zeros([0, 2], I64)

    # ---- entries
    o.add('sparse_to_dense', lambda x, d: sp.sparse_to_dense(i, s, x, d), [v, F32(0.5)])
    o.add('sparse_to_dense:scalar', lambda x: sp.sparse_to_dense(I32(1), np.array([3], I32), x, F32(0)), [np.array(2, F32)])
    o.add('sparse_to_dense:vector', lambda x: sp.sparse_to_dense(np.array([0, 2], I32), np.array([4], I32), x, F32(-1)), [v[:2]])
    o.add('sparse_to_dense:one_value', lambda x: sp.sparse_to_dense(np.array([0, 2], I32), np.array([4], I32), x, F32(-1)), [np.array(7, F32)], grad=False)
    o.add('sparse_to_dense:any_order', lambda x: sp.sparse_to_dense(i[::-1], s, x, F32(0), validate_indices=False), [v])
    o.add('sparse_to_dense:string', lambda x: sp.sparse_to_dense(i, s, x, '-'), [words], grad=False)
    o.add('sparse_to_dense:empty', lambda x: sp.sparse_to_dense(none_i, s, x, F32(2)), [np.zeros([0], F32)])
    mixed = np.array([2, 0, 3, 1])
    repeated = np.array([[2, 0], [0, 1], [0, 0], [2, 0]], I64)
    o.add('sparse_reorder', lambda x: sp.sparse_reorder(i[mixed], x, s), [v])
    o.add('sparse_reorder:repeated', lambda x: sp.sparse_reorder(repeated, x, s), [v])
    o.add('sparse_reorder:string', lambda x: sp.sparse_reorder(i[mixed], x, s), [words], grad=False)
    for n, shape in enumerate([[16], [2, -1], [2, 2, 4], [-1, 1]]):
        o.add('sparse_reshape:%d' % n, lambda shape=shape: sp.sparse_reshape(i, s, np.array(shape, I64)), [], grad=False)
    o.add('sparse_concat:rows', lambda x, y: sp.sparse_concat([i, j], [x, y], [s, s], 0), [v, w], grad=False)
    o.add('sparse_concat:columns', lambda x, y: sp.sparse_concat([i, j], [x, y], [s, s], -1), [v, w], grad=False)
    o.add('sparse_concat:string', lambda x, y: sp.sparse_concat([i, j], [x, y], [s, s], 1), [words, words], grad=False)
    for axis, parts in [(0, 2), (0, 3), (1, 2), (1, 4)]:
        def split(x, axis=axis, parts=parts):
            indices, values, shapes = sp.sparse_split(I64(axis), i, x, s, parts)
            return list(indices) + list(values) + list(shapes)
        o.add('sparse_split:%d_%d' % (axis, parts), split, [v], grad=False)
    for n, (start, size) in enumerate([([0, 0], [2, 2]), ([1, 0], [2, 9]), ([0, 1], [4, 2]), ([0, 0], [0, 0])]):
        o.add('sparse_slice:%d' % n, lambda x, a=start, b=size: sp.sparse_slice(i, x, s, np.array(a, I64), np.array(b, I64)), [v])
    o.add('sparse_fill_empty_rows', lambda x, d: sp.sparse_fill_empty_rows(i, x, s, d), [v, F32(9)])
    o.add('sparse_fill_empty_rows:any_order', lambda x, d: sp.sparse_fill_empty_rows(i[mixed], x, np.array([6, 4], I64), d), [v, F32(9)])
    o.add('sparse_fill_empty_rows:string', lambda x: sp.sparse_fill_empty_rows(i, x, s, 'none'), [words], grad=False)
    o.add('sparse_fill_empty_rows:empty', lambda x, d: sp.sparse_fill_empty_rows(none_i, x, s, d), [np.zeros([0], F32), F32(9)])

    # ---- two tensors
    o.add('sparse_add', lambda x, y: sp.sparse_add(i, x, s, j, y, s, F32(0)), [v, w])
    o.add('sparse_add:threshold', lambda x, y: sp.sparse_add(i, x, s, j, y, s, F32(0.7)), [v, w])
    o.add('sparse_add:int', lambda x, y: sp.sparse_add(i, x, s, j, y, s, I32(2)), [np.array([1, 2, -3, 4], I32), np.array([5, 1, 2, 1], I32)], grad=False)
    o.add('sparse_add:complex', lambda x, y: sp.sparse_add(i, x, s, j, y, s, F32(1)), [(v + 1j * w).astype(np.complex64), (w + 1j * v).astype(np.complex64)], grad=False)
    o.add('sparse_add:empty', lambda x, y: sp.sparse_add(none_i, x, s, j, y, s, F32(0)), [np.zeros([0], F32), w])
    for name in ['maximum', 'minimum']:
        o.add('sparse_sparse_' + name, lambda x, y, f=getattr(sp, 'sparse_sparse_' + name): f(i, x, s, j, y, s), [v, w], grad=False)
    o.add('sparse_tensor_dense_add', lambda x, y: sp.sparse_tensor_dense_add(i, x, s, y), [v, rnd(3, [4, 4])])
    o.add('sparse_tensor_dense_add:repeated', lambda x, y: sp.sparse_tensor_dense_add(repeated.astype(I32), x, s.astype(I32), y), [v, rnd(3, [4, 4])])
    for name in ['add', 'mul', 'div']:
        f = getattr(sp, 'sparse_dense_cwise_' + name)
        for variant, shape in [('full', [4, 4]), ('row', [4]), ('column', [4, 1]), ('scalar', [])]:
            o.add('sparse_dense_cwise_%s:%s' % (name, variant), lambda x, y, f=f: f(i, x, s, y), [v, rnd(4, shape) + F32(2)], grad=name != 'add')
    for a in [False, True]:
        for b in [False, True]:
            shape = [3, 4] if b else [4, 3]
            o.add('sparse_tensor_dense_mat_mul:%d%d' % (a, b),
                  lambda x, y, a=a, b=b: sp.sparse_tensor_dense_mat_mul(i, x, s, y, adjoint_a=a, adjoint_b=b), [v, rnd(5, shape)])
    o.add('sparse_tensor_dense_mat_mul:complex', lambda x, y: sp.sparse_tensor_dense_mat_mul(i, x, s, y, adjoint_a=True, adjoint_b=True),
          [(v + 1j * w).astype(np.complex64), (rnd(6, [3, 4]) + 1j * rnd(7, [3, 4])).astype(np.complex64)], grad=False)
    o.add('sparse_tensor_dense_mat_mul:wide', lambda x, y: sp.sparse_tensor_dense_mat_mul(i[:2].astype(I32), x, np.array([2, 5], I64), y), [v[:2], rnd(5, [5, 2])])
    o.add('sparse_tensor_dense_mat_mul:empty', lambda x, y: sp.sparse_tensor_dense_mat_mul(none_i, x, np.array([2, 5], I64), y), [np.zeros([0], F32), rnd(5, [5, 2])])

    # ---- one tensor
    o.add('sparse_softmax', lambda x: sp.sparse_softmax(i, x, s), [v])
    o.add('sparse_softmax:cube', lambda x: sp.sparse_softmax(cube_i, x, cube_s), [v * 3])
    for axes in [[0], [1], [0, 1], [], [-1], [0, 0]]:
        name = '_'.join(str(a) for a in axes).replace('-', 'm') or 'none'
        for keep in [False, True]:
            tail = name + ('_keep' if keep else '')
            for op in ['sum', 'max', 'sum_sparse', 'max_sparse']:
                f = getattr(sp, 'sparse_reduce_' + op)
                o.add('sparse_reduce_%s:%s' % (op, tail), lambda x, f=f, axes=axes, keep=keep: f(i, x, s, np.array(axes, I32), keep_dims=keep), [v], grad=op == 'sum')
    o.add('sparse_reduce_sum:cube', lambda x: sp.sparse_reduce_sum(cube_i, x, cube_s, np.array([0, 2], I32)), [v])
    o.add('sparse_reduce_sum:int8', lambda x: sp.sparse_reduce_sum(i, x, s, np.array([1], I32)), [np.array([100, 100, 100, -3], np.int8)], grad=False)

    # ---- as strings
    o.add('serialize_sparse', lambda x: sp.serialize_sparse(i, x, s), [v], grad=False)
    o.add('serialize_many_sparse', lambda x: sp.serialize_many_sparse(i, x, s), [v], grad=False)
    o.add('serialize_many_sparse:cube', lambda x: sp.serialize_many_sparse(cube_i, x, cube_s), [v], grad=False)

    def back(stack):
        return lambda x, y: sp.deserialize_sparse(stack(x, y), x.dtype)

    one = lambda x, y: sp.serialize_sparse(i, x, s)
    two = lambda x, y: tf.stack([sp.serialize_sparse(i, x, s), sp.serialize_sparse(j, y, np.array([5, 4], I64))])
    o.add('deserialize_sparse', back(one), [v, w], grad=False)
    o.add('deserialize_sparse:two', back(two), [v, w], grad=False)
    o.add('deserialize_sparse:matrix', back(lambda x, y: tf.stack([two(x, y), two(y, x)])), [v, w], grad=False)
    o.add('deserialize_sparse:string', back(two), [words, words], grad=False)
    o.add('deserialize_many_sparse', lambda x: sp.deserialize_many_sparse(sp.serialize_many_sparse(i, x, s), x.dtype), [v], grad=False)
