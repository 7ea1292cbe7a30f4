#include "headrace/ops/math/reduce_plan.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {

StatusOr<std::array<bool, kMaxRank>> ReducedAxes(std::span<const int64_t> axes, int rank) {
  std::array<bool, kMaxRank> reduced{};
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension ", axis, " for input with ", rank,
                             " dimension(s)");
    }
    reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  return reduced;
}

StatusOr<ReducePlan> ReducePlan::Make(const Shape& input, std::span<const int64_t> axes,
                                      bool keep_dims) {
  HR_ASSIGN_OR_RETURN(const auto marked, ReducedAxes(axes, input.rank()));
  ReducePlan plan;
  int64_t stride = 1;
  std::array<Dim, kMaxRank> kept, reduced;  // innermost first
  enum { kNone, kKept, kReduced } last = kNone;
  for (int d = input.rank() - 1; d >= 0; --d) {
    const int64_t size = input[d];
    (marked[d] ? plan.count : plan.outputs) *= size;
    if (size != 1) {
      const auto kind = marked[d] ? kReduced : kKept;
      auto& list = marked[d] ? reduced : kept;
      int& length = marked[d] ? plan.num_reduced : plan.num_kept;
      if (last == kNone) plan.inner_reduced = marked[d];
      if (last == kind) {
        list[length - 1].size *= size;
      } else {
        list[length++] = {size, stride};
      }
      last = kind;
    }
    stride *= size;
  }
  std::reverse_copy(kept.begin(), kept.begin() + plan.num_kept, plan.kept.begin());
  std::reverse_copy(reduced.begin(), reduced.begin() + plan.num_reduced, plan.reduced.begin());
  for (int d = 0; d < input.rank(); ++d) {
    if (!marked[d]) plan.output.Append(input[d]);
    if (marked[d] && keep_dims) plan.output.Append(1);
  }
  return plan;
}

}  // namespace headrace
