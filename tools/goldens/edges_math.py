"""Edges of element-wise ops, reductions, scans and conversions: golden_edges.py."""
import numpy as np
import tensorflow as tf

from golden_edges import ALL, BF16, C64, C128, COMPLEX, DEFS, F16, F32, F64, FLOATS, I32, I64, INF, INTS, NAN, SHAPES, Edges, name_of, plain, some, specials


def cases(o, lib):
    e = Edges(o)
    of_one(e)
    of_two(e)
    reductions(e)
    places(e)
    scans(e)
    casts(e)


ONE = ('Abs Neg Sign Square Sqrt Rsqrt Inv Reciprocal Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf Erfc '
       'Lgamma Digamma Ceil Floor Round Rint IsNan IsInf IsFinite LogicalNot Invert PopulationCount Sigmoid Relu Relu6 LeakyRelu Elu Selu Softplus '
       'Softsign Conj ZerosLike OnesLike L2Loss CheckNumerics Real Imag Angle ComplexAbs Where Snapshot Identity DeepCopy PreventGradient BesselI0e BesselI1e')
TWO = ('Add AddV2 Sub Mul Div RealDiv TruncateDiv FloorDiv Mod FloorMod TruncateMod DivNoNan MulNoNan Xdivy Xlogy Pow Maximum Minimum SquaredDifference '
       'Atan2 Equal NotEqual Less LessEqual Greater GreaterEqual LogicalAnd LogicalOr BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift '
       'ApproximateEqual Complex Igamma Igammac Zeta Polygamma')
GRADS = ('SigmoidGrad TanhGrad SqrtGrad RsqrtGrad ReciprocalGrad InvGrad ReluGrad Relu6Grad LeakyReluGrad EluGrad SeluGrad SoftplusGrad SoftsignGrad')


REDUCED = ('Sum', 'Mean', 'Prod', 'Max', 'Min', 'EuclideanNorm', 'All', 'Any')


def of_one(e):
    for op in ONE.split():
        if op not in DEFS or not hasattr(tf.raw_ops, op):
            continue
        attrs = {'message': 'no good'} if op == 'CheckNumerics' else {}
        for dtype in ALL:
            if dtype is C128 and op in ('Real', 'Imag', 'Angle', 'ComplexAbs'):
                attrs = {'Tout': tf.float64}
            many = specials(dtype)
            if op == 'CheckNumerics' and dtype in FLOATS:
                many = many[np.isfinite(many.astype(F64))]
            e.add(op, name_of(dtype), [many], **attrs)
        attrs.pop('Tout', None)
        for dtype in (F32, I32, np.bool_, C64):
            for shape in ('scalar', 'ones', 'empty_rows'):
                e.add(op, '%s_%s' % (name_of(dtype), shape), [plain(dtype, SHAPES[shape])], **attrs)
    for value in (NAN, INF, -INF):
        e.add('CheckNumerics', str(value), [np.array([1, value], F32)], message='no good')


def of_two(e):
    for op in TWO.split() + GRADS.split():
        if op not in DEFS or not hasattr(tf.raw_ops, op):
            continue
        divides = op in ('Div', 'TruncateDiv', 'FloorDiv', 'Mod', 'FloorMod', 'TruncateMod')
        for dtype in ALL:
            if op == 'ApproximateEqual' and dtype in COMPLEX:
                continue
            x = some(dtype)
            left, right = x.reshape(-1, 1), x
            if divides and dtype in INTS:
                right = x[x != 0]
                right = right[right != right.dtype.type(-1)] if np.iinfo(dtype).min < 0 else right
            if op == 'Pow' and dtype in INTS:
                left, right = x.reshape(-1, 1), np.array([0, 1, 2, 3, 31, 64], dtype)
            if op in GRADS.split():
                left, right = [a.ravel() for a in np.meshgrid(x, x)]
            e.add(op, name_of(dtype), [left, right])
        for dtype in (F32, I32, np.bool_):
            for shape, (a, b) in {'scalars': ([], []), 'empty': ([0], [0]), 'empty_one': ([0], [1]), 'empty_broadcast': ([2, 0], [1, 1]), 'ones': ([1, 1], [1]),
                                  'wrong': ([2], [3])}.items():
                right = plain(dtype, b, 5)
                if divides and dtype is I32:
                    right = np.ones(b, I32)
                e.add(op, '%s_%s' % (name_of(dtype), shape), [plain(dtype, a), right])
        if divides or op == 'Pow':
            for dtype in (np.int8, I32, I64):
                e.add(op, name_of(dtype) + ('_zero' if divides else '_negative'), [np.array([3, 4], dtype), np.array([1, 0 if divides else -1], dtype)], grad=False)
    big = np.array([(1 << 53) + 1, (1 << 62) + 3, -(1 << 53) - 1, 5], I64)
    for op in ('Add', 'Sub', 'Mul', 'FloorDiv', 'FloorMod', 'TruncateDiv', 'Maximum', 'Minimum', 'Equal', 'Less', 'SquaredDifference'):
        e.add(op, 'beyond_2_53', [big.reshape(-1, 1), big], grad=False)


