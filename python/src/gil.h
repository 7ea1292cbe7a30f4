// The GIL, for code that may still run while the interpreter ends.
//
// Programs leave threads behind that run steps (queue runners). When the interpreter ends, CPython ends a
// thread that asks for the GIL by unwinding its stack, which C++ frames that throw nothing answer with
// std::terminate. Here such a thread waits for the end of the process instead.
#pragma once

#include <nanobind/nanobind.h>

namespace headrace::python {

// Without the GIL while it lives. REQUIRES: it is held at construction.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil();
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

// With the GIL while it lives, on any thread.
class AcquiredGil {
 public:
  AcquiredGil();
  ~AcquiredGil() { PyGILState_Release(state_); }
  AcquiredGil(const AcquiredGil&) = delete;
  AcquiredGil& operator=(const AcquiredGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace headrace::python
