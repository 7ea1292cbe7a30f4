"""optimize_loss: an optimizer with clipping, noise, decay of its rate and summaries in one call."""
from headrace.tf1 import summary, train
from headrace.tf1.framework import (
    array, control, convert, graph as graph_lib, init, math, random, variable_scope as vs, variables as vars_lib)
from headrace.tf1.framework.graph import GraphKeys, IndexedSlices, Tensor
from headrace.tf1.train.optimizer import Optimizer

OPTIMIZER_CLS_NAMES = {
    'Adagrad': train.AdagradOptimizer,
    'Adam': train.AdamOptimizer,
    'Ftrl': train.FtrlOptimizer,
    'Momentum': lambda learning_rate: train.MomentumOptimizer(learning_rate, momentum=0.9),
    'RMSProp': train.RMSPropOptimizer,
    'SGD': train.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ['learning_rate', 'loss', 'gradients', 'gradient_norm', 'global_gradient_norm']


def optimize_loss(loss, global_step, learning_rate, optimizer, gradient_noise_scale=None, gradient_multipliers=None, clip_gradients=None,
                  learning_rate_decay_fn=None, update_ops=None, variables=None, name=None, summaries=None,
                  colocate_gradients_with_ops=False, increment_global_step=True):
    """The loss, after a step that makes it smaller.

    optimizer: a name of OPTIMIZER_CLS_NAMES, a class, an object, or a function of the rate. clip_gradients: the largest global norm, or
    a function of [(gradient, variable)]. gradient_multipliers: {variable or its name: factor}. summaries: of OPTIMIZER_SUMMARIES.
    Errors: ValueError for what is none of these, a negative rate, and a decay without global step.
    """
    loss = convert.convert_to_tensor(loss)
    with graph_lib.name_scope(None, 'assert_scalar', [loss]):
        if loss.get_shape().ndims != 0:
            raise ValueError('Expected scalar shape for %s, saw shape: %s.' % (loss.name, loss.get_shape()))
    if global_step is None:
        global_step = train.get_global_step()
    else:
        train.assert_global_step(global_step)
    with vs.variable_scope(name, 'OptimizeLoss', [v for v in (loss, global_step) if v is not None]):
        if update_ops is None:
            update_ops = graph_lib.get_collection(GraphKeys.UPDATE_OPS)
        if update_ops:
            loss = control.with_dependencies(list(dict.fromkeys(update_ops)), loss)
        rate = _rate(learning_rate)
        if summaries is None:
            summaries = ['loss', 'learning_rate', 'global_gradient_norm']
        for item in summaries:
            if item not in OPTIMIZER_SUMMARIES:
                raise ValueError('Summaries should be one of [%s], you provided %s.' % (', '.join(OPTIMIZER_SUMMARIES), item))
        if learning_rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError('global_step is required for learning_rate_decay_fn.')
            rate = learning_rate_decay_fn(rate, global_step)
            if 'learning_rate' in summaries:
                summary.scalar('learning_rate', rate)
        optimizer = _optimizer(optimizer, rate, learning_rate)
        pairs = optimizer.compute_gradients(loss, vars_lib.trainable_variables() if variables is None else variables,
                                            colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gradient_noise_scale is not None:
            pairs = [(_with_noise(gradient, gradient_noise_scale), variable) for gradient, variable in pairs]
        if gradient_multipliers is not None:
            pairs = [(_multiplied(gradient, variable, gradient_multipliers), variable) for gradient, variable in pairs]
            if not pairs:
                raise ValueError('Empty list of (gradient, var) pairs encountered. This is most likely to be caused by an improper value '
                                 'of gradient_multipliers.')
        norms = 'global_gradient_norm' in summaries or 'gradient_norm' in summaries
        if norms:
            summary.scalar('global_norm/gradient_norm', math.global_norm([gradient for gradient, _ in pairs]))
        pairs = _clipped(pairs, clip_gradients)
        if 'loss' in summaries:
            summary.scalar('loss', loss)
        _summarize(pairs, summaries)
        if clip_gradients is not None and norms:
            summary.scalar('global_norm/clipped_gradient_norm', math.global_norm([gradient for gradient, _ in pairs]))
        update = optimizer.apply_gradients(pairs, global_step=global_step if increment_global_step else None, name='train')
        return control.with_dependencies([update], loss)


def _rate(learning_rate):
    """The learning rate as a tensor; a number in an untrainable variable."""
    if learning_rate is None:
        return None
    if isinstance(learning_rate, Tensor) and learning_rate.get_shape().ndims == 0:
        return learning_rate
    if not isinstance(learning_rate, float):
        raise ValueError('Learning rate should be 0d Tensor or float. Got %s of type %s' % (learning_rate, type(learning_rate)))
    if learning_rate < 0.0:
        raise ValueError('Invalid learning_rate %s.', learning_rate)
    return vs.get_variable('learning_rate', [], trainable=False, initializer=init.constant_initializer(learning_rate))


def _optimizer(optimizer, rate, learning_rate):
    if isinstance(optimizer, Optimizer):
        return optimizer
    if isinstance(optimizer, str):
        if rate is None:
            raise ValueError('Learning rate is None, but should be specified if optimizer is string (%s).' % optimizer)
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError('Optimizer name should be one of [%s], you provided %s.' % (', '.join(OPTIMIZER_CLS_NAMES), optimizer))
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, type) and issubclass(optimizer, Optimizer):
        if rate is None:
            raise ValueError('Learning rate is None, but should be specified if optimizer is class (%s).' % optimizer)
        return optimizer(learning_rate=rate)
    if callable(optimizer):
        made = optimizer(rate) if learning_rate is not None else optimizer()
        if not isinstance(made, Optimizer):
            raise ValueError('Unrecognized optimizer: function should return subclass of Optimizer. Got %s.' % (made,))
        return made
    raise ValueError('Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of Optimizer or function with '
                     'one argument. Got %s.' % (optimizer,))


def _with_noise(gradient, scale):
    if gradient is None:
        return None
    shape = gradient.dense_shape if isinstance(gradient, IndexedSlices) else gradient.get_shape()
    return gradient + random.truncated_normal(shape) * scale


def _multiplied(gradient, variable, multipliers):
    key = variable if variable in multipliers else variable.name
    if gradient is None or key not in multipliers:
        return gradient
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * multipliers[key], gradient.indices, gradient.dense_shape)
    return gradient * math.cast(multipliers[key], gradient.dtype)


