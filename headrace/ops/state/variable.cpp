#include "headrace/ops/state/variable.h"

#include "headrace/base/strings.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/ref_op.h"
#include "headrace/ops/state/resource_variable.h"
#include "headrace/ops/state/variable_kernels.h"

namespace headrace {
namespace {

// Takes the dtypes that a GPU's variables have, so that an int32 step counter is asked onto the
// CPU.
constexpr DTypeSet kGpuVariables = kGpuFloatTypes;

Status VariableShape(ShapeContext& c) {
  return c.SetOutput(0, c.attrs().Get<PartialShape>("shape"));
}

std::string NameOr(const std::string& name, std::string_view otherwise) {
  return name.empty() ? std::string(otherwise) : name;
}

// An initialiser's nodes belong to the variable that does not exist yet.
void ColocateNodes(Graph& g, int begin, int end, const std::string& variable) {
  for (int id = begin; id < end; ++id) {
    if (!g.node(id)->attrs().Has("_class")) {
      g.SetAttr(*g.node(id), "_class", AttrValue::Strings{StrCat("loc:@", variable)});
    }
  }
}

Node* Consumer(Output ref, std::string_view op, std::string_view suffix) {
  for (const Node::Edge& edge : ref.node->out_edges()) {
    if (edge.to->op_name() == op && edge.to->name() == StrCat(ref.node->name(), suffix))
      return edge.to;
  }
  return nullptr;
}

// Ops on a handle ask for its device by name, in place of being colocated with it.
class BesideHandle {
 public:
  BesideHandle(Graph& g, const Node& handle)
      : forget_(g, nullptr), device_(g, handle.requested_device()) {}

