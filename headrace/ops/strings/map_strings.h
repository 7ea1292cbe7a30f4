// Kernels that make one element of each string.
#pragma once

#include <type_traits>

#include "headrace/kernel/kernel.h"

namespace headrace {

// f(const std::string& from, T& to) for each element of input 0 into output 0, on all workers.
template <class T, class F>
Status MapStrings(KernelContext& ctx, F&& f) {
  const Tensor& in = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
  const std::string* from = in.data<std::string>();
  T* to = out->data<T>();
  ctx.workers().ParallelFor(in.num_elements(), 60.0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(from[i], to[i]);
  });
  return absl::OkStatus();
}

// The same where an element may be wrong: stops with the first error.
template <class T, class F>
Status TryMapStrings(KernelContext& ctx, F&& f) {
  const Tensor& in = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
  const std::string* from = in.data<std::string>();
  T* to = out->data<T>();
  for (int64_t i = 0; i < in.num_elements(); ++i) HR_RETURN_IF_ERROR(f(from[i], to[i]));
  return absl::OkStatus();
}

}  // namespace headrace
