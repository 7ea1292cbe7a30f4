"""slim.learning: the operation of a training step, and a loop that runs it with checkpoints and summaries in the background."""
import os
import sys
import time

from headrace.tf1 import logging, summary
from headrace.tf1.contrib.training import training
from headrace.tf1.contrib.training.training import clip_gradient_norms, multiply_gradients  # noqa: F401
from headrace.tf1.framework import control, convert, errors, graph as graph_lib, math, protos, variables
from headrace.tf1.framework.graph import GraphKeys, name_scope
from headrace.tf1.train import training_util
from headrace.tf1.train.optimizer import Optimizer
from headrace.tf1.train.saver import Saver
from headrace.tf1.train.supervisor import Supervisor

_USE_DEFAULT = 0


def add_gradients_summaries(grads_and_vars):
    """A histogram and the norm of each gradient."""
    return training.summarize_gradients(grads_and_vars, '/gradient', '/gradient_norm')


def create_train_op(total_loss, optimizer, global_step=training.USE_GLOBAL_STEP, update_ops=None, variables_to_train=None,
                    clip_gradient_norm=0, summarize_gradients=False, gate_gradients=Optimizer.GATE_OP, aggregation_method=None,
                    colocate_gradients_with_ops=False, gradient_multipliers=None, check_numerics=True):
    """The loss, after the update operations and a step of the optimizer.

    clip_gradient_norm: the largest norm of a gradient (0: any). gradient_multipliers: {variable or its name: factor}.
    """
    def transform(gradients):
        if gradient_multipliers:
            with name_scope('multiply_grads'):
                gradients = multiply_gradients(gradients, gradient_multipliers)
        if clip_gradient_norm > 0:
            with name_scope('clip_grads'):
                gradients = clip_gradient_norms(gradients, clip_gradient_norm)
        return gradients
    return training.create_train_op(
        total_loss, optimizer, global_step=global_step, update_ops=update_ops, variables_to_train=variables_to_train,
        transform_grads_fn=transform, summarize_gradients=summarize_gradients, gate_gradients=gate_gradients,
        aggregation_method=aggregation_method, colocate_gradients_with_ops=colocate_gradients_with_ops, check_numerics=check_numerics)


