#include "headrace/ops/nn/conv2d.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/conv2d_kernels.h"
#include "headrace/ops/nn/conv_geometry.h"

namespace headrace {
namespace {

Status Conv2DShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const ConvAttrs attrs, ConvAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 4));
  const int64_t depth = input[attrs.channel_dim()];
  if (depth >= 0 && filter[2] >= 0 && (filter[2] == 0 ? depth != 0 : depth % filter[2] != 0)) {
    return InvalidArgument("Depth of input (", depth,
                           ") is not a multiple of input depth of filter (", filter[2], ")");
  }
  std::array<int64_t, 2> out;
  for (int i = 0; i < 2; ++i) {
    Window window{.in = input[attrs.spatial_dim(i)],
                  .filter = filter[i],
                  .stride = attrs.stride[i],
                  .dilation = attrs.dilation[i],
                  .pad_before = attrs.pad_before[i],
                  .pad_after = attrs.pad_after[i]};
    HR_RETURN_IF_ERROR(window.Resolve(attrs.padding));
    out[i] = window.out;
  }
  return c.SetOutput(0, attrs.Layout(input[0], filter[3], out[0], out[1]));
}

// The result has the shape that input `i` states; what the other inputs tell is used where that is
// not known.
Status BackpropInputShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const ConvAttrs attrs, ConvAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(PartialShape sizes, c.InputAsShape(0));
  HR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 4));
  HR_ASSIGN_OR_RETURN(const PartialShape grad, c.WithRank(2, 4));
  if (sizes.has_rank() && sizes.rank() != 4) {
    return InvalidArgument("input_sizes must have 4 elements, got shape ", sizes.ToString());
  }
  HR_ASSIGN_OR_RETURN(sizes, sizes.MergedWith(attrs.Layout(grad[0], filter[2], -1, -1)));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(grad[attrs.channel_dim()], filter[3],
                                      "channels of out_backprop", "out channels of the filter"));
  return c.SetOutput(0, sizes);
}

Status BackpropFilterShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const ConvAttrs attrs, ConvAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(PartialShape sizes, c.InputAsShape(1));
  HR_ASSIGN_OR_RETURN(const PartialShape grad, c.WithRank(2, 4));
  if (sizes.has_rank() && sizes.rank() != 4) {
    return InvalidArgument("filter_sizes must have 4 elements, got shape ", sizes.ToString());
  }
  HR_ASSIGN_OR_RETURN(
      sizes, sizes.MergedWith({-1, -1, input[attrs.channel_dim()], grad[attrs.channel_dim()]}));
  HR_RETURN_IF_ERROR(
      c.CheckEqualDims(input[0], grad[0], "batch of the input", "batch of out_backprop"));
  return c.SetOutput(0, sizes);
}

// The attributes of a convolution, for another one that belongs to it.
Conv2DOptions OptionsOf(const AttrMap& attrs) {
  return {.strides = attrs.Get<AttrValue::Ints>("strides"),
          .padding = attrs.Get<std::string>("padding"),
          .explicit_paddings = attrs.Get<AttrValue::Ints>("explicit_paddings"),
          .data_format = attrs.Get<std::string>("data_format"),
          .dilations = attrs.Get<AttrValue::Ints>("dilations"),
          .use_cudnn_on_gpu = attrs.Get<bool>("use_cudnn_on_gpu")};
}

Status Conv2DGradient(GradContext& c) {
  const Location where = c.where();
  const Output inputs[] = {c.input(0), c.input(1)};
  const std::vector<Output> shapes = ShapeN(inputs, {}, where);
  if (shapes.size() != 2) return absl::OkStatus();  // the graph holds the error
  c.Set(0, Conv2DBackpropInput(shapes[0], c.input(1), c.grad(), OptionsOf(c.attrs()), where));
  c.Set(1, Conv2DBackpropFilter(c.input(0), shapes[1], c.grad(), OptionsOf(c.attrs()), where));
  return absl::OkStatus();
}

Status BackpropInputGradient(GradContext& c) {
  const Location where = c.where();
  const Output filter_shape = ShapeOf(c.input(1), {}, where);
  c.Set(1, Conv2DBackpropFilter(c.grad(), filter_shape, c.input(2), OptionsOf(c.attrs()), where));
  c.Set(2, Conv2D(c.grad(), c.input(1), OptionsOf(c.attrs()), where));
  return absl::OkStatus();
}

