#include "headrace/ops/linalg/cross.h"

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/linalg/cross_kernels.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status CrossShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1).status());
  const StatusOr<PartialShape> shape = c.input(0).MergedWith(c.input(1));
  if (!shape.ok()) {
    return InvalidArgument("Both inputs must be of same shape: ", c.input(0).ToString(), " vs. ",
                           c.input(1).ToString());
  }
  if (!shape->has_rank()) return c.SetOutput(0, *shape);
  PartialShape out = *shape;
  // The first input may be of unknown rank.
  if (out.rank() < 1) return c.WithRankAtLeast(1, 1).status();
  const int last = out.rank() - 1;
  if (out[last] >= 0 && out[last] != 3) {
    return InvalidArgument("Cross-products are only defined for 3-element vectors, got shape ",
                           out.ToString());
  }
  out.set_dim(last, 3);
  return c.SetOutput(0, out);
}

Status CrossGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad();
  c.Set(0, Cross(c.input(1), grad, {}, where));
  c.Set(1, Cross(grad, c.input(0), {}, where));
  return absl::OkStatus();
}

}  // namespace

Output Cross(Output a, Output b, OpOptions o, Location where) {
  return NodeBuilder("Cross", o.name, where).Input(a).Input(b).Build();
}

void DefineCross(OpRegistry& ops) {
  ops.Define("Cross")
      .Input("a", "T")
      .Input("b", "T")
      .Output("product", "T")
      .TypeAttr("T", kRealTypes)
      .Shape(CrossShape)
      .Gradient(CrossGradient)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeCrossCpu})
      .Gpu({.types = {{"T", kCpuRealTypes}}})
      .Doc("Cross products of vectors of three numbers.");
}

}  // namespace headrace
