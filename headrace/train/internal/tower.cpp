#include "headrace/train/internal/tower.h"

#include "headrace/base/strings.h"
#include "headrace/ops/array/placeholder.h"

namespace headrace::train {

Status CheckReplicas(const ReplicaModel& model, const std::vector<std::string>& devices) {
  if (devices.empty()) return InvalidArgument("replicas: no device given; name one for each replica, such as \"/cpu:0\"");
  if (!model.loss || !model.update) return InvalidArgument("replicas: the model needs both `loss` and `update`");
  if (model.inputs.empty()) return InvalidArgument("replicas: the model has no inputs");
  return absl::OkStatus();
}

StatusOr<std::vector<Variable>> TrainedVariables(Graph& graph, const ReplicaModel& model) {
  std::vector<Variable> variables = model.variables;
  if (variables.empty()) {
    for (Output ref : graph.Collection(kTrainableVariables)) variables.push_back(Variable::Of(ref));
  }
  if (!graph.status().ok()) return graph.status();
  if (variables.empty()) return InvalidArgument("replicas: the graph has no trainable variables");
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].valid() || !variables[i].value().valid()) {
      return InvalidArgument("replicas: variables[", i, "] was not made, or has no node that reads it");
    }
  }
  return variables;
}

StatusOr<Tower> BuildTower(Graph& graph, const ReplicaModel& model, std::span<const Variable> variables, int index,
                           const std::string& device) {
  Tower tower;
  NameScope scope(graph, StrCat("tower_", index));
  DeviceScope on_device(graph, device);
  for (const ReplicaInput& input : model.inputs) {
    // Batches arrive in host memory whatever the device computes on.
    DeviceScope host(graph, "/cpu:0");
    tower.inputs.push_back(Placeholder(graph, input.dtype, input.shape, {.name = input.name}));
  }
  tower.loss = model.loss(tower.inputs);
  std::vector<Output> reads;
  for (const Variable& variable : variables) reads.push_back(variable.value());
  if (tower.loss.valid()) tower.gradients = Gradients(tower.loss, reads);
  if (!graph.status().ok()) return graph.status();
  if (!tower.loss.valid()) return InvalidArgument("replicas: the model's loss is not a node of the graph");
  if (tower.loss.shape().has_rank() && tower.loss.shape().rank() != 0) {
    return InvalidArgument("replicas: the loss must be a scalar, '", tower.loss.name(), "' has shape ",
                           tower.loss.shape().ToString());
  }
  return tower;
}

Status CheckTraining(const TrainOptions& options) {
  if (!options.next_batch) return InvalidArgument("replicas: TrainOptions::next_batch is not set; it gives the data");
  if (options.steps < 0) return InvalidArgument("replicas: steps must be >= 0, got ", options.steps);
  return absl::OkStatus();
}

Status CheckBatch(const ReplicaModel& model, std::span<const Tensor> batch) {
  if (batch.size() != model.inputs.size()) {
    return InvalidArgument("replicas: a batch has ", batch.size(), " tensors, the model has ", model.inputs.size(), " inputs");
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    const ReplicaInput& input = model.inputs[i];
    if (batch[i].dtype() != input.dtype || !input.shape.IsCompatibleWith(batch[i].shape()) || batch[i].rank() == 0) {
      return InvalidArgument("replicas: input '", input.name, "' takes ", DTypeName(input.dtype), " ",
                             input.shape.ToString(), " with the batch as dimension 0, got ", DTypeName(batch[i].dtype()),
                             " ", batch[i].shape().ToString());
    }
  }
  return absl::OkStatus();
}

double LossValue(const Tensor& loss) {
  return loss.dtype() == DType::kFloat64 ? loss.scalar<double>() : static_cast<double>(loss.scalar<float>());
}

}  // namespace headrace::train
