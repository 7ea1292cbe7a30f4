#include "headrace/ops/nn/pool3d.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/pool3d_geometry.h"
#include "headrace/ops/nn/pool3d_kernels.h"

namespace headrace {
namespace {

Status CheckAgrees(const PartialShape& shape, const PartialShape& expected, std::string_view name) {
  if (shape.IsCompatibleWith(expected)) return absl::OkStatus();
  return InvalidArgument(name, " must have shape ", expected.ToString(), ", got ",
                         shape.ToString());
}

Status ForwardShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const Pool3DAttrs attrs, Pool3DAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape shape, attrs.OutputShape(c.input(0)));
  return c.SetOutput(0, shape);
}

template <bool kSecond>
Status MaxGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const Pool3DAttrs attrs, Pool3DAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 5));
  HR_ASSIGN_OR_RETURN(PartialShape pooled, attrs.OutputShape(input));
  HR_RETURN_IF_ERROR(CheckAgrees(c.input(1), pooled, "orig_output"));
  HR_RETURN_IF_ERROR(CheckAgrees(c.input(2), kSecond ? input : pooled, "grad"));
  if constexpr (kSecond) {
    HR_ASSIGN_OR_RETURN(pooled, pooled.MergedWith(c.input(1)));
    return c.SetOutput(0, pooled);
  }
  return c.SetOutput(0, input);
}

Status AvgGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const Pool3DAttrs attrs, Pool3DAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.InputAsShape(0));
  HR_ASSIGN_OR_RETURN(const PartialShape pooled, attrs.OutputShape(input));
  HR_RETURN_IF_ERROR(CheckAgrees(c.input(1), pooled, "grad"));
  return c.SetOutput(0, input.has_rank() ? input : PartialShape::OfRank(5));
}

Pool3DOptions OptionsOf(const AttrMap& attrs) {
  return {.ksize = attrs.Get<AttrValue::Ints>("ksize"),
          .strides = attrs.Get<AttrValue::Ints>("strides"),
          .padding = attrs.Get<std::string>("padding"),
          .data_format = attrs.Get<std::string>("data_format")};
}

