// The table behind a Plan: which instructions run on which device, in which order, over which
// slots. Made once from a scheduled StepGraph; instances of the plan fill it with kernels and
// memory.
//
// A device's program is a straight list. A value that another program needs is sent by the program
// that makes it, directly into a slot that the receiver owns; each value goes to each program (and
// kind of memory) once. Programs follow one global order, so that blocking receives cannot wait for
// each other.
#pragma once

#include <memory>
#include <vector>

#include "headrace/device/device_set.h"
#include "headrace/runtime/memory_plan.h"
#include "headrace/runtime/step_graph.h"

namespace headrace {

enum class SlotKind : uint8_t {
  kNone,     // a ref output, or nothing yet
  kArena,    // at `block`'s place in the arena, the same in every step
  kView,     // sees an arena or constant slot with another shape; set when an instance is made
  kFresh,    // allocated for each step, as its bytes may leave the step with a fetch
  kDynamic,  // set by the step: shape unknown before, or shared with a variable or a feed
  kFeed,
  kConstant,
};

struct PlanSlot {
  SlotKind kind = SlotKind::kNone;
  DType type = DType::kInvalid;
  PartialShape shape;
  const StepNode* maker = nullptr;  // for names in reports
  int output = 0;                   // of the maker
  int program = 0;
  // Of a device with memory of its own: this value is in host memory all the same.
  bool on_host = false;
  bool escapes = false;  // a fetch takes it, or a slot that shares its bytes
  bool fetched = false;
  bool received = false;      // written by another program, at any time before its use
  int shares = -1;            // slot whose bytes this one shows
  int block = -1;             // kArena
  int first = -1, last = -1;  // instructions that make it and use it last
  bool is_static() const { return shape.is_fully_known() && IsPlain(type); }
};

enum class PlanOp : uint8_t {
  kKernel,
  kRead,     // slot := value of a variable
  kAlias,    // slot := another slot seen with the shape of this one
  kCopy,     // to the device's other kind of memory
  kSend,     // copies into a slot of another program and raises its signal, or only raises it
  kReceive,  // waits for a signal
  kNothing,  // only gives slots up
};

struct PlanInstruction {
  PlanOp op = PlanOp::kKernel;
  const StepNode* node = nullptr;
  std::vector<int> inputs;    // slots; -1 for an input that takes a variable
  int first_output = -1;      // slot of output 0
  int target = -1;            // kCopy, kSend: slot written; -1 = no value
  int signal = -1;            // kSend, kReceive
  std::vector<int> releases;  // slots given up after this instruction
};

struct PlanProgram {
  int device = 0;
  std::vector<PlanInstruction> instructions;
};

struct PlanLayout {
  std::vector<PlanSlot> slots;
  std::vector<PlanProgram> programs;  // [0] is CPU:0's, on the caller's thread
  int num_signals = 0;
  std::vector<const StepNode*> variables;  // nodes that make variables: run once for an instance
  std::vector<int> first_slot;             // of the outputs of each node, by id
  std::vector<int> feed_slots;             // by feed; -1 = not used
  std::vector<int> fetch_slots;            // by fetch
  std::vector<int> end_releases;           // slots given up when the step ends
  // Arena 2 * program is memory of its device, 2 * program + 1 host memory beside it.
  std::vector<std::vector<MemoryBlock>> blocks;
  std::vector<MemoryPlan> arenas;
  // By arena and block: who uses it, in order.
  std::vector<std::vector<std::vector<int>>> block_slots;
};

// Cuts the step into programs; slots get kinds and places from PlanSlots.
StatusOr<PlanLayout> CutIntoPrograms(const StepGraph& step, const DeviceSet& devices);
void PlanSlots(PlanLayout& layout);

}  // namespace headrace
