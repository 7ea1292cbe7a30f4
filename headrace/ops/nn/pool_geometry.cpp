#include "headrace/ops/nn/pool_geometry.h"

#include "headrace/base/strings.h"

namespace headrace {
namespace {

Status CheckList(std::string_view what, std::span<const int64_t> list) {
  if (list.size() != 4)
    return InvalidArgument("Sliding window ", what, " field must specify 4 dimensions, got ",
                           list.size());
  for (const int64_t value : list) {
    if (value < 1)
      return InvalidArgument("Sliding window ", what, " must be positive, got [",
                             StrJoin(list, ","), "]");
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<PoolAttrs> PoolAttrs::From(const AttrMap& attrs) {
  return From(attrs, attrs.Get<AttrValue::Ints>("ksize"), attrs.Get<AttrValue::Ints>("strides"));
}

StatusOr<PoolAttrs> PoolAttrs::From(const AttrMap& attrs, std::span<const int64_t> ksize,
                                    std::span<const int64_t> strides) {
  HR_RETURN_IF_ERROR(CheckList("ksize", ksize));
  HR_RETURN_IF_ERROR(CheckList("strides", strides));
  PoolAttrs result;
  result.channels_first = attrs.GetOr<std::string>("data_format", "NHWC") == "NCHW";
  HR_ASSIGN_OR_RETURN(result.padding, ParsePadding(attrs.Get<std::string>("padding")));
  if (result.padding == Padding::kExplicit)
    return InvalidArgument("padding of a pool must be SAME or VALID");
  if (ksize[0] != 1 || strides[0] != 1)
    return Unimplemented("Pooling is not yet supported on the batch dimension.");
  for (int i = 0; i < 2; ++i) {
    result.size[i] = ksize[result.spatial_dim(i)];
    result.stride[i] = strides[result.spatial_dim(i)];
  }
  result.depth_size = ksize[result.channel_dim()];
  const int64_t depth_stride = strides[result.channel_dim()];
  if (result.depth_size == 1 && depth_stride == 1) return result;
  if (result.size[0] != 1 || result.size[1] != 1 || result.stride[0] != 1 ||
      result.stride[1] != 1) {
    return Unimplemented(
        "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  }
  if (result.depth_size != depth_stride) {
    return Unimplemented(
        "Depthwise max pooling requires the depth window to equal the depth stride, got ",
        result.depth_size, " and ", depth_stride);
  }
  return result;
}

StatusOr<PartialShape> PoolAttrs::OutputShape(const PartialShape& input, TooLarge too_large) const {
  PartialShape out = input.has_rank() ? input : PartialShape::OfRank(4);
  if (out.rank() != 4) {
    return InvalidArgument(
        "tensor_in must have 4 dimensions (batch, 2 spatial ones, channels), got shape ",
        out.ToString());
  }
  for (int i = 0; i < 2; ++i) {
    Window window{.in = out[spatial_dim(i)], .filter = size[i], .stride = stride[i]};
    HR_RETURN_IF_ERROR(window.Resolve(padding, too_large));
    out.set_dim(spatial_dim(i), window.out);
  }
  const int64_t depth = out[channel_dim()];
  if (depth_size != 1 && depth >= 0) {
    if (depth % depth_size != 0) {
      return Unimplemented(
          "Depthwise max pooling requires the depth window to evenly divide the input depth (",
          depth, " by ", depth_size, ")");
    }
    out.set_dim(channel_dim(), depth / depth_size);
  }
  return out;
}

StatusOr<PoolShape> PoolShape::Of(const PoolAttrs& attrs, const Shape& input) {
  HR_RETURN_IF_ERROR(attrs.OutputShape(input, TooLarge::kEmpty).status());
  PoolShape s;
  for (int i = 0; i < 2; ++i) {
    Window& window = i == 0 ? s.h : s.w;
    window = {
        .in = input[attrs.spatial_dim(i)], .filter = attrs.size[i], .stride = attrs.stride[i]};
    HR_RETURN_IF_ERROR(window.Resolve(attrs.padding, TooLarge::kEmpty));
  }
  s.batch = input[0];
  s.channels = input[attrs.channel_dim()];
  if (attrs.channels_first) {
    s.batch *= s.channels;
    s.channels = 1;
  }
  return s;
}

}  // namespace headrace
