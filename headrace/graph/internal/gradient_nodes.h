// The few nodes that differentiation itself makes. By op name: the builder functions live in a
// higher layer.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "headrace/graph/gradients.h"

namespace headrace::internal {

Output MakeIntConst(Graph& graph, std::span<const int32_t> values, const Shape& shape,
                    std::string_view name, Location where);
// A constant where the shape is known.
Output MakeShapeOf(Output x, Location where);
// A tensor of ones like `y`: "Shape", "grad_ys_<i>", "Fill".
Output MakeOnes(Output y, int i, Location where);
Output MakeIdentity(Output x, std::string_view name, Location where);
Output MakeZerosLike(Output x, Location where);
Output MakeConcatRows(std::span<const Output> parts, Location where);
// Sum of slices as a dense tensor named `name`, with its helpers beside it.
Output MakeDense(const IndexedSlices& slices, std::string_view name, Location where);

// The sum of what flowed into one output, in that order: one AddN per device and one over these;
// slices stay slices if all are.
Gradient SumGradients(std::span<const Gradient> parts, Location where);

// Makes each gradient wait for all the others.
void GateGradients(Graph& graph, std::span<Gradient> gradients, Location where);

}  // namespace headrace::internal
