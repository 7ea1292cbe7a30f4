#include "headrace/ops/state/resource_variable.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/state/assign_kernels.h"
#include "headrace/ops/state/resource_variable_kernels.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

constexpr DTypeSet kAssignedTypes =
    (kMovedTypes - DTypeSet{DType::kUInt32, DType::kUInt64, DType::kQInt16, DType::kQUInt16}) |
    DTypeSet(DType::kVariant);
// int32 is not among them, so that a step counter is asked onto the CPU.
constexpr DTypeSet kGpuVariables =
    kGpuFloatTypes | kComplexTypes | DTypeSet{DType::kBool, DType::kInt64};

Status ReadShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckHandleType(c, 0, c.attrs().Get<DType>("dtype")));
  return c.SetOutput(0, VariableShapeOf(c, 0));
}

Status WriteShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckHandleType(c, 0, c.attrs().Get<DType>("dtype")));
  return VariableShapeOf(c, 0).MergedWith(c.input(1)).status();
}

Status ShapeOfVariableShape(ShapeContext& c) {
  const PartialShape shape = VariableShapeOf(c, 0);
  return c.SetOutput(0, shape.has_rank() ? PartialShape{shape.rank()} : PartialShape::OfRank(1));
}

Status ReadGradient(GradContext& c) {
  if (c.gradient(0).slices.has_value()) {
    c.Set(0, *c.gradient(0).slices);
  } else {
    c.Set(0, c.grad());
  }
  return absl::OkStatus();
}

Node* Write(std::string_view op, Output handle, Output value, const OpOptions& o, Location where) {
  return NodeBuilder(op, o.name, where).Input(handle).Input(value).BuildNode();
}

}  // namespace

Output VarHandleOp(Graph& g, const PartialShape& shape, DType dtype, VariableOpOptions o,
                   Location where) {
  return NodeBuilder(g, "VarHandleOp", o.name, where)
      .Attr("shape", shape)
      .Attr("dtype", dtype)
      .Attr("container", o.container)
      .Attr("shared_name", o.shared_name)
      .Build();
}
Output ReadVariableOp(Output handle, OpOptions o, Location where) {
  return NodeBuilder("ReadVariableOp", o.name, where)
      .Input(handle)
      .Attr("dtype", HandleOf(handle).dtype)
      .Build();
}
Node* AssignVariableOp(Output handle, Output value, OpOptions o, Location where) {
  return Write("AssignVariableOp", handle, value, o, where);
}
Node* AssignAddVariableOp(Output handle, Output value, OpOptions o, Location where) {
  return Write("AssignAddVariableOp", handle, value, o, where);
}
Node* AssignSubVariableOp(Output handle, Output value, OpOptions o, Location where) {
  return Write("AssignSubVariableOp", handle, value, o, where);
}
Output VarIsInitializedOp(Output handle, OpOptions o, Location where) {
  return NodeBuilder("VarIsInitializedOp", o.name, where).Input(handle).Build();
}
Output VariableShapeOp(Output handle, DType out_type, OpOptions o, Location where) {
  return NodeBuilder("VariableShape", o.name, where)
      .Input(handle)
      .Attr("out_type", out_type)
      .Build();
}
Node* DestroyResourceOp(Output handle, DestroyOptions o, Location where) {
  return NodeBuilder("DestroyResourceOp", o.name, where)
      .Input(handle)
      .Attr("ignore_lookup_error", o.ignore_lookup_error)
      .BuildNode();
}

void DefineResourceVariable(OpRegistry& ops) {
  ops.Define("VarHandleOp")
      .Attr("container", "")
      .Attr("shared_name", "")
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", AttrKind::kShape)
      .Output("resource", "resource")
      .Shape(ScalarShape)
      .Stateful()
      .Cpu({.make = MakeVarHandleCpu})
      .Gpu({.types = {{"dtype", kGpuVariables}}, .host_args = {"resource"}})
      .Doc("The handle of a variable.");
  ops.Define("ReadVariableOp")
      .TypeAttr("dtype", kAllTypes)
      .Input("resource", "resource")
      .Output("value", "dtype")
      .Shape(ReadShape)
      .Gradient(ReadGradient)
      .Stateful()
      .Cpu({.make = MakeReadVariableCpu})
      .Gpu({.host_args = {"resource"}})
      .Doc("The value of a variable.");
  struct WriteOp {
    const char* name;
    DTypeSet cpu, gpu;
    KernelFactory make;
    const char* doc;
  };
  const DTypeSet gpu_updates = kGpuFloatTypes | DTypeSet(DType::kInt64);
  for (const WriteOp& op : {WriteOp{"AssignVariableOp", kAssignedTypes, kGpuVariables,
                                    MakeAssignVariableCpu, "Replaces the value of a variable."},
                            WriteOp{"AssignAddVariableOp", kCommonNumberTypes, gpu_updates,
                                    MakeAssignAddCpu, "Adds to the value of a variable."},
                            WriteOp{"AssignSubVariableOp", kCommonNumberTypes, gpu_updates,
                                    MakeAssignSubCpu, "Subtracts from the value of a variable."}}) {
    ops.Define(op.name)
        .TypeAttr("dtype", kAllTypes)
        .Input("resource", "resource")
        .Input("value", "dtype")
        .Shape(WriteShape)
        .Stateful()
        .WritesVariable(0)
        .Cpu({.types = {{"dtype", op.cpu}}, .make = op.make})
        .Gpu({.types = {{"dtype", op.gpu}}, .host_args = {"resource"}})
        .Doc(op.doc);
  }
  ops.Define("VarIsInitializedOp")
      .Input("resource", "resource")
      .Output("is_initialized", "bool")
      .Shape(ScalarShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeVarIsInitializedCpu})
      .Gpu({.host_args = {"resource", "is_initialized"}})
      .Doc("Whether a variable holds a value.");
  ops.Define("VariableShape")
      .TypeAttr("out_type", kIndexTypes, DType::kInt32)
      .Input("input", "resource")
      .Output("output", "out_type")
      .Shape(ShapeOfVariableShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeVariableShapeCpu})
      .Gpu({.host_args = {"input", "output"}})
      .Doc("The shape of a variable's value.");
  ops.Define("DestroyResourceOp")
      .Attr("ignore_lookup_error", true)
      .Input("resource", "resource")
      .Shape(NoShape)
      .Stateful()
      .WritesVariable(0)
      .Cpu({.make = MakeDestroyResourceCpu})
      .Gpu({.host_args = {"resource"}})
      .Doc("Takes the value of a variable away.");
}

}  // namespace headrace
