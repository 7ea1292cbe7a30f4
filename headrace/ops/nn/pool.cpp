#include "headrace/ops/nn/pool.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/pool_geometry.h"
#include "headrace/ops/nn/pool_kernels.h"

namespace headrace {
namespace {

Status PoolOutputShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolAttrs::From(c.attrs()));
  HR_ASSIGN_OR_RETURN(const PartialShape shape, attrs.OutputShape(c.input(0)));
  return c.SetOutput(0, shape);
}

Status AvgPoolShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolAttrs::From(c.attrs()));
  if (attrs.depth_size != 1) return Unimplemented("AvgPool does not support pooling over channels");
  return PoolOutputShape(c);
}

// ksize and strides as inputs `first` and `first + 1`; rank 4 without dimensions where they are not
// known.
Status PoolV2Shape(ShapeContext& c, int first) {
  const auto ksize = c.InputAsInts(first), strides = c.InputAsInts(first + 1);
  if (!ksize.has_value() || !strides.has_value()) return c.SetOutput(0, PartialShape::OfRank(4));
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolAttrs::From(c.attrs(), *ksize, *strides));
  HR_ASSIGN_OR_RETURN(const PartialShape shape, attrs.OutputShape(c.input(0)));
  return c.SetOutput(0, shape);
}
Status MaxPoolV2Shape(ShapeContext& c) {
  return PoolV2Shape(c, 1);
}

// What the gradients' inputs say of each other.
Status CheckGradInputs(ShapeContext& c, const PartialShape& pooled, int with_pooled_shape) {
  for (const int i : {1, with_pooled_shape}) {
    const char* name = i == 1 ? "orig_output" : "grad";
    if (i != 0 && !c.input(i).IsCompatibleWith(pooled)) {
      return InvalidArgument(name, " must have shape ", pooled.ToString(), ", got ",
                             c.input(i).ToString());
    }
  }
  return absl::OkStatus();
}

template <bool kV2, bool kSecond>
Status MaxPoolGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  PartialShape pooled = PartialShape::OfRank(4);
  if constexpr (kV2) {
    const auto ksize = c.InputAsInts(3), strides = c.InputAsInts(4);
    if (ksize.has_value() && strides.has_value()) {
      HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolAttrs::From(c.attrs(), *ksize, *strides));
      HR_ASSIGN_OR_RETURN(pooled, attrs.OutputShape(input));
    }
  } else {
    HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolAttrs::From(c.attrs()));
    HR_ASSIGN_OR_RETURN(pooled, attrs.OutputShape(input));
  }
  HR_RETURN_IF_ERROR(CheckGradInputs(c, pooled, kSecond ? 0 : 2));
  if (kSecond && !c.input(2).IsCompatibleWith(input)) {
    return InvalidArgument("grad must have shape ", input.ToString(), ", got ",
                           c.input(2).ToString());
  }
  if (!kSecond) {
    // The batch may be known from what flows in.
    HR_ASSIGN_OR_RETURN(const PartialShape orig, c.WithRank(0, 4));
    return c.SetOutput(0, orig);
  }
  HR_ASSIGN_OR_RETURN(const PartialShape out, pooled.MergedWith(c.input(1)));
  return c.SetOutput(0, out);
}

Status AvgPoolGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolAttrs::From(c.attrs()));
  if (attrs.depth_size != 1) return Unimplemented("AvgPool does not support pooling over channels");
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.InputAsShape(0));
  HR_ASSIGN_OR_RETURN(const PartialShape pooled, attrs.OutputShape(input));
  if (!c.input(1).IsCompatibleWith(pooled)) {
    return InvalidArgument("grad must have shape ", pooled.ToString(), ", got ",
                           c.input(1).ToString());
  }
  return c.SetOutput(0, input.has_rank() ? input : PartialShape::OfRank(4));
}

PoolOptions OptionsOf(const AttrMap& attrs) {
  PoolOptions o;
  if (attrs.Has("ksize")) {
    o.ksize = attrs.Get<AttrValue::Ints>("ksize");
    o.strides = attrs.Get<AttrValue::Ints>("strides");
  }
  o.padding = attrs.Get<std::string>("padding");
  o.data_format = attrs.Get<std::string>("data_format");
  return o;
}

