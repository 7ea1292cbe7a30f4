#include "headrace/base/cancellation.h"

namespace headrace {

void Cancellation::Cancel(Status reason) {
  std::map<int64_t, Callback> callbacks;
  {
    std::lock_guard lock(mutex_);
    if (cancelled()) return;
    reason_ = reason.ok() ? absl::CancelledError("cancelled") : std::move(reason);
    callbacks.swap(callbacks_);
    running_callbacks_ = true;
    cancelled_.store(true, std::memory_order_release);
  }
  for (auto& [id, callback] : callbacks) callback();
  std::lock_guard lock(mutex_);
  running_callbacks_ = false;
  idle_.notify_all();
}

Status Cancellation::status() const {
  std::lock_guard lock(mutex_);
  if (cancelled()) return reason_;
  if (deadline_ && Clock::now() >= *deadline_) return absl::DeadlineExceededError("the deadline of the call has passed");
  return absl::OkStatus();
}

std::optional<int64_t> Cancellation::OnCancel(Callback callback) {
  std::lock_guard lock(mutex_);
  if (cancelled()) return std::nullopt;
  callbacks_.emplace(next_id_, std::move(callback));
  return next_id_++;
}

void Cancellation::Remove(std::optional<int64_t> id) {
  if (!id) return;
  std::unique_lock lock(mutex_);
  if (callbacks_.erase(*id) > 0) return;
  idle_.wait(lock, [&] { return !running_callbacks_; });
}

}  // namespace headrace
