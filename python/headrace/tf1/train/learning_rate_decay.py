"""Learning rates that change with the step (tf.train.exponential_decay and so on)."""
import math as _math

from headrace import _core
from headrace.tf1.framework import convert, dtypes, errors, graph as graph_lib, math
from headrace.tf1.framework.resource_variable import is_resource_variable
from headrace.tf1.train.optimizers import number


def _schedule(kind, function, global_step, **options):
    if global_step is None:
        raise ValueError('None values not supported. %s needs the global step' % function)
    name = options.pop('name')
    step = global_step.handle if is_resource_variable(global_step) else convert.convert_to_tensor(global_step)
    graph = step.graph
    options = {key: value if isinstance(value, bool) else number(value) for key, value in options.items()}
    first = graph._core.num_nodes
    try:
        handle = _core.schedule(graph._core, kind, step._handle, dict(options, name=name), *graph_lib.program_line())
    except errors.InvalidArgumentError as e:
        error = e.message
    else:
        error = None
    if error is not None:
        raise ValueError(error)
    graph._after_bulk(first)
    return graph._tensor(handle)


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * decay_rate ^ (global_step / decay_steps), the exponent whole if `staircase`."""
    return _schedule('exponential', 'exponential_decay', global_step, learning_rate=learning_rate, decay_steps=decay_steps,
                     decay_rate=decay_rate, staircase=bool(staircase), name=name)


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * exp(-decay_rate * global_step / decay_steps)"""
    return _schedule('natural_exp', 'natural_exp_decay', global_step, learning_rate=learning_rate, decay_steps=decay_steps,
                     decay_rate=decay_rate, staircase=bool(staircase), name=name)


