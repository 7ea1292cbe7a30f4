#!/usr/bin/env python
"""Makes the golden data under tests/golden from the real TensorFlow 1.15.

    PYENV_VERSION=3.7.16 python -m venv tf1      # any Python 3.7, outside the repository
    tf1/bin/pip install tensorflow==1.15.5 'protobuf<3.21' 'numpy<1.19' pillow scipy
    tf1/bin/python tools/make_goldens.py all --out tests/golden
    tf1/bin/python tools/make_goldens.py optimizers --out tests/golden   # one family

Families: optimizers random random_ops kernels schedules checkpoint graphs events messages ops op_defs errors all, and one for each file
FAMILY.py in tools/goldens/: its function cases(o, lib) adds op cases with o.add (class Ops below; lib is this module),
which go to tests/golden/ops/FAMILY.json.

Everything is deterministic (fixed seeds, one thread) except: in events/ the wall times in the event file and the
timings inside its run metadata; in checkpoint/ and graphs/ nothing. Two different CPUs may disagree in the last bit
of results that go through exp, log, sin and the like.

How a tensor is written: {"dtype": "float32", "shape": [2, 3], "data": [flat, row-major]}. A float is written with the
fewest decimal digits that give back the same value *of its dtype* (parse as double, round to the dtype); the
non-finite ones are the strings "nan", "inf", "-inf". Booleans are true/false, complex numbers [re, im] pairs, strings
are text in "data" when all are printable ASCII, otherwise base64 in "data_b64".
"""
import argparse
import base64
import hashlib
import inspect
import json
import os
import re
import shutil
import sys
import tempfile
import warnings

warnings.filterwarnings('ignore')
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['CUDA_VISIBLE_DEVICES'] = ''

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.python.framework import tensor_util
from tensorflow.python.framework.ops import IndexedSlicesValue

tf.compat.v1.logging.set_verbosity("ERROR")

F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64


# ---------------------------------------------------------------- common

def config():
    return tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1, device_count={'GPU': 0})


def num(x):
    """One numpy scalar as a JSON value."""
    x = np.asarray(x)[()]
    kind = np.asarray(x).dtype.kind
    name = np.asarray(x).dtype.name
    if kind == 'b':
        return bool(x)
    if kind in 'iu':
        return int(x)
    if kind == 'c':
        return [num(x.real), num(x.imag)]
    if name == 'bfloat16':
        return num(np.float32(x))
    f = float(x)
    if f != f:
        return 'nan'
    if f in (float('inf'), float('-inf')):
        return 'inf' if f > 0 else '-inf'
    if name == 'float64':
        return f
    short = float(np.format_float_scientific(x, unique=True, trim='0'))
    assert x.dtype.type(short) == x, (x, short)
    return short


def flat(a):
    return [num(v) for v in np.asarray(a).ravel()]


def T(a):
    a = np.asarray(a)
    if a.dtype.kind in 'OSU':
        items = [v if isinstance(v, bytes) else str(v).encode('utf-8') for v in a.ravel()]
        d = {'dtype': 'string', 'shape': list(a.shape)}
        if all(re.match(br'^[\x20-\x7e]*$', v) for v in items):
            d['data'] = [v.decode('ascii') for v in items]
        else:
            d['data_b64'] = [base64.b64encode(v).decode('ascii') for v in items]
        return d
    return {'dtype': tf.as_dtype(a.dtype).name, 'shape': list(a.shape), 'data': flat(a)}


def value(v):
    """A fetched value: tensor, indexed slices, None."""
    if v is None:
        return None
    if isinstance(v, IndexedSlicesValue):
        return {'indexed_slices': True, 'indices': T(v.indices), 'values': T(v.values),
                'dense_shape': None if v.dense_shape is None else T(v.dense_shape)}
    return T(v)


def attr(a):
    """An AttrValue as compact JSON."""
    kind = a.WhichOneof('value')
    if kind == 'type':
        return 'DT:' + tf.as_dtype(a.type).name
    if kind == 's':
        return a.s.decode('latin-1')
    if kind in ('i', 'b'):
        return getattr(a, kind)
    if kind == 'f':
        return num(np.float32(a.f))
    if kind == 'shape':
        return {'shape': None if a.shape.unknown_rank else [d.size for d in a.shape.dim]}
    if kind == 'tensor':
        return {'tensor': T(tensor_util.MakeNdarray(a.tensor))}
    if kind == 'func':
        return {'func': a.func.name}
    if kind == 'list':
        l = a.list
        return ([x.decode('latin-1') for x in l.s] or list(l.i) or [num(np.float32(x)) for x in l.f] or list(l.b)
                or ['DT:' + tf.as_dtype(x).name for x in l.type]
                or [{'shape': None if s.unknown_rank else [d.size for d in s.dim]} for s in l.shape])
    return None


def node(n, attrs=False):
    d = [n.name, n.op, list(n.input)]
    if attrs:
        d.append({k: attr(n.attr[k]) for k in sorted(n.attr)})
    return d


def nodes_since(graph, mark, attrs=False):
    return [node(o.node_def, attrs) for o in graph.get_operations()[mark:]]


def sha(a):
    return hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()


def dump(path, doc):
    """One line for each element of a top-level list or dict, so that diffs stay readable."""
    def one(v):
        return json.dumps(v, separators=(',', ':'), allow_nan=False)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write('{\n')
        for i, (k, v) in enumerate(doc.items()):
            f.write(json.dumps(k) + ': ')
            if isinstance(v, list) and v:
                f.write('[\n' + ',\n'.join(' ' + one(x) for x in v) + '\n]')
            elif isinstance(v, dict) and v:
                f.write('{\n' + ',\n'.join(' ' + json.dumps(a) + ': ' + one(b) for a, b in v.items()) + '\n}')
            else:
                f.write(one(v))
            f.write(',\n' if i + 1 < len(doc) else '\n')
        f.write('}\n')
    print('%8d %s' % (os.path.getsize(path), path))


def rnd(seed, shape, scale=1.0, digits=3, dtype=F32):
    """Short decimal values from a fixed seed."""
    return np.round(np.random.RandomState(seed).uniform(-scale, scale, shape), digits).astype(dtype)


HEAD = {'tensorflow': tf.__version__}


def head(about):
    d = dict(HEAD)
    d['about'] = about
    return d


# ---------------------------------------------------------------- optimizers

def optimizer_list():
    t = tf.train
    return [
        ('sgd', t.GradientDescentOptimizer, dict(learning_rate=0.1)),
        ('momentum', t.MomentumOptimizer, dict(learning_rate=0.1, momentum=0.9)),
        ('momentum_nesterov', t.MomentumOptimizer, dict(learning_rate=0.1, momentum=0.9, use_nesterov=True)),
        ('adagrad', t.AdagradOptimizer, dict(learning_rate=0.1)),
        ('adagrad_acc', t.AdagradOptimizer, dict(learning_rate=0.05, initial_accumulator_value=0.5)),
        ('adadelta', t.AdadeltaOptimizer, dict(learning_rate=1.0, rho=0.9, epsilon=1e-6)),
        ('adadelta_default', t.AdadeltaOptimizer, dict()),
        ('rmsprop', t.RMSPropOptimizer, dict(learning_rate=0.01)),
        ('rmsprop_momentum', t.RMSPropOptimizer, dict(learning_rate=0.01, decay=0.8, momentum=0.9, epsilon=1e-6)),
        ('rmsprop_centered', t.RMSPropOptimizer, dict(learning_rate=0.01, centered=True)),
        ('rmsprop_centered_momentum', t.RMSPropOptimizer,
         dict(learning_rate=0.01, decay=0.95, momentum=0.5, epsilon=1e-4, centered=True)),
        ('adam', t.AdamOptimizer, dict()),
        ('adam_args', t.AdamOptimizer, dict(learning_rate=0.05, beta1=0.8, beta2=0.95, epsilon=1e-3)),
        ('ftrl', t.FtrlOptimizer, dict(learning_rate=0.1)),
        ('ftrl_l1_l2', t.FtrlOptimizer,
         dict(learning_rate=0.1, l1_regularization_strength=0.05, l2_regularization_strength=0.02)),
        ('ftrl_power_shrinkage', t.FtrlOptimizer,
         dict(learning_rate=0.1, learning_rate_power=-0.4, initial_accumulator_value=0.2,
              l1_regularization_strength=0.01, l2_regularization_strength=0.01,
              l2_shrinkage_regularization_strength=0.03)),
        ('adagrad_da', t.AdagradDAOptimizer,
         dict(learning_rate=0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01)),
        ('proximal_sgd', t.ProximalGradientDescentOptimizer,
         dict(learning_rate=0.1, l1_regularization_strength=0.05, l2_regularization_strength=0.02)),
        ('proximal_adagrad', t.ProximalAdagradOptimizer,
         dict(learning_rate=0.1, l1_regularization_strength=0.05, l2_regularization_strength=0.02)),
    ]


def make_optimizer(cls, args):
    args = dict(args)
    extra = {}
    if cls is tf.train.AdagradDAOptimizer:
        extra['global_step'] = tf.train.get_or_create_global_step()
    return cls(**dict(args, **extra))


STEPS = 20


def constructor_args(cls, args):
    """args, completed by the defaults of the constructor."""
    d = {k: p.default for k, p in inspect.signature(cls.__init__).parameters.items()
         if p.default is not inspect.Parameter.empty and (p.default is None or isinstance(p.default, (int, float)))}
    d.update(args)
    d.pop('name', None)
    return {k: v for k, v in sorted(d.items())}


def fed_dense():
    grads = [rnd(100 + i, [2, 3], dtype=F64) for i in range(STEPS)]
    grads[2] = grads[2] * 0
    grads[3] = grads[3] * 50
    grads[4] = grads[4] * 0.001
    return [np.round(x, 6) + 0.0 for x in grads]  # no -0


def fed_sparse():
    r = np.random.RandomState(11)
    idx = [r.randint(0, 5, 4).astype(I32) for _ in range(STEPS)]
    idx[0] = np.array([1, 3, 1, 0], I32)
    idx[1] = np.array([2, 2, 2, 2], I32)
    grads = [rnd(100 + i, [4, 2], dtype=F64) for i in range(STEPS)]
    grads[2] = grads[2] * 0
    return idx, [np.round(x, 6) + 0.0 for x in grads]


def optimizer_run(cls, args, sparse, dtype=F32, resource=False):
    with tf.Graph().as_default() as g:
        shape = [5, 2] if sparse else [2, 3]
        init = rnd(7, shape, dtype=dtype)
        w = tf.Variable(init, name='w', use_resource=resource)
        opt = make_optimizer(cls, args)
        if sparse:
            idx, grads = fed_sparse()
            pv, pi = tf.placeholder(dtype, [None, 2], name='g'), tf.placeholder(tf.int32, [None], name='i')
            grad = tf.IndexedSlices(pv, pi, tf.constant(shape))
        else:
            grads = fed_dense()
            pv = grad = tf.placeholder(dtype, shape, name='g')
        grads = [x.astype(dtype) for x in grads]
        mark = len(g.get_operations())
        gs = dict(global_step=tf.train.get_global_step()) if cls is tf.train.AdagradDAOptimizer else {}
        train = opt.apply_gradients([(grad, w)], **gs)
        applies = [node(o.node_def, True) for o in g.get_operations()[mark:]
                   if re.search('Apply|Scatter', o.type)]
        slots = opt.get_slot_names()
        values = []
        with tf.Session(config=config()) as sess:
            sess.run(tf.global_variables_initializer())
            slot_init = {v.op.name: T(sess.run(v)) for v in tf.global_variables() if v is not w}
            for i in range(STEPS):
                feed = {pv: grads[i]}
                if sparse:
                    feed[pi] = idx[i]
                sess.run(train, feed)
                values.append(flat(sess.run(w)))
            case = {
                'sparse': sparse, 'resource': resource, 'init': T(init),
                'values': values,
                'slot_names': slots,
                'slot_variables': {s: opt.get_slot(w, s).op.name for s in slots},
                'variables': [v.op.name for v in tf.global_variables()],
                'slots_initial': slot_init,
                'slots_final': {v.op.name: T(sess.run(v)) for v in tf.global_variables() if v is not w},
                'update_op_attrs': applies,
            }
        return case


def optimizer_nodes(cls, args, resource, sparse=False, with_step=False):
    """Nodes that minimize() adds to the graph of a tiny loss over variables w and b."""
    with tf.Graph().as_default() as g:
        b = None
        if sparse:
            w = tf.Variable(rnd(1, [4, 2]), name='w', use_resource=resource)
            loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(w, tf.constant([1, 3, 1]))), name='loss')
        else:
            w = tf.Variable([1.0, 2.0], name='w', use_resource=resource)
            b = tf.Variable(0.5, name='b', use_resource=resource)
            loss = tf.reduce_sum(tf.square(w * tf.constant([3.0, 4.0]) + b), name='loss')
        opt = make_optimizer(cls, args)
        step = tf.train.get_or_create_global_step() if with_step or cls is tf.train.AdagradDAOptimizer else None
        mark = len(g.get_operations())
        op = opt.minimize(loss, global_step=step)
        ns = [node(o.node_def, True) for o in g.get_operations()[mark:]]
        return {'before': [node(o.node_def) for o in g.get_operations()[:mark]], 'train_op': op.name, 'nodes': ns,
                'variables': [v.op.name for v in tf.global_variables()],
                'collections': {k: [getattr(x, 'name', str(x)) for x in g.get_collection_ref(k)]
                                for k in sorted(map(str, g.get_all_collection_keys()))}}


def family_optimizers(out):
    cases, graphs = [], []
    shared = {}
    for name, cls, args in optimizer_list():
        for sparse in (False, True):
            c = {'name': name, 'class': cls.__name__, 'args': constructor_args(cls, args)}
            c.update(optimizer_run(cls, args, sparse))
            cases.append(c)
    for name, cls, args in optimizer_list():
        if name in ('adam', 'momentum', 'adagrad', 'sgd', 'rmsprop'):
            c = {'name': name + '_float64', 'class': cls.__name__, 'args': constructor_args(cls, args)}
            c.update(optimizer_run(cls, args, False, F64))
            cases.append(c)
    for name, cls, args in optimizer_list():
        if name in ('adam', 'momentum', 'adagrad', 'sgd', 'rmsprop', 'ftrl'):
            c = {'name': name + '_resource', 'class': cls.__name__, 'args': constructor_args(cls, args)}
            c.update(optimizer_run(cls, args, True, resource=True))
            same = [x for x in cases if x['name'] == name and x['sparse']][0]
            if c['values'] == same['values']:
                for k in ('values', 'init', 'slots_initial', 'slots_final'):
                    del c[k]
                c['same_values_as'] = name
            cases.append(c)
    # graphs: the part under gradients/ does not depend on the optimizer: kept once
    for name, cls, args in optimizer_list():
        if name in ('adagrad_acc', 'adadelta_default', 'adam_args', 'rmsprop_momentum', 'ftrl_l1_l2',
                    'ftrl_power_shrinkage', 'rmsprop_centered_momentum'):
            continue
        for resource, sparse, step in ((False, False, False), (True, False, False), (False, True, False),
                                       (False, False, True)):
            if step and name not in ('sgd', 'adam'):
                continue
            if cls is tf.train.AdagradDAOptimizer and (sparse or resource):
                continue
            d = optimizer_nodes(cls, args, resource, sparse, step)
            key = 'sparse' if sparse else 'resource' if resource else 'dense'
            grad = [n for n in d['nodes'] if n[0].startswith('gradients/')]
            base = {'loss_nodes': d['before'][:[n[0] for n in d['before']].index('loss') + 1], 'gradient_nodes': grad}
            if cls is not tf.train.AdagradDAOptimizer:
                assert shared.setdefault(key, base) == base, (name, key)
            rest = [n for n in d['nodes'] if not n[0].startswith('gradients/')]
            if name not in ('sgd', 'adam', 'momentum'):  # attrs of update ops only
                rest = [n if re.search('Apply|Scatter', n[1]) else n[:3] for n in rest]
            graphs.append({'name': name, 'class': cls.__name__, 'args': constructor_args(cls, args), 'graph': key, 'global_step': step,
                           'train_op': d['train_op'], 'nodes_after_gradients': rest, 'variables': d['variables'],
                           'collections': d['collections']})
    doc = head('tf.train optimizers: trajectories of one variable under fed gradients, and the nodes minimize() adds. '
               'A node is [name, op, inputs] or [name, op, inputs, attrs].')
    idx, grads = fed_sparse()
    doc['dense_shape'] = [2, 3]
    doc['dense_grads'] = [flat(x) for x in fed_dense()]
    doc['sparse_shape'] = [4, 2]
    doc['sparse_grads'] = [flat(x) for x in grads]
    doc['sparse_indices'] = [flat(x) for x in idx]
    doc['cases'] = cases
    doc['minimize_shared'] = shared
    doc['minimize_graphs'] = graphs
    dump(os.path.join(out, 'optimizers.json'), doc)


# ---------------------------------------------------------------- random

def seeds_of(g, types=None):
    """name, op, seed, seed2 of each node that has seeds."""
    return [[o.name, o.type, o.get_attr('seed'), o.get_attr('seed2')] for o in g.get_operations()
            if 'seed2' in o.node_def.attr]


