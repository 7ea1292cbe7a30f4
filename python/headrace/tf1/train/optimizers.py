"""The optimizers of the engine under TensorFlow's names (tf.train.AdamOptimizer and so on)."""
import numpy as np

from headrace import _core
from headrace.tf1.framework import convert, errors, gradients, graph as graph_lib, variables
from headrace.tf1.framework.graph import GraphKeys, IndexedSlices, Tensor
from headrace.tf1.framework.resource_variable import is_resource_variable
from headrace.tf1.train import optimizer
from headrace.tf1.train.optimizer import Optimizer


def number(value):
    """A hyper-parameter as the engine takes it: a number, or a reference to a tensor."""
    if callable(value) and not isinstance(value, (Tensor, variables.Variable)):
        value = value()
    if is_resource_variable(value):
        return _core.Ref(value.handle._handle)  # read where it is used
    if isinstance(value, (Tensor, variables.Variable)) or hasattr(value, '_as_tensor'):
        return _core.Ref(convert.convert_to_tensor(value)._handle)
    if isinstance(value, (np.generic, np.ndarray)):
        return value.item()
    return value


def scope_of_variables():
    """Name of the current variable scope: comes in front of the names of slots and averages."""
    from headrace.tf1.framework import variable_scope
    return variable_scope.get_variable_scope().name


def inherit_slices(slot, primary):
    """A slot of a part of a variable is that part of a larger slot."""
    info = primary._save_slice_info
    if info is None:
        return
    name = slot.op.name[len(primary.op.name) + 1:]
    slot._set_save_slice_info(variables.Variable.SaveSliceInfo(
        info.full_name + '/' + name, list(info.full_shape), list(info.var_offset), list(info.var_shape)))


_CHANGES = frozenset(['_apply_dense', '_apply_sparse', '_apply_sparse_duplicate_indices', '_create_slots', '_finish', '_prepare',
                      '_resource_apply_dense', '_resource_apply_sparse', '_resource_apply_sparse_duplicate_indices'])