def reductions(e):
    for op in REDUCED:
        for dtype in ALL:
            x = specials(dtype)
            e.add(op, name_of(dtype), [np.concatenate([x, x[:1]]).reshape(1, -1), np.array([1], I32)])
            e.add(op, name_of(dtype) + '_columns', [np.stack([x, x[::-1], x]), np.array([0], I32)])
            for shape, axes in (([0], [0]), ([2, 0], [1]), ([0, 2], [0]), ([2, 0], [0]), ([], []), ([1, 1], [0, 1]), ([2, 2], [])):
                if dtype in (F16, F32, I32, I64, np.bool_, C64):
                    e.add(op, '%s_%s_over_%s' % (name_of(dtype), 'x'.join(map(str, shape)) or 'scalar', ''.join(map(str, axes))),
                          [plain(dtype, shape), np.array(axes, I32)], keep_dims=len(axes) == 1)
        for variant, axes in (('too_far', [2]), ('negative', [-1]), ('too_negative', [-3]), ('twice', [0, 0]), ('twice_both_ways', [1, -1])):
            dtype = np.bool_ if op in ('All', 'Any') else F32
            e.add(op, variant, [plain(dtype, [2, 2]), np.array(axes, I32)], grad=False)


def places(e):
    for op in ('ArgMax', 'ArgMin'):
        for dtype in FLOATS + INTS:
            x = specials(dtype)
            e.add(op, name_of(dtype), [np.stack([x, x[::-1]]), np.array(1, I32)], grad=False)
            e.add(op, name_of(dtype) + '_columns', [np.stack([x, x[::-1], x]), np.array(0, I32)], grad=False)
            e.add(op, name_of(dtype) + '_ties', [np.array([[1, 0, 1, 0]] * 2).astype(dtype), np.array(-1, I64)], grad=False, output_type=tf.int32)
        for shape, axis in (([0], 0), ([2, 0], 1), ([0, 2], 1), ([], 0), ([2], 2), ([2], -2)):
            e.add(op, '%s_at_%d' % ('x'.join(map(str, shape)), axis), [plain(F32, shape), np.array(axis, I32)], grad=False)
        e.add(op, 'all_nan', [np.full([2, 40], NAN, F32), np.array(1, I32)], grad=False)
        e.add(op, 'nan_first', [np.array([[NAN] + [1] * 35, [2] * 35 + [NAN]], F32), np.array(1, I32)], grad=False)
    for dtype in FLOATS + INTS:
        x = specials(dtype)
        for k in (0, 1, 3):
            e.add('TopKV2', '%s_%d' % (name_of(dtype), k), [x[np.isfinite(x.astype(F64))] if dtype in FLOATS else x, np.array(k, I32)])
    e.add('TopKV2', 'too_many', [plain(F32, [2, 3]), np.array(4, I32)], grad=False)
    e.add('TopKV2', 'negative', [plain(F32, [2, 3]), np.array(-1, I32)], grad=False)
    e.add('TopKV2', 'empty', [plain(F32, [0, 3]), np.array(2, I32)])
    e.add('TopKV2', 'infinite', [np.array([INF, -INF, 0, INF, 1], F32), np.array(3, I32)])
    for op in ('InTopK', 'InTopKV2'):
        for variant, row, k in (('nan', [NAN, 1, 2], 2), ('inf', [INF, 1, 2], 1), ('ties', [1, 1, 1], 1), ('all', [0, 1, 2], 3)):
            if op == 'InTopKV2':
                e.add(op, variant, [np.array([row] * 3, F32), np.array([0, 1, 2], I32), np.array(k, I32)], grad=False)
            else:
                e.add(op, variant, [np.array([row] * 3, F32), np.array([0, 1, 2], I32)], grad=False, k=k)


