// What trainers do with the gradients of towers: fetch them, feed them to an update, average them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "headrace/graph/gradients.h"

namespace headrace::train {

// The tensors that gradients consist of, in order: a dense one, or values and indices of slices;
// nothing for an unconnected one.
std::vector<Output> FlatGradients(std::span<const Gradient> gradients);

// A placeholder for a value of `like`'s dtype and shape, also added to `feeds`.
Output FedLike(Graph& graph, Output like, const std::string& name, std::vector<Output>& feeds);
// Gradients of the same form whose tensors are fed; `feeds` grows by them, in FlatGradients' order.
std::vector<Gradient> FedGradients(Graph& graph, std::span<const Gradient> like,
                                   std::vector<Output>& feeds);

// Means over parts of equal weight, added up in their order; nodes in scope `name`. One part is its
// own mean, without a node. The mean of slices has the rows of all of them, scaled; of parts of
// which some are dense it is dense; that of an unconnected part and others is unconnected.
Output MeanOver(const std::vector<Output>& parts, const std::string& name);
Gradient MeanOver(std::span<const Gradient> parts, const std::string& name);

}  // namespace headrace::train
