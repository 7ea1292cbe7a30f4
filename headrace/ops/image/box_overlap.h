// Boxes as two opposite corners, and what the suppression of overlapping ones reads.
//
//   float same = Overlap(Corners::Of(a), Corners::Of(b));   // 0: apart, 1: equal
//
// Value types and pure functions.
#pragma once

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

struct Corners {
  float top, left, bottom, right;

  // Any two opposite corners.
  static Corners Of(const float* box) {
    return {std::min(box[0], box[2]), std::min(box[1], box[3]), std::max(box[0], box[2]),
            std::max(box[1], box[3])};
  }
  float Area() const { return (bottom - top) * (right - left); }
};

// Intersection over union; 0 of a box without area.
inline float Overlap(const Corners& a, const Corners& b) {
  const float area_a = a.Area(), area_b = b.Area();
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0f);
  const float width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0f);
  return height * width / (area_a + area_b - height * width);
}

// One number of float16 or float32.
inline StatusOr<float> FloatScalar(const Tensor& tensor, std::string_view what) {
  if (!tensor.shape().is_scalar())
    return InvalidArgument(what, " must be 0-D, got shape ", tensor.shape().ToString());
  return tensor.dtype() == DType::kFloat16 ? float(tensor.data<Half>()[0])
                                           : tensor.data<float>()[0];
}

// One int32 >= 0.
inline StatusOr<int64_t> SizeScalar(const Tensor& tensor, std::string_view what) {
  if (!tensor.shape().is_scalar())
    return InvalidArgument(what, " must be 0-D, got shape ", tensor.shape().ToString());
  const int64_t size = tensor.data<int32_t>()[0];
  if (size < 0) return InvalidArgument(what, " must not be negative, got ", size);
  return size;
}

// A scalar in [0, 1].
inline StatusOr<float> Threshold(const Tensor& tensor) {
  HR_ASSIGN_OR_RETURN(const float threshold, FloatScalar(tensor, "iou_threshold"));
  if (!(threshold >= 0 && threshold <= 1))
    return InvalidArgument("iou_threshold must be in [0, 1], got ", threshold);
  return threshold;
}

}  // namespace headrace
