#include "headrace/runtime/internal/plan_builder.h"

#include <algorithm>
#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/kernel/context_builder.h"

namespace headrace {
namespace {

constexpr size_t kPage = 4096;
const Tensor kNoTensor;

// A page that is written for the first time costs 1.5 us: not in a step.
void TouchPages(Tensor& memory) {
  char* bytes = static_cast<char*>(memory.raw_data());
  for (size_t at = 0; at < memory.size_bytes(); at += kPage) bytes[at] = 0;
}

}  // namespace

Status PlanInstance::Builder::Build() {
  instance_.slots_.resize(layout().slots.size());
  HR_RETURN_IF_ERROR(MakeArenas());
  instance_.ResetSlots();
  HR_RETURN_IF_ERROR(MakeVariables());
  CountArrays();
  instance_.signals_ = std::make_unique<Signal[]>(layout().num_signals);
  instance_.programs_.resize(layout().programs.size());
  for (size_t i = 0; i < layout().programs.size(); ++i) {
    instance_.programs_[i].index = static_cast<int>(i);
    HR_RETURN_IF_ERROR(MakeProgram(layout().programs[i], instance_.programs_[i]));
  }
  for (int slot : layout().end_releases) instance_.end_releases_.push_back(&instance_.slots_[slot]);
  PlanFetches();
  return absl::OkStatus();
}

Status PlanInstance::Builder::MakeArenas() {
  instance_.arenas_.resize(layout().arenas.size());
  for (size_t i = 0; i < layout().arenas.size(); ++i) {
    const int64_t bytes = layout().arenas[i].total_bytes;
    if (bytes == 0) continue;
    Device& device = instance_.devices_->device(layout().programs[i / 2].device);
    Allocator& memory = i % 2 == 0 ? device.allocator() : instance_.devices_->cpu().allocator();
    StatusOr<Tensor> arena =
        Tensor::Allocate(memory, DType::kUInt8, Shape{bytes}, "values of a step");
    if (!arena.ok())
      return absl::IsResourceExhausted(arena.status()) ? OutOfMemory(static_cast<int>(i))
                                                       : arena.status();
    if (device.host_accessible()) TouchPages(*arena);
    instance_.arenas_[i] = *std::move(arena);
  }
  return absl::OkStatus();
}

// Row 22 and test T13 of the behaviour we owe: the tensors that hold the memory, with their ops and
// lines, largest first.
Status PlanInstance::Builder::OutOfMemory(int arena) const {
  constexpr size_t kRows = 10;
  const Device& device = instance_.devices_->device(layout().programs[arena / 2].device);
  const std::vector<MemoryBlock>& blocks = layout().blocks[arena];
  std::vector<int> order(blocks.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return blocks[a].bytes > blocks[b].bytes; });
  Allocator& memory = instance_.devices_->device(layout().programs[arena / 2].device).allocator();
  const AllocatorStats stats = memory.stats();
  std::string text =
      StrCat("out of memory on ", device.name(), ": the values of this step need ",
             HumanBytes(layout().arenas[arena].total_bytes), " at once; ",
             HumanBytes(stats.bytes_in_use), " are in use",
             stats.limit_bytes > 0 ? StrCat(" of ", HumanBytes(stats.limit_bytes)) : std::string(),
             ". The largest:");
  for (size_t i = 0; i < std::min(order.size(), kRows); ++i) {
    const std::vector<int>& users = layout().block_slots[arena][order[i]];
    const PlanSlot& slot = layout().slots[users[0]];
    StrAppend(&text, "\n  ", HumanBytes(blocks[order[i]].bytes), "  ", slot.maker->shown()->Describe(),
              " ", DTypeName(slot.type), " ", slot.shape.ToString());
    for (size_t k = 1; k < std::min<size_t>(users.size(), 4); ++k) {
      StrAppend(&text, k == 1 ? ", then in place " : ", ", "'",
                layout().slots[users[k]].maker->node->name(), "'");
    }
    if (users.size() > 4) StrAppend(&text, " and ", users.size() - 4, " more");
  }
  // What else lives there (variables, other plans) as far as the allocator knows.
  const Status others = memory.OutOfMemory(static_cast<size_t>(layout().arenas[arena].total_bytes),
                                           "values of a step");
  StrAppend(&text, "\n", Message(others));
  return absl::ResourceExhaustedError(text);
}

