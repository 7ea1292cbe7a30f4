#include "headrace/ops/nn/conv3d.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/conv3d_geometry.h"
#include "headrace/ops/nn/conv3d_kernels.h"

namespace headrace {
namespace {

Status ForwardShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const Conv3DAttrs attrs, Conv3DAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 5));
  HR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 5));
  const int64_t depth = input[attrs.channel_dim()];
  if (depth >= 0 && filter[3] >= 0 && (filter[3] == 0 ? depth != 0 : depth % filter[3] != 0)) {
    return InvalidArgument("Depth of input (", depth,
                           ") is not a multiple of input depth of filter (", filter[3], ")");
  }
  std::array<int64_t, 3> out;
  for (int i = 0; i < 3; ++i) {
    HR_ASSIGN_OR_RETURN(const Window window,
                        attrs.WindowOf(i, input[attrs.spatial_dim(i)], filter[i]));
    out[i] = window.out;
  }
  return c.SetOutput(0, attrs.Layout(input[0], filter[4], out));
}

// The shape of the gradient by input i: what its sizes state, or what it has.
StatusOr<PartialShape> WantedShape(ShapeContext& c, int i) {
  PartialShape shape = c.input(i);
  if (c.node().op_name().ends_with("V2")) {
    HR_ASSIGN_OR_RETURN(shape, c.InputAsShape(i));
  }
  if (shape.has_rank() && shape.rank() != 5) {
    return InvalidArgument(i == 0 ? "the input" : "the filter", " must have 5 dimensions, got ",
                           shape.ToString());
  }
  return shape;
}

Status BackpropInputShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const Conv3DAttrs attrs, Conv3DAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(PartialShape wanted, WantedShape(c, 0));
  HR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 5));
  HR_ASSIGN_OR_RETURN(const PartialShape grad, c.WithRank(2, 5));
  HR_ASSIGN_OR_RETURN(wanted, wanted.MergedWith(attrs.Layout(grad[0], filter[3], {-1, -1, -1})));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(grad[attrs.channel_dim()], filter[4],
                                      "channels of out_backprop", "out channels of the filter"));
  return c.SetOutput(0, wanted);
}

Status BackpropFilterShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const Conv3DAttrs attrs, Conv3DAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 5));
  HR_ASSIGN_OR_RETURN(PartialShape wanted, WantedShape(c, 1));
  HR_ASSIGN_OR_RETURN(const PartialShape grad, c.WithRank(2, 5));
  HR_ASSIGN_OR_RETURN(wanted, wanted.MergedWith({-1, -1, -1, input[attrs.channel_dim()],
                                                 grad[attrs.channel_dim()]}));
  HR_RETURN_IF_ERROR(
      c.CheckEqualDims(input[0], grad[0], "batch of the input", "batch of out_backprop"));
  return c.SetOutput(0, wanted);
}

// The attributes of a convolution, for another one that belongs to it.
Conv3DOptions OptionsOf(const AttrMap& attrs) {
  return {.strides = attrs.Get<AttrValue::Ints>("strides"),
          .padding = attrs.Get<std::string>("padding"),
          .data_format = attrs.GetOr<std::string>("data_format", "NDHWC"),
          .dilations = attrs.Get<AttrValue::Ints>("dilations")};
}

Status Conv3DGradient(GradContext& c) {
  const Location where = c.where();
  const Output input = ShapeOf(c.input(0), {}, where);
  c.Set(0, Conv3DBackpropInput(input, c.input(1), c.grad(), OptionsOf(c.attrs()), where));
  const Output filter = ShapeOf(c.input(1), {}, where);
  c.Set(1, Conv3DBackpropFilter(c.input(0), filter, c.grad(), OptionsOf(c.attrs()), where));
  return absl::OkStatus();
}

Status BackpropInputGradient(GradContext& c) {
  const Location where = c.where();
  const Output filter_shape = ShapeOf(c.input(1), {}, where);
  c.Set(1, Conv3DBackpropFilter(c.grad(), filter_shape, c.input(2), OptionsOf(c.attrs()), where));
  c.Set(2, Conv3D(c.grad(), c.input(1), OptionsOf(c.attrs()), where));
  return absl::OkStatus();
}

Status BackpropFilterGradient(GradContext& c) {
  const Location where = c.where();
  const Output input_shape = ShapeOf(c.input(0), {}, where);
  c.Set(0, Conv3DBackpropInput(input_shape, c.grad(), c.input(2), OptionsOf(c.attrs()), where));
  c.Set(2, Conv3D(c.input(0), c.grad(), OptionsOf(c.attrs()), where));
  return absl::OkStatus();
}

