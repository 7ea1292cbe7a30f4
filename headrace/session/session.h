// Runs a graph: owns its devices, the placement of its nodes, compiled steps and variables.
//
//   HR_ASSIGN_OR_RETURN(auto session, Session::Create(g));
//   HR_RETURN_IF_ERROR(session->Run({}, {}, {init}).status());
//   HR_ASSIGN_OR_RETURN(std::vector<Tensor> out, session->Run({{x, batch}}, {loss}, {train}));
//   // Resolved once, fastest:
//   HR_ASSIGN_OR_RETURN(Callable step, session->MakeCallable({x}, {loss}, {train}));
//
// The graph must outlive the session and may grow between runs. Thread-safe: several threads may
// run at once, each step on an instance of its own; not while another thread adds nodes. Fetched
// tensors may share the bytes of a variable, a constant or a feed: treat them as read-only (the
// engine never changes them).
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/base/cancellation.h"
#include "headrace/device/device_set.h"
#include "headrace/graph/graph.h"
#include "headrace/kernel/resource.h"
#include "headrace/place/place.h"
#include "headrace/runtime/plan.h"
#include "headrace/runtime/trace.h"

namespace headrace {

struct SessionOptions {
  DeviceOptions devices;
  // Requests that cannot be met move their nodes, with a warning line each (see place.h), instead of
  // being errors. HEADRACE_SOFT_PLACEMENT=1 turns it on for every session of the process, also where
  // a library between hides these options.
  bool allow_soft_placement = false;
  // On stdout: "add: (Add): /job:localhost/replica:0/task:0/device:CPU:0".
  bool log_device_placement = false;
  int default_device = -1;  // see PlaceOptions
  bool optimize = true;     // constant folding, merging of equal nodes, removal of identities
  bool use_plans = true;    // false: always the general executor
  bool deterministic = false;                      // the same bits whatever the number of threads
  std::chrono::milliseconds operation_timeout{0};  // of every run; 0 = none
  std::shared_ptr<ResourceStore> resources;  // variables to share with other sessions; null = own
  std::shared_ptr<DeviceSet> device_set;     // instead of `devices`
};

struct RunOptions {
  std::chrono::milliseconds timeout{0};  // 0 = the session's
  Cancellation* cancellation = nullptr;  // ends the run early; must outlive it
  bool trace = false;                    // fills RunMetadata
};

// What was observed in one run: see StepTrace.
struct RunMetadata {
  StepTrace trace;
  std::string ToChromeTrace() const { return trace.ToChromeTrace(); }
};

class Callable;

class Session {
 public:
  using Feeds = std::vector<std::pair<Output, Tensor>>;
  using NamedFeeds = std::vector<std::pair<std::string, Tensor>>;

  // Errors: the graph's status; those of DeviceSet::Create.
  static StatusOr<std::unique_ptr<Session>> Create(const Graph& graph, SessionOptions options = {});
  ~Session();  // closes

  // Computes the fetches and runs the targets, and what they need. Fetching a variable gives its
  // value. A read of a variable that nothing orders after a write of the same run comes before it.
  // Errors: InvalidArgument for feeds, fetches and targets that do not fit the graph, and for
  // requests of devices that cannot be met; FailedPrecondition for uninitialised variables;
  // Cancelled, DeadlineExceeded, ResourceExhausted; whatever the first failing kernel says, with
  // op, node and the line that made it. No data after an error.
  StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<Output>& fetches,
                                    const std::vector<Node*>& targets = {},
                                    const RunOptions& options = {},
                                    RunMetadata* metadata = nullptr);
  // The same with names: "scope/op:0" (or "op", its first output) for feeds and fetches, "scope/op"
  // for targets.
  StatusOr<std::vector<Tensor>> RunByName(const NamedFeeds& feeds,
                                          const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets = {},
                                          const RunOptions& options = {},
                                          RunMetadata* metadata = nullptr);
  StatusOr<Callable> MakeCallable(const std::vector<Output>& feeds,
                                  const std::vector<Output>& fetches,
                                  const std::vector<Node*>& targets = {});

  // Cancels what runs, waits for its end, and frees plans and (unless they are shared) variables.
  // Later runs give Cancelled. Safe to call more than once and from any thread that is not running
  // a step.
  Status Close();

  // Where every node of the graph goes, and why; places what was added since.
  StatusOr<PlacementReport> Placement();
  // Device of one node: "/job:localhost/replica:0/task:0/device:GPU:0".
  StatusOr<std::string> Placement(const Node& node);

  // Memory that such a step would take, on each device, without running it.
  StatusOr<std::vector<PlanMemoryUse>> MemoryPlan(
      const std::vector<std::pair<Output, Shape>>& feeds, const std::vector<Output>& fetches,
      const std::vector<Node*>& targets = {});
  // Most bytes each device's allocator has held so far.
  std::vector<std::pair<std::string, int64_t>> PeakMemory() const;

  const Graph& graph() const;
  const SessionOptions& options() const;
  DeviceSet& devices() const;
  const std::shared_ptr<ResourceStore>& resources() const;

 private:
  friend class Callable;
  class Impl;
  explicit Session(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

class SessionStep;

// A step whose feeds, fetches and targets were resolved once. Thread-safe; outlives its session
// (and then gives Cancelled).
class Callable {
 public:
  Callable() = default;
  // Feeds in the order of MakeCallable. `fetches` (null if nothing is fetched) is resized to the
  // number of fetches; tensors that it still holds from the last call are written over when nobody
  // else refers to them.
  Status operator()(std::span<const Tensor> feeds, std::vector<Tensor>* fetches,
                    const RunOptions& options = {}, RunMetadata* metadata = nullptr) const;

 private:
  friend class Session;
  Callable(std::shared_ptr<Session::Impl> session, std::shared_ptr<SessionStep> step);
  std::shared_ptr<Session::Impl> session_;
  std::shared_ptr<SessionStep> step_;
};

}  // namespace headrace
