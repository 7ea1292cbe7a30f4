// Synchronous replicas: all towers in one graph, one step a global batch.
#include "headrace/base/strings.h"
#include "headrace/train/internal/backup_trainer.h"
#include "headrace/train/internal/tower.h"
#include "headrace/train/internal/tower_gradients.h"

namespace headrace {
namespace {

class SyncTrainer final : public ReplicaTrainer {
 public:
  static StatusOr<std::unique_ptr<ReplicaTrainer>> Make(Graph& graph, const ReplicaModel& model, const SyncOptions& options) {
    HR_RETURN_IF_ERROR(train::CheckReplicas(model, options.devices));
    const int replicas = static_cast<int>(options.devices.size());
    const int shards = options.shards == 0 ? replicas : options.shards;
    if (shards < 0 || shards % replicas != 0) {
      return InvalidArgument("sync: ", shards, " shards cannot be dealt evenly to ", replicas, " replicas");
    }
    HR_ASSIGN_OR_RETURN(const std::vector<Variable> variables, train::TrainedVariables(graph, model));
    auto trainer = std::make_unique<SyncTrainer>();
    trainer->model_ = model;
    trainer->replicas_ = replicas;
    for (int shard = 0; shard < shards; ++shard) {
      const std::string& device = options.devices[shard / (shards / replicas)];
      HR_ASSIGN_OR_RETURN(train::Tower tower, train::BuildTower(graph, model, variables, shard, device));
      trainer->towers_.push_back(std::move(tower));
    }
    HR_RETURN_IF_ERROR(trainer->BuildUpdate(graph, variables, options.parameter_device));
    return trainer;
  }

  Status Train(Session& session, const TrainOptions& options) override {
    HR_RETURN_IF_ERROR(train::CheckTraining(options));
    std::vector<Output> feeds;
    for (const train::Tower& tower : towers_) feeds.insert(feeds.end(), tower.inputs.begin(), tower.inputs.end());
    HR_ASSIGN_OR_RETURN(auto step, session.MakeCallable(feeds, {loss_}, {update_}));
    std::vector<Tensor> batch, shards, fetched;
    const int64_t last = done_ + options.steps;
    while (done_ < last) {
      if (options.cancellation != nullptr) HR_RETURN_IF_ERROR(options.cancellation->status());
      batch.clear();
      HR_RETURN_IF_ERROR(options.next_batch(0, done_, batch));
      HR_RETURN_IF_ERROR(Cut(batch, shards));
      const bool watched = options.last_step != nullptr && done_ + 1 == last;
      HR_RETURN_IF_ERROR(step(shards, &fetched, {.trace = watched}, options.last_step));
      staleness_.counts[0] += 1;
      ++done_;
      if (options.on_step) options.on_step({.step = done_, .loss = train::LossValue(fetched[0])});
    }
    return absl::OkStatus();
  }

  StalenessHistogram staleness() const override { return staleness_; }
  std::vector<StalenessHistogram> staleness_by_replica() const override { return {staleness_}; }
  std::vector<int64_t> dropped_by_replica() const override { return std::vector<int64_t>(replicas_, 0); }

 private:
  Status BuildUpdate(Graph& graph, std::span<const Variable> variables, const std::string& device) {
    DeviceScope on_device(graph, device);
    std::vector<GradientAndVariable> averaged;
    for (size_t v = 0; v < variables.size(); ++v) {
      std::vector<Gradient> parts;
      for (const train::Tower& tower : towers_) parts.push_back(tower.gradients[v]);
      averaged.push_back({train::MeanOver(parts, StrCat("average/", variables[v].name())), variables[v]});
    }
    std::vector<Output> losses;
    for (const train::Tower& tower : towers_) losses.push_back(tower.loss);
    loss_ = train::MeanOver(losses, "average/loss");
    update_ = model_.update(averaged);
    if (!graph.status().ok()) return graph.status();
    if (update_ == nullptr) return InvalidArgument("sync: the model's update is not a node of the graph");
    return absl::OkStatus();
  }

  // Views of the rows of each shard, no copies.
  Status Cut(const std::vector<Tensor>& batch, std::vector<Tensor>& shards) const {
    HR_RETURN_IF_ERROR(train::CheckBatch(model_, batch));
    const int64_t rows = batch[0].dim(0), count = static_cast<int64_t>(towers_.size());
    shards.clear();
    for (const Tensor& tensor : batch) {
      if (tensor.dim(0) != rows || rows % count != 0) {
        return InvalidArgument("sync: a batch of ", tensor.dim(0), " rows cannot be cut into ", count, " equal shards of ",
                               rows, " rows in all");
      }
    }
    for (int64_t s = 0; s < count; ++s) {
      for (const Tensor& tensor : batch) shards.push_back(tensor.SliceDim0(rows / count * s, rows / count * (s + 1)));
    }
    return absl::OkStatus();
  }

  ReplicaModel model_;
  int replicas_ = 0;
  std::vector<train::Tower> towers_;
  Output loss_;
  Node* update_ = nullptr;
  int64_t done_ = 0;
  StalenessHistogram staleness_;
};

}  // namespace

StatusOr<std::unique_ptr<ReplicaTrainer>> MakeSyncTrainer(Graph& graph, const ReplicaModel& model, SyncOptions options) {
  if (options.backup_replicas != 0) return train::MakeBackupTrainer(graph, model, options);
  return SyncTrainer::Make(graph, model, options);
}

}  // namespace headrace