def summary_of(a, full=100):
    """The whole array when small; otherwise its ends and the SHA-256 of its little-endian bytes."""
    if a.size <= full:
        return T(a)
    f = a.ravel()
    d = {'dtype': a.dtype.name, 'shape': list(a.shape), 'first': flat(f[:8]), 'last': flat(f[-8:]), 'sha256': sha(a)}
    if a.dtype.kind == 'f':
        d['mean'] = float(np.mean(a, dtype=F64))
        d['at_256_step'] = flat(f[::max(256, a.size // 32)][:32])  # stride is max(256, size // 32), 32 values at most
    return d


RANDOM_SEEDS = [(1, 2), (0, 0), (1234, None), (None, 42), (None, 0), (0, 1), (87654321, 87654321),
                (2147483647, 5), (-1, -2), (3, 2 ** 40 + 7)]


def random_case(kind, fn, gseed, oseed, runs=2):
    with tf.Graph().as_default() as g:
        if gseed is not None:
            tf.set_random_seed(gseed)
        t = fn(oseed)
        with tf.Session(config=config()) as sess:
            values = [sess.run(t) for _ in range(runs)]
        with tf.Session(config=config()) as sess:
            again = sess.run(t)
        assert again.tobytes() == values[0].tobytes()
        d = {'op': kind, 'graph_seed': gseed, 'op_seed': oseed, 'seeds': seeds_of(g), 'dtype': values[0].dtype.name}
        d['runs'] = [summary_of(v) for v in values]
        return d


def family_random(out):
    cases = []

    def add(kind, fn, gseed, oseed, runs=2, **extra):
        d = random_case(kind, fn, gseed, oseed, runs)
        d.update(extra)
        d['runs'] = d.pop('runs')
        cases.append(d)

    U = lambda shape, dt, lo=0, hi=None: (lambda s: tf.random_uniform(shape, lo, hi, dtype=dt, seed=s))
    N = lambda shape, dt, m=0.0, sd=1.0: (lambda s: tf.random_normal(shape, m, sd, dtype=dt, seed=s))
    TN = lambda shape, dt, m=0.0, sd=1.0: (lambda s: tf.truncated_normal(shape, m, sd, dtype=dt, seed=s))

    # seeds
    for gs, os_ in RANDOM_SEEDS:
        add('random_uniform', U([5], tf.float32), gs, os_, args={'minval': 0, 'maxval': None})
    # sizes and types
    for dt in (tf.float32, tf.float64, tf.float16, tf.bfloat16):
        for shape in ([1], [5], [100], [1000], [100, 100], [784, 500]):
            if dt in (tf.float16, tf.bfloat16) and shape not in ([5], [1000]):
                continue
            add('random_uniform', U(shape, dt), 1, 2, args={'minval': 0, 'maxval': None})
            add('random_normal', N(shape, dt), 1, 2, args={'mean': 0.0, 'stddev': 1.0})
            add('truncated_normal', TN(shape, dt), 1, 2, args={'mean': 0.0, 'stddev': 1.0})
    for shape in ([], [0], [3, 0, 2], [2, 3], [2, 2, 2, 2]):
        add('random_uniform', U(shape, tf.float32), 1, 2, args={'minval': 0, 'maxval': None})
        add('random_normal', N(shape, tf.float32), 1, 2, args={'mean': 0.0, 'stddev': 1.0})
        add('truncated_normal', TN(shape, tf.float32), 1, 2, args={'mean': 0.0, 'stddev': 1.0})
    add('random_uniform', U([6], tf.float32, -1, 1), 7, 8, args={'minval': -1, 'maxval': 1})
    add('random_uniform', U([6], tf.float64, -2.5, 10.0), 7, 8, args={'minval': -2.5, 'maxval': 10.0})
    add('random_normal', N([6], tf.float32, 5.0, 0.1), 7, 8, args={'mean': 5.0, 'stddev': 0.1})
    add('truncated_normal', TN([6], tf.float32, -1.0, 0.1), 7, 8, args={'mean': -1.0, 'stddev': 0.1})
    add('random_normal', N([3], tf.float32), 1, 2, runs=6, args={'mean': 0.0, 'stddev': 1.0})
    add('truncated_normal', TN([3], tf.float32), 1, 2, runs=6, args={'mean': 0.0, 'stddev': 1.0})
    add('random_uniform', U([3], tf.float32), 1, 2, runs=6, args={'minval': 0, 'maxval': None})
    for dt, hi in ((tf.int32, 10), (tf.int32, 2 ** 31 - 1), (tf.int64, 10), (tf.int64, 2 ** 40)):
        lo = 0 if hi > 10 else -5
        for shape in ([1], [5], [100], [1000], [100, 100]):
            add('random_uniform', U(shape, dt, lo, hi), 1, 2, args={'minval': lo, 'maxval': hi})
    add('random_uniform', U([784, 500], tf.int32, 0, 7), 1, 2, args={'minval': 0, 'maxval': 7})
    add('random_uniform', U([16], tf.int32, -2 ** 31, 2 ** 31 - 1), 1, 2, args={'minval': -2 ** 31, 'maxval': 2 ** 31 - 1})
    # shuffle: of range(n), and of the rows of a matrix
    for n in (0, 1, 2, 5, 100, 1000):
        add('random_shuffle', lambda s, n=n: tf.random_shuffle(tf.range(n), seed=s), 1, 2, runs=3,
            args={'value': 'range(%d)' % n})
    add('random_shuffle', lambda s: tf.random_shuffle(tf.reshape(tf.range(24), [8, 3]), seed=s), 3, 4, runs=3,
        args={'value': 'reshape(range(24), [8, 3])'})
    # dropout of ones
    for shape, keep in (([10], 0.5), ([4, 5], 0.75), ([1000], 0.9), ([784, 500], 0.5), ([6], 1.0)):
        add('dropout', lambda s, sh=shape, k=keep: tf.nn.dropout(tf.ones(sh), keep_prob=k, seed=s), 1, 2,
            args={'x': 'ones', 'keep_prob': keep})
    add('dropout_noise_shape', lambda s: tf.nn.dropout(tf.ones([3, 4]), keep_prob=0.5, noise_shape=[3, 1], seed=s), 1, 2,
        args={'x': 'ones', 'keep_prob': 0.5, 'noise_shape': [3, 1]})
    add('dropout_float64', lambda s: tf.nn.dropout(tf.ones([10], tf.float64), keep_prob=0.6, seed=s), 1, 2,
        args={'x': 'ones', 'keep_prob': 0.6})
    # others
    logits = [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [-10.0, 0.0, 10.0]]
    add('multinomial', lambda s: tf.multinomial(tf.constant(logits), 12, seed=s), 1, 2,
        args={'logits': logits, 'num_samples': 12})
    add('random_crop', lambda s: tf.random_crop(tf.reshape(tf.range(100), [10, 10]), [3, 4], seed=s), 1, 2, runs=4,
        args={'value': 'reshape(range(100), [10, 10])', 'size': [3, 4]})
    add('random_gamma', lambda s: tf.random_gamma([20], 2.5, seed=s), 1, 2, args={'alpha': 2.5})
    add('random_poisson', lambda s: tf.random_poisson(3.5, [20], seed=s), 1, 2, args={'lam': 3.5})
    img = np.arange(12, dtype=F32).reshape(2, 2, 3) / 16
    add('random_flip_left_right', lambda s: tf.image.random_flip_left_right(tf.constant(img), seed=s), 1, 2, runs=4,
        args={'image': T(img)})
    add('random_flip_up_down', lambda s: tf.image.random_flip_up_down(tf.constant(img), seed=s), 1, 2, runs=4,
        args={'image': T(img)})
    add('random_brightness', lambda s: tf.image.random_brightness(tf.constant(img), 0.25, seed=s), 1, 2,
        args={'image': T(img), 'max_delta': 0.25})
    add('random_contrast', lambda s: tf.image.random_contrast(tf.constant(img), 0.5, 1.5, seed=s), 1, 2,
        args={'image': T(img), 'lower': 0.5, 'upper': 1.5})
    add('random_saturation', lambda s: tf.image.random_saturation(tf.constant(img), 0.5, 1.5, seed=s), 1, 2,
        args={'image': T(img), 'lower': 0.5, 'upper': 1.5})
    add('random_hue', lambda s: tf.image.random_hue(tf.constant(img), 0.2, seed=s), 1, 2,
        args={'image': T(img), 'max_delta': 0.2})
    inits = [('glorot_uniform', lambda s: tf.glorot_uniform_initializer(seed=s), [20, 30]),
             ('glorot_normal', lambda s: tf.glorot_normal_initializer(seed=s), [20, 30]),
             ('glorot_uniform_conv', lambda s: tf.glorot_uniform_initializer(seed=s), [3, 3, 2, 4]),
             ('variance_scaling', lambda s: tf.variance_scaling_initializer(seed=s), [20, 30]),
             ('variance_scaling_fan_out_uniform',
              lambda s: tf.variance_scaling_initializer(2.0, 'fan_out', 'uniform', seed=s), [20, 30]),
             ('uniform_unit_scaling', lambda s: tf.uniform_unit_scaling_initializer(seed=s), [20, 30]),
             ('random_uniform_initializer', lambda s: tf.random_uniform_initializer(-0.1, 0.1, seed=s), [4, 3]),
             ('random_normal_initializer', lambda s: tf.random_normal_initializer(0.0, 0.1, seed=s), [4, 3]),
             ('truncated_normal_initializer', lambda s: tf.truncated_normal_initializer(0.0, 0.1, seed=s), [4, 3]),
             ('orthogonal_initializer', lambda s: tf.orthogonal_initializer(seed=s), [4, 3]),
             ('xavier_contrib', lambda s: tf.contrib.layers.xavier_initializer(seed=s), [4, 3])]
    for kind, fn, shape in inits:
        add('initializer:' + kind, lambda s, fn=fn, sh=shape: fn(s)(sh, dtype=tf.float32), 1, 2, runs=1,
            args={'shape': shape})

    # default numbering of op seeds
    defaults = []

    def program(name, gseed, build):
        with tf.Graph().as_default() as g:
            if gseed is not None:
                tf.set_random_seed(gseed)
            ts = build()
            with tf.Session(config=config()) as sess:
                sess.run(tf.global_variables_initializer())
                vals = [sess.run(t) for t in ts]
            defaults.append({'name': name, 'graph_seed': gseed, 'seeds': seeds_of(g),
                             'node_order': [[o.name, o.type] for o in g.get_operations()],
                             'fetches': [t.op.name for t in ts], 'values': [summary_of(v) for v in vals]})

    def three():
        return [tf.random_uniform([2]), tf.random_normal([2]), tf.truncated_normal([2])]

    def variables():
        a = tf.Variable(tf.truncated_normal([2, 3], stddev=0.1), name='w1')
        b = tf.Variable(tf.random_normal([3, 1], stddev=1, seed=1), name='w2')
        c = tf.get_variable('w3', [2, 2], initializer=tf.truncated_normal_initializer(stddev=0.1))
        d = tf.get_variable('w4', [2, 2])
        e = tf.nn.dropout(tf.ones([6]), 0.5)
        f = tf.random_shuffle(tf.constant([1, 2, 3, 4]))
        return [a, b, c, d, e, f]

    def reset_seed():
        a = tf.random_uniform([2])
        tf.set_random_seed(99)
        b = tf.random_uniform([2])
        with tf.name_scope('s'):
            c = tf.random_uniform([2])
        return [a, b, c]

    program('three ops', 1234, three)
    program('three ops, seed 0', 0, three)
    program('variables, dropout, shuffle', 42, variables)
    program('graph seed changed on the way', 5, reset_seed)
    program('the book: op seed only', None, lambda: [
        tf.Variable(tf.random_normal([2, 3], stddev=1, seed=1), name='w1'),
        tf.Variable(tf.random_normal([3, 1], stddev=1, seed=1), name='w2')])

    # interleaving: two ops of the same seeds keep their own state; one op fetched through two consumers runs once
    with tf.Graph().as_default() as g:
        tf.set_random_seed(1)
        a, b = tf.random_uniform([2], seed=3), tf.random_uniform([2], seed=3)
        with tf.Session(config=config()) as sess:
            order = ['a', 'b', 'a', 'ab', 'b']
            seq = [[flat(v) for v in sess.run([{'a': a, 'b': b}[k] for k in o])] for o in order]
    # which nodes dropout makes
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [None, 4], name='x')
        k = tf.placeholder(tf.float32, [], name='keep')
        tf.nn.dropout(x, k, seed=1, name='drop_tensor')
        tf.nn.dropout(x, 0.5, seed=1)
        tf.random_uniform([2], -1, 1, seed=1)
        tf.random_normal([2], 1, 2, seed=1)
        tf.truncated_normal([2], 1, 2, seed=1)
        tf.random_uniform([2], 0, 9, tf.int32, seed=1)
        composition = nodes_since(g, 0, True)

    doc = head('Random ops. runs: what consecutive session.run calls give (a new session starts again). Large arrays: '
               'first 8, last 8, SHA-256 of the little-endian bytes, and the values at flat indices 0, s, 2s.. with '
               's = max(256, size // 32), 32 at most. seeds: [node, op, seed attr, seed2 attr].')
    doc['cases'] = cases
    doc['default_seeds'] = defaults
    doc['interleaved'] = {'order': order, 'values': seq}
    doc['composition'] = composition
    dump(os.path.join(out, 'random.json'), doc)


# ---------------------------------------------------------------- schedules

def family_schedules(out):
    steps = [0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 15, 19, 20, 21, 25, 29, 30, 31, 49, 50, 51, 75, 99, 100, 101, 150, 199, 200,
             201, 250, 1000, 9999, 10000, 123456, 16777217]
    t = tf.train
    sched = []
    for st in (False, True):
        for lr, ds, rate in ((0.1, 10, 0.96), (0.8, 100, 0.99), (1.0, 7, 0.5), (0.5, 2.5, 0.9)):
            args = dict(learning_rate=lr, decay_steps=ds, decay_rate=rate, staircase=st)
            for f in ('exponential_decay', 'inverse_time_decay', 'natural_exp_decay'):
                sched.append((f, args))
    for power in (1.0, 0.5, 2.0):
        for cycle in (False, True):
            sched.append(('polynomial_decay', dict(learning_rate=0.1, decay_steps=50, end_learning_rate=0.01,
                                                   power=power, cycle=cycle)))
    sched.append(('polynomial_decay', dict(learning_rate=0.1, decay_steps=100)))
    sched.append(('cosine_decay', dict(learning_rate=0.1, decay_steps=100)))
    sched.append(('cosine_decay', dict(learning_rate=0.1, decay_steps=100, alpha=0.1)))
    sched.append(('cosine_decay_restarts', dict(learning_rate=0.1, first_decay_steps=50)))
    sched.append(('cosine_decay_restarts', dict(learning_rate=0.1, first_decay_steps=50, t_mul=1.0, m_mul=0.9, alpha=0.1)))
    sched.append(('linear_cosine_decay', dict(learning_rate=0.1, decay_steps=100)))
    sched.append(('piecewise_constant', dict(boundaries=[10, 20, 100], values=[1.0, 0.5, 0.25, 0.125])))
    sched.append(('piecewise_constant', dict(boundaries=[50], values=[0.1, 0.01])))
    cases = []
    for f, args in sched:
        for dt in (tf.int64, tf.int32):
            with tf.Graph().as_default() as g:
                p = tf.placeholder(dt, [], name='global_step')
                if f == 'piecewise_constant':
                    y = t.piecewise_constant(p, **args)
                else:
                    a = dict(args)
                    y = getattr(t, f)(a.pop('learning_rate'), p, **a)
                with tf.Session(config=config()) as sess:
                    vals = [sess.run(y, {p: s}) for s in steps]
                if dt == tf.int32:  # only a check
                    assert flat(vals) == cases[-1]['values'], (f, args)
                    continue
                cases.append({'function': f, 'args': args, 'dtype': vals[0].dtype.name, 'values': flat(vals),
                              'nodes': nodes_since(g, 0)})
    seen = set()
    for c in cases:  # nodes once for each function and kind
        key = (c['function'], c['args'].get('staircase'), c['args'].get('cycle'), len(c['args']))
        if key in seen:
            del c['nodes']
        seen.add(key)

    # clipping
    clips = []

    def clip(name, args, arrays, fn):
        with tf.Graph().as_default() as g:
            ps = [tf.placeholder(a.dtype, a.shape) if a is not None else None for a in arrays]
            ys = fn([p for p in ps])
            with tf.Session(config=config()) as sess:
                feed = {p: a for p, a in zip(ps, arrays) if p is not None}
                vals = [None if y is None else sess.run(y, feed) for y in ys]
            clips.append({'function': name, 'args': args, 'inputs': [value(a) for a in arrays],
                          'outputs': [value(v) for v in vals]})

    x = rnd(3, [3, 4], 5.0)
    xn = np.array([[np.nan, -9, 0], [9, 0.5, np.inf]], F32)
    for a in (x, xn, x.astype(F64)):
        clip('clip_by_value', {'min': -1.5, 'max': 2.5}, [a], lambda p: [tf.clip_by_value(p[0], -1.5, 2.5)])
    clip('clip_by_value', {'min': 2.5, 'max': -1.5}, [x], lambda p: [tf.clip_by_value(p[0], 2.5, -1.5)])
    for n in (1.0, 5.0, 100.0):
        for a in (x, np.zeros([2, 2], F32), x.astype(F64)):
            clip('clip_by_norm', {'clip_norm': n}, [a], lambda p: [tf.clip_by_norm(p[0], n)])
            if a.dtype == F32:  # TypeError for float64: its constants are float32
                clip('clip_by_average_norm', {'clip_norm': n}, [a], lambda p: [tf.clip_by_average_norm(p[0], n)])
        clip('clip_by_norm', {'clip_norm': n, 'axes': [1]}, [x], lambda p: [tf.clip_by_norm(p[0], n, axes=[1])])
        lists = [[x, rnd(4, [5], 3.0)], [x], [x, None, rnd(4, [5], 3.0)], [np.zeros([3], F32)]]
        for l in lists:
            def both(p):
                ys, norm = tf.clip_by_global_norm(p, n)
                return list(ys) + [norm]
            clip('clip_by_global_norm', {'clip_norm': n}, l, both)
    clip('clip_by_global_norm', {'clip_norm': 1.0}, [np.array([1, np.inf], F32), np.array([2], F32)],
         lambda p: list(tf.clip_by_global_norm(p, 1.0)[0]) + [tf.clip_by_global_norm(p, 1.0)[1]])
    clip('global_norm', {}, [x, rnd(4, [5], 3.0)], lambda p: [tf.global_norm(p)])

    # moving averages
    emas = []
    for name, decay, with_num, zero, on_tensor in (
            ('plain', 0.9, False, False, False), ('num_updates', 0.99, True, False, False),
            ('zero_debias', 0.9, False, True, False), ('zero_debias and num_updates', 0.9, True, True, False),
            ('of a tensor', 0.9, False, False, True), ('of a tensor, zero_debias', 0.9, False, True, True)):
        with tf.Graph().as_default() as g:
            with tf.variable_scope('layer'):
                v = tf.get_variable('v', initializer=np.array([1.0, -2.0], F32))
            u = tf.Variable(0.0, name='u')
            step = tf.Variable(0, trainable=False, name='step')
            n0 = len(g.get_operations())
            ema = tf.train.ExponentialMovingAverage(decay, step if with_num else None, zero_debias=zero)
            tracked = [v, u]
            if on_tensor:
                tracked = [tf.multiply(v, 2.0, name='twice')]
                n0 += 2
            op = ema.apply(tracked)
            nodes = nodes_since(g, n0)
            vals = [rnd(20 + i, [2], 10.0) for i in range(10)]
            us = [rnd(40 + i, [], 1.0) for i in range(10)]
            pv, pu = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [])
            set_ = tf.group(v.assign(pv), u.assign(pu))
            inc = step.assign_add(1)
            with tf.Session(config=config()) as sess:
                sess.run(tf.global_variables_initializer())
                initial = {x.op.name: T(sess.run(x)) for x in tf.global_variables()}
                rows = []
                for i in range(10):
                    sess.run(set_, {pv: vals[i], pu: us[i]})
                    sess.run(op)
                    rows.append([flat(sess.run(ema.average(x))) for x in tracked])
                    sess.run(inc)
                final = {x.op.name: T(sess.run(x)) for x in tf.global_variables()}
            emas.append({
                'name': name, 'decay': decay, 'num_updates': with_num, 'zero_debias': zero,
                'tracked': [x.op.name for x in tracked], 'average_names': [ema.average_name(x) for x in tracked],
                'average_variables': [ema.average(x).op.name for x in tracked],
                'step_variable': 'step', 'fed_v': [flat(x) for x in vals], 'fed_u': [num(x) for x in us],
                'averages': rows, 'initial': initial, 'final': final,
                'variables_to_restore': {k: x.op.name for k, x in sorted(ema.variables_to_restore().items())},
                'moving_average_collection': [x.op.name for x in tf.moving_average_variables()],
                'nodes': nodes})

    # regularizers (tf.contrib.layers)
    regs = []
    w = rnd(6, [3, 4], 2.0)
    for f, args in (('l1_regularizer', [0.1]), ('l2_regularizer', [0.1]), ('l2_regularizer', [0.0001]),
                    ('l1_l2_regularizer', [0.1, 0.2]), ('l1_regularizer', [0.0]), ('l2_regularizer', [0.0])):
        with tf.Graph().as_default() as g:
            p = tf.Variable(w, name='w')
            n0 = len(g.get_operations())
            y = getattr(tf.contrib.layers, f)(*args)(p)
            nodes = nodes_since(g, n0)
            if y is None:
                regs.append({'function': f, 'scale': args, 'output': None})
                continue
            gr = tf.gradients(y, p)[0]
            with tf.Session(config=config()) as sess:
                sess.run(tf.global_variables_initializer())
                a, b = sess.run([y, gr])
            regs.append({'function': f, 'scale': args, 'output': T(a), 'gradient': T(b), 'name': y.op.name, 'nodes': nodes})

    doc = head('Learning-rate schedules of tf.train, clipping, moving averages, regularizers. schedules[i].values '
               'belong to the steps in "steps", fed as an int64 scalar (int32 gives the same).')
    doc['steps'] = steps
    doc['schedules'] = cases
    doc['clips'] = clips
    doc['moving_averages'] = emas
    doc['regularizer_input'] = T(w)
    doc['regularizers'] = regs
    dump(os.path.join(out, 'schedules.json'), doc)


# ---------------------------------------------------------------- checkpoint

def read_table(path):
    """Key/value pairs of an uncompressed LevelDB-style table (what a .index file is)."""
    b = open(path, 'rb').read()

    def varint(p):
        r = s = 0
        while True:
            c = bytearray(b[p:p + 1])[0]
            p += 1
            r |= (c & 127) << s
            s += 7
            if c < 128:
                return r, p

    def block(off, size):
        n = int(np.frombuffer(b[off + size - 4:off + size], '<u4')[0])
        assert bytearray(b[off + size:off + size + 1])[0] == 0, 'compressed block'
        p, end, key, items = off, off + size - 4 - 4 * n, b'', []
        while p < end:
            shared, p = varint(p)
            unshared, p = varint(p)
            length, p = varint(p)
            key = key[:shared] + b[p:p + unshared]
            p += unshared
            items.append((key, b[p:p + length], p))
            p += length
        return items, n

    p = len(b) - 48
    meta_off, p = varint(p)
    meta_size, p = varint(p)
    idx_off, p = varint(p)
    idx_size, p = varint(p)
    entries, blocks = [], []
    for _, handle, at in block(idx_off, idx_size)[0]:
        off, q = varint(at)
        size, q = varint(q)
        items, restarts = block(off, size)
        blocks.append({'offset': off, 'size': size, 'restarts': restarts, 'keys': len(items)})
        entries += [(k, v) for k, v, _ in items]
    return entries, blocks


def index_contents(path):
    from tensorflow.core.protobuf import tensor_bundle_pb2
    entries, blocks = read_table(path)
    h = tensor_bundle_pb2.BundleHeaderProto.FromString(entries[0][1])
    assert entries[0][0] == b''
    d = {'header': {'num_shards': h.num_shards, 'endianness': h.endianness, 'producer': h.version.producer},
         'blocks': blocks, 'entries': {}}
    for k, v in entries[1:]:
        e = tensor_bundle_pb2.BundleEntryProto.FromString(v)
        x = {'dtype': tf.as_dtype(e.dtype).name, 'shape': [s.size for s in e.shape.dim], 'shard_id': e.shard_id,
             'offset': e.offset, 'size': e.size, 'crc32c': e.crc32c}
        if e.slices:
            x['slices'] = [[[t.start, t.length if t.WhichOneof('has_length') else -1] for t in s.extent] for s in e.slices]
        if re.match(br'^[\x20-\x7e]*$', k):
            d['entries'][k.decode('ascii')] = x
        else:  # the key of a slice: ordered code of name and extents
            d['entries']['hex:' + ''.join('%02x' % c for c in bytearray(k))] = x
    return d


def checkpoint_variables():
    vs = []

    def var(name, v, dt=None):
        vs.append(tf.Variable(tf.constant(v, dtype=dt) if dt else tf.constant(v), name=name))

    var('f32/scalar', 3.25, tf.float32)
    var('f32/matrix', rnd(1, [3, 4]))
    var('f32/cube', rnd(2, [2, 3, 4]))
    var('f32/empty', np.zeros([0, 3], F32))
    var('f32/special', np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4028235e38], F32))
    var('f64/vector', np.array([1 / 3., -2.5e300, 5e-324], F64))
    var('i8/vector', np.array([-128, 127, 0], np.int8))
    var('i16/vector', np.array([-32768, 32767], np.int16))
    var('i32/matrix', np.array([[1, -2], [2147483647, -2147483648]], I32))
    var('i64/global_step', np.array(9007199254740993, I64))
    var('u8/vector', np.array([0, 1, 255], np.uint8))
    var('u16/vector', np.array([0, 65535], np.uint16))
    var('bool/vector', np.array([True, False, True]))
    var('f16/vector', np.array([0.5, -2.0, 65504.0], np.float16))
    var('bf16/vector', [0.5, -2.0, 3.140625], tf.bfloat16)
    var('c64/scalar', np.complex64(1 - 2j))
    var('string/scalar', 'hello')
    var('string/matrix', np.array([['', 'a'], ['b' * 200, 'caf\xc3\xa9 \x00\xff']], object))
    for i in range(40):
        var('many/v%02d' % i, float(i), tf.float32)
    whole = np.arange(14, dtype=F32).reshape(7, 2) / 4

    def slice_of(shape, dtype=None, partition_info=None):
        at = partition_info.var_offset[0]
        return tf.constant(whole[at:at + int(shape[0])])
    with tf.variable_scope('p'):
        tf.get_variable('part', [7, 2], initializer=slice_of, partitioner=tf.fixed_size_partitioner(3))
    tf.get_variable('resource', initializer=np.array([7.5, 8.5], F32), use_resource=True)
    return vs


