#include "headrace/ops/nn/l2_loss.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/l2_loss_kernels.h"

namespace headrace {
namespace {

Status L2LossGradient(GradContext& c) {
  c.Set(0, Mul(c.input(0), c.grad(), {.name = "mul"}, c.where()));
  return absl::OkStatus();
}

}  // namespace

Output L2Loss(Output t, OpOptions o, Location where) {
  return NodeBuilder("L2Loss", o.name, where).Input(t).Build();
}

void DefineL2Loss(OpRegistry& ops) {
  ops.Define("L2Loss")
      .TypeAttr("T", kFloatTypes)
      .Input("t", "T")
      .Output("output", "T")
      .Shape(ScalarShape)
      .Gradient(L2LossGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeL2LossCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Half the sum of squares.");
}

}  // namespace headrace
