// Barriers: values that arrive part by part, by key, and come out when all parts are there.
//
//   Output barrier = Barrier(g, {DType::kFloat32, DType::kInt32}, {.shapes = {Shape(), {2}}});
//   Node* left = BarrierInsertMany(barrier, 0, keys, floats);     // by one thread
//   Node* right = BarrierInsertMany(barrier, 1, keys, pairs);     // by another
//   BarrierElements whole = BarrierTakeMany(barrier, Const(g, 10), types);
//
// Elements come out in the order in which their keys were first inserted. A step that takes more
// than there are waits, until its cancellation or deadline, or ends with OutOfRange when the barrier
// is closed. Gradients: none. Source: TensorFlow ops of these names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct BarrierOptions {
  std::vector<PartialShape> shapes;  // of the components, fully known
  std::string container;
  std::string shared_name;  // nodes of one session with the same name share the barrier
  std::string name;
};
// Shapes: `-> [2]`, a ref to two strings.
Output Barrier(Graph& g, const std::vector<DType>& types, BarrierOptions o,
               Location where = Location::Current());

// Sets component `component_index` of the elements of some keys. Shapes: `keys [n], values [n,
// ...]`. Errors: InvalidArgument "Key a already has a value for component 0 in barrier b";
// Cancelled for a key that is new when the barrier is closed.
Node* BarrierInsertMany(Output barrier, int64_t component_index, Output keys, Output values,
                        OpOptions o = {}, Location where = Location::Current());

struct BarrierElements {
  Output indices, keys;  // in which call a key was first inserted, counted from -2^63; and the keys
  std::vector<Output> values;
};
struct BarrierTakeOptions {
  bool allow_small_batch = false;  // of a closed barrier: what is left, if that is something
  std::string name;
};
// `num_elements` (int32 scalar) elements. Shapes: `-> [n], [n], [n, ...]...`. Errors: OutOfRange
// "Barrier 'b' is closed and has insufficient elements (requested 5, total size 2)".
BarrierElements BarrierTakeMany(Output barrier, Output num_elements, std::span<const DType> types,
                                BarrierTakeOptions o = {}, Location where = Location::Current());

struct BarrierCloseOptions {
  bool cancel_pending_enqueues = false;  // true: elements that lack components are dropped
  std::string name;
};
// No new keys. Errors: Cancelled "Barrier 'b' is already closed.".
Node* BarrierClose(Output barrier, BarrierCloseOptions o = {},
                   Location where = Location::Current());

// Elements that are whole, and that are not, int32. Shapes: `-> []`.
Output BarrierReadySize(Output barrier, OpOptions o = {}, Location where = Location::Current());
Output BarrierIncompleteSize(Output barrier, OpOptions o = {},
                             Location where = Location::Current());

}  // namespace headrace
