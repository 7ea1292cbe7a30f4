"""tf.dtypes"""
from headrace.tf1.framework.dtypes import *  # noqa: F401,F403
from headrace.tf1.framework.dtypes import DType, as_dtype  # noqa: F401
from headrace.tf1.framework.math import cast, complex, saturate_cast  # noqa: F401
from headrace.tf1.framework.strings import as_string  # noqa: F401
