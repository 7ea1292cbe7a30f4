// Ctrl-C while the engine runs a step.
#pragma once

#include "headrace/base/cancellation.h"

namespace headrace::python {

// While one lives on the main thread, SIGINT cancels `run` (besides what the program's handler does, which Python calls
// once the step has returned). Costs nothing measurable. REQUIRES: the GIL is held at construction.
class InterruptGuard {
 public:
  explicit InterruptGuard(Cancellation& run);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  Cancellation* outer_ = nullptr;
  bool watching_ = false;
};

}  // namespace headrace::python
