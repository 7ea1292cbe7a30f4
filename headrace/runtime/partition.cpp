// CutIntoPrograms: from one order of nodes to a list of instructions for each device.
#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "headrace/base/strings.h"
#include "headrace/runtime/internal/plan_layout.h"

namespace headrace {
namespace {

// A value on its way: out of the program that makes it into another, or into the other memory of
// the same one.
struct Transfer {
  int source = -1, target = -1;  // slots; -1: only order
  int to_program = 0;
  int signal = -1;  // -1: within one program
};

bool HasInstruction(const StepNode& node) {
  return node.kind == StepKind::kRead || (node.kind == StepKind::kKernel && node.variable != &node);
}

class Partitioner {
 public:
  Partitioner(const StepGraph& step, const DeviceSet& devices)
      : step_(step),
        devices_(devices),
        host_args_(step.nodes().size()),
        after_(step.nodes().size()),
        waits_(step.nodes().size()),
        inputs_(step.nodes().size()),
        before_(step.nodes().size()),
        program_of_device_(devices.size(), -1) {}

  StatusOr<PlanLayout> Run() {
    ProgramOf(0);
    for (StepNode* node : step_.nodes()) HR_RETURN_IF_ERROR(MakeSlots(*node));
    for (StepNode* node : step_.nodes()) Connect(*node);
    for (const StepEdge& fetch : step_.fetches()) {
      layout_.fetch_slots.push_back(SlotFor(fetch, 0, false, fetch_waits_));
    }
    for (StepNode* node : step_.nodes()) Emit(*node);
    for (int transfer : fetch_waits_) Receive(transfer);
    return std::move(layout_);
  }

 private:
  int ProgramOf(int device) {
    int& program = program_of_device_[device];
    if (program < 0) {
      program = static_cast<int>(layout_.programs.size());
      layout_.programs.push_back(PlanProgram{.device = device, .instructions = {}});
    }
    return program;
  }

  // ---- slots

  struct HostArgs {
    std::vector<bool> inputs, outputs;  // empty: none
  };

  Status FindHostArgs(const StepNode& node) {
    const Device& device = devices_.device(node.device);
    if (!device.separate_memory()) return absl::OkStatus();
    HostArgs& host = host_args_[node.id];
    const Node& op_node = *node.node;
    HR_ASSIGN_OR_RETURN(const DeviceSupport* support, FindSupport(op_node, device.type()));
    auto named = [&](const ArgDef& arg) {
      return std::find(support->host_args.begin(), support->host_args.end(), arg.name) !=
             support->host_args.end();
    };
    for (int i = 0; i < op_node.num_inputs(); ++i) {
      host.inputs.push_back(!IsPlain(RemoveRef(op_node.input_type(i))) ||
                            named(op_node.op().InputArg(op_node.attrs(), i)));
    }
    for (int i = 0; i < op_node.num_outputs(); ++i) {
      host.outputs.push_back(!IsPlain(RemoveRef(op_node.output_type(i))) ||
                             named(op_node.op().OutputArg(op_node.attrs(), i)));
    }
    return absl::OkStatus();
  }

  Status MakeSlots(const StepNode& node) {
    layout_.first_slot.push_back(static_cast<int>(layout_.slots.size()));
    if (node.kind == StepKind::kOrder || node.kind == StepKind::kConstant) return absl::OkStatus();
    const int program = ProgramOf(node.device);
    if (node.kind == StepKind::kKernel) HR_RETURN_IF_ERROR(FindHostArgs(node));
    const HostArgs& host = host_args_[node.id];
    for (int i = 0; i < node.num_outputs(); ++i) {
      PlanSlot slot;
      slot.type = RemoveRef(node.types[i]);
      slot.shape = node.shapes[i];
      slot.maker = &node;
      slot.output = i;
      slot.program = program;
      slot.on_host = !host.outputs.empty() && host.outputs[i];
      if (node.kind == StepKind::kFeed) slot.kind = SlotKind::kFeed;
      if (node.kind == StepKind::kRead || node.kind == StepKind::kFeed || !IsRef(node.types[i]))
        slot.first = 0;
      layout_.slots.push_back(slot);
    }
    if (node.kind == StepKind::kFeed) {
      layout_.feed_slots.resize(step_.num_feeds(), -1);
      layout_.feed_slots[node.feed] = layout_.first_slot.back();
    }
    if (node.variable == &node) layout_.variables.push_back(&node);
    return absl::OkStatus();
  }