Output BuildConv(std::string_view op, std::initializer_list<Output> inputs, const Conv3DOptions& o,
                 std::string_view name, Location where) {
  NodeBuilder builder(op, name, where);
  return builder.Inputs(std::span(inputs.begin(), inputs.size()))
      .Attr("strides", o.strides)
      .Attr("padding", o.padding)
      .Attr("data_format", o.data_format)
      .Attr("dilations", o.dilations)
      .Build();
}

}  // namespace

Output Conv3D(Output input, Output filter, Conv3DOptions o, Location where) {
  return BuildConv("Conv3D", {input, filter}, o, o.name, where);
}

Output Conv3DBackpropInput(IntArg input_sizes, Output filter, Output out_backprop, Conv3DOptions o,
                           Location where) {
  if (!filter.valid()) return {};
  if (input_sizes.is_output()) {
    return BuildConv("Conv3DBackpropInputV2", {input_sizes.output(), filter, out_backprop}, o,
                     o.name, where);
  }
  Graph& g = *filter.graph();
  const OpScope scope(g, o.name, "Conv3DBackpropInputV2");
  const Output sizes = input_sizes.In(g, "input_sizes", DType::kInt32, where);
  return BuildConv("Conv3DBackpropInputV2", {sizes, filter, out_backprop}, o, scope.op_name(),
                   where);
}

Output Conv3DBackpropFilter(Output input, IntArg filter_sizes, Output out_backprop, Conv3DOptions o,
                            Location where) {
  if (!input.valid()) return {};
  if (filter_sizes.is_output()) {
    return BuildConv("Conv3DBackpropFilterV2", {input, filter_sizes.output(), out_backprop}, o,
                     o.name, where);
  }
  Graph& g = *input.graph();
  const OpScope scope(g, o.name, "Conv3DBackpropFilterV2");
  const Output sizes = filter_sizes.In(g, "filter_sizes", DType::kInt32, where);
  return BuildConv("Conv3DBackpropFilterV2", {input, sizes, out_backprop}, o, scope.op_name(),
                   where);
}

namespace {

OpDef& DefineConv(OpRegistry& ops, std::string_view name, bool first_version = false) {
  OpDef& op = ops.Define(name);
  op.TypeAttr("T", first_version ? kIeeeFloats : kFloatTypes)
      .Attr({.name = "strides", .kind = AttrKind::kIntList, .minimum = 5})
      .StringAttr("padding", {"SAME", "VALID"});
  if (!first_version) op.StringAttr("data_format", {"NDHWC", "NCDHW"}, "NDHWC");
  return op.Attr("dilations", AttrValue::Ints{1, 1, 1, 1, 1});
}

}  // namespace

void DefineConv3D(OpRegistry& ops) {
  DefineConv(ops, "Conv3D")
      .Input("input", "T")
      .Input("filter", "T")
      .Output("output", "T")
      .Shape(ForwardShape)
      .Gradient(Conv3DGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeConv3DCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Convolution of volumes with a filter.");
  for (const bool v2 : {false, true}) {
    OpDef& to_input = DefineConv(ops, v2 ? "Conv3DBackpropInputV2" : "Conv3DBackpropInput", !v2);
    if (v2) to_input.TypeAttr("Tshape", kIndexTypes, DType::kInt32);
    to_input.Input(v2 ? "input_sizes" : "input", v2 ? "Tshape" : "T")
        .Input("filter", "T")
        .Input("out_backprop", "T")
        .Output("output", "T")
        .Shape(BackpropInputShape)
        .Gradient(BackpropInputGradient)
        .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeConv3DBackpropInputCpu})
        .Gpu({.types = {{"T", kGpuFloatTypes}},
              .host_args =
                  v2 ? std::vector<std::string>{"input_sizes"} : std::vector<std::string>{}})
        .Doc("Gradient of Conv3D by its input.");
    DefineConv(ops, v2 ? "Conv3DBackpropFilterV2" : "Conv3DBackpropFilter", !v2)
        .Input("input", "T")
        .Input(v2 ? "filter_sizes" : "filter", v2 ? "int32" : "T")
        .Input("out_backprop", "T")
        .Output("output", "T")
        .Shape(BackpropFilterShape)
        .Gradient(BackpropFilterGradient)
        .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeConv3DBackpropFilterCpu})
        .Gpu({.types = {{"T", kGpuFloatTypes}},
              .host_args =
                  v2 ? std::vector<std::string>{"filter_sizes"} : std::vector<std::string>{}})
        .Doc("Gradient of Conv3D by its filter.");
  }
}

}  // namespace headrace
