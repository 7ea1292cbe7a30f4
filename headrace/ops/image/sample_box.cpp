#include "headrace/ops/image/sample_box.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/image/sample_box_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes{DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};

Status SampleShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape size, c.WithRank(0, 1));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(size[0], 3, "elements of image_size", "dimensions"));
  HR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(1, 3));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(boxes[2], 4, "columns of boxes", "corners"));
  if (c.num_inputs() == 3) HR_RETURN_IF_ERROR(c.CheckScalar(2));
  HR_RETURN_IF_ERROR(c.SetOutput(0, {3}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {3}));
  return c.SetOutput(2, {1, 1, 4});
}

OpDef& Define(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .TypeAttr("T", kTypes)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Attr("aspect_ratio_range", AttrValue::Floats{0.75f, 1.33f})
      .Attr("area_range", AttrValue::Floats{0.05f, 1.0f})
      .Attr("max_attempts", int64_t{100})
      .Attr("use_image_if_no_bounding_boxes", false)
      .Input("image_size", "T")
      .Input("bounding_boxes", "float32");
}

void Finish(OpDef& op) {
  op.Output("begin", "T")
      .Output("size", "T")
      .Output("bboxes", "float32")
      .Shape(SampleShape)
      .Stateful()
      .NoGradient()
      .Cpu({.types = {{"T", kTypes}}, .make = MakeSampleBoxCpu})
      .Doc("A random box that covers enough of one of the given boxes.");
}

}  // namespace

SampledBox SampleDistortedBoundingBox(Output image_size, Output bounding_boxes,
                                      Output min_object_covered, SampleBoxOptions o,
                                      Location where) {
  Node* node = NodeBuilder("SampleDistortedBoundingBoxV2", o.name, where)
                   .Input(image_size)
                   .Input(bounding_boxes)
                   .Input(min_object_covered)
                   .Attr("seed", o.seed)
                   .Attr("seed2", o.seed2)
                   .Attr("aspect_ratio_range", o.aspect_ratio_range)
                   .Attr("area_range", o.area_range)
                   .Attr("max_attempts", o.max_attempts)
                   .Attr("use_image_if_no_bounding_boxes", o.use_image_if_no_bounding_boxes)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

void DefineSampleBox(OpRegistry& ops) {
  Finish(Define(ops, "SampleDistortedBoundingBox").Attr("min_object_covered", 0.1f));
  Finish(Define(ops, "SampleDistortedBoundingBoxV2").Input("min_object_covered", "float32"));
}

}  // namespace headrace
