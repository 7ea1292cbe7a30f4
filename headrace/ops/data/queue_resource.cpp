#include "headrace/ops/data/queue_resource.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {

namespace {

int64_t BytesOf(const QueueElement& element) {
  int64_t bytes = 0;
  for (const Tensor& component : element) bytes += static_cast<int64_t>(component.size_bytes());
  return bytes;
}

}  // namespace

PartialShape BatchOf(const PartialShape& element, int64_t count) {
  if (!element.has_rank() || element.rank() >= kMaxRank) return PartialShape();
  std::vector<int64_t> dims{count};
  dims.insert(dims.end(), element.dims().begin(), element.dims().end());
  return PartialShape(dims);
}

struct Queue::Call final : WaitingCall {
  enum class Kind : uint8_t { kEnqueue, kClose, kDequeue };
  explicit Call(Kind call_kind) : kind(call_kind) {}

  const Kind kind;
  std::vector<QueueElement> elements;  // to put, or taken so far
  size_t put = 0;
  int64_t count = 1;   // kDequeue: elements still wanted
  bool alone = false;  // kDequeue: of one element, for errors
  Rest rest = Rest::kIsError;
};

Queue::Queue(QueueOptions options, std::unique_ptr<QueueOrder> order)
    : options_([&] {
        if (options.capacity < 0) options.capacity = kNoBound;
        return std::move(options);
      }()),
      keeps_order_(order->keeps_order()),
      order_(std::move(order)) {}

Queue::~Queue() = default;

int64_t Queue::size() const {
  std::lock_guard lock(mutex_);
  return order_->size();
}

bool Queue::closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

int64_t Queue::memory_bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

void Queue::Enqueue(std::vector<QueueElement> elements, Cancellation& step, Done done) {
  auto call = std::make_shared<Call>(Call::Kind::kEnqueue);
  call->elements = std::move(elements);
  call->done = std::move(done);
  Start(std::move(call), step);
}

void Queue::Dequeue(int64_t count, Rest rest, Cancellation& step, TakeDone done) {
  auto call = std::make_shared<Call>(Call::Kind::kDequeue);
  if (count == 0) return done(std::vector<QueueElement>());
  call->count = count;
  call->alone = count == 1;
  call->rest = rest;
  // The call lives while it ends.
  call->done = [taken = call.get(), done = std::move(done)](Status status) {
    if (status.ok()) {
      done(std::move(taken->elements));
    } else {
      done(std::move(status));
    }
  };
  Start(std::move(call), step);
}

void Queue::Close(bool cancel_pending, Cancellation& step, Done done) {
  if (!cancel_pending) {
    auto call = std::make_shared<Call>(Call::Kind::kClose);
    call->done = std::move(done);
    return Start(std::move(call), step);
  }
  {
    EndedCalls ended;
    std::lock_guard lock(mutex_);
    closed_ = true;
    for (std::shared_ptr<Call>& call : std::exchange(entries_, {})) {
      ended.Add(std::move(call), absl::CancelledError("Enqueue operation was cancelled"));
    }
    Serve(ended);
  }
  done(absl::OkStatus());
}

void Queue::Start(std::shared_ptr<Call> call, Cancellation& step) {
  call->cancellation = &step;
  EndedCalls ended;
  std::lock_guard lock(mutex_);
  ListOf(*call).push_back(call);
  // A cancelled step takes nothing, as nobody would get it.
  if (step.cancelled()) return Cancel(call, ended);
  Serve(ended);
  if (call->ended) return;
  const auto registered = step.OnCancel([self = shared_from_this(), call] {
    EndedCalls cancelled;
    std::lock_guard relock(self->mutex_);
    if (!call->ended) self->Cancel(call, cancelled);
  });
  if (!registered) Cancel(call, ended);
}

void Queue::Cancel(const std::shared_ptr<Call>& call, EndedCalls& ended) {
  std::erase(ListOf(*call), call);
  const bool takes = call->kind == Call::Kind::kDequeue;
  if (takes) PutBack(*call);
  ended.Add(call, CancelledCall(*call->cancellation, takes ? "Dequeue operation was cancelled"
                                                           : "Enqueue operation was cancelled"));
  Serve(ended);
}

