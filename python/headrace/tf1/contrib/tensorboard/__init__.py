"""tf.contrib.tensorboard"""
from headrace.tf1.contrib.tensorboard import plugins  # noqa: F401
