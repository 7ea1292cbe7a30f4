#include "headrace/ops/state/assign.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/state/assign_kernels.h"
#include "headrace/ops/state/ref_op.h"

namespace headrace {
namespace {

Status AssignShape(ShapeContext& c) {
  if (!c.attrs().Get<bool>("validate_shape")) return c.SetOutput(0, c.input(1));
  const auto merged = c.input(0).MergedWith(c.input(1));
  if (!merged.ok()) {
    return InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= ",
                           c.input(0).ToString(), " rhs shape= ", c.input(1).ToString());
  }
  return c.SetOutput(0, *merged);
}

Output Update(std::string_view op, Output ref, Output value, const UpdateOptions& o,
              Location where) {
  const RefColocation with_variable{ref};
  return NodeBuilder(op, o.name, where)
      .Input(ref)
      .Input(value)
      .Attr("use_locking", o.use_locking)
      .Build();
}

}  // namespace

Output Assign(Output ref, Output value, AssignOptions o, Location where) {
  const RefColocation with_variable{ref};
  return NodeBuilder("Assign", o.name, where)
      .Input(ref)
      .Input(value)
      .Attr("validate_shape", o.validate_shape)
      .Attr("use_locking", o.use_locking)
      .Build();
}
Output AssignAdd(Output ref, Output value, UpdateOptions o, Location where) {
  return Update("AssignAdd", ref, value, o, where);
}
Output AssignSub(Output ref, Output value, UpdateOptions o, Location where) {
  return Update("AssignSub", ref, value, o, where);
}

void DefineAssign(OpRegistry& ops) {
  ops.Define("Assign")
      .TypeAttr("T", kAllTypes)
      .Attr("validate_shape", true)
      .Attr("use_locking", true)
      .RefInput("ref", "T")
      .Input("value", "T")
      .RefOutput("output_ref", "T")
      .Shape(AssignShape)
      .NoGradient()
      .AllowsUninitialized()
      .WritesVariable(0)
      .Cpu({.types = {{"T", kMovedTypes}}, .make = MakeAssignCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Replaces the value of a variable.");
  struct Op {
    const char* name;
    KernelFactory make;
    const char* doc;
  };
  for (const Op& op :
       {Op{"AssignAdd", MakeAssignAddCpu, "Adds to the value of a variable."},
        Op{"AssignSub", MakeAssignSubCpu, "Subtracts from the value of a variable."}}) {
    ops.Define(op.name)
        .TypeAttr("T", kNumberTypes | DTypeSet{DType::kQInt8, DType::kQUInt8, DType::kQInt32})
        .Attr("use_locking", false)
        .RefInput("ref", "T")
        .Input("value", "T")
        .RefOutput("output_ref", "T")
        .Shape(MergedInputShape)
        .NoGradient()
        .WritesVariable(0)
        .Cpu({.types = {{"T", kNumberTypes}}, .make = op.make})
        .Gpu({.types = {{"T", kGpuFloatTypes}}})
        .Doc(op.doc);
  }
}

}  // namespace headrace
