#include "headrace/ops/math/add_n.h"

#include "headrace/graph/gradients.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/library.h"
#include "headrace/ops/math/add_n_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

Status AddNGradient(GradContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.Set(i, c.grad());
  return absl::OkStatus();
}

}  // namespace

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
}

}  // namespace headrace
