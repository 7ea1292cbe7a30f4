// One runnable copy of a plan: its kernels, their contexts, and the memory they work in. One run
// uses it at a time.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "headrace/kernel/kernel.h"
#include "headrace/runtime/internal/plan_layout.h"
#include "headrace/runtime/internal/signal.h"
#include "headrace/runtime/plan.h"

namespace headrace {

class PlanInstance {
 public:
  // `constants`: values of the layout's constant slots, in the memory where the slot lies.
  static StatusOr<std::unique_ptr<PlanInstance>> Create(const PlanLayout& layout,
                                                        DeviceSet& devices,
                                                        ResourceStore& resources,
                                                        Launcher& launcher,
                                                        const std::vector<Tensor>& constants);
  ~PlanInstance();

  Status Run(const StepArguments& arguments);

 private:
  // Stands in `places` for an output that nobody wants.
  static inline char any_place_ = 0;
  static constexpr void* kAnyPlace = &any_place_;

  // What the loop reads, and nothing else.
  struct Instruction {
    PlanOp op = PlanOp::kNothing;
    uint16_t num_outputs = 0;  // kKernel: outputs to check, from `output` on
    uint32_t num_releases = 0;
    Kernel* kernel = nullptr;
    Tensor* output = nullptr;       // what is written
    Tensor* input = nullptr;        // kAlias, kCopy, kSend: what is read
    void* const* places = nullptr;  // kKernel: where each output must lie
    Tensor* const* releases = nullptr;
    VariableResource* variable = nullptr;  // kRead
    Signal* signal = nullptr;              // kSend, kReceive
    const PlanInstruction* plan = nullptr;
    KernelContext context;
  };
  struct Program {
    int index = 0;
    int device = 0;
    std::vector<Instruction> instructions;
    size_t num_early = 0;  // instructions up to the last that waits for other steps
  };
  // The programs of one step on several devices.
  struct Together {
    std::atomic<int> running{0};
    Signal done;
    Cancellation* cancellation = nullptr;
    StepTrace* trace = nullptr;
  };
  class Builder;

  PlanInstance() = default;
  Status Bind(const StepArguments& arguments);
  Status RunTogether(const StepArguments& arguments);
  void RunOneOfMany(Program& program);
  Status RunAll(Program& program, StepTrace* trace) {
    return RunOrTrace(program, program.instructions, trace);
  }
  Status RunOrTrace(Program& program, std::span<Instruction> part, StepTrace* trace);
  template <bool kTraced>
  Status RunProgram(Program& program, std::span<Instruction> part, StepTrace* trace);
  void Record(const Instruction& instruction, const Program& program, int64_t start,
              std::vector<TraceEvent>& events) const;
  Status Execute(Instruction& instruction, const Program& program);
  Status Read(Instruction& instruction);
  Status Copy(Instruction& instruction);
  Status Receive(Instruction& instruction, const Program& program);
  Status CheckOutputs(Instruction& instruction);
  Status Annotated(const Status& status, const Instruction& instruction) const;
  Device& DeviceOf(const PlanSlot& slot) const;
  // Slots as they are between steps.
  void ResetSlots();
  void TakeFetches(std::vector<Tensor>& fetches);

  const PlanLayout* layout_ = nullptr;
  DeviceSet* devices_ = nullptr;
  Launcher* launcher_ = nullptr;
  const std::vector<Tensor>* constants_ = nullptr;
  std::vector<Tensor> arenas_;
  std::vector<Tensor> slots_;
  // Those of variables too: they keep the variables alive.
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<Program> programs_;
  std::unique_ptr<Signal[]> signals_;
  StepContext context_;  // what all kernel contexts point to
  Together together_;

  // Arrays that contexts and instructions point into.
  std::vector<const Tensor*> inputs_;
  std::vector<VariableResource*> variables_, ref_outputs_;
  std::unique_ptr<bool[]> wanted_, planned_;  // by slot
  std::vector<void*> places_;                 // by slot
  std::vector<Tensor*> releases_, end_releases_;

  struct Fresh {
    int slot = -1;
    int fetch = -1;  // whose old tensor may be written over
    Shape shape;
    DType type = DType::kInvalid;
  };
  struct Taken {
    int slot = -1;
    bool move = false;
  };
  std::vector<Fresh> fresh_;
  std::vector<Taken> taken_;  // by fetch
};

}  // namespace headrace
