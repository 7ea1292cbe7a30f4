#include "headrace/runtime/internal/plan_instance.h"

#include "headrace/base/strings.h"
#include "headrace/runtime/internal/plan_builder.h"

namespace headrace {
namespace {

using Clock = Cancellation::Clock;

bool Aligned(const Tensor& tensor) {
  const size_t element = SizeOf(tensor.dtype());
  return element == 0 || (element & (element - 1)) != 0 ||
         reinterpret_cast<uintptr_t>(tensor.raw_data()) % std::min<size_t>(element, 16) == 0;
}

// True if the caller's tensor of an earlier step may be written over.
bool Reusable(const Tensor& old, DType type, const Shape& shape, const Allocator& memory) {
  return old.valid() && old.dtype() == type && old.shape() == shape && old.unique() &&
         old.buffer()->allocator() == &memory && old.raw_data() == old.buffer()->data();
}

}  // namespace

StatusOr<std::unique_ptr<PlanInstance>> PlanInstance::Create(const PlanLayout& layout,
                                                             DeviceSet& devices,
                                                             ResourceStore& resources,
                                                             Launcher& launcher,
                                                             const std::vector<Tensor>& constants) {
  std::unique_ptr<PlanInstance> instance(new PlanInstance);
  instance->layout_ = &layout;
  instance->devices_ = &devices;
  instance->launcher_ = &launcher;
  instance->constants_ = &constants;
  HR_RETURN_IF_ERROR(Builder(*instance, resources).Build());
  return instance;
}

PlanInstance::~PlanInstance() = default;

void PlanInstance::ResetSlots() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const PlanSlot& slot = layout_->slots[i];
    switch (slot.kind) {
      case SlotKind::kArena: {
        const int arena = 2 * slot.program + (slot.on_host ? 1 : 0);
        char* base = static_cast<char*>(arenas_[arena].raw_data());
        slots_[i] = Tensor::View(slot.type, slot.shape.ToShape(),
                                 base + layout_->arenas[arena].offsets[slot.block]);
        break;
      }
      case SlotKind::kConstant:
        slots_[i] = (*constants_)[i];
        break;
      default:
        slots_[i] = Tensor();
    }
  }
  for (size_t i = 0; i < slots_.size();
       ++i) {  // views of views: by the order of nodes, sources come first
    const PlanSlot& slot = layout_->slots[i];
    if (slot.kind == SlotKind::kView)
      slots_[i] = slots_[slot.shares].Reshaped(slot.shape.ToShape());
  }
}

Status PlanInstance::Run(const StepArguments& arguments) {
  context_ = *arguments.context;
  Status status = Bind(arguments);
  if (status.ok()) [[likely]] {
    status = layout_->programs.size() == 1 ? RunAll(programs_[0], arguments.trace)
                                           : RunTogether(arguments);
  }
  if (!status.ok()) [[unlikely]] {
    arguments.fetches->clear();
    ResetSlots();
    return status;
  }
  TakeFetches(*arguments.fetches);
  for (Tensor* slot : end_releases_) *slot = Tensor();
  return status;
}

Status PlanInstance::Bind(const StepArguments& arguments) {
  for (size_t i = 0; i < layout_->feed_slots.size(); ++i) {
    const int slot = layout_->feed_slots[i];
    if (slot < 0) continue;
    const Tensor& feed = arguments.feeds[i];
    slots_[slot] = Aligned(feed) ? feed : feed.Clone();
  }
  // Feeds are held by now: a fetched tensor of the last step that is fed to this one is not free.
  std::vector<Tensor>& fetches = *arguments.fetches;
  if (fetches.size() != taken_.size()) fetches.resize(taken_.size());
  Allocator& memory = devices_->cpu().allocator();
  for (const Fresh& fresh : fresh_) {
    Tensor& slot = slots_[fresh.slot];
    if (fresh.fetch >= 0 && Reusable(fetches[fresh.fetch], fresh.type, fresh.shape, memory)) {
      slot = std::move(fetches[fresh.fetch]);
    } else {
      StatusOr<Tensor> value = Tensor::Allocate(memory, fresh.type, fresh.shape, "a fetched value");
      if (!value.ok()) {
        const StepNode* maker = layout_->slots[fresh.slot].maker;
        return maker == nullptr ? value.status()
                                : Annotate(value.status(), StrCat(maker->node->Describe(), ": "));
      }
      slot = *std::move(value);
    }
  }
  return absl::OkStatus();
}