  int CopiedSlot(int source, int program, bool on_host, bool received) {
    PlanSlot slot = layout_.slots[source];
    slot.kind = SlotKind::kNone;
    slot.program = program;
    slot.on_host = on_host;
    slot.received = received;
    layout_.slots.push_back(slot);
    return static_cast<int>(layout_.slots.size()) - 1;
  }

  int ConstantSlot(const StepEdge& edge, int program, bool on_host) {
    auto [it, added] =
        constants_.try_emplace(std::tuple(edge.from->id, edge.output, program, on_host), 0);
    if (added) {
      PlanSlot slot;
      slot.kind = SlotKind::kConstant;
      slot.type = edge.from->types[edge.output];
      slot.shape = edge.from->shapes[edge.output];
      slot.maker = edge.from;
      slot.output = edge.output;
      slot.program = program;
      slot.on_host = on_host || !IsPlain(slot.type);
      it->second = static_cast<int>(layout_.slots.size());
      layout_.slots.push_back(slot);
    }
    return it->second;
  }

  // ---- transfers

  bool SeparateMemory(int program) const {
    return devices_.device(layout_.programs[program].device).separate_memory();
  }

  // The slot that holds the value for a consumer in `program`; adds what the consumer must wait
  // for.
  int SlotFor(const StepEdge& edge, int program, bool on_host, std::vector<int>& waits) {
    const StepNode& from = *edge.from;
    const bool separate = SeparateMemory(program);
    on_host = on_host && separate;
    if (from.kind == StepKind::kConstant) return ConstantSlot(edge, program, on_host);
    int source = layout_.first_slot[from.id] + edge.output;
    if (layout_.slots[source].program == program) {
      return layout_.slots[source].on_host == on_host ? source : CopyAfter(from, source, on_host);
    }
    // Copies between a device and the host belong to the device's own program, in the order of its
    // work; programs exchange host memory only. Feeds are there before any program starts, and need
    // no exchange.
    if (from.kind != StepKind::kFeed) {
      if (SeparateMemory(layout_.slots[source].program) && !layout_.slots[source].on_host) {
        source = CopyAfter(from, source, true);
      }
      source = Exchange(from, source, program, separate, waits);
    }
    return separate && !on_host ? CopyBefore(source, program, waits) : source;
  }

  // Within a program, from one kind of memory to the other, as soon as the value is there.
  int CopyAfter(const StepNode& from, int source, bool on_host) {
    const int program = layout_.slots[source].program;
    const auto [transfer, added] = FindTransfer(source, program, on_host, false);
    if (added) after_[from.id].push_back(transfer);
    return transfers_[transfer].target;
  }

  // The same when a consumer wants it, for values that came from outside.
  int CopyBefore(int source, int program, std::vector<int>& waits) {
    const int transfer = FindTransfer(source, program, false, false).first;
    waits.push_back(transfer);
    return transfers_[transfer].target;
  }

  int Exchange(const StepNode& from, int source, int program, bool on_host,
               std::vector<int>& waits) {
    const auto [transfer, added] = FindTransfer(source, program, on_host, true);
    if (added) after_[from.id].push_back(transfer);
    waits.push_back(transfer);
    return transfers_[transfer].target;
  }

  // Each value goes to each program and kind of memory once.
  std::pair<int, bool> FindTransfer(int source, int program, bool on_host, bool crosses) {
    auto [it, added] = copies_.try_emplace(std::tuple(source, program, on_host), -1);
    if (added) {
      it->second = static_cast<int>(transfers_.size());
      const int target = CopiedSlot(source, program, on_host, crosses);
      transfers_.push_back(Transfer{source, target, program, crosses ? layout_.num_signals++ : -1});
    }
    return {it->second, added};
  }

  int CrossOrder(const StepNode& from, int program) {
    auto [it, added] = orders_.try_emplace(std::pair(from.id, program), -1);
    if (added) {
      it->second = static_cast<int>(transfers_.size());
      transfers_.push_back(Transfer{-1, -1, program, layout_.num_signals++});
      after_[from.id].push_back(it->second);
    }
    return it->second;
  }

