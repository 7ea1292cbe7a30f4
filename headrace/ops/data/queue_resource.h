// A queue that steps share: bounded, of elements with the same components; closed when no more
// come.
//
//   auto queue = std::make_shared<Queue>(QueueOptions{.op = "FIFOQueue", .name = "q", .types =
//   {DType::kFloat32}}); queue->Enqueue({{Tensor::Scalar(1.0f)}}, step, [](Status enqueued) { ...
//   }); queue->Dequeue(1, Queue::Rest::kIsError, step, [](StatusOr<std::vector<QueueElement>>
//   taken) { ... });
//
// No call waits on its thread: `done` is called when the call ends, on this thread or on one that
// changes the queue. Calls of one kind are served in the order in which they came. Thread-safe;
// held by shared_ptr.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "headrace/base/cancellation.h"
#include "headrace/kernel/resource.h"
#include "headrace/ops/data/queue_order.h"
#include "headrace/ops/data/waiting_calls.h"

namespace headrace {

inline constexpr int64_t kNoBound = std::numeric_limits<int32_t>::max();

struct QueueOptions {
  std::string op;    // "RandomShuffleQueue"
  std::string name;  // for errors
  std::vector<DType> types;
  std::vector<PartialShape> shapes;  // of components; empty: not stated
  int64_t capacity = -1;             // less than 0: kNoBound
  int64_t min_after_dequeue = 0;     // so many stay until the queue is closed
  int64_t seed = 0, seed2 = 0;       // RandomShuffleQueue
  bool pads = false;  // components of one batch may differ where `shapes` says unknown
};

// Shape of `count` elements of that shape together; unknown where that is none.
PartialShape BatchOf(const PartialShape& element, int64_t count);

class Queue final : public Resource, public std::enable_shared_from_this<Queue> {
 public:
  using Done = std::function<void(Status)>;
  using TakeDone = std::function<void(StatusOr<std::vector<QueueElement>>)>;

  Queue(QueueOptions options, std::unique_ptr<QueueOrder> order);
  ~Queue() override;

  std::string_view kind() const override { return "queue"; }
  int64_t memory_bytes() const override;
  const QueueOptions& options() const { return options_; }  // with the capacity that holds
  bool keeps_order() const { return keeps_order_; }
  int64_t size() const;
  bool closed() const;

  // Adds the elements one by one as there is room. Errors: Cancelled "FIFOQueue 'q' is closed." or
  // "Enqueue operation was cancelled"; elements that went in before stay in.
  void Enqueue(std::vector<QueueElement> elements, Cancellation& step, Done done);
  // Takes `count` elements. A closed queue that has fewer gives OutOfRange "FIFOQueue 'q' is closed
  // and has insufficient elements (requested 5, current size 2)", or with Rest::kIsEnough what is
  // left, if anything is. A call that ends with an error has taken nothing: what it held goes back
  // where it was.
  enum class Rest : uint8_t { kIsError, kIsEnough };
  void Dequeue(int64_t count, Rest rest, Cancellation& step, TakeDone done);
  // No enqueue that comes after this one succeeds. Those that wait are served first, or with
  // `cancel_pending` end with Cancelled. Errors: Cancelled "Queue 'q' is already closed.".
  void Close(bool cancel_pending, Cancellation& step, Done done);

  // InvalidArgument unless the tensors are one element ("Shape mismatch in tuple component 0.
  // Expected [2], got [3]"), or with `many` as many as their first dimension says.
  Status Check(std::span<const Tensor* const> components, bool many) const;

 private:
  struct Call;
  using Calls = std::deque<std::shared_ptr<Call>>;

  void Start(std::shared_ptr<Call> call, Cancellation& step);
  // REQUIRES of all below: mutex_ is held.
  void Cancel(const std::shared_ptr<Call>& call, EndedCalls& ended);
  Calls& ListOf(const Call& call);
  void Put(QueueElement element);
  void PutBack(Call& call);
  void Serve(EndedCalls& ended);
  bool ServeEntry(EndedCalls& ended);
  bool ServeExit(EndedCalls& ended);
  Status Insufficient(const Call& call) const;

  const QueueOptions options_;
  const bool keeps_order_;
  mutable std::mutex mutex_;
  const std::unique_ptr<QueueOrder> order_;
  int64_t bytes_ = 0;
  bool closed_ = false;
  Calls entries_;  // enqueues and closes
  Calls exits_;
};

}  // namespace headrace
