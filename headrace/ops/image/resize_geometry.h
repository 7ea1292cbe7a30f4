// Where the pixels of a resized image lie in the image that it is made from.
//
//   HR_ASSIGN_OR_RETURN(const ResizeGeometry g, ResizeGeometry::Of(attrs, images.shape(), size));
//   const float at = g.y.At(row);                        // between two rows of the image
//
// Value types, for the kernels that resize and their definitions.
#pragma once

#include "headrace/graph/attr.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

struct ResizeAttrs {
  bool align_corners = false;       // the centres of corner pixels stay where they are
  bool half_pixel_centers = false;  // pixel i is the interval [i, i + 1], its centre at i + 0.5

  // InvalidArgument if both are set. Ops without `half_pixel_centers` have it false.
  static StatusOr<ResizeAttrs> From(const AttrMap& attrs);
};

// Rows, or columns.
struct ResizeAxis {
  ResizeAxis() = default;
  ResizeAxis(const ResizeAttrs& attrs, int64_t in, int64_t out);

  // In float32 and in this order of operations: the bits are TensorFlow's.
  float At(int64_t i) const {
    const float position = static_cast<float>(i);
    return attrs.half_pixel_centers ? (position + 0.5f) * scale - 0.5f : position * scale;
  }
  // The nearest pixel, as the op of that name takes it.
  int64_t NearestTo(int64_t i) const;
  int64_t Bounded(int64_t i) const { return i < 0 ? 0 : i < in ? i : in - 1; }

  ResizeAttrs attrs;
  int64_t in = 0, out = 0;
  float scale = 1;
};

struct ResizeGeometry {
  int64_t batch = 0, channels = 0;
  ResizeAxis y, x;

  // Of a call: `size` holds height and width of the result. Errors: InvalidArgument for images of
  // another rank or without pixels, sizes below 1.
  static StatusOr<ResizeGeometry> Of(const ResizeAttrs& attrs, const Shape& images,
                                     const Tensor& size);
  // Of a gradient: from images of shape `images` to grads of shape `grads`.
  static StatusOr<ResizeGeometry> Between(const ResizeAttrs& attrs, const Shape& images,
                                          const Shape& grads);

  Shape images() const { return {batch, y.in, x.in, channels}; }
  Shape resized() const { return {batch, y.out, x.out, channels}; }
  int64_t row() const { return x.in * channels; }
  int64_t image() const { return y.in * row(); }
  int64_t resized_row() const { return x.out * channels; }
};

// Shapes of images that are resized must be [batch, height, width, channels]; this is the spatial
// size that `size` states. InvalidArgument for anything but two positive numbers.
StatusOr<std::array<int64_t, 2>> SpatialSize(const Tensor& size, std::string_view what);

}  // namespace headrace
