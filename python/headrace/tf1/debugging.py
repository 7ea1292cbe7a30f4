"""tf.debugging: checks of values, ranks, dtypes and order."""
from headrace.tf1.framework.array import check_numerics
from headrace.tf1.framework.checks import (
    assert_equal, assert_greater, assert_greater_equal, assert_integer, assert_less, assert_less_equal, assert_near, assert_negative,
    assert_non_negative, assert_non_positive, assert_none_equal, assert_positive, assert_proper_iterable, assert_rank,
    assert_rank_at_least, assert_rank_in, assert_same_float_dtype, assert_scalar, assert_shapes, assert_type, is_non_decreasing,
    is_numeric_tensor, is_strictly_increasing)
from headrace.tf1.framework.control import Assert
from headrace.tf1.framework.math import is_finite, is_inf, is_nan
from headrace.tf1.framework.search import verify_tensor_all_finite as assert_all_finite  # noqa: F401
