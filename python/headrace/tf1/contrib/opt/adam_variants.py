"""Adam that leaves rows without gradient alone, and Adam with Nesterov's momentum."""
from headrace.tf1.framework import array, control, graph as graph_lib, math, state, variables
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.resource_variable import is_resource_variable
from headrace.tf1.train.optimizers import AdamOptimizer


def _hyper_parameters(optimizer, var):
    """(rate corrected for the bias of young averages, beta1, beta2, epsilon) in the variable's dtype."""
    dtype = var.dtype.base_dtype
    power1, power2 = (math.cast(power, dtype) for power in optimizer._get_beta_accumulators())
    rate, beta1, beta2, epsilon = (
        math.cast(t, dtype) for t in (optimizer._lr_t, optimizer._beta1_t, optimizer._beta2_t, optimizer._epsilon_t))
    return rate * math.sqrt(1 - power2) / (1 - power1), beta1, beta2, epsilon


class LazyAdamOptimizer(AdamOptimizer):
    """Adam whose averages change only in the rows that have gradients, where gradients are sparse."""

    def _apply_sparse(self, grad, var):
        rate, beta1, beta2, epsilon = _hyper_parameters(self, var)
        rows = []
        for name, beta, of_grad in (('m', beta1, lambda: grad.values), ('v', beta2, lambda: math.square(grad.values))):
            slot = self.get_slot(var, name)
            new = beta * array.gather(slot, grad.indices) + (1 - beta) * of_grad()
            rows.append(state.scatter_update(slot, grad.indices, new, use_locking=self._use_locking))
        first, second = (array.gather(row, grad.indices) for row in rows)
        below = math.sqrt(second) + epsilon
        update = state.scatter_sub(var, grad.indices, rate * first / below, use_locking=self._use_locking)
        return control.group(update, *rows)

    def _resource_apply_sparse(self, grad, handle, indices):
        rate, beta1, beta2, epsilon = _hyper_parameters(self, handle)
        rows, updates = [], []
        for name, beta, of_grad in (('m', beta1, lambda: grad), ('v', beta2, lambda: math.square(grad))):
            slot = self.get_slot(handle, name)
            rows.append(beta * array.gather(slot, indices) + (1 - beta) * of_grad())
            updates.append(apply_op('ResourceScatterUpdate', slot.handle, indices, rows[-1]))
        step = rate * rows[0] / (math.sqrt(rows[1]) + epsilon)
        return control.group(apply_op('ResourceScatterSub', handle.handle, indices, step), *updates)


class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum (Dozat, 2015)."""

    def _nesterov(self, grad, var, op, of):
        dtype = var.dtype.base_dtype
        hyper = list(self._get_beta_accumulators()) + [self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t]
        written = [of(v) for v in (var, self.get_slot(var, 'm'), self.get_slot(var, 'v'))]
        return graph_lib.op_of(apply_op(op, *(written + [math.cast(h, dtype) for h in hyper] + [grad]), use_locking=self._use_locking,
                                        use_nesterov=True))

    def _apply_dense(self, grad, var):
        return self._nesterov(grad, var, 'ApplyAdam', lambda v: v)

    def _resource_apply_dense(self, grad, handle):
        return self._nesterov(grad, handle, 'ResourceApplyAdam', lambda v: v.handle)

    def _apply_sparse(self, grad, var):
        return self._sparse_nesterov(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad, handle, indices):
        return self._sparse_nesterov(grad, handle, indices)

    def _scatter_add(self, var, indices, rows):
        if is_resource_variable(var):
            with graph_lib.control_dependencies([apply_op('ResourceScatterAdd', var.handle, indices, rows)]):
                return var.value()
        return state.scatter_add(var, indices, rows, use_locking=self._use_locking)

    def _sparse_nesterov(self, grad, var, indices):
        rate, beta1, beta2, epsilon = _hyper_parameters(self, var)
        m = self.get_slot(var, 'm')
        scaled = grad * (1 - beta1)
        decayed = variables.assign(m, m * beta1, use_locking=self._use_locking)
        with graph_lib.control_dependencies([decayed]):
            ahead = scaled + beta1 * array.gather(self._scatter_add(m, indices, scaled), indices)
        v = self.get_slot(var, 'v')
        squares = (grad * grad) * (1 - beta2)
        decayed = variables.assign(v, v * beta2, use_locking=self._use_locking)
        with graph_lib.control_dependencies([decayed]):
            summed = self._scatter_add(v, indices, squares)
        root = math.sqrt(array.gather(summed, indices))
        return control.group(self._scatter_add(var, indices, -rate * ahead / (root + epsilon)), ahead, summed)
