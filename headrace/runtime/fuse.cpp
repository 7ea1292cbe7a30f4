// FuseProducts.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/kernel/cpu/gemm.h"
#include "headrace/runtime/rewrite.h"

namespace headrace {
namespace {

using Strings = AttrValue::Strings;

const PartialShape& ShapeOf(const StepEdge& edge) {
  return edge.from->shapes[edge.output];
}

bool IsScalar(const StepEdge& edge) {
  return ShapeOf(edge).has_rank() && ShapeOf(edge).rank() == 0;
}

bool IsOp(const StepNode& node, std::string_view op) {
  return node.kind == StepKind::kKernel && !node.is_alias && node.node->op_name() == op;
}

bool IsSum(const StepNode& node) {
  return node.inputs.size() == 2 &&
         (IsOp(node, "AddN") || IsOp(node, "Add") || IsOp(node, "AddV2"));
}

class Fuser {
 public:
  explicit Fuser(StepGraph& step)
      : step_(step), uses_(step.nodes().size(), 0), ordered_(step.nodes().size()) {
    for (StepNode* node : step.nodes()) {
      for (const StepEdge& edge : node->inputs) ++uses_[edge.from->id];
      for (StepNode* before : node->controls) ordered_[before->id].push_back(node);
    }
    // A target only has to run: whoever computes it, too, may stand for it.
    constexpr int kKept = 2;  // more than the one use of a value that may vanish
    for (const StepEdge& fetch : step.fetches()) uses_[fetch.from->id] += kKept;
  }

  void Run() {
    for (StepNode* node : step_.nodes()) {
      if (node->kind != StepKind::kKernel || node->is_alias) continue;
      const std::string_view op = node->node->op_name();
      if (op == "Add" || op == "AddV2" || op == "BiasAdd") FuseBias(*node);
      if (op == "Relu") FuseRelu(*node);
      if (op == "ReluGrad") FuseReluGradient(*node);
      if (op == "ApplyGradientDescent") FuseUpdate(*node);
    }
  }

 private:
  // True for a float32 value of known shape that nobody but `reader` wants, made on its device.
  bool IsOnlyFor(const StepNode& maker, const StepNode& reader) const {
    return uses_[maker.id] == 1 && maker.device == reader.device && maker.num_outputs() == 1 &&
           maker.types[0] == DType::kFloat32 && maker.shapes[0].is_fully_known();
  }

  bool IsProductFor(const StepNode& product, std::string_view op, const StepNode& reader) const {
    return IsOp(product, op) && IsOnlyFor(product, reader) &&
           product.shapes[0].num_elements() > 0 && ShapeOf(product.inputs[0]).is_fully_known() &&
           ShapeOf(product.inputs[1]).is_fully_known();
  }

  // True if the sums of the product are complete before they are stored.
  static bool Updates(const StepNode& product) {
    const AttrMap& attrs = product.node->attrs();
    const int64_t k = ShapeOf(product.inputs[0])[attrs.Get<bool>("transpose_a") ? 0 : 1];
    return GemmUpdates(attrs.Get<bool>("transpose_b"), product.shapes[0][0], product.shapes[0][1],
                       k);
  }

  void FuseBias(StepNode& add) {
    const int sides = add.node->op_name() == "BiasAdd" ? 1 : 2;
    for (int side = 0; side < sides; ++side) {
      const StepNode& product = *add.inputs[side].from;
      const StepEdge bias = add.inputs[1 - side];
      if (!IsProductFor(product, "MatMul", add) || !(add.shapes[0] == product.shapes[0])) continue;
      const PartialShape& shape = ShapeOf(bias);
      if (!shape.is_fully_known() || shape.rank() != 1 || shape[0] != product.shapes[0][1])
        continue;
      return Fuse(add, product, {"BiasAdd"}, {bias});
    }
  }

  void FuseRelu(StepNode& relu) {
    const StepNode& product = *relu.inputs[0].from;
    if (IsProductFor(product, "MatMul", relu)) return Fuse(relu, product, {"Relu"}, {});
    if (IsProductFor(product, "_FusedMatMul", relu) &&
        product.node->attrs().Get<Strings>("fused_ops") == Strings{"BiasAdd"}) {
      Fuse(relu, product, {"BiasAdd", "Relu"}, {product.inputs[2]});
    }
  }

  void FuseReluGradient(StepNode& gradient) {
    const StepNode& product = *gradient.inputs[0].from;
    if (IsProductFor(product, "MatMul", gradient) && Updates(product) &&
        ShapeOf(gradient.inputs[1]) == product.shapes[0]) {
      Fuse(gradient, product, {"ReluGrad"}, {gradient.inputs[1]});
    }
  }

  void Fuse(StepNode& last, const StepNode& product, Strings ops,
            const std::vector<StepEdge>& args) {
    std::vector<StepEdge> inputs = {product.inputs[0], product.inputs[1]};
    inputs.insert(inputs.end(), args.begin(), args.end());
    const int64_t count = static_cast<int64_t>(args.size());
    Replace(last, {&product}, "_FusedMatMul", {{"num_args", count}, {"fused_ops", std::move(ops)}},
            product.node->attrs(), std::move(inputs));
  }