class EngineOptimizer(Optimizer):
    """An optimizer whose nodes the engine makes."""
    _KIND = None
    _by_steps = False
    _TENSORS = {}  # attribute -> (name of the tensor in the scope of the updates, attribute of what was given)

    def __init__(self, use_locking, name):
        super(EngineOptimizer, self).__init__(use_locking, name)
        self._engines = {}  # graph -> (the engine's optimizer, {handle: variable that it made})
        self._scope = None

    def _options(self):
        """Options as the binding names them."""
        raise NotImplementedError()

    def _engine(self, graph):
        found = self._engines.get(graph)
        if found is None:
            options = self._options()
            options.update(use_locking=bool(self._use_locking), name=self._name)
            found = self._engines[graph] = (_core.Optimizer(graph._core, self._KIND, options), {})
        return found

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """See Optimizer.apply_gradients."""
        if self._by_steps:
            return Optimizer.apply_gradients(self, grads_and_vars, global_step, name)
        converted = [(g, v) for g, v in self._converted(grads_and_vars) if g is not None]
        graph = graph_lib.graph_of([v for _, v in converted])
        for grad, var in converted:
            if not isinstance(var, variables.Variable):
                raise NotImplementedError('Trying to update a Tensor ', var)
            if isinstance(grad, IndexedSlices) and var.constraint is not None:
                raise RuntimeError('Cannot use a constraint function on a sparse variable.')
        with graph.as_default():
            return self._apply(graph, converted, global_step, name)

    def _apply(self, graph, converted, global_step, name):
        by_handle = {v._ref()._handle: v for _, v in converted}
        step = -1
        if global_step is not None:
            step = (global_step._ref() if hasattr(global_step, '_ref') else global_step)._handle
        after = None
        if any(v.constraint is not None for _, v in converted):
            def after(handle, update, sparse):
                op = optimizer.constrained(by_handle[handle], graph._operation(update))
                return graph_lib.op_of(op)._id
        first = graph._core.num_nodes
        try:
            engine, made = self._engine(graph)
            node = engine.apply_gradients([(gradients.to_core(g), v._ref()._handle) for g, v in converted], step, name or '',
                                          scope_of_variables(), after, *graph_lib.program_line())
        except errors.InvalidArgumentError as e:
            error = e.message
        else:
            error = None
        if error is not None:
            raise ValueError(error)
        graph._after_bulk(first)
        for variable in variables.adopt(graph, first):
            made[variable._ref()._handle] = variable
        for _, var in converted:
            for slot in engine.slot_names():
                handle = engine.slot(var._ref()._handle, slot)
                if handle >> 16 >= first:
                    inherit_slices(made[handle], var)
        train_op = graph._operation(node)
        self._scope = (graph, train_op.name)
        return optimizer._in_train_ops(graph, train_op)

    def get_slot(self, var, name):
        """The variable that the optimizer keeps beside `var` under that name, or None."""
        if self._by_steps:
            return Optimizer.get_slot(self, var, name)
        found = self._engines.get(var.graph)
        if found is None or not isinstance(var, variables.Variable):
            return None
        return found[1].get(found[0].slot(var._ref()._handle, name))

    def get_slot_names(self):
        """Names of all slots, sorted."""
        if self._by_steps:
            return Optimizer.get_slot_names(self)
        return sorted({name for engine, _ in self._engines.values() for name in engine.slot_names()})

    def variables(self):
        """All variables of the optimizer in the default graph, by name."""
        if self._by_steps:
            return Optimizer.variables(self)
        _, made = self._engines.get(graph_lib.get_default_graph(), (None, {}))
        return sorted(made.values(), key=lambda v: v.name)

    def __getattr__(self, name):
        tensor = type(self)._TENSORS.get(name)
        if tensor is None:
            raise AttributeError('%r object has no attribute %r' % (type(self).__name__, name))
        if self._scope is None:
            return None
        graph, scope = self._scope
        made = graph._find_operation(scope + '/' + tensor[0])
        return made._outputs[0] if made is not None else convert.convert_to_tensor(getattr(self, tensor[1]))

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls._KIND is None or '_KIND' in cls.__dict__ or not _CHANGES.intersection(cls.__dict__):
            return
        # A program changes a step of the optimizer: the other steps are then made one by one, too.
        from headrace.tf1.train import update_ops
        steps = update_ops.OF_KIND.get(cls._KIND)
        if steps is None:
            raise NotImplementedError('%s changes %s of an optimizer that the engine does as a whole: derive from tf.train.Optimizer and '
                                      'implement all of them' % (cls.__name__, ', '.join(sorted(_CHANGES.intersection(cls.__dict__)))))
        cls._by_steps = True
        if not issubclass(cls, steps):
            cls.__bases__ += (steps,)  # behind the others, where super() finds it


class GradientDescentOptimizer(EngineOptimizer):
    """var -= learning_rate * gradient"""
    _KIND = 'GradientDescent'
    _TENSORS = {'_learning_rate_tensor': ('learning_rate', '_learning_rate')}

    def __init__(self, learning_rate, use_locking=False, name='GradientDescent'):
        super(GradientDescentOptimizer, self).__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _options(self):
        return {'learning_rate': number(self._learning_rate)}


class MomentumOptimizer(EngineOptimizer):
    """accumulation = momentum * accumulation + gradient; var -= learning_rate * accumulation"""
    _KIND = 'Momentum'
    _TENSORS = {'_learning_rate_tensor': ('learning_rate', '_learning_rate'), '_momentum_tensor': ('momentum', '_momentum')}

    def __init__(self, learning_rate, momentum, use_locking=False, name='Momentum', use_nesterov=False):
        super(MomentumOptimizer, self).__init__(use_locking, name)
        self._learning_rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov

    def _options(self):
        return {'learning_rate': number(self._learning_rate), 'momentum': number(self._momentum),
                'use_nesterov': bool(self._use_nesterov)}


