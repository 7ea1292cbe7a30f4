// MergeEqualNodes and BypassForwarding.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "absl/hash/hash.h"
#include "headrace/runtime/rewrite.h"
#include "headrace/runtime/special_ops.h"

namespace headrace {
namespace {

constexpr size_t kMergedConstantBytes = 1024;

// Points every user of a value or a node to its replacement.
class Replacements {
 public:
  explicit Replacements(StepGraph& step) : step_(step), by_node_(step.nodes().size(), nullptr) {}

  void Set(const StepNode& node, StepNode* replacement) { by_node_[node.id] = replacement; }
  StepNode* Of(StepNode* node) const {
    return by_node_[node->id] == nullptr ? node : by_node_[node->id];
  }

  void ApplyTo(StepNode& node) const {
    for (StepEdge& edge : node.inputs) edge.from = Of(edge.from);
    bool replaced = false;
    for (StepNode*& control : node.controls) {
      StepNode* now = Of(control);
      replaced |= now != control;
      control = now;
    }
    if (!replaced) return;
    std::vector<StepNode*> controls;
    controls.swap(node.controls);
    for (StepNode* control : controls) AddControl(node, *control);
  }
  void ApplyToResults() const {
    for (StepEdge& fetch : step_.fetches()) fetch.from = Of(fetch.from);
    for (StepNode*& target : step_.targets()) target = Of(target);
  }

 private:
  StepGraph& step_;
  std::vector<StepNode*> by_node_;
};

bool IsInternalAttribute(const std::string& name) {
  return !name.empty() && name[0] == '_';
}

// Attributes that change what is computed: those that start with '_' are notes of the graph's
// author.
bool EqualAttributes(const AttrMap& a, const AttrMap& b) {
  auto next = [](auto& it, auto end) {
    while (it != end && IsInternalAttribute(it->first)) ++it;
    return it != end;
  };
  auto x = a.begin(), y = b.begin();
  for (;; ++x, ++y) {
    const bool more_x = next(x, a.end()), more_y = next(y, b.end());
    if (more_x != more_y) return false;
    if (!more_x) return true;
    if (x->first != y->first || !(x->second == y->second)) return false;
  }
}

class Merger {
 public:
  explicit Merger(StepGraph& step) : step_(step), replacements_(step) {}

  void Run() {
    for (StepNode* node : step_.nodes()) {
      replacements_.ApplyTo(*node);
      if (!Mergeable(*node)) continue;
      std::vector<StepNode*>& alike = seen_[Hash(*node)];
      auto twin = std::find_if(alike.begin(), alike.end(),
                               [&](StepNode* other) { return Equal(*node, *other); });
      if (twin == alike.end()) {
        alike.push_back(node);
      } else {
        replacements_.Set(*node, *twin);
      }
    }
    replacements_.ApplyToResults();
  }

 private:
  static bool Mergeable(const StepNode& node) {
    if (node.kind == StepKind::kConstant) {
      return node.num_outputs() == 1 && IsPlain(node.types[0]) &&
             node.values[0].size_bytes() <= kMergedConstantBytes;
    }
    if (node.kind != StepKind::kKernel || node.num_outputs() == 0) return false;
    if (node.node->op().stateful() || node.node->op().blocking()) return false;
    for (DType type : node.types) {
      if (IsRef(type)) return false;
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.takes_ref(static_cast<int>(i))) return false;
    }
    return true;
  }

  static std::vector<StepEdge> SortedInputs(const StepNode& node) {
    std::vector<StepEdge> inputs = node.inputs;
    if (node.kind == StepKind::kKernel && node.node->op().commutative()) {
      std::sort(inputs.begin(), inputs.end(), [](const StepEdge& a, const StepEdge& b) {
        return a.from->id != b.from->id ? a.from->id < b.from->id : a.output < b.output;
      });
    }
    return inputs;
  }

  static size_t Hash(const StepNode& node) {
    if (node.kind == StepKind::kConstant) {
      const Tensor& value = node.values[0];
      return absl::HashOf(
          static_cast<int>(value.dtype()),
          absl::string_view(static_cast<const char*>(value.raw_data()), value.size_bytes()));
    }
    size_t hash = absl::HashOf(&node.node->op(), node.device);
    for (const StepEdge& edge : SortedInputs(node))
      hash = absl::HashOf(hash, edge.from->id, edge.output);
    return hash;
  }

  static bool Equal(const StepNode& a, const StepNode& b) {
    if (a.kind != b.kind || a.device != b.device || a.controls.size() != b.controls.size())
      return false;
    for (StepNode* control : a.controls) {
      if (std::find(b.controls.begin(), b.controls.end(), control) == b.controls.end())
        return false;
    }
    if (a.kind == StepKind::kConstant) {
      const Tensor &x = a.values[0], &y = b.values[0];
      return x.dtype() == y.dtype() && x.shape() == y.shape() &&
             std::memcmp(x.raw_data(), y.raw_data(), x.size_bytes()) == 0;
    }
    return &a.node->op() == &b.node->op() && SortedInputs(a) == SortedInputs(b) &&
           EqualAttributes(a.node->attrs(), b.node->attrs());
  }