Status MaxGradient(GradContext& c) {
  c.Set(0, MaxPool3DGrad(c.input(0), c.output(0), c.grad(), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
// The maxima stay where they are when input or output change a little.
template <Output (*kBack)(Output, Output, Output, Pool3DOptions, Location)>
Status MaxGradGradient(GradContext& c) {
  for (int i : {0, 1}) {
    c.Set(i, Zeros(c.graph(), ShapeOf(c.input(i), {}, c.where()), c.input(i).value_dtype(), {},
                   c.where()));
  }
  c.Set(2, kBack(c.input(0), c.input(1), c.grad(), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
Status AvgGradient(GradContext& c) {
  const Output shape = ShapeOf(c.input(0), {}, c.where());
  c.Set(0, AvgPool3DGrad(shape, c.grad(), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
Status AvgGradGradient(GradContext& c) {
  c.Set(0, StopGradient(c.input(0), {}, c.where()));
  c.Set(1, AvgPool3D(c.grad(), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}

Output BuildPool(std::string_view op, std::initializer_list<Output> inputs, const Pool3DOptions& o,
                 Location where) {
  NodeBuilder builder(op, o.name, where);
  return builder.Inputs(std::span(inputs.begin(), inputs.size()))
      .Attr("ksize", o.ksize)
      .Attr("strides", o.strides)
      .Attr("padding", o.padding)
      .Attr("data_format", o.data_format)
      .Build();
}

}  // namespace

Output MaxPool3D(Output input, Pool3DOptions o, Location where) {
  return BuildPool("MaxPool3D", {input}, o, where);
}
Output AvgPool3D(Output input, Pool3DOptions o, Location where) {
  return BuildPool("AvgPool3D", {input}, o, where);
}
Output MaxPool3DGrad(Output orig_input, Output orig_output, Output grad, Pool3DOptions o,
                     Location where) {
  return BuildPool("MaxPool3DGrad", {orig_input, orig_output, grad}, o, where);
}
Output MaxPool3DGradGrad(Output orig_input, Output orig_output, Output grad, Pool3DOptions o,
                         Location where) {
  return BuildPool("MaxPool3DGradGrad", {orig_input, orig_output, grad}, o, where);
}
Output AvgPool3DGrad(Output orig_input_shape, Output grad, Pool3DOptions o, Location where) {
  return BuildPool("AvgPool3DGrad", {orig_input_shape, grad}, o, where);
}

namespace {

// What the attribute allows; kernels compute float32 alone in TensorFlow on the CPU, and float16 as
// well for devices of other kinds.
constexpr DTypeSet kMaxAttrTypes{DType::kFloat16, DType::kBFloat16, DType::kFloat32};
constexpr DTypeSet kMaxTypes{DType::kFloat16, DType::kFloat32};
constexpr DTypeSet kFloat32Only{DType::kFloat32}, kFloat16Only{DType::kFloat16};

// Attributes in TensorFlow's order.
OpDef& Define(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .Attr({.name = "ksize", .kind = AttrKind::kIntList, .minimum = 5})
      .Attr({.name = "strides", .kind = AttrKind::kIntList, .minimum = 5})
      .StringAttr("padding", {"SAME", "VALID"})
      .StringAttr("data_format", {"NDHWC", "NCDHW"}, "NDHWC");
}

}  // namespace

void DefinePool3D(OpRegistry& ops) {
  Define(ops, "MaxPool3D")
      .TypeAttr("T", kMaxAttrTypes)
      .Input("input", "T")
      .Output("output", "T")
      .Shape(ForwardShape)
      .Gradient(MaxGradient)
      .Cpu({.types = {{"T", kMaxTypes}}, .make = MakeMaxPool3DCpu})
      .Gpu({.types = {{"T", kMaxTypes}}})
      .Doc("The largest element of each window of a volume.");
  Define(ops, "MaxPool3DGrad")
      .TypeAttr("T", kMaxAttrTypes, DType::kFloat32)
      .TypeAttr("TInput", kMaxAttrTypes, DType::kFloat32)
      .Input("orig_input", "TInput")
      .Input("orig_output", "TInput")
      .Input("grad", "T")
      .Output("output", "T")
      .Shape(MaxGradShape<false>)
      .Gradient(MaxGradGradient<MaxPool3DGradGrad>)
      .Cpu({.types = {{"T", kFloat32Only}, {"TInput", kFloat32Only}}, .make = MakeMaxPool3DGradCpu})
      .Cpu({.types = {{"T", kFloat16Only}, {"TInput", kFloat16Only}}, .make = MakeMaxPool3DGradCpu})
      .Gpu({.types = {{"T", kFloat32Only}, {"TInput", kFloat32Only}}})
      .Gpu({.types = {{"T", kFloat16Only}, {"TInput", kFloat16Only}}})
      .Doc("Gradient of MaxPool3D.");
  Define(ops, "MaxPool3DGradGrad")
      .TypeAttr("T", kRealTypes)
      .Input("orig_input", "T")
      .Input("orig_output", "T")
      .Input("grad", "T")
      .Output("output", "T")
      .Shape(MaxGradShape<true>)
      .Gradient(MaxGradGradient<MaxPool3DGrad>)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeMaxPool3DGradGradCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Of a gradient, what lies where each window of a volume has its largest element.");
  Define(ops, "AvgPool3D")
      .TypeAttr("T", kFloatTypes)
      .Input("input", "T")
      .Output("output", "T")
      .Shape(ForwardShape)
      .Gradient(AvgGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeAvgPool3DCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("The mean of each window of a volume.");
  Define(ops, "AvgPool3DGrad")
      .TypeAttr("T", kFloatTypes)
      .Input("orig_input_shape", "int32")
      .Input("grad", "T")
      .Output("output", "T")
      .Shape(AvgGradShape)
      .Gradient(AvgGradGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeAvgPool3DGradCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"orig_input_shape"}})
      .Doc("Gradient of AvgPool3D.");
}

}  // namespace headrace
