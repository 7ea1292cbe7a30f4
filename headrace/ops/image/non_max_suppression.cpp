#include "headrace/ops/image/non_max_suppression.h"

#include <algorithm>
#include <limits>

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/image/non_max_suppression_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes{DType::kFloat16, DType::kFloat32};
constexpr DTypeSet kOnGpu{DType::kFloat32};

StatusOr<int64_t> PaddedSize(ShapeContext& c, int input) {
  const auto size = c.InputAsInts(input);
  if (!size.has_value()) return -1;
  if ((*size)[0] < 0) {
    return InvalidArgument("max_output_size must not be negative, got ", (*size)[0]);
  }
  return (*size)[0];
}

Status SuppressionShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 1));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(boxes[0], scores[0], "boxes", "scores"));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(boxes[1], 4, "columns of boxes", "corners"));
  for (int i = 2; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  int64_t size = -1;
  if (c.attrs().GetOr("pad_to_max_output_size", false)) {
    HR_ASSIGN_OR_RETURN(size, PaddedSize(c, 2));
  }
  const int last = c.num_outputs() - 1;
  for (int i = 0; i < std::max(last, 1); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, {size}));
  return last > 0 ? c.SetOutput(last, PartialShape::OfRank(0)) : absl::OkStatus();
}

Status OverlapsShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape overlaps, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 1));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(overlaps[0], scores[0], "rows of overlaps", "scores"));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(overlaps[0], overlaps[1], "rows", "columns of overlaps"));
  for (int i = 2; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  return c.SetOutput(0, {-1});
}

Status CombinedShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape boxes, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 3));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(boxes[0], scores[0], "images of boxes", "images of scores"));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(boxes[1], scores[1], "boxes", "scores"));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(boxes[3], 4, "columns of boxes", "corners"));
  if (boxes[2] >= 0 && boxes[2] != 1) {
    HR_RETURN_IF_ERROR(c.CheckEqualDims(
        boxes[2], scores[2], "third dimension of boxes (must be 1 or classes)", "classes"));
  }
  for (int i = 2; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  HR_ASSIGN_OR_RETURN(const int64_t per_class, PaddedSize(c, 2));
  HR_ASSIGN_OR_RETURN(int64_t size, PaddedSize(c, 3));
  if (c.attrs().Get<bool>("pad_per_class")) {
    const bool known = size >= 0 && per_class >= 0 && scores[2] >= 0;
    size = known ? std::min(size, per_class * scores[2]) : -1;
  }
  const int64_t batch = boxes[0] < 0 ? scores[0] : boxes[0];
  HR_RETURN_IF_ERROR(c.SetOutput(0, {batch, size, 4}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {batch, size}));
  HR_RETURN_IF_ERROR(c.SetOutput(2, {batch, size}));
  return c.SetOutput(3, {batch});
}

OpDef& DefineSuppression(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .Shape(SuppressionShape)
      .NoGradient()
      .Doc("The best of boxes that overlap.");
}

// Versions 2 to 4: thresholds have a dtype of their own.
OpDef& DefineWithThresholds(OpRegistry& ops, std::string_view name, bool scored) {
  OpDef& op = DefineSuppression(ops, name)
                  .TypeAttr("T", kTypes, DType::kFloat32)
                  .TypeAttr("T_threshold", kTypes, DType::kFloat32)
                  .Input("boxes", "T")
                  .Input("scores", "T")
                  .Input("max_output_size", "int32")
                  .Input("iou_threshold", "T_threshold");
  std::vector<std::string> host = {"max_output_size", "iou_threshold"};
  if (scored) {
    op.Input("score_threshold", "T_threshold");
    host.push_back("score_threshold");
  }
  return op.Output("selected_indices", "int32")
      .Cpu({.types = {{"T", kTypes}}, .make = MakeNonMaxSuppressionCpu})
      .Gpu({.types = {{"T", kOnGpu}}, .host_args = std::move(host)});
}

void DefineOthers(OpRegistry& ops) {
  ops.Define("NonMaxSuppressionWithOverlaps")
      .Input("overlaps", "float32")
      .Input("scores", "float32")
      .Input("max_output_size", "int32")
      .Input("overlap_threshold", "float32")
      .Input("score_threshold", "float32")
      .Output("selected_indices", "int32")
      .Shape(OverlapsShape)
      .NoGradient()
      .Cpu({.make = MakeSuppressionWithOverlapsCpu})
      .Doc("The best of things whose overlaps are given.");
  ops.Define("CombinedNonMaxSuppression")
      .Attr("pad_per_class", false)
      .Attr("clip_boxes", true)
      .Input("boxes", "float32")
      .Input("scores", "float32")
      .Input("max_output_size_per_class", "int32")
      .Input("max_total_size", "int32")
      .Input("iou_threshold", "float32")
      .Input("score_threshold", "float32")
      .Output("nmsed_boxes", "float32")
      .Output("nmsed_scores", "float32")
      .Output("nmsed_classes", "float32")
      .Output("valid_detections", "int32")
      .Shape(CombinedShape)
      .NoGradient()
      .Cpu({.make = MakeCombinedSuppressionCpu})
      .Doc("The best boxes of each class, and of all classes.");
}

