#include <algorithm>
#include <cmath>

#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace::testing {
namespace {

constexpr int64_t kMostProbes = 48;  // elements of an input that are moved

// sum_i sum(ys[i] * weights[i]).
StatusOr<double> WeightedSum(GraphRunner& runner, const std::vector<Output>& ys,
                             const std::vector<Tensor>& weights, const Feeds& feeds) {
  HR_ASSIGN_OR_RETURN(std::vector<Tensor> values, runner.Run(ys, feeds));
  double sum = 0;
  for (size_t i = 0; i < ys.size(); ++i) {
    const std::vector<double> y = ToDoubles(values[i]), w = ToDoubles(weights[i]);
    if (y.size() != w.size())
      return InvalidArgument("the shape of output ", i, " depends on input values");
    for (size_t k = 0; k < y.size(); ++k) sum += y[k] * w[k];
  }
  return sum;
}

// The dense value of a gradient; slices are added up here, so that the check needs no segment op.
StatusOr<Tensor> DenseValue(GraphRunner& runner, const Gradient& gradient, const Tensor& x,
                            const Feeds& feeds) {
  if (!gradient.connected())
    return FromDoubles(std::vector<double>(x.num_elements()), x.shape(), x.dtype());
  if (gradient.dense.valid()) {
    HR_ASSIGN_OR_RETURN(std::vector<Tensor> values, runner.Run({gradient.dense}, feeds));
    return values[0];
  }
  HR_ASSIGN_OR_RETURN(std::vector<Tensor> parts,
                      runner.Run({gradient.slices->values, gradient.slices->indices}, feeds));
  std::vector<double> dense(x.num_elements());
  const std::vector<double> values = ToDoubles(parts[0]), rows = ToDoubles(parts[1]);
  const int64_t row_size = x.shape().Product(1, x.rank());
  for (size_t i = 0; i < values.size(); ++i) {
    dense[static_cast<int64_t>(rows[i / row_size]) * row_size +
          static_cast<int64_t>(i) % row_size] += values[i];
  }
  return FromDoubles(dense, x.shape(), x.dtype());
}

// Central differences at some elements of one input; "" when they agree with `analytic`.
StatusOr<std::string> CompareWithDifferences(GraphRunner& runner, const std::vector<Output>& ys,
                                             const std::vector<Tensor>& weights, Output x,
                                             const Tensor& analytic, Feeds feeds,
                                             const GradientCheckOptions& options) {
  const Tensor value = feeds.at(x);
  if (analytic.shape() != value.shape()) {
    return StrCat("the gradient's shape is ", analytic.shape().ToString(), ", that of the input ",
                  value.shape().ToString());
  }
  const std::vector<double> at = ToDoubles(value), got = ToDoubles(analytic);
  const int64_t n = value.num_elements(), stride = std::max<int64_t>(1, n / kMostProbes);
  for (int64_t i = 0; i < n; i += stride) {
    const double h = options.step * std::max(1.0, std::abs(at[i]));
    double sums[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<double> moved = at;
      moved[i] += side == 0 ? h : -h;
      feeds[x] = FromDoubles(moved, value.shape(), value.dtype());
      HR_ASSIGN_OR_RETURN(sums[side], WeightedSum(runner, ys, weights, feeds));
    }
    const double numeric = (sums[0] - sums[1]) / (2 * h);
    if (!(std::abs(got[i] - numeric) <= options.tolerance * std::max(1.0, std::abs(numeric)))) {
      return StrCat("gradient ", got[i], " at element ", i, " (value ", at[i],
                    "), but differences give ", numeric);
    }
  }
  return std::string();
}

StatusOr<std::string> Check(std::vector<Output> ys, std::vector<Output> xs, Feeds feeds,
                            GraphRunner& runner, const GradientCheckOptions& options, int order) {
  Graph& graph = *ys[0].graph();
  HR_ASSIGN_OR_RETURN(std::vector<Tensor> values, runner.Run(ys, feeds));
  std::vector<Output> weights;
  std::vector<Tensor> weight_values;
  for (size_t i = 0; i < ys.size(); ++i) {
    weight_values.push_back(
        RandomTensor(ys[i].value_dtype(), values[i].shape(), 0.25, 1.25, 7 + i + 100 * order));
    weights.push_back(FedTensor(graph, ys[i].value_dtype(), values[i].shape(), "grad_y"));
    feeds[weights.back()] = weight_values.back();
  }
  const std::vector<Gradient> gradients = Gradients(ys, xs, {.grad_ys = weights});
  HR_RETURN_IF_ERROR(graph.status());
  std::vector<Output> next_ys, next_xs = xs;
  for (size_t i = 0; i < xs.size(); ++i) {
    HR_ASSIGN_OR_RETURN(Tensor analytic, DenseValue(runner, gradients[i], feeds.at(xs[i]), feeds));
    HR_ASSIGN_OR_RETURN(
        std::string difference,
        CompareWithDifferences(runner, ys, weight_values, xs[i], analytic, feeds, options));
    if (!difference.empty()) {
      return StrCat("order ", order, ", of '", xs[i].name(), "': ", difference,
                    gradients[i].connected()
                        ? ""
                        : StrCat(" (unconnected: ", WhyUnconnected(ys, xs[i]), ")"));
    }
    if (gradients[i].dense.valid()) next_ys.push_back(gradients[i].dense);
  }
  if (order >= options.order || next_ys.empty()) return std::string();
  next_xs.insert(next_xs.end(), weights.begin(), weights.end());
  return Check(std::move(next_ys), std::move(next_xs), std::move(feeds), runner, options,
               order + 1);
}

}  // namespace

std::string GradientDifference(const std::vector<Output>& ys, const std::vector<Output>& xs,
                               const Feeds& feeds, GraphRunner& runner,
                               GradientCheckOptions options) {
  const StatusOr<std::string> result = Check(ys, xs, feeds, runner, options, 1);
  return result.ok() ? *result : StrCat("an error: ", Message(result.status()));
}

}  // namespace headrace::testing
