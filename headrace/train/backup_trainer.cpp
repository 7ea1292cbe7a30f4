// Synchronous replicas of which a step does not wait for all: each takes a batch of its own and
// computes on a thread of its own, from a snapshot of the step's weights (shared bytes, no copy).
// The StepQuorum says whose gradients make a step; its last contributor averages and applies them.
#include <algorithm>
#include <atomic>

#include "headrace/base/strings.h"
#include "headrace/train/internal/backup_trainer.h"
#include "headrace/train/internal/replica_threads.h"
#include "headrace/train/internal/step_quorum.h"
#include "headrace/train/internal/tower.h"
#include "headrace/train/internal/tower_gradients.h"

namespace headrace::train {
namespace {

class BackupTrainer final : public ReplicaTrainer {
 public:
  static StatusOr<std::unique_ptr<ReplicaTrainer>> Make(Graph& graph, const ReplicaModel& model,
                                                        const SyncOptions& options) {
    HR_RETURN_IF_ERROR(CheckReplicas(model, options.devices));
    const int replicas = static_cast<int>(options.devices.size());
    if (options.backup_replicas < 0 || options.backup_replicas >= replicas) {
      return InvalidArgument("sync: backup_replicas must be >= 0 and less than the ", replicas,
                             " replicas, so that there is a gradient to wait for; got ",
                             options.backup_replicas);
    }
    if (options.shards != 0) {
      return InvalidArgument(
          "sync: `shards` cuts one batch for all replicas, backup replicas take batches of their "
          "own; leave shards = 0 or backup_replicas = 0, got ",
          options.shards, " and ", options.backup_replicas);
    }
    HR_ASSIGN_OR_RETURN(const std::vector<Variable> variables, TrainedVariables(graph, model));
    auto trainer = std::make_unique<BackupTrainer>();
    trainer->model_ = model;
    trainer->needed_ = replicas - options.backup_replicas;
    for (const Variable& variable : variables) trainer->weights_.push_back(variable.value());
    for (int r = 0; r < replicas; ++r) {
      Replica& replica = trainer->replicas_.emplace_back();
      HR_ASSIGN_OR_RETURN(replica.tower,
                          BuildTower(graph, model, variables, r, options.devices[r]));
    }
    HR_RETURN_IF_ERROR(trainer->BuildUpdate(graph, variables, options.parameter_device));
    return trainer;
  }

  Status Train(Session& session, const TrainOptions& options) override;

  StalenessHistogram staleness() const override {
    StalenessHistogram all;
    for (const Replica& replica : replicas_) all.Add(replica.staleness);
    return all;
  }
  std::vector<StalenessHistogram> staleness_by_replica() const override {
    std::vector<StalenessHistogram> all;
    for (const Replica& replica : replicas_) all.push_back(replica.staleness);
    return all;
  }
  std::vector<int64_t> dropped_by_replica() const override {
    std::vector<int64_t> all;
    for (const Replica& replica : replicas_) all.push_back(replica.dropped);
    return all;
  }

 private:
  struct Replica {
    Tower tower;
    // The gradients and the loss of the step that it takes part in: the replica's to write until
    // it delivers them, the step's to read until that is done.
    std::vector<Tensor> results;
    StalenessHistogram staleness;
    int64_t dropped = 0;
  };
  struct Run {
    const TrainOptions& options;
    Callable& read;
    Callable& apply;
    StepQuorum& quorum;
    int64_t end;
  };

  Status BuildUpdate(Graph& graph, std::span<const Variable> variables, const std::string& device);
  Status TrainReplica(Session& session, int r, Run& run, Cancellation& cancellation);
  Status Apply(const StepMembers& members, Run& run);

