// InferAndFold: what is known of values and shapes before the step runs.
#include <memory>

#include "headrace/graph/shape_context.h"
#include "headrace/kernel/context_builder.h"
#include "headrace/runtime/rewrite.h"
#include "headrace/runtime/special_ops.h"

namespace headrace {
namespace {

class Folder {
 public:
  Folder(StepGraph& step, const FoldOptions& options) : step_(step), options_(options) {
    context_.cancellation = &cancellation_;
    context_.resources = &resources_;
  }

  void Run() {
    for (StepNode* node : step_.nodes()) {
      if (node->kind == StepKind::kRead) {
        node->shapes[0] = node->inputs[0].from->shapes[0];
      } else if (node->kind == StepKind::kKernel) {
        InferShapes(*node);
        Fold(*node);
      }
    }
  }

 private:
  void InferShapes(StepNode& node) {
    if (node.inputs.empty()) return;  // the graph knows all there is
    const ShapeFn infer = node.node->op().shape_fn();
    if (infer == nullptr) return;
    std::vector<PartialShape> inputs;
    inputs.reserve(node.inputs.size());
    for (const StepEdge& edge : node.inputs) inputs.push_back(edge.from->shapes[edge.output]);
    ShapeContext context(*node.node, inputs, [&node](int i) {
      const StepEdge& edge = node.inputs[i];
      return edge.from->value(edge.output);
    });
    if (!infer(context).ok()) return;
    for (int i = 0; i < node.num_outputs(); ++i) {
      const PartialShape& found = context.outputs()[i];
      // Sizes whose product no int64 holds: the kernel says so, when it comes to that.
      if (found.is_fully_known() && !Shape::Make(found.dims()).ok()) continue;
      StatusOr<PartialShape> merged = node.shapes[i].MergedWith(found);
      if (merged.ok()) node.shapes[i] = *merged;
    }
  }

  void Fold(StepNode& node) {
    if (node.num_outputs() == 0 || node.node->op().stateful() || node.node->op().blocking()) return;
    for (DType type : node.types) {
      if (IsRef(type) || type == DType::kResource || type == DType::kVariant) return;
    }
    if (const Tensor* constant = ConstantAttribute(node)) {
      Keep(node, {*constant});
      return;
    }
    std::vector<Tensor> inputs;
    if (node.inputs.empty() || !KnownInputs(node, &inputs) || !SmallOutputs(node)) return;
    std::vector<Tensor> outputs(node.num_outputs());
    if (!RunKernel(node, inputs, outputs)) return;
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (!outputs[i].valid() || outputs[i].dtype() != node.types[i]) return;
      if (static_cast<int64_t>(outputs[i].size_bytes()) > options_.max_bytes) return;
      if (!outputs[i].owns_buffer()) return;
    }
    Keep(node, std::move(outputs));
  }

  // The value of a node that has it as an attribute (Const), whatever its size: the bytes are
  // shared.
  static const Tensor* ConstantAttribute(const StepNode& node) {
    if (!node.inputs.empty() || node.num_outputs() != 1) return nullptr;
    const AttrValue* value = node.node->attrs().Find("value");
    const Tensor* tensor = value == nullptr ? nullptr : value->As<Tensor>();
    return tensor != nullptr && tensor->dtype() == node.types[0] ? tensor : nullptr;
  }

  // Values of all inputs; an op that only looks at shapes gets tensors without bytes.
  bool KnownInputs(const StepNode& node, std::vector<Tensor>* inputs) {
    const bool shapes_do = TraitOf(node.node->op_name()) == OpTrait::kShapeOnly;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const StepEdge& edge = node.inputs[i];
      const PartialShape& shape = edge.from->shapes[edge.output];
      if (node.takes_ref(static_cast<int>(i))) return false;
      if (const Tensor* value = edge.from->value(edge.output)) {
        inputs->push_back(*value);
      } else if (shapes_do && shape.is_fully_known()) {
        inputs->push_back(
            Tensor::View(node.input_type(static_cast<int>(i)), shape.ToShape(), nullptr));
      } else {
        return false;
      }
    }
    return true;
  }

  bool SmallOutputs(const StepNode& node) const {
    for (int i = 0; i < node.num_outputs(); ++i) {
      const int64_t elements = node.shapes[i].num_elements();
      if (elements > options_.max_bytes / static_cast<int64_t>(SizeOf(node.types[i]))) return false;
    }
    return true;
  }

  bool RunKernel(const StepNode& node, const std::vector<Tensor>& inputs,
                 std::vector<Tensor>& outputs) {
    StatusOr<std::unique_ptr<Kernel>> kernel = CreateKernel(*node.node, *options_.cpu, resources_);
    if (!kernel.ok()) return false;
    std::vector<const Tensor*> pointers;
    for (const Tensor& input : inputs) pointers.push_back(&input);
    KernelContext context;
    ContextBuilder::Fill(context, {.node = node.node,
                                   .device = options_.cpu,
                                   .inputs = pointers.data(),
                                   .num_inputs = static_cast<int>(pointers.size()),
                                   .outputs = outputs.data(),
                                   .step = &context_});
    return (*kernel)->Compute(context).ok();
  }

  void Keep(StepNode& node, std::vector<Tensor> values) {
    for (size_t i = 0; i < values.size(); ++i) node.shapes[i] = PartialShape(values[i].shape());
    node.values = std::move(values);
    if (!options_.replace) return;
    for (const StepEdge& edge : node.inputs) {
      if (edge.from->kind == StepKind::kConstant) {
        // What ran before a folded input still runs before this.
        if (!edge.from->controls.empty()) AddControl(node, *edge.from);
      } else if (edge.from->kind != StepKind::kFeed) {
        // Only the shape was needed, but the step still runs it: it may fail, and that must show.
        step_.targets().push_back(edge.from);
      }
    }
    node.inputs.clear();
    node.kind = StepKind::kConstant;
  }

  StepGraph& step_;
  const FoldOptions options_;
  Cancellation cancellation_;
  ResourceStore resources_;
  StepContext context_;
};

}  // namespace

void InferAndFold(StepGraph& step, const FoldOptions& options) {
  Folder(step, options).Run();
}

}  // namespace headrace
