#include "headrace/ops/nn/cross_entropy.h"

#include <algorithm>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/matmul.h"
#include "headrace/ops/math/select.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/math/unary.h"
#include "headrace/ops/nn/activations.h"
#include "headrace/ops/nn/softmax.h"
#include "headrace/ops/nn/softmax_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

Status DenseShape(ShapeContext& c) {
  StatusOr<PartialShape> both = BroadcastShapes(c.input(0), c.input(1));
  if (!both.ok()) {
    return InvalidArgument("logits and labels must be broadcastable: logits_size=",
                           c.input(0).ToString(), " labels_size=", c.input(1).ToString());
  }
  if (!both->has_rank()) *both = PartialShape::OfRank(2);
  if (both->rank() != 2) {
    return InvalidArgument(
        "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional: "
        "logits_size=",
        c.input(0).ToString(), " labels_size=", c.input(1).ToString());
  }
  HR_RETURN_IF_ERROR(c.SetOutput(0, {(*both)[0]}));
  return c.SetOutput(1, *both);
}

Status SparseShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape logits, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape labels, c.WithRank(1, 1));
  HR_RETURN_IF_ERROR(
      c.CheckEqualDims(logits[0], labels[0], "rows of the logits", "number of labels"));
  if (logits[0] < 0) logits.set_dim(0, labels[0]);
  HR_RETURN_IF_ERROR(c.SetOutput(0, {logits[0]}));
  return c.SetOutput(1, logits);
}

// The loss's gradient for each row, times something for each class.
Output TimesRows(Output rows, Output matrix, Location where) {
  return Mul(ExpandDims(rows, -1, {}, where), matrix, {.name = "mul"}, where);
}

// Zeros that stand for "nothing flowed in here": they would only make dead nodes.
bool IsZero(Output x) {
  if (x.node->op_name() == "ZerosLike" || x.node->op_name() == "Zeros") return true;
  const Tensor value = ConstantValue(x);
  if (!value.valid()) return false;
  bool zero = false;
  DispatchDType<kFloatTypes>(value.dtype(), [&]<class T>() {
    zero = std::ranges::all_of(value.flat<T>(), [](T v) { return static_cast<double>(v) == 0; });
  });
  return zero;
}

Status DenseGradient(GradContext& c) {
  const Location where = c.where();
  const Output logits = c.input(0), rows = c.grad(0);
  Output grad = TimesRows(rows, c.output(1), where);
  const Output second = c.has_grad(1) ? c.grad(1) : Output();
  if (second.valid() && !IsZero(second)) {
    // The second output is softmax(logits) - labels: what flows into it goes through softmax's own
    // gradient.
    const Output softmax = Softmax(logits, {}, where);
    const Output row = ExpandDims(second, 1, {}, where);
    const Output column = ExpandDims(softmax, 2, {}, where);
    const Output product = BatchMatMulV2(row, column, {.name = "MatMul"}, where);
    const Output total = Squeeze(product, {.axis = {1}}, where);
    const Output part =
        Mul(Sub(second, total, {.name = "sub"}, where), softmax, {.name = "mul"}, where);
    grad = AddV2(grad, part, {.name = "add"}, where);
  }
  c.Set(0, grad);
  c.Set(1, TimesRows(rows, Neg(LogSoftmax(logits, {}, where), {}, where), where));
  return absl::OkStatus();
}

Status SparseGradient(GradContext& c) {
  const Output once = PreventGradient(
      c.output(1),
      {.message = "Currently there is no way to take the second derivative of "
                  "sparse_softmax_cross_entropy_with_logits "
                  "due to the fused implementation's interaction with tf.gradients()"},
      c.where());
  c.Set(0, TimesRows(c.grad(0), once, c.where()));
  return absl::OkStatus();
}

CrossEntropy BuildLoss(std::string_view op, Output logits, Output labels, const std::string& name,
                       Location where) {
  Node* node = NodeBuilder(op, name, where).Input(logits).Input(labels).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

}  // namespace