Queue::Calls& Queue::ListOf(const Call& call) {
  return call.kind == Call::Kind::kDequeue ? exits_ : entries_;
}

void Queue::Put(QueueElement element) {
  bytes_ += BytesOf(element);
  order_->Put(std::move(element));
}

void Queue::PutBack(Call& call) {
  for (const QueueElement& element : call.elements) bytes_ += BytesOf(element);
  order_->PutBack(std::exchange(call.elements, {}));
}

void Queue::Serve(EndedCalls& ended) {
  while (ServeEntry(ended) || ServeExit(ended)) {
  }
}

// Does what can be done for the first call of its kind; false if that is nothing.
bool Queue::ServeEntry(EndedCalls& ended) {
  if (entries_.empty()) return false;
  Call& call = *entries_.front();
  const size_t before = call.put;
  Status result;
  if (call.kind == Call::Kind::kClose) {
    if (std::exchange(closed_, true)) {
      result = absl::CancelledError(StrCat("Queue '", options_.name, "' is already closed."));
    }
  } else if (closed_) {
    result = absl::CancelledError(
        StrCat(options_.pads ? "FIFOQueue" : options_.op, " '", options_.name, "' is closed."));
  } else {
    while (call.put < call.elements.size() && order_->size() < options_.capacity) {
      Put(std::move(call.elements[call.put++]));
    }
    if (call.put < call.elements.size()) return call.put > before;
  }
  ended.Add(std::move(entries_.front()), std::move(result));
  entries_.pop_front();
  return true;
}

bool Queue::ServeExit(EndedCalls& ended) {
  if (exits_.empty()) return false;
  Call& call = *exits_.front();
  Status result;
  if (closed_ && order_->size() < call.count) {
    result = Insufficient(call);
    PutBack(call);
    if (call.rest == Rest::kIsEnough && order_->size() > 0) {
      result = absl::OkStatus();
      call.count = order_->size();
    }
  }
  if (result.ok()) {
    const int64_t free = order_->size() - (closed_ ? 0 : options_.min_after_dequeue);
    if (free <= 0 || (free < call.count && !order_->takes_early())) return false;
    for (int64_t i = std::min(free, call.count); i > 0; --i, --call.count) {
      call.elements.push_back(order_->Take());
      bytes_ -= BytesOf(call.elements.back());
    }
    if (call.count > 0) return true;
  }
  ended.Add(std::move(exits_.front()), std::move(result));
  exits_.pop_front();
  return true;
}

// The texts of TensorFlow, whose PaddingFIFOQueue is a FIFOQueue in all but batches.
Status Queue::Insufficient(const Call& call) const {
  return absl::OutOfRangeError(StrCat(options_.pads && call.alone ? "FIFOQueue" : options_.op, " '",
                                      options_.name,
                                      "' is closed and has insufficient elements (requested ",
                                      call.count, ", current size ", order_->size(), ")"));
}

Status Queue::Check(std::span<const Tensor* const> components, bool many) const {
  if (components.size() != options_.types.size()) {
    return InvalidArgument("Wrong number of components in tuple. Expected ", options_.types.size(),
                           ", got ", components.size());
  }
  for (size_t i = 0; i < components.size(); ++i) {
    const Tensor& given = *components[i];
    if (given.dtype() != options_.types[i]) {
      return InvalidArgument("Type mismatch in tuple component ", i, ". Expected ",
                             CppTypeName(options_.types[i]), ", got ", CppTypeName(given.dtype()));
    }
    if (many && (given.rank() == 0 || given.dim(0) != components[0]->dim(0)) &&
        options_.shapes.empty()) {
      return InvalidArgument(
          "All components must have the same size in the 0th dimension: component ", i,
          " has shape ", given.shape().ToString(), ", component 0 ",
          components[0]->shape().ToString());
    }
    if (options_.shapes.empty()) continue;
    PartialShape expected = options_.shapes[i];
    if (many) {
      expected = BatchOf(expected, components[0]->rank() == 0 ? 0 : components[0]->dim(0));
    }
    if (!expected.IsCompatibleWith(PartialShape(given.shape()))) {
      return InvalidArgument("Shape mismatch in tuple component ", i, ". Expected ",
                             expected.ToString(), ", got ", given.shape().ToString());
    }
  }
  return absl::OkStatus();
}

}  // namespace headrace
