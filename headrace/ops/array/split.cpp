#include "headrace/ops/array/split.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/concat_kernels.h"
#include "headrace/ops/array/device_types.h"

namespace headrace {
namespace {

// The axis stated by an input; unset when it is not known. Errors as the kernels'.
StatusOr<std::optional<int>> SplitAxis(ShapeContext& c, int input, int rank) {
  const auto stated = c.InputAsInts(input);
  if (!stated.has_value()) return std::optional<int>();
  const int64_t axis = stated->front();
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("-input rank(-", rank, ") <= split_dim < input rank (", rank,
                           "), but got ", axis);
  }
  return std::optional<int>(static_cast<int>(axis < 0 ? axis + rank : axis));
}

Status SetAll(ShapeContext& c, const PartialShape& shape) {
  for (int i = 0; i < c.num_outputs(); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, shape));
  return absl::OkStatus();
}

Status SplitShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  PartialShape out = c.input(1);
  if (!out.has_rank()) return NoShape(c);
  HR_ASSIGN_OR_RETURN(const std::optional<int> axis, SplitAxis(c, 0, out.rank()));
  if (!axis.has_value()) return SetAll(c, PartialShape::OfRank(out.rank()));
  const int64_t num = c.attrs().Get<int64_t>("num_split"), size = out[*axis];
  if (size >= 0 && size % num != 0) {
    return InvalidArgument(
        "Number of ways to split should evenly divide the split dimension, but got split_dim ",
        *axis, " (size = ", size, ") and num_split ", num);
  }
  out.set_dim(*axis, size < 0 ? size : size / num);
  return SetAll(c, out);
}

Status SplitVShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(2));
  HR_ASSIGN_OR_RETURN(const PartialShape sizes_shape, c.WithRank(1, 1));
  const int64_t num = c.attrs().Get<int64_t>("num_split");
  if (sizes_shape[0] >= 0 && sizes_shape[0] != num) {
    return InvalidArgument(
        "size of the split_tensor must be 1-D and have the same elements as outputs got 1 -D and ",
        sizes_shape[0], " elements");
  }
  PartialShape out = c.input(0);
  if (!out.has_rank()) return NoShape(c);
  HR_ASSIGN_OR_RETURN(const std::optional<int> axis, SplitAxis(c, 2, out.rank()));
  if (!axis.has_value()) return SetAll(c, PartialShape::OfRank(out.rank()));
  auto sizes = c.InputAsInts(1);
  if (!sizes.has_value()) {
    out.set_dim(*axis, num == 1 ? out[*axis] : PartialShape::kUnknown);
    return SetAll(c, out);
  }
  if (out[*axis] >= 0) {
    HR_ASSIGN_OR_RETURN(*sizes, ResolveSplitSizes(*sizes, out[*axis]));
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    out.set_dim(*axis, (*sizes)[i]);
    HR_RETURN_IF_ERROR(c.SetOutput(i, out));
  }
  return absl::OkStatus();
}

std::vector<Output> Grads(GradContext& c) {
  std::vector<Output> grads;
  for (int i = 0; i < c.node().num_outputs(); ++i) grads.push_back(c.grad(i));
  return grads;
}

// One part alone needs no Concat, but TensorFlow's concat() of one makes an Identity.
Status SplitGradient(GradContext& c) {
  c.Set(1, Concat(Grads(c), c.input(0), {}, c.where()));
  return absl::OkStatus();
}
Status SplitVGradient(GradContext& c) {
  c.Set(0, Concat(Grads(c), c.input(2), {}, c.where()));
  return absl::OkStatus();
}

std::vector<Output> Outputs(Node* node, int64_t num) {
  std::vector<Output> parts(static_cast<size_t>(num));
  for (size_t i = 0; node != nullptr && i < parts.size(); ++i)
    parts[i] = node->output(static_cast<int>(i));
  return parts;
}

}  // namespace

std::vector<Output> Split(Output value, int64_t num, SplitOptions o, Location where) {
  if (!value.valid() || !o.axis.valid()) return {};
  Graph& g = *value.graph();
  if (num < 1) {
    g.ReportError(
        InvalidArgument("op 'Split' (", where.ToString(), "): num must be >= 1, got ", num));
    return {};
  }
  const OpScope scope(g, o.name, "split");
  const Output axis = o.axis.In(g, "split_dim", DType::kInt32, where);
  return Outputs(NodeBuilder(g, "Split", scope.op_name(), where)
                     .Input(axis)
                     .Input(value)
                     .Attr("num_split", num)
                     .BuildNode(),
                 num);
}

std::vector<Output> SplitV(Output value, IntArg sizes, IntArg axis, SplitVOptions o,
                           Location where) {
  if (!value.valid() || !sizes.valid() || !axis.valid()) return {};
  Graph& g = *value.graph();
  const Output sizes_tensor = sizes.In(g, "Const", DType::kInt32, where);
  int64_t num = o.num.value_or(PartialShape::kUnknown);
  if (!o.num.has_value() && sizes_tensor.shape().rank() == 1) num = sizes_tensor.shape()[0];
  if (num < 1) {
    g.ReportError(InvalidArgument("op 'SplitV' (", where.ToString(),
                                  "): cannot infer num from sizes of shape ",
                                  sizes_tensor.shape().ToString(), "; state it"));
    return {};
  }
  const OpScope scope(g, o.name, "split");
  const Output axis_tensor = axis.In(g, "split_dim", DType::kInt32, where);
  return Outputs(NodeBuilder(g, "SplitV", scope.op_name(), where)
                     .Input(value)
                     .Input(sizes_tensor)
                     .Input(axis_tensor)
                     .Attr("num_split", num)
                     .BuildNode(),
                 num);
}

void DefineSplit(OpRegistry& ops) {
  ops.Define("Split")
      .Attr(AttrDef{.name = "num_split", .kind = AttrKind::kInt, .minimum = 1})
      .TypeAttr("T", kAllTypes)
      .Input("split_dim", "int32")
      .Input("value", "T")
      .OutputList("output", "T", "num_split")
      .Shape(SplitShape)
      .Gradient(SplitGradient)
      .Cpu({.types = {{"T", kMovedTypes}}, .make = MakeSplitCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"split_dim"}})
      .Doc("Equal parts along an axis.");
  ops.Define("SplitV")
      .Attr(AttrDef{.name = "num_split", .kind = AttrKind::kInt, .minimum = 1})
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tlen", kIndexTypes, DType::kInt64)
      .Input("value", "T")
      .Input("size_splits", "Tlen")
      .Input("split_dim", "int32")
      .OutputList("output", "T", "num_split")
      .Shape(SplitVShape)
      .Gradient(SplitVGradient)
      .Cpu({.types = {{"T", kMovedTypes}}, .make = MakeSplitVCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"size_splits", "split_dim"}})
      .Gpu({.types = {{"T", kInt32Only}},
            .host_args = {"value", "size_splits", "split_dim", "output"}})
      .Doc("Parts of stated sizes along an axis.");
}

}  // namespace headrace