Status PlanInstance::Builder::MakeVariables() {
  for (const StepNode* node : layout().variables) {
    if (static_cast<int>(variable_of_.size()) <= node->id)
      variable_of_.resize(node->id + 1, nullptr);
    Device& device = instance_.devices_->device(node->device);
    HR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel,
                        CreateKernel(*node->node, device, resources_));
    std::vector<Tensor> outputs(node->num_outputs());
    std::vector<VariableResource*> refs(node->num_outputs(), nullptr);
    Cancellation cancellation;
    const StepContext step{.cancellation = &cancellation, .resources = &resources_};
    KernelContext context;
    ContextBuilder::Fill(context, {.node = node->node,
                                   .device = &device,
                                   .outputs = outputs.data(),
                                   .ref_outputs = refs.data(),
                                   .step = &step});
    Status made = kernel->Compute(context);
    if (!made.ok()) return Annotate(made, StrCat(node->node->Describe(), ": "));
    if (refs[0] == nullptr)
      return Internal(node->node->Describe(), ": its kernel gave no variable");
    variable_of_[node->id] = refs[0];
    instance_.kernels_.push_back(std::move(kernel));
  }
  return absl::OkStatus();
}

// Contexts hold pointers into these arrays, which therefore get their full size first.
void PlanInstance::Builder::CountArrays() {
  size_t inputs = 0, outputs = 0, releases = 0;
  for (const PlanProgram& program : layout().programs) {
    for (const PlanInstruction& instruction : program.instructions) {
      inputs += instruction.inputs.size();
      releases += instruction.releases.size();
      if (instruction.op == PlanOp::kKernel) outputs += instruction.node->num_outputs();
    }
  }
  instance_.inputs_.reserve(inputs);
  instance_.variables_.reserve(inputs);
  instance_.ref_outputs_.reserve(outputs);
  instance_.releases_.reserve(releases);
  instance_.wanted_ = std::make_unique<bool[]>(layout().slots.size());
  instance_.planned_ = std::make_unique<bool[]>(layout().slots.size());
  instance_.places_.resize(layout().slots.size(), nullptr);
}

Status PlanInstance::Builder::MakeProgram(const PlanProgram& plan, Program& program) {
  program.device = plan.device;
  program.instructions.reserve(plan.instructions.size());
  for (const PlanInstruction& from : plan.instructions) {
    Instruction made;
    made.op = from.op;
    made.plan = &from;
    made.releases = instance_.releases_.data() + instance_.releases_.size();
    made.num_releases = static_cast<uint32_t>(from.releases.size());
    for (int slot : from.releases) instance_.releases_.push_back(&instance_.slots_[slot]);
    if (from.signal >= 0) made.signal = &instance_.signals_[from.signal];
    switch (from.op) {
      case PlanOp::kKernel:
        HR_RETURN_IF_ERROR(MakeKernel(from, plan, made));
        break;
      case PlanOp::kRead:
        made.variable = variable_of_[from.node->inputs[0].from->id];
        made.output = &instance_.slots_[from.first_output];
        break;
      case PlanOp::kAlias:
        made.input = &instance_.slots_[from.inputs[0]];
        made.output = &instance_.slots_[from.first_output];
        if (layout().slots[from.first_output].kind == SlotKind::kView) made.op = PlanOp::kNothing;
        break;
      case PlanOp::kCopy:
      case PlanOp::kSend:
        if (from.target >= 0) {
          made.input = &instance_.slots_[from.inputs[0]];
          made.output = &instance_.slots_[from.target];
        }
        break;
      case PlanOp::kReceive:
      case PlanOp::kNothing:
        break;
    }
    if (made.op == PlanOp::kNothing && made.num_releases == 0) continue;
    program.instructions.push_back(made);
    if (from.op == PlanOp::kKernel && from.node->node->op().blocking()) program.num_early = program.instructions.size();
  }
  return absl::OkStatus();
}