void PlanInstance::TakeFetches(std::vector<Tensor>& fetches) {
  for (size_t i = 0; i < taken_.size(); ++i) {
    Tensor& slot = slots_[taken_[i].slot];
    if (!slot.owns_buffer()) {
      fetches[i] = slot.Clone();
    } else if (taken_[i].move) {
      fetches[i] = std::move(slot);
    } else {
      fetches[i] = slot;
    }
  }
}

Status PlanInstance::RunTogether(const StepArguments& arguments) {
  for (int i = 0; i < layout_->num_signals; ++i) signals_[i].Reset();
  together_.done.Reset();
  together_.running.store(static_cast<int>(programs_.size()) - 1, std::memory_order_relaxed);
  together_.trace = arguments.trace;

  // The step has a token of its own: its first error ends all its programs, but not the caller's
  // other steps.
  Cancellation& outer = *arguments.context->cancellation;
  Cancellation step(outer.deadline());
  context_.cancellation = together_.cancellation = &step;
  const auto outer_id = outer.OnCancel([&] { step.Cancel(outer.status()); });
  if (!outer_id) step.Cancel(outer.status());
  const auto wake_id = step.OnCancel([this] {
    for (int i = 0; i < layout_->num_signals; ++i) signals_[i].Abort();
  });

  // Other devices start when nothing of this step waits for other steps any more: those may need the devices.
  Program& mine = programs_[0];
  const std::span<Instruction> all(mine.instructions);
  Status status = mine.num_early == 0 ? absl::OkStatus() : RunOrTrace(mine, all.first(mine.num_early), arguments.trace);
  if (!status.ok()) {
    step.Remove(wake_id);
    outer.Remove(outer_id);
    return status;
  }

  std::vector<std::pair<int, std::function<void()>>> work;
  for (size_t i = 1; i < programs_.size(); ++i) {
    work.emplace_back(programs_[i].device, [this, i] { RunOneOfMany(programs_[i]); });
  }
  launcher_->Launch(work);
  status = RunOrTrace(mine, all.subspan(mine.num_early), arguments.trace);
  if (!status.ok()) step.Cancel(status);
  if (together_.done.Wait(step.deadline()) == Signal::Outcome::kTimedOut) {
    step.Cancel(absl::DeadlineExceededError("the deadline of the call has passed"));
    together_.done.Wait();
  }
  step.Remove(wake_id);
  outer.Remove(outer_id);
  return step.cancelled() ? step.status() : absl::OkStatus();
}

void PlanInstance::RunOneOfMany(Program& program) {
  Status status = RunAll(program, together_.trace);
  if (Stream* stream = devices_->device(program.device).stream();
      stream != nullptr && status.ok()) {
    status = stream->Synchronize();  // a device that failed gives no data
  }
  if (!status.ok()) together_.cancellation->Cancel(std::move(status));
  if (together_.running.fetch_sub(1, std::memory_order_acq_rel) == 1) together_.done.Raise();
}

Status PlanInstance::RunOrTrace(Program& program, std::span<Instruction> part, StepTrace* trace) {
  return trace == nullptr ? RunProgram<false>(program, part, nullptr) : RunProgram<true>(program, part, trace);
}