// The constants of a call, in the scope of its node.
class Arguments {
 public:
  Arguments(Graph& graph, std::string_view name, std::string_view op, DType type, Location where)
      : graph_(graph), scope_(graph, name, op), type_(type), where_(where) {}
  Output Size(int64_t size, std::string_view name) const {
    return IntArg(size).In(graph_, name, DType::kInt32, where_);
  }
  Output Number(float value, std::string_view name) const {
    return ConstScalar(graph_, value, type_, {.name = std::string(name)}, where_);
  }
  const std::string& op_name() const { return scope_.op_name(); }

 private:
  Graph& graph_;
  OpScope scope_;
  const DType type_;
  const Location where_;
};

}  // namespace

SelectedBoxes NonMaxSuppression(Output boxes, Output scores, NonMaxSuppressionOptions o,
                                Location where) {
  constexpr std::string_view kOp = "NonMaxSuppressionV5";
  if (!boxes.valid()) return {};
  const Arguments args(*boxes.graph(), o.name, kOp, boxes.value_dtype(), where);
  Node* node = NodeBuilder(*boxes.graph(), kOp, args.op_name(), where)
                   .Input(boxes)
                   .Input(scores)
                   .Input(args.Size(o.max_output_size, "max_output_size"))
                   .Input(args.Number(o.iou_threshold, "iou_threshold"))
                   .Input(args.Number(o.score_threshold, "score_threshold"))
                   .Input(args.Number(o.soft_nms_sigma, "soft_nms_sigma"))
                   .Attr("pad_to_max_output_size", o.pad_to_max_output_size)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

CombinedBoxes CombinedNonMaxSuppression(Output boxes, Output scores, CombinedSuppressionOptions o,
                                        Location where) {
  constexpr std::string_view kOp = "CombinedNonMaxSuppression";
  if (!boxes.valid()) return {};
  const Arguments args(*boxes.graph(), o.name, kOp, DType::kFloat32, where);
  Node* node = NodeBuilder(*boxes.graph(), kOp, args.op_name(), where)
                   .Input(boxes)
                   .Input(scores)
                   .Input(args.Size(o.max_output_size_per_class, "max_output_size_per_class"))
                   .Input(args.Size(o.max_total_size, "max_total_size"))
                   .Input(args.Number(o.iou_threshold, "iou_threshold"))
                   .Input(args.Number(o.score_threshold, "score_threshold"))
                   .Attr("pad_per_class", o.pad_per_class)
                   .Attr("clip_boxes", o.clip_boxes)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2), node->output(3)};
}

void DefineNonMaxSuppression(OpRegistry& ops) {
  DefineSuppression(ops, "NonMaxSuppression")
      .Attr("iou_threshold", 0.5f)
      .Input("boxes", "float32")
      .Input("scores", "float32")
      .Input("max_output_size", "int32")
      .Output("selected_indices", "int32")
      .Cpu({.make = MakeNonMaxSuppressionCpu});
  DefineWithThresholds(ops, "NonMaxSuppressionV2", false);
  DefineWithThresholds(ops, "NonMaxSuppressionV3", true);
  DefineWithThresholds(ops, "NonMaxSuppressionV4", true)
      .Attr("pad_to_max_output_size", false)
      .Output("valid_outputs", "int32");
  DefineSuppression(ops, "NonMaxSuppressionV5")
      .TypeAttr("T", kTypes, DType::kFloat32)
      .Attr("pad_to_max_output_size", false)
      .Input("boxes", "T")
      .Input("scores", "T")
      .Input("max_output_size", "int32")
      .Input("iou_threshold", "T")
      .Input("score_threshold", "T")
      .Input("soft_nms_sigma", "T")
      .Output("selected_indices", "int32")
      .Output("selected_scores", "T")
      .Output("valid_outputs", "int32")
      .Cpu({.types = {{"T", kTypes}}, .make = MakeNonMaxSuppressionCpu});
  DefineOthers(ops);
}

}  // namespace headrace
