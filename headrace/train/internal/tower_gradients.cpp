#include "headrace/train/internal/tower_gradients.h"

#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/math/add_n.h"
#include "headrace/ops/math/operators.h"

namespace headrace::train {
namespace {

// Rows of all parts one after the other stand for their sum; scaled they stand for the mean.
IndexedSlices MeanOfSlices(std::span<const Gradient> parts, const std::string& name) {
  const IndexedSlices& first = *parts[0].slices;
  if (parts.size() == 1) return first;
  NameScope scope(*first.values.graph(), name);
  std::vector<Output> values, indices;
  for (const Gradient& part : parts) {
    values.push_back(part.slices->values);
    indices.push_back(part.slices->indices);
  }
  const double share = 1.0 / static_cast<double>(parts.size());
  return {.values = Concat(values, 0) * Operand(share),
          .indices = Concat(indices, 0),
          .dense_shape = first.dense_shape};
}

}  // namespace

std::vector<Output> FlatGradients(std::span<const Gradient> gradients) {
  std::vector<Output> flat;
  for (const Gradient& gradient : gradients) {
    if (gradient.slices) {
      flat.push_back(gradient.slices->values);
      flat.push_back(gradient.slices->indices);
    } else if (gradient.dense.valid()) {
      flat.push_back(gradient.dense);
    }
  }
  return flat;
}

Output FedLike(Graph& graph, Output like, const std::string& name, std::vector<Output>& feeds) {
  feeds.push_back(Placeholder(graph, like.value_dtype(), like.shape(), {.name = name}));
  return feeds.back();
}

std::vector<Gradient> FedGradients(Graph& graph, std::span<const Gradient> like,
                                   std::vector<Output>& feeds) {
  std::vector<Gradient> fed;
  for (const Gradient& gradient : like) {
    Gradient& added = fed.emplace_back();
    if (gradient.slices) {
      const Output values = FedLike(graph, gradient.slices->values, "gradient", feeds);
      const Output rows = FedLike(graph, gradient.slices->indices, "rows", feeds);
      added.slices = IndexedSlices{.values = values, .indices = rows};
    } else if (gradient.dense.valid()) {
      added.dense = FedLike(graph, gradient.dense, "gradient", feeds);
    }
  }
  return fed;
}

Output MeanOver(const std::vector<Output>& parts, const std::string& name) {
  if (parts.size() == 1) return parts[0];
  NameScope scope(*parts[0].graph(), name);
  const double share = 1.0 / static_cast<double>(parts.size());
  return AddN(parts) * Operand(share);
}

Gradient MeanOver(std::span<const Gradient> parts, const std::string& name) {
  bool all_slices = true;
  for (const Gradient& part : parts) {
    if (!part.connected()) return {};
    all_slices = all_slices && part.slices.has_value();
  }
  if (all_slices) return {.dense = {}, .slices = MeanOfSlices(parts, name)};
  std::vector<Output> dense;
  for (const Gradient& part : parts) dense.push_back(part.Dense());
  return {.dense = MeanOver(dense, name), .slices = std::nullopt};
}

}  // namespace headrace::train
