"""Branches of TensorFlow-1 graphs: tf.cond, tf.case, and choices that can be made while the graph is built."""
from headrace.tf1 import nest
from headrace.tf1.framework import control, convert, dtypes, graph as graph_lib
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import IndexedSlices, Operation, Tensor


class CondContext(object):
    """One branch: what its nodes take from outside comes through a Switch, and nodes without inputs wait for the branch's pivot."""

    def __init__(self, graph, pred, pivot, branch):
        self.graph, self.pred, self.pivot, self.branch = graph, pred, pivot, branch
        self.outer = graph._control_flow_context
        self.inside = set()     # handles of tensors of this branch
        self.switched = {}      # handle outside -> tensor inside
        self.values = set([pred._handle, pivot._handle])

    def __enter__(self):
        self.graph._control_flow_context = self
        return self

    def __exit__(self, *unused):
        self.graph._control_flow_context = self.outer
        return False

    def owns(self, handle):
        return handle in self.inside or handle in self.values

    def enter(self, handle):
        """The tensor inside the branch for one that may come from outside."""
        if self.owns(handle):
            return handle
        found = self.switched.get(handle)
        if found is None:
            graph = self.graph
            outer_handle = self.outer.enter(handle) if self.outer is not None else handle
            if outer_handle in self.inside:
                return outer_handle
            tensor = graph._tensor(outer_handle)
            with self._outside():
                with graph.colocate_with(tensor.op, ignore_existing=True):
                    op_name = 'RefSwitch' if tensor.dtype._is_ref_dtype else 'Switch'
                    op = graph._create(op_name, [outer_handle, self.pred._handle], None, 'Switch')
            found = op._outputs[self.branch]._handle
            self.inside.update(t._handle for t in op._outputs)
            self.switched[handle] = found
        return found

    def _outside(self):
        """Nodes made inside this block belong to the enclosing context, without control dependencies of the branch."""
        return _Outside(self)

    def adds(self, op):
        """A node was made in this branch, and so in those around it."""
        context = self
        while context is not None:
            context.inside.update(t._handle for t in op._outputs)
            context = context.outer

    def add_result(self, value):
        """The branch's result as a tensor of the branch."""
        if isinstance(value, Operation):
            return control.with_dependencies([value], self.pivot)
        parts = _parts(value)
        if parts is not None:
            return type(value)(*[None if part is None else self.add_result(part) for part in parts])
        tensor = convert_to_tensor(value)
        if self.owns(tensor._handle) and tensor._handle not in self.values:
            return tensor
        return self.graph._tensor(self.enter(tensor._handle))


def _parts(value):
    """The tensors of IndexedSlices and sparse tensors, in the order of their constructors; None for anything else."""
    if isinstance(value, IndexedSlices):
        return value.values, value.indices, value.dense_shape
    if hasattr(value, 'dense_shape') and hasattr(value, 'indices'):
        return value.indices, value.values, value.dense_shape
    return None


class _Outside(object):
    def __init__(self, context):
        self._context = context

    def __enter__(self):
        context = self._context
        context.graph._control_flow_context = context.outer
        self._control = context.graph._core.enter_control(None)

    def __exit__(self, *unused):
        self._control.exit()
        self._context.graph._control_flow_context = self._context
        return False


def _run_branch(graph, pred, pivot, branch, function):
    context = CondContext(graph, pred, pivot, branch)
    with context:
        result = function()
        if result is None:
            return None, []
        leaves = [context.add_result(leaf) for leaf in nest.flatten(result)]
    return result, leaves


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """What `true_fn()` gives if `pred` is true when the graph runs, else what `false_fn()` gives. Both make their nodes; those of one run.

    Errors: TypeError for a pred that is a Python bool or functions that cannot be called, ValueError for results of two structures.
    """
    true_fn, false_fn = fn1 if true_fn is None else true_fn, fn2 if false_fn is None else false_fn
    if not callable(true_fn):
        raise TypeError('true_fn must be callable.')
    if not callable(false_fn):
        raise TypeError('false_fn must be callable.')
    if isinstance(pred, bool):
        raise TypeError('pred must not be a Python bool')
    with graph_lib.name_scope(name, 'cond', [pred] if hasattr(pred, 'graph') else None):
        pred = convert_to_tensor(pred)
        graph = pred.graph
        switch = apply_op('Switch', pred, pred)
        pivot_true, pivot_false = (apply_op('Identity', switch[1], name='switch_t'), apply_op('Identity', switch[0], name='switch_f'))
        pred = apply_op('Identity', pred, name='pred_id')
        for tensor in (switch[0], switch[1], pred, pivot_true, pivot_false):
            graph.prevent_fetching(tensor.op)
        original, on_true = _run_branch(graph, pred, pivot_true, 1, true_fn)
        if original is None:
            raise ValueError('true_fn must have a return value.')
        other, on_false = _run_branch(graph, pred, pivot_false, 0, false_fn)
        if other is None:
            raise ValueError('false_fn must have a return value.')
        if len(on_true) != len(on_false):
            raise ValueError('true_fn and false_fn must return the same number of results: %d and %d' % (len(on_true), len(on_false)))
        merged = []
        for t, f in zip(on_true, on_false):
            if type(t) is not type(f):
                raise TypeError('true_fn and false_fn must give results of one kind: %s and %s' % (t, f))
            parts = _parts(t)
            if parts is not None:
                merged.append(type(t)(*[None if p is None else _merge(q, p) for p, q in zip(parts, _parts(f))]))
                continue
            if t.dtype.base_dtype is not f.dtype.base_dtype:
                raise ValueError('Outputs of true_fn and false_fn must have the same type: %s, %s' % (
                    t.dtype.base_dtype.name, f.dtype.base_dtype.name))
            merged.append(_merge(f, t))
        result = nest.pack_sequence_as(original, merged)
        if not strict and isinstance(result, (list, tuple)) and len(result) == 1:
            result = result[0]
        return result


