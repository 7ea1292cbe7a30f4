#include "headrace/ops/math/add_n.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/add_n_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

Status AddNGradient(GradContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.Set(i, c.grad());
  return absl::OkStatus();
}

// The stated shape, with what the inputs know.
Status AccumulatedShape(ShapeContext& c) {
  PartialShape shape = c.attrs().Get<PartialShape>("shape");
  for (int i = 0; i < c.num_inputs(); ++i) {
    HR_ASSIGN_OR_RETURN(shape, shape.MergedWith(c.input(i)));
  }
  return c.SetOutput(0, shape);
}

}  // namespace

Output AccumulateN(std::span<const Output> inputs, OpOptions o, Location where) {
  PartialShape shape;
  for (const Output& input : inputs) {
    StatusOr<PartialShape> merged = shape.MergedWith(input.shape());
    if (merged.ok()) shape = *merged;  // a mismatch is the node's error
  }
  return NodeBuilder("AccumulateNV2", o.name, where).Inputs(inputs).Attr("shape", shape).Build();
}

Output AddN(std::span<const Output> inputs, OpOptions o, Location where) {
  return NodeBuilder("AddN", o.name, where).Inputs(inputs).Build();
}

void DefineAddN(OpRegistry& ops) {
  ops.Define("AddN")
      .Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .TypeAttr("T", kAttrNumberTypes | DTypeSet(DType::kVariant))
      .InputList("inputs", "T", "N")
      .Output("sum", "T")
      .Shape(MergedInputShape)
      .Gradient(AddNGradient)
      .Commutative()
      .InPlace(0, 0)
      .Cpu({.types = {{"T", kCpuNumberTypes}}, .make = MakeAddNCpu})
      .Gpu({.types = {{"T", kGpuFloatsAndComplex | DTypeSet(DType::kInt64)}}})
      .Gpu({.types = {{"T", kOnlyInt32}}, .host_args = {"inputs", "sum"}})
      .Doc("The sum of all inputs.");
  ops.Define("AccumulateNV2")
      .Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .TypeAttr("T", kAttrNumberTypes)
      .Attr("shape", AttrKind::kShape)
      .InputList("inputs", "T", "N")
      .Output("sum", "T")
      .Shape(AccumulatedShape)
      .Gradient(AddNGradient)
      .Commutative()
      .InPlace(0, 0)
      .Cpu({.types = {{"T", kCpuNumberTypes}}, .make = MakeAddNCpu})
      .Gpu({.types = {{"T", kGpuFloatsAndComplex | DTypeSet(DType::kInt64)}}})
      .Doc("The sum of all inputs, of a stated shape.");
}

}  // namespace headrace
