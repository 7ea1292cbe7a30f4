// Builder functions against the nodes that TensorFlow's Python functions make for the same inputs,
// as tests/golden/ops/FAMILY.json lists them.
//
//   ExpectNodesOf("nn", "build_conv1d:nwc", [](Graph&, const std::vector<Output>& x) {
//     Conv1D(x[0], x[1], {.stride = 2});
//   });
//
// For tests only: fails the test that calls it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "headrace/graph/graph.h"

namespace headrace::testing {

// `build` gets sources of the case's inputs. Names, ops, inputs and order of the new nodes must be
// those of the case, and so must the attributes that it lists and our op has. `seed`: of the graph.
void ExpectNodesOf(const std::string& family, const std::string& name,
                   const std::function<void(Graph&, const std::vector<Output>&)>& build,
                   int64_t seed = 1, Location where = Location::Current());

// The graph that `build` makes, run as often as the case lists `runs` of one session: the outputs
// must have the very bits of TensorFlow's each time. `outputs`: which of the case's (none: all).
void ExpectRunsOf(
    const std::string& family, const std::string& name,
    const std::function<std::vector<Output>(Graph&, const std::vector<Output>&)>& build,
    int64_t seed = 1, Location where = Location::Current(), std::vector<size_t> outputs = {});

}  // namespace headrace::testing
