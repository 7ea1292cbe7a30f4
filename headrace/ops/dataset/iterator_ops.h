// Iterators of a graph over a dataset, a variant that a dataset op gave (pipeline.h makes them in a chain).
//
//   Output iterator = IteratorV2(g, types, shapes);
//   Node* start = MakeIterator(dataset, iterator);             // run before the first element, and for each epoch
//   std::vector<Output> next = IteratorGetNext(iterator, types, shapes);
//
// Errors (step): OutOfRange "End of sequence" after the last element; FailedPrecondition before `start` has run.
// Gradients: none. Source: TensorFlow ops of these names.
#pragma once

#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct IteratorOptions {
  std::string container;
  std::string shared_name;  // nodes of one session with the same name share the iterator
  std::string name;
};
// Shapes: `-> []`, resource.
Output IteratorV2(Graph& g, const std::vector<DType>& types,
                  const std::vector<PartialShape>& shapes, IteratorOptions o = {},
                  Location where = Location::Current());
// The same over `dataset`, started by the first step that uses it, and not again.
Output StartedIterator(Output dataset, const std::vector<DType>& types,
                       const std::vector<PartialShape>& shapes, IteratorOptions o = {},
                       Location where = Location::Current());
// Goes to the first element.
Node* MakeIterator(Output dataset, Output iterator, OpOptions o = {},
                   Location where = Location::Current());
std::vector<Output> IteratorGetNext(Output iterator, const std::vector<DType>& types,
                                    const std::vector<PartialShape>& shapes, OpOptions o = {},
                                    Location where = Location::Current());

}  // namespace headrace