Status MaxPoolGradient(GradContext& c) {
  c.Set(0, MaxPoolGrad(c.input(0), c.output(0), c.grad(), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
Status MaxPoolV2Gradient(GradContext& c) {
  c.Set(0, MaxPoolGradV2(c.input(0), c.output(0), c.grad(), c.input(1), c.input(2),
                         OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
Status AvgPoolGradient(GradContext& c) {
  const Output shape = ShapeOf(c.input(0), {}, c.where());
  c.Set(0, AvgPoolGrad(shape, c.grad(), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
Status AvgPoolGradGradient(GradContext& c) {
  c.Set(0, StopGradient(c.input(0), {}, c.where()));
  c.Set(1, AvgPool(c.grad(), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}

// The maxima stay where they are when input or output change a little.
void SetZeros(GradContext& c) {
  for (int i : {0, 1}) {
    c.Set(i, Zeros(c.graph(), ShapeOf(c.input(i), {}, c.where()), c.input(i).value_dtype(), {},
                   c.where()));
  }
}
Status MaxPoolGradGradient(GradContext& c) {
  SetZeros(c);
  c.Set(2, MaxPoolGradGrad(c.input(0), c.input(1), c.grad(), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
Status MaxPoolGradGradGradient(GradContext& c) {
  SetZeros(c);
  c.Set(2, MaxPoolGrad(c.input(0), c.input(1), c.grad(), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
Status MaxPoolGradV2Gradient(GradContext& c) {
  SetZeros(c);
  c.Set(2, MaxPoolGradGradV2(c.input(0), c.input(1), c.grad(), c.input(3), c.input(4),
                             OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
Status MaxPoolGradGradV2Gradient(GradContext& c) {
  SetZeros(c);
  c.Set(2, MaxPoolGradV2(c.input(0), c.input(1), c.grad(), c.input(3), c.input(4),
                         OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}

// A node with the attributes of a pool; `windows`: ksize and strides are among them.
Output BuildPool(std::string_view op, std::initializer_list<Output> inputs, const PoolOptions& o,
                 bool windows, std::string_view name, Location where) {
  NodeBuilder builder(op, name, where);
  builder.Inputs(std::span(inputs.begin(), inputs.size()));
  if (windows) builder.Attr("ksize", o.ksize).Attr("strides", o.strides);
  return builder.Attr("padding", o.padding).Attr("data_format", o.data_format).Build();
}

}  // namespace

Output MaxPool(Output input, PoolOptions o, Location where) {
  return BuildPool("MaxPool", {input}, o, true, o.name, where);
}
Output AvgPool(Output value, PoolOptions o, Location where) {
  return BuildPool("AvgPool", {value}, o, true, o.name, where);
}
Output MaxPoolGrad(Output orig_input, Output orig_output, Output grad, PoolOptions o,
                   Location where) {
  return BuildPool("MaxPoolGrad", {orig_input, orig_output, grad}, o, true, o.name, where);
}
Output MaxPoolGradGrad(Output orig_input, Output orig_output, Output grad, PoolOptions o,
                       Location where) {
  return BuildPool("MaxPoolGradGrad", {orig_input, orig_output, grad}, o, true, o.name, where);
}
Output AvgPoolGrad(Output orig_input_shape, Output grad, PoolOptions o, Location where) {
  return BuildPool("AvgPoolGrad", {orig_input_shape, grad}, o, true, o.name, where);
}
Output MaxPoolV2(Output input, IntArg ksize, IntArg strides, PoolOptions o, Location where) {
  if (!input.valid()) return {};
  if (ksize.is_output() && strides.is_output()) {
    return BuildPool("MaxPoolV2", {input, ksize.output(), strides.output()}, o, false, o.name,
                     where);
  }
  const OpScope scope(*input.graph(), o.name, "MaxPoolV2");
  const Output size = ksize.In(*input.graph(), "ksize", DType::kInt32, where);
  const Output stride = strides.In(*input.graph(), "strides", DType::kInt32, where);
  return BuildPool("MaxPoolV2", {input, size, stride}, o, false, scope.op_name(), where);
}
Output MaxPoolGradV2(Output orig_input, Output orig_output, Output grad, Output ksize,
                     Output strides, PoolOptions o, Location where) {
  return BuildPool("MaxPoolGradV2", {orig_input, orig_output, grad, ksize, strides}, o, false,
                   o.name, where);
}
Output MaxPoolGradGradV2(Output orig_input, Output orig_output, Output grad, Output ksize,
                         Output strides, PoolOptions o, Location where) {
  return BuildPool("MaxPoolGradGradV2", {orig_input, orig_output, grad, ksize, strides}, o, false,
                   o.name, where);
}

namespace {

constexpr DTypeSet kMaxPoolTypes =
    kFloatTypes | DTypeSet{DType::kInt8,  DType::kInt16,  DType::kInt32, DType::kInt64,
                           DType::kUInt8, DType::kUInt16, DType::kQInt8};

// Attributes in TensorFlow's order. The NCHW_VECT_C format of quantized images has no kernel.
OpDef& WithAttrs(OpDef& op, bool windows, bool vector_format) {
  if (windows) {
    op.Attr({.name = "ksize", .kind = AttrKind::kIntList, .minimum = 4});
    op.Attr({.name = "strides", .kind = AttrKind::kIntList, .minimum = 4});
  }
  op.StringAttr("padding", {"SAME", "VALID"});
  return op.StringAttr("data_format",
                       vector_format ? std::vector<std::string>{"NHWC", "NCHW", "NCHW_VECT_C"}
                                     : std::vector<std::string>{"NHWC", "NCHW"},
                       "NHWC");
}

Status NoVectorFormat(const Node& node) {
  if (node.attrs().Get<std::string>("data_format") != "NCHW_VECT_C") return absl::OkStatus();
  return Unimplemented("there is no kernel for data_format NCHW_VECT_C");
}

void DefineMaxPool(OpRegistry& ops, bool v2) {
  OpDef& op =
      ops.Define(v2 ? "MaxPoolV2" : "MaxPool").TypeAttr("T", kMaxPoolTypes, DType::kFloat32);
  WithAttrs(op, !v2, true).Input("input", "T");
  if (v2) op.Input("ksize", "int32").Input("strides", "int32");
  op.Output("output", "T")
      .Shape(v2 ? MaxPoolV2Shape : PoolOutputShape)
      .Gradient(v2 ? MaxPoolV2Gradient : MaxPoolGradient)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeMaxPoolCpu, .accepts = NoVectorFormat})
      .Gpu({.types = {{"T", kGpuFloatTypes}},
            .host_args =
                v2 ? std::vector<std::string>{"ksize", "strides"} : std::vector<std::string>{},
            .accepts = NoVectorFormat})
      .Doc("The largest element of each window.");
}

void DefineMaxPoolGrad(OpRegistry& ops, bool v2, bool second) {
  OpDef& op = ops.Define(StrCat(second ? "MaxPoolGradGrad" : "MaxPoolGrad", v2 ? "V2" : ""));
  second ? op.TypeAttr("T", kRealTypes) : op.TypeAttr("T", kRealTypes, DType::kFloat32);
  WithAttrs(op, !v2, false).Input("orig_input", "T").Input("orig_output", "T").Input("grad", "T");
  if (v2) op.Input("ksize", "int32").Input("strides", "int32");
  op.Output("output", "T")
      .Doc(second ? "Of a gradient, what lies where each window has its largest element."
                  : "Gradient of MaxPool.");
  if (second) {
    op.Shape(v2 ? MaxPoolGradShape<true, true> : MaxPoolGradShape<false, true>);
    op.Gradient(v2 ? MaxPoolGradGradV2Gradient : MaxPoolGradGradGradient);
  } else {
    op.Shape(v2 ? MaxPoolGradShape<true, false> : MaxPoolGradShape<false, false>);
    op.Gradient(v2 ? MaxPoolGradV2Gradient : MaxPoolGradGradient);
  }
  op.Cpu({.types = {{"T", kCpuRealTypes}},
          .make = second ? MakeMaxPoolGradGradCpu : MakeMaxPoolGradCpu});
  op.Gpu({.types = {{"T", kGpuFloatTypes}},
          .host_args =
              v2 ? std::vector<std::string>{"ksize", "strides"} : std::vector<std::string>{}});
}

}  // namespace

void DefinePool(OpRegistry& ops) {
  for (const bool v2 : {false, true}) {
    DefineMaxPool(ops, v2);
    DefineMaxPoolGrad(ops, v2, false);
    DefineMaxPoolGrad(ops, v2, true);
  }
  WithAttrs(ops.Define("AvgPool"), true, false)
      .TypeAttr("T", kFloatTypes)
      .Input("value", "T")
      .Output("output", "T")
      .Shape(AvgPoolShape)
      .Gradient(AvgPoolGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeAvgPoolCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("The mean of each window.");
  WithAttrs(ops.Define("AvgPoolGrad"), true, false)
      .TypeAttr("T", kFloatTypes)
      .Input("orig_input_shape", "int32")
      .Input("grad", "T")
      .Output("output", "T")
      .Shape(AvgPoolGradShape)
      .Gradient(AvgPoolGradGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeAvgPoolGradCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"orig_input_shape"}})
      .Doc("Gradient of AvgPool.");
}

}  // namespace headrace
