"""Evaluating checkpoints: one, or all that come, with as many batches as a hook says, and summaries at the end."""
import time

from headrace.tf1 import logging, summary
from headrace.tf1.framework import array, dtypes, graph as graph_lib, init, variable_scope as vs, variables
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.train import monitored_session, training_util
from headrace.tf1.train.basic_session_run_hooks import FinalOpsHook
from headrace.tf1.train.checkpoint_utils import checkpoints_iterator, wait_for_new_checkpoint  # noqa: F401
from headrace.tf1.train.session_run_hook import SessionRunArgs, SessionRunHook


def get_or_create_eval_step():
    """The local variable that counts the batches of an evaluation. ValueError for several in the collection EVAL_STEP."""
    found = graph_lib.get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError('Multiple tensors added to tf.GraphKeys.EVAL_STEP')
    return found[0] if found else vs.get_variable(
        'eval_step', shape=[], dtype=dtypes.int64, initializer=init.zeros_initializer(), trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP])


class StopAfterNEvalsHook(SessionRunHook):
    """Ends an evaluation after num_evals batches (None: never)."""

    def __init__(self, num_evals, log_progress=True):
        self._num_evals, self._log_progress, self._evals_completed = num_evals, log_progress, None
        self._log_frequency = 1 if num_evals is None or num_evals < 20 else num_evals // 10

    def _set_evals_completed_tensor(self, updated_eval_step):
        self._evals_completed = updated_eval_step

    def before_run(self, run_context):
        return SessionRunArgs({'evals_completed': self._evals_completed})

    def after_run(self, run_context, run_values):
        done = run_values.results['evals_completed']
        if self._log_progress:
            if self._num_evals is None:
                logging.info('Evaluation [%d]', done)
            elif done % self._log_frequency == 0 or done == self._num_evals:
                logging.info('Evaluation [%d/%d]', done, self._num_evals)
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes a summary when the evaluation ends. ValueError without log_dir and summary_writer."""

    def __init__(self, log_dir=None, summary_writer=None, summary_op=None, feed_dict=None):
        if log_dir is None and summary_writer is None:
            raise ValueError('One of log_dir or summary_writer should be used.')
        self._log_dir, self._writer, self._feed_dict = log_dir, summary_writer, feed_dict
        self._summary_op, self._replace = summary_op, summary_op is None

    def begin(self):
        if self._replace:
            self._summary_op = summary.merge_all()
        self._global_step = training_util.get_or_create_global_step()

    def after_create_session(self, session, coord):
        if self._writer is None and self._log_dir:
            self._writer = summary.FileWriterCache.get(self._log_dir)

    def end(self, session):
        if self._summary_op is not None:
            step = training_util.global_step(session, self._global_step)
            text = session.run(self._summary_op, self._feed_dict)
            if self._writer:
                self._writer.add_summary(text, step)
        if self._writer:
            self._writer.flush()


def _counted(eval_ops, update):
    """The operations of a batch with the one that counts it."""
    if isinstance(eval_ops, dict):
        return dict(eval_ops, update_eval_step=update)
    return (list(eval_ops) if isinstance(eval_ops, (tuple, list)) else [eval_ops]) + [update]


def _tell(hooks, count):
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(count)


def _run(path, master, scaffold, config, hooks, eval_ops, feed_dict):
    creator = monitored_session.ChiefSessionCreator(scaffold=scaffold, checkpoint_filename_with_path=path, master=master, config=config)
    logging.info('Starting evaluation at ' + time.strftime('%Y-%m-%d-%H:%M:%S', time.gmtime()))
    with monitored_session.MonitoredSession(session_creator=creator, hooks=hooks) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    logging.info('Finished evaluation at ' + time.strftime('%Y-%m-%d-%H:%M:%S', time.gmtime()))


def evaluate_once(checkpoint_path, master='', scaffold=None, eval_ops=None, feed_dict=None, final_ops=None, final_ops_feed_dict=None,
                  hooks=None, config=None):
    """Runs eval_ops on a checkpoint until a hook stops it, then final_ops once. Returns what these gave."""
    step = get_or_create_eval_step()
    hooks = list(hooks or [])
    if eval_ops is not None:
        eval_ops = _counted(eval_ops, variables.assign_add(step, 1, use_locking=True))
        with graph_lib.control_dependencies(eval_ops.values() if isinstance(eval_ops, dict) else eval_ops):
            count = array.identity(get_or_create_eval_step().read_value())
        _tell(hooks, count)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    _run(checkpoint_path, master, scaffold, config, hooks + [final], eval_ops, feed_dict)
    return final.final_ops_values


def evaluate_repeatedly(checkpoint_dir, master='', scaffold=None, eval_ops=None, feed_dict=None, final_ops=None,
                        final_ops_feed_dict=None, eval_interval_secs=60, hooks=None, config=None, max_number_of_evaluations=None,
                        timeout=None, timeout_fn=None):
    """evaluate_once for each checkpoint of a folder as it comes. Returns what final_ops gave last."""
    step = get_or_create_eval_step()
    hooks = [] if hooks is None else hooks
    if eval_ops is not None:
        update = variables.assign_add(step, 1)
        _tell(hooks, update)
        eval_ops = _counted(eval_ops, update)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    count = 0
    for path in checkpoints_iterator(checkpoint_dir, min_interval_secs=eval_interval_secs, timeout=timeout, timeout_fn=timeout_fn):
        _run(path, master, scaffold, config, hooks + [final], eval_ops, feed_dict)
        count += 1
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return final.final_ops_values
