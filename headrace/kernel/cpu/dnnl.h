// oneDNN for CPU kernels: errors as Status, one engine, a stream for each thread, cached
// primitives, calls that allocate nothing. Include it from kernel sources only.
//
//   HR_ASSIGN_OR_RETURN(auto conv, CachedDnnlPrimitive(key, [&] {  // what it throws is a Status
//     return dnnl::convolution_forward::primitive_desc({...}, DnnlAttr(), DnnlEngine());
//   }));
//   HR_ASSIGN_OR_RETURN(DnnlCall call, DnnlCall::Create(conv, {{DNNL_ARG_SRC, src}, ...}));
//   call.Bind(0, x);
//   call.Bind(1, w);
//   HR_RETURN_IF_ERROR(call.Run());
//
// Threads: Debian's oneDNN runs on OpenMP, fixes a primitive's thread count when it is made, and
// gives NaN when a primitive of two threads runs inside a parallel region. So every primitive is
// made and run with OpenMP width 1 (the functions here see to it and put back the caller's own
// setting), and parallelism is ours: chunks over the WorkerPool, each with a DnnlCall of its own.
// Primitives may be shared by threads, a DnnlCall may not.
#pragma once

#include <dnnl.hpp>

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "headrace/base/status.h"
#include "headrace/tensor/dtype.h"

namespace headrace {

const dnnl::engine& DnnlEngine();
// The stream of the calling thread.
const dnnl::stream& DnnlStream();

// While it lives, OpenMP regions of the calling thread have one thread. For direct calls into
// oneDNN.
class DnnlSingleThread {
 public:
  DnnlSingleThread();
  ~DnnlSingleThread();
  DnnlSingleThread(const DnnlSingleThread&) = delete;
  DnnlSingleThread& operator=(const DnnlSingleThread&) = delete;

 private:
  int width_before_ = 0;  // 0: nothing to put back
};

// The error for a code of oneDNN: "oneDNN cannot make a convolution: unimplemented".
Status DnnlStatus(dnnl_status_t code, std::string_view doing);
// Runs `body` single-threaded and turns dnnl::error into a Status. `doing`: "make a convolution".
Status DnnlTry(std::string_view doing, absl::FunctionRef<void()> body);

// Unimplemented for dtypes that oneDNN does not compute with.
StatusOr<dnnl::memory::data_type> DnnlType(DType type);
// Dense, last dimension fastest.
StatusOr<dnnl::memory::desc> DnnlDesc(DType type, std::span<const int64_t> dims);
StatusOr<dnnl::memory::desc> DnnlDesc(DType type, std::span<const int64_t> dims,
                                      dnnl::memory::format_tag tag);

// Attributes that every primitive starts from: scratch memory comes from the thread that runs it.
dnnl::primitive_attr DnnlAttr();

struct DnnlPrimitive {
  dnnl::primitive_desc_base desc;  // desc.weights_desc(0): the layout it wants
  dnnl::primitive primitive;
  size_t scratch_bytes = 0;
};

// The primitive of `key` (any bytes that state everything it depends on), made once in the process
// by `make`, which uses DnnlAttr() and may throw. Unless `allow_reference`, one of oneDNN's
// reference implementations is refused with Unimplemented: they are hundreds of times slower than a
// simple loop.
StatusOr<std::shared_ptr<const DnnlPrimitive>> CachedDnnlPrimitive(
    std::string_view key, absl::FunctionRef<dnnl::primitive_desc_base()> make,
    bool allow_reference = false);

// A primitive with its arguments. Run allocates nothing once the thread's scratch memory has grown
// to its size.
class DnnlCall {
 public:
  using Argument = std::pair<int, dnnl::memory::desc>;  // DNNL_ARG_*

  static StatusOr<DnnlCall> Create(std::shared_ptr<const DnnlPrimitive> primitive,
                                   std::initializer_list<Argument> arguments);
  // Argument number `position` of the list is at `data`. For a layout with padding this writes the
  // padding.
  void Bind(int position, const void* data);
  Status Run();
  bool valid() const { return primitive_ != nullptr; }

  DnnlCall() = default;

 private:
  std::shared_ptr<const DnnlPrimitive> primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;  // the last one is scratch memory, if any is needed
};

}  // namespace headrace
