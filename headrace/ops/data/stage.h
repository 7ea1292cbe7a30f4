// Staging areas: tensors that one step leaves for the next, so that input is copied or prepared
// while another step computes.
//
//   Node* put = Stage(g, {x, y}, {.capacity = 2, .shared_name = "input"});
//   std::vector<Output> next = Unstage(g, types, {.capacity = 2, .shared_name = "input"});
//
// First in, first out; the nodes of one area share container and shared_name, and must state the
// same limits. A step that finds no room, or nothing, waits, until its cancellation or deadline.
// Unlike a queue an area is never closed. Gradients: none. Source: TensorFlow ops of these names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct StageOptions {
  int64_t capacity = 0;      // elements; 0: no limit
  int64_t memory_limit = 0;  // bytes; 0: no limit
  std::string container;
  std::string shared_name;
  std::string name;
};

// Adds one element. Errors: ResourceExhausted for one that is larger than memory_limit by itself.
Node* Stage(std::span<const Output> values, StageOptions o = {},
            Location where = Location::Current());
// Takes the oldest element. Shapes: unknown.
std::vector<Output> Unstage(Graph& g, std::span<const DType> types, StageOptions o = {},
                            Location where = Location::Current());
// The element that many places behind the oldest, which stays. `index`: int32 scalar.
std::vector<Output> StagePeek(Output index, std::span<const DType> types, StageOptions o = {},
                              Location where = Location::Current());
// Elements in the area, int32. Shapes: `-> []`. Then: takes all away.
Output StageSize(Graph& g, std::span<const DType> types, StageOptions o = {},
                 Location where = Location::Current());
Node* StageClear(Graph& g, std::span<const DType> types, StageOptions o = {},
                 Location where = Location::Current());

}  // namespace headrace
