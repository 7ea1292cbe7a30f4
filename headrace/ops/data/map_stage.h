// Staging areas whose elements have keys: tensors that steps leave under a number, at once or part
// by part, until another step takes them.
//
//   Node* put = MapStage(key, Const(g, Tensor::Of<int32_t>({0, 1})), {image, label}, types);
//   std::vector<Output> element = MapUnstage(key, indices, types);
//
// `indices` says which components a node gives or takes, in increasing order. The nodes of one area
// share container and shared_name, and must state the same limits. A step that finds no room, or
// not what it wants, waits, until its cancellation or deadline. Gradients: none. Source: TensorFlow
// ops of these names, and OrderedMapStage and its relatives, whose MapUnstageNoKey gives the least
// key (as all do here).
#pragma once

#include <span>
#include <vector>

#include "headrace/ops/data/stage.h"
#include "headrace/ops/options.h"

namespace headrace {

struct MapStageOptions {
  bool ordered = false;      // the ops called OrderedMapStage...: areas of their own
  int64_t capacity = 0;      // whole elements; 0: no limit
  int64_t memory_limit = 0;  // bytes; 0: no limit
  std::string container;
  std::string shared_name;
  std::string name;
};

// Leaves components of the element `key` (int64 scalar); `types` are those of all its components.
// Errors: InvalidArgument "The tensor for index '0' for key '1' was already initialized '2'."
Node* MapStage(Output key, Output indices, std::span<const Output> values,
               std::span<const DType> types, const MapStageOptions& o = {},
               Location where = Location::Current());
// Takes components of an element that is whole; `types` are those of these components. It is gone
// when all are taken.
std::vector<Output> MapUnstage(Output key, Output indices, std::span<const DType> types,
                               const MapStageOptions& o = {}, Location where = Location::Current());
// The same without taking them.
std::vector<Output> MapPeek(Output key, Output indices, std::span<const DType> types,
                            const MapStageOptions& o = {}, Location where = Location::Current());
// Key and components of the element with the least key.
std::vector<Output> MapUnstageNoKey(Output indices, std::span<const DType> types,
                                    const MapStageOptions& o = {},
                                    Location where = Location::Current());
// Elements that are whole, and that are not, int32. Shapes: `-> []`. Then: takes all away.
Output MapSize(Graph& g, std::span<const DType> types, const MapStageOptions& o = {},
               Location where = Location::Current());
Output MapIncompleteSize(Graph& g, std::span<const DType> types, const MapStageOptions& o = {},
                         Location where = Location::Current());
Node* MapClear(Graph& g, std::span<const DType> types, const MapStageOptions& o = {},
               Location where = Location::Current());

}  // namespace headrace
