#include "headrace/ops/array/broadcast_axes.h"

#include <algorithm>

namespace headrace {

StatusOr<BroadcastReduction> ReductionOfBroadcast(std::span<const int64_t> s0,
                                                  std::span<const int64_t> s1) {
  BroadcastReduction reduction;
  if (std::ranges::equal(s0, s1)) return reduction;
  const int rank0 = static_cast<int>(s0.size()), rank1 = static_cast<int>(s1.size());
  const int rank = std::max(rank0, rank1);
  if (rank > kMaxRank)
    return InvalidArgument("shapes may have at most ", kMaxRank, " dimensions, got ", rank);
  for (int axis = 0; axis < rank; ++axis) {
    const int i0 = axis - (rank - rank0), i1 = axis - (rank - rank1);
    const int64_t d0 = i0 < 0 ? 1 : s0[i0], d1 = i1 < 0 ? 1 : s1[i1];
    if (d0 != d1 && d0 != 1 && d1 != 1) {
      return InvalidArgument("Incompatible shapes: [", StrJoin(s0, ","), "] vs. [",
                             StrJoin(s1, ","), "]");
    }
    if (d0 == 1) reduction.axes0[reduction.size0++] = axis;
    if (d1 == 1) reduction.axes1[reduction.size1++] = axis;
  }
  return reduction;
}

}  // namespace headrace
