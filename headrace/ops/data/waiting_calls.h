// Calls that wait for an object that others change.
//
// A call is served whole or bit by bit under the object's lock, by whichever thread changes the
// object; it ends on that thread, after the lock was released. No thread waits meanwhile.
//
//   EndedCalls ended;
//   std::lock_guard lock(mutex_);
//   ...
//   ended.Add(std::move(call), absl::OkStatus());   // its `done` is called when the lock is gone
//
// A call that waits registers itself with the cancellation of its step. Nobody takes that back:
// tokens live as long as a run or a call (AsyncKernel::Compute makes one), and whoever ends a call
// may be inside a callback of another token.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "headrace/base/cancellation.h"

namespace headrace {

// A call that waits. `done` is called once, with the lock released.
struct WaitingCall {
  virtual ~WaitingCall() = default;
  std::function<void(Status)> done;
  Status result;

  Cancellation* cancellation = nullptr;
  bool ended = false;  // under the object's lock
};

// Ends calls when it goes out of scope: declared before the lock, so that it ends them after.
class EndedCalls {
 public:
  EndedCalls() = default;
  EndedCalls(const EndedCalls&) = delete;
  EndedCalls& operator=(const EndedCalls&) = delete;
  ~EndedCalls() {
    for (const std::shared_ptr<WaitingCall>& call : calls_) {
      std::exchange(call->done, nullptr)(std::move(call->result));
    }
  }
  // REQUIRES: the object's lock is held, the call has not ended.
  void Add(std::shared_ptr<WaitingCall> call, Status result) {
    call->ended = true;
    call->result = std::move(result);
    calls_.push_back(std::move(call));
  }

 private:
  std::vector<std::shared_ptr<WaitingCall>> calls_;
};

// What a call of `step` gives that was cancelled: "Dequeue operation was cancelled", or why the
// step ends.
inline Status CancelledCall(const Cancellation& step, std::string_view what) {
  const Status why = step.status();
  if (!why.ok() && !absl::IsCancelled(why)) return why;
  return absl::CancelledError(std::string(what));
}

}  // namespace headrace
