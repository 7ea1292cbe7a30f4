#include "headrace/ops/nn/bias_add.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/tile.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/bias_add_kernels.h"

namespace headrace {
namespace {

bool ChannelsFirst(const AttrMap& attrs) {
  return attrs.GetOr<std::string>("data_format", "NHWC") == "NCHW";
}

Status BiasAddShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape value, c.WithRankAtLeast(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape bias, c.WithRank(1, 1));
  if (!value.has_rank()) return c.SetOutput(0, value);
  const int channel = ChannelsFirst(c.attrs()) ? 1 : value.rank() - 1;
  HR_RETURN_IF_ERROR(
      c.CheckEqualDims(value[channel], bias[0], "channels of the input", "number of biases"));
  if (value[channel] < 0) value.set_dim(channel, bias[0]);
  return c.SetOutput(0, value);
}

Status BiasAddGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape in, c.WithRankAtLeast(0, 2));
  if (!in.has_rank()) return c.SetOutput(0, PartialShape::OfRank(1));
  return c.SetOutput(0, {in[ChannelsFirst(c.attrs()) ? 1 : in.rank() - 1]});
}

Status BiasAddGradient(GradContext& c) {
  c.Set(0, c.grad());
  c.Set(1, BiasAddGrad(c.grad(), {.data_format = c.attrs().Get<std::string>("data_format")},
                       c.where()));
  return absl::OkStatus();
}

Status BiasAddV1Gradient(GradContext& c) {
  c.Set(0, c.grad());
  const Output rank = Rank(c.grad(), {}, c.where());
  const Output last = Sub(rank, 1, {.name = "sub"}, c.where());
  c.Set(1, ReduceSum(c.grad(), Range(c.graph(), 0, last, 1, {}, c.where()), {}, c.where()));
  return absl::OkStatus();
}

// The sum's gradient is the same for all that was summed: the vector, reshaped to [1, ..., C] and
// repeated.
Status BiasAddGradGradient(GradContext& c) {
  const Location where = c.where();
  const Output shape = ShapeOf(c.input(0), {}, where);
  const Output bias_shape = ShapeOf(c.grad(), {}, where);
  const auto part = [&](SliceIndex index) { return At(shape, {std::move(index)}, {}, where); };
  const auto one = [&] {
    return Const(c.graph(), {int32_t{1}}, {.name = "concat_1/values_1"}, where);
  };
  Output expanded, multiples;
  if (ChannelsFirst(c.attrs())) {
    const Output batch = OnesLike(part(SliceIndex::To(1)), {}, where);
    const Output rest = OnesLike(part(SliceIndex::From(2)), {}, where);
    expanded = Concat({batch, bias_shape, rest}, 0, {}, where);
    const Output outer = part(SliceIndex::To(1));
    const Output inner = part(SliceIndex::From(2));
    multiples = Concat({outer, one(), inner}, 0, {}, where);
  } else {
    expanded = Concat({OnesLike(part(SliceIndex::To(-1)), {}, where), bias_shape}, 0, {}, where);
    const Output outer = part(SliceIndex::To(-1));
    multiples = Concat({outer, one()}, 0, {}, where);
  }
  c.Set(0, Tile(Reshape(c.grad(), expanded, {}, where), multiples, {}, where));
  return absl::OkStatus();
}

}  // namespace

Output BiasAdd(Output value, Output bias, BiasAddOptions o, Location where) {
  return NodeBuilder("BiasAdd", o.name, where)
      .Input(value)
      .Input(bias)
      .Attr("data_format", o.data_format)
      .Build();
}
Output BiasAddGrad(Output out_backprop, BiasAddOptions o, Location where) {
  return NodeBuilder("BiasAddGrad", o.name, where)
      .Input(out_backprop)
      .Attr("data_format", o.data_format)
      .Build();
}
Output BiasAddV1(Output value, Output bias, OpOptions o, Location where) {
  return NodeBuilder("BiasAddV1", o.name, where).Input(value).Input(bias).Build();
}

void DefineBiasAdd(OpRegistry& ops) {
  for (const bool v1 : {false, true}) {
    OpDef& op = ops.Define(v1 ? "BiasAddV1" : "BiasAdd");
    op.TypeAttr("T", kAttrNumberTypes);
    if (!v1) op.StringAttr("data_format", {"NHWC", "NCHW"}, "NHWC");
    op.Input("value", "T")
        .Input("bias", "T")
        .Output("output", "T")
        .Shape(BiasAddShape)
        .Gradient(v1 ? BiasAddV1Gradient : BiasAddGradient)
        .InPlace(0, 0)
        .Cpu({.types = {{"T", kCpuNumberTypes}}, .make = MakeBiasAddCpu})
        .Gpu({.types = {{"T", kGpuFloatTypes | kOnlyInt32}}})
        .Doc("A number for each channel, added everywhere.");
  }
  ops.Define("BiasAddGrad")
      .TypeAttr("T", kAttrNumberTypes)
      .StringAttr("data_format", {"NHWC", "NCHW"}, "NHWC")
      .Input("out_backprop", "T")
      .Output("output", "T")
      .Shape(BiasAddGradShape)
      .Gradient(BiasAddGradGradient)
      .Cpu({.types = {{"T", kCpuNumberTypes}}, .make = MakeBiasAddGradCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Sum over all dimensions but that of the channels: the gradient of a bias.");
}

}  // namespace headrace
