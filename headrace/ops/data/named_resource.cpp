#include "headrace/ops/data/named_resource.h"

namespace headrace {

const Node* HandleMaker(const Node& node, int i) {
  constexpr int kMostSteps = 1000;  // a loop's back edge leads nowhere else
  Output at = node.input(i);
  for (int step = 0; at.valid() && step < kMostSteps; ++step) {
    const Node& from = *at.node;
    if (from.num_inputs() == 0) return &from;
    const DType type = from.input_type(0);
    if (type != DType::kResource && !IsRef(type)) break;
    at = from.input(0);
  }
  return nullptr;
}

}  // namespace headrace
