// Sums of the gradients that flow into one tensor.
#include <algorithm>
#include <map>

#include "headrace/base/strings.h"
#include "headrace/graph/internal/gradient_nodes.h"

namespace headrace::internal {
namespace {

Output AddN(std::span<const Output> terms, Location where) {
  if (terms.size() == 1) return terms[0];
  return NodeBuilder("AddN", "", where).Inputs(terms).Build();
}

// Terms are first added where they are, so that one tensor a device crosses over.
Output SumDense(std::span<const Gradient> parts, Location where) {
  std::map<std::string, std::vector<Output>> by_device;
  for (const Gradient& part : parts)
    by_device[part.dense.node->requested_device()].push_back(part.dense);
  Graph& graph = *parts[0].dense.graph();
  std::vector<Output> sums;
  for (const auto& [device, terms] : by_device) {
    ColocateWith nowhere(graph, nullptr);
    ColocateWith first(graph, *terms[0].node);
    sums.push_back(AddN(terms, where));
  }
  return AddN(sums, where);
}

// Slices become dense next to the sum: "AddN/inputs_1".
Output SumMixed(std::span<const Gradient> parts, Location where) {
  const Output& some = parts[0].dense.valid() ? parts[0].dense : parts[0].slices->values;
  Graph& graph = *some.graph();
  NameScope scope(graph, "AddN");
  std::vector<Output> terms;
  for (size_t i = 0; i < parts.size(); ++i) {
    terms.push_back(parts[i].slices ? MakeDense(*parts[i].slices, StrCat("inputs_", i), where)
                                    : parts[i].dense);
  }
  return NodeBuilder(graph, "AddN", graph.name_scope() + "/", where).Inputs(terms).Build();
}

IndexedSlices SumSlices(std::span<const Gradient> parts, Location where) {
  std::vector<Output> values, indices;
  bool some_int64 = false;
  for (const Gradient& part : parts) {
    values.push_back(part.slices->values);
    indices.push_back(part.slices->indices);
    some_int64 = some_int64 || part.slices->indices.value_dtype() == DType::kInt64;
  }
  for (Output& index : indices) {
    if (some_int64 && index.value_dtype() != DType::kInt64) {
      index = NodeBuilder("Cast", "", where).Input(index).Attr("DstT", DType::kInt64).Build();
    }
  }
  const Output all_values = MakeConcatRows(values, where);
  const Output all_indices = MakeConcatRows(indices, where);
  return {
      .values = all_values, .indices = all_indices, .dense_shape = parts[0].slices->dense_shape};
}

}  // namespace

Gradient SumGradients(std::span<const Gradient> parts, Location where) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts[0];
  auto is_slices = [](const Gradient& part) { return part.slices.has_value(); };
  Gradient sum;
  if (std::ranges::none_of(parts, is_slices)) {
    sum.dense = SumDense(parts, where);
  } else if (std::ranges::all_of(parts, is_slices)) {
    sum.slices = SumSlices(parts, where);
  } else {
    sum.dense = SumMixed(parts, where);
  }
  return sum;
}

}  // namespace headrace::internal
