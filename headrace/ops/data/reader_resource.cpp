#include "headrace/ops/data/reader_resource.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/io/varint.h"

namespace headrace {

struct Reader::Call final : WaitingCall {
  std::function<void(const std::shared_ptr<Call>&)> run;  // ends with Finish
  bool running = false;
  std::shared_ptr<Queue> queue;
  int64_t most = 1;
  Records records;
  std::string state;
};

// ---------------------------------------------------------------- one call after the other

void Reader::Start(const std::shared_ptr<Call>& call, Cancellation& step) {
  call->cancellation = &step;
  constexpr std::string_view kCancelled = "Read operation was cancelled";
  {
    EndedCalls ended;
    std::lock_guard lock(mutex_);
    if (step.cancelled()) return ended.Add(call, CancelledCall(step, kCancelled));
    calls_.push_back(call);
    call->running = calls_.size() == 1;
    if (!call->running) {
      const auto cancel = [this, call](EndedCalls& cancelled) {
        if (call->ended || call->running) return;
        std::erase(calls_, call);
        cancelled.Add(call, CancelledCall(*call->cancellation, kCancelled));
      };
      const auto registered = step.OnCancel([self = shared_from_this(), cancel] {
        EndedCalls cancelled;
        std::lock_guard relock(self->mutex_);
        cancel(cancelled);
      });
      if (!registered) cancel(ended);
      return;
    }
  }
  call->run(call);
}

void Reader::Finish(const std::shared_ptr<Call>& call, Status status) {
  std::shared_ptr<Call> next;
  {
    EndedCalls ended;
    std::lock_guard lock(mutex_);
    calls_.pop_front();
    ended.Add(call, std::move(status));
    if (!calls_.empty()) {
      next = calls_.front();
      next->running = true;
    }
  }
  if (next != nullptr) next->run(next);
}

void Reader::Read(std::shared_ptr<Queue> queue, int64_t most, Cancellation& step,
                  std::function<void(StatusOr<Records>)> done) {
  auto call = std::make_shared<Call>();
  call->queue = std::move(queue);
  call->most = most;
  call->run = [this](const std::shared_ptr<Call>& self) { Continue(self); };
  // The call lives while it ends.
  call->done = [c = call.get(), done = std::move(done)](Status status) {
    if (status.ok()) {
      done(std::move(c->records));
    } else {
      done(std::move(status));
    }
  };
  Start(call, step);
}

void Reader::Reset(Cancellation& step, Done done) {
  auto call = std::make_shared<Call>();
  call->run = [this](const std::shared_ptr<Call>& self) {
    unit_.reset();
    started_ = finished_ = produced_ = 0;
    Finish(self, absl::OkStatus());
  };
  call->done = std::move(done);
  Start(call, step);
}

void Reader::Serialize(Cancellation& step, std::function<void(StatusOr<std::string>)> done) {
  if (!keeps_state_) return done(Unimplemented("Reader SerializeState"));
  auto call = std::make_shared<Call>();
  call->run = [this](const std::shared_ptr<Call>& self) {
    self->state = State();
    Finish(self, absl::OkStatus());
  };
  call->done = [c = call.get(), done = std::move(done)](Status status) {
    if (status.ok()) {
      done(std::move(c->state));
    } else {
      done(std::move(status));
    }
  };
  Start(call, step);
}

void Reader::Restore(std::string state, Cancellation& step, Done done) {
  if (!keeps_state_) return done(Unimplemented("Reader RestoreState"));
  auto call = std::make_shared<Call>();
  call->state = std::move(state);
  call->run = [this](const std::shared_ptr<Call>& self) { Finish(self, SetState(self->state)); };
  call->done = std::move(done);
  Start(call, step);
}

// ---------------------------------------------------------------- reading

void Reader::Continue(const std::shared_ptr<Call>& call) {
  for (;;) {
    if (unit_ == nullptr) {
      auto taken = TakeUnit(call);
      if (!taken) return;  // goes on when it comes
      if (Status started = StartUnit(*std::move(taken)); !started.ok())
        return Finish(call, std::move(started));
    }
    const StatusOr<bool> enough = ReadUnit(*call);
    if (!enough.ok() || *enough) return Finish(call, enough.status());
  }
}

// Nothing if it comes later: then the thread that brings it goes on with the call.
std::optional<StatusOr<std::vector<QueueElement>>> Reader::TakeUnit(
    const std::shared_ptr<Call>& call) {
  struct Slot {
    std::atomic<bool> second{false};  // who comes second goes on
    StatusOr<std::vector<QueueElement>> taken = absl::UnknownError("");
  };
  auto slot = std::make_shared<Slot>();
  call->queue->Dequeue(
      1, Queue::Rest::kIsError, *call->cancellation,
      [self = shared_from_this(), call, slot](StatusOr<std::vector<QueueElement>> taken) {
        slot->taken = std::move(taken);
        if (!slot->second.exchange(true)) return;
        Status started = self->StartUnit(std::move(slot->taken));
        if (!started.ok()) return self->Finish(call, std::move(started));
        self->Continue(call);
      });
  if (!slot->second.exchange(true)) return std::nullopt;
  return std::move(slot->taken);
}

Status Reader::StartUnit(StatusOr<std::vector<QueueElement>> taken) {
  HR_RETURN_IF_ERROR(taken.status());
  const QueueElement& element = taken->front();
  if (element.size() != 1) return InvalidArgument("Expected single component queue");
  if (element[0].dtype() != DType::kString)
    return InvalidArgument("Expected queue with single string component");
  if (element[0].num_elements() != 1)
    return InvalidArgument("Expected to dequeue a one-element string tensor");
  HR_ASSIGN_OR_RETURN(unit_, open_(*element[0].data<std::string>()));
  ++started_;
  return absl::OkStatus();
}

// False: the unit has ended and the call has nothing yet.
StatusOr<bool> Reader::ReadUnit(Call& call) {
  while (static_cast<int64_t>(call.records.size()) < call.most) {
    Record record;
    const StatusOr<bool> more = unit_->Next(record);
    if (!more.ok()) {
      // What came before is delivered; the next call gets the error.
      if (!call.records.empty()) return true;
      return more.status();
    }
    if (*more) {
      ++produced_;
      call.records.push_back(std::move(record));
      if (!unit_->done()) continue;
    }
    unit_.reset();
    finished_ = started_.load();
    return !call.records.empty();
  }
  return true;
}

// ---------------------------------------------------------------- state

namespace {

// Fields of TensorFlow's message ReaderBaseState: work units started and finished, records
// produced, and the name of a unit that is half read, which there never is.
constexpr uint64_t kStarted = 1, kFinished = 2, kProduced = 3, kUnit = 4;

}  // namespace

std::string Reader::State() const {
  std::string state;
  const auto append = [&state](uint64_t field, int64_t value) {
    if (value == 0) return;
    AppendVarint(field << 3, &state);
    AppendVarint(static_cast<uint64_t>(value), &state);
  };
  append(kStarted, started_);
  append(kFinished, finished_);
  append(kProduced, produced_);
  return state;
}

Status Reader::SetState(std::string_view state) {
  const auto damaged = [&] {
    return InvalidArgument("Could not parse state for ", name_, ": ", EscapeC(state));
  };
  int64_t numbers[3] = {0, 0, 0};
  for (std::string_view rest = state; !rest.empty();) {
    uint64_t tag = 0, value = 0;
    if (!TakeVarint(&rest, &tag) || !TakeVarint(&rest, &value)) return damaged();
    if (tag >= kStarted << 3 && tag <= kProduced << 3 && tag % 8 == 0) {
      numbers[(tag >> 3) - 1] = static_cast<int64_t>(value);
    } else if (tag == (kUnit << 3 | 2) && value <= rest.size()) {
      rest.remove_prefix(value);
    } else {
      return damaged();
    }
  }
  const auto [started, finished, produced] = numbers;
  if (started < 0 || finished < 0 || produced < 0)
    return InvalidArgument("Unexpected negative value when restoring in ", name_, ": ",
                           EscapeC(state));
  if (started != finished)
    return InvalidArgument("Inconsistent work started vs. finished when restoring in ", name_, ": ",
                           started, " vs. ", finished);
  unit_.reset();
  started_ = started;
  finished_ = finished;
  produced_ = produced;
  return absl::OkStatus();
}

}  // namespace headrace
