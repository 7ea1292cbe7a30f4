#include "headrace/ops/nn/conv3d_geometry.h"

#include "headrace/base/strings.h"

namespace headrace {
namespace {

// The three spatial entries of a list of five in the order of the data format. Batch and channels
// must be 1.
StatusOr<std::array<int64_t, 3>> SpatialTriple(const AttrMap& attrs, std::string_view name,
                                               bool channels_first) {
  const bool strides = name == "strides";
  const AttrValue* value = attrs.Find(name);
  if (value == nullptr) return std::array<int64_t, 3>{1, 1, 1};
  const AttrValue::Ints& list = *value->As<AttrValue::Ints>();
  if (list.size() != 5) {
    return InvalidArgument("Conv3D requires the ", strides ? "stride" : "dilation",
                           " attribute to contain 5 values, but got: ", list.size());
  }
  if (list[0] != 1 || list[channels_first ? 1 : 4] != 1) {
    return InvalidArgument("Current implementation does not yet support ", name,
                           " in the batch and depth dimensions: ", name, " = [", StrJoin(list, ","),
                           "]");
  }
  std::array<int64_t, 3> triple;
  for (int i = 0; i < 3; ++i) {
    triple[i] = list[static_cast<size_t>(channels_first ? 2 + i : 1 + i)];
    if (triple[i] < 1) {
      return InvalidArgument(strides ? "Stride" : "Dilation rate", " must be > 0, but got ",
                             triple[i]);
    }
  }
  return triple;
}

}  // namespace

StatusOr<Conv3DAttrs> Conv3DAttrs::From(const AttrMap& attrs) {
  Conv3DAttrs result;
  result.channels_first = attrs.GetOr<std::string>("data_format", "NDHWC") == "NCDHW";
  HR_ASSIGN_OR_RETURN(result.padding, ParsePadding(attrs.Get<std::string>("padding")));
  HR_ASSIGN_OR_RETURN(result.stride, SpatialTriple(attrs, "strides", result.channels_first));
  HR_ASSIGN_OR_RETURN(result.dilation, SpatialTriple(attrs, "dilations", result.channels_first));
  return result;
}

PartialShape Conv3DAttrs::Layout(int64_t batch, int64_t channels,
                                 std::array<int64_t, 3> sizes) const {
  if (channels_first) return {batch, channels, sizes[0], sizes[1], sizes[2]};
  return {batch, sizes[0], sizes[1], sizes[2], channels};
}

StatusOr<Window> Conv3DAttrs::WindowOf(int i, int64_t size, int64_t filter,
                                       TooLarge too_large) const {
  Window window{.in = size, .filter = filter, .stride = stride[i], .dilation = dilation[i]};
  HR_RETURN_IF_ERROR(window.Resolve(padding, too_large));
  return window;
}

StatusOr<ConvShape> Conv3DAttrs::ShapeOf(const Shape& input, const Shape& filter) const {
  if (input.rank() != 5)
    return InvalidArgument("input must be 5-dimensional, got ", input.ToString());
  if (filter.rank() != 5)
    return InvalidArgument("filter must be 5-dimensional, got ", filter.ToString());
  ConvShape s{.batch = input[0], .in_channels = input[channel_dim()], .out_channels = filter[4]};
  if (s.in_channels != filter[3]) {
    if (filter[3] > 0 && s.in_channels % filter[3] == 0) {
      return Unimplemented("grouped convolutions are not supported: the input has ", s.in_channels,
                           " channels, the filter ", filter[3]);
    }
    return InvalidArgument("Input depth must be evenly divisible by filter depth: ", s.in_channels,
                           " vs ", filter[3]);
  }
  HR_ASSIGN_OR_RETURN(s.d, WindowOf(0, input[spatial_dim(0)], filter[0], TooLarge::kEmpty));
  HR_ASSIGN_OR_RETURN(s.h, WindowOf(1, input[spatial_dim(1)], filter[1], TooLarge::kEmpty));
  HR_ASSIGN_OR_RETURN(s.w, WindowOf(2, input[spatial_dim(2)], filter[2], TooLarge::kEmpty));
  return s;
}

Status Conv3DAttrs::CheckGradient(const ConvShape& s, const Shape& out_backprop,
                                  std::string_view op) const {
  const Shape expected = OutputShape(s);
  if (out_backprop == expected) [[likely]]
    return absl::OkStatus();
  if (out_backprop.rank() != 5) {
    return InvalidArgument(op, ": out_backprop must be 5-dimensional, got ",
                           out_backprop.ToString());
  }
  if (out_backprop[0] != s.batch) {
    return InvalidArgument(
        op, ": input and out_backprop must have the same batch size; input batch: ", s.batch,
        ", out_backprop batch: ", out_backprop[0]);
  }
  if (out_backprop[channel_dim()] != s.out_channels) {
    return InvalidArgument(op, ": filter and out_backprop must have the same out_depth: ",
                           s.out_channels, " vs ", out_backprop[channel_dim()]);
  }
  return InvalidArgument(op, ": Size of out_backprop doesn't match computed: actual = ",
                         out_backprop.ToString(), ", computed = ", expected.ToString());
}

}  // namespace headrace
