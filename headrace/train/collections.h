// Named lists of a graph that parts of a program find each other by, and the variables in them.
//
//   for (const Variable& v : TrainableVariables(g)) ...
//   g.AddToCollection(kLosses, loss);
//
// Names are those of tf.GraphKeys, so that they survive in meta graphs. "variables" and the like
// are in ops/state/variable.h.
#pragma once

#include <string_view>
#include <vector>

#include "headrace/ops/state/variable.h"
#include "headrace/ops/summary/summary.h"  // kSummaries

namespace headrace {

inline constexpr char kModelVariables[] = "model_variables";
inline constexpr char kMetricVariables[] = "metric_variables";
inline constexpr char kMovingAverageVariables[] = "moving_average_variables";
inline constexpr char kGlobalStep[] = "global_step";
inline constexpr char kEvalStep[] = "eval_step";
inline constexpr char kTrainOp[] =
    "train_op";  // nodes: Output.node is the op, it may have no output 0
inline constexpr char kInitOp[] = "init_op";
inline constexpr char kLocalInitOp[] = "local_init_op";
inline constexpr char kReadyOp[] = "ready_op";
inline constexpr char kUpdateOps[] = "update_ops";
inline constexpr char kSummaryOp[] = "summary_op";
inline constexpr char kLosses[] = "losses";
inline constexpr char kRegularizationLosses[] = "regularization_losses";
inline constexpr char kWeights[] = "weights";
inline constexpr char kBiases[] = "biases";
inline constexpr char kActivations[] = "activations";
inline constexpr char kQueueRunners[] = "queue_runners";
inline constexpr char kTableInitializers[] = "table_initializer";
inline constexpr char kSavers[] = "savers";
inline constexpr char kSaveableObjects[] = "saveable_objects";

// The variables of a collection, in order, each once.
std::vector<Variable> VariablesIn(const Graph& g, std::string_view collection);
inline std::vector<Variable> GlobalVariables(const Graph& g) {
  return VariablesIn(g, kVariables);
}
inline std::vector<Variable> TrainableVariables(const Graph& g) {
  return VariablesIn(g, kTrainableVariables);
}
inline std::vector<Variable> LocalVariables(const Graph& g) {
  return VariablesIn(g, kLocalVariables);
}
inline std::vector<Variable> MovingAverageVariables(const Graph& g) {
  return VariablesIn(g, kMovingAverageVariables);
}

// The variable behind an output: the variable's own output or its "read"; invalid if it is neither.
Variable VariableBehind(Output output);

}  // namespace headrace
