"""tf.contrib.training: hyperparameters, operations and loops of training, waiting for checkpoints."""
from headrace.tf1.contrib.training.evaluation import (  # noqa: F401
    StopAfterNEvalsHook, SummaryAtEndHook, checkpoints_iterator, evaluate_once, evaluate_repeatedly, get_or_create_eval_step,
    wait_for_new_checkpoint)
from headrace.tf1.contrib.training.hparam import HParams, parse_values  # noqa: F401
from headrace.tf1.contrib.training.training import (  # noqa: F401
    add_gradients_summaries, clip_gradient_norms, clip_gradient_norms_fn, create_train_op, multiply_gradients, train)
