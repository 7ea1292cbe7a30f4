#include "headrace/ops/image/resize.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/image/resize_geometry.h"
#include "headrace/ops/image/resize_kernels.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

constexpr DTypeSet kImageTypes = kCpuRealTypes - DTypeSet(DType::kBFloat16);
constexpr DTypeSet kNearestGradTypes{DType::kUInt8,   DType::kInt8,    DType::kInt32,
                                     DType::kFloat16, DType::kFloat32, DType::kFloat64};

Status SizedShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(ResizeAttrs::From(c.attrs()).status());
  HR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(const PartialShape length, c.WithRank(1, 1));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(length[0], 2, "elements of size", "height and width"));
  HR_ASSIGN_OR_RETURN(const PartialShape size, c.InputAsShape(1));
  PartialShape out{images[0], -1, -1, images[3]};
  for (int i = 0; size.has_rank() && i < 2; ++i) {
    if (size[i] == 0) return InvalidArgument("output dimensions must be positive, got 0");
    out.set_dim(1 + i, size[i]);
  }
  return c.SetOutput(0, out);
}

// Gradients have the shape of the images that were resized.
Status ImageGradShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(ResizeAttrs::From(c.attrs()).status());
  HR_ASSIGN_OR_RETURN(const PartialShape grads, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(1, 4));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(grads[0], images[0], "images of grads", "images"));
  HR_RETURN_IF_ERROR(
      c.CheckEqualDims(grads[3], images[3], "channels of grads", "channels of the images"));
  return c.SetOutput(0, {images[0] < 0 ? grads[0] : images[0], images[1], images[2],
                         images[3] < 0 ? grads[3] : images[3]});
}

ResizeOptions OptionsOf(const GradContext& c) {
  return {.align_corners = c.attrs().Get<bool>("align_corners"),
          .half_pixel_centers = c.attrs().Get<bool>("half_pixel_centers")};
}

// Height and width of images, known or to be found in the step.
IntArg SizeOf(Output images, Location where) {
  const PartialShape& shape = images.shape();
  if (shape.rank() == 4 && shape[1] >= 0 && shape[2] >= 0) return IntArg({shape[1], shape[2]});
  return At(ShapeOf(images, {}, where), {SliceIndex::Range(1, 3)}, {}, where);
}

Status BilinearGradient(GradContext& c) {
  c.Set(0, ResizeBilinearGrad(c.grad(), c.input(0), OptionsOf(c), c.where()));
  return absl::OkStatus();
}
Status BicubicGradient(GradContext& c) {
  if (kFloat32And64.Contains(c.input(0).dtype()))
    c.Set(0, ResizeBicubicGrad(c.grad(), c.input(0), OptionsOf(c), c.where()));
  return absl::OkStatus();
}
Status NearestGradient(GradContext& c) {
  c.Set(0, ResizeNearestNeighborGrad(c.grad(), SizeOf(c.input(0), c.where()), OptionsOf(c),
                                     c.where()));
  return absl::OkStatus();
}

// The gradient ops are linear in the gradients: theirs is the resizing itself.
template <Output (*kResize)(Output, IntArg, ResizeOptions, Location)>
Status ResizedGradient(GradContext& c) {
  const Output resized = kResize(c.grad(), SizeOf(c.input(0), c.where()), OptionsOf(c), c.where());
  c.Set(0, resized);
  return absl::OkStatus();
}

Output Build(std::string_view op, Output images, const IntArg& size, const ResizeOptions& o,
             Location where, bool has_half_pixels = true) {
  if (!images.valid() || !size.valid()) return {};
  Graph& graph = *images.graph();
  std::optional<OpScope> scope;
  if (!size.is_output()) scope.emplace(graph, o.name, op);
  const Output size_tensor = size.In(graph, "size", DType::kInt32, where);
  NodeBuilder builder(graph, op, scope ? scope->op_name() : o.name, where);
  builder.Input(images).Input(size_tensor).Attr("align_corners", o.align_corners);
  if (has_half_pixels) builder.Attr("half_pixel_centers", o.half_pixel_centers);
  return builder.Build();
}

Output BuildGrad(std::string_view op, Output grads, Output original, const ResizeOptions& o,
                 Location where) {
  return NodeBuilder(op, o.name, where)
      .Input(grads)
      .Input(original)
      .Attr("align_corners", o.align_corners)
      .Attr("half_pixel_centers", o.half_pixel_centers)
      .Build();
}