  ReplicaModel model_;
  int needed_ = 0;
  std::vector<Output> weights_;
  std::vector<Replica> replicas_;
  std::vector<Output> fed_;  // the gradients of one contributor after the other
  Node* update_ = nullptr;
  int64_t done_ = 0;
  std::atomic<int64_t> batches_ = 0;
};

Status BackupTrainer::BuildUpdate(Graph& graph, std::span<const Variable> variables,
                                  const std::string& device) {
  DeviceScope on_device(graph, device);
  std::vector<std::vector<Gradient>> contributions;
  for (int c = 0; c < needed_; ++c) {
    NameScope scope(graph, StrCat("contribution_", c));
    contributions.push_back(FedGradients(graph, replicas_[0].tower.gradients, fed_));
  }
  std::vector<GradientAndVariable> averaged;
  for (size_t v = 0; v < variables.size(); ++v) {
    std::vector<Gradient> parts;
    for (const std::vector<Gradient>& contribution : contributions)
      parts.push_back(contribution[v]);
    averaged.push_back({MeanOver(parts, StrCat("average/", variables[v].name())), variables[v]});
  }
  update_ = model_.update(averaged);
  if (!graph.status().ok()) return graph.status();
  if (update_ == nullptr)
    return InvalidArgument("sync: the model's update is not a node of the graph");
  return absl::OkStatus();
}

// On the thread of the last contributor, alone.
Status BackupTrainer::Apply(const StepMembers& members, Run& run) {
  std::vector<Tensor> gradients;
  double loss = 0;
  for (const int c : members.contributors) {
    const std::vector<Tensor>& results = replicas_[c].results;
    gradients.insert(gradients.end(), results.begin(), results.end() - 1);
    loss += LossValue(results.back()) / needed_;
  }
  const bool watched = run.options.last_step != nullptr && done_ + 1 == run.end;
  HR_RETURN_IF_ERROR(run.apply(gradients, nullptr, {.trace = watched}, run.options.last_step));
  ++done_;
  if (run.options.on_step) {
    run.options.on_step({.step = done_,
                         .loss = loss,
                         .contributors = members.contributors,
                         .dropped = members.dropped});
  }
  return absl::OkStatus();
}

Status BackupTrainer::TrainReplica(Session& session, int r, Run& run, Cancellation& cancellation) {
  Replica& self = replicas_[r];
  std::vector<Output> feeds = self.tower.inputs;
  feeds.insert(feeds.end(), weights_.begin(), weights_.end());
  std::vector<Output> fetches = FlatGradients(self.tower.gradients);
  fetches.push_back(self.tower.loss);
  HR_ASSIGN_OR_RETURN(Callable compute, session.MakeCallable(feeds, fetches, {}));
  std::vector<Tensor> batch, weights;
  while (true) {
    HR_ASSIGN_OR_RETURN(const bool joined, run.quorum.Join(r, cancellation));
    if (!joined) return absl::OkStatus();
    if (batch.empty()) {
      HR_RETURN_IF_ERROR(run.options.next_batch(r, batches_.fetch_add(1), batch));
      HR_RETURN_IF_ERROR(CheckBatch(model_, batch));
    }
    HR_ASSIGN_OR_RETURN(const bool in_time,
                        run.quorum.Read(r, [&] { return run.read({}, &weights); }));
    if (!in_time) continue;  // the batch serves the next step
    batch.insert(batch.end(), weights.begin(), weights.end());
    weights.clear();
    HR_RETURN_IF_ERROR(compute(batch, &self.results, {.cancellation = &cancellation}));
    batch.clear();  // the last references to the snapshot, so that updates can be in place
    HR_RETURN_IF_ERROR(
        run.quorum.Deliver(r, [&](const StepMembers& members) { return Apply(members, run); })
            .status());
  }
}

Status BackupTrainer::Train(Session& session, const TrainOptions& options) {
  HR_RETURN_IF_ERROR(CheckTraining(options));
  if (session.options().deterministic) {
    return InvalidArgument(
        "sync: the session is `deterministic`, but with backup replicas it depends on time which "
        "gradients make a step; take a session without it, or backup_replicas = 0");
  }
  HR_ASSIGN_OR_RETURN(Callable read, session.MakeCallable({}, weights_, {}));
  HR_ASSIGN_OR_RETURN(Callable apply, session.MakeCallable(fed_, {}, {update_}));
  const int replicas = static_cast<int>(replicas_.size());
  StepQuorum quorum({.replicas = replicas, .needed = needed_, .steps = options.steps});
  Run run{options, read, apply, quorum, done_ + options.steps};
  const Status status =
      RunReplicas(replicas, options.cancellation, [&](int r, Cancellation& cancellation) {
        Status trained = TrainReplica(session, r, run, cancellation);
        if (!quorum.done()) return trained;
        // Nobody needs what the late ones compute, nor whether they can.
        cancellation.Cancel(absl::CancelledError("sync: all steps are done"));
        return absl::OkStatus();
      });
  for (int r = 0; r < replicas; ++r) {
    if (quorum.contributed(r) > 0) replicas_[r].staleness.counts[0] += quorum.contributed(r);
    replicas_[r].dropped += quorum.dropped(r);
    replicas_[r].results.clear();
  }
  return status;
}

}  // namespace

StatusOr<std::unique_ptr<ReplicaTrainer>> MakeBackupTrainer(Graph& graph, const ReplicaModel& model,
                                                            const SyncOptions& options) {
  return BackupTrainer::Make(graph, model, options);
}

}  // namespace headrace::train
