// What the attributes of convolutions over volumes say. For shape functions and kernels.
//
//   HR_ASSIGN_OR_RETURN(Conv3DAttrs attrs, Conv3DAttrs::From(node.attrs()));
//   HR_ASSIGN_OR_RETURN(ConvShape s, attrs.ShapeOf(input_shape, filter_shape));
#pragma once

#include <array>

#include "headrace/ops/nn/conv_geometry.h"

namespace headrace {

struct Conv3DAttrs {
  bool channels_first = false;  // NCDHW
  Padding padding = Padding::kValid;
  std::array<int64_t, 3> stride{1, 1, 1}, dilation{1, 1, 1};  // depth, height, width

  // Errors: InvalidArgument for lists of another length, numbers below 1, strides over batch or
  // channels.
  static StatusOr<Conv3DAttrs> From(const AttrMap& attrs);
  int channel_dim() const { return channels_first ? 1 : 4; }
  int spatial_dim(int i) const { return channels_first ? 2 + i : 1 + i; }
  // The shape [batch, channels, sizes] in this layout.
  PartialShape Layout(int64_t batch, int64_t channels, std::array<int64_t, 3> sizes) const;

  // Where the windows lie: `size` and `filter` may be -1 (unknown).
  StatusOr<Window> WindowOf(int i, int64_t size, int64_t filter,
                            TooLarge too_large = TooLarge::kError) const;
  // From the shapes of the input (or of its gradient) and of the filter [depth, height, width, in,
  // out]. Errors: InvalidArgument for another rank or a window that does not fit; Unimplemented for
  // grouped convolutions.
  StatusOr<ConvShape> ShapeOf(const Shape& input, const Shape& filter) const;
  Shape OutputShape(const ConvShape& s) const {
    return Layout(s.batch, s.out_channels, {s.d.out, s.h.out, s.w.out}).ToShape();
  }
  // That out_backprop has the shape that the forward convolution gives.
  Status CheckGradient(const ConvShape& s, const Shape& out_backprop, std::string_view op) const;
};

}  // namespace headrace
