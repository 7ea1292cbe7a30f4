// Queues: state between steps that holds tensors until another step takes them.
//
//   Output queue = RandomShuffleQueue(g, {DType::kFloat32, DType::kInt32},
//                                     {.shapes = {{784}, Shape()}, .capacity = 5000,
//                                     .min_after_dequeue = 1000});
//   Node* enqueue = QueueEnqueue(queue, {image, label});                   // run by a thread of
//   its own std::vector<Output> batch = QueueDequeueMany(queue, Const(g, 100));    // [100, 784],
//   [100] Node* close = QueueClose(queue);                                       // no more come
//
// An element is one tensor for each component. A step that finds no room, or no element, waits;
// other steps run meanwhile. The wait ends with Cancelled or DeadlineExceeded when the step ends,
// with Cancelled for an enqueue into a closed queue, and with OutOfRange "FIFOQueue 'q' is closed
// and has insufficient elements (requested 1, current size 0)" for a dequeue from one that is
// closed and empty. No element is lost when a wait ends.
//
// Builders make the ops of TensorFlow's second form (FIFOQueueV2: a resource handle); those that
// take a handle also take that of the first (a ref to two strings). Queues are in host memory.
// Gradients: none. Source: TensorFlow ops of these names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct QueueNodeOptions {
  std::vector<PartialShape>
      shapes;             // of the components; without them elements come out one by one only
  int64_t capacity = -1;  // -1: no bound
  std::string container;
  std::string shared_name;  // nodes of one session with the same name share the queue
  std::string name;
};

// First in, first out. Shapes: `-> []`, resource.
Output FIFOQueue(Graph& g, const std::vector<DType>& types, QueueNodeOptions o = {},
                 Location where = Location::Current());

// The same for elements of different shapes: dimensions that `shapes` leaves unknown are padded
// with zeros to the largest of a batch.
Output PaddingFIFOQueue(Graph& g, const std::vector<DType>& types, QueueNodeOptions o,
                        Location where = Location::Current());

// The element with the least int64 that comes before the components.
Output PriorityQueue(Graph& g, const std::vector<DType>& types, QueueNodeOptions o,
                     Location where = Location::Current());

struct ShuffleQueueOptions {
  std::vector<PartialShape> shapes;
  int64_t capacity = -1;
  int64_t min_after_dequeue = 0;  // so many stay, to be drawn from, until the queue is closed
  int64_t seed = 0, seed2 = 0;    // both 0: another order each time
  std::string container;
  std::string shared_name;
  std::string name;
};
// Elements in random order: for equal seeds and the same calls, TensorFlow's. Errors:
// InvalidArgument "min_after_dequeue 2 must be < capacity 2".
Output RandomShuffleQueue(Graph& g, const std::vector<DType>& types, ShuffleQueueOptions o,
                          Location where = Location::Current());

// Adds one element, or (EnqueueMany) one for each row of dimension 0. Errors: InvalidArgument
// "Shape mismatch in tuple component 0. Expected [2], got [3]".
Node* QueueEnqueue(Output queue, std::span<const Output> components, OpOptions o = {},
                   Location where = Location::Current());
Node* QueueEnqueueMany(Output queue, std::span<const Output> components, OpOptions o = {},
                       Location where = Location::Current());

// One element. Shapes: those of the queue's components.
std::vector<Output> QueueDequeue(Output queue, std::span<const DType> types, OpOptions o = {},
                                 Location where = Location::Current());
// `n` (int32 scalar) elements along a new first dimension; DequeueUpTo: fewer when the queue is
// closed and has no more. Errors: InvalidArgument "FIFOQueue's DequeueMany and DequeueUpTo require
// the components to have specified shapes.".
std::vector<Output> QueueDequeueMany(Output queue, Output n, std::span<const DType> types,
                                     OpOptions o = {}, Location where = Location::Current());
std::vector<Output> QueueDequeueUpTo(Output queue, Output n, std::span<const DType> types,
                                     OpOptions o = {}, Location where = Location::Current());

struct QueueCloseOptions {
  bool cancel_pending_enqueues =
      false;  // true: enqueues that wait end with Cancelled, else they are served first
  std::string name;
};
// No more elements. Errors: Cancelled "Queue 'q' is already closed.".
Node* QueueClose(Output queue, QueueCloseOptions o = {}, Location where = Location::Current());

// Elements in the queue, int32; whether it is closed, bool. Shapes: `-> []`.
Output QueueSize(Output queue, OpOptions o = {}, Location where = Location::Current());
Output QueueIsClosed(Output queue, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
