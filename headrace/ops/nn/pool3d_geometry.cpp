#include "headrace/ops/nn/pool3d_geometry.h"

#include "headrace/base/strings.h"

namespace headrace {
namespace {

StatusOr<std::array<int64_t, 3>> SpatialTriple(const AttrMap& attrs, std::string_view name,
                                               bool channels_first) {
  const AttrValue::Ints list = attrs.Get<AttrValue::Ints>(name);
  if (list.size() != 5) {
    return InvalidArgument("Pooling over volumes requires the ", name,
                           " attribute to contain 5 values, but got: ", list.size());
  }
  for (const int64_t value : list) {
    if (value < 1)
      return InvalidArgument("Sliding window ", name, " must be positive, got [",
                             StrJoin(list, ","), "]");
  }
  if (list[0] != 1) return Unimplemented("Pooling is not yet supported on the batch dimension.");
  if (list[channels_first ? 1 : 4] != 1)
    return Unimplemented("Pooling is not yet supported on the depth dimension.");
  const size_t first = channels_first ? 2 : 1;
  return std::array<int64_t, 3>{list[first], list[first + 1], list[first + 2]};
}

}  // namespace

StatusOr<Pool3DAttrs> Pool3DAttrs::From(const AttrMap& attrs) {
  Pool3DAttrs result;
  result.channels_first = attrs.Get<std::string>("data_format") == "NCDHW";
  HR_ASSIGN_OR_RETURN(result.padding, ParsePadding(attrs.Get<std::string>("padding")));
  HR_ASSIGN_OR_RETURN(result.size, SpatialTriple(attrs, "ksize", result.channels_first));
  HR_ASSIGN_OR_RETURN(result.stride, SpatialTriple(attrs, "strides", result.channels_first));
  return result;
}

StatusOr<PartialShape> Pool3DAttrs::OutputShape(const PartialShape& input,
                                                TooLarge too_large) const {
  PartialShape out = input.has_rank() ? input : PartialShape::OfRank(5);
  if (out.rank() != 5) {
    return InvalidArgument(
        "the input of a pool must have 5 dimensions (batch, 3 spatial ones, channels), got shape ",
        out.ToString());
  }
  for (int i = 0; i < 3; ++i) {
    Window window{.in = out[spatial_dim(i)], .filter = size[i], .stride = stride[i]};
    HR_RETURN_IF_ERROR(window.Resolve(padding, too_large));
    out.set_dim(spatial_dim(i), window.out);
  }
  return out;
}

StatusOr<PoolShape> Pool3DAttrs::ShapeOf(const Shape& input) const {
  HR_RETURN_IF_ERROR(OutputShape(input, TooLarge::kEmpty).status());
  PoolShape s{.batch = input[0], .channels = input[channel_dim()]};
  Window* windows[] = {&s.d, &s.h, &s.w};
  for (int i = 0; i < 3; ++i) {
    *windows[i] = {.in = input[spatial_dim(i)], .filter = size[i], .stride = stride[i]};
    HR_RETURN_IF_ERROR(windows[i]->Resolve(padding, TooLarge::kEmpty));
  }
  if (channels_first) {
    s.batch *= s.channels;
    s.channels = 1;
  }
  return s;
}

}  // namespace headrace
