"""The optimizers of the engine step by step, for programs that change a step of one (a subclass with its own _apply_dense).

Each class has the methods of tf.train.Optimizer that the engine otherwise does at once; it is mixed in behind such a subclass.
"""
from headrace.tf1.framework import control, convert, graph as graph_lib, math, state, variables
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.resource_variable import is_resource_variable
from headrace.tf1.train.optimizer import Optimizer


class Steps(Optimizer):
    """What they share."""
    _HYPER = ()  # (attribute for the tensor, attribute of what was given, name)

    def _prepare(self):
        for attribute, given, name in self._HYPER:
            setattr(self, attribute, convert.convert_to_tensor(self._call_if_callable(getattr(self, given)), name=name))

    def _update_op(self, op, var, slots, hyper, inputs, last=()):
        """The update: variable, slots, hyper-parameters in the variable's dtype, gradient."""
        tensors = [math.cast(getattr(self, h) if isinstance(h, str) else h, var.dtype.base_dtype) for h in hyper]
        after = [math.cast(getattr(self, h), var.dtype.base_dtype) for h in last]
        options = {'use_nesterov': self._use_nesterov} if op.endswith('Momentum') else {}
        written = [var] + [self.get_slot(var, s) for s in slots]
        if is_resource_variable(var):
            op, written = 'Resource' + op, [v.handle for v in written]
        return graph_lib.op_of(apply_op(op, *(written + tensors + inputs + after), use_locking=self._use_locking, **options))

    # Variables behind handles take the same steps; a program changes those of the one kind or the other.

    def _dense(self, grad, var):
        raise NotImplementedError()

    def _sparse(self, grad, indices, var):
        raise NotImplementedError()

    def _apply_dense(self, grad, var):
        return self._dense(grad, var)

    def _apply_sparse(self, grad, var):
        return self._sparse(grad.values, grad.indices, var)

    def _resource_apply_dense(self, grad, handle):
        return self._dense(grad, handle)

    def _resource_apply_sparse(self, grad, handle, indices):
        return self._sparse(grad, indices, handle)


class GradientDescentSteps(Steps):
    _HYPER = (('_learning_rate_tensor', '_learning_rate', 'learning_rate'),)

    def _dense(self, grad, var):
        return self._update_op('ApplyGradientDescent', var, [], ['_learning_rate_tensor'], [grad])

    def _apply_sparse_duplicate_indices(self, grad, var):
        rate = math.cast(self._learning_rate_tensor, var.dtype.base_dtype)
        return state.scatter_sub(var, grad.indices, grad.values * rate, use_locking=self._use_locking).op

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        return apply_op('ResourceScatterAdd', handle.handle, indices, -grad * self._learning_rate)


class MomentumSteps(Steps):
    _HYPER = (('_learning_rate_tensor', '_learning_rate', 'learning_rate'), ('_momentum_tensor', '_momentum', 'momentum'))

    def _create_slots(self, var_list):
        for var in var_list:
            self._zeros_slot(var, 'momentum', self._name)

    def _dense(self, grad, var):
        return self._update_op('ApplyMomentum', var, ['momentum'], ['_learning_rate_tensor'], [grad], ['_momentum_tensor'])

    def _sparse(self, grad, indices, var):
        return self._update_op('SparseApplyMomentum', var, ['momentum'], ['_learning_rate_tensor'], [grad, indices],
                               ['_momentum_tensor'])


class AdagradSteps(Steps):
    _HYPER = (('_learning_rate_tensor', '_learning_rate', 'learning_rate'),)

    def _create_slots(self, var_list):
        from headrace.tf1.framework import init
        for var in var_list:
            dtype = var.dtype.base_dtype
            self._get_or_make_slot_with_initializer(var, init.constant_initializer(self._initial_accumulator_value, dtype=dtype),
                                                    var.get_shape(), dtype, 'accumulator', self._name)

    def _dense(self, grad, var):
        return self._update_op('ApplyAdagrad', var, ['accumulator'], ['_learning_rate_tensor'], [grad])

    def _sparse(self, grad, indices, var):
        return self._update_op('SparseApplyAdagrad', var, ['accumulator'], ['_learning_rate_tensor'], [grad, indices])


