// The stream of a simulated GPU: one thread that does the work in order.
#pragma once

#include <atomic>
#include <memory>

#include "headrace/device/device.h"

namespace headrace {

class SimulatedStream final : public Stream {
 public:
  SimulatedStream();
  ~SimulatedStream() override;  // finishes what was enqueued

  void Enqueue(std::function<void()> work) override;
  Status Synchronize() override;
  // Runs `work` after everything enqueued before, and waits for it. On the caller's thread if
  // nothing is pending.
  void RunInOrder(const std::function<void()>& work);

  // Fault injection: from now on the device reports `error`; Reset makes it work again.
  void Fail(Status error);
  void Reset();
  Status failure() const;

 private:
  struct Thread;  // with its queue
  // The thread of this process: after a fork the child starts one of its own; work the parent had
  // enqueued stays there.
  Thread& Here() const;

  mutable std::atomic<Thread*> thread_;
};

}  // namespace headrace
