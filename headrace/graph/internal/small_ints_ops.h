// The ops that SmallIntsEvaluator knows.
#pragma once

#include <string_view>

#include "headrace/graph/internal/small_ints.h"

namespace headrace::internal {

using SmallIntsFn = std::optional<SmallInts> (*)(SmallIntsEvaluator& evaluator, const Node& node,
                                                 int output);

// nullptr for an op whose value is never known.
SmallIntsFn FindSmallIntsOp(std::string_view op);

// Those that take a vector apart or put one together (small_ints_vectors.cpp).
std::optional<SmallInts> EvalPack(SmallIntsEvaluator& e, const Node& node, int output);
std::optional<SmallInts> EvalConcat(SmallIntsEvaluator& e, const Node& node, int output);
std::optional<SmallInts> EvalListDiff(SmallIntsEvaluator& e, const Node& node, int output);
std::optional<SmallInts> EvalStridedSlice(SmallIntsEvaluator& e, const Node& node, int output);
std::optional<SmallInts> EvalSlice(SmallIntsEvaluator& e, const Node& node, int output);
std::optional<SmallInts> EvalGather(SmallIntsEvaluator& e, const Node& node, int output);
std::optional<SmallInts> EvalDynamicStitch(SmallIntsEvaluator& e, const Node& node, int output);
std::optional<SmallInts> EvalBroadcastGradientArgs(SmallIntsEvaluator& e, const Node& node,
                                                   int output);

}  // namespace headrace::internal
