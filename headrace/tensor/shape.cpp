#include "headrace/tensor/shape.h"

#include <algorithm>
#include <limits>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

std::string DimsToString(std::span<const int64_t> dims) {
  return StrCat("[", StrJoin(dims, ",", [](int64_t d) { return d < 0 ? std::string("?") : StrCat(d); }), "]");
}

Status CheckDims(std::span<const int64_t> dims, int64_t least) {
  if (dims.size() > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("shape ", DimsToString(dims), " has ", dims.size(), " dimensions; at most ", kMaxRank);
  }
  int64_t elements = 1;
  for (int64_t d : dims) {
    if (d < least) {
      return InvalidArgument("shape [", StrJoin(dims, ","), "] has a dimension of ", d, "; must be >= ", least);
    }
    if (d > 0 && elements > std::numeric_limits<int64_t>::max() / d) {
      return InvalidArgument("shape ", DimsToString(dims), " has more than 2^63 elements");
    }
    if (d > 0) elements *= d;
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<Shape> Shape::Make(std::span<const int64_t> dims) {
  HR_RETURN_IF_ERROR(CheckDims(dims, 0));
  return Shape(dims);
}

std::string Shape::ToString() const { return DimsToString(dims()); }

StatusOr<PartialShape> PartialShape::Make(std::span<const int64_t> dims) {
  HR_RETURN_IF_ERROR(CheckDims(dims, -1));
  return PartialShape(dims);
}

bool PartialShape::is_fully_known() const {
  return has_rank() && std::ranges::none_of(dims(), [](int64_t d) { return d < 0; });
}

int64_t PartialShape::num_elements() const {
  if (!is_fully_known()) return -1;
  int64_t n = 1;
  for (int64_t d : dims()) n *= d;
  return n;
}

bool PartialShape::IsCompatibleWith(const PartialShape& other) const {
  if (!has_rank() || !other.has_rank()) return true;
  if (rank_ != other.rank_) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dims_[i] >= 0 && other.dims_[i] >= 0 && dims_[i] != other.dims_[i]) return false;
  }
  return true;
}

StatusOr<PartialShape> PartialShape::MergedWith(const PartialShape& other) const {
  if (!IsCompatibleWith(other)) {
    return InvalidArgument("shapes ", ToString(), " and ", other.ToString(), " are not compatible");
  }
  if (!has_rank()) return other;
  PartialShape merged = *this;
  if (other.has_rank()) {
    for (int i = 0; i < rank_; ++i) merged.dims_[i] = std::max(dims_[i], other.dims_[i]);
  }
  return merged;
}

std::string PartialShape::ToString() const { return has_rank() ? DimsToString(dims()) : "<unknown>"; }

StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  Shape out;
  const int rank = std::max(a.rank(), b.rank());
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank()), ib = i - (rank - b.rank());
    const int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    if (da != db && da != 1 && db != 1) {
      return InvalidArgument("Incompatible shapes: ", a.ToString(), " vs. ", b.ToString());
    }
    out.Append(da == 1 ? db : da);
  }
  return out;
}

StatusOr<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape();
  PartialShape out = PartialShape::OfRank(0);
  const int rank = std::max(a.rank(), b.rank());
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank()), ib = i - (rank - b.rank());
    const int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    if (da == 1) {
      out.Append(db);
    } else if (db == 1 || da == db) {
      out.Append(da);
    } else if (da < 0 || db < 0) {
      out.Append(std::max(da, db));  // the unknown one is either 1 or the known one
    } else {
      return InvalidArgument("Incompatible shapes: ", a.ToString(), " vs. ", b.ToString());
    }
  }
  return out;
}

}  // namespace headrace
