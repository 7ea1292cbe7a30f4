// Matrix products on the CPU: c = op(a) * op(b), all row-major and dense.
//
//   HR_RETURN_IF_ERROR(Gemm(ctx.workers(), false, true, m, n, k, x, w, y));            // y[m,n] =
//   x[m,k] * w[n,k]^T HR_RETURN_IF_ERROR(Gemm(pool, false, false, m, n, k, x, w, y, {.bias = b,
//   .relu = true}));
//
// Shapes: a is [m, k] ([k, m] with transpose_a), b is [k, n] ([n, k] with transpose_b), c is [m,
// n]. Any of them may be 0; with k = 0 the product is 0. The cut into tiles depends on m, n, k
// only, so that the bits of c do not depend on the number of threads. Allocates nothing in the
// steady state. c may not overlap a or b. Thread-safe.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "headrace/base/status.h"
#include "headrace/base/worker_pool.h"
#include "headrace/tensor/float16.h"

namespace headrace {

// What is done to c on top of the product, in this order. Each step rounds as if it were a pass of
// its own, so that the bits are those of unfused ops.
template <class T>
struct GemmEpilogue {
  bool accumulate = false;  // add to what c holds
  const T* bias = nullptr;  // [n], added to each row
  bool relu = false;
  // The rest only for products that GemmUpdates accepts.
  const T* where = nullptr;  // [m, n]: times 1 where it is above 0, times 0 elsewhere
  const T* decay = nullptr;  // a number: plus decay times what c holds
  // A number: what c holds less rate times all that; not together with `accumulate`.
  const T* rate = nullptr;
};

// True for sizes whose sums are complete before they are stored.
bool GemmUpdates(bool transpose_b, int64_t m, int64_t n, int64_t k);

// Errors: ResourceExhausted; Internal from oneDNN, or for an epilogue that GemmUpdates does not
// accept.
Status Gemm(WorkerPool& workers, bool transpose_a, bool transpose_b, int64_t m, int64_t n,
            int64_t k, const float* a, const float* b, float* c,
            const GemmEpilogue<float>& epilogue = {});
Status Gemm(WorkerPool& workers, bool transpose_a, bool transpose_b, int64_t m, int64_t n,
            int64_t k, const double* a, const double* b, double* c,
            const GemmEpilogue<double>& epilogue = {});

// The same for other numbers (integers, complex, half), by plain loops: right, not fast. Half and
// bfloat16 are summed in float32.
template <class T>
void GemmPlain(WorkerPool& workers, bool transpose_a, bool transpose_b, int64_t m, int64_t n,
               int64_t k, const T* a, const T* b, T* c) {
  constexpr bool kHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
  using Sum = std::conditional_t<kHalf, float, T>;
  workers.ParallelFor(
      m, 1.0 * static_cast<double>(n) * static_cast<double>(k) + 1,
      [&](int64_t begin, int64_t end) {
        std::vector<Sum> row(static_cast<size_t>(n));
        for (int64_t i = begin; i < end; ++i) {
          std::fill(row.begin(), row.end(), Sum());
          for (int64_t p = 0; p < k; ++p) {
            const Sum factor = static_cast<Sum>(transpose_a ? a[p * m + i] : a[i * k + p]);
            for (int64_t j = 0; j < n; ++j)
              row[j] += factor * static_cast<Sum>(transpose_b ? b[j * k + p] : b[p * n + j]);
          }
          for (int64_t j = 0; j < n; ++j) c[i * n + j] = static_cast<T>(row[j]);
        }
      });
}

}  // namespace headrace
