#include "headrace/ops/nn/batch_norm_global.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/batch_norm_global_kernels.h"

namespace headrace {
namespace {

// The images of input 0 with as many channels as the vectors, inputs 1 to `last`, have elements.
StatusOr<PartialShape> ImagesShape(ShapeContext& c, int last) {
  HR_ASSIGN_OR_RETURN(PartialShape images, c.WithRank(0, 4));
  for (int i = 1; i <= last; ++i) {
    HR_ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(i, 1));
    HR_RETURN_IF_ERROR(
        c.CheckEqualDims(images[3], vector[0], "channels of t", "length of a vector"));
    if (images[3] < 0) images.set_dim(3, vector[0]);
  }
  return images;
}

Status ForwardShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape images, ImagesShape(c, 4));
  return c.SetOutput(0, images);
}

Status BackwardShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape images, ImagesShape(c, 3));
  HR_ASSIGN_OR_RETURN(const PartialShape backprop, c.WithRank(4, 4));
  HR_ASSIGN_OR_RETURN(images, images.MergedWith(backprop));
  HR_RETURN_IF_ERROR(c.SetOutput(0, images));
  for (int i = 1; i < 5; ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, {images[3]}));
  return absl::OkStatus();
}

Status ForwardGradient(GradContext& c) {
  NodeBuilder builder("BatchNormWithGlobalNormalizationGrad", "", c.where());
  for (int i : {0, 1, 2, 4}) builder.Input(c.input(i));
  Node* node =
      builder.Input(c.grad())
          .Attr("variance_epsilon", c.attrs().Get<float>("variance_epsilon"))
          .Attr("scale_after_normalization", c.attrs().Get<bool>("scale_after_normalization"))
          .BuildNode();
  if (node == nullptr) return absl::OkStatus();  // the graph holds the error
  for (int i = 0; i < 5; ++i) c.Set(i, node->output(i));
  return absl::OkStatus();
}

OpDef& WithAttrs(OpDef& op) {
  return op.TypeAttr("T", kAttrNumberTypes)
      .Attr("variance_epsilon", AttrKind::kFloat)
      .Attr("scale_after_normalization", AttrKind::kBool);
}

}  // namespace

Output BatchNormWithGlobalNormalization(Output t, Output m, Output v, Output beta, Output gamma,
                                        BatchNormWithGlobalNormalizationOptions o, Location where) {
  NodeBuilder builder("BatchNormWithGlobalNormalization", o.name, where);
  for (const Output& input : {t, m, v, beta, gamma}) builder.Input(input);
  return builder.Attr("variance_epsilon", o.variance_epsilon)
      .Attr("scale_after_normalization", o.scale_after_normalization)
      .Build();
}

void DefineBatchNormGlobal(OpRegistry& ops) {
  WithAttrs(ops.Define("BatchNormWithGlobalNormalization"))
      .Input("t", "T")
      .Input("m", "T")
      .Input("v", "T")
      .Input("beta", "T")
      .Input("gamma", "T")
      .Output("result", "T")
      .Shape(ForwardShape)
      .Gradient(ForwardGradient)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeBatchNormGlobalCpu})
      .Gpu({.types = {{"T", DTypeSet(DType::kFloat32)}}})
      .Doc("Batch normalisation by given moments.");
  WithAttrs(ops.Define("BatchNormWithGlobalNormalizationGrad"))
      .Input("t", "T")
      .Input("m", "T")
      .Input("v", "T")
      .Input("gamma", "T")
      .Input("backprop", "T")
      .Output("dx", "T")
      .Output("dm", "T")
      .Output("dv", "T")
      .Output("db", "T")
      .Output("dg", "T")
      .Shape(BackwardShape)
      .Cpu({.types = {{"T", kIeeeFloats}}, .make = MakeBatchNormGlobalGradCpu})
      .Gpu({.types = {{"T", DTypeSet(DType::kFloat32)}}})
      .Doc("Gradient of batch normalisation by given moments.");
}

}  // namespace headrace
