// Small integer tensors of which some elements may be unknown, and their evaluation from a graph.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "headrace/graph/graph.h"

namespace headrace::internal {

struct SmallInts {
  Shape shape;
  std::vector<std::optional<int64_t>> values;  // row-major, shape.num_elements() of them

  bool all_known() const;
  static SmallInts Scalar(std::optional<int64_t> value) { return {Shape(), {value}}; }
  static SmallInts Vector(std::vector<std::optional<int64_t>> values);
};

// Evaluates one output with the inputs it needs, each node once. For one use.
class SmallIntsEvaluator {
 public:
  std::optional<SmallInts> Evaluate(Output output);
  // Of an input of `node`.
  std::optional<SmallInts> Input(const Node& node, int i) { return Evaluate(node.input(i)); }

 private:
  static constexpr int kMaxNodes = 2000, kMaxDepth = 200;

  std::map<std::pair<int, int>, std::optional<SmallInts>> known_;  // by node id and output
  int nodes_ = 0, depth_ = 0;
};

// At most this many elements are looked at.
inline constexpr int64_t kMaxSmallInts = 1024;

}  // namespace headrace::internal