def train_step(sess, train_op, global_step, train_step_kwargs):
    """One step. Returns (loss, is the training over?).

    train_step_kwargs: tensors "should_stop", "should_log" and "should_trace", and "logdir" and "summary_writer" for traces.
    """
    start = time.time()
    options = metadata = None
    if 'should_trace' in train_step_kwargs:
        if 'logdir' not in train_step_kwargs:
            raise ValueError('logdir must be present in train_step_kwargs when should_trace is present')
        if sess.run(train_step_kwargs['should_trace']):
            options = protos.message('RunOptions')(trace_level=3)
            metadata = protos.message('RunMetadata')()
    loss, step = sess.run([train_op, global_step], options=options, run_metadata=metadata)
    elapsed = time.time() - start
    if metadata is not None:
        from headrace.tf1.python.client import timeline
        path = os.path.join(train_step_kwargs['logdir'], 'tf_trace-%d.json' % step)
        logging.info('Writing trace to %s', path)
        with open(path, 'w') as file:
            file.write(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
        if 'summary_writer' in train_step_kwargs:
            train_step_kwargs['summary_writer'].add_run_metadata(metadata, 'run_metadata-%d' % step)
    if 'should_log' in train_step_kwargs and sess.run(train_step_kwargs['should_log']):
        logging.info('global step %d: loss = %.4f (%.3f sec/step)', step, loss, elapsed)
    return loss, sess.run(train_step_kwargs['should_stop']) if 'should_stop' in train_step_kwargs else False


def _is_default(value):
    return isinstance(value, int) and value == _USE_DEFAULT


def _local_init_op():
    tables = graph_lib.get_collection(GraphKeys.TABLE_INITIALIZERS)
    local = variables.local_variables_initializer()
    return control.group(local, control.group(*tables, name='init_all_tables') if tables else control.no_op(name='init_all_tables'))


def _step_tensors(global_step, number_of_steps, log_every_n_steps, trace_every_n_steps, logdir):
    """The tensors by which train_step knows what to do."""
    tensors = {}
    with name_scope('train_step'):
        if number_of_steps:
            tensors['should_stop'] = math.greater_equal(global_step, number_of_steps)
        else:
            tensors['should_stop'] = convert.constant(False)
        if log_every_n_steps > 0:
            tensors['should_log'] = math.equal(math.mod(global_step, log_every_n_steps), 0)
        if trace_every_n_steps is not None:
            tensors['should_trace'] = math.equal(math.mod(global_step, trace_every_n_steps), 0)
            tensors['logdir'] = logdir
    return tensors


def train(train_op, logdir, train_step_fn=train_step, train_step_kwargs=_USE_DEFAULT, log_every_n_steps=1, graph=None, master='',
          is_chief=True, global_step=None, number_of_steps=None, init_op=_USE_DEFAULT, init_feed_dict=None, local_init_op=_USE_DEFAULT,
          init_fn=None, ready_op=_USE_DEFAULT, summary_op=_USE_DEFAULT, save_summaries_secs=600, summary_writer=_USE_DEFAULT,
          startup_delay_steps=0, saver=None, save_interval_secs=600, sync_optimizer=None, session_config=None, session_wrapper=None,
          trace_every_n_steps=None, ignore_live_threads=False):
    """Runs train_step_fn until it says stop (default after number_of_steps), with checkpoints and summaries in `logdir`; goes on from a
    checkpoint that is there. Returns the last loss.

    Errors: ValueError for train_op None, for what needs a logdir without one, and for a number_of_steps below 1.
    """
    if train_op is None:
        raise ValueError('train_op cannot be None.')
    if logdir is None:
        for name, wrong in (('summary_op', not _is_default(summary_op)), ('saver', saver is not None),
                            ('trace_every_n_steps', trace_every_n_steps is not None)):
            if wrong:
                raise ValueError('Cannot provide %s because logdir=None' % name)
    if sync_optimizer is not None:
        raise NotImplementedError('slim.learning.train with a sync_optimizer is not here; towers in one graph are')
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError('`number_of_steps` must be either None or a positive number.')
    graph = graph or graph_lib.get_default_graph()
    with graph.as_default():
        global_step = training_util.get_or_create_global_step() if global_step is None else global_step
        saver = saver or Saver()
        with name_scope('init_ops'):
            init_op = variables.global_variables_initializer() if _is_default(init_op) else init_op
            ready_op = variables.report_uninitialized_variables() if _is_default(ready_op) else ready_op
            local_init_op = _local_init_op() if _is_default(local_init_op) else local_init_op
        summary_op = summary.merge_all() if _is_default(summary_op) else summary_op
        if _is_default(summary_writer):
            summary_writer = Supervisor.USE_DEFAULT
        if _is_default(train_step_kwargs):
            train_step_kwargs = _step_tensors(global_step, number_of_steps, log_every_n_steps, trace_every_n_steps if is_chief else None,
                                              logdir)
    sv = Supervisor(graph=graph, is_chief=is_chief, logdir=logdir, init_op=init_op, init_feed_dict=init_feed_dict,
                    local_init_op=local_init_op, ready_for_local_init_op=None, ready_op=ready_op, summary_op=summary_op,
                    summary_writer=summary_writer, global_step=global_step, saver=saver, save_summaries_secs=save_summaries_secs,
                    save_model_secs=save_interval_secs, init_fn=init_fn)
    if summary_writer is not None:
        train_step_kwargs['summary_writer'] = sv.summary_writer
    while True:
        try:
            return _run(sv, train_op, logdir, train_step_fn, train_step_kwargs, global_step, master, is_chief, number_of_steps,
                        startup_delay_steps, session_config, session_wrapper, ignore_live_threads)
        except errors.AbortedError:
            logging.info('Retrying training!')


def _run(sv, train_op, logdir, train_step_fn, train_step_kwargs, global_step, master, is_chief, number_of_steps, startup_delay_steps,
         session_config, session_wrapper, ignore_live_threads):
    loss = None
    with sv.managed_session(master, start_standard_services=False, config=session_config) as sess:
        logging.info('Starting Session.')
        if session_wrapper is not None:
            logging.info('Wrapping session with wrapper function: %s', session_wrapper)
            sess = session_wrapper(sess)
        if is_chief and logdir:
            sv.start_standard_services(sess)
        elif not is_chief and startup_delay_steps > 0:
            while training_util.global_step(sess, global_step) < min(startup_delay_steps, number_of_steps or sys.maxsize):
                time.sleep(1.0)
        threads = sv.start_queue_runners(sess)
        logging.info('Starting Queues.')
        try:
            while not sv.should_stop():
                loss, stop = train_step_fn(sess, train_op, global_step, train_step_kwargs)
                if stop:
                    logging.info('Stopping Training.')
                    sv.request_stop()
                    break
        except errors.OutOfRangeError as e:
            logging.info('Caught OutOfRangeError. Stopping Training. %s', e)
        if logdir and sv.is_chief:
            # Threads that save in the background end first: the last checkpoint is that of the last step.
            try:
                sv.stop(threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads)
            finally:
                logging.info('Finished training! Saving model to disk.')
                sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
    return loss