class AdamOptimizer(EngineOptimizer):
    """Adam (Kingma and Ba, 2015): steps scaled by running means of gradients and of their squares."""
    _KIND = 'Adam'
    _TENSORS = {'_lr_t': ('learning_rate', '_lr'), '_beta1_t': ('beta1', '_beta1'), '_beta2_t': ('beta2', '_beta2'),
                '_epsilon_t': ('epsilon', '_epsilon')}

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name='Adam'):
        super(AdamOptimizer, self).__init__(use_locking, name)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _options(self):
        return {'learning_rate': number(self._lr), 'beta1': number(self._beta1), 'beta2': number(self._beta2),
                'epsilon': number(self._epsilon)}

    def _get_beta_accumulators(self):
        graph = graph_lib.get_default_graph()
        if self._by_steps:
            return self._get_non_slot_variable('beta1_power', graph), self._get_non_slot_variable('beta2_power', graph)
        found = self._engines.get(graph_lib.get_default_graph())
        powers = [] if found is None else [found[1][handle] for handle in found[0].extra_variables()]
        return tuple(powers) or (None, None)


class AdagradOptimizer(EngineOptimizer):
    """Adagrad (Duchi et al., 2011): steps scaled by the root of the sum of squared gradients."""
    _KIND = 'Adagrad'
    _TENSORS = {'_learning_rate_tensor': ('learning_rate', '_learning_rate')}

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name='Adagrad'):
        _check(initial_accumulator_value > 0, 'initial_accumulator_value must be positive: %s', initial_accumulator_value)
        super(AdagradOptimizer, self).__init__(use_locking, name)
        self._learning_rate, self._initial_accumulator_value = learning_rate, initial_accumulator_value

    def _options(self):
        return {'learning_rate': number(self._learning_rate), 'initial_accumulator_value': self._initial_accumulator_value}


class AdagradDAOptimizer(EngineOptimizer):
    """Adagrad with dual averaging, for sparse linear models."""
    _KIND = 'AdagradDA'
    _TENSORS = {'_learning_rate_tensor': ('learning_rate', '_learning_rate')}

    def __init__(self, learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False, name='AdagradDA'):
        _check(initial_gradient_squared_accumulator_value > 0, 'initial_gradient_squared_accumulator_value must be positive: %s',
               initial_gradient_squared_accumulator_value)
        super(AdagradDAOptimizer, self).__init__(use_locking, name)
        self._learning_rate, self._global_step = learning_rate, global_step
        self._initial = initial_gradient_squared_accumulator_value
        self._l1_regularization_strength, self._l2_regularization_strength = l1_regularization_strength, l2_regularization_strength

    def _options(self):
        step = self._global_step
        return {'learning_rate': number(self._learning_rate), 'global_step': (step._ref() if hasattr(step, '_ref') else step)._handle,
                'initial_gradient_squared_accumulator_value': self._initial,
                'l1_regularization_strength': self._l1_regularization_strength,
                'l2_regularization_strength': self._l2_regularization_strength}


class AdadeltaOptimizer(EngineOptimizer):
    """Adadelta (Zeiler, 2012): steps scaled by the ratio of running means of squared steps and squared gradients."""
    _KIND = 'Adadelta'
    _TENSORS = {'_lr_t': ('lr', '_lr'), '_rho_t': ('rho', '_rho'), '_epsilon_t': ('epsilon', '_epsilon')}

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False, name='Adadelta'):
        super(AdadeltaOptimizer, self).__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _options(self):
        return {'learning_rate': number(self._lr), 'rho': number(self._rho), 'epsilon': number(self._epsilon)}


class RMSPropOptimizer(EngineOptimizer):
    """RMSProp (Hinton, 2012): steps scaled by the root of a running mean of squared gradients, with momentum."""
    _KIND = 'RMSProp'
    _TENSORS = {'_learning_rate_tensor': ('learning_rate', '_learning_rate'), '_decay_tensor': ('decay', '_decay'),
                '_momentum_tensor': ('momentum', '_momentum'), '_epsilon_tensor': ('epsilon', '_epsilon')}

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False, name='RMSProp'):
        super(RMSPropOptimizer, self).__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum = learning_rate, decay, momentum
        self._epsilon, self._centered = epsilon, centered

    def _options(self):
        return {'learning_rate': number(self._learning_rate), 'decay': number(self._decay), 'momentum': number(self._momentum),
                'epsilon': number(self._epsilon), 'centered': bool(self._centered)}