  // var -= alpha * (a * b), or alpha * (a * b + decay * var) where the read of var is the value
  // before the update.
  void FuseUpdate(StepNode& update) {
    const StepNode& delta = *update.inputs[2].from;
    if (update.inputs[2].output != 0 || !IsScalar(update.inputs[1]) || !IsOnlyWriter(update))
      return;
    if (IsProductFor(delta, "MatMul", update)) return FuseUpdate(update, {&delta}, {});
    if (!IsSum(delta) || !IsOnlyFor(delta, update)) return;
    for (int side : {0, 1}) {
      const StepNode &product = *delta.inputs[side].from, &decay = *delta.inputs[1 - side].from;
      if (!IsProductFor(product, "MatMul", delta) || !(product.shapes[0] == delta.shapes[0]))
        continue;
      if (!IsOp(decay, "Mul") || !IsOnlyFor(decay, delta)) continue;
      for (int factor : {0, 1}) {
        const StepNode& read = *decay.inputs[1 - factor].from;
        if (IsScalar(decay.inputs[factor]) && IsReadBefore(read, update)) {
          return FuseUpdate(update, {&product, &decay, &delta}, {decay.inputs[factor]});
        }
      }
    }
  }

  // `absorbed` begins with the product.
  void FuseUpdate(StepNode& update, const std::vector<const StepNode*>& absorbed,
                  const std::vector<StepEdge>& decay) {
    const StepNode& product = *absorbed[0];
    if (!Updates(product) || !(ShapeOf(update.inputs[0]) == product.shapes[0])) return;
    for (const StepEdge& input : product.inputs) {
      if (IsReadBefore(*input.from, update)) return;  // it would write over what it reads
    }
    std::vector<StepEdge> inputs = {update.inputs[0], update.inputs[1], product.inputs[0],
                                    product.inputs[1]};
    inputs.insert(inputs.end(), decay.begin(), decay.end());
    Replace(update, absorbed, "_MatMulApplyGradientDescent",
            {{"num_args", static_cast<int64_t>(decay.size())}}, product.node->attrs(),
            std::move(inputs));
  }

  bool IsOnlyWriter(const StepNode& update) const {
    const StepNode* variable = update.inputs[0].from->variable;
    return std::ranges::none_of(step_.nodes(), [&](const StepNode* node) {
      if (node == &update || node->kind != StepKind::kKernel) return false;
      return std::ranges::any_of(node->node->op().written_variables(), [&](int input) {
        return node->inputs[input].from->variable == variable;
      });
    });
  }

  static bool IsReadBefore(const StepNode& read, const StepNode& update) {
    return read.kind == StepKind::kRead &&
           read.inputs[0].from->variable == update.inputs[0].from->variable &&
           std::ranges::find(update.controls, &read) != update.controls.end();
  }

  // Lets `last` compute what the absorbed nodes do, too. Who only waits for one of these waits for
  // what it waited for.
  void Replace(StepNode& last, const std::vector<const StepNode*>& absorbed, const char* op,
               AttrMap attrs, const AttrMap& of_product, std::vector<StepEdge> inputs) {
    for (const char* name : {"transpose_a", "transpose_b"})
      attrs.Set(name, of_product.Get<bool>(name));
    const auto made = step_.MakeNode(*last.node, op, std::move(attrs), inputs);
    if (!made.ok()) return;  // it stays as it is
    const auto vanishes = [&](const StepNode* node) {
      return std::ranges::find(absorbed, node) != absorbed.end();
    };
    for (const StepNode* node : absorbed) {
      std::vector<StepNode*> sources;
      FindSources(*node, vanishes, sources);
      for (StepNode* after : ordered_[node->id]) {
        std::erase(after->controls, node);
        if (!vanishes(after) && after != &last) OrderAfter(*after, sources);
      }
      ordered_[node->id].clear();
      std::vector<StepNode*> controls = node->controls;
      std::erase_if(controls, vanishes);
      OrderAfter(last, controls);
    }
    for (StepNode*& target : step_.targets()) {
      if (vanishes(target)) target = &last;
    }
    last.origin = last.shown();
    last.node = *made;
    last.inputs = std::move(inputs);
  }

  // Nodes that `node` needs or follows, seen through those that vanish.
  template <class Vanishes>
  static void FindSources(const StepNode& node, const Vanishes& vanishes,
                          std::vector<StepNode*>& sources) {
    const auto visit = [&](StepNode* source) {
      if (vanishes(source)) {
        FindSources(*source, vanishes, sources);
      } else if (source->kind != StepKind::kFeed && source->kind != StepKind::kConstant) {
        sources.push_back(source);
      }
    };
    for (const StepEdge& edge : node.inputs) visit(edge.from);
    for (StepNode* control : node.controls) visit(control);
  }

  void OrderAfter(StepNode& after, const std::vector<StepNode*>& sources) {
    for (StepNode* source : sources) {
      const size_t before = after.controls.size();
      AddControl(after, *source);
      if (after.controls.size() > before) ordered_[source->id].push_back(&after);
    }
  }

  StepGraph& step_;
  std::vector<int> uses_;
  std::vector<std::vector<StepNode*>> ordered_;  // those that only run after the node
};

}  // namespace

Status FuseProducts(StepGraph& step) {
  HR_RETURN_IF_ERROR(step.Compact());
  Fuser(step).Run();
  return absl::OkStatus();
}

}  // namespace headrace
