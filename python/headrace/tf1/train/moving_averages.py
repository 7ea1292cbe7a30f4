"""Running averages of variables (tf.train.ExponentialMovingAverage) and of other values."""
from headrace import _core
from headrace.tf1.framework import control, convert, dtypes, errors, graph as graph_lib, math, variables
from headrace.tf1.framework.graph import GraphKeys

_FLOATS = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """The operation variable -= (1 - decay) * (variable - value).

    zero_debias: the variable starts from zero, and the average is divided by 1 - decay^t, which variables "biased" and "local_step"
    beside it count.
    """
    with graph_lib.name_scope(name, 'AssignMovingAvg', [variable, value, decay]) as scope:
        rate = convert.convert_to_tensor(1.0 - decay, name='decay')
        if rate.dtype != variable.dtype.base_dtype:
            rate = math.cast(rate, variable.dtype.base_dtype)
        if zero_debias:
            return _zero_debias(variable, value, rate, scope)
        return variables.assign_sub(variable, (variable - value) * rate, name=scope)


def _zero_debias(average, value, rate, scope):
    from headrace.tf1.framework import variable_scope
    from headrace.tf1.train import slot_creator
    with variable_scope.variable_scope(average.op.name, values=[average, value, rate]) as inner:
        taken = {v.op.name for v in inner.global_variables()} if not inner.reuse else set()

        def fresh(name):
            full, candidate, i = inner.name + '/', name, 0
            while full + candidate in taken:
                i += 1
                candidate = '%s_%d' % (name, i)
            return candidate
        with graph_lib.control_dependencies(None), graph_lib.colocate_with(average):
            make = dict(initializer=slot_creator.zeros_initializer, dtype=average.dtype.base_dtype, trainable=False)
            biased = variable_scope.get_variable(fresh('biased'), shape=average.get_shape(), **make)
            local_step = variable_scope.get_variable(fresh('local_step'), shape=[], **make)
    update = variables.assign_sub(biased, (biased - value) * rate)
    steps = local_step.assign_add(1)
    factor = 1 - math.pow(1.0 - rate, steps)
    return variables.assign(average, update / factor, name=scope)


def weighted_moving_average(value, decay, weight, truediv=True, collections=None, name=None):
    """The running average of `value` in which each step counts with its weight."""
    from headrace.tf1.framework import variable_scope
    from headrace.tf1.train import slot_creator
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with variable_scope.variable_scope(name, 'WeightedMovingAvg', [value, weight, decay]) as scope:
        make = dict(initializer=slot_creator.zeros_initializer, trainable=False, collections=collections)
        values = variable_scope.get_variable('value_x_weight', shape=value.get_shape(), dtype=value.dtype, **make)
        weights = variable_scope.get_variable('weight', shape=weight.get_shape(), dtype=weight.dtype, **make)
        numerator = assign_moving_average(values, value * weight, decay, zero_debias=False)
        denominator = assign_moving_average(weights, weight, decay, zero_debias=False)
        divide = math.truediv if truediv else math.div
        return divide(numerator, denominator, name=scope.name)


class ExponentialMovingAverage(object):
    """Averages of variables, in variables "<name>/ExponentialMovingAverage": shadow -= (1 - decay) * (shadow - value)."""

    def __init__(self, decay, num_updates=None, zero_debias=False, name='ExponentialMovingAverage'):
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._engines = {}  # (graph, variable scope) -> the engine's
        self._averages = {}  # (graph, handle) -> variable
        self._given = {}  # to apply: handle -> variable or tensor

    name = property(lambda self: self._name)

    @staticmethod
    def _handle(var):
        return (var._ref() if isinstance(var, variables.Variable) else var)._handle

    def _engine(self, graph):
        from headrace.tf1.train import optimizers
        scope = optimizers.scope_of_variables()
        found = self._engines.get((graph, scope))
        if found is None:
            updates = -1
            if self._num_updates is not None:
                updates = self._handle(self._num_updates if hasattr(self._num_updates, 'graph')
                                       else convert.convert_to_tensor(self._num_updates))
            found = self._engines[graph, scope] = _core.MovingAverage(
                graph._core, optimizers.number(self._decay), updates, bool(self._zero_debias), self._name, scope,
                lambda handle: self._make(graph, handle)._ref()._handle)
        return found

    def _make(self, graph, handle):
        """The variable that holds the average of what has this handle."""
        from headrace.tf1.train import slot_creator
        value = self._given[handle]
        with graph.as_default(), graph.control_dependencies(None):
            if isinstance(value, variables.Variable):
                average = slot_creator.create_slot(value, value.initialized_value(), self._name)
                graph._collections.setdefault(GraphKeys.MOVING_AVERAGE_VARIABLES, []).append(value)
            else:
                average = slot_creator.create_zeros_slot(value, self._name, colocate_with_primary=False)
        self._averages[graph, handle] = average
        return average

    def apply(self, var_list=None):
        """The operation that brings the averages up to date; makes those that do not exist yet. By default of all trainable variables.

        The average of a variable starts from the variable's initial value, that of a tensor from zero.
        Errors: TypeError for a value of no float dtype.
        """
        var_list = variables.trainable_variables() if var_list is None else list(var_list)
        for var in var_list:
            if var.dtype.base_dtype not in _FLOATS:
                raise TypeError('The variables must be half, float, or double: %s' % var.name)
        if not var_list:
            with graph_lib.name_scope(self._name) as scope:
                return control.group(name=scope)
        graph = graph_lib.graph_of(var_list)
        self._given = {self._handle(v): v for v in var_list}
        first = graph._core.num_nodes
        try:
            node = self._engine(graph).apply([self._handle(v) for v in var_list], *graph_lib.program_line())
        except errors.InvalidArgumentError as e:
            error = e.message
        else:
            error = None
        if error is not None:
            raise ValueError(error)
        graph._after_bulk(first)
        variables.adopt(graph, first, known={v._ref()._handle for v in self._averages.values()})
        return graph._operation(node)

    def average(self, var):
        """The variable that holds the average of `var`, or None before apply."""
        return self._averages.get((var.graph, self._handle(var)))

    def average_name(self, var):
        """What that variable is called, or will be: for a Saver."""
        average = self.average(var)
        if average is not None:
            return average.op.name
        return graph_lib.get_default_graph().unique_name(var.op.name + '/' + self._name, mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None):
        """{name in the checkpoint: variable} for a Saver that loads averages into the variables themselves.

        By default the trainable variables and those that were given to apply; others keep their own names.
        """
        if moving_avg_variables is None:
            moving_avg_variables = variables.trainable_variables() + variables.moving_average_variables()
        averaged = list(dict.fromkeys(moving_avg_variables))
        names = {self.average_name(v): v for v in averaged}
        taken = {v.name for v in averaged}
        for v in dict.fromkeys(variables.global_variables()):
            if v.name not in taken and v.op.name not in names:
                names[v.op.name] = v
        return names
