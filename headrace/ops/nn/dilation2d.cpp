#include "headrace/ops/nn/dilation2d.h"

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/dilation2d_kernels.h"

namespace headrace {
namespace {

StatusOr<std::array<int64_t, 2>> SpatialPair(const AttrMap& attrs, std::string_view name) {
  const AttrValue::Ints list = attrs.Get<AttrValue::Ints>(name);
  if (list.size() != 4) {
    return InvalidArgument("Dilation2D requires the ", name,
                           " attribute to contain 4 values, but got: ", list.size());
  }
  if (list[0] != 1 || list[3] != 1) {
    return Unimplemented(name == "rates" ? "Rate" : "Stride",
                         " is only supported across spatial dimensions, got [", StrJoin(list, ","),
                         "]");
  }
  if (list[1] < 1 || list[2] < 1)
    return InvalidArgument(name, " must be positive, got [", StrJoin(list, ","), "]");
  return std::array<int64_t, 2>{list[1], list[2]};
}

}  // namespace

StatusOr<DilationAttrs> DilationAttrs::From(const AttrMap& attrs) {
  DilationAttrs result;
  HR_ASSIGN_OR_RETURN(result.padding, ParsePadding(attrs.Get<std::string>("padding")));
  HR_ASSIGN_OR_RETURN(result.stride, SpatialPair(attrs, "strides"));
  HR_ASSIGN_OR_RETURN(result.rate, SpatialPair(attrs, "rates"));
  return result;
}

StatusOr<Window> DilationAttrs::WindowOf(int i, int64_t in, int64_t filter) const {
  Window window{.in = in, .filter = filter, .stride = stride[i], .dilation = rate[i]};
  HR_RETURN_IF_ERROR(window.Resolve(padding, TooLarge::kEmpty));
  return window;
}

namespace {

StatusOr<PartialShape> OutputShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const DilationAttrs attrs, DilationAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(const PartialShape filter, c.WithRank(1, 3));
  HR_RETURN_IF_ERROR(
      c.CheckEqualDims(input[3], filter[2], "channels of the input", "channels of the filter"));
  PartialShape out{input[0], -1, -1, input[3] < 0 ? filter[2] : input[3]};
  for (int i = 0; i < 2; ++i) {
    HR_ASSIGN_OR_RETURN(const Window window, attrs.WindowOf(i, input[1 + i], filter[i]));
    out.set_dim(1 + i, window.out);
  }
  return out;
}

Status ForwardShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape out, OutputShape(c));
  return c.SetOutput(0, out);
}

template <int kOf>
Status BackwardShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape out, OutputShape(c));
  if (!c.input(2).IsCompatibleWith(out)) {
    return InvalidArgument("out_backprop must have shape ", out.ToString(), ", got ",
                           c.input(2).ToString());
  }
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(kOf, kOf == 0 ? 4 : 3));
  return c.SetOutput(0, shape);
}

Status DilationGradient(GradContext& c) {
  const Dilation2DOptions o{.strides = c.attrs().Get<AttrValue::Ints>("strides"),
                            .rates = c.attrs().Get<AttrValue::Ints>("rates"),
                            .padding = c.attrs().Get<std::string>("padding")};
  c.Set(0, Dilation2DBackpropInput(c.input(0), c.input(1), c.grad(), o, c.where()));
  c.Set(1, Dilation2DBackpropFilter(c.input(0), c.input(1), c.grad(), o, c.where()));
  return absl::OkStatus();
}

Output BuildNode(std::string_view op, std::initializer_list<Output> inputs,
                 const Dilation2DOptions& o, Location where) {
  NodeBuilder builder(op, o.name, where);
  return builder.Inputs(std::span(inputs.begin(), inputs.size()))
      .Attr("strides", o.strides)
      .Attr("rates", o.rates)
      .Attr("padding", o.padding)
      .Build();
}

OpDef& Define(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .TypeAttr("T", kRealTypes)
      .Attr({.name = "strides", .kind = AttrKind::kIntList, .minimum = 4})
      .Attr({.name = "rates", .kind = AttrKind::kIntList, .minimum = 4})
      .StringAttr("padding", {"SAME", "VALID"})
      .Input("input", "T")
      .Input("filter", "T")
      .Gpu({.types = {{"T", kGpuFloatTypes}}});
}

}  // namespace

Output Dilation2D(Output input, Output filter, Dilation2DOptions o, Location where) {
  return BuildNode("Dilation2D", {input, filter}, o, where);
}
Output Dilation2DBackpropInput(Output input, Output filter, Output out_backprop,
                               Dilation2DOptions o, Location where) {
  return BuildNode("Dilation2DBackpropInput", {input, filter, out_backprop}, o, where);
}
Output Dilation2DBackpropFilter(Output input, Output filter, Output out_backprop,
                                Dilation2DOptions o, Location where) {
  return BuildNode("Dilation2DBackpropFilter", {input, filter, out_backprop}, o, where);
}

void DefineDilation2D(OpRegistry& ops) {
  Define(ops, "Dilation2D")
      .Output("output", "T")
      .Shape(ForwardShape)
      .Gradient(DilationGradient)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeDilation2DCpu})
      .Doc("The largest sum of image and filter in each window.");
  Define(ops, "Dilation2DBackpropInput")
      .Input("out_backprop", "T")
      .Output("in_backprop", "T")
      .Shape(BackwardShape<0>)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeDilation2DBackpropInputCpu})
      .Doc("Gradient of Dilation2D by its input.");
  Define(ops, "Dilation2DBackpropFilter")
      .Input("out_backprop", "T")
      .Output("filter_backprop", "T")
      .Shape(BackwardShape<1>)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeDilation2DBackpropFilterCpu})
      .Doc("Gradient of Dilation2D by its filter.");
}

}  // namespace headrace
