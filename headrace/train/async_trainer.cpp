// Asynchronous replicas: each takes a snapshot of the weights (shared bytes, no copy), computes on its device from the
// snapshot, and applies its gradients; the UpdateClock orders reads and updates and measures staleness.
#include <atomic>

#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/math/operators.h"
#include "headrace/train/internal/replica_threads.h"
#include "headrace/train/internal/tower.h"
#include "headrace/train/internal/tower_gradients.h"

namespace headrace {
namespace {

// The graph that takes gradients from outside and updates the variables.
struct UpdateGraph {
  std::vector<Output> feeds;  // gradients (values and indices of slices), then the weights they were computed from
  bool takes_weights = false;
  Node* update = nullptr;
};

// g + lambda * g * g * (now - then)
Output Compensated(Output g, Output now, Output then, double lambda) {
  return g + Operand(lambda) * g * g * (now - then);
}

StatusOr<UpdateGraph> BuildUpdate(Graph& graph, const ReplicaModel& model, const train::Tower& like,
                                  std::span<const Variable> variables, const AsyncOptions& options) {
  UpdateGraph built;
  built.takes_weights = options.delay_compensation != 0;
  DeviceScope on_device(graph, options.parameter_device);
  std::vector<GradientAndVariable> gradients;
  {
    NameScope scope(graph, "async");
    const std::vector<Gradient> fed = train::FedGradients(graph, like.gradients, built.feeds);
    std::vector<Output> weights;
    for (size_t v = 0; v < variables.size(); ++v) {
      Gradient gradient = fed[v];
      if (built.takes_weights) {
        const Output now = variables[v].value();
        const Output then = train::FedLike(graph, now, "weights", weights);
        if (gradient.slices) {
          const Output rows = gradient.slices->indices;
          gradient.slices->values = Compensated(gradient.slices->values, Gather(now, rows), Gather(then, rows),
                                                options.delay_compensation);
        } else if (gradient.dense.valid()) {
          gradient.dense = Compensated(gradient.dense, now, then, options.delay_compensation);
        }
      }
      gradients.push_back({gradient, variables[v]});
    }
    built.feeds.insert(built.feeds.end(), weights.begin(), weights.end());
  }
  built.update = model.update(gradients);
  if (!graph.status().ok()) return graph.status();
  if (built.update == nullptr) return InvalidArgument("async: the model's update is not a node of the graph");
  return built;
}

class AsyncTrainer final : public ReplicaTrainer {
 public:
  explicit AsyncTrainer(int replicas) : histograms_(replicas) {}

  static StatusOr<std::unique_ptr<ReplicaTrainer>> Make(Graph& graph, const ReplicaModel& model, const AsyncOptions& options) {
    HR_RETURN_IF_ERROR(train::CheckReplicas(model, options.devices));
    if (options.bounds.max_staleness.value_or(0) < 0 || options.bounds.max_lead.value_or(0) < 0) {
      return InvalidArgument("async: max_staleness and max_lead must be >= 0");
    }
    HR_ASSIGN_OR_RETURN(const std::vector<Variable> variables, train::TrainedVariables(graph, model));
    auto trainer = std::make_unique<AsyncTrainer>(static_cast<int>(options.devices.size()));
    trainer->model_ = model;
    trainer->bounds_ = options.bounds;
    trainer->warn_staleness_ = options.warn_staleness != 0 ? options.warn_staleness : 2 * static_cast<int64_t>(options.devices.size());
    for (const Variable& variable : variables) trainer->weights_.push_back(variable.value());
    for (size_t r = 0; r < options.devices.size(); ++r) {
      HR_ASSIGN_OR_RETURN(train::Tower tower,
                          train::BuildTower(graph, model, variables, static_cast<int>(r), options.devices[r]));
      trainer->towers_.push_back(std::move(tower));
    }
    HR_ASSIGN_OR_RETURN(trainer->update_, BuildUpdate(graph, model, trainer->towers_[0], variables, options));
    return trainer;
  }

  Status Train(Session& session, const TrainOptions& options) override;

  StalenessHistogram staleness() const override {
    StalenessHistogram all;
    for (const StalenessHistogram& histogram : histograms_) all.Add(histogram);
    return all;
  }
  std::vector<StalenessHistogram> staleness_by_replica() const override { return histograms_; }
  std::vector<int64_t> dropped_by_replica() const override { return std::vector<int64_t>(towers_.size(), 0); }