def _merge(if_false, if_true):
    return apply_op('Merge', [if_false, if_true])[0]


def _at_most_one(predicates):
    """Fails when several are true."""
    from headrace.tf1.framework import math
    stacked = math.stack(predicates, name='preds_c')
    count = math.reduce_sum(math.cast(stacked, dtypes.int32), name='num_true_conds')
    text = 'Input error: exclusive=True: more than 1 conditions (%s) evaluated as True:' % ', '.join(p.name for p in predicates)
    return control.Assert(math.less_equal(count, convert.constant(1, name='n_true_conds')), [text, stacked], summarize=len(predicates))


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name='case'):
    """The result of the first function whose predicate is true, else that of `default`."""
    pairs = sorted(pred_fn_pairs.items(), key=lambda p: p[0].name) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError('Each entry in pred_fn_pairs must be a 2-tuple of a predicate and a callable, got %s' % (pair,))
        if pair[0].dtype.base_dtype is not dtypes.bool:
            raise TypeError('pred must be of type bool: %s' % pair[0].name)
    with graph_lib.name_scope(name, 'case', [p for p, _ in pairs]):
        if default is None:
            (last_pred, last_fn), pairs = pairs[-1], pairs[:-1]

            def default():
                with graph_lib.control_dependencies([control.Assert(last_pred, ['None of conditions evaluated as True.'])]):
                    return last_fn()
        function = default
        for pred, branch in reversed(pairs):
            function = (lambda p, t, f: lambda: cond(p, t, f, strict=strict))(pred, branch, function)
        if exclusive:
            with graph_lib.control_dependencies([_at_most_one([p for p, _ in pairs])]):
                return function()
        return function()


def smart_constant(pred):
    """True or False where `pred` is known while the graph is built, else None."""
    if isinstance(pred, Tensor) or hasattr(pred, '_as_tensor'):
        tensor = convert.convert_to_tensor(pred)
        if tensor.op.type == 'PlaceholderWithDefault':
            return None
        value = convert.constant_value(tensor)
        return None if value is None else bool(value)
    if pred in (0, 1):
        return bool(pred)
    raise TypeError('`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: %s' % pred)


def smart_cond(pred, true_fn, false_fn, name=None):
    """What one of the functions gives: the one that `pred` chooses, where it is known while the graph is built; else a tf.cond."""
    known = smart_constant(pred)
    if known is not None:
        return true_fn() if known else false_fn()
    return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)


def assert_guard(condition, data, summarize, name):
    """tf.Assert as TensorFlow builds it: the node that fails is inside a branch, so that the data are only gathered when it does."""
    with graph_lib.name_scope(name, 'Assert', [condition] + [d for d in data if hasattr(d, 'graph')]):
        summarize = 3 if summarize is None else summarize
        found = [convert_to_tensor(d) for d in data]  # for their dtypes: the node below takes the data anew
        if all(d.dtype.base_dtype in (dtypes.int32, dtypes.string) for d in found):
            return apply_op('Assert', condition, data, summarize=summarize)
        condition = convert_to_tensor(condition, name='Condition')

        def true_assert():
            return apply_op('Assert', condition, data, summarize=summarize)
        guarded = cond(condition, control.no_op, true_assert, name='AssertGuard')
        return guarded.op