CrossEntropy SoftmaxCrossEntropyWithLogits(Output logits, Output labels, OpOptions o,
                                           Location where) {
  return BuildLoss("SoftmaxCrossEntropyWithLogits", logits, labels, o.name, where);
}

CrossEntropy SparseSoftmaxCrossEntropyWithLogits(Output logits, Output labels, OpOptions o,
                                                 Location where) {
  return BuildLoss("SparseSoftmaxCrossEntropyWithLogits", logits, labels, o.name, where);
}

// max(x, 0) and -|x| by Select, so that the gradient at 0 is right.
Output SigmoidCrossEntropyWithLogits(Output labels, Output logits, OpOptions o, Location where) {
  if (!logits.valid() || !labels.valid()) return {};
  Graph& g = *logits.graph();
  if (StatusOr<PartialShape> merged = logits.shape().MergedWith(labels.shape()); !merged.ok()) {
    g.ReportError(InvalidArgument("SigmoidCrossEntropyWithLogits (", where.ToString(),
                                  "): logits and labels must have the same shape (",
                                  logits.shape().ToString(), " vs ", labels.shape().ToString(),
                                  ")"));
    return {};
  }
  const OpScope scope(g, o.name, "logistic_loss");
  const Output zeros = ZerosLike(logits, {}, where);
  const Output positive = GreaterEqual(logits, zeros, {}, where);
  const Output relu = Select(positive, logits, zeros, {}, where);
  const Output negative = Neg(logits, {}, where);
  const Output minus_abs = Select(positive, negative, logits, {}, where);
  const Output product = Mul(logits, labels, {.name = "mul"}, where);
  const Output linear = Sub(relu, product, {.name = "sub"}, where);
  const Output rest = Log1p(Exp(minus_abs, {}, where), {}, where);
  return Add(linear, rest, {.name = scope.op_name()}, where);
}

// With l = 1 + (pos_weight - 1) * z: (1 - z) * x + l * (log(1 + exp(-|x|)) + max(-x, 0)).
Output WeightedCrossEntropyWithLogits(Output targets, Output logits, double pos_weight, OpOptions o,
                                      Location where) {
  if (!logits.valid() || !targets.valid()) return {};
  const OpScope scope(*logits.graph(), o.name, "logistic_loss");
  const Output extra = Mul(pos_weight - 1, targets, {.name = "mul"}, where);
  const Output weight = AddV2(1, extra, {.name = "add"}, where);
  const Output linear =
      Mul(Sub(1, targets, {.name = "sub"}, where), logits, {.name = "mul"}, where);
  const Output soft = Log1p(Exp(Neg(Abs(logits, {}, where), {}, where), {}, where), {}, where);
  const Output relu = Relu(Neg(logits, {}, where), {}, where);
  const Output rest = AddV2(soft, relu, {.name = "add"}, where);
  return Add(linear, Mul(weight, rest, {.name = "mul"}, where), {.name = scope.op_name()}, where);
}

void DefineCrossEntropy(OpRegistry& ops) {
  ops.Define("SoftmaxCrossEntropyWithLogits")
      .TypeAttr("T", kFloatTypes)
      .Input("features", "T")
      .Input("labels", "T")
      .Output("loss", "T")
      .Output("backprop", "T")
      .Shape(DenseShape)
      .Gradient(DenseGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeSoftmaxCrossEntropyCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Cross entropy of a distribution over classes, and its gradient.");
  ops.Define("SparseSoftmaxCrossEntropyWithLogits")
      .TypeAttr("T", kFloatTypes)
      .TypeAttr("Tlabels", kIndexTypes, DType::kInt64)
      .Input("features", "T")
      .Input("labels", "Tlabels")
      .Output("loss", "T")
      .Output("backprop", "T")
      .Shape(SparseShape)
      .Gradient(SparseGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeSparseSoftmaxCrossEntropyCpu})
      .Gpu({.types = {{"T", DTypeSet{DType::kFloat16, DType::kFloat32}}}})
      .Doc("Cross entropy with the number of the true class, and its gradient.");
}

}  // namespace headrace