def family_checkpoint(out):
    base = os.path.join(out, 'checkpoint')
    shutil.rmtree(base, ignore_errors=True)
    doc = head('Checkpoints written by tf.train.Saver. contents: what tf.train.load_checkpoint (or the session) reads. '
               'index: the decoded .index table.')
    cwd = os.getcwd()

    def files_of(d):
        return {f: {'size': os.path.getsize(os.path.join(d, f)),
                    'sha256': hashlib.sha256(open(os.path.join(d, f), 'rb').read()).hexdigest()}
                for f in sorted(os.listdir(d))}

    def contents(prefix):
        r = tf.train.load_checkpoint(prefix)
        return {k: T(r.get_tensor(k)) for k in sorted(r.get_variable_to_shape_map())}

    try:
        # V2, several kept, one with a meta graph
        d = os.path.join(base, 'v2')
        os.makedirs(d)
        os.chdir(d)
        with tf.Graph().as_default() as g:
            checkpoint_variables()
            step = tf.Variable(0, name='global_step', trainable=False)
            saver = tf.train.Saver(max_to_keep=2)
            with tf.Session(config=config()) as sess:
                sess.run(tf.global_variables_initializer())
                for i in (1, 2, 3):
                    sess.run(step.assign(i))
                    ret = saver.save(sess, 'model.ckpt', global_step=step, write_meta_graph=(i == 3))
            s = open('checkpoint').read()
            meta = tf.MetaGraphDef.FromString(open('model.ckpt-3.meta', 'rb').read())
            with open('model.ckpt-3.meta', 'wb') as f:  # the same message; the order of its maps varies otherwise
                f.write(meta.SerializeToString(deterministic=True))
            doc['v2'] = {
                'dir': 'v2', 'returned': ret, 'state_file': s,
                'latest_checkpoint': tf.train.latest_checkpoint('.'),
                'files': files_of('.'),
                'model.ckpt-2': {'global_step': T(tf.train.load_variable('model.ckpt-2', 'global_step'))},
                'model.ckpt-3': {'contents': contents('model.ckpt-3'),
                                 'list_variables': [[n, list(s)] for n, s in tf.train.list_variables('model.ckpt-3')],
                                 'index': index_contents('model.ckpt-3.index')},
                'meta': {'saver_def': {k: v if isinstance(v, (int, float, bool)) else str(v)
                                       for k, v in ((f.name, getattr(meta.saver_def, f.name)) for f in
                                                    meta.saver_def.DESCRIPTOR.fields)},
                         'collections': {k: meta.collection_def[k].WhichOneof('kind') for k in sorted(meta.collection_def)},
                         'stripped_op_list': [o.name for o in meta.meta_info_def.stripped_op_list.op],
                         'tensorflow_version': meta.meta_info_def.tensorflow_version,
                         'producer': meta.graph_def.versions.producer,
                         'saver_nodes': [node(n, n.op != 'Const' or n.name == 'save/Const') for n in meta.graph_def.node
                                         if n.name.startswith('save/') and not n.name.startswith('save/Assign')],
                         'saver_assign_nodes': [n.name for n in meta.graph_def.node if n.name.startswith('save/Assign')],
                         'node_count': len(meta.graph_def.node)}}
        # sharded over two devices
        d = os.path.join(base, 'sharded')
        os.makedirs(d)
        os.chdir(d)
        with tf.Graph().as_default():
            with tf.device('/cpu:0'):
                tf.Variable(rnd(5, [2, 2]), name='a')
                tf.Variable(np.arange(5, dtype=I64), name='c')
            with tf.device('/cpu:1'):
                tf.Variable(rnd(6, [3]), name='b')
            saver = tf.train.Saver(sharded=True)
            cfg = config()
            cfg.device_count['CPU'] = 2
            with tf.Session(config=cfg) as sess:
                sess.run(tf.global_variables_initializer())
                ret = saver.save(sess, './sharded', write_meta_graph=False, write_state=False)
            doc['sharded'] = {'dir': 'sharded', 'returned': ret, 'files': files_of('.'),
                              'contents': contents('./sharded'), 'index': index_contents('sharded.index')}
        # the old format
        d = os.path.join(base, 'v1')
        os.makedirs(d)
        os.chdir(d)
        with tf.Graph().as_default():
            tf.Variable(rnd(5, [2, 2]), name='a')
            tf.Variable(np.arange(5, dtype=I64), name='b')
            tf.Variable(np.array([True, False]), name='flag')
            tf.Variable(np.array([1, 2, 255], np.uint8), name='u8')
            tf.Variable(np.array(2.5, F64), name='f64')
            saver = tf.train.Saver(write_version=tf.train.SaverDef.V1)
            with tf.Session(config=config()) as sess:
                sess.run(tf.global_variables_initializer())
                ret = saver.save(sess, './v1.ckpt', write_meta_graph=False, write_state=False)
            with tf.Session(config=config()) as sess:  # the reader knows fewer types than restoring does
                saver.restore(sess, './v1.ckpt')
                doc['v1'] = {'dir': 'v1', 'returned': ret, 'files': files_of('.'),
                             'contents': {v.op.name: T(sess.run(v)) for v in tf.global_variables()}}
        # names of a saver given by the program: dict, and moving averages restored into variables
        d = os.path.join(base, 'renamed')
        os.makedirs(d)
        os.chdir(d)
        with tf.Graph().as_default() as g:
            v1 = tf.Variable(1.5, name='v1')
            v2 = tf.Variable(np.array([2.5], F32), name='other/v2')
            saver = tf.train.Saver({'x/first': v1, 'second': v2})
            with tf.Session(config=config()) as sess:
                sess.run(tf.global_variables_initializer())
                ret = saver.save(sess, './renamed.ckpt', write_state=False, write_meta_graph=False)
            doc['renamed'] = {'dir': 'renamed', 'returned': ret, 'files': files_of('.'), 'contents': contents('./renamed.ckpt')}
    finally:
        os.chdir(cwd)
    dump(os.path.join(base, 'checkpoint.json'), doc)


# ---------------------------------------------------------------- graphs

def family_graphs(out):
    base = os.path.join(out, 'graphs')
    shutil.rmtree(base, ignore_errors=True)
    os.makedirs(base)
    index = []

    def save(name, about, build, seed=None, cpus=1):
        with tf.Graph().as_default() as g:
            if seed is not None:
                tf.set_random_seed(seed)
            runs = build()
            gd = g.as_graph_def()
            with open(os.path.join(base, name + '.pb'), 'wb') as f:
                f.write(gd.SerializeToString(deterministic=True))
            with open(os.path.join(base, name + '.pbtxt'), 'w') as f:
                f.write(text_format.MessageToString(gd))
            done = []
            cfg = config()
            cfg.device_count['CPU'] = cpus
            with tf.Session(config=cfg) as sess:
                for fetches, feeds in runs:
                    names = [f if isinstance(f, str) else f.name for f in fetches]
                    fd = {(k if isinstance(k, str) else k.name): np.asarray(v) for k, v in feeds.items()}
                    vals = sess.run(names, fd)
                    done.append({'fetches': names, 'feeds': {k: T(v) for k, v in fd.items()},
                                 'values': [value(v) for v in vals]})
            doc = head(about)
            doc.update({'graph': name, 'cpu_devices': cpus, 'node_count': len(gd.node),
                        'producer': gd.versions.producer, 'min_consumer': gd.versions.min_consumer,
                        'ops': sorted({n.op for n in gd.node}), 'runs': done})
            dump(os.path.join(base, name + '.json'), doc)
            index.append(name)

    def a_plus_b():
        a = tf.constant([1.0, 2.0], name='a')
        b = tf.constant([2.0, 3.0], name='b')
        c = a + b
        d = tf.add(a, b, name='result')
        return [([c, d], {}), ([c], {a: np.array([10, 20], F32)})]

    def mlp_data():
        x = rnd(30, [4, 2])
        return x, (x[:, :1] + x[:, 1:] < 0.3).astype(F32)

    def mlp_sgd():
        w1 = tf.Variable(rnd(31, [2, 3]), name='w1')
        w2 = tf.Variable(rnd(32, [3, 1]), name='w2')
        x = tf.placeholder(tf.float32, [None, 2], name='x-input')
        y_ = tf.placeholder(tf.float32, [None, 1], name='y-input')
        a = tf.matmul(x, w1)
        y = tf.sigmoid(tf.matmul(a, w2))
        ce = -tf.reduce_mean(y_ * tf.log(tf.clip_by_value(y, 1e-10, 1.0)) +
                             (1 - y_) * tf.log(tf.clip_by_value(1 - y, 1e-10, 1.0)))
        step = tf.Variable(0, trainable=False, name='global_step')
        train = tf.train.GradientDescentOptimizer(0.5).minimize(ce, global_step=step)
        init = tf.global_variables_initializer()
        xs, ys = mlp_data()
        runs = [([init], {})]
        for i in range(5):
            runs.append(([train, ce], {x: xs, y_: ys}))
        runs.append(([y, w1, w2, step], {x: xs}))
        return runs

    def mlp_adam():
        x = tf.placeholder(tf.float32, [None, 4], name='x')
        y_ = tf.placeholder(tf.int64, [None], name='y')
        step = tf.Variable(0, trainable=False, name='global_step')
        reg = tf.contrib.layers.l2_regularizer(0.01)

        def layer(n, inp, i, o, s, act):
            with tf.variable_scope(n):
                w = tf.get_variable('weights', initializer=rnd(s, [i, o]))
                tf.add_to_collection('losses', reg(w))
                b = tf.get_variable('biases', [o], initializer=tf.constant_initializer(0.1))
                tf.summary.histogram('weights', w)
                z = tf.matmul(inp, w) + b
                return tf.nn.relu(z) if act else z
        h = layer('layer1', x, 4, 5, 40, True)
        logits = layer('layer2', h, 5, 3, 41, False)
        ema = tf.train.ExponentialMovingAverage(0.99, step)
        ema_op = ema.apply(tf.trainable_variables())
        ce = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y_))
        loss = ce + tf.add_n(tf.get_collection('losses'))
        tf.summary.scalar('loss', loss)
        lr = tf.train.exponential_decay(0.1, step, 2, 0.9, staircase=True)
        train = tf.train.AdamOptimizer(lr).minimize(loss, global_step=step)
        with tf.control_dependencies([train, ema_op]):
            op = tf.no_op(name='train')
        acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y_), tf.float32), name='accuracy')
        merged = tf.summary.merge_all()
        tf.train.Saver()
        init = tf.global_variables_initializer()
        xs, ys = rnd(42, [6, 4]), np.array([0, 1, 2, 0, 1, 2], I64)
        feed = {x: xs, y_: ys}
        runs = [([init], {}), ([merged], feed)]
        # one at a time: "train" runs the update and the averages in no fixed order, and the L2 loss may be computed
        # after the update of its variable, so their results are not determined in one run
        for i in range(5):
            runs += [([train], feed), ([ema_op], {}), ([loss, step], feed)]
        runs.append(([loss, acc, lr, step], feed))
        runs.append(([v for v in tf.global_variables()], {}))
        return runs

    def lenet():
        x = tf.placeholder(tf.float32, [2, 28, 28, 1], name='x')
        y_ = tf.placeholder(tf.float32, [None, 10], name='y')
        keep = tf.placeholder(tf.float32, [], name='keep')
        init_w = tf.truncated_normal_initializer(stddev=0.1)

        def conv(n, inp, k, i, o):
            with tf.variable_scope(n):
                w = tf.get_variable('weight', [k, k, i, o], initializer=init_w)
                b = tf.get_variable('bias', [o], initializer=tf.constant_initializer(0.0))
                return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(inp, w, [1, 1, 1, 1], 'SAME'), b))
        c1 = conv('conv1', x, 5, 1, 6)
        p1 = tf.nn.max_pool(c1, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME', name='pool1')
        c2 = conv('conv2', p1, 5, 6, 16)
        p2 = tf.nn.max_pool(c2, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME', name='pool2')
        shape = p2.get_shape().as_list()
        r = tf.reshape(p2, [shape[0], shape[1] * shape[2] * shape[3]])
        with tf.variable_scope('fc1'):
            w = tf.get_variable('weight', [r.get_shape()[1], 32], initializer=init_w)
            b = tf.get_variable('bias', [32], initializer=tf.constant_initializer(0.1))
            f = tf.nn.dropout(tf.nn.relu(tf.matmul(r, w) + b), keep)
        with tf.variable_scope('fc2'):
            w2 = tf.get_variable('weight', [32, 10], initializer=init_w)
            b2 = tf.get_variable('bias', [10], initializer=tf.constant_initializer(0.1))
            logits = tf.matmul(f, w2) + b2
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=logits), name='loss')
        train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        init = tf.global_variables_initializer()
        xs = np.round(np.random.RandomState(50).uniform(0, 1, [2, 28, 28, 1]), 2).astype(F32)
        ys = np.eye(10, dtype=F32)[[3, 7]]
        feed = {x: xs, y_: ys, keep: F32(1.0)}
        drop = {y_: ys, keep: F32(0.5), x: xs}
        runs = [([init], {}), ([loss, logits, tf.reduce_sum(c1), tf.reduce_sum(p2)], feed), ([train, loss], drop),
                ([train, loss], drop), ([loss, logits, b, b2, 'conv1/weight:0', 'conv2/bias:0'], feed)]
        return runs

    def embedding():
        emb = tf.Variable(rnd(60, [6, 3]), name='embedding')
        ids = tf.placeholder(tf.int32, [None], name='ids')
        looked = tf.nn.embedding_lookup(emb, ids)
        t = tf.placeholder(tf.float32, [None, 3], name='target')
        loss = tf.reduce_sum(tf.square(looked - t))
        opt = tf.train.AdagradOptimizer(0.5)
        gv = opt.compute_gradients(loss)
        train = opt.apply_gradients(gv)
        dense = tf.convert_to_tensor(gv[0][0], name='dense_grad')
        init = tf.global_variables_initializer()
        feed = {ids: np.array([1, 4, 1, 0], I32), t: rnd(61, [4, 3])}
        return [([init], {}), ([looked, gv[0][0].values, gv[0][0].indices, dense], feed), ([train, loss], feed),
                ([train, loss], feed), ([emb, 'embedding/Adagrad:0'], {})]

    def devices():
        with tf.device('/cpu:0'):
            a = tf.Variable([1.0, 2.0], name='a')
        with tf.device('/job:localhost/replica:0/task:0/device:CPU:1'):
            b = tf.constant([3.0, 4.0], name='b')
        with tf.device('/cpu:1'):
            with tf.device(None):
                n = tf.identity(b, name='nowhere')
            with tf.colocate_with(a):
                c = tf.identity(b, name='with_a')
            s = tf.add(a, c, name='sum')
        with tf.device(lambda op: '/cpu:1' if op.type == 'Mul' else '/cpu:0'):
            m = tf.multiply(s, n, name='mul')
            k = tf.constant(1.0, name='k')
        up = tf.assign(a, m, name='update')
        init = tf.global_variables_initializer()
        return [([init], {}), ([m, k], {}), ([up], {}), ([m], {})]

    def control():
        v = tf.Variable(1.0, name='v')
        with tf.control_dependencies([tf.assign_add(v, 10.0, name='add_ten')]):
            after = tf.identity(v.read_value(), name='after')
            with tf.control_dependencies(None):
                free = tf.constant(5.0, name='free')
            noop = tf.no_op(name='noop')
        grp = tf.group(tf.assign_add(v, 0.5, name='half'), noop, name='group')
        tup = tf.tuple([tf.constant(1.0), tf.constant(2.0)], control_inputs=[grp], name='tuple')
        with tf.control_dependencies([tf.Assert(tf.less(free, 6.0), [free], name='assert')]):
            checked = tf.identity(free, name='checked')
        init = tf.global_variables_initializer()
        return [([init], {}), ([after], {}), ([v], {}), (['noop'], {}), ([v], {}), ([tup[0], tup[1]], {}), ([v], {}),
                ([checked], {}), ([free], {})]

    def reductions():
        x = tf.placeholder(tf.float32, [2, 3, 4], name='x')
        outs = [tf.reduce_sum(x), tf.reduce_sum(x, 0), tf.reduce_mean(x, [0, 2]), tf.reduce_max(x, 1, keepdims=True),
                tf.reduce_min(x, [-1]), tf.reduce_prod(x, [0, 1, 2], keepdims=True), tf.argmax(x, 2), tf.argmin(x, 0),
                tf.reduce_any(x > 0.9, 2), tf.reduce_all(x > -0.9, [0, 1]), tf.reduce_logsumexp(x, 1),
                tf.add_n([x, x, x])]
        outs += [tf.gradients(tf.reduce_mean(x, [0, 2]), x)[0], tf.gradients(tf.reduce_max(x, 1), x)[0],
                 tf.gradients(tf.reduce_prod(x, 0), x)[0]]
        return [(outs, {x: rnd(70, [2, 3, 4])})]

    def slicing():
        x = tf.constant(np.arange(24, dtype=F32).reshape(2, 3, 4), name='x')
        i = tf.placeholder(tf.int32, [], name='i')
        outs = [x[0], x[:, 1:3], x[..., -1], x[:, ::-1, ::2], x[1, tf.newaxis, :, i], x[:, i:, :i],
                tf.slice(x, [0, 1, 0], [2, -1, 2]), tf.split(x, 2, axis=2)[1], tf.unstack(x, axis=1)[2],
                tf.concat([x[0], x[1]], 1), tf.stack([x[0, 0], x[1, 1]]), tf.gather(x, [1, 0, 1], axis=1),
                tf.transpose(x, [2, 0, 1]), tf.reshape(x, [4, -1]), tf.expand_dims(x[0, 0], -1),
                tf.squeeze(x[:, :1]), tf.tile(x[0, :1], [2, 2]), tf.pad(x[0], [[1, 0], [0, 2]])]
        outs.append(tf.gradients(x[:, i:, ::-2], x)[0])
        return [(outs, {i: I32(1)}), (outs[4:6], {i: I32(-1)})]

    def assigns():
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name='v')
        r = tf.get_variable('r', initializer=np.array([1, 2, 3], I32), use_resource=True)
        n = tf.Variable(v.initialized_value() * 2.0, name='n')
        a = tf.assign(v, v + 1.0, name='plus_one')
        s = tf.assign_sub(v, [[1.0, 1.0], [1.0, 1.0]], name='minus_one')
        sc = tf.scatter_add(v, [0, 0], [[1.0, 1.0], [1.0, 1.0]], name='scatter')
        ra = r.assign_add([10, 10, 10])
        shape = tf.assign(tf.Variable(0.0, validate_shape=False, name='shapeless'), [1.0, 2.0, 3.0],
                          validate_shape=False, name='reshape_assign')
        init = tf.global_variables_initializer()
        un = tf.report_uninitialized_variables()
        ini = tf.is_variable_initialized(v)
        return [([un, ini], {}), ([init], {}), ([un, ini], {}), ([v, r._graph_element, n], {}), ([a], {}), ([s], {}), ([sc], {}), ([ra], {}),
                ([v, r._graph_element, n], {}), ([shape], {}), ([v], {'v:0': np.array([[9, 9], [9, 9]], F32)}), ([v], {})]

    def flow():
        p = tf.placeholder(tf.bool, [], name='p')
        x = tf.placeholder(tf.float32, [], name='x')
        c = tf.cond(p, lambda: x * 2.0, lambda: x - 1.0)
        i, acc = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * x + 1.0), [tf.constant(0), tf.constant(1.0)])
        g = tf.gradients(acc, x)[0]
        gc = tf.gradients(c, x)[0]
        k = tf.case([(x < 1.0, lambda: tf.constant(1)), (x < 3.0, lambda: tf.constant(2))], default=lambda: tf.constant(3))
        return [([c, gc, i, acc, g, k], {p: np.bool_(b), x: F32(v)}) for b, v in ((True, 2.0), (False, 0.5))]

    def lstm():
        x = tf.placeholder(tf.float32, [2, 3, 4], name='x')
        with tf.variable_scope('rnn', initializer=tf.constant_initializer(0.05)):
            cell = tf.nn.rnn_cell.BasicLSTMCell(3)
            state = cell.zero_state(2, tf.float32)
            outs = []
            for t in range(3):
                if t > 0:
                    tf.get_variable_scope().reuse_variables()
                o, state = cell(x[:, t, :], state)
                outs.append(o)
        loss = tf.reduce_sum(tf.square(outs[-1]))
        tv = tf.trainable_variables()
        grads, norm = tf.clip_by_global_norm(tf.gradients(loss, tv), 0.01)
        train = tf.train.GradientDescentOptimizer(1.0).apply_gradients(zip(grads, tv))
        init = tf.global_variables_initializer()
        feed = {x: rnd(80, [2, 3, 4])}
        return [([init], {}), (outs + [state.c, state.h, loss, norm] + grads, feed), ([train], feed), ([loss] + tv, feed)]

    def queue():
        q = tf.FIFOQueue(5, ['int32', 'float32'], shapes=[[], [2]], name='queue')
        i = tf.placeholder(tf.int32, [None], name='i')
        f = tf.placeholder(tf.float32, [None, 2], name='f')
        many = q.enqueue_many([i, f])
        one = q.dequeue()
        two = q.dequeue_many(2)
        size = q.size()
        close = q.close()
        return [([many], {i: np.array([1, 2, 3, 4], I32), f: np.arange(8, dtype=F32).reshape(4, 2)}), ([size], {}),
                (list(one), {}), (list(two), {}), ([size], {}), ([close], {}), (list(one), {})]

    save('a_plus_b', 'Two constants added by operator and by name; one run with a constant overridden by a feed.', a_plus_b)
    save('mlp_sgd', 'Two-layer perceptron, cross entropy by hand, gradient descent.', mlp_sgd)
    save('mlp_adam', 'Perceptron with L2 loss, moving averages, decayed Adam, summaries and saver nodes.', mlp_adam)
    save('lenet', 'Conv net with dropout; weights from seeds (graph seed 7).', lenet, seed=7)
    save('embedding', 'Embedding lookup with sparse gradient and Adagrad.', embedding)
    save('devices', 'Device strings and _class colocation; needs two CPU devices.', devices, cpus=2)
    save('control', 'Control dependencies, groups, tuple, Assert.', control)
    save('reductions', 'Reductions with constant axes and some gradients.', reductions)
    save('slicing', 'Slices, splits, concatenations.', slicing)
    save('assigns', 'Assignments to reference and resource variables; runs share one session, in order.', assigns)
    save('control_flow', 'cond, while_loop with gradient, case.', flow)
    save('lstm', 'BasicLSTMCell unrolled over three steps, clipped gradients.', lstm)
    save('queue', 'A FIFO queue; runs share one session, in order.', queue)
    doc = head('Each NAME has NAME.pb, NAME.pbtxt (the same GraphDef) and NAME.json (runs, in order, in one session).')
    doc['graphs'] = index
    dump(os.path.join(base, 'index.json'), doc)


