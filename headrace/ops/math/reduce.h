// One number from many: sums, means and the like over some axes.
//
//   Output loss = ReduceMean(losses);                       // over everything: a scalar
//   Output rows = ReduceSum(x, 1, {.keep_dims = true});     // [n, m] -> [n, 1]
//   Output c = ReduceMax(x, {0, -1});
#pragma once

#include <optional>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// Which axes: all (the default), some as numbers (negative ones count from the end), or an
// int32/int64 tensor.
class ReduceAxes {
 public:
  ReduceAxes() = default;
  ReduceAxes(Output axes) : axes_(axes) {}  // NOLINT: reads as a value
  ReduceAxes(int axis) : axes_(axis) {}     // NOLINT
  ReduceAxes(std::initializer_list<int64_t> axes) : axes_(IntArg(axes)) {}  // NOLINT
  ReduceAxes(std::vector<int64_t> axes) : axes_(std::move(axes)) {}         // NOLINT
  ReduceAxes(IntArg axes) : axes_(std::move(axes)) {}                       // NOLINT

  bool all() const { return !axes_.has_value(); }
  const IntArg& arg() const { return *axes_; }  // REQUIRES: !all()

 private:
  std::optional<IntArg> axes_;
};

struct ReduceOptions {
  bool keep_dims = false;  // reduced axes stay, with dimension 1
  std::string name;        // "" = "Sum", "Mean", ...
};

// Shapes: the axes are dropped (or 1). Sum, Mean, Prod: all numeric dtypes, Max and Min: real ones.
// Over nothing: 0, NaN, 1, lowest, highest. float16 and bfloat16 are accumulated in float32; the
// order of summation depends on the shape alone, so the bits do not depend on the number of
// threads. Integer means round towards zero. Max and Min pass NaN over. Errors: InvalidArgument for
// an axis outside [-rank, rank) or given twice. Gradient: as in TensorFlow, differentiable again.
// Source: TensorFlow Sum, Mean, Prod, Max, Min.
Output ReduceSum(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                 Location where = Location::Current());
Output ReduceMean(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                  Location where = Location::Current());
Output ReduceProd(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                  Location where = Location::Current());
Output ReduceMax(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                 Location where = Location::Current());
Output ReduceMin(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                 Location where = Location::Current());

// sqrt(sum(|x|^2)); of integers rounded down. Over nothing: 0. DTypes: numbers. Gradient: none, as
// in TensorFlow. Source: TensorFlow EuclideanNorm.
Output EuclideanNorm(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                     Location where = Location::Current());

// DTypes: bool. Over nothing: true, false. Gradient: none. Source: TensorFlow All, Any.
Output ReduceAll(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                 Location where = Location::Current());
Output ReduceAny(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                 Location where = Location::Current());

// log(sum(exp(x))) without overflow, from other ops. Source: tf.reduce_logsumexp.
Output ReduceLogSumExp(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                       Location where = Location::Current());

// Mean of the squared distances from the mean, and its square root, from other ops. DTypes:
// floating and complex ones. Source: tf.math.reduce_variance, tf.math.reduce_std.
Output ReduceVariance(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                      Location where = Location::Current());
Output ReduceStd(Output x, ReduceAxes axes = {}, ReduceOptions o = {},
                 Location where = Location::Current());

}  // namespace headrace
