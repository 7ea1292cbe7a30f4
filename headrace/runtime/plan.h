// A compiled step: a flat table of kernel calls with pre-resolved arguments, one list for each
// device, over memory that was laid out beforehand. Running it looks nothing up and, where shapes
// are known, allocates nothing but what is fetched.
//
//   HR_ASSIGN_OR_RETURN(auto plan, Plan::Compile(std::move(step), devices, resources, launcher));
//   std::vector<Tensor> fetches;
//   HR_RETURN_IF_ERROR(plan->Run({.feeds = feeds, .fetches = &fetches, .context = &context}));
//
// CPU:0's part runs on the caller's thread, the others on their devices, once CPU:0 is through with ops that wait for other steps. Thread-safe: threads that
// run the plan at the same time each take an instance of it (kernels, contexts, memory) of their
// own.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "headrace/device/device_set.h"
#include "headrace/kernel/kernel.h"
#include "headrace/runtime/launcher.h"
#include "headrace/runtime/step_graph.h"
#include "headrace/runtime/trace.h"

namespace headrace {

struct PlanLayout;
class PlanInstance;

// What a run is given.
struct StepArguments {
  std::span<const Tensor> feeds;  // in the order of the request; dtypes and shapes as compiled
  // Results. A tensor that is there already, is not shared, and has the right dtype and shape is
  // written over, so that a caller who passes the same vector again pays no allocation.
  std::vector<Tensor>* fetches = nullptr;
  const StepContext* context = nullptr;  // its cancellation ends the run early
  StepTrace* trace = nullptr;
};

// Memory of one device for one instance of a plan.
struct PlanMemoryUse {
  std::string device;
  int64_t arena_bytes = 0;      // laid out beforehand
  int64_t peak_live_bytes = 0;  // most that lives at one moment: the lower bound
  int64_t constant_bytes = 0;
  int unplanned = 0;  // values whose size is known only when the step runs
};

class Plan {
 public:
  // False for steps that need the general executor: control flow, and ops that wait for others side by side.
  static bool Accepts(const StepGraph& step);
  // REQUIRES: Accepts(step), and Schedule was called. Errors of creating kernels come from the
  // first run.
  static StatusOr<std::shared_ptr<Plan>> Compile(std::unique_ptr<StepGraph> step,
                                                 std::shared_ptr<DeviceSet> devices,
                                                 std::shared_ptr<ResourceStore> resources,
                                                 std::shared_ptr<Launcher> launcher);
  ~Plan();

  // Errors: that of the first kernel that fails, with op, node and location; of the cancellation;
  // ResourceExhausted when the memory of the plan does not fit its device. After an error nothing
  // is fetched.
  Status Run(const StepArguments& arguments);

  int num_kernels() const;
  std::vector<PlanMemoryUse> memory() const;
  // The programs as text, for people who debug them.
  std::string ToString() const;

 private:
  friend class PlanInstance;
  Plan();
  StatusOr<PlanInstance*> TakeInstance();
  void GiveBack(PlanInstance* instance);

  std::unique_ptr<StepGraph> step_;
  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<ResourceStore> resources_;
  std::shared_ptr<Launcher> launcher_;
  std::unique_ptr<PlanLayout> layout_;
  std::vector<Tensor> constants_;  // by slot; made with the first instance and shared by all
  std::atomic<PlanInstance*> idle_{nullptr};  // one idle instance, taken without a lock
  std::mutex mutex_;
  std::vector<PlanInstance*> more_idle_;
  std::vector<std::unique_ptr<PlanInstance>> instances_;
};

}  // namespace headrace
