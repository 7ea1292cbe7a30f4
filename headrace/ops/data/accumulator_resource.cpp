#include "headrace/ops/data/accumulator_resource.h"

#include <algorithm>

#include "headrace/base/log.h"
#include "headrace/base/strings.h"

namespace headrace {

struct Accumulator::Call final : WaitingCall {
  int64_t num_required = 1;
  std::vector<Tensor> taken;
};

Accumulator::Accumulator(AccumulatorOptions options, std::unique_ptr<GradientSum> sum)
    : options_(std::move(options)), sum_(std::move(sum)) {}

Accumulator::~Accumulator() = default;

int64_t Accumulator::memory_bytes() const {
  std::lock_guard lock(mutex_);
  return sum_->memory_bytes();
}

int64_t Accumulator::num_accumulated() const {
  std::lock_guard lock(mutex_);
  return count_;
}

int64_t Accumulator::num_stale() const {
  std::lock_guard lock(mutex_);
  return stale_;
}

void Accumulator::SetGlobalStep(int64_t step) {
  std::lock_guard lock(mutex_);
  if (step < global_step_) {
    Log(LogLevel::kWarning, StrCat("accumulator '", options_.name, "' is set back from step ",
                                   global_step_, " to ", step));
  }
  global_step_ = step;
}

Status Accumulator::Apply(int64_t local_step, std::span<const Tensor* const> gradient) {
  EndedCalls ended;
  std::lock_guard lock(mutex_);
  if (local_step < global_step_) {
    ++stale_;
    return absl::OkStatus();
  }
  HR_RETURN_IF_ERROR(sum_->Add(gradient));
  ++count_;
  Serve(ended);
  return absl::OkStatus();
}

void Accumulator::Take(int64_t num_required, Cancellation& step, Done done) {
  if (num_required <= 0) {
    return done(InvalidArgument("Argument num_required must be positive, but was ", num_required));
  }
  auto call = std::make_shared<Call>();
  call->num_required = num_required;
  call->cancellation = &step;
  // The call lives while it ends.
  call->done = [taken = call.get(), done = std::move(done)](Status status) {
    if (status.ok()) {
      done(std::move(taken->taken));
    } else {
      done(std::move(status));
    }
  };
  EndedCalls ended;
  std::lock_guard lock(mutex_);
  takes_.push_back(call);
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

void Accumulator::Serve(EndedCalls& ended) {
  if (takes_.empty() || count_ < takes_.front()->num_required) return;
  ++global_step_;
  takes_.front()->taken = sum_->Take(count_, options_.mean);
  count_ = 0;
  ended.Add(std::move(takes_.front()), absl::OkStatus());
  takes_.pop_front();
}

void Accumulator::Cancel(const std::shared_ptr<Call>& call, EndedCalls& ended) {
  std::erase(takes_, call);
  ended.Add(call, CancelledCall(*call->cancellation, "TakeGrad operation was cancelled"));
  Serve(ended);  // one behind it may want fewer
}

}  // namespace headrace
