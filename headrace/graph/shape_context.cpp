#include "headrace/graph/shape_context.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

// "input 1 ('b')".
std::string InputText(const Node& node, int i) {
  return StrCat("input ", i, " ('", node.op().InputArg(node.attrs(), i).name, "')");
}

std::optional<std::vector<int64_t>> Ints(const Tensor& value) {
  if (value.dtype() == DType::kInt32) {
    const std::span<const int32_t> flat = value.flat<int32_t>();
    return std::vector<int64_t>(flat.begin(), flat.end());
  }
  if (value.dtype() == DType::kInt64) {
    const std::span<const int64_t> flat = value.flat<int64_t>();
    return std::vector<int64_t>(flat.begin(), flat.end());
  }
  return std::nullopt;
}

}  // namespace

ShapeContext::ShapeContext(const Node& node, std::span<const PartialShape> inputs,
                           std::function<const Tensor*(int)> value_of,
                           std::function<PartialShape(int)> shape_of)
    : node_(node),
      inputs_(inputs.begin(), inputs.end()),
      outputs_(static_cast<size_t>(node.num_outputs())),
      value_of_(std::move(value_of)),
      shape_of_(std::move(shape_of)) {}

StatusOr<PartialShape> ShapeContext::WithRank(int i, int rank) const {
  const PartialShape& shape = inputs_[i];
  if (!shape.has_rank()) return PartialShape::OfRank(rank);
  if (shape.rank() == rank) return shape;
  return InvalidArgument(InputText(node_, i), " must have rank ", rank, ", got shape ",
                         shape.ToString());
}

StatusOr<PartialShape> ShapeContext::WithRankAtLeast(int i, int rank) const {
  const PartialShape& shape = inputs_[i];
  if (!shape.has_rank() || shape.rank() >= rank) return shape;
  return InvalidArgument(InputText(node_, i), " must have rank >= ", rank, ", got shape ",
                         shape.ToString());
}

Status ShapeContext::CheckScalar(int i) const {
  const PartialShape& shape = inputs_[i];
  if (!shape.has_rank() || shape.rank() == 0) return absl::OkStatus();
  return InvalidArgument(InputText(node_, i), " must be a scalar, got shape ", shape.ToString());
}

Status ShapeContext::CheckEqualDims(int64_t a, int64_t b, std::string_view what_a,
                                    std::string_view what_b) const {
  if (a < 0 || b < 0 || a == b) return absl::OkStatus();
  return InvalidArgument(what_a, " (", a, ") and ", what_b, " (", b, ") must be equal");
}

StatusOr<PartialShape> ShapeContext::InputAsShape(int i, bool allow_unknown) const {
  const PartialShape& given = inputs_[i];
  const Tensor* value = input_value(i);
  if (value == nullptr) {
    // A scalar -1 may still come, where that is allowed: it states an unknown shape.
    if (given.has_rank() && given.rank() != 1 && !(allow_unknown && given.rank() == 0)) {
      return InvalidArgument(InputText(node_, i), " must be a vector, got shape ",
                             given.ToString());
    }
    if (given.rank() == 1 && given[0] > kMaxRank) {
      return InvalidArgument(InputText(node_, i), " states ", given[0], " dimensions; at most ",
                             kMaxRank);
    }
    if (shape_of_ != nullptr) {
      const PartialShape partial = shape_of_(i);
      if (partial.has_rank()) return partial;
    }
    if (given.rank() != 1 || given[0] < 0) return PartialShape();
    return PartialShape::OfRank(static_cast<int>(given[0]));
  }
  const std::optional<std::vector<int64_t>> dims = Ints(*value);
  if (!dims)
    return InvalidArgument(InputText(node_, i), " must be int32 or int64, is ",
                           DTypeName(value->dtype()));
  if (value->rank() == 0 && allow_unknown && (*dims)[0] == -1) return PartialShape();
  if (value->rank() != 1) {
    return InvalidArgument(InputText(node_, i), " must be a vector, got shape ",
                           value->shape().ToString());
  }
  for (int64_t dim : *dims) {
    if (dim < (allow_unknown ? -1 : 0)) {
      return InvalidArgument(InputText(node_, i), " states a dimension of ", dim,
                             "; must be >= ", allow_unknown ? -1 : 0);
    }
  }
  return PartialShape::Make(*dims);
}

std::optional<std::vector<int64_t>> ShapeContext::InputAsInts(int i) const {
  const Tensor* value = input_value(i);
  if (value == nullptr) return std::nullopt;
  return Ints(*value);
}

StatusOr<int> ShapeContext::NormalizeAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    return InvalidArgument("axis ", axis, " is out of range for rank ", rank);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Status NoShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, PartialShape()));
  return absl::OkStatus();
}

Status ScalarShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i)
    HR_RETURN_IF_ERROR(c.SetOutput(i, PartialShape::OfRank(0)));
  return absl::OkStatus();
}

Status SameShapeAsInput(ShapeContext& c) {
  const PartialShape shape = c.input(0);
  for (int i = 0; i < c.num_outputs(); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, shape));
  return absl::OkStatus();
}

Status BroadcastShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape shape, BroadcastShapes(c.input(0), c.input(1)));
  return c.SetOutput(0, shape);
}

Status MergedInputShape(ShapeContext& c) {
  PartialShape merged;
  for (int i = 0; i < c.num_inputs(); ++i) {
    StatusOr<PartialShape> both = merged.MergedWith(c.input(i));
    if (!both.ok()) {
      return InvalidArgument("all inputs must have the same shape; ", InputText(c.node(), i),
                             " has shape ", c.input(i).ToString(), ", those before it ",
                             merged.ToString());
    }
    merged = *both;
  }
  for (int i = 0; i < c.num_outputs(); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, merged));
  return absl::OkStatus();
}

}  // namespace headrace