class AdamSteps(Steps):
    _HYPER = (('_lr_t', '_lr', 'learning_rate'), ('_beta1_t', '_beta1', 'beta1'), ('_beta2_t', '_beta2', 'beta2'),
              ('_epsilon_t', '_epsilon', 'epsilon'))

    def _create_slots(self, var_list):
        first = min(var_list, key=lambda v: v.name)
        self._create_non_slot_variable(self._call_if_callable(self._beta1), 'beta1_power', first)
        self._create_non_slot_variable(self._call_if_callable(self._beta2), 'beta2_power', first)
        for var in var_list:
            self._zeros_slot(var, 'm', self._name)
            self._zeros_slot(var, 'v', self._name)

    def _dense(self, grad, var):
        powers = list(self._get_beta_accumulators())
        return self._update_op('ApplyAdam', var, ['m', 'v'], powers + ['_lr_t', '_beta1_t', '_beta2_t', '_epsilon_t'], [grad])

    def _sparse(self, grad, indices, var):
        dtype = var.dtype.base_dtype
        power1, power2 = [math.cast(p, dtype) for p in self._get_beta_accumulators()]
        rate, beta1, beta2, epsilon = [math.cast(t, dtype) for t in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)]
        rate = rate * math.sqrt(1 - power2) / (1 - power1)
        decayed = []
        for slot, beta, rows in (('m', beta1, grad), ('v', beta2, grad * grad)):
            kept = self.get_slot(var, slot)
            scaled = variables.assign(kept, kept * beta, use_locking=self._use_locking)
            with graph_lib.control_dependencies([scaled]):
                decayed.append(state.scatter_add(kept, indices, rows * (1 - beta), use_locking=self._use_locking))
        step = rate * decayed[0] / (math.sqrt(decayed[1]) + epsilon)
        return control.group(variables.assign_sub(var, step, use_locking=self._use_locking), *decayed)

    def _finish(self, update_ops, name_scope):
        with graph_lib.control_dependencies(update_ops):
            powers = self._get_beta_accumulators()
            with graph_lib.colocate_with(powers[0]):
                next_powers = [p.assign(p * beta, use_locking=self._use_locking)
                               for p, beta in zip(powers, (self._beta1_t, self._beta2_t))]
        return control.group(*(update_ops + next_powers), name=name_scope)


class RMSPropSteps(Steps):
    _HYPER = (('_learning_rate_tensor', '_learning_rate', 'learning_rate'), ('_decay_tensor', '_decay', 'decay'),
              ('_momentum_tensor', '_momentum', 'momentum'), ('_epsilon_tensor', '_epsilon', 'epsilon'))

    def _create_slots(self, var_list):
        from headrace.tf1.framework import init
        for var in var_list:
            self._get_or_make_slot_with_initializer(var, init.ones_initializer(dtype=var.dtype.base_dtype), var.get_shape(),
                                                    var.dtype.base_dtype, 'rms', self._name)
            if self._centered:
                self._zeros_slot(var, 'mg', self._name)
            self._zeros_slot(var, 'momentum', self._name)

    def _rms(self, op, var, inputs):
        slots = ['mg', 'rms', 'momentum'] if self._centered else ['rms', 'momentum']
        op = op.replace('ApplyRMSProp', 'ApplyCenteredRMSProp') if self._centered else op
        return self._update_op(op, var, slots, [h[0] for h in self._HYPER], inputs)

    def _dense(self, grad, var):
        return self._rms('ApplyRMSProp', var, [grad])

    def _sparse(self, grad, indices, var):
        return self._rms('SparseApplyRMSProp', var, [grad, indices])


OF_KIND = {'GradientDescent': GradientDescentSteps, 'Momentum': MomentumSteps, 'Adagrad': AdagradSteps, 'Adam': AdamSteps,
           'RMSProp': RMSPropSteps}
