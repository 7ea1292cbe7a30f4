"""slim.evaluation: metrics of checkpoints over so many batches, with summaries."""
from headrace.tf1 import summary
from headrace.tf1.contrib.training import evaluation
from headrace.tf1.contrib.training.evaluation import checkpoints_iterator, wait_for_new_checkpoint  # noqa: F401
from headrace.tf1.train.monitored_session import Scaffold
from headrace.tf1.train.saver import Saver

_USE_DEFAULT = 0


def _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks):
    if isinstance(summary_op, int) and summary_op == _USE_DEFAULT:
        summary_op = summary.merge_all()
    made = [evaluation.StopAfterNEvalsHook(num_evals)]
    if summary_op is not None:
        made.append(evaluation.SummaryAtEndHook(log_dir=logdir, summary_op=summary_op, feed_dict=summary_op_feed_dict))
    return made + list(hooks or [])


def evaluate_once(master, checkpoint_path, logdir, num_evals=1, initial_op=None, initial_op_feed_dict=None, eval_op=None,
                  eval_op_feed_dict=None, final_op=None, final_op_feed_dict=None, summary_op=_USE_DEFAULT, summary_op_feed_dict=None,
                  variables_to_restore=None, session_config=None, hooks=None):
    """Restores a checkpoint, runs eval_op num_evals times, then final_op once. Returns what that gave."""
    hooks = _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks)
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    return evaluation.evaluate_once(
        checkpoint_path, master=master, scaffold=Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver),
        eval_ops=eval_op, feed_dict=eval_op_feed_dict, final_ops=final_op, final_ops_feed_dict=final_op_feed_dict, hooks=hooks,
        config=session_config)


def evaluation_loop(master, checkpoint_dir, logdir, num_evals=1, initial_op=None, initial_op_feed_dict=None, init_fn=None, eval_op=None,
                    eval_op_feed_dict=None, final_op=None, final_op_feed_dict=None, summary_op=_USE_DEFAULT, summary_op_feed_dict=None,
                    variables_to_restore=None, eval_interval_secs=60, max_number_of_evaluations=None, session_config=None, timeout=None,
                    timeout_fn=None, hooks=None):
    """evaluate_once for each checkpoint of a folder as it comes, at most every eval_interval_secs seconds."""
    hooks = _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks)
    saver = None if variables_to_restore is None else Saver(variables_to_restore)
    return evaluation.evaluate_repeatedly(
        checkpoint_dir, master=master,
        scaffold=Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, init_fn=init_fn, saver=saver), eval_ops=eval_op,
        feed_dict=eval_op_feed_dict, final_ops=final_op, final_ops_feed_dict=final_op_feed_dict, eval_interval_secs=eval_interval_secs,
        hooks=hooks, config=session_config, max_number_of_evaluations=max_number_of_evaluations, timeout=timeout, timeout_fn=timeout_fn)
