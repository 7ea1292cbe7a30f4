// What the attributes of pooling over volumes say. For shape functions and kernels.
//
//   HR_ASSIGN_OR_RETURN(Pool3DAttrs attrs, Pool3DAttrs::From(node.attrs()));
//   HR_ASSIGN_OR_RETURN(PoolShape s, attrs.ShapeOf(input_shape));
#pragma once

#include <array>

#include "headrace/ops/nn/pool_geometry.h"

namespace headrace {

struct Pool3DAttrs {
  bool channels_first = false;  // NCDHW
  Padding padding = Padding::kValid;
  std::array<int64_t, 3> size{1, 1, 1}, stride{1, 1, 1};  // depth, height, width

  // Errors: InvalidArgument for lists of another length or numbers below 1; Unimplemented for
  // windows over batch or channels.
  static StatusOr<Pool3DAttrs> From(const AttrMap& attrs);
  int channel_dim() const { return channels_first ? 1 : 4; }
  int spatial_dim(int i) const { return channels_first ? 2 + i : 1 + i; }
  // Shape of the result; unknown dimensions stay so. Errors: InvalidArgument for a known rank other
  // than 5, and for a window larger than the volume.
  StatusOr<PartialShape> OutputShape(const PartialShape& input,
                                     TooLarge too_large = TooLarge::kError) const;
  StatusOr<PoolShape> ShapeOf(const Shape& input) const;
};

}  // namespace headrace
