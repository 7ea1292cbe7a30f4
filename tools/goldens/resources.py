"""Resource variables. Each case gives its variable a value first, and orders what follows by control inputs."""
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_array_ops, gen_resource_variable_ops as rv, gen_state_ops as st, resource_variable_ops
from tensorflow.python.training import gen_training_ops as tr

F32, I32 = np.float32, np.int32


def variable(value, name='w', shape=None):
    """The handle of a variable that holds `value`, and the op that gave it."""
    h = rv.var_handle_op(dtype=value.dtype, shape=value.shape if shape is None else shape, shared_name=name, name=name)
    h._handle_data = resource_variable_ops.get_resource_handle_data(h)  # as tf.Variable does
    return h, rv.assign_variable_op(h, value)


def after(op, f):
    with tf.control_dependencies([op]):
        return f()


def cases(o, lib):
    rnd = lib.rnd
    x23, x43 = rnd(1, [2, 3]), rnd(2, [4, 3])

    def read(x):
        h, init = variable(x)
        return after(init, lambda: rv.read_variable_op(h, x.dtype))

    o.add('resource_read', lambda x: read(x) * 2, [x23], grad=['w:0'])
    o.add('resource_read:string', read, [np.array([b'a', b'bc'])], grad=False)
    o.add('resource_read:static', read, [x23], grad=False, static=False)

    def twice(x):
        h, init = variable(x)
        r = after(init, lambda: rv.read_variable_op(h, tf.float32))
        s = after(init, lambda: rv.read_variable_op(h, tf.float32))
        return tf.square(r) + s

    o.add('resource_read:twice', twice, [x23], grad=['w:0'])

    def write(op):
        def run(x, y):
            h, init = variable(x)
            before = after(init, lambda: rv.read_variable_op(h, x.dtype))
            with tf.control_dependencies([init, before]):
                w = op(h, y)
            return before, after(w, lambda: rv.read_variable_op(h, x.dtype))
        return run

    o.add('resource_assign', write(rv.assign_variable_op), [x23, rnd(3, [2, 3])], grad=False)
    o.add('resource_assign_add', write(rv.assign_add_variable_op), [x23, rnd(3, [2, 3])], grad=False)
    o.add('resource_assign_sub:int', write(rv.assign_sub_variable_op), [np.array([1, 2], I32), np.array([5, -3], I32)], grad=False)

    def facts(x):
        h, init = variable(x)
        with tf.control_dependencies([init]):
            return rv.var_is_initialized_op(h), rv.variable_shape(h), rv.variable_shape(h, out_type=tf.int64)

    o.add('resource_facts', facts, [x23], grad=False)

    def destroyed(x):
        h, init = variable(x)
        gone = after(init, lambda: rv.destroy_resource_op(h))
        return after(gone, lambda: rv.var_is_initialized_op(h))

    o.add('resource_destroy', destroyed, [x23], grad=False)

    def gather(indices, shape=None):
        def run(x):
            h, init = variable(x, shape=shape)
            return after(init, lambda: rv.resource_gather(h, indices, x.dtype))
        return run

    o.add('resource_gather', gather(np.array([3, 0, 3], I32)), [x43], grad=['w:0'])
    o.add('resource_gather:matrix', gather(np.array([[3, 0], [1, 1]], np.int64)), [x43], grad=['w:0'])
    o.add('resource_gather:unknown', gather(np.array([3, 0, 3], I32), tf.TensorShape(None)), [x43], grad=['w:0'])
    o.add('resource_gather:string', gather(np.array([1, 0], I32)), [np.array([b'a', b'bc'])], grad=False)

    def gather_nd(indices):
        def run(x):
            h, init = variable(x)
            return after(init, lambda: rv.resource_gather_nd(h, indices, x.dtype))
        return run

    o.add('resource_gather_nd', gather_nd(np.array([[3, 0], [1, 1]], I32)), [x43], grad=['w:0'])
    o.add('resource_gather_nd:rows', gather_nd(np.array([[3], [1]], I32)), [x43], grad=['w:0'])

    def scatter(op, *args):
        def run(x, u):
            h, init = variable(x)
            w = after(init, lambda: op(h, args[0], u))
            return after(w, lambda: rv.read_variable_op(h, x.dtype))
        return run

    rows = np.array([2, 0, 2], I32)
    for name in ['add', 'sub', 'mul', 'div', 'min', 'max', 'update']:
        op = getattr(rv, 'resource_scatter_' + name)
        o.add('resource_scatter_' + name, scatter(op, rows), [x43, rnd(4, [3, 3]) + 2], grad=False)
        o.add('resource_scatter_%s:scalar' % name, scatter(op, rows), [x43, np.array(0.5, F32)], grad=False)
    o.add('resource_scatter_update:string', scatter(rv.resource_scatter_update, np.array([1], I32)), [np.array([b'a', b'b']), np.array([b'c'])], grad=False)
    for name in ['add', 'sub', 'update']:
        o.add('resource_scatter_nd_' + name, scatter(getattr(st, 'resource_scatter_nd_' + name), np.array([[0, 1], [3, 2]], I32)),
              [x43, rnd(5, [2])], grad=False)

    def part(x, v):
        h, init = variable(x)
        w = after(init, lambda: gen_array_ops.resource_strided_slice_assign(h, [1, 0], [4, 3], [2, 2], v))
        return after(w, lambda: rv.read_variable_op(h, x.dtype))

    o.add('resource_strided_slice_assign', part, [x43, rnd(6, [2, 2])], grad=False)

    def count(x):
        h, init = variable(x)
        c = after(init, lambda: st.resource_count_up_to(h, 3, x.dtype))
        return c, after(c, lambda: rv.read_variable_op(h, x.dtype))

    o.add('resource_count_up_to', count, [np.array(2, I32)], grad=False)

    # One step of every rule; the slots are numbered in the order of the op's inputs.
    hyper = dict(alpha=0.1, lr=0.1, momentum=0.9, rho=0.9, epsilon=1e-3, beta1_power=0.9, beta2_power=0.99, beta1=0.9,
                 beta2=0.99, l1=0.05, l2=0.02, l2_shrinkage=0.03, sign_decay=0.7, beta=0.9, logbase=1.5, lr_power=-0.5)
    rules = {
        'gradient_descent': ('var', 'alpha delta'), 'momentum': ('var accum', 'lr grad momentum'),
        'keras_momentum': ('var accum', 'lr grad momentum'), 'adagrad': ('var accum', 'lr grad'),
        'adagrad_v2': ('var accum', 'lr epsilon grad'),
        'adagrad_da': ('var gradient_accumulator gradient_squared_accumulator', 'grad lr l1 l2 global_step'),
        'adadelta': ('var accum accum_update', 'lr rho epsilon grad'), 'rms_prop': ('var ms mom', 'lr rho momentum epsilon grad'),
        'centered_rms_prop': ('var mg ms mom', 'lr rho momentum epsilon grad'),
        'adam': ('var m v', 'beta1_power beta2_power lr beta1 beta2 epsilon grad'),
        'adam_with_amsgrad': ('var m v vhat', 'beta1_power beta2_power lr beta1 beta2 epsilon grad'),
        'ada_max': ('var m v', 'beta1_power lr beta1 beta2 epsilon grad'), 'add_sign': ('var m', 'lr alpha sign_decay beta grad'),
        'power_sign': ('var m', 'lr logbase sign_decay beta grad'), 'ftrl': ('var accum linear', 'grad lr l1 l2 lr_power'),
        'ftrl_v2': ('var accum linear', 'grad lr l1 l2 l2_shrinkage lr_power'),
        'proximal_gradient_descent': ('var', 'alpha l1 l2 delta'), 'proximal_adagrad': ('var accum', 'lr l1 l2 grad'),
    }

    def step(rule, sparse, **options):
        refs, args = [names.split() for names in rules[rule]]

        def run(grad, *values):
            handles = [variable(v, name) for v, name in zip(values, refs)]
            fed = {}
            for a in args:
                name = 'grad' if sparse and a == 'delta' else a
                fed[name] = grad if a in ('grad', 'delta') else tf.constant(3, tf.int64) if a == 'global_step' else F32(hyper[a])
            if sparse:
                fed['indices'] = np.array([1, 3, 1, 0], I32)
            with tf.control_dependencies([init for _, init in handles]):
                op = getattr(tr, 'resource_%sapply_%s' % ('sparse_' if sparse else '', rule))
                done = op(*[h for h, _ in handles], **dict(fed, **options))
            with tf.control_dependencies([done]):
                return [rv.read_variable_op(h, tf.float32) for h, _ in handles]
        return run

    only_dense = {'gradient_descent', 'adam', 'adam_with_amsgrad', 'ada_max', 'add_sign', 'power_sign'}
    grad = np.array([[0.4, -0.8], [0.05, -1.5], [0.9, 0], [2, -0.02]], F32)
    for rule in sorted(rules):
        refs = rules[rule][0].split()
        values = [rnd(10, [4, 2])] + [np.abs(rnd(11 + i, [4, 2])) + F32(0.1 + i) for i in range(len(refs) - 1)]
        if rule == 'centered_rms_prop':
            values[1] = values[1] * F32(0.1)
        for sparse in [False] if rule in only_dense else [False, True]:
            name = 'resource_%sapply_%s' % ('sparse_' if sparse else '', rule)
            o.add(name, step(rule, sparse), [grad] + values, grad=False)
            if rule.endswith('momentum') or rule == 'adam':
                o.add(name + ':nesterov', step(rule, sparse, use_nesterov=True), [grad] + values, grad=False)
            if rule in ('adagrad', 'adagrad_v2'):
                o.add(name + ':fixed_slots', step(rule, sparse, update_slots=False), [grad] + values, grad=False)
