// What the attributes of pooling ops say, and where their windows lie. For shape functions and
// kernels.
//
//   HR_ASSIGN_OR_RETURN(PoolAttrs attrs, PoolAttrs::From(node.attrs()));
//   HR_ASSIGN_OR_RETURN(PoolShape s, PoolShape::Of(attrs, input_shape));
#pragma once

#include <array>
#include <span>

#include "headrace/ops/nn/conv_geometry.h"

namespace headrace {

struct PoolAttrs {
  bool channels_first = false;
  Padding padding = Padding::kValid;
  std::array<int64_t, 2> size{1, 1}, stride{1, 1};  // height, width
  int64_t depth_size = 1;                           // channels of a window; the stride is the same

  // Errors: InvalidArgument for lists of another length or numbers below 1; Unimplemented for
  // windows over the batch, or over channels and space at once.
  static StatusOr<PoolAttrs> From(const AttrMap& attrs);
  // Padding and data format from the attributes, the rest from inputs (the V2 ops).
  static StatusOr<PoolAttrs> From(const AttrMap& attrs, std::span<const int64_t> ksize,
                                  std::span<const int64_t> strides);
  int channel_dim() const { return channels_first ? 1 : 3; }
  int spatial_dim(int i) const { return channels_first ? 2 + i : 1 + i; }
  // Shape of the result; unknown dimensions stay so. REQUIRES: rank 4 or unknown rank.
  StatusOr<PartialShape> OutputShape(const PartialShape& input,
                                     TooLarge too_large = TooLarge::kError) const;
};

// Images of neighbouring channels: what the loops work on. NCHW images become more images of one
// channel. Images are volumes of depth 1.
struct PoolShape {
  int64_t batch = 0, channels = 0;
  Window d{.in = 1, .out = 1};
  Window h, w;

  static StatusOr<PoolShape> Of(const PoolAttrs& attrs, const Shape& input);
  int64_t image() const { return d.in * h.in * w.in * channels; }
  int64_t row() const { return w.out * channels; }  // of the result
  int64_t rows() const { return d.out * h.out; }    // of an image of the result
  // Does each element of the image lie in exactly one window?
  bool tiles() const {
    const auto tiled = [](const Window& w) {
      return w.filter == w.stride && w.in == w.out * w.stride;
    };
    return tiled(d) && tiled(h) && tiled(w);
  }
  friend bool operator==(const PoolShape&, const PoolShape&) = default;
};

}  // namespace headrace
