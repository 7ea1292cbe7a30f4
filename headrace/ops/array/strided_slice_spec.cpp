#include "headrace/ops/array/strided_slice_spec.h"

#include <algorithm>

namespace headrace {
namespace {

constexpr int kNewAxis = -1, kShrunk = -2;

// The specification with exactly one entry for each dimension of the input.
struct DenseSpec {
  struct Entry {
    int64_t begin = 0, end = 0, stride = 1;
    bool begin_masked = true, end_masked = true, shrink = false;
  };
  std::array<Entry, kMaxRank> entries;
  // Which dimension each one of the result is, or kNewAxis, kShrunk.
  std::array<int, 3 * kMaxRank> result;
  int results = 0;
};

bool Bit(int64_t mask, int i) {
  return (mask >> i & 1) != 0;
}

StatusOr<DenseSpec> Expand(int rank, const IntValues* begin, const IntValues* end,
                           const IntValues& strides, const StridedSliceMasks& masks) {
  const int n = strides.size();
  int ellipsis = -1, new_after_ellipsis = 0;
  for (int i = 0; i < n; ++i) {
    if (Bit(masks.ellipsis, i)) {
      if (ellipsis >= 0) return InvalidArgument("Multiple ellipses in slice spec not allowed");
      ellipsis = i;
    } else if (ellipsis >= 0 && Bit(masks.new_axis, i)) {
      ++new_after_ellipsis;
    }
  }
  DenseSpec dense;
  int at = 0;
  for (int i = 0; i <= n; ++i) {
    if (i == ellipsis || (i == n && ellipsis < 0)) {  // a missing ellipsis stands at the end
      const int after = i == n ? 0 : n - i - 1 - new_after_ellipsis;
      for (; at < rank - after; ++at) dense.result[dense.results++] = at;
      continue;
    }
    if (i == n) break;
    if (Bit(masks.new_axis, i)) {
      dense.result[dense.results++] = kNewAxis;
      continue;
    }
    if (at >= rank) {
      return InvalidArgument("Index out of range using input dim ", at, "; input has only ", rank,
                             " dims");
    }
    DenseSpec::Entry& entry = dense.entries[at];
    entry = {.begin = begin == nullptr ? 0 : (*begin)[i],
             .end = end == nullptr ? 0 : (*end)[i],
             .stride = strides[i],
             .begin_masked = Bit(masks.begin, i),
             .end_masked = Bit(masks.end, i),
             .shrink = Bit(masks.shrink_axis, i)};
    dense.result[dense.results++] = entry.shrink ? kShrunk : at;
    ++at;
  }
  return dense;
}

// Sets begin and size of one dimension; size -1 where it is not known.
Status ResolveDim(int i, int64_t dim, const DenseSpec::Entry& e, bool known, int64_t& begin,
                  int64_t& size) {
  if (e.stride == 0) return InvalidArgument("strides[", i, "] must be non-zero");
  if (e.shrink && e.stride <= 0)
    return InvalidArgument("only stride 1 allowed on non-range indexing.");
  begin = 0;
  if (e.shrink) {
    size = 1;
    if (dim < 0 || !known) return absl::OkStatus();
    begin = e.begin < 0 ? dim + e.begin : e.begin;
    if (begin < 0 || begin >= dim) {
      return InvalidArgument("slice index ", e.begin, " of dimension ", i, " out of bounds.");
    }
    return absl::OkStatus();
  }
  const bool whole = e.begin_masked && e.end_masked;
  if (dim < 0 || (!known && !whole)) {
    size = PartialShape::kUnknown;
    return absl::OkStatus();
  }
  const int64_t low = e.stride > 0 ? 0 : -1, high = e.stride > 0 ? dim : dim - 1;
  const auto clamp = [&](int64_t x) { return std::clamp(x < 0 ? dim + x : x, low, high); };
  begin = e.begin_masked ? (e.stride > 0 ? low : high) : clamp(e.begin);
  const int64_t end = e.end_masked ? (e.stride > 0 ? high : low) : clamp(e.end);
  const int64_t length = end - begin;
  const bool empty = length == 0 || (length < 0) != (e.stride < 0);
  size = empty ? 0 : length / e.stride + (length % e.stride != 0 ? 1 : 0);
  return absl::OkStatus();
}

}  // namespace

StridedSliceMasks StridedSliceMasks::FromAttrs(const AttrMap& attrs) {
  return {.begin = attrs.Get<int64_t>("begin_mask"),
          .end = attrs.Get<int64_t>("end_mask"),
          .ellipsis = attrs.Get<int64_t>("ellipsis_mask"),
          .new_axis = attrs.Get<int64_t>("new_axis_mask"),
          .shrink_axis = attrs.Get<int64_t>("shrink_axis_mask")};
}

StatusOr<ResolvedSlice> ResolveStridedSlice(const PartialShape& in, const IntValues* begin,
                                            const IntValues* end, const IntValues& strides,
                                            const StridedSliceMasks& masks) {
  const int rank = in.rank();
  HR_ASSIGN_OR_RETURN(const DenseSpec dense, Expand(rank, begin, end, strides, masks));
  ResolvedSlice resolved;
  resolved.rank = rank;
  const bool known = begin != nullptr && end != nullptr;
  for (int i = 0; i < rank; ++i) {
    resolved.stride[i] = dense.entries[i].stride;
    HR_RETURN_IF_ERROR(
        ResolveDim(i, in[i], dense.entries[i], known, resolved.begin[i], resolved.size[i]));
  }
  resolved.shape = PartialShape::OfRank(0);
  for (int i = 0; i < dense.results; ++i) {
    if (dense.result[i] == kShrunk) continue;
    if (resolved.shape.rank() == kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    resolved.shape.Append(dense.result[i] == kNewAxis ? 1 : resolved.size[dense.result[i]]);
  }
  return resolved;
}

}  // namespace headrace