# ---------------------------------------------------------------- events

HISTOGRAM_INPUTS = [
    ('one', [1.0]), ('zero', [0.0]), ('three', [1.0, 2.0, 3.0]), ('signs', [-1.5, -0.5, 0.0, 0.5, 1.5]),
    ('tiny', [1e-13, -1e-13, 1e-12, -1e-12, 1e-40]), ('huge', [1e20, -1e20, 3e38, -3e38]), ('same', [0.25] * 10),
    ('spread', [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]), ('empty', []),
    ('edges', [1e-12, 1.1e-12, 1.21e-12, 1.1, 1.0]), ('minus', [-3.0, -2.0]), ('zeros', [0.0, 0.0, -0.0, 1.0]),
    ('many', None), ('matrix', None), ('ints', None), ('f64', None),
]


def histogram_input(name, v):
    if name == 'many':
        return rnd(90, [200], 3.0)
    if name == 'matrix':
        return rnd(91, [3, 4])
    if name == 'ints':
        return np.array([-7, 0, 3, 3, 1000], I32)
    if name == 'f64':
        return np.array([0.1, 1e300, -1e300], F64)
    return np.array(v, F32)


def histo(h):
    return {'min': h.min, 'max': h.max, 'num': h.num, 'sum': h.sum, 'sum_squares': h.sum_squares,
            'bucket_limit': list(h.bucket_limit), 'bucket': list(h.bucket)}


def json_safe(v):
    if isinstance(v, dict):
        return {k: json_safe(x) for k, x in v.items()}
    if isinstance(v, list):
        return [json_safe(x) for x in v]
    return num(v) if isinstance(v, float) else v


def family_events(out):
    import io
    from PIL import Image
    base = os.path.join(out, 'events')
    shutil.rmtree(base, ignore_errors=True)
    os.makedirs(base)
    work = tempfile.mkdtemp()
    histograms, images = [], []

    with tf.Graph().as_default() as g:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [], name='x')
        with tf.name_scope('train'):
            tf.summary.scalar('loss', x * 2.0)
            tf.summary.scalar('bad name: x', x)
            tf.summary.scalar('loss', x)
        tf.summary.scalar('int', tf.constant(7))
        tf.summary.scalar('double', tf.cast(x, tf.float64) / 3.0)
        tf.summary.histogram('h', tf.constant(rnd(91, [3, 4])) * x)
        tf.summary.image('img', tf.constant(np.arange(24, dtype=F32).reshape(2, 2, 2, 3)), max_outputs=2)
        tf.summary.audio('snd', tf.constant(np.sin(np.arange(16) / 4.).astype(F32).reshape(1, 16)), 8000)
        tf.summary.text('txt', tf.constant('some text'))
        merged = tf.summary.merge_all()
        writer = tf.summary.FileWriter(work, g)
        with tf.Session(config=config()) as sess:
            for step in range(3):
                s = sess.run(merged, {x: step + 0.5})
                writer.add_summary(s, step)
            meta = tf.RunMetadata()
            sess.run(merged, {x: 9.0}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=meta)
            writer.add_run_metadata(meta, 'step003', 3)
            writer.add_summary(sess.run(merged, {x: 9.0}), 3)
            writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 4)
            writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='by hand', simple_value=0.25)]), 5)
            writer.add_graph(g)
        writer.close()
        summary_nodes = [node(o.node_def, o.type.endswith('Summary') or o.type in ('MergeSummary', 'TensorSummaryV2'))
                         for o in g.get_operations()]

    name = os.listdir(work)[0]
    shutil.copy(os.path.join(work, name), os.path.join(base, 'events.out.tfevents.1500000000.golden'))
    events = []
    path = os.path.join(base, 'events.out.tfevents.1500000000.golden')
    for r in tf.python_io.tf_record_iterator(path):
        e = tf.Event.FromString(r)
        what = e.WhichOneof('what')
        d = {'step': e.step, 'what': what, 'bytes': len(r)}
        if what == 'file_version':
            d['file_version'] = e.file_version
        elif what == 'graph_def':
            gd = tf.GraphDef.FromString(e.graph_def)
            d['node_count'] = len(gd.node)
            d['has_output_shapes'] = any('_output_shapes' in n.attr for n in gd.node)
        elif what == 'meta_graph_def':
            d['node_count'] = len(tf.MetaGraphDef.FromString(e.meta_graph_def).graph_def.node)
        elif what == 'session_log':
            d['status'] = e.session_log.status
        elif what == 'tagged_run_metadata':
            m = tf.RunMetadata.FromString(e.tagged_run_metadata.run_metadata)
            d['tag'] = e.tagged_run_metadata.tag
            d['devices'] = [s.device for s in m.step_stats.dev_stats]
            d['nodes'] = [sorted(n.node_name for n in s.node_stats) for s in m.step_stats.dev_stats]
        elif what == 'summary':
            d['values'] = []
            for v in e.summary.value:
                kind = v.WhichOneof('value')
                w = {'tag': v.tag, 'kind': kind}
                if v.HasField('metadata'):
                    w['plugin'] = v.metadata.plugin_data.plugin_name
                    w['display_name'] = v.metadata.display_name
                    w['description'] = v.metadata.summary_description
                if kind == 'simple_value':
                    w['simple_value'] = num(F32(v.simple_value))
                elif kind == 'histo':
                    w['histo'] = histo(v.histo)
                elif kind == 'image':
                    w.update({'height': v.image.height, 'width': v.image.width, 'colorspace': v.image.colorspace,
                              'pixels': np.asarray(Image.open(io.BytesIO(v.image.encoded_image_string))).tolist()})
                elif kind == 'audio':
                    a = v.audio
                    w.update({'sample_rate': a.sample_rate, 'num_channels': a.num_channels,
                              'length_frames': a.length_frames, 'content_type': a.content_type,
                              'wav_b64': base64.b64encode(a.encoded_audio_string).decode('ascii')})
                elif kind == 'tensor':
                    w['tensor'] = T(tensor_util.MakeNdarray(v.tensor))
                d['values'].append(w)
        events.append(d)

    # histograms of given inputs
    for n, v in HISTOGRAM_INPUTS:
        a = histogram_input(n, v)
        with tf.Graph().as_default():
            p = tf.placeholder(a.dtype, a.shape)
            s = tf.summary.histogram('h', p)
            with tf.Session(config=config()) as sess:
                m = tf.Summary.FromString(sess.run(s, {p: a}))
        histograms.append({'name': n, 'input': T(a), 'histo': histo(m.value[0].histo)})
    # images: how floats become bytes
    imgs = [('positive', np.array([0.0, 0.5, 1.0, 2.0], F32).reshape(1, 2, 2, 1)),
            ('negative', np.array([-1.0, 0.0, 0.5, 0.25], F32).reshape(1, 2, 2, 1)),
            ('constant zero', np.zeros([1, 2, 2, 1], F32)),
            ('constant negative', -np.ones([1, 2, 2, 1], F32)),
            ('nan', np.array([np.nan, 0.0, 1.0, np.inf], F32).reshape(1, 2, 2, 1)),
            ('rgb', rnd(95, [1, 2, 3, 3])), ('rgba', np.abs(rnd(96, [1, 2, 2, 4]))),
            ('uint8', np.arange(12, dtype=np.uint8).reshape(1, 2, 2, 3) * 20),
            ('three of five', np.abs(rnd(97, [5, 1, 2, 1])))]
    for n, a in imgs:
        with tf.Graph().as_default():
            p = tf.placeholder(a.dtype, a.shape)
            s = tf.summary.image('im', p)
            with tf.Session(config=config()) as sess:
                m = tf.Summary.FromString(sess.run(s, {p: a}))
        images.append({'name': n, 'input': T(a), 'outputs': [
            {'tag': v.tag, 'height': v.image.height, 'width': v.image.width, 'colorspace': v.image.colorspace,
             'pixels': np.asarray(Image.open(io.BytesIO(v.image.encoded_image_string))).tolist()} for v in m.value]})

    # records
    rec = os.path.join(base, 'examples.tfrecord')
    payloads = [b'', b'abc', bytes(bytearray(range(256)))]
    ft = tf.train.Feature
    for i in range(3):
        payloads.append(tf.train.Example(features=tf.train.Features(feature={
            'i': ft(int64_list=tf.train.Int64List(value=[i, -i, 2 ** 40 + i])),
            'f': ft(float_list=tf.train.FloatList(value=[i / 4., -0.5])),
            'b': ft(bytes_list=tf.train.BytesList(value=[b'\x00\xff' * i, b'x'])),
            'none': ft(int64_list=tf.train.Int64List())})).SerializeToString(deterministic=True))
    with tf.python_io.TFRecordWriter(rec) as w:
        for b in payloads:
            w.write(b)
    opts = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)
    with tf.python_io.TFRecordWriter(os.path.join(base, 'examples.zlib.tfrecord'), opts) as w:
        for b in payloads:
            w.write(b)
    shutil.rmtree(work)
    doc = head('events: the records of events.out.tfevents.1500000000.golden, in order (wall times are not recorded). '
               'histograms, images: what the summary ops give for given inputs. records: the payloads, base64, of '
               'examples.tfrecord and examples.zlib.tfrecord; the last three are tf.train.Example messages.')
    doc['file_name_pattern'] = 'events.out.tfevents.SECONDS.HOSTNAME'
    doc['events'] = json_safe(events)
    doc['summary_nodes'] = summary_nodes
    doc['histograms'] = json_safe(histograms)
    doc['images'] = images
    doc['records'] = [base64.b64encode(b).decode('ascii') for b in payloads]
    dump(os.path.join(base, 'events.json'), doc)


# ---------------------------------------------------------------- messages

def family_messages(out):
    """Names, numbers and types of the fields of TensorFlow's messages, one a line: what makes files compatible."""
    import importlib
    modules = {'core.framework': 'allocation_description attr_value cost_graph device_attributes function graph log_memory '
                                 'node_def op_def resource_handle step_stats summary tensor tensor_description '
                                 'tensor_shape tensor_slice types variable versions',
               'core.protobuf': 'cluster config debug meta_graph queue_runner rewriter_config saved_model '
                                'saved_object_graph saver struct tensor_bundle tensorflow_server trackable_object_graph '
                                'verifier_config',
               'core.util': 'event saved_tensor_slice', 'core.example': 'example feature',
               'core.lib.core': 'error_codes', 'python.training': 'checkpoint_state'}
    lines = []

    def short(x):
        return x.full_name.replace('tensorflow.', '', 1)

    def enum(e):
        lines.extend('enum %s %s %d' % (short(e), v.name, v.number) for v in e.values)

    def message(m):
        lines.append('message %s %d' % (short(m), len(m.fields)))
        for f in m.fields:
            kind = short(f.message_type or f.enum_type) if f.message_type or f.enum_type else '-'
            lines.append('field %s %d type %d label %d oneof %s packed %d %s' % (
                short(f), f.number, f.type, f.label, f.containing_oneof.name if f.containing_oneof else '-',
                f.label == f.LABEL_REPEATED and f.type not in (f.TYPE_STRING, f.TYPE_BYTES, f.TYPE_MESSAGE), kind))
        for e in m.enum_types:
            enum(e)
        for n in m.nested_types:
            message(n)

    for package, names in sorted(modules.items()):
        for name in names.split():
            d = importlib.import_module('tensorflow.%s.%s_pb2' % (package, name)).DESCRIPTOR
            for e in d.enum_types_by_name.values():
                enum(e)
            for m in d.message_types_by_name.values():
                message(m)
    with open(os.path.join(out, 'messages.txt'), 'w') as f:
        f.write('\n'.join(sorted(lines)) + '\n')


# ---------------------------------------------------------------- ops

class Ops(object):
    def __init__(self):
        self.cases = []
        self.seen = set()

    def add(self, name, fn, inputs, grad=True, gys=None, static=True, feed_zero=False, sig=None):
        """fn(*placeholders) gives a tensor or a list. grad: True (every floating input), False, or list of inputs
        (numbers) and other tensors (names).

        name is FAMILY:VARIANT. The gradient's nodes are kept once for each sequence of op types in a family."""
        inputs = [np.asarray(x) for x in inputs]
        d = {'name': name, 'inputs': [T(x) for x in inputs]}
        if not static:
            d['static_shapes'] = False
        cfg = config()
        cfg.graph_options.rewrite_options.disable_meta_optimizer = True
        cfg.graph_options.optimizer_options.opt_level = -1
        with tf.Graph().as_default() as g:
            tf.set_random_seed(1)
            ps = [tf.placeholder(tf.string if x.dtype.kind in 'OSU' else x.dtype, x.shape if static else None, name='x%d' % i)
                  for i, x in enumerate(inputs)]
            feed = {p: x for p, x in zip(ps, inputs)}
            nodes = gnodes = None
            what = 'error'
            try:
                n0 = len(g.get_operations())
                ys = fn(*ps)
                ys = list(ys) if isinstance(ys, (list, tuple)) else [ys]
                ys = [y if isinstance(y, tf.Tensor) else tf.convert_to_tensor(y) for y in ys]
                nodes = nodes_since(g, n0, True)
                d['fetches'] = [y.name for y in ys]
                fy = [y for y in ys if y.dtype.is_floating]
                wrt = [p for p in ps if p.dtype.is_floating] if grad is True else [
                    g.get_tensor_by_name(i) if isinstance(i, str) else ps[i] for i in grad] if grad else []
                with tf.Session(config=cfg) as sess:
                    outs = sess.run(ys, feed)
                    d['outputs'] = [T(o) for o in outs]
                    if wrt and fy:
                        what = 'grad_error'
                        vals = [o for y, o in zip(ys, outs) if y.dtype.is_floating]
                        if gys is None:
                            gv = [rnd(900 + i, v.shape).astype(v.dtype) for i, v in enumerate(vals)]
                        else:
                            gv = [np.asarray(x) for x in gys]
                        gps = [tf.placeholder(v.dtype, v.shape, name='gy%d' % i) for i, v in enumerate(gv)]
                        d['grad_of'] = [y.name for y in fy]
                        d['grad_ys'] = [T(v) for v in gv]
                        d['wrt'] = [p.op.name for p in wrt]
                        n0 = len(g.get_operations())
                        gs = tf.gradients(fy, wrt, grad_ys=gps)
                        gnodes = nodes_since(g, n0)
                        feed.update({p: v for p, v in zip(gps, gv)})
                        got = iter(sess.run([x for x in gs if x is not None], feed))
                        d['grads'] = [None if x is None else value(next(got)) for x in gs]
            except Exception as e:
                d[what] = [type(e).__name__, clean_message(str(e))]
        if nodes is not None:
            d['nodes'] = nodes
        if gnodes is not None:
            key = json.dumps([name.split(':')[0], [n[1] for n in gnodes]])
            if key not in self.seen:
                self.seen.add(key)
                d['grad_nodes'] = gnodes
        self.cases.append(d)

    def add_with_runs(self, name, fn, inputs, runs=4):
        """A case whose ops draw random numbers: also what `runs` runs of one session give."""
        self.add(name, fn, inputs, grad=False)
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            ps = [tf.placeholder(x.dtype, x.shape, name='x%d' % i) for i, x in enumerate(inputs)]
            ys = list(fn(*ps))
            with tf.Session(config=config()) as sess:
                self.cases[-1]['runs'] = [[T(y) for y in sess.run(ys, dict(zip(ps, inputs)))] for _ in range(runs)]


def clean_message(s):
    """Removes what depends on where and how the script ran."""
    s = s.split('\n\nOriginal stack trace for')[0] + ('\n\nOriginal stack trace for ...' if 'Original stack trace' in s else '')
    site = os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))
    s = s.replace(site, 'SITE').replace(os.path.abspath(__file__), 'FILE').replace(sys.argv[0], 'FILE')
    s = re.sub(r'/tmp/tmp[a-z0-9_]+', 'TMP', s)
    s = re.sub(r'defined at [^ ]*/tensorflow_core/', 'defined at SITE/tensorflow_core/', s)  # is cut at the current folder
    s = re.sub(r"'_\d+_q'", "'_N_q'", s)
    s = re.sub(r'in binary running on \S+\. ', 'in binary running on HOST. ', s)
    s = re.sub(r', line \d+, in ', ', line LINE, in ', s)
    return re.sub(r'(\.py|FILE):\d+', r'\1:LINE', s)


NAN, INF = float('nan'), float('inf')


