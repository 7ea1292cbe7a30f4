// Training one model on several devices: the same loss built once for each replica, one set of variables.
//
//   ReplicaModel model{.inputs = {{DType::kFloat32, {-1, 784}, "x"}, {DType::kInt64, {-1}, "y"}},
//                      .loss = [&](std::span<const Output> in) { return mlp.Loss(in[0], in[1]); },
//                      .update = [&](auto gradients) { return sgd.ApplyGradients(gradients, {.global_step = step}); }};
//   HR_ASSIGN_OR_RETURN(auto trainer, MakeSyncTrainer(g, model, {.devices = {"/gpu:0", "/gpu:1"}}));
//   HR_RETURN_IF_ERROR(trainer->Train(*session, {.steps = 1000, .next_batch = ...}));
//
// sync:  every replica computes on its share of the batch, gradients are averaged, one update. With backup replicas each
//        has a batch and a thread of its own, and a step does not wait for the last ones.
// async: every replica reads and updates when it likes, each on a thread of its own; staleness is measured.
// A strategy knows devices by name only. Thread-compatible; callbacks say on which thread they run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "headrace/session/session.h"
#include "headrace/train/optimizer.h"
#include "headrace/train/update_clock.h"

namespace headrace {

struct ReplicaInput {
  DType dtype = DType::kFloat32;
  PartialShape shape;  // of a shard; dimension 0 is the batch and usually unknown
  std::string name;
};

struct ReplicaModel {
  std::vector<ReplicaInput> inputs;
  // Adds the mean loss over the rows of `inputs` to the graph: a scalar. Called once for each shard, inside the scopes of its
  // device and tower. Variables are made before, outside.
  std::function<Output(std::span<const Output> inputs)> loss;
  // Adds the update from one gradient for each variable; called once, in the scope of the parameter device. Returns the op
  // that is done when everything is updated.
  std::function<Node*(std::span<const GradientAndVariable> gradients)> update;
  std::vector<Variable> variables;  // empty = the trainable variables of the graph
};

struct StepReport {
  int64_t step = 0;       // updates done, this one included
  int replica = 0;        // 0 in sync
  double loss = 0;        // of the batch, before the update; with backup replicas the mean over the contributors' batches
  int64_t staleness = 0;  // 0 in sync
  // With backup replicas: whose gradients the update averaged, and who began the step and was not waited for, in ascending
  // order. Empty otherwise.
  std::vector<int> contributors, dropped;
};

struct TrainOptions {
  int64_t steps = 0;  // updates
  // Fills one tensor for each input of the model: the global batch in sync (rows divisible by the number of shards; `replica`
  // is 0), the replica's own batch in async and with backup replicas. `step` counts from 0 over all replicas, each value is
  // used once. In async and with backup replicas called on the replicas' threads, several at a time; Train returns only when
  // all calls have.
  std::function<Status(int replica, int64_t step, std::vector<Tensor>& batch)> next_batch;
  // After each update; calls never overlap. In async and with backup replicas on the replicas' threads. May cancel.
  std::function<void(const StepReport&)> on_step;
  Cancellation* cancellation = nullptr;  // ends training early; Train then returns its status
  // What ran where and when in the last step: in sync all of it, in async the computation and the update of the last batch,
  // with backup replicas the update.
  RunMetadata* last_step = nullptr;
};

class ReplicaTrainer {
 public:
  virtual ~ReplicaTrainer() = default;
  // Trains until `steps` more updates are done. May be called again to go on. The first error of any replica ends all.
  // Counts of earlier calls stay; not to be asked for while Train runs.
  virtual Status Train(Session& session, const TrainOptions& options) = 0;
  // Of what was applied so far: each gradient in async and with backup replicas, each averaged one in sync. Always 0 in sync.
  virtual StalenessHistogram staleness() const = 0;
  // The same for each replica; one histogram in sync without backup replicas, where each has a part in every update.
  virtual std::vector<StalenessHistogram> staleness_by_replica() const = 0;
  // How many steps each replica began and had no part in, as its gradient came too late. All 0 without backup replicas.
  virtual std::vector<int64_t> dropped_by_replica() const = 0;
};

struct SyncOptions {
  std::vector<std::string> devices;  // one for each replica
  std::string parameter_device = "/cpu:0";
  // The global batch is cut into this many equal shards, a multiple of the number of replicas, whose gradients are added in
  // order of the shard. 0 = one a replica. With the same number of shards the weights have the same bits for any number of
  // replicas on one kind of device (sessions with `deterministic`).
  int shards = 0;
  // Of N replicas a step averages the first N - backup_replicas gradients and drops the others: one that comes later is never
  // applied. A replica that was dropped goes on with the weights of the step that is open then, and with its batch if it had
  // not begun to compute. Which gradients make a step is a matter of time: not with `shards`, nor in a session with
  // `deterministic`. Source: Chen et al., Revisiting Distributed Synchronous SGD, 2016.
  int backup_replicas = 0;
};
// Errors: InvalidArgument for no device, shards that do not divide, an invalid loss, backup replicas that leave none to wait
// for, or with shards; the graph's own first error. Train: InvalidArgument for batches that do not fit, and for backup
// replicas in a session with `deterministic`.
StatusOr<std::unique_ptr<ReplicaTrainer>> MakeSyncTrainer(Graph& graph, const ReplicaModel& model, SyncOptions options);

struct AsyncOptions {
  std::vector<std::string> devices;
  std::string parameter_device = "/cpu:0";
  UpdateBounds bounds;
  // Without a bound: one warning when a gradient is applied more than that many updates after its weights were read.
  // 0 = twice the number of replicas; -1 = never.
  int64_t warn_staleness = 0;
  // Adds lambda * g * g * (w_now - w_read) to a gradient g (element-wise): first-order correction of its delay. 0 = off.
  // Source: Zheng et al., Asynchronous SGD with Delay Compensation, 2017.
  double delay_compensation = 0;
};
StatusOr<std::unique_ptr<ReplicaTrainer>> MakeAsyncTrainer(Graph& graph, const ReplicaModel& model, AsyncOptions options);

}  // namespace headrace
