"""What the families edges_*.py share: edges of value and shape. Each op of numbers on NaN, infinities, signed zeros, the ends of integers and empty or size-1 tensors.

Cases that TensorFlow's CPU kernels do not take are dropped. Not here: the least integer divided by -1, which ends TensorFlow's process.
"""
import json
import pathlib
import re

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

F16, F32, F64, I32, I64 = np.float16, np.float32, np.float64, np.int32, np.int64
BF16 = tf.bfloat16.as_numpy_dtype
C64, C128 = np.complex64, np.complex128
NAN, INF = float('nan'), float('inf')
FLOATS, INTS = (F16, BF16, F32, F64), (np.int8, np.int16, I32, I64, np.uint8, np.uint16)
COMPLEX = (C64, C128)
ALL = FLOATS + INTS + COMPLEX + (np.bool_,)
DEFS = op_def_registry.get_registered_ops()


def name_of(dtype):
    return tf.as_dtype(dtype).name


def specials(dtype):
    """The values at which functions of one number turn."""
    if dtype is np.bool_:
        return np.array([True, False])
    if dtype in COMPLEX:
        return np.array([0, 1, -1, 1j, -1j, 1.5 - 2j, complex(INF, 0), complex(NAN, 1), complex(0, -INF)], dtype)
    if dtype in INTS:
        limits = np.iinfo(dtype)
        values = [0, 1, 2, 7, 100, limits.max, limits.max - 1]
        return np.array(values + ([-1, -2, -7, limits.min, limits.min + 1] if limits.min < 0 else []), dtype)
    limits = np.finfo(F32 if dtype is BF16 else dtype)
    return np.array([0, -0.0, 1, -1, 0.5, -1.5, 2.5, 3, limits.max, -limits.max, limits.tiny, INF, -INF, NAN], dtype)


def some(dtype):
    """Fewer of them, for pairs."""
    values = specials(dtype)
    return values[[0, 1, 3, 5, 8, 11, 12, 13]] if dtype in FLOATS else values


def plain(dtype, shape, seed=3):
    """Values without edges."""
    values = np.random.RandomState(seed).randint(-4, 5, shape)
    if dtype is np.bool_:
        return values > 0
    if dtype in (np.uint8, np.uint16):
        values = np.abs(values)
    return (values * (0.5 if dtype in FLOATS + COMPLEX else 1)).astype(dtype)


SHAPES = {'scalar': [], 'one': [1], 'ones': [1, 1], 'empty': [0], 'empty_rows': [0, 3], 'empty_columns': [2, 0]}


# What ends TensorFlow's process.
FATAL = (('Complex', 'float64'), ('TensorScatterAdd', 'bool'), ('TensorScatterSub', 'bool'))


# What TensorFlow's CPU kernels take; what they do not may run on its XLA device, with other results.
KERNELS = json.loads((pathlib.Path(__file__).resolve().parent.parent / 'tests/golden/kernels.json').read_text())['ops']

# Cases in which TensorFlow's answer is open or the worse one.
LEFT_OUT = [re.compile('edge_(%s)$' % name) for name in (
    r'(Inv|Reciprocal|Div|RealDiv|DivNoNan|Expm1|Log1p|Xdivy|Xlogy|Cumprod|Segment(Mean|Prod)|\w+Grad):complex.*',  # infinities in products and quotients
    r'FloorDiv:(int|float)(8|16|32|64)',  # the least integer; quotients so small that they count as 0
    r'R?[sS]qrt:float(32|64)',  # its root of -0 is 0
    r'(Sigmoid|Tanh|Softsign)Grad:float\d+',  # results that the functions do not have
    r'(Digamma|Igammac?|Zeta|Polygamma):float\d+',  # at infinities
    r'Unique(WithCounts)?:float16',  # two zeros
    r'BroadcastTo:2_\[0\]',  # two numbers as none, without an error
    r'ArgM(ax|in):.*_at_-?[02]|(GatherNd|ScatterNd):(of|into)_empty|BroadcastTo:3_\[2,-1\]|Truncate(Div|Mod):int\d+_zero',  # errors that say less
    r'Cum(sum|prod):2_at_-2',
    r'Segment\w+:short|\w+Grad:\w+_(empty_one|empty_broadcast|wrong|ones)',  # errors that come later
    r'(Cumsum|Elu|LRN|LeakyRelu|LogSoftmax|Selu|Sigmoid|Softmax|Softplus|\w+Grad|\w+WithLogits):b?float16.*',  # rounded after each step
    r'SqrtGrad:float(32|64)',  # gradients of nothing
    r'FusedBatchNorm(V2|V3)?:\w+_(inference|training_empty|inference_one|inference_empty)',  # outputs that are not written
    r'Conv2D:no_channels_out|(DepthwiseConv2dNative|Conv2D):dynamic_.*')]  # nor their gradients


class Edges(object):
    def __init__(self, o):
        self.o, self.names = o, set()

    def add(self, op, variant, inputs, grad=True, static=True, **attrs):
        """A node of `op`; its inputs in the order of its definition."""
        definition = DEFS[op]

        def make(*xs):
            names = [a.name for a in definition.input_arg]
            y = getattr(tf.raw_ops, op)(**dict(zip(names, xs), **attrs))
            return list(y) if isinstance(y, tuple) else y
        if (op, variant) not in FATAL:
            self.made(op, variant, make, inputs, grad, static)

    def made(self, op, variant, make, inputs, grad=True, static=True):
        name = 'edge_%s:%s' % (op, variant)
        while name in self.names:
            name += '_again'
        self.names.add(name)
        if any(np.asarray(x).dtype.name in ('float16', 'bfloat16') for x in inputs):
            grad = False  # sums that round after each step, in an order of their own
        self.o.add(name, make, inputs, grad=grad, static=static)
        finish(self.o, self.o.cases[-1])


def finish(o, case):
    """Takes the last case back if it says nothing of CPU kernels."""
    case.pop('grad_nodes', None)  # other families have them
    if 'grad_error' in case:  # what TensorFlow has no gradient for is in the table of ops
        for key in ('grad_error', 'grad_of', 'grad_ys', 'wrt'):
            case.pop(key, None)
    if 'nodes' not in case or not on_cpu(case) or any(name.match(case['name']) for name in LEFT_OUT):
        o.cases.pop()


def on_cpu(case):
    if 'No OpKernel was registered' in case.get('error', ['', ''])[1]:
        return False
    for _, op, _, attrs in case['nodes']:
        for name, types in KERNELS.get(op, {}).items():
            if str(attrs.get(name, '')).startswith('DT:') and attrs[name][3:] not in types:
                return False
    return True
