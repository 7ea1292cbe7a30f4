// PlanSlots: what kind of memory each slot has, what shares bytes, and when memory may be used
// again.
#include <algorithm>

#include "headrace/runtime/internal/plan_layout.h"
#include "headrace/runtime/special_ops.h"

namespace headrace {
namespace {

class SlotPlanner {
 public:
  explicit SlotPlanner(PlanLayout& layout) : layout_(layout) {}

  void Run() {
    for (int slot : layout_.fetch_slots) {
      layout_.slots[slot].fetched = true;
      layout_.slots[slot].escapes = true;
    }
    FindLifetimes();
    FindEscapes();
    layout_.blocks.resize(2 * layout_.programs.size());
    layout_.block_slots.resize(layout_.blocks.size());
    for (PlanSlot& slot : layout_.slots) {
      if (slot.received) Settle(slot, 0);
    }
    for (PlanProgram& program : layout_.programs) {
      for (size_t k = 0; k < program.instructions.size(); ++k) {
        Plan(program.instructions[k], static_cast<int>(k));
      }
    }
    for (const auto& blocks : layout_.blocks) layout_.arenas.push_back(PlanMemory(blocks));
    FindReleases();
  }

 private:
  PlanSlot& slot(int index) { return layout_.slots[index]; }
  int IndexOf(const PlanSlot& slot) const { return static_cast<int>(&slot - layout_.slots.data()); }

  // Slots that an instruction writes.
  template <class Visit>
  void EachOutput(const PlanInstruction& instruction, Visit visit) {
    switch (instruction.op) {
      case PlanOp::kKernel:
      case PlanOp::kRead:
      case PlanOp::kAlias:
        for (int i = 0; i < instruction.node->num_outputs(); ++i)
          visit(instruction.first_output + i);
        break;
      case PlanOp::kCopy:
        visit(instruction.target);
        break;
      case PlanOp::kSend:
      case PlanOp::kReceive:
      case PlanOp::kNothing:
        break;
    }
  }

  void FindLifetimes() {
    for (PlanProgram& program : layout_.programs) {
      for (size_t k = 0; k < program.instructions.size(); ++k) {
        const PlanInstruction& instruction = program.instructions[k];
        const int now = static_cast<int>(k);
        for (int input : instruction.inputs) {
          if (input >= 0) slot(input).last = now;
        }
        EachOutput(instruction, [&](int output) { slot(output).first = slot(output).last = now; });
        if (instruction.op == PlanOp::kReceive && instruction.target >= 0)
          slot(instruction.target).last = now;
      }
    }
  }

  // Input whose bytes output 0.. shares, by the op's own word; -1 if none.
  static int SharedInput(const PlanInstruction& instruction, int output) {
    if (instruction.op == PlanOp::kAlias) return instruction.inputs[0];
    if (instruction.op != PlanOp::kKernel) return -1;
    for (const auto& [out, in] : instruction.node->node->op().forwards()) {
      if (out == output && in < static_cast<int>(instruction.inputs.size()))
        return instruction.inputs[in];
    }
    return -1;
  }

  // Backwards: what shares its bytes with something that leaves the step leaves it too.
  void FindEscapes() {
    for (PlanProgram& program : layout_.programs) {
      for (auto it = program.instructions.rbegin(); it != program.instructions.rend(); ++it) {
        EachOutput(*it, [&](int output) {
          const int source = SharedInput(*it, output - it->first_output);
          if (source >= 0 && slot(output).escapes) slot(source).escapes = true;
        });
      }
    }
  }

  void Settle(PlanSlot& made, int begin) {
    if (!made.is_static()) {
      made.kind = SlotKind::kDynamic;
    } else if (made.escapes) {
      made.kind = SlotKind::kFresh;
    } else {
      NewBlock(made, begin);
    }
  }

  void NewBlock(PlanSlot& made, int begin) {
    const int arena = ArenaOf(made);
    made.kind = SlotKind::kArena;
    made.block = static_cast<int>(layout_.blocks[arena].size());
    layout_.blocks[arena].push_back(
        {.bytes = made.shape.num_elements() * static_cast<int64_t>(SizeOf(made.type)),
         .begin = begin,
         .end = made.last});
    layout_.block_slots[arena].push_back({IndexOf(made)});
  }

  static int ArenaOf(const PlanSlot& slot) { return 2 * slot.program + (slot.on_host ? 1 : 0); }
  MemoryBlock& BlockOf(const PlanSlot& slot) { return layout_.blocks[ArenaOf(slot)][slot.block]; }

