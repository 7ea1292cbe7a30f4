// The state of a session, shared with its callables.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "headrace/runtime/launcher.h"
#include "headrace/session/internal/compile_step.h"
#include "headrace/session/internal/session_step.h"
#include "headrace/session/internal/step_cache.h"
#include "headrace/session/session.h"

namespace headrace {

class Session::Impl {
 public:
  Impl(const Graph& graph, SessionOptions options, std::shared_ptr<DeviceSet> devices);

  const Graph& graph() const { return graph_; }
  const SessionOptions& options() const { return options_; }
  DeviceSet& devices() { return *devices_; }
  const std::shared_ptr<ResourceStore>& resources() const { return resources_; }

  // The step for a signature; makes it if it is new. Errors: InvalidArgument for what is not in the
  // graph.
  StatusOr<std::shared_ptr<SessionStep>> StepFor(const StepSignature& signature);
  StatusOr<std::shared_ptr<SessionStep>> StepFor(const StepNames& names);
  Status RunStep(SessionStep& step, std::span<const Tensor> feeds, std::vector<Tensor>& fetches,
                 const RunOptions& options, RunMetadata* metadata);

  // Errors: the graph's; FailedPrecondition in a child of the process that made the session.
  Status CheckUsable() const;
  void NoteGrowth();
  Status Close();
  StatusOr<PlacementReport> Placement();
  StatusOr<std::string> Placement(const Node& node);
  StatusOr<std::unique_ptr<CompiledStep>> Compile(const StepSignature& signature,
                                                  std::vector<PartialShape> shapes);

 private:
  bool forked() const;

  Status CheckSignature(const StepSignature& signature) const;
  StatusOr<StepSignature> Resolve(const StepNames& names) const;
  Status RunGuarded(CompiledStep& step, const StepArguments& arguments, StepContext context,
                    const RunOptions& options);
  Status OfferFunctions(const CompileEnvironment& environment);
  Status ExtendPlacement();  // REQUIRES: placement_mutex_
  void PrintDevices() const;

  const Graph& graph_;
  const SessionOptions options_;
  const std::shared_ptr<DeviceSet> devices_;
  const std::shared_ptr<ResourceStore> resources_;
  const std::shared_ptr<Launcher> launcher_;
  const int64_t fork_generation_;

  std::atomic<bool> closed_{false};
  std::atomic<int64_t> running_{0};
  Cancellation closing_;
  std::atomic<int64_t> next_step_id_{1};

  std::mutex placement_mutex_;
  std::optional<PlacementReport> placement_;
  int logged_nodes_ = 0;

  StepCache steps_;

  // A loop that adds nodes is one whose runs find a new node of the same line each time.
  std::atomic<int> last_nodes_{-1};
  std::mutex growth_mutex_;
  int growing_runs_ = 0;
  uint32_t growing_line_ = 0;
};

}  // namespace headrace
