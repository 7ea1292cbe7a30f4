// One run of the general executor.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "headrace/kernel/rendezvous.h"
#include "headrace/runtime/internal/flow_state.h"
#include "headrace/runtime/plan.h"

namespace headrace {

class FlowRun : public std::enable_shared_from_this<FlowRun> {
 public:
  FlowRun(const FlowGraph& graph, const FlowKernels& kernels, DeviceSet& devices,
          const StepArguments& arguments);
  // Blocks until every node is done, or the step has failed and nothing of it runs any more.
  Status Run();
  StatusOr<std::vector<Tensor>> TakeFetches();

 private:
  static constexpr int kAnyThread = -1;
  struct Call;  // of a kernel

  // Runs these and what follows from them on this thread, handing over what belongs or fits
  // elsewhere. `here`: the device whose stream this thread is, or kAnyThread.
  void Process(std::vector<FlowTask> tasks, int here);
  void HandOver(std::vector<FlowTask> tasks, int device);
  // True if the task is done and `ready` holds what follows; false if it goes on elsewhere and ends
  // by itself.
  bool RunTask(const FlowTask& task, std::vector<FlowTask>& ready);
  bool RunKernel(const FlowTask& task, std::vector<FlowTask>& ready);
  StatusOr<std::vector<FlowValue>> RunWithoutKernel(const FlowTask& task);
  Status Prepare(Call& call);
  Status Complete(Call& call, Status computed, std::vector<FlowValue>& outputs);
  StatusOr<FlowValue> BringTo(FlowValue value, int memory, const FlowTask& task);
  void Finish(const FlowTask& task, StatusOr<std::vector<FlowValue>> outputs,
              std::vector<FlowTask>& ready);
  void KeepFetches(const FlowTask& task, const std::vector<FlowValue>& outputs);
  void Fail(Status status);
  Status Annotated(const Status& status, const FlowTask& task) const;
  FlowValue& Input(const FlowTask& task, int i) const {
    return task.iteration->inputs[task.node->first_input + i];
  }
  Status CopyOut(FlowValue& value, const FlowTask& task);
  Status CopyOutIfWanted(FlowValue& value, const FlowTask& task);
  StatusOr<FlowValue> ReadVariable(const FlowTask& task);
  void Record(const FlowTask& task, int64_t start, const std::vector<FlowValue>& outputs);

  const FlowGraph& graph_;
  const FlowKernels& kernels_;
  DeviceSet& devices_;
  const StepArguments& arguments_;
  Cancellation cancellation_;
  std::unique_ptr<Rendezvous> rendezvous_;
  StepContext context_;

  std::mutex mutex_;
  std::condition_variable finished_;
  FlowState state_;
  int64_t active_ = 0;  // tasks that are ready or running
  Status error_;
  std::vector<FlowValue> fetched_;
  std::vector<TraceEvent> events_;
};

}  // namespace headrace