Status BackpropFilterGradient(GradContext& c) {
  const Location where = c.where();
  const Output input_shape = ShapeOf(c.input(0), {}, where);
  c.Set(0, Conv2DBackpropInput(input_shape, c.grad(), c.input(2), OptionsOf(c.attrs()), where));
  c.Set(2, Conv2D(c.input(0), c.grad(), OptionsOf(c.attrs()), where));
  return absl::OkStatus();
}

NodeBuilder& SetAttrs(NodeBuilder& builder, const Conv2DOptions& o) {
  return builder.Attr("strides", o.strides)
      .Attr("use_cudnn_on_gpu", o.use_cudnn_on_gpu)
      .Attr("padding", o.padding)
      .Attr("explicit_paddings", o.explicit_paddings)
      .Attr("data_format", o.data_format)
      .Attr("dilations", o.dilations);
}

}  // namespace

Output Conv2D(Output input, Output filter, Conv2DOptions o, Location where) {
  NodeBuilder builder("Conv2D", o.name, where);
  return SetAttrs(builder.Input(input).Input(filter), o).Build();
}

Output Conv2DBackpropInput(IntArg input_sizes, Output filter, Output out_backprop, Conv2DOptions o,
                           Location where) {
  if (!filter.valid()) return {};
  Graph& g = *filter.graph();
  if (input_sizes.is_output()) {
    NodeBuilder builder(g, "Conv2DBackpropInput", o.name, where);
    return SetAttrs(builder.Input(input_sizes.output()).Input(filter).Input(out_backprop), o)
        .Build();
  }
  const OpScope scope(g, o.name, "Conv2DBackpropInput");
  const Output sizes = input_sizes.In(g, "input_sizes", DType::kInt32, where);
  NodeBuilder builder(g, "Conv2DBackpropInput", scope.op_name(), where);
  return SetAttrs(builder.Input(sizes).Input(filter).Input(out_backprop), o).Build();
}

Output Conv2DBackpropFilter(Output input, IntArg filter_sizes, Output out_backprop, Conv2DOptions o,
                            Location where) {
  if (!input.valid()) return {};
  Graph& g = *input.graph();
  if (filter_sizes.is_output()) {
    NodeBuilder builder(g, "Conv2DBackpropFilter", o.name, where);
    return SetAttrs(builder.Input(input).Input(filter_sizes.output()).Input(out_backprop), o)
        .Build();
  }
  const OpScope scope(g, o.name, "Conv2DBackpropFilter");
  const Output sizes = filter_sizes.In(g, "filter_sizes", DType::kInt32, where);
  NodeBuilder builder(g, "Conv2DBackpropFilter", scope.op_name(), where);
  return SetAttrs(builder.Input(input).Input(sizes).Input(out_backprop), o).Build();
}

namespace {

// What the three ops have in common.
OpDef& DefineConv(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .TypeAttr("T", kFloatTypes)
      .Attr({.name = "strides", .kind = AttrKind::kIntList})
      .Attr("use_cudnn_on_gpu", true)
      .StringAttr("padding", {"SAME", "VALID", "EXPLICIT"})
      .Attr("explicit_paddings", AttrValue::Ints{})
      .StringAttr("data_format", {"NHWC", "NCHW"}, "NHWC")
      .Attr("dilations", AttrValue::Ints{1, 1, 1, 1});
}

}  // namespace

void DefineConv2D(OpRegistry& ops) {
  DefineConv(ops, "Conv2D")
      .Input("input", "T")
      .Input("filter", "T")
      .Output("output", "T")
      .Shape(Conv2DShape)
      .Gradient(Conv2DGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeConv2DCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Convolution of images with a filter.");
  DefineConv(ops, "Conv2DBackpropInput")
      .Input("input_sizes", "int32")
      .Input("filter", "T")
      .Input("out_backprop", "T")
      .Output("output", "T")
      .Shape(BackpropInputShape)
      .Gradient(BackpropInputGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeConv2DBackpropInputCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"input_sizes"}})
      .Doc("Gradient of Conv2D by its input.");
  DefineConv(ops, "Conv2DBackpropFilter")
      .Input("input", "T")
      .Input("filter_sizes", "int32")
      .Input("out_backprop", "T")
      .Output("output", "T")
      .Shape(BackpropFilterShape)
      .Gradient(BackpropFilterGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeConv2DBackpropFilterCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"filter_sizes"}})
      .Doc("Gradient of Conv2D by its filter.");
}

}  // namespace headrace
