"""Waiting for checkpoints to evaluate."""
from headrace.tf1.contrib.training.checkpoints import checkpoints_iterator, wait_for_new_checkpoint  # noqa: F401
