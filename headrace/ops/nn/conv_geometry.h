// Where windows of convolutions and pooling lie: sizes and padding of one spatial dimension, and
// what the attributes of the ops say. For shape functions and kernels.
//
//   HR_ASSIGN_OR_RETURN(ConvAttrs attrs, ConvAttrs::From(node.attrs()));
//   HR_ASSIGN_OR_RETURN(ConvShape s, ConvShape::Of(attrs, input_shape, filter_shape));
//   s.h.out                                                       // rows of the result
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "headrace/graph/attr.h"
#include "headrace/tensor/shape.h"

namespace headrace {

enum class Padding : uint8_t { kSame, kValid, kExplicit };
StatusOr<Padding> ParsePadding(std::string_view text);

// What a window is that is larger than the image. Most shape functions, which see sizes while a graph
// is built, call it a mistake; kernels, to which only sizes come that were not known then, make a result
// without elements of it, as TensorFlow's do.
enum class TooLarge : uint8_t { kError, kEmpty };

// One spatial dimension. Sizes may be -1 (unknown) in shape functions.
struct Window {
  int64_t in = 0, filter = 1, stride = 1, dilation = 1;
  int64_t pad_before = 0, pad_after = 0;
  int64_t out = 0;

  // Elements from the first to the last that a window touches.
  int64_t extent() const { return (filter - 1) * dilation + 1; }
  // Sets padding and `out` from the rest; explicit padding is what pad_before and pad_after hold.
  // SAME: ceil(in / stride) windows, the padding split evenly, the odd one after. Errors:
  // InvalidArgument when no window fits; with kEmpty when it is larger by more than a stride.
  Status Resolve(Padding padding, TooLarge too_large = TooLarge::kError);
  friend bool operator==(const Window&, const Window&) = default;
};

// Attributes `strides`, `dilations`, `padding`, `explicit_paddings`, `data_format` of a
// convolution.
struct ConvAttrs {
  bool channels_first = false;  // NCHW
  Padding padding = Padding::kValid;
  std::array<int64_t, 2> stride{1, 1}, dilation{1, 1}, pad_before{0, 0},
      pad_after{0, 0};  // height, width

  // Errors: InvalidArgument for lists of another length, numbers below 1, strides over batch or
  // channels.
  static StatusOr<ConvAttrs> From(const AttrMap& attrs);
  int channel_dim() const { return channels_first ? 1 : 3; }
  int spatial_dim(int i) const { return channels_first ? 2 + i : 1 + i; }
  // The shape [batch, channels, height, width] in this layout.
  PartialShape Layout(int64_t batch, int64_t channels, int64_t height, int64_t width) const;
};

// Images are volumes of depth 1.
struct ConvShape {
  int64_t batch = 0, in_channels = 0, out_channels = 0;
  Window d{.in = 1, .out = 1};
  Window h, w;

  // From the shapes of the input (or of its gradient) and of the filter [height, width, in, out].
  // Errors: InvalidArgument for another rank or a window that does not fit; Unimplemented for
  // grouped convolutions.
  static StatusOr<ConvShape> Of(const ConvAttrs& attrs, const Shape& input, const Shape& filter);
  // That out_backprop has the shape that the forward convolution gives.
  Status CheckGradient(const ConvAttrs& attrs, const Shape& out_backprop,
                       std::string_view op) const;

  Shape input(const ConvAttrs& attrs) const {
    return attrs.Layout(batch, in_channels, h.in, w.in).ToShape();
  }
  Shape output(const ConvAttrs& attrs) const {
    return attrs.Layout(batch, out_channels, h.out, w.out).ToShape();
  }
  Shape filter() const { return {h.filter, w.filter, in_channels, out_channels}; }
  // Does it go over depth as well?
  bool is_volume() const { return d.in != 1 || d.filter != 1 || d.out != 1; }
  // Positions of one image, of one image of the result, and of a window.
  int64_t in_size() const { return d.in * h.in * w.in; }
  int64_t out_size() const { return d.out * h.out * w.out; }
  int64_t filter_size() const { return d.filter * h.filter * w.filter; }
  bool empty() const {
    return batch == 0 || in_channels == 0 || out_channels == 0 || in_size() == 0 ||
           out_size() == 0 || filter_size() == 0;
  }
  // Multiplications for one image.
  double macs() const {
    return static_cast<double>(out_size()) * static_cast<double>(filter_size()) *
           static_cast<double>(in_channels * out_channels);
  }
  friend bool operator==(const ConvShape&, const ConvShape&) = default;
};

}  // namespace headrace
