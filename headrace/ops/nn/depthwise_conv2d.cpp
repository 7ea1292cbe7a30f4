#include "headrace/ops/nn/depthwise_conv2d.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/conv_geometry.h"
#include "headrace/ops/nn/depthwise_conv2d_kernels.h"

namespace headrace {
namespace {

Status ForwardShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const ConvAttrs attrs, ConvAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 4));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(input[attrs.channel_dim()], filter[2],
                                      "channels of the input", "channels of the filter"));
  const int64_t channels = filter[2] >= 0 ? filter[2] : input[attrs.channel_dim()];
  std::array<int64_t, 2> out;
  for (int i = 0; i < 2; ++i) {
    Window window{.in = input[attrs.spatial_dim(i)],
                  .filter = filter[i],
                  .stride = attrs.stride[i],
                  .dilation = attrs.dilation[i]};
    HR_RETURN_IF_ERROR(window.Resolve(attrs.padding));
    out[i] = window.out;
  }
  const int64_t depth = channels >= 0 && filter[3] >= 0 ? channels * filter[3] : -1;
  return c.SetOutput(0, attrs.Layout(input[0], depth, out[0], out[1]));
}

// The shape that input `i` states.
template <int kInput>
Status StatedShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(ConvAttrs::From(c.attrs()).status());
  HR_ASSIGN_OR_RETURN(const PartialShape sizes, c.InputAsShape(kInput));
  if (sizes.has_rank() && sizes.rank() != 4)
    return InvalidArgument("sizes must have 4 elements, got shape ", sizes.ToString());
  return c.SetOutput(0, sizes.has_rank() ? sizes : PartialShape::OfRank(4));
}

DepthwiseConv2dOptions OptionsOf(const AttrMap& attrs) {
  return {.strides = attrs.Get<AttrValue::Ints>("strides"),
          .padding = attrs.Get<std::string>("padding"),
          .data_format = attrs.Get<std::string>("data_format"),
          .dilations = attrs.Get<AttrValue::Ints>("dilations")};
}

Status ForwardGradient(GradContext& c) {
  const Location where = c.where();
  const DepthwiseConv2dOptions o = OptionsOf(c.attrs());
  c.Set(0, DepthwiseConv2dNativeBackpropInput(ShapeOf(c.input(0), {}, where), c.input(1), c.grad(),
                                              o, where));
  c.Set(1, DepthwiseConv2dNativeBackpropFilter(c.input(0), ShapeOf(c.input(1), {}, where), c.grad(),
                                               o, where));
  return absl::OkStatus();
}
Status BackpropInputGradient(GradContext& c) {
  const Location where = c.where();
  const DepthwiseConv2dOptions o = OptionsOf(c.attrs());
  c.Set(1, DepthwiseConv2dNativeBackpropFilter(c.grad(), ShapeOf(c.input(1), {}, where), c.input(2),
                                               o, where));
  c.Set(2, DepthwiseConv2dNative(c.grad(), c.input(1), o, where));
  return absl::OkStatus();
}
Status BackpropFilterGradient(GradContext& c) {
  const Location where = c.where();
  const DepthwiseConv2dOptions o = OptionsOf(c.attrs());
  c.Set(0, DepthwiseConv2dNativeBackpropInput(ShapeOf(c.input(0), {}, where), c.grad(), c.input(2),
                                              o, where));
  c.Set(2, DepthwiseConv2dNative(c.input(0), c.grad(), o, where));
  return absl::OkStatus();
}

Output BuildDepthwise(std::string_view op, std::initializer_list<Output> inputs,
                      const DepthwiseConv2dOptions& o, Location where) {
  return NodeBuilder(op, o.name, where)
      .Inputs(std::span(inputs.begin(), inputs.size()))
      .Attr("strides", o.strides)
      .Attr("padding", o.padding)
      .Attr("data_format", o.data_format)
      .Attr("dilations", o.dilations)
      .Build();
}

OpDef& DefineDepthwise(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .TypeAttr("T", kFloatTypes)
      .Attr({.name = "strides", .kind = AttrKind::kIntList})
      .StringAttr("padding", {"SAME", "VALID"})
      .StringAttr("data_format", {"NHWC", "NCHW"}, "NHWC")
      .Attr("dilations", AttrValue::Ints{1, 1, 1, 1});
}

}  // namespace

Output DepthwiseConv2dNative(Output input, Output filter, DepthwiseConv2dOptions o,
                             Location where) {
  return BuildDepthwise("DepthwiseConv2dNative", {input, filter}, o, where);
}
Output DepthwiseConv2dNativeBackpropInput(Output input_sizes, Output filter, Output out_backprop,
                                          DepthwiseConv2dOptions o, Location where) {
  return BuildDepthwise("DepthwiseConv2dNativeBackpropInput", {input_sizes, filter, out_backprop},
                        o, where);
}
Output DepthwiseConv2dNativeBackpropFilter(Output input, Output filter_sizes, Output out_backprop,
                                           DepthwiseConv2dOptions o, Location where) {
  return BuildDepthwise("DepthwiseConv2dNativeBackpropFilter", {input, filter_sizes, out_backprop},
                        o, where);
}

void DefineDepthwiseConv2d(OpRegistry& ops) {
  DefineDepthwise(ops, "DepthwiseConv2dNative")
      .Input("input", "T")
      .Input("filter", "T")
      .Output("output", "T")
      .Shape(ForwardShape)
      .Gradient(ForwardGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeDepthwiseConv2dCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Convolution of each channel with filters of its own.");
  DefineDepthwise(ops, "DepthwiseConv2dNativeBackpropInput")
      .Input("input_sizes", "int32")
      .Input("filter", "T")
      .Input("out_backprop", "T")
      .Output("output", "T")
      .Shape(StatedShape<0>)
      .Gradient(BackpropInputGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeDepthwiseConv2dBackpropInputCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"input_sizes"}})
      .Doc("Gradient of DepthwiseConv2dNative by its input.");
  DefineDepthwise(ops, "DepthwiseConv2dNativeBackpropFilter")
      .Input("input", "T")
      .Input("filter_sizes", "int32")
      .Input("out_backprop", "T")
      .Output("output", "T")
      .Shape(StatedShape<1>)
      .Gradient(BackpropFilterGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeDepthwiseConv2dBackpropFilterCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"filter_sizes"}})
      .Doc("Gradient of DepthwiseConv2dNative by its filter.");
}

}  // namespace headrace
