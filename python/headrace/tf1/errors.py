"""tf.errors"""
from headrace.tf1.framework.errors import *  # noqa: F401,F403
from headrace.tf1.framework.errors import OpError, raise_exception_on_not_ok_status  # noqa: F401
