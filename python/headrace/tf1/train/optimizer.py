"""What all optimizers share: gradients of a loss, state beside the variables, one operation that updates everything.

Optimizers of the engine are in optimizers.py. A program's own subclass of Optimizer implements _apply_dense and, as it needs them,
_apply_sparse, _create_slots, _prepare and _finish.
"""
from headrace.tf1 import nest
from headrace.tf1.framework import control, convert, dtypes, errors, graph as graph_lib, variables
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.graph import GraphKeys, IndexedSlices, Tensor
from headrace.tf1.framework.resource_variable import is_resource_variable

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def _var_key(var):
    return var.op.graph, var.op.name


def _check_target(var):
    if not isinstance(var, (variables.Variable, Tensor)):
        raise NotImplementedError('Trying to optimize unsupported type ', var)


class Optimizer(object):
    """Base of all optimizers: minimize = compute_gradients, then apply_gradients."""
    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking, name):
        if not name:
            raise ValueError('Must specify the optimizer name')
        self._use_locking, self._name = use_locking, name
        self._slots = {}  # slot name -> {key of the variable: slot}
        self._non_slot_dict = {}

    def get_name(self):
        """The name given to the constructor."""
        return self._name

    # ---- gradients

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=GATE_OP, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        """The operation that makes one step: variables move to where the loss is smaller, then `global_step` counts it.

        Errors: ValueError when no variable has a gradient.
        """
        # By name, as subclasses may take only some of them.
        grads_and_vars = self.compute_gradients(
            loss, var_list=var_list, gate_gradients=gate_gradients, aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, grad_loss=grad_loss)
        if all(g is None for g, _ in grads_and_vars):
            raise ValueError('No gradients provided for any variable, check your graph for ops that do not support gradients, between '
                             'variables %s and loss %s.%s' % ([str(v) for _, v in grads_and_vars], loss,
                                                              _why_unconnected(loss, grads_and_vars)))
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(self, loss, var_list=None, gate_gradients=GATE_OP, aggregation_method=None,
                          colocate_gradients_with_ops=False, grad_loss=None):
        """[(gradient, variable)], the gradient None where the loss does not depend on the variable.

        `loss` may be a function that gives it. Errors: ValueError for a loss or variable that has no float dtype, or no variables.
        """
        if callable(loss):
            loss = loss()
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError('gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH.  Not %s' %
                             gate_gradients)
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        if var_list is None:
            var_list = variables.trainable_variables() + graph_lib.get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)
        else:
            var_list = nest.flatten(var_list)
        var_list += graph_lib.get_collection(GraphKeys._STREAMING_MODEL_PORTS)
        for var in var_list:
            _check_target(var)
        if not var_list:
            raise ValueError('No variables to optimize.')
        from headrace.tf1.framework import gradients
        grads = gradients.gradients(loss, var_list, grad_ys=grad_loss, gate_gradients=gate_gradients == Optimizer.GATE_OP,
                                    aggregation_method=aggregation_method,
                                    colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gate_gradients == Optimizer.GATE_GRAPH:
            grads = control.tuple_of(grads)
        grads_and_vars = list(zip(grads, var_list))
        self._assert_valid_dtypes([v for g, v in grads_and_vars if g is not None])
        return grads_and_vars

    def _converted(self, grads_and_vars):
        """Checked pairs; at least one has a gradient."""
        grads_and_vars = tuple(grads_and_vars)
        if not grads_and_vars:
            raise ValueError('No variables provided.')
        converted = []
        for grad, var in grads_and_vars:
            if grad is not None:
                try:
                    grad = convert.convert_to_tensor_or_indexed_slices(grad)
                except TypeError:
                    raise TypeError('Gradient must be convertible to a Tensor or IndexedSlices, or None: %s' % (grad,))
            _check_target(var)
            converted.append((grad, var))
        if all(grad is None for grad, _ in converted):
            raise ValueError('No gradients provided for any variable: %s.' % ([str(v) for _, v in converted],))
        return converted

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The operation that updates the variables with these gradients, then counts `global_step` up.

        Errors: ValueError when no variable has a gradient, TypeError for what is no gradient.
        """
        converted = [(g, v) for g, v in self._converted(grads_and_vars) if g is not None]
        graph = graph_lib.get_default_graph()
        with graph.control_dependencies(None):
            self._create_slots([v for _, v in converted])
        updates = []
        with graph_lib.name_scope(name, self._name) as scope:
            self._prepare()
            for grad, var in converted:
                with graph_lib.name_scope('update_' + var.op.name), graph_lib.colocate_with(var):
                    updates.append(self._update(grad, var))
            if global_step is None:
                train_op = self._finish(updates, scope)
            else:
                with graph_lib.control_dependencies([self._finish(updates, 'update')]):
                    with graph_lib.colocate_with(global_step):
                        if is_resource_variable(global_step):
                            train_op = global_step.assign_add(1, name=scope, read_value=False)
                        else:
                            train_op = variables.assign_add(global_step, 1, name=scope)
        return _in_train_ops(graph, train_op)

    def _update(self, grad, var):
        if not isinstance(var, variables.Variable):
            raise NotImplementedError('Trying to update a Tensor ', var)
        resource = is_resource_variable(var)
        if isinstance(grad, Tensor):
            update = self._resource_apply_dense(grad, var) if resource else self._apply_dense(grad, var)
            return constrained(var, update)
        if var.constraint is not None:
            raise RuntimeError('Cannot use a constraint function on a sparse variable.')
        if resource:
            return self._resource_apply_sparse_duplicate_indices(grad.values, var, grad.indices)
        return self._apply_sparse_duplicate_indices(grad, var)

    # ---- state

    def get_slot(self, var, name):
        """The variable that the optimizer keeps beside `var` under that name, or None."""
        return self._slots.get(name, {}).get(_var_key(var))

    def get_slot_names(self):
        """Names of all slots, sorted."""
        return sorted(self._slots)

    def variables(self):
        """All variables of the optimizer in the default graph, by name."""
        graph = graph_lib.get_default_graph()
        found = [v for v in self._non_slot_variables() if v.op.graph is graph]
        for of_slot in self._slots.values():
            found.extend(v for v in of_slot.values() if v.op.graph is graph)
        return sorted(found, key=lambda v: v.name)

    def _create_non_slot_variable(self, initial_value, name, colocate_with):
        key = (name, colocate_with.graph)
        variable = self._non_slot_dict.get(key)
        if variable is None:
            with graph_lib.colocate_with(colocate_with):
                variable = variables.Variable(initial_value, name=name, trainable=False, use_resource=is_resource_variable(colocate_with))
            self._non_slot_dict[key] = variable
        return variable

    def _get_non_slot_variable(self, name, graph=None):
        return self._non_slot_dict.get((name, graph))

    def _non_slot_variables(self):
        return list(self._non_slot_dict.values())

    def _slot_dict(self, slot_name):
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        slots = self._slot_dict(slot_name)
        if _var_key(var) not in slots:
            from headrace.tf1.train import slot_creator
            slots[_var_key(var)] = slot_creator.create_slot(var, val, op_name)
        return slots[_var_key(var)]

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name, op_name):
        slots = self._slot_dict(slot_name)
        if _var_key(var) not in slots:
            from headrace.tf1.train import slot_creator
            slots[_var_key(var)] = slot_creator.create_slot_with_initializer(var, initializer, shape, dtype, op_name)
        return slots[_var_key(var)]

    def _zeros_slot(self, var, slot_name, op_name):
        slots = self._slot_dict(slot_name)
        if _var_key(var) not in slots:
            from headrace.tf1.train import slot_creator
            slots[_var_key(var)] = slot_creator.create_zeros_slot(var, op_name)
        return slots[_var_key(var)]

    # ---- what subclasses implement

    def _valid_dtypes(self):
        return set(_FLOATS)

    def _assert_valid_dtypes(self, tensors):
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError('Invalid type %r for %s, expected: %s.' % (dtype, tensor.name, list(valid)))

    def _create_slots(self, var_list):
        """Makes the slots that these variables need; called outside of control dependencies."""

    def _prepare(self):
        """Makes the tensors that all updates share."""

    def _apply_dense(self, grad, var):
        """The operation that updates `var` with a tensor."""
        raise NotImplementedError()

    def _apply_sparse(self, grad, var):
        """The operation that updates rows of `var` with IndexedSlices whose indices are distinct."""
        raise NotImplementedError()

    def _resource_apply_dense(self, grad, handle):
        """_apply_dense for a variable behind a handle: the ResourceVariable."""
        raise NotImplementedError()

    def _resource_apply_sparse(self, grad, handle, indices):
        """The operation that updates distinct rows `indices` of a ResourceVariable with the rows `grad`."""
        raise NotImplementedError()

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        """Like _resource_apply_sparse for indices that may repeat: sums the rows of equal index first."""
        values, indices = _deduplicate_indexed_slices(grad, indices)
        return self._resource_apply_sparse(values, handle, indices)

    def _apply_sparse_duplicate_indices(self, grad, var):
        """Like _apply_sparse for indices that may repeat: sums the rows of equal index first."""
        values, indices = _deduplicate_indexed_slices(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _finish(self, update_ops, name_scope):
        """The operation that is done when all updates are."""
        return control.group(*update_ops, name=name_scope)

    def _call_if_callable(self, param):
        return param() if callable(param) else param


def _deduplicate_indexed_slices(values, indices):
    """(sums of rows, distinct indices)"""
    unique, positions = apply_op('Unique', indices)
    count = apply_op('Shape', unique)[0]
    return apply_op('UnsortedSegmentSum', values, positions, count), unique


def constrained(var, update):
    """The update followed by the variable's constraint, if it has one."""
    if var.constraint is None:
        return update
    with graph_lib.control_dependencies([update]):
        return var.assign(var.constraint(var))


def _in_train_ops(graph, train_op):
    if isinstance(train_op, Tensor):
        train_op = train_op.op
    train_ops = graph.get_collection_ref(GraphKeys.TRAIN_OP)
    if train_op not in train_ops:
        train_ops.append(train_op)
    return train_op


def _why_unconnected(loss, grads_and_vars):
    """Where the path from each variable to the loss ends."""
    if not isinstance(loss, Tensor):
        return ''
    lines = []
    for _, var in grads_and_vars:
        ref = var._ref() if isinstance(var, variables.Variable) else var
        try:
            lines.append('\n  %s: %s' % (var.op.name, loss.graph._core.why_unconnected([loss._handle], ref._handle)))
        except (errors.OpError, ValueError):
            pass
    return ''.join(lines)
