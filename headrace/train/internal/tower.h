// One shard's part of the graph: placeholders, loss and gradients on the replica's device.
#pragma once

#include <string>
#include <vector>

#include "headrace/train/replica_trainer.h"

namespace headrace::train {

struct Tower {
  std::vector<Output> inputs;
  Output loss;
  std::vector<Gradient> gradients;  // one for each variable
};

// Checks what every strategy needs of its arguments.
Status CheckReplicas(const ReplicaModel& model, const std::vector<std::string>& devices);
// The model's variables, or the trainable ones of the graph.
StatusOr<std::vector<Variable>> TrainedVariables(Graph& graph, const ReplicaModel& model);
// Builds tower `index` in scope "tower_<index>" on `device`.
StatusOr<Tower> BuildTower(Graph& graph, const ReplicaModel& model, std::span<const Variable> variables, int index,
                           const std::string& device);
// Data and a number of steps.
Status CheckTraining(const TrainOptions& options);
// A batch must have one tensor for each input, of its dtype and a shape that fits; InvalidArgument names the input.
Status CheckBatch(const ReplicaModel& model, std::span<const Tensor> batch);
// The number in a fetched loss.
double LossValue(const Tensor& loss);

}  // namespace headrace::train
