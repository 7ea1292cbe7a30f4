#include "headrace/runtime/executor.h"

#include "headrace/runtime/internal/flow_graph.h"
#include "headrace/runtime/internal/flow_run.h"

namespace headrace {

Executor::Executor() = default;
Executor::~Executor() = default;

StatusOr<std::shared_ptr<Executor>> Executor::Create(std::unique_ptr<StepGraph> step,
                                                     std::shared_ptr<DeviceSet> devices,
                                                     std::shared_ptr<ResourceStore> resources) {
  std::shared_ptr<Executor> executor(new Executor);
  HR_ASSIGN_OR_RETURN(executor->flow_, FlowGraph::Build(*step, *devices));
  executor->step_ = std::move(step);
  executor->devices_ = std::move(devices);
  executor->resources_ = std::move(resources);
  return executor;
}

StatusOr<std::unique_ptr<FlowKernels>> Executor::TakeKernels() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<FlowKernels> kernels = std::move(idle_.back());
      idle_.pop_back();
      return kernels;
    }
  }
  return FlowKernels::Make(*flow_, *devices_, *resources_);
}

Status Executor::Run(const StepArguments& arguments) {
  HR_ASSIGN_OR_RETURN(std::unique_ptr<FlowKernels> kernels, TakeKernels());
  Status status;
  {
    auto run = std::make_shared<FlowRun>(*flow_, *kernels, *devices_, arguments);
    status = run->Run();
    if (status.ok()) {
      StatusOr<std::vector<Tensor>> fetched = run->TakeFetches();
      if (fetched.ok()) {
        *arguments.fetches = *std::move(fetched);
      } else {
        status = fetched.status();
      }
    }
  }
  if (!status.ok()) arguments.fetches->clear();
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(kernels));
  return status;
}

}  // namespace headrace
