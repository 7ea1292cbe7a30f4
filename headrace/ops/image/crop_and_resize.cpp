#include "headrace/ops/image/crop_and_resize.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/image/crop_and_resize_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

constexpr DTypeSet kImageTypes = kCpuRealTypes - DTypeSet(DType::kBFloat16);

Status CheckBoxes(const ShapeContext& c, int boxes_at, int64_t& count) {
  HR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(boxes_at, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(boxes_at + 1, 1));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(boxes[1], 4, "columns of boxes", "corners"));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(boxes[0], indices[0], "boxes", "elements of box_ind"));
  count = boxes[0] < 0 ? indices[0] : boxes[0];
  return absl::OkStatus();
}

Status CropShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  int64_t boxes = -1;
  HR_RETURN_IF_ERROR(CheckBoxes(c, 1, boxes));
  HR_ASSIGN_OR_RETURN(const PartialShape length, c.WithRank(3, 1));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(length[0], 2, "elements of crop_size", "height and width"));
  HR_ASSIGN_OR_RETURN(const PartialShape size, c.InputAsShape(3));
  PartialShape out{boxes, -1, -1, images[3]};
  for (int i = 0; size.has_rank() && i < 2; ++i) {
    if (size[i] == 0) return InvalidArgument("crop dimensions must be positive, got 0");
    out.set_dim(1 + i, size[i]);
  }
  return c.SetOutput(0, out);
}

Status GradImageShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 4).status());
  int64_t boxes = -1;
  HR_RETURN_IF_ERROR(CheckBoxes(c, 1, boxes));
  HR_ASSIGN_OR_RETURN(const PartialShape out, c.InputAsShape(3));
  if (out.has_rank() && out.rank() != 4)
    return InvalidArgument("image_size must have 4 elements, got ", out.rank());
  return c.SetOutput(0, out.has_rank() ? out : PartialShape::OfRank(4));
}

Status GradBoxesShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 4).status());
  HR_RETURN_IF_ERROR(c.WithRank(1, 4).status());
  int64_t boxes = -1;
  HR_RETURN_IF_ERROR(CheckBoxes(c, 2, boxes));
  return c.SetOutput(0, {boxes, 4});
}

Status CropGradient(GradContext& c) {
  const Output image = c.input(0);
  const Location where = c.where();
  if (kIeeeFloats.Contains(image.dtype())) {
    const IntArg size = image.shape().is_fully_known() ? IntArg(image.shape().ToShape())
                                                       : IntArg(ShapeOf(image, {}, where));
    c.Set(0, CropAndResizeGradImage(c.grad(), c.input(1), c.input(2), size, image.dtype(),
                                    {.method = c.attrs().Get<std::string>("method")}, where));
  }
  c.Set(1, CropAndResizeGradBoxes(c.grad(), image, c.input(1), c.input(2), {}, where));
  return absl::OkStatus();
}

}  // namespace

Output CropAndResize(Output image, Output boxes, Output box_ind, IntArg crop_size,
                     CropAndResizeOptions o, Location where) {
  if (!image.valid() || !crop_size.valid()) return {};
  Graph& graph = *image.graph();
  std::optional<OpScope> scope;
  if (!crop_size.is_output()) scope.emplace(graph, o.name, "CropAndResize");
  const Output size = crop_size.In(graph, "crop_size", DType::kInt32, where);
  return NodeBuilder(graph, "CropAndResize", scope ? scope->op_name() : o.name, where)
      .Input(image)
      .Input(boxes)
      .Input(box_ind)
      .Input(size)
      .Attr("method", o.method)
      .Attr("extrapolation_value", o.extrapolation_value)
      .Build();
}

Output CropAndResizeGradImage(Output grads, Output boxes, Output box_ind, IntArg image_size,
                              DType type, CropAndResizeGradOptions o, Location where) {
  if (!grads.valid() || !image_size.valid()) return {};
  Graph& graph = *grads.graph();
  std::optional<OpScope> scope;
  if (!image_size.is_output()) scope.emplace(graph, o.name, "CropAndResizeGradImage");
  const Output size = image_size.In(graph, "image_size", DType::kInt32, where);
  return NodeBuilder(graph, "CropAndResizeGradImage", scope ? scope->op_name() : o.name, where)
      .Input(grads)
      .Input(boxes)
      .Input(box_ind)
      .Input(size)
      .Attr("T", type)
      .Attr("method", o.method)
      .Build();
}

Output CropAndResizeGradBoxes(Output grads, Output image, Output boxes, Output box_ind, OpOptions o,
                              Location where) {
  return NodeBuilder("CropAndResizeGradBoxes", o.name, where)
      .Input(grads)
      .Input(image)
      .Input(boxes)
      .Input(box_ind)
      .Build();
}

void DefineCropAndResize(OpRegistry& ops) {
  ops.Define("CropAndResize")
      .TypeAttr("T", kImageTypes)
      .StringAttr("method", {"bilinear", "nearest"}, "bilinear")
      .Attr("extrapolation_value", 0.0f)
      .Input("image", "T")
      .Input("boxes", "float32")
      .Input("box_ind", "int32")
      .Input("crop_size", "int32")
      .Output("crops", "float32")
      .Shape(CropShape)
      .Gradient(CropGradient)
      .Cpu(
          {.types = {{"T", kImageTypes}}, .host_args = {"crop_size"}, .make = MakeCropAndResizeCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"crop_size"}})
      .Doc("Boxes cut out of images and brought to one size.");
  ops.Define("CropAndResizeGradImage")
      .TypeAttr("T", kIeeeFloats)
      .StringAttr("method", {"bilinear", "nearest"}, "bilinear")
      .Input("grads", "float32")
      .Input("boxes", "float32")
      .Input("box_ind", "int32")
      .Input("image_size", "int32")
      .Output("output", "T")
      .Shape(GradImageShape)
      .Cpu({.types = {{"T", kIeeeFloats}},
            .host_args = {"image_size"},
            .make = MakeCropAndResizeGradImageCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"image_size"}})
      .Doc("Gradient of CropAndResize by the images.");
  ops.Define("CropAndResizeGradBoxes")
      .TypeAttr("T", kImageTypes)
      .StringAttr("method", {"bilinear"}, "bilinear")
      .Input("grads", "float32")
      .Input("image", "T")
      .Input("boxes", "float32")
      .Input("box_ind", "int32")
      .Output("output", "float32")
      .Shape(GradBoxesShape)
      .Cpu({.types = {{"T", kImageTypes}}, .make = MakeCropAndResizeGradBoxesCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Gradient of CropAndResize by the boxes.");
}

}  // namespace headrace