def scans(e):
    for op in ('Cumsum', 'Cumprod'):
        for dtype in ALL:
            x = specials(dtype)
            for exclusive in (False, True):
                for reverse in (False, True):
                    e.add(op, '%s_%d%d' % (name_of(dtype), exclusive, reverse), [x, np.array(0, I32)], grad=not exclusive, exclusive=exclusive, reverse=reverse)
        for shape, axis in (([], 0), ([0], 0), ([2, 0], 0), ([1, 1], -1), ([2], 1), ([2], -2)):
            e.add(op, '%s_at_%d' % ('x'.join(map(str, shape)), axis), [plain(F32, shape), np.array(axis, I32)])
    for values in ([0, 3, 3, -1, 9], []):
        for weights in ([], [0.5] * len(values)):
            e.add('Bincount', '%d_%d' % (len(values), len(weights)), [np.array([max(0, v) for v in values], I32), np.array(5, I32), np.array(weights, F32)], grad=False)
    e.add('Bincount', 'negative', [np.array([-1, 1], I32), np.array(5, I32), np.array([], F32)], grad=False)
    e.add('Bincount', 'negative_size', [np.array([1], I32), np.array(-1, I32), np.array([], F32)], grad=False)
    for dtype in (I32, I64, F32, F64):
        e.add('HistogramFixedWidth', name_of(dtype), [np.array([-1, 0, 1, 5, 6, 9], dtype), np.array([0, 5], dtype), np.array(4, I32)], grad=False)
    e.add('HistogramFixedWidth', 'infinite', [np.array([-INF, INF, 2], F32), np.array([0, 5], F32), np.array(4, I32)], grad=False)
    e.add('HistogramFixedWidth', 'empty', [np.array([], F32), np.array([0, 5], F32), np.array(4, I32)], grad=False)
    e.add('HistogramFixedWidth', 'no_range', [np.array([1], F32), np.array([5, 5], F32), np.array(4, I32)], grad=False)
    e.add('HistogramFixedWidth', 'no_bins', [np.array([1], F32), np.array([0, 5], F32), np.array(0, I32)], grad=False)


def casts(e):
    for dtype in ALL:
        for to in ALL:
            values = specials(dtype)
            if dtype in FLOATS + COMPLEX and (to in INTS):  # beyond the range C++ leaves it open
                values = np.array([0, -0.0, 1, 2.5, 3.5, 100.99, 0.999], dtype)
            e.add('Cast', '%s_to_%s' % (name_of(dtype), name_of(to)), [values], grad=dtype in (F32, F64) and to in (F32, F64, F16), DstT=tf.as_dtype(to))
    halves = np.array([1 + 2.0 ** -11, 1 + 3 * 2.0 ** -11, 65519, 65520, 2.0 ** -24, 2.0 ** -25, 1.5 * 2.0 ** -25, 1 + 2.0 ** -8, 1 + 3 * 2.0 ** -8, 3.4e38, 1e-40], F32)
    for to in (F16, BF16):
        for source in (F32, F64):
            e.add('Cast', 'ties_%s_to_%s' % (name_of(source), name_of(to)), [halves.astype(source)], grad=False, DstT=tf.as_dtype(to))
    for to in (F32, F64, F16, BF16):
        e.add('Cast', 'big_to_' + name_of(to), [np.array([(1 << 24) + 1, (1 << 53) + 1, (1 << 53) + 3, (1 << 63) - 1, -(1 << 63), (1 << 25) + 3], I64)], grad=False, DstT=tf.as_dtype(to))