def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate / (1 + decay_rate * global_step / decay_steps)"""
    return _schedule('inverse_time', 'inverse_time_decay', global_step, learning_rate=learning_rate, decay_steps=decay_steps,
                     decay_rate=decay_rate, staircase=bool(staircase), name=name)


def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None):
    """(learning_rate - end) * (1 - global_step / decay_steps) ^ power + end; `cycle` begins anew after decay_steps."""
    if not cycle:
        return _schedule('polynomial', 'polynomial_decay', global_step, learning_rate=learning_rate, decay_steps=decay_steps,
                         end_learning_rate=end_learning_rate, power=power, cycle=False, name=name)
    if global_step is None:
        raise ValueError('None values not supported. polynomial_decay needs the global step')
    from headrace.tf1.framework import control_flow
    with graph_lib.name_scope(name or 'PolynomialDecay') as scope:
        rate = convert.convert_to_tensor(learning_rate, name='initial_learning_rate')
        dtype = rate.dtype.base_dtype
        end, power = math.cast(end_learning_rate, dtype), math.cast(power, dtype)
        step, steps = math.cast(global_step, dtype), math.cast(decay_steps, dtype)
        # The first multiple of decay_steps that is not yet reached.
        periods = control_flow.cond(math.equal(step, 0), lambda: 1.0, lambda: math.ceil(step / decay_steps))
        part = math.divide(step, math.multiply(steps, periods))
        return math.add(math.multiply(rate - end, math.pow(1 - part, power)), end, name=scope)


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """From the learning rate to its part `alpha` along half a cosine (Loshchilov and Hutter, 2016)."""
    return _schedule('cosine', 'cosine_decay', global_step, learning_rate=learning_rate, decay_steps=decay_steps,
                     alpha=float(alpha), name=name)


def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
    """Cosine decay that starts anew, each time `t_mul` times as long and `m_mul` times as high."""
    if global_step is None:
        raise ValueError('None values not supported. cosine_decay_restarts needs the global step')
    from headrace.tf1.framework import control_flow
    with graph_lib.name_scope(name, 'SGDRDecay', [learning_rate, global_step]) as scope:
        rate = convert.convert_to_tensor(learning_rate, name='initial_learning_rate')
        dtype = rate.dtype.base_dtype
        steps, alpha, t_mul, m_mul = [math.cast(v, dtype) for v in (first_decay_steps, alpha, t_mul, m_mul)]
        done = math.cast(global_step, dtype) / steps

        def equal_periods():
            restarts = math.floor(done)
            return restarts, done - restarts

        def growing_periods():
            restarts = math.floor(math.log(1.0 - done * (1.0 - t_mul)) / math.log(t_mul))
            begun = (1.0 - t_mul ** restarts) / (1.0 - t_mul)
            return restarts, (done - begun) / t_mul ** restarts
        restarts, part = control_flow.cond(math.equal(t_mul, 1.0), equal_periods, growing_periods)
        height = m_mul ** restarts
        cosine = 0.5 * height * (1.0 + math.cos(convert.constant(_math.pi) * part))
        return math.multiply(rate, (1 - alpha) * cosine + alpha, name=scope)


def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """learning_rate * ((alpha + linear) * cosine + beta) (Bello et al., 2017)."""
    return _schedule('linear_cosine', 'linear_cosine_decay', global_step, learning_rate=learning_rate, decay_steps=decay_steps,
                     num_periods=float(num_periods), alpha=float(alpha), beta=float(beta), name=name)


def noisy_linear_cosine_decay(learning_rate, global_step, decay_steps, initial_variance=1.0, variance_decay=0.55, num_periods=0.5,
                              alpha=0.0, beta=0.001, name=None):
    """linear_cosine_decay with noise whose variance falls as (1 + global_step) ^ -variance_decay."""
    if global_step is None:
        raise ValueError('None values not supported. noisy_linear_cosine_decay needs the global step')
    from headrace.tf1.framework import random
    with graph_lib.name_scope(name, 'NoisyLinearCosineDecay', [learning_rate, global_step]) as scope:
        rate = convert.convert_to_tensor(learning_rate, name='initial_learning_rate')
        dtype = rate.dtype.base_dtype
        steps, variance, variance_decay, periods, alpha, beta = [
            math.cast(v, dtype) for v in (decay_steps, initial_variance, variance_decay, num_periods, alpha, beta)]
        step = math.minimum(math.cast(global_step, dtype), steps)
        linear = (steps - step) / steps
        deviation = math.sqrt(variance / math.pow(1.0 + step, variance_decay))
        noisy = linear + random.random_normal(linear.shape, stddev=deviation)
        fraction = 2.0 * periods * (step / steps)
        cosine = 0.5 * (1.0 + math.cos(convert.constant(_math.pi) * fraction))
        return math.multiply(rate, (alpha + noisy) * cosine + beta, name=scope)


def piecewise_constant(x, boundaries, values, name=None):
    """values[0] where x <= boundaries[0], values[i] where boundaries[i-1] < x <= boundaries[i], else the last one.

    Errors: ValueError for values that are not one more than boundaries, or of several dtypes.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError('The length of boundaries should be 1 less than the length of values')
    boundaries, values = convert.convert_n_to_tensor(boundaries), convert.convert_n_to_tensor(values)
    x = convert.convert_to_tensor(x)
    for i, boundary in enumerate(boundaries):
        if boundary.dtype.base_dtype == x.dtype.base_dtype:
            continue
        # What fits in int32 is an int32 constant, though the step is mostly int64.
        if boundary.dtype.base_dtype == dtypes.int32 and x.dtype.base_dtype == dtypes.int64:
            boundaries[i] = math.cast(boundary, dtypes.int64)
        else:
            raise ValueError('Boundaries (%s) must have the same dtype as x (%s).' % (boundary.dtype.base_dtype, x.dtype.base_dtype))
    for value in values[1:]:
        if value.dtype.base_dtype != values[0].dtype.base_dtype:
            raise ValueError('Values must have elements all with the same dtype (%s vs %s).' % (
                values[0].dtype.base_dtype, value.dtype.base_dtype))
    with graph_lib.name_scope(name, 'PiecewiseConstant', [x] + values):
        if not boundaries:
            return values[0]
        pairs = [(x <= boundaries[0], lambda: values[0]), (x > boundaries[-1], lambda: values[-1])]
        for low, high, value in zip(boundaries[:-1], boundaries[1:], values[1:-1]):
            pairs.append(((x > low) & (x <= high), lambda value=value: value))
        from headrace.tf1.framework import control_flow
        return control_flow.case(pairs, lambda: values[0], exclusive=True)


piecewise_constant_decay = piecewise_constant