 private:
  ColocateWith forget_;
  DeviceScope device_;
};

}  // namespace

Variable::Variable(Graph& g, Output initial_value, VariableOptions o, Location where) {
  ControlDependencies none(g, nullptr);
  const OpScope scope(g, o.name, "Variable");
  MakeFromValue(g, initial_value, o, scope.op_name(), where);
}

Variable::Variable(Graph& g, Tensor initial_value, VariableOptions o, Location where) {
  ControlDependencies none(g, nullptr);
  const OpScope scope(g, o.name, "Variable");
  const std::string name = g.name_scope();
  const int begin = g.num_nodes();
  Output value;
  if (o.use_resource) {
    NameScope inner(g, "Initializer");
    DeviceScope anywhere(g, nullptr);
    value = Const(g, std::move(initial_value), {.name = "initial_value"}, where);
    ColocateNodes(g, begin, g.num_nodes(), name);
  } else {
    value = Const(g, std::move(initial_value), {.name = "initial_value"}, where);
  }
  MakeFromValue(g, value, o, scope.op_name(), where);
}

Variable::Variable(Graph& g, const Initializer& initializer, VariableOptions o, Location where) {
  ControlDependencies none(g, nullptr);
  const OpScope scope(g, o.name, "Variable");
  const std::string name = g.name_scope();
  const int begin = g.num_nodes();
  Output value;
  {
    NameScope inner(g, "Initializer");
    DeviceScope anywhere(g, nullptr);
    if (initializer) value = initializer(g);
  }
  ColocateNodes(g, begin, g.num_nodes(), name);
  MakeFromValue(g, value, o, scope.op_name(), where);
}

void Variable::MakeFromValue(Graph& g, Output initial_value, const VariableOptions& o,
                             const std::string& op_name, Location where) {
  if (!initial_value.valid()) {  // the graph has the error of the builder that gave it; if it was none:
    g.ReportError(InvalidArgument("variable '", g.name_scope(), "' (", where.ToString(),
                                  "): its initial value is no output of a node"));
    return;
  }
  PartialShape shape = o.validate_shape ? initial_value.shape() : PartialShape();
  if (o.shape.has_value()) shape = *o.shape;
  if (o.validate_shape && !initial_value.shape().is_fully_known()) {
    g.ReportError(InvalidArgument(
        "variable '", g.name_scope(), "' (", where.ToString(),
        "): initial_value must have a shape specified: '", initial_value.name(), "' has shape ",
        initial_value.shape().ToString(), "; or set validate_shape to false"));
    return;
  }
  initial_value_ = initial_value;
  if (o.use_resource) {
    MakeHandle(g, shape, o, op_name, where);
  } else {
    MakeRef(g, shape, o, op_name, where);
  }
  if (!ref_.valid()) return;
  bool trainable_listed = !o.trainable;
  for (const std::string& collection : o.collections) {
    g.AddToCollection(collection, ref_);
    trainable_listed |= collection == kTrainableVariables;
  }
  if (!trainable_listed) g.AddToCollection(kTrainableVariables, ref_);
}

void Variable::MakeRef(Graph& g, const PartialShape& shape, const VariableOptions& o,
                       const std::string& op_name, Location where) {
  ref_ =
      VariableV2(g, shape, initial_value_.value_dtype(),
                 {.container = o.container, .shared_name = o.shared_name, .name = op_name}, where);
  if (!ref_.valid()) return;
  const Output assigned =
      Assign(ref_, initial_value_, {.validate_shape = o.validate_shape, .name = "Assign"}, where);
  initializer_ = assigned.node;
  if (o.device_of_read.empty()) {
    ColocateWith with_variable(g, *ref_.node);
    value_ = Identity(ref_, {.name = "read"}, where);
  } else {
    DeviceScope device(g, o.device_of_read, where);
    value_ = Identity(ref_, {.name = "read"}, where);
  }
}

void Variable::MakeHandle(Graph& g, const PartialShape& shape, const VariableOptions& o,
                          const std::string& op_name, Location where) {
  handle_ = {initial_value_.value_dtype(), shape};
  ref_ = VarHandleOp(g, shape, handle_.dtype,
                     {.container = o.container,
                      .shared_name = NameOr(o.shared_name, g.name_scope()),
                      .name = op_name},
                     where);
  if (!ref_.valid()) return;
  // A variable that is colocated with none is with itself: for those who read the graph file.
  if (ref_.node->colocation().empty())
    g.SetAttr(*ref_.node, "_class", AttrValue::Strings{StrCat("loc:@", ref_.node->name())});
  {
    NameScope scope(g, "IsInitialized");
    VarIsInitializedOp(ref_, {}, where);
  }
  {
    const OpScope scope(g, "Assign", "Assign");
    const BesideHandle beside(g, *ref_.node);
    initializer_ = AssignVariableOp(ref_, initial_value_, {.name = scope.op_name()}, where);
  }
  NameScope scope(g, "Read");
  {
    DeviceScope device(g, ref_.node->requested_device());
    value_ = ReadVariableOp(ref_, {}, where);
  }
  if (o.device_of_read.empty() || !value_.valid()) return;
  ColocateWith forget(g, nullptr);
  DeviceScope device(g, o.device_of_read, where);
  value_ = Identity(value_, {}, where);
}

Output Variable::Read(Location where) const {
  if (!is_resource() || value_.node == nullptr || value_.node->op_name() != "ReadVariableOp")
    return value_;
  const BesideHandle beside(*ref_.graph(), *ref_.node);
  return ReadVariableOp(ref_, {}, where);
}

Variable Variable::Of(Output ref) {
  Variable variable;
  if (!ref.valid()) return variable;
  const std::string& op = ref.node->op_name();
  if (op == "VarHandleOp") {
    variable.ref_ = ref;
    variable.handle_ = {ref.node->attrs().Get<DType>("dtype"),
                        ref.node->attrs().Get<PartialShape>("shape")};
    variable.initializer_ = Consumer(ref, "AssignVariableOp", "/Assign");
    if (Node* read = Consumer(ref, "ReadVariableOp", "/Read/ReadVariableOp")) {
      variable.value_ = read->output(0);
      Node* cached = ref.graph()->FindNode(StrCat(ref.node->name(), "/Read/Identity"));
      if (cached != nullptr && cached->num_inputs() == 1 && cached->input(0) == variable.value_)
        variable.value_ = cached->output(0);
    }
  } else if (op == "VariableV2" || op == "Variable") {
    variable.ref_ = ref;
    variable.initializer_ = Consumer(ref, "Assign", "/Assign");
    if (Node* read = Consumer(ref, "Identity", "/read")) variable.value_ = read->output(0);
  }
  if (variable.initializer_ != nullptr) variable.initial_value_ = variable.initializer_->input(1);
  return variable;
}

Output VariableV2(Graph& g, const PartialShape& shape, DType dtype, VariableOpOptions o,
                  Location where) {
  return NodeBuilder(g, "VariableV2", NameOr(o.name, "Variable"), where)
      .Attr("shape", shape)
      .Attr("dtype", dtype)
      .Attr("container", o.container)
      .Attr("shared_name", o.shared_name)
      .Build();
}

Output IsVariableInitialized(Output ref, OpOptions o, Location where) {
  const RefColocation with_variable{ref};
  return NodeBuilder("IsVariableInitialized", o.name, where).Input(ref).Build();
}

void DefineVariable(OpRegistry& ops) {
  for (const char* name : {"VariableV2", "Variable"}) {
    ops.Define(name)
        .Attr("shape", AttrKind::kShape)
        .TypeAttr("dtype", kAllTypes)
        .Attr("container", "")
        .Attr("shared_name", "")
        .RefOutput("ref", "dtype")
        .Shape(VariableShape)
        .NoGradient()
        .Stateful()
        .Cpu({.make = MakeVariableCpu})
        .Gpu({.types = {{"dtype", kGpuVariables}}})
        .Doc("State that steps share.");
  }
  ops.Define("IsVariableInitialized")
      .TypeAttr("dtype", kAllTypes)
      .RefInput("ref", "dtype")
      .Output("is_initialized", "bool")
      .Shape(ScalarShape)
      .NoGradient()
      .AllowsUninitialized()
      .Cpu({.make = MakeIsVariableInitializedCpu})
      .Gpu({.types = {{"dtype", kGpuVariables}}, .host_args = {"is_initialized"}})
      .Doc("Whether a variable holds a value.");
}

}  // namespace headrace
