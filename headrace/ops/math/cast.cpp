#include "headrace/ops/math/cast.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/cast_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

constexpr DTypeSet kCastable = kNumberTypes | kOnlyBool;

Status CastGradient(GradContext& c) {
  const DType from = c.input(0).value_dtype(), to = c.output(0).dtype();
  if (!kFloatsAndComplex.Contains(from) || !kFloatsAndComplex.Contains(to)) return absl::OkStatus();
  c.Set(0, Cast(c.grad(), from, {}, c.where()));
  return absl::OkStatus();
}

}  // namespace

Output Cast(Output x, DType dtype, CastOptions o, Location where) {
  if (!x.valid() || x.value_dtype() == dtype) return x;
  return NodeBuilder("Cast", o.name, where)
      .Input(x)
      .Attr("DstT", dtype)
      .Attr("Truncate", o.truncate)
      .Build();
}

void DefineCast(OpRegistry& ops) {
  constexpr DTypeSet kGpu = kCastable - DTypeSet{DType::kUInt32, DType::kUInt64};
  ops.Define("Cast")
      .Input("x", "SrcT")
      .Output("y", "DstT")
      .TypeAttr("SrcT", kAllTypes)
      .TypeAttr("DstT", kAllTypes)
      .Attr("Truncate", false)
      .Shape(SameShapeAsInput)
      .Gradient(CastGradient)
      .Cpu({.types = {{"SrcT", kCastable}, {"DstT", kCastable}}, .make = MakeCastCpu})
      .Gpu({.types = {{"SrcT", kGpu}, {"DstT", kGpu}}})
      .Doc("Conversion to another dtype.");
}

}  // namespace headrace
