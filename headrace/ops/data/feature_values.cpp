#include "headrace/ops/data/feature_values.h"

#include <vector>

namespace headrace {

StatusOr<StackedLists> StackLists(std::span<const KeptList> lists, DType type, bool scalar,
                                  WorkerPool& workers, Allocator& allocator) {
  std::vector<int64_t> begins(lists.size());
  int64_t total = 0, longest = 0;
  for (size_t i = 0; i < lists.size(); ++i) {
    begins[i] = total;
    total += lists[i].count;
    longest = std::max(longest, lists[i].count);
  }
  const auto rows = static_cast<int64_t>(lists.size());
  const int64_t columns = scalar ? 1 : 2;
  StackedLists out;
  HR_ASSIGN_OR_RETURN(out.indices,
                      Tensor::Allocate(allocator, DType::kInt64, {total, columns}, "indices"));
  HR_ASSIGN_OR_RETURN(out.values, Tensor::Allocate(allocator, type, {total}, "values"));
  workers.ParallelFor(rows, 30.0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const KeptList& list = lists[static_cast<size_t>(i)];
      const int64_t first = begins[static_cast<size_t>(i)];
      ReadList(list.bytes, out.values, first, list.count);
      int64_t* index = out.indices.data<int64_t>() + first * columns;
      for (int64_t k = 0; k < list.count; ++k) {
        if (!scalar) *index++ = i;
        *index++ = k;
      }
    }
  });
  out.shape = scalar ? Tensor::Of<int64_t>({longest}) : Tensor::Of<int64_t>({rows, longest});
  return out;
}

}  // namespace headrace