def family_ops(out):
    o = Ops()
    f = lambda *v: np.array(v, F32)

    # ---- binary, broadcasting
    bins = [('add_operator', lambda a, b: a + b), ('add', tf.add), ('sub', tf.subtract), ('mul', tf.multiply),
            ('truediv_operator', lambda a, b: a / b), ('div', tf.div), ('maximum', tf.maximum), ('minimum', tf.minimum),
            ('pow', lambda a, b: tf.pow(tf.abs(a) + 0.5, b)), ('squared_difference', tf.squared_difference)]
    shapes = [([2, 3], [3]), ([2, 1], [1, 3]), ([], [2, 2]), ([2, 0], [1]), ([2, 1, 2], [3, 1])]
    for name, fn in bins:
        for i, (sa, sb) in enumerate(shapes):
            if i > 1 and name not in ('add_operator', 'mul'):
                continue
            o.add('%s:broadcast%d' % (name, i), fn, [rnd(i, sa, 2.0), np.where(np.abs(rnd(i + 50, sb, 2.0)) < 0.1, F32(0.5), rnd(i + 50, sb, 2.0))])
    o.add('add_operator:dynamic', lambda a, b: a + b, [rnd(1, [2, 3]), rnd(2, [3])], static=False)
    for name, fn in (('maximum', tf.maximum), ('minimum', tf.minimum)):
        o.add(name + ':ties_nan', fn, [f(1, 2, NAN, 0, -0.0, INF, NAN), f(1, 3, 0, NAN, 0.0, INF, NAN)], gys=[f(1, 2, 3, 4, 5, 6, 7)])
        o.add(name + ':int', fn, [np.array([1, -2], I32), np.array([[0], [5]], I32)])
    o.add('pow:edges', tf.pow, [f(0, 0, 0, -2, -2, -2, 2, 1, INF, NAN, 0), f(0, 2, -1, 2, 3, 0.5, -1, NAN, 0, 0, 0.5)])
    o.add('pow:int', tf.pow, [np.array([2, -3, 0, 10], I32), np.array([10, 3, 0, 9], I32)])
    o.add('pow:const2', lambda a: a ** 2, [f(-2, 0, 3)])
    o.add('truediv_operator:int', lambda a, b: a / b, [np.array([7, -7, 1], I32), np.array([2, 2, 0], I32)])
    o.add('truediv_operator:zero', lambda a, b: a / b, [f(1, -1, 0, 5), f(0, 0, 0, INF)])
    o.add('div:int', tf.div, [np.array([7, -7, 7, -7], I32), np.array([2, 2, -2, -2], I32)])
    o.add('div_no_nan', tf.math.divide_no_nan, [f(1, 0, 3), f(0, 0, 2)])
    o.add('mul:int_overflow', tf.multiply, [np.array([2147483647, 65536], I32), np.array([2, 65536], I32)])
    o.add('add:uint8_overflow', tf.add, [np.array([250, 1], np.uint8), np.array([10, 1], np.uint8)])
    o.add('atan2', tf.atan2, [f(0, -0.0, 1, -1, 0), f(-1, -1, 0, 0, 0)])
    xs, ys = [7, -7, 7, -7, 6, -6, 0], [3, 3, -3, -3, 3, 3, -3]
    for dt in (I32, I64, F32):
        for name, fn in (('floordiv', lambda a, b: a // b), ('floormod', lambda a, b: a % b),
                         ('truncatediv', tf.truncatediv), ('truncatemod', tf.truncatemod)):
            if dt == F32 and name == 'truncatediv':
                continue
            o.add('%s:%s' % (name, np.dtype(dt).name), fn, [np.array(xs, dt), np.array(ys, dt)])
    o.add('floormod:float_edges', lambda a, b: a % b, [f(5.5, -5.5, 5.5, -5.5, 1, 0, -0.0, INF, 1), f(2, 2, -2, -2, 0, 3, 3, 2, INF)], grad=False)
    o.add('floordiv:float_edges', lambda a, b: a // b, [f(5.5, -5.5, 5.5, -5.5, 1, 0, 1), f(2, 2, -2, -2, 0, 3, INF)], grad=False)
    for name in ('equal', 'not_equal', 'less', 'less_equal', 'greater', 'greater_equal'):
        o.add(name, getattr(tf, name), [f(1, 2, NAN, NAN, 0, INF), f(1, 3, NAN, 0, -0.0, -INF)], grad=False)

    # ---- unary
    edges = f(0, -0.0, 1, -1, 0.5, -2.5, 20, -20, 100, -100, INF, -INF, NAN, 6, 1e-30)
    for name, fn in (('relu', tf.nn.relu), ('relu6', tf.nn.relu6), ('elu', tf.nn.elu), ('selu', tf.nn.selu),
                     ('softplus', tf.nn.softplus), ('softsign', tf.nn.softsign), ('sigmoid', tf.sigmoid), ('tanh', tf.tanh),
                     ('leaky_relu', tf.nn.leaky_relu), ('abs', tf.abs), ('sign', tf.sign), ('negative', tf.negative),
                     ('square', tf.square), ('sqrt', tf.sqrt), ('rsqrt', tf.rsqrt), ('exp', tf.exp), ('expm1', tf.expm1),
                     ('log', tf.log), ('log1p', tf.log1p), ('reciprocal', tf.reciprocal), ('sin', tf.sin), ('cos', tf.cos),
                     ('erf', tf.erf)):
        o.add(name, fn, [edges], gys=[np.ones_like(edges)])
    for name in ('floor', 'ceil', 'round', 'rint', 'is_nan', 'is_inf', 'is_finite'):
        o.add(name, getattr(tf, name), [f(0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 2.4999, 1e20, INF, -INF, NAN)], grad=False)
    o.add('tan', tf.tan, [f(0, 1, -1)])
    o.add('asin', tf.asin, [f(0, 0.5, -1, 2)])
    o.add('acos', tf.acos, [f(0, 0.5, -1, 2)])
    o.add('atan', tf.atan, [f(0, 0.5, -1, INF)])
    o.add('lgamma', tf.lgamma, [f(0.5, 1, 2, 10)])
    o.add('digamma', tf.digamma, [f(0.5, 1, 2, 10)])
    o.add('crelu', tf.nn.crelu, [rnd(1, [2, 3])])
    for name in ('relu', 'sigmoid', 'tanh', 'exp', 'log'):
        fn = getattr(tf.nn, name, None) or getattr(tf, name)
        o.add(name + ':float64', fn, [np.array([0.5, 1.0, 2.0, 30.0], F64)], gys=[np.ones(4, F64)])
    o.add('abs:int', tf.abs, [np.array([-2147483648, -1, 2], I32)])
    o.add('add_n', lambda a, b, c: tf.add_n([a, b, c]), [rnd(1, [3]), rnd(2, [3]), rnd(3, [3])])
    o.add('clip_by_value:gradient', lambda a: tf.clip_by_value(a, -1.0, 1.0), [f(-2, -1, 0, 1, 2, NAN)], gys=[f(1, 2, 3, 4, 5, 6)])
    o.add('l2_loss', tf.nn.l2_loss, [rnd(5, [3, 4])])
    o.add('l2_loss:empty', tf.nn.l2_loss, [np.zeros([0], F32)])
    o.add('l2_normalize', lambda a: tf.nn.l2_normalize(a, 1), [np.array([[3, 4], [0, 0]], F32)])

    # NaN and -0 where the vector code sees them (1) and where the scalar rest does (17): TensorFlow may differ
    row = np.arange(19, dtype=F32) - 9
    row[[1, 17]] = np.nan
    row[[3, 18]] = -0.0
    for name, fn in (('relu', tf.nn.relu), ('relu6', tf.nn.relu6), ('elu', tf.nn.elu), ('softplus', tf.nn.softplus), ('sigmoid', tf.sigmoid),
                     ('tanh', tf.tanh), ('sign', tf.sign), ('exp', tf.exp), ('log', tf.log), ('sqrt', tf.sqrt), ('round', tf.round),
                     ('clip_by_value', lambda a: tf.clip_by_value(a, -2.0, 2.0)), ('maximum', lambda a: tf.maximum(a, 0.0)),
                     ('maximum_swapped', lambda a: tf.maximum(0.0, a)), ('minimum', lambda a: tf.minimum(a, 0.0)),
                     ('reduce_max', lambda a: [tf.reduce_max(a), tf.reduce_max(a[:17]), tf.reduce_max(a[2:])]),
                     ('reduce_min', lambda a: [tf.reduce_min(a), tf.reduce_min(a[:17]), tf.reduce_min(a[2:])]),
                     ('argmax', lambda a: [tf.argmax(a), tf.argmax(a[1:]), tf.argmax(a[2:])])):
        o.add(name + ':nan_positions', fn, [row], gys=[np.ones_like(row)], grad=name not in ('reduce_max', 'reduce_min', 'argmax', 'round', 'sign'))

    # ---- arg, reductions
    ties = np.array([[1, 3, 3], [NAN, 1, 2], [2, NAN, 5], [-1, -1, -1], [NAN, NAN, 0]], F32)
    for name in ('argmax', 'argmin'):
        fn = getattr(tf, name)
        o.add(name, lambda a, fn=fn: fn(a, 1), [ties], grad=False)
        o.add(name + ':axis0_int32', lambda a, fn=fn: fn(a, 0, output_type=tf.int32), [ties], grad=False)
        o.add(name + ':negative_axis', lambda a, fn=fn: fn(a, -1), [np.array([[5, 5, 1], [0, 9, 9]], I32)])
    x = rnd(8, [2, 3, 2], 2.0)
    for name in ('reduce_sum', 'reduce_mean', 'reduce_prod', 'reduce_max', 'reduce_min', 'reduce_logsumexp'):
        fn = getattr(tf, name)
        for axis, kd in ((None, False), (1, True), ([0, 2], False), (-1, False), ([], False)):
            o.add('%s:axis=%s,keepdims=%s' % (name, axis, kd), lambda a, fn=fn, axis=axis, kd=kd: fn(a, axis, keepdims=kd), [x])
        o.add(name + ':empty', lambda a, fn=fn: fn(a, 0), [np.zeros([0, 2], F32)])
        o.add(name + ':empty_other', lambda a, fn=fn: fn(a, 1), [np.zeros([0, 2], F32)])
        if name != 'reduce_logsumexp':
            o.add(name + ':int32', lambda a, fn=fn: fn(a, 0), [np.array([[7, -2], [2, 5]], I32)])
        o.add(name + ':nan', lambda a, fn=fn: fn(a, 1), [np.array([[1, NAN, 2], [-INF, -INF, -INF], [INF, 0, -INF]], F32)], grad=False)
    for name in ('reduce_max', 'reduce_min'):
        o.add(name + ':ties', lambda a, fn=getattr(tf, name): fn(a, 1), [np.array([[1, 3, 3], [2, 2, 2], [0, 1, 0]], F32)], gys=[f(1, 1, 1)])
    o.add('reduce_prod:zeros', lambda a: tf.reduce_prod(a, 1), [np.array([[0, 2, 3], [0, 0, 4], [1, 2, 3]], F32)], gys=[f(1, 1, 1)])
    for name in ('reduce_any', 'reduce_all'):
        o.add(name, lambda a, fn=getattr(tf, name): fn(a, 1), [np.array([[True, False], [True, True], [False, False]])])
        o.add(name + ':empty', lambda a, fn=getattr(tf, name): fn(a, 1), [np.zeros([2, 0], bool)])
    o.add('reduce_sum:dynamic', lambda a: tf.reduce_sum(a, [1]), [x], static=False)
    o.add('reduce_mean:dynamic', tf.reduce_mean, [x], static=False)
    for ex in (False, True):
        for rev in (False, True):
            o.add('cumsum:exclusive=%s,reverse=%s' % (ex, rev), lambda a: tf.cumsum(a, 1, ex, rev), [rnd(1, [2, 4])])
            o.add('cumprod:exclusive=%s,reverse=%s' % (ex, rev), lambda a: tf.cumprod(a, 1, ex, rev), [rnd(1, [2, 4])])
    o.add('moments', lambda a: list(tf.nn.moments(a, [0])), [rnd(3, [4, 2])])
    o.add('count_nonzero', lambda a: tf.count_nonzero(a, 1), [np.array([[0, 1, 2], [0, 0, -0.0]], F32)], grad=False)

    # ---- softmax and cross entropy
    logits = np.array([[1, 2, 3], [1000, 0, -1000], [0, 0, 0], [-INF, 0, 1], [1e-3, 88, -88]], F32)
    for name, fn in (('softmax', tf.nn.softmax), ('log_softmax', tf.nn.log_softmax)):
        o.add(name, fn, [logits])
        o.add(name + ':nan', fn, [np.array([[NAN, 0], [INF, 0]], F32)], grad=False)
        o.add(name + ':3d', fn, [rnd(4, [2, 2, 3])])
        o.add(name + ':axis', lambda a, fn=fn: fn(a, 1), [rnd(4, [2, 2, 3])])
        o.add(name + ':empty', fn, [np.zeros([0, 3], F32)])
        o.add(name + ':float64', fn, [logits[:3].astype(F64)])
    fin = logits[[0, 1, 2, 4]]
    dist = np.array([[0, 0, 1], [0.5, 0.5, 0], [0.2, 0.3, 0.5], [1, 1, 1]], F32)
    dense = lambda l, y: tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=l)
    o.add('softmax_cross_entropy', dense, [fin, dist], grad=[0])
    o.add('softmax_cross_entropy:labels_too', dense, [fin[2:], dist[2:]], grad=[0, 1])
    o.add('softmax_cross_entropy_v2', lambda l, y: tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=l), [fin, dist])
    o.add('softmax_cross_entropy:3d', dense, [rnd(1, [2, 2, 3]), np.abs(rnd(2, [2, 2, 3]))], grad=[0])
    for dt in (I32, I64):
        o.add('sparse_softmax_cross_entropy:' + np.dtype(dt).name, lambda l, y: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=l),
              [fin, np.array([2, 0, 1, 1], dt)], grad=[0])
    o.add('sparse_softmax_cross_entropy:3d', lambda l, y: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=l),
          [rnd(1, [2, 2, 3]), np.array([[0, 1], [2, 2]], I32)], grad=[0])
    o.add('sigmoid_cross_entropy', lambda l, y: tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=l),
          [f(0, 1, -1, 100, -100), f(0, 1, 0.5, 0, 1)])
    o.add('weighted_cross_entropy', lambda l, y: tf.nn.weighted_cross_entropy_with_logits(targets=y, logits=l, pos_weight=2.0),
          [f(0, 1, -1, 100, -100), f(0, 1, 0.5, 0, 1)], grad=[0])
    o.add('mean_squared_error', tf.losses.mean_squared_error, [rnd(1, [2, 3]), rnd(2, [2, 3], 3.0)])

    # ---- convolutions
    def conv(name, xs, ws, strides, padding, dil=(1, 1, 1, 1)):
        o.add('conv2d:' + name, lambda x, w: tf.nn.conv2d(x, w, strides, padding, dilations=list(dil)), [rnd(60, xs, digits=2), rnd(61, ws, digits=2)])
    one, two = [1, 1, 1, 1], [1, 2, 2, 1]
    for pad in ('SAME', 'VALID'):
        conv('3x3_s1_' + pad, [1, 4, 5, 2], [3, 3, 2, 2], one, pad)
        conv('3x3_s2_' + pad, [1, 5, 4, 2], [3, 3, 2, 2], two, pad)
        conv('2x2_s1_' + pad, [1, 4, 4, 1], [2, 2, 1, 2], one, pad)
        conv('2x2_s2_' + pad, [1, 5, 5, 1], [2, 2, 1, 1], two, pad)
        conv('4x4_s2_' + pad, [1, 6, 7, 1], [4, 4, 1, 1], two, pad)
        conv('5x5_s1_batch_' + pad, [2, 6, 6, 1], [5, 5, 1, 2], one, pad)
        conv('1x1_s1_' + pad, [1, 3, 3, 3], [1, 1, 3, 2], one, pad)
        conv('1x1_s2_' + pad, [1, 4, 5, 1], [1, 1, 1, 1], two, pad)
        conv('3x3_s3_' + pad, [1, 7, 8, 1], [3, 3, 1, 1], [1, 3, 3, 1], pad)
        conv('1x3_s1_' + pad, [1, 3, 5, 1], [1, 3, 1, 2], one, pad)
        conv('3x2_s12_' + pad, [1, 5, 5, 1], [3, 2, 1, 1], [1, 1, 2, 1], pad)
        conv('3x3_d2_' + pad, [1, 6, 6, 1], [3, 3, 1, 2], one, pad, (1, 2, 2, 1))
    conv('5x5_on_3x3_SAME', [1, 3, 3, 1], [5, 5, 1, 1], one, 'SAME')
    conv('1x1_s1_deep', [1, 2, 2, 4], [1, 1, 4, 4], one, 'SAME')
    conv('batch0', [0, 4, 4, 1], [3, 3, 1, 2], one, 'SAME')
    o.add('conv2d:float64', lambda x, w: tf.nn.conv2d(x, w, one, 'SAME'), [rnd(60, [1, 3, 3, 1], dtype=F64), rnd(61, [3, 3, 1, 1], dtype=F64)])
    for st in (1, 2):
        for pad in ('SAME', 'VALID'):
            o.add('depthwise_conv2d:s%d_%s' % (st, pad), lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, st, st, 1], pad),
                  [rnd(62, [1, 4, 5, 2], digits=2), rnd(63, [3, 3, 2, 2], digits=2)])
    o.add('separable_conv2d', lambda x, d, p: tf.nn.separable_conv2d(x, d, p, one, 'SAME'),
          [rnd(62, [1, 3, 3, 2], digits=2), rnd(63, [2, 2, 2, 1], digits=2), rnd(64, [1, 1, 2, 3], digits=2)])
    o.add('conv2d_transpose', lambda x, w: tf.nn.conv2d_transpose(x, w, [1, 6, 6, 2], [1, 2, 2, 1], 'SAME'),
          [rnd(62, [1, 3, 3, 1], digits=2), rnd(63, [3, 3, 2, 1], digits=2)])
    o.add('atrous_conv2d', lambda x, w: tf.nn.atrous_conv2d(x, w, 2, 'SAME'), [rnd(62, [1, 5, 5, 1], digits=2), rnd(63, [3, 3, 1, 1], digits=2)])
    o.add('conv1d', lambda x, w: tf.nn.conv1d(x, w, 2, 'SAME'), [rnd(62, [1, 5, 2], digits=2), rnd(63, [3, 2, 2], digits=2)])
    for name, fn in (('max_pool', tf.nn.max_pool), ('avg_pool', tf.nn.avg_pool)):
        for pad in ('SAME', 'VALID'):
            for k, s, xs in ((2, 2, [1, 5, 5, 1]), (3, 2, [1, 6, 5, 2]), (3, 1, [1, 4, 4, 1]), (2, 3, [1, 7, 6, 1])):
                o.add('%s:k%ds%d_%s' % (name, k, s, pad), lambda x, fn=fn: fn(x, [1, k, k, 1], [1, s, s, 1], pad), [rnd(65, xs, digits=2)])
        o.add(name + ':k23s12', lambda x, fn=fn: fn(x, [1, 2, 3, 1], [1, 1, 2, 1], 'SAME'), [rnd(65, [1, 4, 4, 1], digits=2)])
        neg = -np.abs(rnd(66, [1, 3, 3, 1])) - 1
        o.add(name + ':negative_SAME', lambda x, fn=fn: fn(x, [1, 2, 2, 1], two, 'SAME'), [neg])
        o.add(name + ':ties', lambda x, fn=fn: fn(x, [1, 2, 2, 1], one, 'SAME'), [np.ones([1, 3, 3, 1], F32)])
        nan = np.arange(16, dtype=F32).reshape(1, 4, 4, 1)
        nan[0, 0, 0, 0] = nan[0, 2, 3, 0] = np.nan
        o.add(name + ':nan', lambda x, fn=fn: fn(x, [1, 2, 2, 1], two, 'VALID'), [nan])
        o.add(name + ':all', lambda x, fn=fn: fn(x, [1, 3, 4, 1], one, 'VALID'), [rnd(65, [2, 3, 4, 1], digits=2)])
    o.add('max_pool:whole_zero_relu', lambda x: tf.nn.max_pool(tf.nn.relu(x), [1, 2, 2, 1], two, 'SAME'), [neg])
    o.add('max_pool_with_argmax', lambda x: list(tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], two, 'SAME')), [rnd(65, [2, 3, 4, 2], digits=2)])
    o.add('max_pool_depth', lambda x: tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], 'VALID'), [rnd(65, [1, 2, 2, 4], digits=2)], grad=False)
    o.add('bias_add:2d', tf.nn.bias_add, [rnd(1, [3, 4]), rnd(2, [4])])
    o.add('bias_add:4d', tf.nn.bias_add, [rnd(1, [2, 2, 2, 3]), rnd(2, [3])])
    o.add('bias_add:nchw', lambda a, b: tf.nn.bias_add(a, b, data_format='NCHW'), [rnd(1, [2, 3, 2, 2]), rnd(2, [3])])
    o.add('lrn', lambda x: tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75), [rnd(70, [1, 2, 2, 6], 5.0, digits=2)])
    o.add('lrn:defaults', tf.nn.lrn, [rnd(70, [1, 1, 2, 13], 3.0, digits=2)])
    o.add('lrn:radius1', lambda x: tf.nn.lrn(x, 1, 2.0, 0.5, 0.5), [rnd(70, [1, 1, 2, 4], 3.0, digits=2)])
    bn = [rnd(71, [3, 2, 2, 2], 3.0, digits=2), f(1.5, 0.5), f(0.1, -0.2)]
    o.add('fused_batch_norm:training', lambda x, s, b: list(tf.nn.fused_batch_norm(x, s, b)), bn, grad=False)
    o.add('fused_batch_norm:training_gradient', lambda x, s, b: tf.nn.fused_batch_norm(x, s, b)[0], bn)
    o.add('fused_batch_norm:inference', lambda x, s, b: tf.nn.fused_batch_norm(x, s, b, f(0.5, -0.5), f(2, 0.25), is_training=False)[0], bn)
    o.add('batch_normalization', lambda x, s, b: tf.nn.batch_normalization(x, f(0.5, -0.5), f(2, 0.25), b, s, 1e-3), bn)

    # ---- matmul
    for ta in (False, True):
        for tb in (False, True):
            o.add('matmul:ta=%s,tb=%s' % (ta, tb), lambda a, b: tf.matmul(a, b, ta, tb),
                  [rnd(1, [3, 2] if ta else [2, 3]), rnd(2, [4, 3] if tb else [3, 4])])
    o.add('matmul:zero_inner', tf.matmul, [np.zeros([2, 0], F32), np.zeros([0, 3], F32)])
    o.add('matmul:zero_rows', tf.matmul, [np.zeros([0, 2], F32), np.ones([2, 3], F32)])
    o.add('matmul:int32', tf.matmul, [np.array([[1, 2], [3, 4]], I32), np.array([[5], [6]], I32)])
    o.add('matmul:float64', tf.matmul, [rnd(1, [2, 3], dtype=F64), rnd(2, [3, 2], dtype=F64)])
    o.add('matmul:vector', tf.matmul, [rnd(1, [1, 7]), rnd(2, [7, 1])])
    o.add('matmul:nan', tf.matmul, [np.array([[NAN, 0], [INF, 0]], F32), np.array([[0, 1], [1, 0]], F32)])
    o.add('batch_matmul', tf.matmul, [rnd(1, [2, 2, 3]), rnd(2, [2, 3, 2])])
    o.add('batch_matmul:adjoint', lambda a, b: tf.matmul(a, b, adjoint_a=True), [rnd(1, [2, 3, 2]), rnd(2, [2, 3, 2])])
    o.add('tensordot', lambda a, b: tf.tensordot(a, b, 1), [rnd(1, [2, 2, 3]), rnd(2, [3, 2])])

    # ---- slices and arrangement
    m = np.arange(12, dtype=F32).reshape(3, 4)
    for name, fn in (('row', lambda a: a[1]), ('last', lambda a: a[-1, -1]), ('reverse', lambda a: a[::-1, ::-2]),
                     ('newaxis', lambda a: a[:, tf.newaxis, 1:3]), ('ellipsis', lambda a: a[..., 0]),
                     ('empty', lambda a: a[2:1]), ('out_of_bounds', lambda a: a[-10:10, 3:100]),
                     ('negative_bounds', lambda a: a[-2:, :-1]), ('stride3', lambda a: a[:, 3:0:-3]),
                     ('all', lambda a: a[:]), ('shrink_newaxis', lambda a: a[1, tf.newaxis, ..., tf.newaxis]),
                     ('backwards_to_start', lambda a: a[:, 2::-1])):
        o.add('strided_slice:' + name, fn, [m])
    o.add('strided_slice:tensor_index', lambda a, i: a[i, i:], [m, np.array(1, I32)], grad=[0])
    o.add('slice', lambda a: tf.slice(a, [1, 0], [-1, 2]), [m])
    o.add('gather', tf.gather, [m, np.array([2, 0, 2, 2], I32)])
    o.add('gather:matrix_indices', tf.gather, [m, np.array([[0, 1], [1, 1]], I64)])
    o.add('gather:axis1', lambda a, i: tf.gather(a, i, axis=1), [m, np.array([3, 3, 0], I32)])
    o.add('gather:empty', tf.gather, [m, np.zeros([0], I32)])
    o.add('gather_nd', tf.gather_nd, [m, np.array([[0, 1], [2, 3], [0, 1]], I32)])
    o.add('gather_nd:rows', tf.gather_nd, [m, np.array([[2], [2]], I32)])
    o.add('scatter_nd', lambda i, u: tf.scatter_nd(i, u, [5]), [np.array([[1], [3], [1]], I32), f(1, 2, 3)])
    o.add('embedding_lookup', lambda p, i: tf.nn.embedding_lookup(p, i), [m, np.array([[1, 0], [1, 2]], I32)])
    o.add('embedding_lookup:mod', lambda p, q, i: tf.nn.embedding_lookup([p, q], i), [m, -m[:2], np.array([0, 1, 4, 3, 0], I32)])
    o.add('embedding_lookup:div', lambda p, q, i: tf.nn.embedding_lookup([p, q], i, 'div'), [m, -m[:2], np.array([0, 1, 4, 3, 0], I32)])
    for comb in ('mean', 'sum', 'sqrtn'):
        o.add('embedding_lookup_sparse:' + comb, lambda p: tf.nn.embedding_lookup_sparse(
            p, tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 1]), [2, 2]), None, combiner=comb), [m])
    o.add('concat', lambda a, b: tf.concat([a, b], 1), [rnd(1, [2, 2]), rnd(2, [2, 3])])
    o.add('concat:negative_axis', lambda a, b: tf.concat([a, b], -2), [rnd(1, [2, 2]), rnd(2, [1, 2])])
    o.add('concat:empty', lambda a, b: tf.concat([a, b], 0), [np.zeros([0, 2], F32), rnd(2, [1, 2])])
    o.add('concat:one', lambda a: tf.concat([a], 0), [rnd(2, [1, 2])])
    o.add('split', lambda a: tf.split(a, 2, 1), [m])
    o.add('split:sizes', lambda a: tf.split(a, [1, 3], 1), [m])
    o.add('stack', lambda a, b: tf.stack([a, b]), [f(1, 2), f(3, 4)])
    o.add('stack:axis1', lambda a, b: tf.stack([a, b], 1), [f(1, 2), f(3, 4)])
    o.add('unstack', lambda a: tf.unstack(a), [m])
    o.add('unstack:one_used', lambda a: tf.unstack(a, axis=1)[2], [m])
    o.add('tile', lambda a: tf.tile(a, [2, 3]), [rnd(1, [1, 2])])
    o.add('tile:zero', lambda a: tf.tile(a, [2, 0]), [rnd(1, [1, 2])])
    o.add('pad', lambda a: tf.pad(a, [[1, 0], [0, 2]]), [rnd(1, [2, 2])])
    o.add('pad:constant', lambda a: tf.pad(a, [[1, 0], [0, 2]], constant_values=9.0), [rnd(1, [2, 2])])
    o.add('pad:reflect', lambda a: tf.pad(a, [[1, 0], [2, 2]], 'REFLECT'), [rnd(1, [2, 3])])
    o.add('pad:symmetric', lambda a: tf.pad(a, [[2, 1], [0, 3]], 'SYMMETRIC'), [rnd(1, [2, 3])])
    o.add('transpose', tf.transpose, [m])
    o.add('transpose:perm', lambda a: tf.transpose(a, [2, 0, 1]), [rnd(1, [2, 3, 2])])
    o.add('reshape', lambda a: tf.reshape(a, [-1, 6]), [m])
    o.add('reshape:scalar', lambda a: tf.reshape(a, []), [f(5)])
    o.add('expand_dims', lambda a: tf.expand_dims(a, -1), [f(5, 6)])
    o.add('squeeze', tf.squeeze, [np.zeros([1, 2, 1], F32)])
    o.add('reverse', lambda a: tf.reverse(a, [1]), [m])
    o.add('reverse_sequence', lambda a: tf.reverse_sequence(a, [2, 4, 0], seq_axis=1, batch_axis=0), [m])
    o.add('one_hot', lambda i: tf.one_hot(i, 3), [np.array([0, 2, -1, 3, 1], I32)])
    o.add('one_hot:axis0_values', lambda i: tf.one_hot(i, 3, 5.0, -5.0, axis=0), [np.array([0, 2, -1], I64)])
    o.add('one_hot:int', lambda i: tf.one_hot(i, 2, dtype=tf.int32), [np.array([[0, 1], [1, 1]], I32)])
    o.add('where:select', lambda c, a, b: tf.where(c, a, b), [np.array([True, False]), np.ones([2, 2], F32), np.zeros([2, 2], F32)])
    o.add('where:indices', tf.where, [np.array([[True, False], [True, True]])])
    o.add('where:nan_gradient', lambda a: tf.where(a > 0, tf.log(a), tf.zeros_like(a)), [f(0, 1, 2)])
    o.add('boolean_mask', tf.boolean_mask, [m, np.array([True, False, True])])
    o.add('unique', lambda a: list(tf.unique(a)), [np.array([3, 1, 3, 2, 1], I32)])
    o.add('dynamic_partition', lambda a, p: tf.dynamic_partition(a, p, 2), [m, np.array([1, 0, 1], I32)])
    o.add('dynamic_stitch', lambda a, b: tf.dynamic_stitch([[0, 2], [1, 2]], [a, b]), [f(1, 2), f(3, 4)])
    o.add('segment_sum', lambda a: tf.segment_sum(a, [0, 0, 2]), [m])
    o.add('unsorted_segment_sum', lambda a: tf.unsorted_segment_sum(a, [1, -1, 1], 3), [m])
    o.add('sequence_mask', lambda a: tf.sequence_mask(a, 4), [np.array([0, 2, 5], I32)])
    o.add('invert_permutation', tf.invert_permutation, [np.array([2, 0, 1], I32)])
    o.add('diag', tf.diag, [f(1, 2)])
    o.add('matrix_band_part', lambda a: tf.matrix_band_part(a, 1, 0), [np.ones([3, 3], F32)])
    o.add('space_to_depth', lambda a: tf.space_to_depth(a, 2), [np.arange(8, dtype=F32).reshape(1, 2, 4, 1)])
    o.add('fill', lambda d: tf.fill(d, 7.0), [np.array([2, 0, 3], I32)])
    o.add('fill:value', lambda v: tf.fill([2, 2], v), [np.array(3.5, F32)])
    o.add('broadcast_to', lambda a: tf.broadcast_to(a, [2, 3]), [rnd(1, [3])])
    o.add('range:int', lambda a, b, c: tf.range(a, b, c), [np.array(v, I32) for v in (0, 10, 3)])
    o.add('range:down', lambda a, b, c: tf.range(a, b, c), [np.array(v, I32) for v in (5, -1, -2)])
    o.add('range:empty', lambda a, b: tf.range(a, b), [np.array(v, I32) for v in (3, 3)])
    o.add('range:float', lambda a, b, c: tf.range(a, b, c), [np.array(v, F32) for v in (0, 1, 0.1)], grad=False)
    o.add('range:float2', lambda a, b, c: tf.range(a, b, c), [np.array(v, F32) for v in (3, 0.9, -0.5)], grad=False)
    o.add('linspace', lambda a, b: tf.linspace(a, b, 7), [np.array(0, F32), np.array(1, F32)], grad=False)
    o.add('linspace:one', lambda a, b: tf.linspace(a, b, 1), [np.array(0, F32), np.array(1, F32)], grad=False)
    o.add('shape_size_rank', lambda a: [tf.shape(a), tf.size(a), tf.rank(a)], [np.zeros([2, 0, 3], F32)], grad=False, static=False)
    o.add('zeros_ones_like', lambda a: [tf.zeros_like(a), tf.ones_like(a)], [np.array([1, 2], I64)], static=False)

    # ---- cast
    def cast(name, x, dt):
        o.add('cast:%s_to_%s%s' % (tf.as_dtype(x.dtype).name, dt.name, name), lambda a: tf.cast(a, dt), [x], grad=False)
    fr = f(0, -0.0, 0.9, -0.9, 1.5, 2.5, -2.5, 255.7, 16777216, -300)
    for dt in (tf.int32, tf.int64, tf.bool, tf.float64, tf.float16, tf.bfloat16):
        cast('', fr, dt)
    cast('', fr[:7] * (fr[:7] >= 0), tf.uint8)
    cast('_out_of_range', f(3e9, -3e9, 1e20, INF, -INF), tf.int32)
    cast('_out_of_range', f(1e20, -1e20, INF), tf.int64)
    cast('_out_of_range', f(256, 300, -1, -200), tf.uint8)
    cast('', np.array([1.1, 1e300, -1e300, 1e-50, 1 / 3., 16777217], F64), tf.float32)
    cast('_edges', np.array([65504, 65519, 65520, 1e6, 1e-8, 2049, 0.1], F32), tf.float16)
    cast('_edges', f(1.00390625, 1.01171875, 3.3895314e38, 0.1, -1.0039062, INF), tf.bfloat16)
    cast('', np.array([2 ** 32 + 5, -1, 2 ** 31], I64), tf.int32)
    cast('', np.array([16777217, 16777219, -16777217, 2147483647], I32), tf.float32)
    cast('', np.array([300, -1, 256], I32), tf.uint8)
    cast('', np.array([0, 2, -1], I32), tf.bool)
    cast('', np.array([True, False]), tf.float32)
    cast('', np.array([True, False]), tf.int32)
    cast('_nan', f(NAN, 1), tf.bool)
    o.add('cast:gradient', lambda a: tf.cast(a, tf.float64), [f(1, 2)])
    o.add('saturate_cast', lambda a: tf.saturate_cast(a, tf.uint8), [f(-5, 3.7, 300)], grad=False)

    # ---- top k
    t = np.array([[1, 3, 3, 2], [5, 5, 5, 5], [0, -0.0, -1, 2]], F32)
    o.add('top_k', lambda a: list(tf.nn.top_k(a, 3)), [t])
    o.add('top_k:unsorted', lambda a: list(tf.nn.top_k(a, 2, sorted=False)), [t], grad=False)
    o.add('top_k:k1', lambda a: list(tf.nn.top_k(a, 1)), [t], grad=False)
    o.add('top_k:all', lambda a: list(tf.nn.top_k(a, 4)), [t], grad=False)
    o.add('top_k:int', lambda a: list(tf.nn.top_k(a, 2)), [np.array([4, 9, 9, 1], I32)])
    for k in (1, 2, 3):
        o.add('in_top_k:k%d' % k, lambda p, y: tf.nn.in_top_k(p, y, k),
              [np.array([[1, 3, 3, 2], [5, 5, 5, 5], [NAN, 1, 2, 3], [1, NAN, 2, 3], [INF, 1, 2, 3], [1, 2, 3, 4]], F32),
               np.array([1, 3, 1, 1, 0, 9], I32)], grad=False)

    # ---- gradients as such
    def part(name, fn, ins, **k):
        o.add('gradients:' + name, fn, ins, **k)
    part('unconnected', lambda a, b: a * 2.0, [f(1), f(2)])
    part('twice', lambda a: a * a + a, [f(3)])
    part('two_outputs', lambda a: [a * 2.0, tf.square(a)], [f(3)])
    part('stop', lambda a: a * tf.stop_gradient(a), [f(3)])
    part('through_int', lambda a: tf.cast(tf.cast(a, tf.int32), tf.float32), [f(3.7)])
    part('second', lambda a: tf.gradients(tf.pow(a, 3.0), a)[0], [f(2)])
    part('same_twice_gather', lambda p, i: tf.reduce_sum(tf.gather(p, i)) + tf.reduce_sum(tf.gather(p, i + 1)), [m, np.array([0, 1], I32)])

    # ---- strings
    s = np.array(['', 'a', 'Hello, World', '12'], object)
    o.add('string_join', lambda a: tf.string_join([a, tf.constant('x')], '-'), [s])
    o.add('string_length', tf.strings.length, [s])
    o.add('substr', lambda a: tf.substr(a, 0, 1), [s[1:]])
    o.add('string_split', lambda a: [tf.string_split(a, ',').values, tf.string_split(a, ',').indices], [np.array(['a,b', ',c,,d', ''], object)])
    o.add('string_to_number', tf.string_to_number, [np.array(['1', '-2.5', '1e3', ' 7 '], object)])
    o.add('as_string:float', tf.as_string, [f(0, 1.5, -2, 1e20, 1e-7, NAN, INF)], grad=False)
    o.add('as_string:float_precision', lambda a: tf.as_string(a, 2), [f(0, 1.555, -2)], grad=False)
    o.add('as_string:int', tf.as_string, [np.array([1, -5], I64)])
    o.add('as_string:bool', tf.as_string, [np.array([True, False])])
    o.add('decode_raw:uint8', lambda a: tf.decode_raw(a, tf.uint8), [np.array(['ab', 'cd'], object)])
    o.add('decode_raw:float32', lambda a: tf.decode_raw(a, tf.float32), [np.array(b'\x00\x00\x80\x3f', object)], grad=False)
    o.add('decode_csv', lambda a: tf.decode_csv(a, [[0.0], ['d'], [1]]), [np.array(['1.5,x,3', ',,', '2,"a ""q"",b",4'], object)])
    o.add('string_to_hash_bucket_fast', lambda a: tf.string_to_hash_bucket_fast(a, 1000), [s])
    o.add('equal:string', lambda a: tf.equal(a, '12'), [s])

    # ---- images
    im = np.arange(18, dtype=F32).reshape(1, 3, 2, 3)
    for name in ('BILINEAR', 'NEAREST_NEIGHBOR', 'BICUBIC', 'AREA'):
        meth = getattr(tf.image.ResizeMethod, name)
        for ac in (False, True):
            for size in ([5, 3], [2, 2], [1, 1]):
                o.add('resize:%s_%dx%d_align=%s' % (name, size[0], size[1], ac),
                      lambda a: tf.image.resize_images(a, size, method=meth, align_corners=ac), [im[..., :1]],
                      grad=(name in ('BILINEAR', 'NEAREST_NEIGHBOR') and size == [5, 3] and not ac))
    o.add('resize_with_crop_or_pad', lambda a: tf.image.resize_image_with_crop_or_pad(a, 2, 5), [im[0]], grad=False)
    o.add('central_crop', lambda a: tf.image.central_crop(a, 0.5), [np.arange(25, dtype=F32).reshape(5, 5, 1)], grad=False)
    o.add('crop_and_resize', lambda a: tf.image.crop_and_resize(a, [[0, 0, 1, 1], [0.2, 0.6, 1.3, 0.9]], [0, 0], [2, 2]), [im[..., :1]], grad=False)
    o.add('flip', lambda a: [tf.image.flip_left_right(a), tf.image.flip_up_down(a), tf.image.transpose_image(a), tf.image.rot90(a)], [im[0, :, :, :1]], grad=False)
    u = im[0] / 20
    o.add('adjust', lambda a: [tf.image.adjust_brightness(a, -0.25), tf.image.adjust_contrast(a, 2.0), tf.image.adjust_hue(a, 0.1),
                               tf.image.adjust_saturation(a, 1.5), tf.image.per_image_standardization(a), tf.image.rgb_to_grayscale(a),
                               tf.image.rgb_to_hsv(a), tf.image.adjust_gamma(a, 0.5)], [u.astype(F32)], grad=False)
    o.add('adjust:uint8', lambda a: [tf.image.adjust_brightness(a, 0.25), tf.image.adjust_contrast(a, 0.5), tf.image.adjust_saturation(a, 0.5)],
          [(im[0] * 14).astype(np.uint8)])
    o.add('convert_image_dtype', lambda a: [tf.image.convert_image_dtype(a, tf.float32), tf.image.convert_image_dtype(a, tf.int32)], [np.array([0, 1, 128, 255], np.uint8)])
    o.add('convert_image_dtype:to_uint8', lambda a: tf.image.convert_image_dtype(a, tf.uint8), [f(0, 0.5, 1, 0.999, 0.3)], grad=False)
    o.add('draw_bounding_boxes', lambda a: tf.image.draw_bounding_boxes(a, [[[0.1, 0.2, 0.8, 0.9]]]), [np.zeros([1, 5, 5, 3], F32)], grad=False)
    o.add('non_max_suppression', lambda b, sc: tf.image.non_max_suppression(b, sc, 3), [np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [0, 2, 1, 3]], F32), f(0.5, 0.9, 0.7)], grad=False)

    write_ops(o, os.path.join(out, 'ops.json'))


