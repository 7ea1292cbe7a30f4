"""tf.contrib.staging: input that one step prepares while another computes."""
from headrace.tf1.framework.staging import StagingArea  # noqa: F401