  void Plan(const PlanInstruction& instruction, int now) {
    EachOutput(instruction, [&](int index) {
      PlanSlot& made = slot(index);
      const int output = index - instruction.first_output;
      if (instruction.op == PlanOp::kRead || ReadsHandle(instruction)) {
        made.kind = SlotKind::kDynamic;
      } else if (instruction.op == PlanOp::kKernel && IsRef(instruction.node->types[output])) {
        made.kind = SlotKind::kNone;
      } else if (const int source = SharedInput(instruction, output); source >= 0) {
        Share(instruction, made, source);
      } else if (instruction.op == PlanOp::kKernel && Overwrite(instruction, made, output, now)) {
      } else {
        Settle(made, now);
      }
    });
  }

  // A value that a variable behind a handle keeps: in the variable's bytes, wherever these are.
  static bool ReadsHandle(const PlanInstruction& instruction) {
    return instruction.op == PlanOp::kKernel &&
           TraitOf(instruction.node->node->op_name()) == OpTrait::kVariableRead;
  }

  void Share(const PlanInstruction& instruction, PlanSlot& made, int source) {
    const PlanSlot& shown = slot(source);
    made.shares = source;
    made.block = -1;
    const bool fixed = shown.kind == SlotKind::kArena || shown.kind == SlotKind::kView ||
                       shown.kind == SlotKind::kConstant;
    made.kind = instruction.op == PlanOp::kAlias && fixed ? SlotKind::kView : SlotKind::kDynamic;
    // The bytes must last as long as whatever shows them.
    for (int at = source; at >= 0; at = slot(at).shares) {
      slot(at).last = std::max(slot(at).last, made.last);
      if (slot(at).kind == SlotKind::kArena) {
        MemoryBlock& block = BlockOf(slot(at));
        block.end = std::max(block.end, made.last);
      }
    }
  }

  // Lets the output take the place of an input that nobody needs afterwards.
  bool Overwrite(const PlanInstruction& instruction, PlanSlot& made, int output, int now) {
    if (!made.is_static() || made.escapes) return false;
    for (const auto& [out, in] : instruction.node->node->op().in_place()) {
      if (out != output || in >= static_cast<int>(instruction.inputs.size()) ||
          instruction.inputs[in] < 0)
        continue;
      const PlanSlot& input = slot(instruction.inputs[in]);
      const PlanSlot& root = slot(Root(instruction.inputs[in]));
      if (root.kind != SlotKind::kArena || input.type != made.type || !(input.shape == made.shape))
        continue;
      if (ArenaOf(root) != ArenaOf(made) || BlockOf(root).end != now || UsedTwice(instruction, in))
        continue;
      made.kind = SlotKind::kArena;
      made.block = root.block;
      BlockOf(made).end = made.last;
      layout_.block_slots[ArenaOf(made)][made.block].push_back(IndexOf(made));
      return true;
    }
    return false;
  }

  int Root(int index) {
    while (slot(index).shares >= 0) index = slot(index).shares;
    return index;
  }

  // Another input with the same bytes, or another output that has taken them already.
  bool UsedTwice(const PlanInstruction& instruction, int input) {
    const PlanSlot& mine = slot(Root(instruction.inputs[input]));
    auto same = [&](const PlanSlot& other) {
      return other.kind == SlotKind::kArena && ArenaOf(other) == ArenaOf(mine) &&
             other.block == mine.block;
    };
    for (size_t i = 0; i < instruction.inputs.size(); ++i) {
      if (static_cast<int>(i) == input || instruction.inputs[i] < 0) continue;
      if (same(slot(Root(instruction.inputs[i])))) return true;
    }
    for (int i = 0; i < instruction.node->num_outputs(); ++i) {
      if (same(slot(instruction.first_output + i))) return true;
    }
    return false;
  }

  void FindReleases() {
    for (size_t i = 0; i < layout_.slots.size(); ++i) {
      PlanSlot& slot = layout_.slots[i];
      const bool counted = slot.kind == SlotKind::kDynamic || slot.kind == SlotKind::kFresh ||
                           slot.kind == SlotKind::kFeed;
      if (!counted) continue;
      if (slot.escapes || slot.kind != SlotKind::kDynamic || slot.last < 0) {
        layout_.end_releases.push_back(static_cast<int>(i));
      } else {
        layout_.programs[slot.program].instructions[slot.last].releases.push_back(
            static_cast<int>(i));
      }
    }
  }

  PlanLayout& layout_;
};

}  // namespace

void PlanSlots(PlanLayout& layout) {
  SlotPlanner(layout).Run();
}

}  // namespace headrace