 private:
  struct Run {
    UpdateClock& clock;
    const TrainOptions& options;
    Callable& read;
    Callable& apply;
    std::atomic<int64_t> next;
    int64_t end;
  };
  Status TrainReplica(Session& session, int replica, Run& run, Cancellation& cancellation);
  void WarnOfStaleness(int replica, int64_t staleness);  // within an update: one at a time

  ReplicaModel model_;
  UpdateBounds bounds_;
  int64_t warn_staleness_ = -1;  // < 0: never, or not again
  std::vector<StalenessHistogram> histograms_;
  std::vector<Output> weights_;
  std::vector<train::Tower> towers_;
  UpdateGraph update_;
  int64_t done_ = 0;
};

void AsyncTrainer::WarnOfStaleness(int replica, int64_t staleness) {
  if (bounds_.max_staleness || warn_staleness_ < 0 || staleness <= warn_staleness_) return;
  warn_staleness_ = -1;
  Log(LogLevel::kWarning,
      StrCat("async: a gradient of replica ", replica, " of ", towers_.size(), " was applied ", staleness,
             " updates after its weights were read; such steps overshoot. AsyncOptions::bounds.max_staleness bounds it"));
}

Status AsyncTrainer::TrainReplica(Session& session, int replica, Run& run, Cancellation& cancellation) {
  const train::Tower& tower = towers_[replica];
  std::vector<Output> feeds = tower.inputs;
  feeds.insert(feeds.end(), weights_.begin(), weights_.end());
  std::vector<Output> fetches = train::FlatGradients(tower.gradients);
  fetches.push_back(tower.loss);
  HR_ASSIGN_OR_RETURN(Callable compute, session.MakeCallable(feeds, fetches, {}));
  std::vector<Tensor> batch, weights, results;
  for (int64_t step; (step = run.next.fetch_add(1)) < run.end;) {
    batch.clear();
    HR_RETURN_IF_ERROR(run.options.next_batch(replica, step, batch));
    HR_RETURN_IF_ERROR(train::CheckBatch(model_, batch));
    HR_RETURN_IF_ERROR(run.clock.Read(replica, cancellation, [&] { return run.read({}, &weights); }));
    batch.insert(batch.end(), weights.begin(), weights.end());
    RunMetadata* const watched = step + 1 == run.end ? run.options.last_step : nullptr;
    HR_RETURN_IF_ERROR(compute(batch, &results, {.cancellation = &cancellation, .trace = watched != nullptr}, watched));
    batch.clear();  // with `weights` the last references to the snapshot, so that updates can be in place
    const Tensor loss = std::move(results.back());
    results.pop_back();
    if (update_.takes_weights) {
      results.insert(results.end(), weights.begin(), weights.end());
    }
    weights.clear();
    HR_RETURN_IF_ERROR(run.clock.Apply(replica, cancellation, [&](int64_t staleness) {
      HR_RETURN_IF_ERROR(run.apply(results, nullptr, {.trace = watched != nullptr}, watched));
      ++done_;
      WarnOfStaleness(replica, staleness);
      if (run.options.on_step) {
        run.options.on_step({.step = done_, .replica = replica,
                             .loss = train::LossValue(loss), .staleness = staleness});
      }
      return absl::OkStatus();
    }));
    results.clear();
  }
  return absl::OkStatus();
}

Status AsyncTrainer::Train(Session& session, const TrainOptions& options) {
  HR_RETURN_IF_ERROR(train::CheckTraining(options));
  HR_ASSIGN_OR_RETURN(Callable read, session.MakeCallable({}, weights_, {}));
  HR_ASSIGN_OR_RETURN(Callable apply, session.MakeCallable(update_.feeds, {}, {update_.update}));
  const int replicas = static_cast<int>(towers_.size());
  UpdateClock clock(replicas, bounds_);
  Run run{clock, options, read, apply, done_, done_ + options.steps};
  const Status status = train::RunReplicas(replicas, options.cancellation, [&](int r, Cancellation& cancellation) {
    const Status trained = TrainReplica(session, r, run, cancellation);
    clock.Leave(r);
    return trained;
  });
  for (int r = 0; r < replicas; ++r) histograms_[r].Add(clock.histogram(r));
  return status;
}

}  // namespace

StatusOr<std::unique_ptr<ReplicaTrainer>> MakeAsyncTrainer(Graph& graph, const ReplicaModel& model, AsyncOptions options) {
  return AsyncTrainer::Make(graph, model, options);
}

}  // namespace headrace
