#include "headrace/train/optimizer.h"

#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/control/no_op.h"
#include "headrace/ops/state/assign.h"
#include "headrace/train/collections.h"
#include "headrace/train/internal/nodes.h"
#include "headrace/train/internal/slots.h"

namespace headrace {
namespace {

Status CheckFloat(std::string_view what, Output x, DType type) {
  if (IsFloating(type)) return absl::OkStatus();
  return InvalidArgument("Invalid type ", DTypeName(type), " for ", what, " ", x.name(),
                         ", expected: float16, bfloat16, float32 or float64");
}

// A variable without gradient may be anything: it is left out.
Status CheckTrained(const Graph& graph, std::span<const GradientAndVariable> gradients) {
  for (const auto& [gradient, variable] : gradients) {
    if (variable.ref().graph() != &graph) {
      return InvalidArgument("Variable '", variable.name(), "' to optimize belongs to another graph");
    }
    if (!gradient.connected()) continue;
    HR_RETURN_IF_ERROR(CheckFloat("variable", variable.ref(), variable.dtype()));
  }
  return absl::OkStatus();
}

// Gradients that may be used only when all are there.
void GateAll(std::vector<GradientAndVariable>& gradients, Location where) {
  std::vector<Output> values;
  for (const auto& [gradient, variable] : gradients) {
    values.push_back(gradient.slices ? gradient.slices->values : gradient.dense);
  }
  values = train::Together(values, "tuple", where);
  for (size_t i = 0; i < gradients.size(); ++i) {
    Gradient& gradient = gradients[i].gradient;
    (gradient.slices ? gradient.slices->values : gradient.dense) = values[i];
  }
}

std::string Names(std::span<const GradientAndVariable> gradients) {
  return StrJoin(gradients, ", ", [](const GradientAndVariable& g) { return g.variable.name(); });
}

}  // namespace

Optimizer::Optimizer(std::string name, bool use_locking)
    : name_(std::move(name)),
      use_locking_(use_locking),
      slots_(std::make_unique<train::SlotTable>()) {}
Optimizer::~Optimizer() = default;

Variable Optimizer::GetSlot(const Variable& variable, std::string_view slot) const {
  return slots_->Find(variable.ref(), slot);
}
std::vector<std::string> Optimizer::slot_names() const {
  return slots_->names();
}

Node* Optimizer::Minimize(Output loss, MinimizeOptions o, Location where) {
  std::vector<GradientAndVariable> gradients =
      ComputeGradients(loss,
                       {.var_list = std::move(o.var_list),
                        .grad_loss = o.grad_loss,
                        .colocate_gradients_with_ops = o.colocate_gradients_with_ops,
                        .gate = o.gate},
                       where);
  if (gradients.empty()) return nullptr;
  std::string why;
  bool any = false;
  for (const auto& [gradient, variable] : gradients) {
    if (gradient.connected()) {
      any = true;
      continue;
    }
    std::string reason = WhyUnconnected(std::span(&loss, 1), variable.ref());
    StrAppend(&why, "\n  ", variable.name(), ": ", reason);
  }
  Graph& graph = *loss.graph();
  if (!any) {
    graph.ReportError(InvalidArgument(
        "No gradients provided for any variable, check your graph for ops that do not "
        "support gradients, between variables [",
        Names(gradients), "] and loss ", loss.name(),
        where.known() ? StrCat(" (", where.ToString(), ")") : "", ".", why));
    return nullptr;
  }
  if (!why.empty())
    Log(LogLevel::kInfo, StrCat("Not trained, as ", loss.name(), " does not depend on them:", why));
  return ApplyGradients(gradients, {.global_step = o.global_step, .name = std::move(o.name)},
                        where);
}

std::vector<GradientAndVariable> Optimizer::ComputeGradients(Output loss, ComputeGradientsOptions o,
                                                             Location where) {
  if (!loss.valid()) return {};
  Graph& graph = *loss.graph();
  auto fail = [&](Status status) {
    graph.ReportError(std::move(status));
    return std::vector<GradientAndVariable>();
  };
  if (Status status = CheckFloat("loss", loss, loss.value_dtype()); !status.ok())
    return fail(status);
  std::vector<Variable> variables =
      o.var_list.empty() ? TrainableVariables(graph) : std::move(o.var_list);
  if (variables.empty()) return fail(InvalidArgument("No variables to optimize."));
  std::vector<Output> refs;
  for (const Variable& variable : variables) {
    if (!variable.valid())
      return fail(InvalidArgument("A variable to optimize was not made; see the first error"));
    refs.push_back(variable.ref());
  }
  GradientsOptions options{.colocate_with_ops = o.colocate_gradients_with_ops,
                           .gate_gradients = o.gate == GradientGate::kOp};
  if (o.grad_loss.valid()) options.grad_ys = {o.grad_loss};
  std::vector<Gradient> found = Gradients(loss, refs, std::move(options), where);
  if (found.size() != variables.size()) return {};  // the graph has the error
  std::vector<GradientAndVariable> result;
  for (size_t i = 0; i < variables.size(); ++i) result.push_back({found[i], variables[i]});
  if (Status status = CheckTrained(graph, result); !status.ok()) return fail(status);
  if (o.gate == GradientGate::kGraph) GateAll(result, where);
  return result;
}

Node* Optimizer::ApplyGradients(std::span<const GradientAndVariable> gradients,
                                ApplyGradientsOptions o, Location where) {
  std::vector<GradientAndVariable> connected;
  std::vector<Variable> variables;
  for (const GradientAndVariable& entry : gradients) {
    if (!entry.variable.valid()) return nullptr;  // the graph has the error
    if (!entry.gradient.connected()) continue;
    connected.push_back(entry);
    variables.push_back(entry.variable);
  }
  if (gradients.empty()) return nullptr;
  Graph& graph = *gradients.front().variable.ref().graph();
  if (connected.empty()) {
    graph.ReportError(
        InvalidArgument("No gradients provided for any variable: [", Names(gradients), "]."));
    return nullptr;
  }
  Status fits = CheckTrained(graph, gradients);
  if (fits.ok() && o.global_step.valid() && o.global_step.ref().graph() != &graph) {
    fits = InvalidArgument("global_step '", o.global_step.name(), "' belongs to another graph");
  }
  if (!fits.ok()) {
    graph.ReportError(std::move(fits));
    return nullptr;
  }
  where_ = where;
  refused_ = false;
  slot_scope_ = o.slot_scope;
  CreateSlots(variables);
  if (refused_) return nullptr;
  NameScope scope(graph, o.name.empty() ? name_ : o.name);
  const std::string op_name = graph.name_scope() + "/";
  Prepare(graph);
  std::vector<Node*> updates = MakeUpdates(connected, o);
  if (updates.size() != connected.size()) return nullptr;
  Node* train_op = nullptr;
  if (o.global_step.valid()) {
    train_op = Increment(graph, o.global_step, Finish(graph, updates, "update"), op_name);
  } else {
    train_op = Finish(graph, updates, op_name);
  }
  if (train_op != nullptr) graph.AddToCollection(kTrainOp, Output{train_op, 0});
  return train_op;
}

std::vector<Node*> Optimizer::MakeUpdates(std::span<const GradientAndVariable> gradients,
                                          const ApplyGradientsOptions& o) {
  std::vector<Node*> updates;
  for (const auto& [gradient, variable] : gradients) {
    Graph& graph = *variable.ref().graph();
    NameScope scope(graph, StrCat("update_", variable.name()));
    ColocateWith colocate(graph, *variable.ref().node);
    Node* update = gradient.slices ? ApplySparseWithRepeats(*gradient.slices, variable)
                                   : ApplyDense(gradient.dense, variable);
    if (update != nullptr && o.after_update)
      update = o.after_update(variable, update, gradient.slices.has_value());
    if (update != nullptr) updates.push_back(update);
  }
  return updates;
}

Node* Optimizer::Increment(Graph& graph, const Variable& global_step, Node* after,
                           const std::string& name) {
  if (after == nullptr) return nullptr;
  ControlDependencies dependencies(graph, {after});
  ColocateWith colocate(graph, *global_step.ref().node);
  const char* label = global_step.is_resource() ? "Const" : "value";
  Output one = ConstScalar(graph, 1, global_step.dtype(), {.name = label}, where_);
  return train::AddTo(global_step, one, name, where_);
}

void Optimizer::CreateSlots(std::span<const Variable>) {}
void Optimizer::Prepare(Graph&) {}

Node* Optimizer::ApplySparseWithRepeats(const IndexedSlices& gradient, const Variable& variable) {
  if (!gradient.indices.valid()) return nullptr;
  Node* unique = NodeBuilder("Unique", "", where_).Input(gradient.indices).BuildNode();
  if (unique == nullptr) return nullptr;
  Output count = train::FirstElement(train::Call("Shape", {unique->output(0)}, where_), where_);
  Output sums =
      train::Call("UnsortedSegmentSum", {gradient.values, unique->output(1), count}, where_);
  return ApplySparse({sums, unique->output(0), gradient.dense_shape}, variable);
}

Node* Optimizer::Finish(Graph& graph, std::span<Node* const> updates, const std::string& name) {
  return Group(graph, updates, {.name = name}, where_);
}

Variable Optimizer::ZerosSlot(const Variable& variable, std::string_view slot,
                              std::string_view op_name) {
  const std::string_view name = op_name.empty() ? std::string_view(name_) : op_name;
  return slots_->GetOrMake(
      variable, slot, [&] { return train::MakeZerosSlot(variable, name, where_, slot_scope_); });
}

Variable Optimizer::ConstantSlot(const Variable& variable, std::string_view slot,
                                 double initial_value, std::string_view label) {
  return slots_->GetOrMake(variable, slot, [&] {
    if (!variable.shape().is_fully_known()) {
      return train::MakeSlot(variable.ref(), name_,
                             train::ConstantLike(variable, initial_value, where_), where_,
                             slot_scope_);
    }
    return train::MakeSlot(variable.ref(), name_, initial_value, label, variable.dtype(),
                           variable.shape(), where_, slot_scope_);
  });
}

Variable Optimizer::SlotFrom(const Variable& variable, std::string_view slot, Output initial_value,
                             std::string_view op_name) {
  const std::string_view name = op_name.empty() ? std::string_view(name_) : op_name;
  return slots_->GetOrMake(variable, slot, [&] {
    return train::MakeSlot(variable.ref(), name, initial_value, where_, slot_scope_);
  });
}

Output Optimizer::ConstantLike(const Variable& variable, double value) const {
  return train::ConstantLike(variable, value, where_);
}

Output Optimizer::Hyper(Graph& graph, const Operand& value, std::string_view name) const {
  return value.In(graph, name, DType::kFloat32, where_);
}

NodeBuilder Optimizer::Update(std::string_view op, const Variable& variable,
                              std::string_view node_name) const {
  NodeBuilder builder(variable.is_resource() ? StrCat("Resource", op) : std::string(op), node_name,
                      where_);
  builder.Attr("use_locking", use_locking_).Input(variable.ref());
  return builder;
}

Output Optimizer::Cast(Output value, const Variable& variable) const {
  return train::CastTo(value, variable.dtype(), where_);
}

void Optimizer::Require(Graph& graph, bool holds, std::string_view what, std::string_view rule,
                        double value) {
  if (holds) return;
  refused_ = true;
  graph.ReportError(
      InvalidArgument("optimizer '", name_, "': ", what, " must be ", rule, ": ", value));
}

}  // namespace headrace
