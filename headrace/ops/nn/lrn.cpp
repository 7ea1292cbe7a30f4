#include "headrace/ops/nn/lrn.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/nn/lrn_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes{DType::kFloat16, DType::kBFloat16, DType::kFloat32};
constexpr DTypeSet kCpuTypes{DType::kFloat16, DType::kFloat32};
constexpr DTypeSet kGpuTypes{DType::kFloat32};

Status LRNShape(ShapeContext& c) {
  PartialShape shape = PartialShape::OfRank(4);
  for (int i = 0; i < c.num_inputs(); ++i) {
    HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(i, 4));
    HR_ASSIGN_OR_RETURN(shape, shape.MergedWith(input));
  }
  return c.SetOutput(0, shape);
}

Status LRNGradient(GradContext& c) {
  const LRNOptions o{.depth_radius = c.attrs().Get<int64_t>("depth_radius"),
                     .bias = c.attrs().Get<float>("bias"),
                     .alpha = c.attrs().Get<float>("alpha"),
                     .beta = c.attrs().Get<float>("beta")};
  c.Set(0, LRNGrad(c.grad(), c.input(0), c.output(0), o, c.where()));
  return absl::OkStatus();
}

NodeBuilder& SetAttrs(NodeBuilder& builder, const LRNOptions& o) {
  return builder.Attr("depth_radius", o.depth_radius)
      .Attr("bias", o.bias)
      .Attr("alpha", o.alpha)
      .Attr("beta", o.beta);
}

OpDef& WithAttrs(OpDef& op) {
  return op.Attr("depth_radius", int64_t{5})
      .Attr("bias", 1.0f)
      .Attr("alpha", 1.0f)
      .Attr("beta", 0.5f)
      .TypeAttr("T", kTypes, DType::kFloat32);
}

}  // namespace

Output LRN(Output input, LRNOptions o, Location where) {
  NodeBuilder builder("LRN", o.name, where);
  return SetAttrs(builder.Input(input), o).Build();
}
Output LRNGrad(Output input_grads, Output input_image, Output output_image, LRNOptions o,
               Location where) {
  NodeBuilder builder("LRNGrad", o.name, where);
  return SetAttrs(builder.Input(input_grads).Input(input_image).Input(output_image), o).Build();
}

void DefineLRN(OpRegistry& ops) {
  WithAttrs(ops.Define("LRN"))
      .Input("input", "T")
      .Output("output", "T")
      .Shape(LRNShape)
      .Gradient(LRNGradient)
      .Cpu({.types = {{"T", kCpuTypes}}, .make = MakeLRNCpu})
      .Gpu({.types = {{"T", kGpuTypes}}})
      .Doc("Local response normalisation.");
  WithAttrs(ops.Define("LRNGrad"))
      .Input("input_grads", "T")
      .Input("input_image", "T")
      .Input("output_image", "T")
      .Output("output", "T")
      .Shape(LRNShape)
      .Cpu({.types = {{"T", kCpuTypes}}, .make = MakeLRNGradCpu})
      .Gpu({.types = {{"T", kGpuTypes}}})
      .Doc("Gradient of LRN.");
}

}  // namespace headrace
