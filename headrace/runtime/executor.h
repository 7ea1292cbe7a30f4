// Runs a step as dataflow: every node runs as soon as its inputs are there, on a pool of threads or
// its device's stream. Slower than a Plan, but it runs what cannot be planned: loops and branches
// of TensorFlow 1 (Switch, Merge, Enter, Exit, NextIteration) and ops that wait for others (queues,
// receive). Same kernels, same results.
//
//   HR_ASSIGN_OR_RETURN(auto executor, Executor::Create(std::move(step), devices, resources));
//   HR_RETURN_IF_ERROR(executor->Run({.feeds = feeds, .fetches = &fetches, .context = &context}));
//
// Thread-safe: runs at the same time each use kernels of their own.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "headrace/device/device_set.h"
#include "headrace/kernel/kernel.h"
#include "headrace/runtime/plan.h"
#include "headrace/runtime/step_graph.h"

namespace headrace {

class FlowGraph;
struct FlowKernels;

class Executor {
 public:
  // Errors: InvalidArgument for control flow that is put together wrongly (an Exit without Enter, a
  // value that leaves its loop without one).
  static StatusOr<std::shared_ptr<Executor>> Create(std::unique_ptr<StepGraph> step,
                                                    std::shared_ptr<DeviceSet> devices,
                                                    std::shared_ptr<ResourceStore> resources);
  ~Executor();

  // As Plan::Run. InvalidArgument when a fetched value was not made, because its branch was not
  // taken.
  Status Run(const StepArguments& arguments);

 private:
  Executor();
  StatusOr<std::unique_ptr<FlowKernels>> TakeKernels();

  std::unique_ptr<StepGraph> step_;
  std::unique_ptr<FlowGraph> flow_;
  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<ResourceStore> resources_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<FlowKernels>> idle_;
};

}  // namespace headrace
