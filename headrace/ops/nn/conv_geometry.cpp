#include "headrace/ops/nn/conv_geometry.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {

StatusOr<Padding> ParsePadding(std::string_view text) {
  if (text == "SAME") return Padding::kSame;
  if (text == "VALID") return Padding::kValid;
  if (text == "EXPLICIT") return Padding::kExplicit;
  return InvalidArgument("padding must be SAME, VALID or EXPLICIT, got '", text, "'");
}

Status Window::Resolve(Padding padding, TooLarge too_large) {
  if (stride < 1) return InvalidArgument("Stride must be > 0, but got ", stride);
  if (dilation < 1) return InvalidArgument("Dilation rate must be >= 1, but got ", dilation);
  if (padding == Padding::kValid) pad_before = pad_after = 0;
  if (in < 0 || filter < 0) {
    if (padding == Padding::kSame) pad_before = pad_after = 0;
    // One window for each stride under SAME, whatever the filter is.
    out = padding == Padding::kSame && in >= 0 ? (in + stride - 1) / stride : -1;
    return absl::OkStatus();
  }
  if (padding == Padding::kSame) {
    out = (in + stride - 1) / stride;
    const int64_t needed = std::max<int64_t>(0, (out - 1) * stride + extent() - in);
    pad_before = needed / 2;
    pad_after = needed - pad_before;
    return absl::OkStatus();
  }
  const int64_t padded = in + pad_before + pad_after;
  if (padded < extent() && too_large == TooLarge::kEmpty) {
    out = (padded - extent() + stride) / stride;  // towards 0
    if (out == 0) return absl::OkStatus();
    return InvalidArgument("Computed output size would be negative: ", out, " [input_size: ", in,
                           ", effective_filter_size: ", extent(), ", stride: ", stride, "]");
  }
  if (padded < extent()) {
    return InvalidArgument("Negative dimension size caused by subtracting ", extent(),
                           " (the window) from ", padded, " (the input)");
  }
  out = (padded - extent()) / stride + 1;
  return absl::OkStatus();
}

namespace {

// The two spatial entries of a list of four in the order of the data format. Batch and channels
// must be 1.
StatusOr<std::array<int64_t, 2>> SpatialPair(const AttrMap& attrs, std::string_view name,
                                             bool channels_first, std::string_view of_what) {
  const AttrValue* value = attrs.Find(name);
  if (value == nullptr) return std::array<int64_t, 2>{1, 1};
  const AttrValue::Ints& list = *value->As<AttrValue::Ints>();
  if (list.size() != 4)
    return InvalidArgument(name, " must specify 4 dimensions, got ", list.size());
  if (list[0] != 1 || list[channels_first ? 1 : 3] != 1) {
    return InvalidArgument("Current implementation does not yet support ", of_what,
                           " in the batch and depth dimensions: ", name, " = [", StrJoin(list, ","),
                           "]");
  }
  const std::array<int64_t, 2> pair{list[channels_first ? 2 : 1], list[channels_first ? 3 : 2]};
  if (pair[0] < 1 || pair[1] < 1) {
    return InvalidArgument(name, " must be > 0, got [", StrJoin(list, ","), "]");
  }
  return pair;
}

}  // namespace

