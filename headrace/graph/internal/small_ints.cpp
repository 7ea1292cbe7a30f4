#include "headrace/graph/internal/small_ints.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "headrace/graph/internal/small_ints_ops.h"

namespace headrace::internal {

bool SmallInts::all_known() const {
  return std::ranges::all_of(values, [](const auto& value) { return value.has_value(); });
}

SmallInts SmallInts::Vector(std::vector<std::optional<int64_t>> values) {
  const Shape shape{static_cast<int64_t>(values.size())};
  return {shape, std::move(values)};
}

std::optional<SmallInts> SmallIntsEvaluator::Evaluate(Output output) {
  if (IsRef(output.dtype())) return std::nullopt;  // a variable may change
  const SmallIntsFn evaluate = FindSmallIntsOp(output.node->op_name());
  if (evaluate == nullptr) return std::nullopt;
  const std::pair<int, int> key(output.node->id(), output.index);
  if (auto it = known_.find(key); it != known_.end()) return it->second;
  if (nodes_ >= kMaxNodes || depth_ >= kMaxDepth) return std::nullopt;
  ++nodes_;
  ++depth_;
  std::optional<SmallInts> result = evaluate(*this, *output.node, output.index);
  --depth_;
  known_.emplace(key, result);
  return result;
}

}  // namespace headrace::internal
