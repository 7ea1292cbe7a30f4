#include "headrace/ops/image/resize_geometry.h"

#include <algorithm>
#include <cmath>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"

namespace headrace {

StatusOr<ResizeAttrs> ResizeAttrs::From(const AttrMap& attrs) {
  const ResizeAttrs result{.align_corners = attrs.GetOr("align_corners", false),
                           .half_pixel_centers = attrs.GetOr("half_pixel_centers", false)};
  if (result.align_corners && result.half_pixel_centers) {
    return InvalidArgument("If half_pixel_centers is True, align_corners must be False.");
  }
  return result;
}

ResizeAxis::ResizeAxis(const ResizeAttrs& attrs, int64_t in, int64_t out)
    : attrs(attrs), in(in), out(out) {
  scale = attrs.align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                         : static_cast<float>(in) / static_cast<float>(out);
}

int64_t ResizeAxis::NearestTo(int64_t i) const {
  // Half a pixel further than At(): the pixel whose interval holds the centre.
  const float position = static_cast<float>(i);
  const float at = attrs.half_pixel_centers ? (position + 0.5f) * scale : position * scale;
  return Bounded(static_cast<int64_t>(attrs.align_corners ? std::round(at) : std::floor(at)));
}

StatusOr<std::array<int64_t, 2>> SpatialSize(const Tensor& size, std::string_view what) {
  if (size.shape().rank() != 1) {
    return InvalidArgument(what, " must be 1-dimensional, got shape ", size.shape().ToString());
  }
  if (size.num_elements() != 2) {
    return InvalidArgument(what, " must have two elements, got shape ", size.shape().ToString());
  }
  const std::array<int64_t, 2> result = {IntAt(size, 0), IntAt(size, 1)};
  if (result[0] <= 0 || result[1] <= 0) {
    return InvalidArgument("output dimensions must be positive, got ", result[0], " x ", result[1]);
  }
  return result;
}

namespace {

Status CheckImages(const Shape& images) {
  if (images.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional, got shape ", images.ToString());
  }
  if (images[3] <= 0) {
    return InvalidArgument("image must have at least one channel, got shape ", images.ToString());
  }
  if (images[1] <= 0 || images[2] <= 0) {
    return InvalidArgument("input image must be of non-zero size, got shape ", images.ToString());
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<ResizeGeometry> ResizeGeometry::Of(const ResizeAttrs& attrs, const Shape& images,
                                            const Tensor& size) {
  HR_RETURN_IF_ERROR(CheckImages(images));
  HR_ASSIGN_OR_RETURN(const auto out, SpatialSize(size, "size"));
  // The sizes are the caller's: their product may be beyond what there are numbers for.
  HR_RETURN_IF_ERROR(
      Shape::Make(std::array<int64_t, 4>{images[0], out[0], out[1], images[3]}).status());
  return ResizeGeometry{.batch = images[0],
                        .channels = images[3],
                        .y = ResizeAxis(attrs, images[1], out[0]),
                        .x = ResizeAxis(attrs, images[2], out[1])};
}

StatusOr<ResizeGeometry> ResizeGeometry::Between(const ResizeAttrs& attrs, const Shape& images,
                                                 const Shape& grads) {
  HR_RETURN_IF_ERROR(CheckImages(images));
  if (grads.rank() != 4 || grads[0] != images[0] || grads[3] != images[3] || grads[1] <= 0 ||
      grads[2] <= 0) {
    return InvalidArgument("grads must be [", images[0], ", height, width, ", images[3],
                           "] for images of shape ", images.ToString(), ", got shape ",
                           grads.ToString());
  }
  return ResizeGeometry{.batch = images[0],
                        .channels = images[3],
                        .y = ResizeAxis(attrs, images[1], grads[1]),
                        .x = ResizeAxis(attrs, images[2], grads[2])};
}

}  // namespace headrace
