#include "gil.h"

#include <cxxabi.h>
#include <unistd.h>

namespace headrace::python {
namespace {

// `take` asks for the GIL; does not return when the interpreter has ended.
template <class Take>
auto OrWaitForTheEnd(Take take) {
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    for (;;) ::pause();  // not left: what unwinds the stack would have to go on
  }
}

}  // namespace

ReleasedGil::~ReleasedGil() {
  OrWaitForTheEnd([this] { PyEval_RestoreThread(state_); });
}

AcquiredGil::AcquiredGil() : state_(OrWaitForTheEnd([] { return PyGILState_Ensure(); })) {}

}  // namespace headrace::python
