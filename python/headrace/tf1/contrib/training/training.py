"""Operations of training: gradients that are clipped, scaled and summarised, and the loss after an update."""
from headrace.tf1 import logging, summary
from headrace.tf1.framework import array, control, convert, graph as graph_lib, math, variables
from headrace.tf1.framework.graph import GraphKeys, IndexedSlices, name_scope
from headrace.tf1.train import training_util
from headrace.tf1.train.optimizer import Optimizer

USE_GLOBAL_STEP = 0


def _map(gradient, function):
    """function(gradient); for slices of their values."""
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(function(gradient.values), gradient.indices, gradient.dense_shape)
    return function(gradient)


def summarize_gradients(grads_and_vars, histogram, norm):
    """A histogram and the norm of each gradient, named after its variable with these endings."""
    summaries = []
    for gradient, var in grads_and_vars:
        if gradient is None:
            logging.info('Var %s has no gradient', var.op.name)
            continue
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        summaries.append(summary.histogram(var.op.name + histogram, values))
        summaries.append(summary.scalar(var.op.name + norm, math.global_norm([values])))
    return summaries


def add_gradients_summaries(grads_and_vars):
    return summarize_gradients(grads_and_vars, '_gradient', '_gradient_norm')


def clip_gradient_norms(gradients_to_variables, max_norm):
    """Each gradient with a norm of at most max_norm."""
    return [(None if gradient is None else _map(gradient, lambda g: math.clip_by_norm(g, max_norm)), var)
            for gradient, var in gradients_to_variables]


def clip_gradient_norms_fn(max_norm):
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def multiply_gradients(grads_and_vars, gradient_multipliers):
    """Gradients times factors. gradient_multipliers: {variable or its name: factor}. ValueError for None as gradient of such a variable."""
    if not isinstance(grads_and_vars, list):
        raise ValueError('`grads_and_vars` must be a list.')
    if not gradient_multipliers:
        raise ValueError('`gradient_multipliers` is empty.')
    if not isinstance(gradient_multipliers, dict):
        raise ValueError('`gradient_multipliers` must be a dict.')
    multiplied = []
    for gradient, var in grads_and_vars:
        key = var if var in gradient_multipliers else var.op.name
        if key in gradient_multipliers:
            if gradient is None:
                raise ValueError('Requested multiple of `None` gradient.')
            factor = convert.convert_to_tensor(gradient_multipliers[key], dtype=gradient.dtype)
            gradient = _map(gradient, lambda g, factor=factor: g * factor)
        multiplied.append((gradient, var))
    return multiplied


def create_train_op(total_loss, optimizer, global_step=USE_GLOBAL_STEP, update_ops=None, variables_to_train=None, transform_grads_fn=None,
                    summarize_gradients=False, gate_gradients=Optimizer.GATE_OP, aggregation_method=None,
                    colocate_gradients_with_ops=False, check_numerics=True, summarizer=add_gradients_summaries):
    """The loss, after the update operations (default those of UPDATE_OPS) and a step of the optimizer; in the collection TRAIN_OP.

    transform_grads_fn: a function of [(gradient, variable)]. check_numerics: a loss that is no number ends the training.
    """  # pylint: disable=redefined-outer-name
    if global_step is USE_GLOBAL_STEP:
        global_step = training_util.get_or_create_global_step()
    registered = graph_lib.get_collection(GraphKeys.UPDATE_OPS)
    update_ops = list(dict.fromkeys(registered if update_ops is None else update_ops))
    if not set(registered).issubset(update_ops):
        logging.warning('update_ops in create_train_op does not contain all the update_ops in GraphKeys.UPDATE_OPS')
    if update_ops:
        with graph_lib.control_dependencies(update_ops):
            barrier = control.no_op(name='update_barrier')
        total_loss = control.with_dependencies([barrier], total_loss)
    if variables_to_train is None:
        variables_to_train = variables.trainable_variables()
    if not variables_to_train:
        raise AssertionError('there are no variables to train')
    for var in variables_to_train:
        if not var.trainable and var not in variables.trainable_variables():
            raise AssertionError('%s is not trainable' % var.name)
    gradients = optimizer.compute_gradients(total_loss, variables_to_train, gate_gradients=gate_gradients,
                                            aggregation_method=aggregation_method,
                                            colocate_gradients_with_ops=colocate_gradients_with_ops)
    if transform_grads_fn:
        gradients = transform_grads_fn(gradients)
    if summarize_gradients:
        with name_scope('summarize_grads'):
            summarizer(gradients)
    update = optimizer.apply_gradients(gradients, global_step=global_step)
    with name_scope('train_op'):
        if check_numerics:
            total_loss = array.check_numerics(total_loss, 'LossTensor is inf or nan')
        train_op = control.with_dependencies([update], total_loss)
    if train_op not in graph_lib.get_collection(GraphKeys.TRAIN_OP):
        graph_lib.add_to_collection(GraphKeys.TRAIN_OP, train_op)
    return train_op


def train(train_op, logdir, master='', is_chief=True, scaffold=None, hooks=None, chief_only_hooks=None, save_checkpoint_secs=600,
          save_summaries_steps=100, config=None, max_wait_secs=7200, run_metadata=None):
    """Runs train_op in a MonitoredTrainingSession until a hook stops it. Returns the last loss.

    Errors: ValueError for a chief without logdir that is to save something.
    """
    from headrace.tf1.train.monitored_session import MonitoredTrainingSession
    if logdir is None and is_chief:
        if save_summaries_steps:
            raise ValueError('logdir cannot be None when save_summaries_steps is not None')
        if save_checkpoint_secs:
            raise ValueError('logdir cannot be None when save_checkpoint_secs is not None')
    with MonitoredTrainingSession(master=master, is_chief=is_chief, checkpoint_dir=logdir, scaffold=scaffold, hooks=hooks,
                                  chief_only_hooks=chief_only_hooks, save_checkpoint_secs=save_checkpoint_secs,
                                  save_summaries_steps=save_summaries_steps, config=config, max_wait_secs=max_wait_secs) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
