#include "headrace/ops/array/index_check.h"

#include <array>

namespace headrace {
namespace {

template <class I>
Status Offsets(const Tensor& indices, int k, const Shape& whole, std::string_view what,
               std::vector<int64_t>& offsets) {
  const I* index = indices.data<I>();
  const int64_t n = static_cast<int64_t>(offsets.size());
  for (int64_t row = 0; row < n; ++row, index += k) {
    int64_t offset = 0;
    bool bad = false;
    for (int j = 0; j < k; ++j) {
      bad |= index[j] < 0 || index[j] >= whole.dim(j);
      offset = offset * whole.dim(j) + index[j];
    }
    if (bad) {
      const Shape outer(indices.shape().dims().first(static_cast<size_t>(indices.rank() - 1)));
      return InvalidArgument("indices",
                             outer.rank() == 0 ? "" : StrCat("[", IndexText(outer, row), "]"),
                             " = [", StrJoin(std::span(index, static_cast<size_t>(k)), ", "),
                             "] does not index into ", what, whole.ToString());
    }
    offsets[static_cast<size_t>(row)] = offset;
  }
  return absl::OkStatus();
}

}  // namespace

std::string IndexText(const Shape& shape, int64_t flat) {
  std::array<int64_t, kMaxRank> index{};
  for (int i = shape.rank() - 1; i >= 0; --i) {
    index[i] = flat % shape.dim(i);
    flat /= shape.dim(i);
  }
  return StrJoin(std::span(index.data(), static_cast<size_t>(shape.rank())), ",");
}

Status CheckIndices(const Tensor& indices, int64_t limit, std::string_view what) {
  const auto check = [&](const auto* values) -> Status {
    const int64_t bad = FirstBadIndex(values, indices.num_elements(), limit);
    if (bad < 0) return absl::OkStatus();
    return InvalidArgument(what, "[", IndexText(indices.shape(), bad), "] = ", values[bad],
                           " is not in [0, ", limit, ")");
  };
  return indices.dtype() == DType::kInt32 ? check(indices.data<int32_t>())
                                          : check(indices.data<int64_t>());
}

Status NdOffsets(const Tensor& indices, int k, const Shape& whole, std::string_view what,
                 std::vector<int64_t>& offsets) {
  offsets.resize(static_cast<size_t>(indices.shape().Product(0, indices.rank() - 1)));
  return indices.dtype() == DType::kInt32 ? Offsets<int32_t>(indices, k, whole, what, offsets)
                                          : Offsets<int64_t>(indices, k, whole, what, offsets);
}

StatusOr<int> CheckNdShapes(const Shape& indices, const Shape& updates, const Shape& whole) {
  if (indices.rank() < 1)
    return InvalidArgument("Indices shape must have rank at least one. Found:[]");
  const int outer = indices.rank() - 1;
  const int64_t depth = indices.dim(outer);
  if (depth > whole.rank()) {
    return InvalidArgument(
        "index innermost dimension length must be <= rank of output shape; saw: ", depth, " vs. ",
        whole.rank());
  }
  const int k = static_cast<int>(depth);
  bool match = updates.rank() >= outer;
  for (int i = 0; match && i < outer; ++i) match = updates.dim(i) == indices.dim(i);
  if (!match) {
    return InvalidArgument("Outer dimensions of indices and update must match. Indices shape: ",
                           indices.ToString(), ", updates shape:", updates.ToString());
  }
  match = updates.rank() - outer == whole.rank() - k;
  for (int i = k; match && i < whole.rank(); ++i)
    match = updates.dim(outer + i - k) == whole.dim(i);
  if (!match) {
    return InvalidArgument(
        "Inner dimensions of output shape must match inner dimensions of updates shape. Output: ",
        whole.ToString(), " updates: ", updates.ToString());
  }
  return k;
}

}  // namespace headrace
