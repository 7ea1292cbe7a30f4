#include "headrace/train/internal/slots.h"

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/shape_ops.h"

namespace headrace::train {
namespace {

// From this size on a constant of one repeated value becomes a Fill, as TensorFlow's zeros() does.
constexpr int64_t kLargestConstant = 1000;

Output Repeated(Graph& graph, double value, DType type, const Shape& shape, std::string_view name,
                Location where) {
  if (shape.num_elements() >= kLargestConstant) {
    OpScope scope(graph, name, "Fill");
    Output dims = IntArg(shape).In(graph, "shape_as_tensor", DType::kInt32, where);
    Output scalar = ConstScalar(graph, value, type, {.name = "Const"}, where);
    return NodeBuilder("Fill", scope.op_name(), where).Input(dims).Input(scalar).Build();
  }
  Tensor scalar = ScalarTensor(value, type);
  if (!scalar.valid()) return {};
  Tensor tensor(type, shape);
  const size_t size = SizeOf(type);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    std::memcpy(static_cast<char*>(tensor.raw_data()) + static_cast<size_t>(i) * size,
                scalar.raw_data(), size);
  }
  return Const(graph, std::move(tensor), {.name = std::string(name)}, where);
}

}  // namespace

std::string InScope(std::string_view scope, std::string_view name) {
  return scope.empty() ? std::string(name) : StrCat(scope, "/", name);
}

Variable MakeSlot(Output primary, std::string_view name, double initial_value,
                  std::string_view label, DType type, const PartialShape& shape, Location where,
                  std::string_view scope) {
  if (!primary.valid()) return {};
  Graph& graph = *primary.graph();
  NameScope top(graph, "");
  ControlDependencies none(graph, nullptr);
  ColocateWith colocate(graph, *primary.node);
  const std::string text(label);
  Variable::Initializer initializer = [&](Graph& g) {
    return Repeated(g, initial_value, type, shape.ToShape(), text, where);
  };
  return Variable(graph, initializer,
                  {.trainable = false,
                   .use_resource = primary.dtype() == DType::kResource,
                   .name = InScope(scope, StrCat(primary.node->name(), "/", name))},
                  where);
}

Variable MakeSlot(Output primary, std::string_view name, Output initial_value, Location where,
                  std::string_view scope) {
  if (!primary.valid() || !initial_value.valid()) return {};
  Graph& graph = *primary.graph();
  NameScope top(graph, "");
  ControlDependencies none(graph, nullptr);
  ColocateWith colocate(graph, *primary.node);
  VariableOptions options{.trainable = false,
                          .validate_shape = initial_value.shape().is_fully_known(),
                          .use_resource = primary.dtype() == DType::kResource,
                          .name = InScope(scope, StrCat(primary.node->name(), "/", name))};
  return Variable(graph, initial_value, std::move(options), where);
}

Variable MakeZerosSlot(const Variable& primary, std::string_view name, Location where,
                       std::string_view scope) {
  if (!primary.valid()) return {};
  if (primary.shape().is_fully_known()) {
    return MakeSlot(primary.ref(), name, 0, "zeros", primary.dtype(), primary.shape(), where,
                    scope);
  }
  // Known only when the variable has its first value.
  return MakeSlot(primary.ref(), name, ConstantLike(primary, 0, where), where, scope);
}

Variable MakeZeros(Graph& graph, std::string_view name, DType type, const Shape& shape,
                   const Node* beside, Location where) {
  NameScope top(graph, "");
  ControlDependencies none(graph, nullptr);
  std::optional<ColocateWith> colocate;
  if (beside != nullptr) colocate.emplace(graph, *beside);
  Variable::Initializer zeros = [&](Graph& g) {
    return Repeated(g, 0, type, shape, "zeros", where);
  };
  const bool use_resource = beside != nullptr && beside->op_name() == "VarHandleOp";
  Variable made(graph, zeros,
                {.trainable = false, .use_resource = use_resource, .name = std::string(name)},
                where);
  // TensorFlow's variables that start from a function name themselves as their group.
  if (beside == nullptr && made.valid()) {
    graph.SetAttr(*made.ref().node, "_class", AttrValue::Strings{StrCat("loc:@", made.name())});
  }
  return made;
}

Output ConstantLike(const Variable& primary, double value, Location where) {
  if (!primary.valid()) return {};
  Graph& graph = *primary.ref().graph();
  ControlDependencies none(graph, nullptr);
  ColocateWith colocate(graph, *primary.ref().node);
  if (primary.shape().is_fully_known()) {
    return Repeated(graph, value, primary.dtype(), primary.shape().ToShape(), "Const", where);
  }
  Output dims = ShapeOf(primary.initial_value().valid() ? primary.initial_value() : primary.value(),
                        {}, where);
  return Fill(dims, ConstScalar(graph, value, primary.dtype(), {}, where), {}, where);
}

Variable SlotTable::GetOrMake(const Variable& primary, std::string_view slot,
                              const std::function<Variable()>& make) {
  auto& of_slot = slots_[std::string(slot)];
  auto it = of_slot.find(primary.ref().node);
  if (it == of_slot.end()) it = of_slot.emplace(primary.ref().node, make()).first;
  return it->second;
}

Variable SlotTable::Find(Output primary, std::string_view slot) const {
  auto of_slot = slots_.find(slot);
  if (of_slot == slots_.end()) return {};
  auto it = of_slot->second.find(primary.node);
  return it == of_slot->second.end() ? Variable() : it->second;
}

std::vector<std::string> SlotTable::names() const {
  std::vector<std::string> names;
  for (const auto& [name, unused] : slots_) names.push_back(name);
  return names;
}

}  // namespace headrace::train