Status PlanInstance::Builder::MakeKernel(const PlanInstruction& plan, const PlanProgram& program,
                                         Instruction& instruction) {
  const StepNode& node = *plan.node;
  Device& device = instance_.devices_->device(program.device);
  HR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, CreateKernel(*node.node, device, resources_));
  instruction.kernel = kernel.get();
  instance_.kernels_.push_back(std::move(kernel));

  const Tensor** inputs = instance_.inputs_.data() + instance_.inputs_.size();
  VariableResource** variables = instance_.variables_.data() + instance_.variables_.size();
  bool any_variable = false;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const int slot = plan.inputs[i];
    instance_.inputs_.push_back(slot < 0 ? &kNoTensor : &instance_.slots_[slot]);
    VariableResource* variable =
        slot < 0 ? variable_of_[node.inputs[i].from->variable->id] : nullptr;
    any_variable |= variable != nullptr;
    instance_.variables_.push_back(variable);
  }
  VariableResource** refs = instance_.ref_outputs_.data() + instance_.ref_outputs_.size();
  instance_.ref_outputs_.resize(instance_.ref_outputs_.size() + node.num_outputs(), nullptr);
  const bool has_outputs = node.num_outputs() > 0;
  if (has_outputs) MarkOutputs(plan, instruction);
  ContextBuilder::Fill(instruction.context,
                       {.node = node.node,
                        .device = &device,
                        .inputs = inputs,
                        .variables = any_variable ? variables : nullptr,
                        .num_inputs = static_cast<int>(plan.inputs.size()),
                        .outputs = has_outputs ? &instance_.slots_[plan.first_output] : nullptr,
                        .ref_outputs = refs,
                        .wanted = has_outputs ? &instance_.wanted_[plan.first_output] : nullptr,
                        .planned = has_outputs ? &instance_.planned_[plan.first_output] : nullptr,
                        .step = &instance_.context_});
  return absl::OkStatus();
}

void PlanInstance::Builder::MarkOutputs(const PlanInstruction& plan, Instruction& instruction) {
  instruction.output = &instance_.slots_[plan.first_output];
  instruction.places = &instance_.places_[plan.first_output];
  for (int i = 0; i < plan.node->num_outputs(); ++i) {
    const int index = plan.first_output + i;
    const PlanSlot& slot = layout().slots[index];
    const bool is_ref = IsRef(plan.node->types[i]);
    instance_.wanted_[index] = !is_ref && (slot.last > slot.first || slot.escapes);
    instance_.planned_[index] = slot.kind == SlotKind::kArena || slot.kind == SlotKind::kFresh;
    void*& place = instance_.places_[index];
    place = slot.kind == SlotKind::kArena ? instance_.slots_[index].raw_data()
            : instance_.wanted_[index]    ? nullptr
                                          : kAnyPlace;
    if (place != kAnyPlace) instruction.num_outputs = static_cast<uint16_t>(i + 1);
  }
}

void PlanInstance::Builder::PlanFetches() {
  const std::vector<int>& fetched = layout().fetch_slots;
  for (size_t i = 0; i < fetched.size(); ++i) {
    const PlanSlot& slot = layout().slots[fetched[i]];
    const bool again = std::find(fetched.begin() + static_cast<ptrdiff_t>(i) + 1, fetched.end(),
                                 fetched[i]) != fetched.end();
    const bool own = slot.kind == SlotKind::kFresh || slot.kind == SlotKind::kDynamic;
    instance_.taken_.push_back({.slot = fetched[i], .move = own && !again});
  }
  for (size_t i = 0; i < layout().slots.size(); ++i) {
    const PlanSlot& slot = layout().slots[i];
    if (slot.kind != SlotKind::kFresh) continue;
    const auto at = std::find(fetched.begin(), fetched.end(), static_cast<int>(i));
    instance_.fresh_.push_back(
        {.slot = static_cast<int>(i),
         .fetch = at == fetched.end() ? -1 : static_cast<int>(at - fetched.begin()),
         .shape = slot.shape.ToShape(),
         .type = slot.type});
  }
}

}  // namespace headrace