def _clipped(pairs, clip):
    if clip is None:
        return pairs
    if isinstance(clip, float):
        gradients, variables = zip(*pairs)
        return list(zip(math.clip_by_global_norm(gradients, clip)[0], variables))
    if callable(clip):
        return clip(pairs)
    raise ValueError('Unknown type %s for clip_gradients' % type(clip))


def _summarize(pairs, summaries):
    for gradient, variable in pairs:
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        if values is None:
            continue
        name = variable.name.replace(':', '_')
        if 'gradients' in summaries:
            summary.histogram('gradients/%s' % name, values)
        if 'gradient_norm' in summaries:
            summary.scalar('gradient_norm/%s' % name, math.global_norm([values]))


# ---- clipping by what is usual

def adaptive_clipping_fn(std_factor=2., decay=0.95, static_max_norm=None, global_step=None, report_summary=False, epsilon=1e-8, name=None):
    """A function for `clip_gradients`: gradients whose global norm is more than std_factor deviations above its running mean (of
    logarithms) are scaled down to the mean."""
    def clip(grads_and_vars):
        gradients, variables = zip(*grads_and_vars)
        norm = math.global_norm(gradients)
        largest, log_mean = _usual_norm(norm, std_factor, decay, global_step, epsilon, name)
        if report_summary:
            summary.scalar('global_norm/adaptive_max_gradient_norm', largest)
        factor = array.where(norm < largest, array.ones_like(norm), math.exp(log_mean) / norm)
        if static_max_norm is not None:
            factor = math.minimum(static_max_norm / norm, factor)

        def scaled(gradient):
            if isinstance(gradient, IndexedSlices):
                return IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
            return None if gradient is None else gradient * factor
        return list(zip([scaled(gradient) for gradient in gradients], variables))
    return clip


def _usual_norm(norm, std_factor, decay, global_step, epsilon, name):
    """(largest norm that is not clipped, running mean of the logarithm)"""
    from headrace.tf1.train.moving_averages import assign_moving_average
    with vs.variable_scope(name, 'AdaptiveMaxNorm', [norm]):
        log_norm = math.log(norm + epsilon)
        if global_step is not None:
            n = math.cast(global_step, 'float32')
            decay = math.minimum(decay, n / (n + 1.))

        def average(last, value):
            variable = vs.get_variable(last, shape=value.get_shape(), dtype=value.dtype, initializer=init.zeros_initializer(),
                                       trainable=False)
            return assign_moving_average(variable, value, decay, zero_debias=False)
        mean = average('mean', log_norm)
        square_mean = average('sq_mean', math.square(log_norm))
        deviation = math.sqrt(math.maximum(epsilon, square_mean - math.square(mean)))
        return math.exp(mean + std_factor * deviation), mean