def write_ops(o, path):
    doc = head('Forward values and gradients of single ops, inputs fed through placeholders x0, x1.. with grappler off. '
               'fetches/outputs: the results. grads: tf.gradients(grad_of, wrt, grad_ys); null when not connected; '
               '{indexed_slices, indices, values, dense_shape} when sparse. nodes: [name, op, inputs, attrs] that the '
               'call added, constants included; grad_nodes: [name, op, inputs] that tf.gradients added, once for each '
               'sequence of op types in a family. error (grad_error): [class, message] instead of outputs (grads).')
    assert len({c['name'] for c in o.cases}) == len(o.cases)
    doc['cases'] = o.cases
    dump(path, doc)


def family_of_file(path):
    """The family of tools/goldens/NAME.py: its cases go to tests/golden/ops/NAME.json."""
    name = os.path.splitext(os.path.basename(path))[0]

    def family(out):
        import importlib.util
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        o = Ops()
        module.cases(o, sys.modules[__name__])
        os.makedirs(os.path.join(out, 'ops'), exist_ok=True)
        write_ops(o, os.path.join(out, 'ops', name + '.json'))
    return family


# ---------------------------------------------------------------- random_ops

def family_random_ops(out):
    """Random ops with their seeds as attributes or inputs, bit for bit."""
    cases = []
    raw = tf.raw_ops

    def add(name, fn, *inputs, **kw):
        runs = kw.get('runs', 2)
        inputs = [np.asarray(x) for x in inputs]
        with tf.Graph().as_default() as g:
            ps = [tf.constant(x) for x in inputs]
            y = fn(*ps)
            n = node(y.op.node_def, True)
            with tf.Session(config=config()) as sess:
                values = [sess.run(y) for _ in range(runs)]
        cases.append({'name': name, 'op': n[1], 'attrs': n[3], 'inputs': [T(x) for x in inputs],
                      'runs': [summary_of(v) for v in values]})

    def old(op, inputs, types, seed, seed2):
        """An op that new graphs may not have: imported from a graph of an old producer."""
        gd = tf.GraphDef()
        gd.versions.producer = 7
        for i, x in enumerate(inputs):
            n = gd.node.add(name='x%d' % i, op='Placeholder')
            n.attr['dtype'].type = x.dtype.as_datatype_enum
        n = gd.node.add(name=op, op=op, input=['x%d' % i for i in range(len(inputs))])
        for k, t in types.items():
            n.attr[k].type = t.as_datatype_enum
        n.attr['seed'].i, n.attr['seed2'].i = seed, seed2
        return tf.import_graph_def(gd, {'x%d' % i: x for i, x in enumerate(inputs)}, [op + ':0'], name='')[0]

    floats = (tf.float16, tf.bfloat16, tf.float32, tf.float64)
    for op in ('StatelessRandomUniform', 'StatelessRandomNormal', 'StatelessTruncatedNormal'):
        f = getattr(raw, op)
        for dt in floats:
            for shape in ([3], [130, 9]):
                add('%s:%s' % (op, dt.name), lambda sh, se, f=f, dt=dt: f(shape=sh, seed=se, dtype=dt), I32(shape), I64([7, -8]), runs=1)
        for seed in (I64([0, 0]), I64([2 ** 40 + 3, 5]), I32([-1, 2])):
            add(op + ':seed', lambda sh, se, f=f: f(shape=sh, seed=se), I64([2, 3]), seed, runs=1)
    for dt, hi in ((I32, 100), (I64, 2 ** 40)):
        add('StatelessRandomUniformInt', lambda sh, se, a, b: raw.StatelessRandomUniformInt(shape=sh, seed=se, minval=a, maxval=b),
            I32([50]), I64([1, 2]), dt(-5), dt(hi), runs=1)
    logits = np.round(np.random.RandomState(5).uniform(-2, 2, [3, 7]), 2)
    for dt in (np.float16, F32, F64):
        add('StatelessMultinomial', lambda l, n, se: raw.StatelessMultinomial(logits=l, num_samples=n, seed=se), logits.astype(dt), I32(20), I64([3, 4]), runs=1)
    for dt in (np.float16, F32, F64):
        gamma = lambda sh, a: raw.RandomGamma(shape=sh, alpha=a, seed=3, seed2=4)
        add('RandomGamma', gamma, I32([40]), dt(2.5))
        add('RandomGamma:alphas', gamma, I32([20, 2]), np.array([[0.1, 0.5, 1.0], [1.5, 10.0, 1000.0]], dt))
        poisson = lambda sh, r: old('RandomPoisson', [sh, r], {'S': tf.int32, 'dtype': r.dtype}, 5, 6)
        add('RandomPoisson', poisson, I32([20]), np.array([0.0, 0.5, 9.9, 10.0, 33.0, 1000.0], dt))
    add('RandomGamma:int64_shape', lambda sh, a: raw.RandomGamma(shape=sh, alpha=a, seed=3, seed2=4), I64([5]), F32([0.3]))
    for r in (np.float16, F32, F64, I32, I64):
        for o in (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64):
            add('RandomPoissonV2', lambda sh, x, o=o: raw.RandomPoissonV2(shape=sh, rate=x, dtype=o, seed=1, seed2=2), I32([30]), np.array([2, 25], r))
    bounded = lambda sh, m, s, a, b: raw.ParameterizedTruncatedNormal(shape=sh, means=m, stdevs=s, minvals=a, maxvals=b, seed=7, seed2=8)
    for dt in (np.float16, F32, F64):
        for name, p in (('normal', (0, 1, -2, 3)), ('scaled', (5, 2, 4.5, 5.5)), ('tail', (0, 1, 3, 100)), ('upper_tail', (0, 1, -100, -3)), ('half', (1, 0.5, 1, np.inf)),
                        ('below', (1, 0.5, -np.inf, 0)), ('narrow', (0, 1, 2, 2.1))):
            add('ParameterizedTruncatedNormal:' + name, bounded, I32([40]), *[dt(x) for x in p])
    add('ParameterizedTruncatedNormal:batches', bounded, I32([3, 50]), F32([0, 1, 2]), F32(1), F32([-1, 1, 5]), F32([1, 9, 6]))
    add('ParameterizedTruncatedNormal:long', bounded, I32([7, 60]), F32(0), F32([1]), F32(-1), F32(2))
    for shape in ([5], [3, 7], [250]):  # whether the bounds are scalars decides how samples are dealt out
        for name, bound in (('both', [F32([-2]), F32([2])]), ('lower', [F32([-2]), F32(2)]), ('upper', [F32(-2), F32([2])])):
            add('ParameterizedTruncatedNormal:vector_%s_%s' % (name, 'x'.join(map(str, shape))), bounded, I32(shape), F32(0), F32([1]), *bound)
    image = np.arange(60, dtype=np.uint8).reshape(5, 6, 2)
    crop = lambda x, sz: old('RandomCrop', [x, sz], {'T': x.dtype}, 1, 2)
    for size in ([2, 3], [5, 3], [2, 6], [5, 6]):
        add('RandomCrop', crop, image, I64(size), runs=5)
    doc = head('Random ops with their seeds as attributes or inputs. Inputs are constants; runs: what consecutive runs gave, as in random.json.')
    doc['cases'] = cases
    dump(os.path.join(out, 'random_ops.json'), doc)


