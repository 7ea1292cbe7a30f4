#include "headrace/train/regularizers.h"

#include "headrace/base/strings.h"
#include "headrace/ops/math/add_n.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/train/collections.h"
#include "headrace/train/internal/nodes.h"

namespace headrace {
namespace {

// scale * of(weights), in a scope of its own.
Regularizer Scaled(double scale, std::string name, std::string default_name, Location where,
                   std::function<Output(Output)> of) {
  return [=](Output weights) -> Output {
    if (!weights.valid()) return {};
    Graph& graph = *weights.graph();
    if (scale < 0) {
      graph.ReportError(InvalidArgument(default_name,
                                        where.known() ? StrCat(" (", where.ToString(), ")") : "",
                                        ": the scale must be >= 0, got ", scale));
      return {};
    }
    const DType type = weights.value_dtype();
    if (scale == 0)
      return ConstScalar(graph, 0, type, {.name = name.empty() ? default_name : name}, where);
    OpScope scope(graph, name, default_name);
    Output factor = ConstScalar(graph, scale, type, {.name = "scale"}, where);
    return train::Call("Mul", {factor, of(weights)}, where, scope.op_name());
  };
}

}  // namespace

Regularizer L1Regularizer(double scale, std::string name, Location where) {
  return Scaled(scale, std::move(name), "l1_regularizer", where, [where](Output weights) {
    return ReduceSum(train::Call("Abs", {weights}, where), {}, {}, where);
  });
}

Regularizer L2Regularizer(double scale, std::string name, Location where) {
  return Scaled(scale, std::move(name), "l2_regularizer", where,
                [where](Output weights) { return train::Call("L2Loss", {weights}, where); });
}

Regularizer L1L2Regularizer(double l1_scale, double l2_scale, std::string name, Location where) {
  return SumRegularizer({L1Regularizer(l1_scale, "", where), L2Regularizer(l2_scale, "", where)},
                        name.empty() ? "l1_l2_regularizer" : std::move(name), where);
}

Regularizer SumRegularizer(std::vector<Regularizer> regularizers, std::string name,
                           Location where) {
  return [=](Output weights) -> Output {
    if (!weights.valid()) return {};
    OpScope scope(*weights.graph(), name, "sum_regularizer");
    std::vector<Output> penalties;
    for (const Regularizer& regularizer : regularizers) penalties.push_back(regularizer(weights));
    return AddN(penalties, {.name = scope.op_name()}, where);
  };
}

Output ApplyRegularization(const Regularizer& regularizer, std::span<const Variable> weights,
                           std::string name, Location where) {
  if (weights.empty() || !weights.front().valid()) return {};
  Graph& graph = *weights.front().ref().graph();
  OpScope scope(graph, name, "get_regularization_penalty");
  std::vector<Output> penalties;
  for (const Variable& variable : weights) penalties.push_back(regularizer(variable.value()));
  Output sum = AddN(penalties, {.name = scope.op_name()}, where);
  if (sum.valid()) graph.AddToCollection(kRegularizationLosses, sum);
  return sum;
}

Output TotalRegularizationLoss(Graph& g, std::string name, Location where) {
  if (name.empty()) name = "total_regularization_loss";
  const std::span<const Output> losses = g.Collection(kRegularizationLosses);
  if (losses.empty()) return ConstScalar(g, 0, DType::kFloat32, {.name = name}, where);
  return AddN(losses, {.name = name}, where);
}

}  // namespace headrace
