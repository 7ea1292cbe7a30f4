#include "headrace/ops/array/index_check.h"

#include <array>

namespace headrace {

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
    return InvalidArgument(what, "[", IndexText(indices.shape(), bad), "] = ", values[bad], " is not in [0, ", limit,
                           ")");
  };
  return indices.dtype() == DType::kInt32 ? check(indices.data<int32_t>()) : check(indices.data<int64_t>());
}

}  // namespace headrace