  StepGraph& step_;
  Replacements replacements_;
  std::unordered_map<size_t, std::vector<StepNode*>> seen_;
};

class Bypass {
 public:
  explicit Bypass(StepGraph& step) : step_(step), successors_(step), source_(step.nodes().size()) {}

  void Run() {
    for (StepNode* node : step_.nodes()) {
      if (IsOrderOnly(*node)) node->kind = StepKind::kOrder;
      if (PassesOn(*node)) source_[node->id] = Source(node->inputs[0]);
      if (IsAlias(*node)) MakeAlias(*node);
    }
    for (StepNode* node : step_.nodes()) Redirect(*node);
    for (StepEdge& fetch : step_.fetches()) fetch = Source(fetch);
    for (StepNode*& target : step_.targets()) {
      if (source_[target->id].from != nullptr && target->controls.empty())
        target = source_[target->id].from;
    }
  }

 private:
  // Without outputs and without effects there is nothing to run.
  static bool IsOrderOnly(const StepNode& node) {
    return node.kind == StepKind::kKernel && node.num_outputs() == 0 && node.inputs.empty() &&
           !node.node->op().stateful() && !node.node->op().blocking();
  }

  static bool IsAlias(const StepNode& node) {
    if (node.kind != StepKind::kKernel || node.num_outputs() != 1 || node.inputs.empty())
      return false;
    if (TraitOf(node.node->op_name()) != OpTrait::kReshape || IsRef(node.types[0])) return false;
    const PartialShape& input = node.inputs[0].from->shapes[node.inputs[0].output];
    return node.shapes[0].is_fully_known() && input.is_fully_known() &&
           node.shapes[0].num_elements() == input.num_elements() && IsPlain(node.types[0]) &&
           node.types[0] == node.input_type(0);
  }

  static void MakeAlias(StepNode& node) {
    node.is_alias = true;
    while (node.inputs.size() > 1 && IsIdle(*node.inputs.back().from)) node.inputs.pop_back();
  }

  // A shape that was given is of no further use; but what computes it, or runs before it, stays.
  static bool IsIdle(const StepNode& shape) {
    return shape.kind == StepKind::kConstant && shape.controls.empty();
  }

  bool PassesOn(const StepNode& node) const {
    if (node.kind != StepKind::kKernel || node.num_outputs() != 1 || node.inputs.empty())
      return false;
    if (node.takes_ref(0) || IsRef(node.types[0]) || node.types[0] != node.input_type(0))
      return false;
    const OpTrait trait = TraitOf(node.node->op_name());
    if (trait == OpTrait::kReshape) {
      const StepEdge& input = node.inputs[0];
      if (!node.shapes[0].is_fully_known() || !(node.shapes[0] == input.from->shapes[input.output]))
        return false;
    } else if (trait != OpTrait::kPassThrough) {
      return false;
    }
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      if (!IsIdle(*node.inputs[i].from)) return false;
    }
    // Its consumers inherit its control inputs: not where that makes more edges than it saves, nor
    // where a fetch, which has none, would lose them.
    if (node.controls.empty()) return true;
    for (const StepEdge& fetch : step_.fetches()) {
      if (fetch.from == &node) return false;
    }
    return node.controls.size() == 1 || successors_.of(node).size() == 1;
  }

  StepEdge Source(const StepEdge& edge) const {
    const StepEdge& source = source_[edge.from->id];
    return source.from == nullptr ? edge : source;
  }

  void Redirect(StepNode& node) {
    for (StepEdge& edge : node.inputs) {
      StepNode* from = edge.from;
      while (source_[from->id].from != nullptr) {
        for (StepNode* control : from->controls) AddControl(node, *control);
        from = from->inputs[0].from;
      }
      edge = Source(edge);
    }
    std::vector<StepNode*> controls;
    controls.swap(node.controls);
    for (StepNode* control : controls) {
      if (source_[control->id].from == nullptr) {
        AddControl(node, *control);
        continue;
      }
      AddControl(node, *source_[control->id].from);
      for (StepNode* before : control->controls) AddControl(node, *before);
    }
    // Nothing waits for a value that was known before the step.
    std::erase_if(node.controls, [](StepNode* control) {
      return (control->kind == StepKind::kConstant && control->controls.empty()) ||
             control->kind == StepKind::kFeed;
    });
  }

  StepGraph& step_;
  SuccessorIndex successors_;
  std::vector<StepEdge> source_;  // of bypassed nodes, by id
};

}  // namespace

void MergeEqualNodes(StepGraph& step) {
  Merger(step).Run();
}

void BypassForwarding(StepGraph& step) {
  Bypass(step).Run();
}

}  // namespace headrace
