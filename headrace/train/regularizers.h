// Penalties on the size of weights, to add to a loss.
//
//   Output penalty = L2Regularizer(1e-4)(w);
//   loss = loss + ApplyRegularization(L1L2Regularizer(1e-5, 1e-4), {w1, w2});
//
// A Regularizer is a function from weights to a scalar; it may be copied and used on any graph.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "headrace/ops/state/variable.h"

namespace headrace {

using Regularizer = std::function<Output(Output weights)>;

// scale * sum(|w|). All: errors (to the graph, when used): InvalidArgument for a negative scale. A
// scale of zero gives the constant 0. Source: tf.contrib.layers.l1_regularizer and so on; names as
// there.
Regularizer L1Regularizer(double scale, std::string name = "",
                          Location where = Location::Current());
// scale * sum(w^2) / 2.
Regularizer L2Regularizer(double scale, std::string name = "",
                          Location where = Location::Current());
Regularizer L1L2Regularizer(double l1_scale, double l2_scale, std::string name = "",
                            Location where = Location::Current());
// The sum of several.
Regularizer SumRegularizer(std::vector<Regularizer> regularizers, std::string name = "",
                           Location where = Location::Current());

// The sum over all weights, also added to the collection "regularization_losses".
Output ApplyRegularization(const Regularizer& regularizer, std::span<const Variable> weights,
                           std::string name = "", Location where = Location::Current());
inline Output ApplyRegularization(const Regularizer& regularizer,
                                  std::initializer_list<Variable> weights, std::string name = "",
                                  Location where = Location::Current()) {
  return ApplyRegularization(regularizer, std::span(weights.begin(), weights.size()),
                             std::move(name), where);
}
// The sum of the collection "regularization_losses"; the constant 0 if it is empty.
Output TotalRegularizationLoss(Graph& g, std::string name = "",
                               Location where = Location::Current());

}  // namespace headrace
