#include "headrace/runtime/plan.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/runtime/internal/plan_instance.h"
#include "headrace/runtime/internal/plan_layout.h"
#include "headrace/runtime/internal/waits.h"

namespace headrace {
namespace {

// Constants in host memory share the graph's bytes; a device with memory of its own gets a copy,
// once.
StatusOr<std::vector<Tensor>> PlaceConstants(const PlanLayout& layout, DeviceSet& devices) {
  std::vector<Tensor> constants(layout.slots.size());
  for (size_t i = 0; i < layout.slots.size(); ++i) {
    const PlanSlot& slot = layout.slots[i];
    if (slot.kind != SlotKind::kConstant) continue;
    const Tensor& value = slot.maker->values[slot.output];
    Device& device = devices.device(layout.programs[slot.program].device);
    if (slot.on_host || !device.separate_memory()) {
      constants[i] = value;
      continue;
    }
    HR_ASSIGN_OR_RETURN(constants[i],
                        Tensor::Allocate(device.allocator(), value.dtype(), value.shape(),
                                         StrCat(slot.maker->node->name(), " (constant)")));
    if (value.num_elements() > 0) HR_RETURN_IF_ERROR(device.CopyIn(value, constants[i]));
  }
  return constants;
}

std::string_view OpText(PlanOp op) {
  constexpr std::string_view kNames[] = {"run",  "read",    "alias",  "copy",
                                         "send", "receive", "nothing"};
  return kNames[static_cast<int>(op)];
}

}  // namespace

Plan::Plan() = default;
Plan::~Plan() = default;

bool Plan::Accepts(const StepGraph& step) {
  if (step.has_control_flow() || (step.has_blocking() && !CanWaitInOrder(step))) return false;
  return std::none_of(step.nodes().begin(), step.nodes().end(), [](const StepNode* node) {
    return node->kind == StepKind::kKernel && node->variable == node && !node->inputs.empty();
  });
}

StatusOr<std::shared_ptr<Plan>> Plan::Compile(std::unique_ptr<StepGraph> step,
                                              std::shared_ptr<DeviceSet> devices,
                                              std::shared_ptr<ResourceStore> resources,
                                              std::shared_ptr<Launcher> launcher) {
  std::shared_ptr<Plan> plan(new Plan);
  HR_ASSIGN_OR_RETURN(PlanLayout layout, CutIntoPrograms(*step, *devices));
  PlanSlots(layout);
  plan->layout_ = std::make_unique<PlanLayout>(std::move(layout));
  plan->step_ = std::move(step);
  plan->devices_ = std::move(devices);
  plan->resources_ = std::move(resources);
  plan->launcher_ = std::move(launcher);
  return plan;
}

Status Plan::Run(const StepArguments& arguments) {
  PlanInstance* instance = idle_.exchange(nullptr, std::memory_order_acquire);
  if (instance == nullptr) [[unlikely]] {
    HR_ASSIGN_OR_RETURN(instance, TakeInstance());
  }
  Status status = instance->Run(arguments);
  PlanInstance* none = nullptr;
  if (!idle_.compare_exchange_strong(none, instance, std::memory_order_release)) [[unlikely]]
    GiveBack(instance);
  return status;
}

StatusOr<PlanInstance*> Plan::TakeInstance() {
  std::lock_guard lock(mutex_);
  if (!more_idle_.empty()) {
    PlanInstance* instance = more_idle_.back();
    more_idle_.pop_back();
    return instance;
  }
  if (constants_.empty()) {
    HR_ASSIGN_OR_RETURN(constants_, PlaceConstants(*layout_, *devices_));
  }
  HR_ASSIGN_OR_RETURN(
      std::unique_ptr<PlanInstance> made,
      PlanInstance::Create(*layout_, *devices_, *resources_, *launcher_, constants_));
  instances_.push_back(std::move(made));
  return instances_.back().get();
}

void Plan::GiveBack(PlanInstance* instance) {
  std::lock_guard lock(mutex_);
  more_idle_.push_back(instance);
}

int Plan::num_kernels() const {
  int count = 0;
  for (const PlanProgram& program : layout_->programs) {
    count += static_cast<int>(
        std::count_if(program.instructions.begin(), program.instructions.end(),
                      [](const PlanInstruction& i) { return i.op == PlanOp::kKernel; }));
  }
  return count;
}

std::vector<PlanMemoryUse> Plan::memory() const {
  std::vector<PlanMemoryUse> uses;
  for (size_t i = 0; i < layout_->programs.size(); ++i) {
    PlanMemoryUse use{.device = devices_->device(layout_->programs[i].device).name()};
    for (size_t arena : {2 * i, 2 * i + 1}) {
      use.arena_bytes += layout_->arenas[arena].total_bytes;
      use.peak_live_bytes += layout_->arenas[arena].peak_live_bytes;
    }
    for (const PlanSlot& slot : layout_->slots) {
      if (slot.program != static_cast<int>(i)) continue;
      if (slot.kind == SlotKind::kConstant) {
        use.constant_bytes += static_cast<int64_t>(slot.maker->values[slot.output].size_bytes());
      }
      use.unplanned += slot.kind == SlotKind::kDynamic && slot.shares < 0 && !slot.is_static();
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

std::string Plan::ToString() const {
  std::string text;
  for (const PlanProgram& program : layout_->programs) {
    StrAppend(&text, devices_->device(program.device).name(), "\n");
    for (const PlanInstruction& instruction : program.instructions) {
      StrAppend(&text, "  ", OpText(instruction.op));
      if (instruction.node != nullptr) {
        StrAppend(&text, " ", instruction.node->node->name(), " (",
                  instruction.node->node->op_name(), ")");
      }
      for (int input : instruction.inputs) StrAppend(&text, " %", input);
      if (instruction.first_output >= 0) StrAppend(&text, " -> %", instruction.first_output);
      if (instruction.target >= 0) StrAppend(&text, " -> %", instruction.target);
      if (instruction.signal >= 0) StrAppend(&text, " !", instruction.signal);
      for (int slot : instruction.releases) StrAppend(&text, " ~%", slot);
      StrAppend(&text, "\n");
    }
  }
  return text;
}

}  // namespace headrace