template <bool kTraced>
Status PlanInstance::RunProgram(Program& program, std::span<Instruction> part, StepTrace* trace) {
  Cancellation& cancellation = *context_.cancellation;
  const std::optional<Clock::time_point> deadline = cancellation.deadline();
  std::vector<TraceEvent> events;
  for (Instruction& instruction : part) {
    if (cancellation.cancelled() || (deadline && Clock::now() >= *deadline)) [[unlikely]] {
      return cancellation.status();
    }
    [[maybe_unused]] int64_t start = 0;
    if constexpr (kTraced) start = StepTrace::Now();
    if (instruction.op == PlanOp::kKernel) [[likely]] {
      if (Status status = instruction.kernel->Compute(instruction.context); !status.ok())
          [[unlikely]] {
        return Annotated(status, instruction);
      }
      for (int i = 0; i < instruction.num_outputs; ++i) {
        const Tensor& output = instruction.output[i];
        void* place = instruction.places[i];
        if (place == output.raw_data() && place != nullptr) [[likely]]
          continue;
        if (place == nullptr ? output.valid() : place == kAnyPlace) continue;
        HR_RETURN_IF_ERROR(CheckOutputs(instruction));
      }
    } else {
      HR_RETURN_IF_ERROR(Execute(instruction, program));
    }
    if constexpr (kTraced) Record(instruction, program, start, events);
    for (uint32_t i = 0; i < instruction.num_releases; ++i) *instruction.releases[i] = Tensor();
  }
  if constexpr (kTraced) trace->Add(std::move(events));
  return absl::OkStatus();
}

void PlanInstance::Record(const Instruction& instruction, const Program& program, int64_t start,
                          std::vector<TraceEvent>& events) const {
  TraceEvent event{.device = program.device, .start_ns = start, .end_ns = StepTrace::Now()};
  switch (instruction.op) {
    case PlanOp::kKernel:
    case PlanOp::kAlias:
      event.kind = TraceEvent::Kind::kCompute;
      break;
    case PlanOp::kRead:
      event.kind = TraceEvent::Kind::kRead;
      break;
    case PlanOp::kCopy:
    case PlanOp::kSend:
      event.kind = TraceEvent::Kind::kSend;
      break;
    case PlanOp::kReceive:
      event.kind = TraceEvent::Kind::kReceive;
      break;
    case PlanOp::kNothing:
      return;
  }
  if (instruction.plan->node == nullptr) return;
  event.node = instruction.op == PlanOp::kRead ? instruction.plan->node->reader
                                               : instruction.plan->node->shown();
  if (instruction.op == PlanOp::kKernel) {
    for (int i = 0; i < instruction.plan->node->num_outputs(); ++i) {
      const Tensor& output = instruction.output[i];
      if (output.valid()) event.output_bytes += static_cast<int64_t>(output.size_bytes());
    }
  } else if (instruction.output != nullptr) {
    event.output_bytes = static_cast<int64_t>(instruction.output->size_bytes());
  }
  events.push_back(event);
}

Status PlanInstance::Execute(Instruction& instruction, const Program& program) {
  switch (instruction.op) {
    case PlanOp::kRead:
      return Read(instruction);
    case PlanOp::kAlias:
      *instruction.output = instruction.input->Reshaped(
          layout_->slots[instruction.plan->first_output].shape.ToShape());
      return absl::OkStatus();
    case PlanOp::kCopy:
      return Copy(instruction);
    case PlanOp::kSend: {
      Status status = instruction.output == nullptr ? absl::OkStatus() : Copy(instruction);
      if (status.ok()) instruction.signal->Raise();
      return status;
    }
    case PlanOp::kReceive:
      return Receive(instruction, program);
    default:
      return absl::OkStatus();
  }
}

Status PlanInstance::Read(Instruction& instruction) {
  Tensor value = instruction.variable->ReadOrInvalid();
  const StepNode& read = *instruction.plan->node;
  if (!value.valid()) [[unlikely]] {
    return Annotate(instruction.variable->Read().status(), StrCat(read.reader->Describe(), ": "));
  }
  const PlanSlot& slot = layout_->slots[instruction.plan->first_output];
  if (slot.is_static() && !(slot.shape == PartialShape(value.shape()))) [[unlikely]] {
    return FailedPrecondition(read.reader->Describe(), ": variable '", read.node->name(),
                              "' has shape ", value.shape().ToString(),
                              ", but the graph was built for ", slot.shape.ToString(),
                              ": it was assigned without validate_shape");
  }
  *instruction.output = std::move(value);
  return absl::OkStatus();
}

