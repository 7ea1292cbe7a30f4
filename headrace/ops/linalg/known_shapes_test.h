// Checks of ops by the harness that it does not offer: inputs of other shapes without a reference,
// and gradients that exist only where shapes are known.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "headrace/ops/testing/op_harness.h"

namespace headrace::testing {

// Shapes, threads, devices, planned memory: with random inputs of these shapes.
inline void CheckShapes(const std::string& op, DType dtype,
                        const std::vector<std::vector<Shape>>& shapes, const AttrMap& attrs = {}) {
  for (const std::vector<Shape>& of_inputs : shapes) {
    OpCase c{.op = op, .attrs = attrs, .gradient_of = {{}}};
    for (const Shape& shape : of_inputs) c.inputs.push_back(RandomTensor(dtype, shape));
    CheckOp(c);
  }
}

using BuildOutputs = std::function<std::vector<Output>(Graph&, const std::vector<Output>&)>;

// Gradients of the outputs with respect to the first `differentiated` inputs.
inline std::string KnownShapeGradientDifference(const BuildOutputs& build,
                                                const std::vector<Tensor>& inputs,
                                                GradientCheckOptions options = {},
                                                size_t differentiated = 99) {
  Graph g;
  Feeds feeds;
  std::vector<Output> sources;
  for (const Tensor& input : inputs) {
    sources.push_back(FedTensor(g, input.dtype(), input.shape()));
    feeds[sources.back()] = input;
  }
  const std::vector<Output> ys = build(g, sources);
  if (!g.status().ok()) return g.status().ToString();
  sources.resize(std::min(sources.size(), differentiated));
  GraphRunner runner;
  return GradientDifference(ys, sources, feeds, runner, options);
}

}  // namespace headrace::testing