class FtrlOptimizer(EngineOptimizer):
    """Follow the regularised leader (McMahan et al., 2013), with L1 and L2 and, beyond the paper, L2 shrinkage."""
    _KIND = 'Ftrl'
    _TENSORS = {'_learning_rate_tensor': ('learning_rate', '_learning_rate')}

    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False, name='Ftrl', accum_name=None, linear_name=None,
                 l2_shrinkage_regularization_strength=0.0):
        super(FtrlOptimizer, self).__init__(use_locking, name)
        _check(initial_accumulator_value >= 0, 'initial_accumulator_value %f needs to be positive or zero', initial_accumulator_value)
        _check(learning_rate_power <= 0, 'learning_rate_power %f needs to be negative or zero', learning_rate_power)
        for key, value in (('l1_regularization_strength', l1_regularization_strength),
                           ('l2_regularization_strength', l2_regularization_strength),
                           ('l2_shrinkage_regularization_strength', l2_shrinkage_regularization_strength)):
            _check(value >= 0, key + ' %f needs to be positive or zero', value)
        self._learning_rate, self._learning_rate_power = learning_rate, learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength, self._l2_regularization_strength = l1_regularization_strength, l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._accum_name, self._linear_name = accum_name, linear_name

    def _options(self):
        return {'learning_rate': number(self._learning_rate), 'learning_rate_power': self._learning_rate_power,
                'initial_accumulator_value': self._initial_accumulator_value,
                'l1_regularization_strength': self._l1_regularization_strength,
                'l2_regularization_strength': self._l2_regularization_strength,
                'l2_shrinkage_regularization_strength': self._l2_shrinkage_regularization_strength,
                'accum_name': self._accum_name, 'linear_name': self._linear_name}


class ProximalGradientDescentOptimizer(EngineOptimizer):
    """Gradient descent with L1 and L2 regularisation solved exactly (Duchi and Singer, 2009)."""
    _KIND = 'ProximalGradientDescent'
    _TENSORS = {'_learning_rate_tensor': ('learning_rate', '_learning_rate')}

    def __init__(self, learning_rate, l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False,
                 name='ProximalGradientDescent'):
        super(ProximalGradientDescentOptimizer, self).__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength, self._l2_regularization_strength = l1_regularization_strength, l2_regularization_strength

    def _options(self):
        return {'learning_rate': number(self._learning_rate), 'l1_regularization_strength': self._l1_regularization_strength,
                'l2_regularization_strength': self._l2_regularization_strength}


class ProximalAdagradOptimizer(EngineOptimizer):
    """Adagrad with L1 and L2 regularisation solved exactly."""
    _KIND = 'ProximalAdagrad'
    _TENSORS = {'_learning_rate_tensor': ('learning_rate', '_learning_rate')}

    def __init__(self, learning_rate, initial_accumulator_value=0.1, l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name='ProximalAdagrad'):
        _check(initial_accumulator_value > 0, 'initial_accumulator_value must be positive: %s', initial_accumulator_value)
        super(ProximalAdagradOptimizer, self).__init__(use_locking, name)
        self._learning_rate, self._initial_accumulator_value = learning_rate, initial_accumulator_value
        self._l1_regularization_strength, self._l2_regularization_strength = l1_regularization_strength, l2_regularization_strength

    def _options(self):
        return {'learning_rate': number(self._learning_rate), 'initial_accumulator_value': self._initial_accumulator_value,
                'l1_regularization_strength': self._l1_regularization_strength,
                'l2_regularization_strength': self._l2_regularization_strength}


def _check(holds, text, value):
    if not holds:
        raise ValueError(text % value)