Device& PlanInstance::DeviceOf(const PlanSlot& slot) const {
  return slot.on_host ? devices_->cpu() : devices_->device(programs_[slot.program].device);
}

// Copies a value to where another program, or the other side of the same device, wants it.
Status PlanInstance::Copy(Instruction& instruction) {
  const PlanSlot& target = layout_->slots[instruction.plan->target];
  Device& from = DeviceOf(layout_->slots[instruction.plan->inputs[0]]);
  Device& to = DeviceOf(target);
  Tensor& output = *instruction.output;
  const Tensor& input = *instruction.input;
  const bool out = from.separate_memory(), in = to.separate_memory();
  if (target.kind == SlotKind::kDynamic) {
    if (!IsPlain(input.dtype()) || (!out && !in && input.owns_buffer())) {
      output = input;
      return absl::OkStatus();
    }
    StatusOr<Tensor> made =
        Tensor::Allocate(to.allocator(), input.dtype(), input.shape(), target.maker->node->name());
    if (!made.ok()) return Annotated(made.status(), instruction);
    output = *std::move(made);
  }
  if (input.num_elements() == 0) return absl::OkStatus();
  if (in) return to.CopyIn(input, output);
  if (out) return from.CopyOut(input, output);
  output.CopyElementsFrom(input);
  return absl::OkStatus();
}

Status PlanInstance::Receive(Instruction& instruction, const Program& program) {
  // Only the caller's thread watches the clock; it ends the wait of the others.
  Cancellation& cancellation = *context_.cancellation;
  const auto deadline = program.index == 0 ? cancellation.deadline() : std::nullopt;
  switch (instruction.signal->Wait(deadline)) {
    case Signal::Outcome::kRaised:
      return absl::OkStatus();
    case Signal::Outcome::kTimedOut:
      return absl::DeadlineExceededError("the deadline of the call has passed");
    case Signal::Outcome::kAborted:
      break;
  }
  Status status = cancellation.status();
  return status.ok() ? absl::CancelledError("the step was ended") : status;
}

// An output is not where it was planned: bring it there, or say what the kernel did wrong.
Status PlanInstance::CheckOutputs(Instruction& instruction) {
  const StepNode& node = *instruction.plan->node;
  for (int i = 0; i < instruction.num_outputs; ++i) {
    Tensor& output = instruction.output[i];
    void* place = instruction.places[i];
    if (place == kAnyPlace || (place == nullptr ? output.valid() : output.raw_data() == place))
      continue;
    if (!output.valid())
      return Internal(node.node->Describe(), ": its kernel did not set output ", i);
    const PlanSlot& slot = layout_->slots[instruction.plan->first_output + i];
    Tensor planned = Tensor::View(slot.type, slot.shape.ToShape(), place);
    if (output.dtype() != planned.dtype() || !(output.shape() == planned.shape())) {
      return Internal(node.node->Describe(), ": its kernel made output ", i, " ",
                      DTypeName(output.dtype()), " ", output.shape().ToString(),
                      ", but its definition promised ", DTypeName(slot.type), " ",
                      slot.shape.ToString());
    }
    planned.CopyElementsFrom(output);
    output = std::move(planned);
  }
  return absl::OkStatus();
}

Status PlanInstance::Annotated(const Status& status, const Instruction& instruction) const {
  if (instruction.plan->node == nullptr) return status;
  const std::string where = instruction.plan->node->shown()->Describe();
  if (Message(status).starts_with(where)) return status;
  return Annotate(status, StrCat(where, ": "));
}

}  // namespace headrace