OpDef& DefineResize(OpRegistry& ops, std::string_view name, DTypeSet types, std::string_view result,
                    KernelFactory make) {
  return ops.Define(name)
      .TypeAttr("T", types)
      .Attr("align_corners", false)
      .Input("images", "T")
      .Input("size", "int32")
      .Output("resized_images", result)
      .Shape(SizedShape)
      .Cpu({.types = {{"T", types}}, .host_args = {"size"}, .make = make});
}

OpDef& DefineGrad(OpRegistry& ops, std::string_view name, DTypeSet types, DTypeSet kernel_types,
                  KernelFactory make) {
  return ops.Define(name)
      .TypeAttr("T", types)
      .Attr("align_corners", false)
      .Attr("half_pixel_centers", false)
      .Input("grads", "float32")
      .Input("original_image", "T")
      .Output("output", "T")
      .Shape(ImageGradShape)
      .Cpu({.types = {{"T", kernel_types}}, .make = make});
}

}  // namespace

Output ResizeBilinear(Output images, IntArg size, ResizeOptions o, Location where) {
  return Build("ResizeBilinear", images, size, o, where);
}
Output ResizeBicubic(Output images, IntArg size, ResizeOptions o, Location where) {
  return Build("ResizeBicubic", images, size, o, where);
}
Output ResizeNearestNeighbor(Output images, IntArg size, ResizeOptions o, Location where) {
  return Build("ResizeNearestNeighbor", images, size, o, where);
}
Output ResizeArea(Output images, IntArg size, ResizeAreaOptions o, Location where) {
  return Build("ResizeArea", images, size, {.align_corners = o.align_corners, .name = o.name},
               where, /*has_half_pixels=*/false);
}
Output ResizeNearestNeighborGrad(Output grads, IntArg size, ResizeOptions o, Location where) {
  return Build("ResizeNearestNeighborGrad", grads, size, o, where);
}
Output ResizeBilinearGrad(Output grads, Output original_image, ResizeOptions o, Location where) {
  return BuildGrad("ResizeBilinearGrad", grads, original_image, o, where);
}
Output ResizeBicubicGrad(Output grads, Output original_image, ResizeOptions o, Location where) {
  return BuildGrad("ResizeBicubicGrad", grads, original_image, o, where);
}

void DefineResize(OpRegistry& ops) {
  DefineResize(ops, "ResizeBilinear", kCpuRealTypes, "float32", MakeResizeBilinearCpu)
      .Attr("half_pixel_centers", false)
      .Gradient(BilinearGradient)
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"size"}})
      .Doc("Images of another size, between the four neighbours of each new pixel.");
  DefineResize(ops, "ResizeBicubic", kImageTypes, "float32", MakeResizeBicubicCpu)
      .Attr("half_pixel_centers", false)
      .Gradient(BicubicGradient)
      .Doc("Images of another size, by cubic interpolation.");
  DefineResize(ops, "ResizeNearestNeighbor", kImageTypes, "T", MakeResizeNearestNeighborCpu)
      .Attr("half_pixel_centers", false)
      .Gradient(NearestGradient)
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"size"}})
      .Doc("Images of another size, by the nearest pixel.");
  DefineResize(ops, "ResizeArea", kImageTypes, "float32", MakeResizeAreaCpu)
      .Doc("Images of another size, by the mean over the area of each new pixel.");
  DefineGrad(ops, "ResizeBilinearGrad", kFloatTypes, kIeeeFloats, MakeResizeBilinearGradCpu)
      .Gradient(ResizedGradient<ResizeBilinear>)
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Gradient of ResizeBilinear.");
  DefineGrad(ops, "ResizeBicubicGrad", kFloat32And64, kFloat32And64, MakeResizeBicubicGradCpu)
      .Gradient(ResizedGradient<ResizeBicubic>)
      .Doc("Gradient of ResizeBicubic.");
  ops.Define("ResizeNearestNeighborGrad")
      .TypeAttr("T", kNearestGradTypes)
      .Attr("align_corners", false)
      .Attr("half_pixel_centers", false)
      .Input("grads", "T")
      .Input("size", "int32")
      .Output("output", "T")
      .Shape(SizedShape)
      .Gradient(ResizedGradient<ResizeNearestNeighbor>)
      .Cpu({.types = {{"T", kNearestGradTypes}},
            .host_args = {"size"},
            .make = MakeResizeNearestNeighborGradCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"size"}})
      .Doc("Gradient of ResizeNearestNeighbor.");
}

}  // namespace headrace
