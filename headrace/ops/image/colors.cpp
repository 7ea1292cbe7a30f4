#include "headrace/ops/image/colors.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/image/colors_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

constexpr DTypeSet kOnlyFloat32{DType::kFloat32};
constexpr DTypeSet kAdjustTypes{DType::kFloat16, DType::kFloat32};

Status ThreeChannels(const PartialShape& images) {
  const int64_t channels = images.has_rank() ? images[images.rank() - 1] : -1;
  if (channels >= 0 && channels != 3) {
    return InvalidArgument("input must have 3 channels but instead has ", channels, " channels.");
  }
  return absl::OkStatus();
}

Status ConversionShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRankAtLeast(0, 1));
  HR_RETURN_IF_ERROR(ThreeChannels(images));
  return c.SetOutput(0, images);
}

template <bool kColored>
Status AdjustShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRankAtLeast(0, 3));
  if constexpr (kColored) HR_RETURN_IF_ERROR(ThreeChannels(images));
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  return c.SetOutput(0, images);
}

Output BuildConversion(std::string_view op, Output images, const OpOptions& o, Location where) {
  return NodeBuilder(op, o.name, where).Input(images).Build();
}
Output BuildAdjustment(std::string_view op, Output images, Output by, const OpOptions& o,
                       Location where) {
  return NodeBuilder(op, o.name, where).Input(images).Input(by).Build();
}

OpDef& DefineConversion(OpRegistry& ops, std::string_view name, KernelFactory make) {
  return ops.Define(name)
      .TypeAttr("T", kFloatTypes, DType::kFloat32)
      .Input("images", "T")
      .Output("output", "T")
      .Shape(ConversionShape)
      .InPlace(0, 0)
      .Cpu({.types = {{"T", kFloat32And64}}, .make = make})
      .Gpu({.types = {{"T", kFloat32And64}}});
}

OpDef& DefineAdjustment(OpRegistry& ops, std::string_view name, std::string_view by, ShapeFn shape,
                        KernelFactory make) {
  return ops.Define(name)
      .TypeAttr("T", kAdjustTypes, DType::kFloat32)
      .Input("images", "T")
      .Input(by, "float32")
      .Output("output", "T")
      .Shape(shape)
      .InPlace(0, 0)
      .Cpu({.types = {{"T", kOnlyFloat32}}, .make = make})
      .Gpu({.types = {{"T", kAdjustTypes}}});
}

}  // namespace

Output RGBToHSV(Output images, OpOptions o, Location where) {
  return BuildConversion("RGBToHSV", images, o, where);
}
Output HSVToRGB(Output images, OpOptions o, Location where) {
  return BuildConversion("HSVToRGB", images, o, where);
}
Output AdjustHue(Output images, Output delta, OpOptions o, Location where) {
  return BuildAdjustment("AdjustHue", images, delta, o, where);
}
Output AdjustSaturation(Output images, Output scale, OpOptions o, Location where) {
  return BuildAdjustment("AdjustSaturation", images, scale, o, where);
}
Output AdjustContrast(Output images, Output contrast_factor, OpOptions o, Location where) {
  return BuildAdjustment("AdjustContrastv2", images, contrast_factor, o, where);
}

void DefineColors(OpRegistry& ops) {
  DefineConversion(ops, "RGBToHSV", MakeRGBToHSVCpu)
      .Doc("Red, green and blue to hue, saturation and value.");
  DefineConversion(ops, "HSVToRGB", MakeHSVToRGBCpu)
      .NoGradient()
      .Doc("Hue, saturation and value to red, green and blue.");
  DefineAdjustment(ops, "AdjustHue", "delta", AdjustShape<true>, MakeAdjustHueCpu)
      .Doc("Turns the hue of each pixel.");
  DefineAdjustment(ops, "AdjustSaturation", "scale", AdjustShape<true>, MakeAdjustSaturationCpu)
      .Doc("Multiplies the saturation of each pixel.");
  DefineAdjustment(ops, "AdjustContrastv2", "contrast_factor", AdjustShape<false>,
                   MakeAdjustContrastCpu)
      .Doc("Multiplies the distance of each pixel from the mean of its channel.");
}

}  // namespace headrace