  // Nodes with an instruction that a node without one stands for in the order.
  const std::vector<const StepNode*>& Before(const StepNode& node) {
    std::vector<const StepNode*>& list = before_[node.id];
    if (!list.empty()) return list;
    auto add = [&](const StepNode& from) {
      if (HasInstruction(from)) {
        list.push_back(&from);
      } else if (from.id < node.id) {
        const auto& deeper = Before(from);
        list.insert(list.end(), deeper.begin(), deeper.end());
      }
    };
    for (const StepNode* control : node.controls) add(*control);
    for (const StepEdge& edge : node.inputs) {
      if (!HasInstruction(*edge.from)) add(*edge.from);
    }
    std::sort(list.begin(), list.end(),
              [](const StepNode* a, const StepNode* b) { return a->id < b->id; });
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  void Connect(const StepNode& node) {
    if (!HasInstruction(node)) return;
    const int program = ProgramOf(node.device);
    const HostArgs& host = host_args_[node.id];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool variable = node.kind == StepKind::kRead || node.takes_ref(static_cast<int>(i));
      const bool on_host = !host.inputs.empty() && host.inputs[i];
      inputs_[node.id].push_back(
          variable ? -1 : SlotFor(node.inputs[i], program, on_host, waits_[node.id]));
      // Order that a variable's edge carries.
      if (variable && HasInstruction(*node.inputs[i].from))
        WaitFor(*node.inputs[i].from, node, program);
    }
    for (const StepNode* before : Before(node)) WaitFor(*before, node, program);
  }

  void WaitFor(const StepNode& before, const StepNode& node, int program) {
    if (ProgramOf(before.device) != program) waits_[node.id].push_back(CrossOrder(before, program));
  }

  // ---- instructions

  std::vector<PlanInstruction>& Instructions(int program) {
    return layout_.programs[program].instructions;
  }

  // What a consumer waits for, when the first one comes.
  void Receive(int transfer) {
    received_.resize(transfers_.size(), false);
    if (received_[transfer]) return;
    received_[transfer] = true;
    const Transfer& t = transfers_[transfer];
    PlanInstruction instruction;
    instruction.op = t.signal < 0 ? PlanOp::kCopy : PlanOp::kReceive;
    instruction.node = t.target < 0 ? nullptr : layout_.slots[t.target].maker;
    if (t.signal < 0) instruction.inputs.push_back(t.source);
    instruction.target = t.target;
    instruction.signal = t.signal;
    Instructions(t.to_program).push_back(std::move(instruction));
  }

  void Emit(const StepNode& node) {
    for (int transfer : waits_[node.id]) Receive(transfer);
    const int program = node.kind == StepKind::kFeed ? 0 : program_of_device_[node.device];
    if (HasInstruction(node)) {
      PlanInstruction instruction;
      instruction.op = node.kind == StepKind::kRead ? PlanOp::kRead
                       : node.is_alias              ? PlanOp::kAlias
                                                    : PlanOp::kKernel;
      instruction.node = &node;
      instruction.inputs = std::move(inputs_[node.id]);
      if (node.num_outputs() > 0) instruction.first_output = layout_.first_slot[node.id];
      Instructions(program).push_back(std::move(instruction));
    }
    for (int index : after_[node.id]) {
      const Transfer& t = transfers_[index];
      PlanInstruction instruction;
      instruction.op = t.signal < 0 ? PlanOp::kCopy : PlanOp::kSend;
      instruction.node = &node;
      if (t.source >= 0) instruction.inputs.push_back(t.source);
      instruction.target = t.target;
      instruction.signal = t.signal;
      Instructions(program).push_back(std::move(instruction));
    }
  }

  const StepGraph& step_;
  const DeviceSet& devices_;
  PlanLayout layout_;
  std::vector<HostArgs> host_args_;       // by node id, as all below
  std::vector<std::vector<int>> after_;   // transfers that follow the node
  std::vector<std::vector<int>> waits_;   // transfers that it waits for
  std::vector<std::vector<int>> inputs_;  // slots
  std::vector<std::vector<const StepNode*>> before_;
  std::vector<int> program_of_device_;
  std::vector<Transfer> transfers_;
  std::vector<bool> received_;
  std::vector<int> fetch_waits_;
  absl::flat_hash_map<std::tuple<int, int, bool>, int> copies_;
  absl::flat_hash_map<std::pair<int, int>, int> orders_;
  absl::flat_hash_map<std::tuple<int, int, int, bool>, int> constants_;
};

}  // namespace

StatusOr<PlanLayout> CutIntoPrograms(const StepGraph& step, const DeviceSet& devices) {
  return Partitioner(step, devices).Run();
}

}  // namespace headrace
