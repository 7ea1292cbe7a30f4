#include "headrace/ops/image/draw_boxes.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/image/draw_boxes_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes{DType::kFloat16, DType::kFloat32};

Status DrawShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(1, 3));
  if (images[3] >= 0 && images[3] != 1 && images[3] != 3 && images[3] != 4) {
    return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got ",
                           images[3]);
  }
  HR_RETURN_IF_ERROR(c.CheckEqualDims(images[0], boxes[0], "images", "images of boxes"));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(boxes[2], 4, "columns of boxes", "corners"));
  if (c.num_inputs() == 3) {
    HR_ASSIGN_OR_RETURN(const PartialShape colors, c.WithRank(2, 2));
    if (images[3] > 0 && colors[1] >= 0 && colors[1] < images[3]) {
      return InvalidArgument("colors must have at least ", images[3], " columns, got ", colors[1]);
    }
  }
  return c.SetOutput(0, images);
}

void Define(OpRegistry& ops, std::string_view name, bool colored) {
  OpDef& op = ops.Define(name)
                  .TypeAttr("T", kTypes, DType::kFloat32)
                  .Input("images", "T")
                  .Input("boxes", "float32");
  if (colored) op.Input("colors", "float32");
  op.Output("output", "T")
      .Shape(DrawShape)
      .NoGradient()
      .InPlace(0, 0)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeDrawBoundingBoxesCpu})
      .Doc(colored ? "Boxes drawn onto images, in given colours." : "Boxes drawn onto images.");
}

}  // namespace

Output DrawBoundingBoxes(Output images, Output boxes, OpOptions o, Location where) {
  return NodeBuilder("DrawBoundingBoxes", o.name, where).Input(images).Input(boxes).Build();
}
Output DrawBoundingBoxes(Output images, Output boxes, Output colors, OpOptions o, Location where) {
  return NodeBuilder("DrawBoundingBoxesV2", o.name, where)
      .Input(images)
      .Input(boxes)
      .Input(colors)
      .Build();
}

void DefineDrawBoxes(OpRegistry& ops) {
  Define(ops, "DrawBoundingBoxes", false);
  Define(ops, "DrawBoundingBoxesV2", true);
}

}  // namespace headrace
