#include "headrace/runtime/internal/flow_run.h"

#include <algorithm>
#include <map>

#include "headrace/base/strings.h"
#include "headrace/kernel/context_builder.h"
#include "headrace/runtime/internal/inter_op_pool.h"

namespace headrace {
namespace {

const Tensor kNoTensor;

// Rows of the trace for threads that are not a stream's.
int ThreadLane() {
  static std::atomic<int> next{0};
  thread_local const int lane = next.fetch_add(1);
  return lane;
}

}  // namespace

// A kernel call, alive until its outputs were handed on.
struct FlowRun::Call {
  FlowTask task;
  std::vector<Tensor> inputs;
  std::vector<const Tensor*> input_pointers;
  std::vector<VariableResource*> variables, refs;
  std::vector<Tensor> outputs;
  KernelContext context;
  int64_t start_ns = 0;
};

FlowRun::FlowRun(const FlowGraph& graph, const FlowKernels& kernels, DeviceSet& devices,
                 const StepArguments& arguments)
    : graph_(graph),
      kernels_(kernels),
      devices_(devices),
      arguments_(arguments),
      cancellation_(arguments.context->cancellation->deadline()),
      context_(*arguments.context),
      state_(graph) {
  context_.cancellation = &cancellation_;
  if (context_.rendezvous == nullptr) {
    rendezvous_ = MakeLocalRendezvous();
    context_.rendezvous = rendezvous_.get();
  }
}

Status FlowRun::Run() {
  Cancellation& outer = *arguments_.context->cancellation;
  const auto link = outer.OnCancel([this, &outer] { cancellation_.Cancel(outer.status()); });
  if (!link) cancellation_.Cancel(outer.status());
  const auto abort = cancellation_.OnCancel([this] {
    if (rendezvous_ != nullptr) rendezvous_->Abort(cancellation_.status());
  });

  std::vector<FlowTask> ready;
  {
    std::lock_guard lock(mutex_);
    state_.Start(ready);
    active_ = static_cast<int64_t>(ready.size());
  }
  if (!ready.empty()) Process(std::move(ready), kAnyThread);
  std::unique_lock lock(mutex_);
  auto done = [this] { return active_ == 0; };
  if (cancellation_.deadline() && !finished_.wait_until(lock, *cancellation_.deadline(), done)) {
    lock.unlock();
    Fail(absl::DeadlineExceededError("the deadline of the call has passed"));
    lock.lock();
  }
  finished_.wait(lock, done);
  lock.unlock();
  cancellation_.Remove(abort);
  outer.Remove(link);
  if (arguments_.trace != nullptr) arguments_.trace->Add(std::move(events_));
  return error_;
}

void FlowRun::Process(std::vector<FlowTask> tasks, int here) {
  std::vector<FlowTask> ready = std::move(tasks);
  std::map<int, std::vector<FlowTask>> elsewhere;
  while (!ready.empty()) {
    // One for this thread; the rest side by side on others.
    std::vector<FlowTask> mine, others;
    for (FlowTask& task : ready) {
      const StepNode& step = *task.node->step;
      const bool works =
          !task.dead && (kernels_.kernels[step.id] != nullptr || step.kind == StepKind::kRead);
      Stream* stream = works ? devices_.device(step.device).stream() : nullptr;
      const int device = step.device;
      if (stream != nullptr && device != here) {
        elsewhere[device].push_back(task);
      } else if (works && stream == nullptr && here != kAnyThread) {
        others.push_back(task);  // a stream's thread does the work of its device only
      } else if (works && stream == nullptr && !mine.empty()) {
        others.push_back(task);
      } else {
        mine.push_back(task);
      }
    }
    for (auto& [device, list] : elsewhere) HandOver(std::move(list), device);
    elsewhere.clear();
    for (FlowTask& task : others) HandOver({task}, kAnyThread);
    ready.clear();
    for (FlowTask& task : mine) RunTask(task, ready);
  }
}

void FlowRun::HandOver(std::vector<FlowTask> tasks, int device) {
  auto work = [self = shared_from_this(), tasks = std::move(tasks), device] {
    self->Process(tasks, device);
  };
  if (device == kAnyThread) {
    InterOpPool::Global().Schedule(std::move(work));
  } else {
    devices_.device(device).stream()->Enqueue(std::move(work));
  }
}

bool FlowRun::RunTask(const FlowTask& task, std::vector<FlowTask>& ready) {
  if (cancellation_.cancelled()) Fail(cancellation_.status());
  bool failed;
  {
    std::lock_guard lock(mutex_);
    failed = !error_.ok();
  }
  if (failed || task.dead) {
    Finish(task, std::vector<FlowValue>(), ready);
    return true;
  }
  if (kernels_.kernels[task.node->step->id] != nullptr) return RunKernel(task, ready);
  Finish(task, RunWithoutKernel(task), ready);
  return true;
}

bool FlowRun::RunKernel(const FlowTask& task, std::vector<FlowTask>& ready) {
  auto call = std::make_shared<Call>();
  call->task = task;
  if (arguments_.trace != nullptr) call->start_ns = StepTrace::Now();
  if (Status prepared = Prepare(*call); !prepared.ok()) {
    Finish(task, prepared, ready);
    return true;
  }
  Kernel* kernel = kernels_.kernels[task.node->step->id].get();
  // Ends the task on whatever thread the kernel ends on, and goes on from there.
  auto end_elsewhere = [self = shared_from_this(), call](Status status) {
    std::vector<FlowValue> outputs;
    std::vector<FlowTask> following;
    Status completed = self->Complete(*call, std::move(status), outputs);
    if (completed.ok()) {
      self->Finish(call->task, std::move(outputs), following);
    } else {
      self->Finish(call->task, std::move(completed), following);
    }
    if (!following.empty())
      InterOpPool::Global().Schedule([self, following] { self->Process(following, kAnyThread); });
  };
  if (auto* async = dynamic_cast<AsyncKernel*>(kernel)) {
    async->ComputeAsync(call->context, end_elsewhere);
    return false;
  }
  if (task.node->blocking) {
    InterOpPool::Global().ScheduleBlocking(
        [kernel, call, end_elsewhere] { end_elsewhere(kernel->Compute(call->context)); });
    return false;
  }
  Status status;
  if (std::mutex* exclusive = kernels_.locks[task.node->step->id].get()) {
    std::lock_guard lock(*exclusive);
    status = kernel->Compute(call->context);
  } else {
    status = kernel->Compute(call->context);
  }
  std::vector<FlowValue> outputs;
  if (Status completed = Complete(*call, std::move(status), outputs); completed.ok()) {
    Finish(task, std::move(outputs), ready);
  } else {
    Finish(task, std::move(completed), ready);
  }
  return true;
}

Status FlowRun::Prepare(Call& call) {
  const FlowNode& node = *call.task.node;
  const StepNode& step = *node.step;
  const int inputs = node.num_inputs();
  call.inputs.resize(inputs);
  call.variables.resize(inputs, nullptr);
  call.outputs.resize(step.num_outputs());
  call.refs.resize(step.num_outputs(), nullptr);
  for (int i = 0; i < inputs; ++i) {
    FlowValue value = std::move(Input(call.task, i));
    if (step.takes_ref(i)) {
      call.variables[i] = value.variable;
      call.input_pointers.push_back(&kNoTensor);
      continue;
    }
    HR_ASSIGN_OR_RETURN(value, BringTo(std::move(value),
                                       FlowMemory(node, node.host_inputs, i, devices_), call.task));
    call.inputs[i] = std::move(value.tensor);
    call.input_pointers.push_back(&call.inputs[i]);
  }
  ContextBuilder::Fill(call.context, {.node = step.node,
                                      .device = &devices_.device(step.device),
                                      .inputs = call.input_pointers.data(),
                                      .variables = call.variables.data(),
                                      .num_inputs = inputs,
                                      .outputs = call.outputs.data(),
                                      .ref_outputs = call.refs.data(),
                                      .step = &context_});
  return absl::OkStatus();
}

// The value where a consumer wants it; of a variable, its value now. Into a device's memory on its
// own stream only.
StatusOr<FlowValue> FlowRun::BringTo(FlowValue value, int memory, const FlowTask& task) {
  if (value.variable != nullptr) {
    StatusOr<Tensor> read = value.variable->Read();
    if (!read.ok()) return Annotated(read.status(), task);
    value.tensor = *std::move(read);
    value.variable = nullptr;
  }
  if (value.memory == memory || !IsPlain(value.tensor.dtype())) return value;
  if (value.memory >= 0) {
    HR_RETURN_IF_ERROR(CopyOut(value, task));
    value.tensor = std::move(value.on_host);
  }
  if (memory >= 0) {
    Device& to = devices_.device(memory);
    HR_ASSIGN_OR_RETURN(Tensor there,
                        Tensor::Allocate(to.allocator(), value.tensor.dtype(), value.tensor.shape(),
                                         task.node->step->node->name()));
    if (there.num_elements() > 0) HR_RETURN_IF_ERROR(to.CopyIn(value.tensor, there));
    value.tensor = std::move(there);
  }
  value.memory = memory;
  return value;
}

// Makes the copy in host memory if there is none.
Status FlowRun::CopyOut(FlowValue& value, const FlowTask& task) {
  if (value.on_host.valid()) return absl::OkStatus();
  if (!IsPlain(value.tensor.dtype())) {
    value.on_host = value.tensor;
    return absl::OkStatus();
  }
  HR_ASSIGN_OR_RETURN(value.on_host,
                      Tensor::Allocate(devices_.cpu().allocator(), value.tensor.dtype(),
                                       value.tensor.shape(), task.node->step->node->name()));
  if (value.on_host.num_elements() == 0) return absl::OkStatus();
  return devices_.device(value.memory).CopyOut(value.tensor, value.on_host);
}

Status FlowRun::CopyOutIfWanted(FlowValue& value, const FlowTask& task) {
  if (value.memory < 0 || !value.tensor.valid()) return absl::OkStatus();
  return (task.node->wanted_in & ~FlowNode::MemoryBit(value.memory)) == 0 ? absl::OkStatus()
                                                                          : CopyOut(value, task);
}

StatusOr<FlowValue> FlowRun::ReadVariable(const FlowTask& task) {
  FlowValue value = std::move(Input(task, 0));
  if (value.variable == nullptr)
    return Internal(task.node->step->node->Describe(), ": gave no variable to read");
  StatusOr<Tensor> read = value.variable->Read();
  if (!read.ok()) return Annotate(read.status(), StrCat(task.node->step->reader->Describe(), ": "));
  FlowValue result{.tensor = *std::move(read), .memory = value.memory};
  HR_RETURN_IF_ERROR(CopyOutIfWanted(result, task));
  return result;
}

Status FlowRun::Complete(Call& call, Status computed, std::vector<FlowValue>& outputs) {
  const FlowNode& node = *call.task.node;
  const StepNode& step = *node.step;
  if (computed.ok()) {
    if (Stream* stream = devices_.device(step.device).stream()) computed = stream->Synchronize();
  }
  if (!computed.ok()) return Annotated(computed, call.task);
  for (int i = 0; i < step.num_outputs(); ++i) {
    FlowValue value;
    if (IsRef(step.types[i])) {
      value.variable = call.refs[i];
      value.memory = FlowMemory(node, {}, 0, devices_);
    } else {
      value.tensor = std::move(call.outputs[i]);
      value.memory = FlowMemory(node, node.host_outputs, i, devices_);
      HR_RETURN_IF_ERROR(CopyOutIfWanted(value, call.task));
    }
    outputs.push_back(std::move(value));
  }
  if (arguments_.trace != nullptr) Record(call.task, call.start_ns, outputs);
  return absl::OkStatus();
}

StatusOr<std::vector<FlowValue>> FlowRun::RunWithoutKernel(const FlowTask& task) {
  const StepNode& step = *task.node->step;
  std::vector<FlowValue> outputs;
  switch (step.kind) {
    case StepKind::kFeed:
      outputs.push_back(FlowValue{.tensor = arguments_.feeds[step.feed]});
      return outputs;
    case StepKind::kConstant:
      for (const Tensor& value : step.values) outputs.push_back(FlowValue{.tensor = value});
      return outputs;
    case StepKind::kOrder:
      return outputs;
    case StepKind::kRead: {
      HR_ASSIGN_OR_RETURN(FlowValue value, ReadVariable(task));
      outputs.push_back(std::move(value));
      return outputs;
    }
    case StepKind::kKernel:
      break;
  }
  if (step.is_alias) {
    FlowValue value = std::move(Input(task, 0));
    value.tensor = value.tensor.Reshaped(step.shapes[0].ToShape());
    if (value.on_host.valid()) value.on_host = value.on_host.Reshaped(step.shapes[0].ToShape());
    outputs.push_back(std::move(value));
    return outputs;
  }
  switch (task.node->trait) {
    case OpTrait::kSwitch: {
      HR_ASSIGN_OR_RETURN(FlowValue predicate, BringTo(std::move(Input(task, 1)), -1, task));
      if (predicate.tensor.num_elements() != 1 || predicate.tensor.dtype() != DType::kBool) {
        return InvalidArgument(step.node->Describe(), ": pred must be a bool scalar, got ",
                               predicate.tensor.ToString());
      }
      const bool taken = predicate.tensor.scalar<bool>();
      outputs.resize(2);
      outputs[taken ? 1 : 0] = std::move(Input(task, 0));
      outputs[taken ? 0 : 1].dead = true;
      return outputs;
    }
    case OpTrait::kMerge:
      outputs.push_back(std::move(Input(task, task.live_input)));
      if (step.num_outputs() > 1)
        outputs.push_back(FlowValue{.tensor = Tensor::Scalar<int32_t>(task.live_input)});
      return outputs;
    case OpTrait::kControlTrigger:
      return outputs;
    default:
      outputs.push_back(std::move(Input(task, 0)));
      return outputs;
  }
}

void FlowRun::Finish(const FlowTask& task, StatusOr<std::vector<FlowValue>> outputs,
                     std::vector<FlowTask>& ready) {
  if (!outputs.ok()) Fail(outputs.status());
  std::lock_guard lock(mutex_);
  const size_t before = ready.size();
  if (error_.ok()) {
    KeepFetches(task, *outputs);
    state_.Finish(task, *outputs, ready);
  }
  active_ += static_cast<int64_t>(ready.size() - before) - 1;
  if (active_ == 0) finished_.notify_all();
}

void FlowRun::KeepFetches(const FlowTask& task, const std::vector<FlowValue>& outputs) {
  for (const auto& [output, fetch] : task.node->fetches) {
    if (task.dead || outputs[output].dead) continue;
    if (static_cast<int>(fetched_.size()) <= fetch)
      fetched_.resize(fetch + 1, FlowValue{.dead = true});
    fetched_[fetch] = outputs[output];
  }
}

void FlowRun::Fail(Status status) {
  {
    std::lock_guard lock(mutex_);
    if (!error_.ok()) return;
    error_ = status;
  }
  cancellation_.Cancel(std::move(status));
}

StatusOr<std::vector<Tensor>> FlowRun::TakeFetches() {
  std::vector<Tensor> tensors;
  int wanted = 0;
  for (const auto& node : graph_.nodes()) wanted += static_cast<int>(node->fetches.size());
  fetched_.resize(wanted, FlowValue{.dead = true});
  std::vector<const FlowNode*> makers(wanted);
  for (const auto& node : graph_.nodes()) {
    for (const auto& [output, fetch] : node->fetches) makers[fetch] = node.get();
  }
  for (int i = 0; i < wanted; ++i) {
    const FlowTask task{.node = makers[i]};
    if (fetched_[i].dead) {
      return InvalidArgument(makers[i]->step->node->Describe(), ": Retval[", i,
                             "] does not have value: the branch that makes it was not taken");
    }
    HR_ASSIGN_OR_RETURN(FlowValue value, BringTo(std::move(fetched_[i]), -1, task));
    tensors.push_back(value.tensor.owns_buffer() ? std::move(value.tensor) : value.tensor.Clone());
  }
  return tensors;
}

Status FlowRun::Annotated(const Status& status, const FlowTask& task) const {
  const std::string where = task.node->step->shown()->Describe();
  return Message(status).starts_with(where) ? status : Annotate(status, StrCat(where, ": "));
}

void FlowRun::Record(const FlowTask& task, int64_t start, const std::vector<FlowValue>& outputs) {
  TraceEvent event{.kind = TraceEvent::Kind::kCompute,
                   .node = task.node->step->shown(),
                   .device = task.node->step->device,
                   .lane = ThreadLane(),
                   .start_ns = start,
                   .end_ns = StepTrace::Now()};
  for (const FlowValue& value : outputs) {
    if (value.tensor.valid()) event.output_bytes += static_cast<int64_t>(value.tensor.size_bytes());
  }
  std::lock_guard lock(mutex_);
  events_.push_back(event);
}

}  // namespace headrace