# ---------------------------------------------------------------- kernels

def family_kernels(out):
    """Op -> for each type attribute the dtypes that its CPU kernels take; kernels with a label are left out. An attribute that
    a kernel does not name is free for it, and left out."""
    from tensorflow.python.framework import kernels
    ops = {}
    for k in kernels.get_all_registered_kernels().kernel:
        if k.device_type != 'CPU' or k.label:
            continue
        ops.setdefault(k.op, []).append({c.name: {tf.as_dtype(t).name for t in c.allowed_values.list.type} for c in k.constraint})
    doc = head('Dtypes of TensorFlow\'s CPU kernels, without those that have a label: op -> type attribute -> dtypes.')
    doc['ops'] = {}
    for op in sorted(ops):
        named = set.intersection(*[set(k) for k in ops[op]])
        doc['ops'][op] = {a: sorted(set.union(*[k[a] for k in ops[op]])) for a in sorted(named)}
    dump(os.path.join(out, 'kernels.json'), doc)


# ---------------------------------------------------------------- errors

def family_errors(out):
    cases = []
    work = tempfile.mkdtemp()
    cwd = os.getcwd()
    os.chdir(work)

    def err(name, about, build):
        """build() makes a graph and may give a function of a session, that is then run."""
        d = {'name': name, 'about': about}
        with tf.Graph().as_default() as g:
            try:
                d['when'] = 'construction'
                run = build()
                d['when'] = 'run'
                if run is not None:
                    with tf.Session(config=config()) as sess:
                        d['result'] = run(sess) if callable(run) else sess.run(run)
                d['when'] = 'never'
                d['result'] = repr(d.get('result'))
            except Exception as e:
                d.pop('result', None)
                d['class'] = type(e).__name__
                d['bases'] = [c.__name__ for c in type(e).__mro__[1:-1]]
                if isinstance(e, tf.errors.OpError):
                    d['error_code'] = e.error_code
                    d['message'] = clean_message(e.message)
                    d['op'] = e.op.name if e.op is not None else None
                    d['node_def'] = e.node_def.name if e.node_def is not None else None
                    s = clean_message(str(e))
                    if s != d['message']:
                        d['str'] = s
                        if s == d['message'] + '\n\nOriginal stack trace for ...':
                            d['str'] = 'message, then the stack'
                else:
                    d['message'] = clean_message(str(e))
        cases.append(d)

    P = tf.placeholder
    f = lambda *v: np.array(v, F32)

    # ---- feeds and fetches
    def feeding(value, shape=(2, 3), dtype=tf.float32):
        def build():
            x = P(dtype, shape, name='x')
            y = tf.identity(x, name='y')
            return lambda s: s.run(y, {x: value})
        return build
    err('feed_wrong_shape', 'x is float32 [2, 3], fed zeros [3, 2]', feeding(np.zeros([3, 2])))
    err('feed_wrong_shape_unknown_dim', 'x is float32 [?, 3], fed zeros [2]', feeding(np.zeros([2]), [None, 3]))
    err('feed_wrong_dtype_string', 'x is float32 [2], fed strings', feeding(['a', 'b'], [2]))
    err('feed_wrong_dtype_float_to_int', 'x is int32 [2], fed [1.5, 2.5]: no error, truncated', feeding([1.5, 2.5], [2], tf.int32))
    err('feed_int_too_large', 'x is int32 [], fed 2 ** 40', feeding(2 ** 40, [], tf.int32))
    err('feed_ragged', 'x is float32 of no shape, fed [[1], [1, 2]]', feeding([[1], [1, 2]], None))
    err('feed_tensor_value', 'the value fed is a tensor', lambda: (lambda x, c: lambda s: s.run(x, {x: c}))(P(tf.float32, name='x'), tf.constant(1.0)))
    err('feed_key_string', 'the key is a string', lambda: (lambda y: lambda s: s.run(y, {'y': 1.0}))(tf.constant(1.0, name='y')))
    err('feed_key_absent_name', 'the key is the name of no tensor', lambda: (lambda y: lambda s: s.run(y, {'z:0': 1.0}))(tf.constant(1.0, name='y')))
    err('feed_key_number', 'the key is 1', lambda: (lambda y: lambda s: s.run(y, {1: 1.0}))(tf.constant(1.0, name='y')))
    err('feed_not_dict', 'feed_dict is a list', lambda: (lambda y: lambda s: s.run(y, [1.0]))(tf.constant(1.0, name='y')))

    def missing(shape):
        def build():
            x = P(tf.float32, shape, name='x')
            y = x * 2.0
            return lambda s: s.run(y)
        return build
    err('missing_feed', 'x is float32 [2, 3], not fed', missing([2, 3]))
    err('missing_feed_unknown_dim', 'x is float32 [?, 3], not fed', missing([None, 3]))
    err('missing_feed_no_shape', 'x is float32 of unknown shape, not fed', missing(None))
    one = lambda fetch: (lambda: (lambda a: lambda s: s.run(fetch))(tf.constant(1.0, name='a')))
    err('fetch_absent_tensor', "fetch 'nothing:0'", one('nothing:0'))
    err('fetch_absent_op', "fetch 'nothing'", one('nothing'))
    err('fetch_absent_output', "fetch 'a:1' of a constant", one('a:1'))
    err('fetch_bad_name', "fetch 'a:b'", one('a:b'))
    err('fetch_none', 'fetch None', one(None))
    err('fetch_number', 'fetch 3', one(3))
    err('fetch_list_with_none', 'fetch [None]', one([None]))

    def other_graph():
        with tf.Graph().as_default():
            c = tf.constant(1.0, name='c')
        return lambda s: s.run(c)
    err('fetch_other_graph', 'fetch a tensor of another graph', other_graph)

    def closed():
        c = tf.constant(1.0, name='c')
        def run(s):
            s.close()
            return s.run(c)
        return run
    err('session_closed', 'run after close', closed)
    err('no_default_session', 'eval() outside of a session', lambda: tf.constant(1.0).eval())
    err('empty_graph', 'run in a graph without nodes', lambda: (lambda s: s.run('x:0')))

    def finalized():
        tf.get_default_graph().finalize()
        tf.constant(1.0)
    err('graph_finalized', 'an op made in a finalized graph', finalized)
    err('get_tensor_by_name', "graph.get_tensor_by_name('x')", lambda: tf.get_default_graph().get_tensor_by_name('x'))
    err('get_tensor_by_name_absent', "graph.get_tensor_by_name('x:0')", lambda: tf.get_default_graph().get_tensor_by_name('x:0'))
    err('get_operation_by_name', "graph.get_operation_by_name('x')", lambda: tf.get_default_graph().get_operation_by_name('x'))
    err('get_operation_by_name_tensor', "graph.get_operation_by_name('x:0')", lambda: tf.get_default_graph().get_operation_by_name('x:0'))

    # ---- variables
    err('uninitialized', 'a variable read before its initializer ran', lambda: (lambda v: lambda s: s.run(v))(tf.Variable(1.0, name='v')))
    err('uninitialized_through_op', 'v * 2 before the initializer ran', lambda: (lambda v: lambda s: s.run(v * 2.0))(tf.Variable(1.0, name='v')))
    err('uninitialized_resource', 'a resource variable read before its initializer ran',
        lambda: (lambda v: lambda s: s.run(v))(tf.Variable(1.0, name='v', use_resource=True)))
    err('uninitialized_assign_add', 'assign_add before the initializer ran', lambda: (lambda a: lambda s: s.run(a))(tf.Variable(1.0, name='v').assign_add(1.0)))
    err('uninitialized_init_order', 'a variable initialized from another, uninitialized one',
        lambda: (lambda v: (lambda w: lambda s: s.run(w.initializer))(tf.Variable(v * 2.0, name='w')))(tf.Variable(1.0, name='v')))

    def gv(*calls):
        def build():
            for kw in calls:
                kw = dict(kw)
                reuse = kw.pop('reuse', None)
                with tf.variable_scope('s', reuse=reuse):
                    tf.get_variable('v', **kw)
        return build
    err('variable_exists', 'get_variable twice without reuse', gv(dict(shape=[1]), dict(shape=[1])))
    err('variable_absent', 'get_variable with reuse of a variable that is not there', gv(dict(shape=[1], reuse=True)))
    err('variable_other_shape', 'get_variable reused with another shape', gv(dict(shape=[1]), dict(shape=[2], reuse=True)))
    err('variable_other_dtype', 'get_variable reused with another dtype', gv(dict(shape=[1]), dict(shape=[1], dtype=tf.int32, reuse=True)))
    err('variable_no_shape', 'get_variable without a shape', gv(dict()))
    err('variable_shape_and_constant', 'get_variable with a shape and a constant initializer', gv(dict(shape=[1], initializer=f(1, 2))))
    err('variable_int_default_initializer', 'get_variable of int32 without initializer: no error', gv(dict(shape=[1], dtype=tf.int32)))
    err('variable_string_default_initializer', 'get_variable of string without initializer', gv(dict(shape=[1], dtype=tf.string)))
    err('assign_shape', 'assign [3] to a variable [2]', lambda: tf.assign(tf.Variable(f(1, 2), name='v'), f(1, 2, 3)))

    def assign_run():
        v = tf.Variable(f(1, 2), name='v')
        p = P(tf.float32, name='p')
        a = tf.assign(v, p)
        def run(s):
            s.run(v.initializer)
            return s.run(a, {p: f(1, 2, 3)})
        return run
    err('assign_shape_run', 'assign a fed [3] to a variable [2]', assign_run)
    err('assign_dtype', 'assign int to a float variable', lambda: tf.assign(tf.Variable(1.0, name='v'), tf.constant(1)))
    err('while_variable', 'a variable made of a tensor as bool', lambda: bool(tf.constant(True)))
    err('if_tensor', 'if tf.equal(a, b)', lambda: 1 if tf.constant(1.0) < 2.0 else 0)
    err('iterate_tensor', 'for x in a placeholder of unknown shape', lambda: list(P(tf.float32, name='x')))
    err('iterate_scalar', 'for x in a scalar', lambda: list(tf.constant(1.0)))

    # ---- shapes at construction and at run
    err('matmul_shape', 'matmul of [2, 3] and [2, 3]', lambda: tf.matmul(np.zeros([2, 3], F32), np.zeros([2, 3], F32)))
    err('matmul_rank', 'matmul of [3] and [3, 2]', lambda: tf.matmul(np.zeros([3], F32), np.zeros([3, 2], F32)))
    err('matmul_dtype', 'matmul of float32 and float64', lambda: tf.matmul(np.zeros([2, 2], F32), np.zeros([2, 2], F64)))
    err('matmul_variable_dtype', 'matmul of a float32 tensor and an int32 variable', lambda: tf.matmul(tf.zeros([2, 2]), tf.Variable([[1, 2], [3, 4]], name='v')))

    def running(fn, *arrays):
        def build():
            ps = [P(a.dtype, name='x%d' % i) for i, a in enumerate(arrays)]
            y = fn(*ps)
            return lambda s: s.run(y, dict(zip(ps, arrays)))
        return build
    z = lambda *s: np.zeros(s, F32)
    err('matmul_shape_run', 'matmul of [2, 3] and [2, 3], shapes unknown', running(tf.matmul, z(2, 3), z(2, 3)))
    err('matmul_rank_run', 'matmul of [3] and [3, 2], shapes unknown', running(tf.matmul, z(3), z(3, 2)))
    err('add_shape', 'add of [2] and [3]', lambda: tf.add(z(2), z(3)))
    err('add_operator_shape', '[2] + [3]', lambda: tf.constant(z(2)) + z(3))
    err('add_shape_run', 'add of [2] and [3], shapes unknown', running(tf.add, z(2), z(3)))
    err('add_dtype', 'tf.add of float32 and int32 tensors', lambda: tf.add(tf.constant(1.0), tf.constant(1)))
    err('add_operator_dtype', '+ of float32 and int32 tensors', lambda: tf.constant(1.0) + tf.constant(1))
    err('add_python_float', 'int32 tensor + 1.5', lambda: tf.constant(1) + 1.5)
    err('add_string_number', 'string tensor * 2', lambda: tf.constant('a') * 2)
    err('reshape', 'reshape of [2, 3] to [4]', lambda: tf.reshape(z(2, 3), [4]))
    err('reshape_minus_one', 'reshape of [2, 3] to [-1, 4]', lambda: tf.reshape(z(2, 3), [-1, 4]))
    err('reshape_two_minus_one', 'reshape of [2, 3] to [-1, -1]', lambda: tf.reshape(z(2, 3), [-1, -1]))
    err('reshape_run', 'reshape of [2, 3] to [4], shape unknown', running(lambda a: tf.reshape(a, [4]), z(2, 3)))
    err('reshape_minus_one_run', 'reshape of [2, 3] to [-1, 4], shape unknown', running(lambda a: tf.reshape(a, [-1, 4]), z(2, 3)))
    err('concat', 'concat of [2, 3] and [3, 2] on axis 0', lambda: tf.concat([z(2, 3), z(3, 2)], 0))
    err('concat_run', 'the same, shapes unknown', running(lambda a, b: tf.concat([a, b], 0), z(2, 3), z(3, 2)))
    err('concat_axis', 'concat on axis 5', lambda: tf.concat([z(2, 3), z(2, 3)], 5))
    err('stack', 'stack of [2] and [3]', lambda: tf.stack([tf.constant(z(2)), tf.constant(z(3))]))
    err('split', 'split of 3 in 2', lambda: tf.split(z(3, 2), 2, 0))
    err('unstack_unknown', 'unstack of unknown shape', lambda: tf.unstack(P(tf.float32, name='x')))
    err('transpose', 'transpose of [2, 3] by [0, 1, 2]', lambda: tf.transpose(z(2, 3), [0, 1, 2]))
    err('squeeze', 'squeeze axis 0 of [2, 3]', lambda: tf.squeeze(z(2, 3), [0]))
    err('expand_dims', 'expand_dims of [2] at 5', lambda: tf.expand_dims(z(2), 5))
    err('slice', 'slice beyond the end', lambda: tf.slice(z(3), [1], [5]))
    err('slice_run', 'slice beyond the end, shape unknown', running(lambda a: tf.slice(a, [1], [5]), z(3)))
    err('index_out_of_bounds', 'x[5] of [3]', lambda: tf.constant(z(3))[5])
    err('index_out_of_bounds_run', 'x[5] of [3], shape unknown', running(lambda a: a[5], z(3)))
    err('index_too_many', 'x[0, 0] of [3]', lambda: tf.constant(z(3))[0, 0])
    err('index_stride_zero', 'x[::0]', lambda: tf.constant(z(3))[::0])
    err('index_bad_type', "x['a']", lambda: tf.constant(z(3))['a'])
    err('reduce_axis', 'reduce_sum of [2, 3] on axis 2', lambda: tf.reduce_sum(z(2, 3), 2))
    err('reduce_axis_run', 'the same, shape unknown', running(lambda a: tf.reduce_sum(a, 2), z(2, 3)))
    err('argmax_axis', 'argmax of [2, 3] on axis 2', lambda: tf.argmax(z(2, 3), 2))
    err('constant_shape', 'constant([1, 2, 3], shape=[2])', lambda: tf.constant([1, 2, 3], shape=[2]))
    err('constant_mixed', "constant([1, 'a'])", lambda: tf.constant([1, 'a']))
    err('constant_overflow', 'constant(2 ** 40, tf.int32)', lambda: tf.constant(2 ** 40, tf.int32))
    err('constant_float_to_int', 'constant(1.5, tf.int32)', lambda: tf.constant(1.5, tf.int32))
    err('constant_none', 'constant(None)', lambda: tf.constant(None))
    err('set_shape', 'set_shape([3]) of [2]', lambda: tf.constant(z(2)).set_shape([3]))
    err('conv2d_depth', 'conv2d of depth 2 with a filter for 3', lambda: tf.nn.conv2d(z(1, 4, 4, 2), z(3, 3, 3, 1), [1, 1, 1, 1], 'SAME'))
    err('conv2d_depth_run', 'the same, shapes unknown', running(lambda a, b: tf.nn.conv2d(a, b, [1, 1, 1, 1], 'SAME'), z(1, 4, 4, 2), z(3, 3, 3, 1)))
    err('conv2d_negative', 'VALID conv2d, filter larger than the input', lambda: tf.nn.conv2d(z(1, 2, 2, 1), z(3, 3, 1, 1), [1, 1, 1, 1], 'VALID'))
    err('conv2d_padding', "padding 'same'", lambda: tf.nn.conv2d(z(1, 4, 4, 1), z(3, 3, 1, 1), [1, 1, 1, 1], 'same'))
    err('conv2d_rank', 'conv2d of [4, 4, 1]', lambda: tf.nn.conv2d(z(4, 4, 1), z(3, 3, 1, 1), [1, 1, 1, 1], 'SAME'))
    err('max_pool_strides', 'max_pool with three strides', lambda: tf.nn.max_pool(z(1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2], 'SAME'))
    err('bias_add', 'bias_add of [2, 3] and [2]', lambda: tf.nn.bias_add(z(2, 3), z(2)))
    err('softmax_cross_entropy_positional', 'called with positional arguments', lambda: tf.nn.softmax_cross_entropy_with_logits(z(2, 3), z(2, 3)))
    err('softmax_cross_entropy_shape', 'logits [2, 3], labels [2, 4]', lambda: tf.nn.softmax_cross_entropy_with_logits(labels=z(2, 4), logits=z(2, 3)))
    err('sparse_cross_entropy_rank', 'logits [2, 3], labels [2, 3]', lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=np.zeros([2, 3], I32), logits=z(2, 3)))
    err('sigmoid_cross_entropy_shape', 'logits [2, 3], labels [2, 4]', lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=z(2, 4), logits=z(2, 3)))
    err('dropout_keep_prob', 'dropout with keep_prob 0', lambda: tf.nn.dropout(z(2), keep_prob=0.0))
    err('dropout_keep_prob_large', 'dropout with keep_prob 1.5', lambda: tf.nn.dropout(z(2), keep_prob=1.5))
    err('dropout_int', 'dropout of int32', lambda: tf.nn.dropout(tf.constant([1, 2]), keep_prob=0.5))
    err('random_uniform_int', 'random_uniform of int32 without maxval', lambda: tf.random_uniform([2], dtype=tf.int32))
    err('random_uniform_range', 'random_uniform of int32 from 5 to 5', lambda: (lambda t: lambda s: s.run(t))(tf.random_uniform([2], 5, 5, tf.int32)))

    # ---- values at run
    i = lambda *v: np.array(v, I32)
    err('int_div_zero', 'int32 1 // 0', running(lambda a, b: a // b, i(1), i(0)))
    err('int_mod_zero', 'int32 1 % 0', running(lambda a, b: a % b, i(1), i(0)))
    err('int_div_zero_tf_div', 'tf.div of int32 1 and 0', running(tf.div, i(1), i(0)))
    err('int_div_zero_constant', 'constant 1 // 0', lambda: (lambda t: lambda s: s.run(t))(tf.constant(1) // tf.constant(0)))
    err('int_pow_negative', 'int32 2 ** -1', running(tf.pow, i(2), i(-1)))
    err('gather', 'gather index 5 of 3', running(tf.gather, z(3, 2), i(0, 5)))
    err('gather_negative', 'gather index -1', running(tf.gather, z(3, 2), i(-1)))
    err('gather_axis1', 'gather index 5 of 2 on axis 1', running(lambda a, b: tf.gather(a, b, axis=1), z(3, 2), i(5)))
    err('gather_nd', 'gather_nd index [5, 0]', running(tf.gather_nd, z(3, 2), np.array([[5, 0]], I32)))
    err('embedding_lookup', 'embedding_lookup id 7 of 3', running(lambda a, b: tf.nn.embedding_lookup(a, b), z(3, 2), i(7)))

    def embedding_variable():
        v = tf.Variable(z(3, 2), name='emb')
        y = tf.nn.embedding_lookup(v, [1, 7])
        def run(s):
            s.run(v.initializer)
            return s.run(y)
        return run
    err('embedding_lookup_variable', 'embedding_lookup id 7 of a variable [3, 2]', embedding_variable)
    err('scatter_nd', 'scatter_nd index 9 of 5', running(lambda a, b: tf.scatter_nd(a, b, [5]), np.array([[9]], I32), z(1)))
    for dt in (I32, I64):
        err('sparse_cross_entropy_label_' + np.dtype(dt).name, 'label 5 of 3 classes',
            running(lambda l, y: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=l), z(2, 3), np.array([0, 5], dt)))
    err('sparse_cross_entropy_label_negative', 'label -1',
        running(lambda l, y: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=l), z(2, 3), i(0, -1)))
    err('sparse_cross_entropy_batch_run', 'logits [2, 3], labels [3]',
        running(lambda l, y: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=l), z(2, 3), i(0, 1, 2)))
    err('assert', 'tf.Assert(False, [x])', running(lambda a: tf.Assert(tf.reduce_all(a > 1.0), [a]), f(0, 1)))
    err('assert_equal', 'tf.assert_equal(x, 1) with a message', running(lambda a: tf.assert_equal(a, 1.0, message='my text'), f(0, 1)))
    err('check_numerics', 'check_numerics of NaN', running(lambda a: tf.check_numerics(a, 'my text'), f(NAN, 1)))
    err('check_numerics_inf', 'check_numerics of Inf', running(lambda a: tf.check_numerics(a, 'my text'), f(INF, 1)))
    err('histogram_nan', 'summary.histogram of NaN', running(lambda a: tf.summary.histogram('h', a), f(NAN, 1)))
    err('scalar_summary_shape', 'summary.scalar of a vector', running(lambda a: tf.summary.scalar('s', a), f(1, 2)))
    err('image_summary_rank', 'summary.image of [2, 2]', running(lambda a: tf.summary.image('s', a), z(2, 2)))
    err('unique_matrix', 'unique of a matrix', running(lambda a: tf.unique(a)[0], z(2, 2)))
    err('where_shape', 'where of [2] and [3]', running(lambda c, a, b: tf.where(c, a, b), np.array([True, False]), z(3), z(3)))
    err('range_delta_zero', 'range with delta 0', running(lambda a: tf.range(0, 5, a), np.array(0, I32)))
    err('range_no_progress', 'range(0, 5, -1)', running(lambda a: tf.range(0, 5, a), np.array(-1, I32)))
    err('fill_negative', 'fill of [-1]', running(lambda a: tf.fill(a, 1.0), i(-1)))
    err('top_k', 'top_k of 2 values, k = 5', running(lambda a: tf.nn.top_k(a, 5)[0], f(1, 2)))
    err('one_hot_depth', 'one_hot of depth -1', running(lambda d: tf.one_hot([0], d), np.array(-1, I32)))
    err('tile_negative', 'tile by -1', running(lambda a: tf.tile([1.0], a), i(-1)))
    err('string_to_number', "string_to_number 'abc'", lambda: tf.string_to_number(tf.constant('abc')))
    err('decode_csv', 'a record with too few fields', lambda: (lambda t: lambda s: s.run(t))(tf.decode_csv(tf.constant(['1']), [[0.0], [0.0]])))
    err('decode_csv_required', 'an empty field without default', lambda: (lambda t: lambda s: s.run(t))(tf.decode_csv(tf.constant([',1']), [tf.constant([], tf.float32), [0.0]])))
    err('decode_jpeg', 'decode_jpeg of text', lambda: (lambda t: lambda s: s.run(t))(tf.image.decode_jpeg(tf.constant('no image'))))
    err('decode_png', 'decode_png of text', lambda: (lambda t: lambda s: s.run(t))(tf.image.decode_png(tf.constant('no image'))))
    err('read_file', 'read_file of an absent file', lambda: (lambda t: lambda s: s.run(t))(tf.read_file('absent.txt')))
    err('gfile', 'gfile.GFile of an absent file', lambda: tf.gfile.GFile('absent.txt').read())
    err('parse_single_example', 'a feature that is not in the example', lambda: (lambda t: lambda s: s.run(t))(tf.parse_single_example(
        tf.train.Example().SerializeToString(), {'a': tf.FixedLenFeature([], tf.int64)})))
    # parse_single_example of bytes that are no Example is left out: TensorFlow 1.15.5 dies of a segmentation fault
    err('parse_single_example_dtype', 'an int64 feature read as float', lambda: (lambda t: lambda s: s.run(t))(tf.parse_single_example(
        tf.train.Example(features=tf.train.Features(feature={'a': tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))})).SerializeToString(),
        {'a': tf.FixedLenFeature([], tf.float32)})))

    # ---- devices, gradients, names, control flow
    def device(d):
        def build():
            with tf.device(d):
                c = tf.constant(1.0, name='c')
            return lambda s: s.run(c)
        return build
    err('device_absent', "device '/gpu:0' in a session without GPUs", device('/gpu:0'))
    err('device_absent_cpu', "device '/cpu:5'", device('/cpu:5'))
    err('device_absent_job', "device '/job:worker/task:1'", device('/job:worker/task:1'))
    err('device_syntax', "device '/foo:0'", device('/foo:0'))
    err('device_two_types', "device '/cpu:0/gpu:0'", device('/cpu:0/gpu:0'))
    err('optimizer_no_variables', 'minimize without variables', lambda: tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0)))

    def no_gradients():
        tf.Variable(1.0, name='v')
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))
    err('optimizer_no_gradients', 'minimize of a loss that depends on no variable', no_gradients)
    err('optimizer_not_tensor', 'minimize of an int32 loss', lambda: tf.train.GradientDescentOptimizer(0.1).minimize(tf.Variable(1, name='v') * 2))
    err('optimizer_apply_empty', 'apply_gradients of an empty list', lambda: tf.train.GradientDescentOptimizer(0.1).apply_gradients([]))
    err('gradients_grad_ys', 'gradients with grad_ys of another length', lambda: (lambda x: tf.gradients(x * 2.0, x, grad_ys=[x, x]))(tf.constant(1.0)))
    err('gradients_none', 'an op without gradient', lambda: (lambda x: tf.gradients(tf.truncatemod(x, 2.0), x))(tf.constant(1.0)))
    err('saver_no_variables', 'Saver() in a graph without variables', lambda: tf.train.Saver())
    err('ema_average_unknown', 'average_name of something that is no variable', lambda: tf.train.ExponentialMovingAverage(0.9).apply([tf.constant(1)]))
    err('op_name', "name='a b'", lambda: tf.constant(1.0, name='a b'))
    err('scope_name', "name_scope('a b')", lambda: tf.name_scope('a b').__enter__())
    err('import_graph_def', 'a node whose input is absent', lambda: tf.import_graph_def(text_format.Parse(
        'node { name: "b" op: "Identity" input: "a" attr { key: "T" value { type: DT_FLOAT } } }', tf.GraphDef())))
    err('import_graph_def_op', 'a node of an unknown op', lambda: tf.import_graph_def(text_format.Parse('node { name: "b" op: "NoSuchOp" }', tf.GraphDef())))
    err('import_graph_def_type', 'import of a thing that is no GraphDef', lambda: tf.import_graph_def('x'))
    err('import_graph_def_return', 'return_elements absent', lambda: tf.import_graph_def(tf.GraphDef(), return_elements=['x:0']))

    def cond_types():
        tf.cond(P(tf.bool, [], name='p'), lambda: tf.constant(1.0), lambda: tf.constant(1))
    err('cond_types', 'branches of different types', cond_types)
    err('cond_python_bool', 'cond(True, ...)', lambda: tf.cond(True, lambda: tf.constant(1.0), lambda: tf.constant(2.0)) and None)
    err('while_shape', 'a loop variable that changes its shape', lambda: tf.while_loop(lambda x: tf.constant(True), lambda x: tf.concat([x, x], 0), [tf.constant([1.0])]))
    err('while_types', 'a loop variable that changes its type', lambda: tf.while_loop(lambda x: x < 3, lambda x: tf.cast(x, tf.float32), [tf.constant(1)]))

    # ---- queues
    def queue(fn, timeout=None):
        def build():
            q = tf.FIFOQueue(2, ['float32'], shapes=[[]], name='q')
            return lambda s: fn(q, s)
        return build
    err('queue_closed_dequeue', 'dequeue from a closed, empty queue', queue(lambda q, s: (s.run(q.close()), s.run(q.dequeue()))))
    err('queue_closed_enqueue', 'enqueue to a closed queue', queue(lambda q, s: (s.run(q.close()), s.run(q.enqueue(1.0)))))
    err('queue_dequeue_many_short', 'dequeue_many(3) of a closed queue with 1 element', queue(lambda q, s: (s.run(q.enqueue(1.0)), s.run(q.close()), s.run(q.dequeue_many(3)))))
    err('queue_timeout', 'dequeue from an empty queue with a timeout of 50 ms', queue(lambda q, s: s.run(q.dequeue(), options=tf.RunOptions(timeout_in_ms=50))))
    err('queue_dtype', 'enqueue of a string to a float queue', queue(lambda q, s: s.run(q.enqueue('a'))))
    err('queue_dequeue_many_shapeless', 'dequeue_many of a queue without shapes', lambda: tf.FIFOQueue(2, ['float32']).dequeue_many(2))

    def dataset_end():
        it = tf.data.Dataset.range(1).make_one_shot_iterator()
        n = it.get_next()
        return lambda s: (s.run(n), s.run(n))
    err('dataset_end', 'get_next after the last element', dataset_end)
    err('dataset_uninitialized', 'get_next of an initializable iterator before its initializer',
        lambda: (lambda n: lambda s: s.run(n))(tf.data.Dataset.range(1).make_initializable_iterator().get_next()))

    # ---- records
    with tf.python_io.TFRecordWriter('good.tfrecord') as w:
        w.write(b'hello')
        w.write(b'world')
    data = bytearray(open('good.tfrecord', 'rb').read())
    bad = bytearray(data)
    bad[14] ^= 1
    open('bad.tfrecord', 'wb').write(bad)
    open('short.tfrecord', 'wb').write(data[:30])
    bad = bytearray(data)
    bad[8] ^= 1
    open('badlen.tfrecord', 'wb').write(bad)
    for n in ('bad', 'short', 'badlen', 'absent'):
        err('tfrecord_iterator_' + n, n + '.tfrecord through tf_record_iterator', lambda n=n: list(tf.python_io.tf_record_iterator(n + '.tfrecord')) and None)

        def ds(n=n):
            t = tf.data.TFRecordDataset(n + '.tfrecord').make_one_shot_iterator().get_next()
            return lambda s: (s.run(t), s.run(t))
        err('tfrecord_dataset_' + n, n + '.tfrecord through TFRecordDataset', ds)

    # ---- checkpoints
    with tf.Graph().as_default():
        tf.Variable(np.arange(600, dtype=F32).reshape(20, 30), name='a')
        tf.Variable(np.array([1, 2], I32), name='b')
        with tf.Session(config=config()) as sess:
            sess.run(tf.global_variables_initializer())
            tf.train.Saver().save(sess, './ok', write_meta_graph=False, write_state=False)
    data, index = open('ok.data-00000-of-00001', 'rb').read(), open('ok.index', 'rb').read()

    def broken(name, d, i):
        if d is not None:
            open(name + '.data-00000-of-00001', 'wb').write(d)
        if i is not None:
            open(name + '.index', 'wb').write(i)
    flip = lambda b, at: b[:at] + bytes(bytearray([bytearray(b)[at] ^ 1])) + b[at + 1:]
    broken('datashort', data[:100], index)
    broken('dataempty', b'', index)
    broken('databad', flip(data, 50), index)
    broken('noindex', data, None)
    broken('nodata', None, index)
    broken('indexshort', data, index[:len(index) // 2])
    broken('indextiny', data, index[:10])
    broken('indexempty', data, b'')
    broken('indexbad', data, flip(index, 5))
    broken('indexmagic', data, flip(index, len(index) - 1))

    def restore(prefix, **vs):
        def build():
            for n in sorted(vs):
                tf.Variable(vs[n], name=n)
            saver = tf.train.Saver()
            return lambda s: saver.restore(s, prefix)
        return build
    full = dict(a=z(20, 30), b=np.zeros([2], I32))
    err('restore_absent', "restore of './absent'", restore('./absent', **full))
    err('restore_none', 'restore of None', restore(None, **full))
    err('restore_absent_dir', "restore of 'no/dir/x'", restore('no/dir/x', **full))
    err('restore_missing_key', 'the graph has variable c, the checkpoint has not', restore('./ok', c=z(2)))
    err('restore_missing_keys', 'variables c and d and e/f', restore('./ok', c=z(2), d=z(2), **{'e/f': z(2)}))
    err('restore_shape', 'a is [20, 30] in the checkpoint, [3] in the graph', restore('./ok', a=z(3)))
    err('restore_dtype', 'b is int32 in the checkpoint, float32 in the graph', restore('./ok', b=z(2)))
    for n, about in (('datashort', 'data cut to 100 bytes'), ('dataempty', 'data of no bytes'), ('databad', 'one bit of data flipped'),
                     ('noindex', 'data without index'), ('nodata', 'index without data'), ('indexshort', 'first half of the index'),
                     ('indextiny', 'first 10 bytes of the index'), ('indexempty', 'empty index'), ('indexbad', 'a bit of the index flipped'),
                     ('indexmagic', 'a bit of the last byte of the index flipped')):
        err('restore_' + n, about, restore('./' + n, **full))
        err('reader_' + n, about + '; tf.train.load_checkpoint, get_tensor', lambda n=n: tf.train.load_checkpoint('./' + n).get_tensor('a') is None)
    err('reader_absent', 'tf.train.load_checkpoint of an absent file', lambda: tf.train.load_checkpoint('./absent'))
    err('reader_missing_key', "get_tensor('zzz')", lambda: tf.train.load_checkpoint('./ok').get_tensor('zzz'))
    err('import_meta_graph_absent', 'import_meta_graph of an absent file', lambda: tf.train.import_meta_graph('absent.meta'))
    err('save_absent_dir', 'save into a folder that is not there', lambda: (lambda v, sv: lambda s: (s.run(v.initializer), sv.save(s, 'no/dir/x')))(
        *(lambda v: (v, tf.train.Saver()))(tf.Variable(1.0, name='v'))))
    err('save_uninitialized', 'save of an uninitialized variable', lambda: (lambda sv: lambda s: sv.save(s, './x'))(
        (lambda v: tf.train.Saver())(tf.Variable(1.0, name='v'))))
    err('restore_twice_variable', 'two Saver keys of the same name', lambda: tf.train.Saver([tf.Variable(1.0, name='v'), tf.Variable(1.0, name='v')]) and None)
    err('latest_checkpoint_none', 'latest_checkpoint of an empty folder: None', lambda: (lambda s: tf.train.latest_checkpoint('.')))

    os.chdir(cwd)
    shutil.rmtree(work)
    doc = head('What TensorFlow raises. when: construction (of the graph), run (of the session), or never (then result is the repr of '
               'what came; a construction that passes is run). message: str(e), or e.message of a tf.errors.OpError, whose class, code and op are given. FILE, SITE, TMP, '
               'HOST and LINE stand for paths, a name and line numbers, _N_q for a numbered queue; str is given when str(e) is more than the message and a stack.')
    doc['cases'] = cases
    dump(os.path.join(out, 'errors.json'), doc)


# ---------------------------------------------------------------- op_defs

def family_op_defs(out):
    """op_defs.pb: the OpList of every registered op, by name, without its texts."""
    from tensorflow.core.framework import op_def_pb2
    from tensorflow.python.framework import op_def_registry
    registered = op_def_registry.get_registered_ops()
    ops = op_def_pb2.OpList()
    for name in sorted(registered):
        op = ops.op.add()
        op.CopyFrom(registered[name])
        for part in [op, *op.input_arg, *op.output_arg, *op.attr]:
            part.description = ''
        op.summary = ''
    with open(os.path.join(out, 'op_defs.pb'), 'wb') as f:
        f.write(ops.SerializeToString(deterministic=True))


# ---------------------------------------------------------------- main

def main():
    families = {k[len('family_'):]: f for k, f in globals().items() if k.startswith('family_')}
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'goldens')
    for file in sorted(os.listdir(here)) if os.path.isdir(here) else []:
        if file.endswith('.py'):
            families[file[:-len('.py')]] = family_of_file(os.path.join(here, file))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('family', choices=sorted(families) + ['all'], nargs='+')
    p.add_argument('--out', required=True)
    a = p.parse_args()
    names = list(families) if 'all' in a.family else a.family
    for n in names:
        families[n](os.path.abspath(a.out))


if __name__ == '__main__':
    main()
