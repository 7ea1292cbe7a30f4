// How the kernels of pools share their rows among threads.
//
//   ForEachPoolRow(ctx.workers(), s, [&](int64_t image, int64_t row) { ... });
#pragma once

#include <cstring>

#include "headrace/base/worker_pool.h"
#include "headrace/ops/nn/pool_geometry.h"

namespace headrace {

// Estimated cost of a row of windows.
inline double NsPerPoolRow(const PoolShape& s) {
  return 10.0 * static_cast<double>(s.w.out) +
         0.1 * static_cast<double>(s.row()) *
             static_cast<double>(s.d.filter * s.h.filter * s.w.filter);
}

// Calls body(image, row) for all rows of the result, in parallel.
template <class Body>
void ForEachPoolRow(WorkerPool& workers, const PoolShape& s, Body body) {
  const int64_t rows = s.rows();
  workers.ParallelFor(s.batch * rows, NsPerPoolRow(s), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i / rows, i % rows);
  });
}

// For gradients: windows may overlap, so an image has one thread, which clears it first unless all
// of it is `written`.
template <class T, class Body>
void ForEachPoolImage(WorkerPool& workers, const PoolShape& s, T* result, bool written, Body body) {
  const double ns =
      2 * NsPerPoolRow(s) * static_cast<double>(s.rows()) + 0.1 * static_cast<double>(s.image());
  workers.ParallelFor(s.batch, ns, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      if (!written)
        std::memset(static_cast<void*>(result + n * s.image()), 0,
                    static_cast<size_t>(s.image()) * sizeof(T));
      for (int64_t row = 0; row < s.rows(); ++row) body(n, row);
    }
  });
}

}  // namespace headrace
