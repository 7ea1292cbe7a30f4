#include "headrace/ops/nn/softmax.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/math/unary.h"
#include "headrace/ops/nn/softmax_kernels.h"

namespace headrace {
namespace {

Status SoftmaxShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape logits, c.WithRankAtLeast(0, 1));
  return c.SetOutput(0, logits);
}

// (dy - sum(dy * y)) * y
Status SoftmaxGradient(GradContext& c) {
  const Location where = c.where();
  const Output dy = c.grad(), y = c.output(0);
  const Output weighted = Mul(dy, y, {.name = "mul"}, where);
  const Output total = ReduceSum(weighted, -1, {.keep_dims = true}, where);
  c.Set(0, Mul(Sub(dy, total, {.name = "sub"}, where), y, {.name = "mul"}, where));
  return absl::OkStatus();
}

// dy - sum(dy) * exp(y)
Status LogSoftmaxGradient(GradContext& c) {
  const Location where = c.where();
  const Output dy = c.grad();
  const Output softmax = Exp(c.output(0), {}, where);
  const Output total = ReduceSum(dy, -1, {.keep_dims = true}, where);
  const Output part = Mul(total, softmax, {.name = "mul"}, where);
  c.Set(0, Sub(dy, part, {.name = "sub"}, where));
  return absl::OkStatus();
}

}  // namespace

Output Softmax(Output logits, OpOptions o, Location where) {
  return NodeBuilder("Softmax", o.name, where).Input(logits).Build();
}
Output LogSoftmax(Output logits, OpOptions o, Location where) {
  return NodeBuilder("LogSoftmax", o.name, where).Input(logits).Build();
}

void DefineSoftmax(OpRegistry& ops) {
  for (const bool log : {false, true}) {
    ops.Define(log ? "LogSoftmax" : "Softmax")
        .TypeAttr("T", kFloatTypes)
        .Input("logits", "T")
        .Output(log ? "logsoftmax" : "softmax", "T")
        .Shape(SoftmaxShape)
        .Gradient(log ? LogSoftmaxGradient : SoftmaxGradient)
        .InPlace(0, 0)
        .Cpu({.types = {{"T", kIeeeFloats}}, .make = log ? MakeLogSoftmaxCpu : MakeSoftmaxCpu})
        .Gpu({.types = {{"T", kGpuFloatTypes}}})
        .Doc(log ? "Logarithm of softmax, over the last dimension."
                 : "exp(x) / sum(exp(x)) over the last dimension.");
  }
}

}  // namespace headrace
