"""tf.contrib.tensorboard.plugins"""
from headrace.tf1.contrib.tensorboard.plugins import projector  # noqa: F401