StatusOr<ConvAttrs> ConvAttrs::From(const AttrMap& attrs) {
  ConvAttrs result;
  result.channels_first = attrs.GetOr<std::string>("data_format", "NHWC") == "NCHW";
  HR_ASSIGN_OR_RETURN(result.padding, ParsePadding(attrs.Get<std::string>("padding")));
  HR_ASSIGN_OR_RETURN(result.stride,
                      SpatialPair(attrs, "strides", result.channels_first, "strides"));
  HR_ASSIGN_OR_RETURN(result.dilation,
                      SpatialPair(attrs, "dilations", result.channels_first, "dilations"));
  const AttrValue* value = attrs.Find("explicit_paddings");
  const AttrValue::Ints none;
  const AttrValue::Ints& list = value == nullptr ? none : *value->As<AttrValue::Ints>();
  if (result.padding != Padding::kExplicit) {
    if (list.empty()) return result;
    return InvalidArgument("explicit_paddings must be empty unless padding is EXPLICIT, got [",
                           StrJoin(list, ","), "]");
  }
  if (list.size() != 8) {
    return InvalidArgument(
        "explicit_paddings must have 8 values (before and after for each dimension), got ",
        list.size());
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const int dim = static_cast<int>(i / 2);
    if (list[i] < 0)
      return InvalidArgument("explicit_paddings must be nonnegative, got [", StrJoin(list, ","),
                             "]");
    if ((dim == 0 || dim == result.channel_dim()) && list[i] != 0) {
      return InvalidArgument(
          "Nonzero explicit padding in the batch or depth dimensions is not supported: [",
          StrJoin(list, ","), "]");
    }
  }
  for (int i = 0; i < 2; ++i) {
    result.pad_before[i] = list[2 * result.spatial_dim(i)];
    result.pad_after[i] = list[2 * result.spatial_dim(i) + 1];
  }
  return result;
}

PartialShape ConvAttrs::Layout(int64_t batch, int64_t channels, int64_t height,
                               int64_t width) const {
  if (channels_first) return {batch, channels, height, width};
  return {batch, height, width, channels};
}

StatusOr<ConvShape> ConvShape::Of(const ConvAttrs& attrs, const Shape& input, const Shape& filter) {
  if (input.rank() != 4) return InvalidArgument("input must be 4-dimensional", input.ToString());
  if (filter.rank() != 4)
    return InvalidArgument("filter must be 4-dimensional: ", filter.ToString());
  ConvShape s;
  s.batch = input[0];
  s.in_channels = input[attrs.channel_dim()];
  s.out_channels = filter[3];
  if (s.in_channels != filter[2]) {
    if (filter[2] > 0 && s.in_channels % filter[2] == 0) {
      return Unimplemented(
          "The Conv2D op currently does not support grouped convolutions on the CPU. A grouped "
          "convolution "
          "was attempted to be run because the input depth of ",
          s.in_channels, " does not match the filter input depth of ", filter[2]);
    }
    return InvalidArgument("input depth must be evenly divisible by filter depth: ", s.in_channels, " vs ",
                           filter[2]);
  }
  for (int i = 0; i < 2; ++i) {
    Window& window = i == 0 ? s.h : s.w;
    window = {.in = input[attrs.spatial_dim(i)],
              .filter = filter[i],
              .stride = attrs.stride[i],
              .dilation = attrs.dilation[i],
              .pad_before = attrs.pad_before[i],
              .pad_after = attrs.pad_after[i]};
    HR_RETURN_IF_ERROR(window.Resolve(attrs.padding, TooLarge::kEmpty));
  }
  return s;
}

Status ConvShape::CheckGradient(const ConvAttrs& attrs, const Shape& out_backprop,
                                std::string_view op) const {
  if (out_backprop == output(attrs)) [[likely]]
    return absl::OkStatus();
  if (out_backprop.rank() != 4) {
    return InvalidArgument(op, ": out_backprop must be 4-dimensional, got ",
                           out_backprop.ToString());
  }
  if (out_backprop[0] != batch) {
    return InvalidArgument(
        op, ": input and out_backprop must have the same batch size; input batch: ", batch,
        ", out_backprop batch: ", out_backprop[0]);
  }
  if (out_backprop[attrs.channel_dim()] != out_channels) {
    return InvalidArgument(op,
                           ": filter and out_backprop must have the same out_depth: ", out_channels,
                           " vs ", out_backprop[attrs.channel_dim()]);
  }
  return InvalidArgument(op, ": Size of out_backprop doesn't match computed: actual = ",
                         out_backprop.ToString(), ", computed = ", output(attrs).ToString());
}

}  // namespace headrace
