#include "headrace/ops/nn/pool_argmax.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/pool_geometry.h"
#include "headrace/ops/nn/pool_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kOnlyInt64{DType::kInt64};

StatusOr<PartialShape> PooledShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolAttrs::From(c.attrs()));
  return attrs.OutputShape(c.input(0));
}

Status ForwardShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape pooled, PooledShape(c));
  HR_RETURN_IF_ERROR(c.SetOutput(0, pooled));
  return c.SetOutput(1, pooled);
}

Status GradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape pooled, PooledShape(c));
  for (int i : {1, 2}) {
    if (!c.input(i).IsCompatibleWith(pooled)) {
      return InvalidArgument(i == 1 ? "grad" : "argmax", " must have shape ", pooled.ToString(),
                             ", got ", c.input(i).ToString());
    }
  }
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  return c.SetOutput(0, input);
}

Status GradGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape pooled, PooledShape(c));
  if (!c.input(1).IsCompatibleWith(c.input(0))) {
    return InvalidArgument("grad must have shape ", c.input(0).ToString(), ", got ",
                           c.input(1).ToString());
  }
  if (!c.input(2).IsCompatibleWith(pooled)) {
    return InvalidArgument("argmax must have shape ", pooled.ToString(), ", got ",
                           c.input(2).ToString());
  }
  HR_ASSIGN_OR_RETURN(pooled, pooled.MergedWith(c.input(2)));
  return c.SetOutput(0, pooled);
}

MaxPoolWithArgmaxOptions OptionsOf(const AttrMap& attrs) {
  return {.ksize = attrs.Get<AttrValue::Ints>("ksize"),
          .strides = attrs.Get<AttrValue::Ints>("strides"),
          .padding = attrs.Get<std::string>("padding"),
          .include_batch_in_index = attrs.Get<bool>("include_batch_in_index")};
}

Status ForwardGradient(GradContext& c) {
  c.Set(0,
        MaxPoolGradWithArgmax(c.input(0), c.grad(0), c.output(1), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
// The maxima stay where they are when the input changes a little.
Status GradGradient(GradContext& c) {
  c.Set(1, MaxPoolGradGradWithArgmax(c.input(0), c.grad(), c.input(2), OptionsOf(c.attrs()),
                                     c.where()));
  return absl::OkStatus();
}
Status GradGradGradient(GradContext& c) {
  c.Set(1,
        MaxPoolGradWithArgmax(c.input(0), c.grad(), c.input(2), OptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}

NodeBuilder& SetAttrs(NodeBuilder& builder, const MaxPoolWithArgmaxOptions& o) {
  return builder.Attr("ksize", o.ksize)
      .Attr("strides", o.strides)
      .Attr("padding", o.padding)
      .Attr("include_batch_in_index", o.include_batch_in_index);
}

OpDef& WithAttrs(OpDef& op) {
  return op.Attr({.name = "ksize", .kind = AttrKind::kIntList, .minimum = 4})
      .Attr({.name = "strides", .kind = AttrKind::kIntList, .minimum = 4})
      .StringAttr("padding", {"SAME", "VALID"})
      .Attr("include_batch_in_index", false)
      .TypeAttr("T", kRealTypes);
}

}  // namespace

MaxPoolWithArgmaxOutputs MaxPoolWithArgmax(Output input, MaxPoolWithArgmaxOptions o,
                                           Location where) {
  NodeBuilder builder("MaxPoolWithArgmax", o.name, where);
  Node* node = SetAttrs(builder.Input(input), o).Attr("Targmax", o.argmax_type).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

Output MaxPoolGradWithArgmax(Output input, Output grad, Output argmax, MaxPoolWithArgmaxOptions o,
                             Location where) {
  NodeBuilder builder("MaxPoolGradWithArgmax", o.name, where);
  return SetAttrs(builder.Input(input).Input(grad).Input(argmax), o).Build();
}

Output MaxPoolGradGradWithArgmax(Output input, Output grad, Output argmax,
                                 MaxPoolWithArgmaxOptions o, Location where) {
  NodeBuilder builder("MaxPoolGradGradWithArgmax", o.name, where);
  return SetAttrs(builder.Input(input).Input(grad).Input(argmax), o).Build();
}

void DefinePoolArgmax(OpRegistry& ops) {
  WithAttrs(ops.Define("MaxPoolWithArgmax"))
      .TypeAttr("Targmax", kIndexTypes, DType::kInt64)
      .Input("input", "T")
      .Output("output", "T")
      .Output("argmax", "Targmax")
      .Shape(ForwardShape)
      .Gradient(ForwardGradient)
      .Cpu({.types = {{"T", kCpuRealTypes}, {"Targmax", kOnlyInt64}},
            .make = MakeMaxPoolWithArgmaxCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}, {"Targmax", kOnlyInt64}}})
      .Doc("The largest element of each window, and where it was.");
  WithAttrs(ops.Define("MaxPoolGradWithArgmax"))
      .TypeAttr("Targmax", kIndexTypes)
      .Input("input", "T")
      .Input("grad", "T")
      .Input("argmax", "Targmax")
      .Output("output", "T")
      .Shape(GradShape)
      .Gradient(GradGradient)
      .Cpu({.types = {{"T", kCpuRealTypes}, {"Targmax", kOnlyInt64}},
            .make = MakeMaxPoolGradWithArgmaxCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}, {"Targmax", kOnlyInt64}}})
      .Doc("Gradient of MaxPoolWithArgmax.");
  WithAttrs(ops.Define("MaxPoolGradGradWithArgmax"))
      .TypeAttr("Targmax", kIndexTypes)
      .Input("input", "T")
      .Input("grad", "T")
      .Input("argmax", "Targmax")
      .Output("output", "T")
      .Shape(GradGradShape)
      .Gradient(GradGradGradient)
      .Cpu({.types = {{"T", kCpuRealTypes}, {"Targmax", kOnlyInt64}},
            .make = MakeMaxPoolGradGradWithArgmaxCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}, {"Targmax", kOnlyInt64}}})
      .Doc("Of a gradient, what lies at the places of the maxima.");
}

}  // namespace headrace
