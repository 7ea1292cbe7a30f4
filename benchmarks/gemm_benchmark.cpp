// Float32 matrix products: Gemm against oneDNN's sgemm run by the same worker pool, on 1 and 2
// threads. Time is processor time of the calling thread (1 thread) or elapsed time, best of several
// rounds that alternate. One line a shape: gemm_benchmark [rounds]
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include "headrace/kernel/cpu/dnnl.h"
#include "headrace/kernel/cpu/gemm.h"

namespace headrace {
namespace {

struct Product {
  int64_t m, n, k;
  bool transpose_a = false, transpose_b = false;
};
constexpr Product kProducts[] = {{100, 500, 784},
                                 {100, 10, 500},
                                 {100, 500, 10, false, true},
                                 {500, 10, 100, true, false},
                                 {784, 500, 100, true},
                                 {256, 256, 256},
                                 {512, 512, 512},
                                 {1024, 1024, 1024},
                                 {1, 500, 784},
                                 {1, 784, 500, false, true},
                                 {784, 500, 1, true},
                                 {100, 512, 3136},
                                 {100, 3136, 512, false, true},
                                 {3136, 512, 100, true},
                                 {1, 16, 16},
                                 {2000, 20, 300}};

double Microseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

// oneDNN's product in as many row or column tiles as keep the threads busy.
void Sgemm(WorkerPool& workers, const Product& p, const float* a, const float* b, float* c) {
  const bool by_rows = p.m >= p.n;
  const int64_t whole = by_rows ? p.m : p.n;
  const int64_t chunk =
      workers.size() == 1 ? whole : std::max<int64_t>(48, (whole / 8 + 47) / 48 * 48);
  workers.ParallelChunks(whole, chunk, [&](int64_t begin, int64_t end) {
    const DnnlSingleThread single;
    const int64_t i = by_rows ? begin : 0, j = by_rows ? 0 : begin;
    dnnl_sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', by_rows ? end - begin : p.m,
               by_rows ? p.n : end - begin, p.k, 1.0f, a + i * (p.transpose_a ? 1 : p.k),
               p.transpose_a ? p.m : p.k, b + j * (p.transpose_b ? p.k : 1),
               p.transpose_b ? p.k : p.n, 0.0f, c + i * p.n + j, p.n);
  });
}

void Measure(const Product& p, int threads, int rounds) {
  WorkerPool workers(threads);
  std::vector<float> a(p.m * p.k), b(p.k * p.n), c(p.m * p.n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7919 % 1000) * 1e-3f - 0.5f;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 104729 % 1000) * 1e-3f - 0.5f;
  const double flops =
      2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  const int calls = static_cast<int>(std::clamp(1e8 / flops, 1.0, 20000.0));
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  double best[2] = {1e30, 1e30};
  const std::function<void()> sides[2] = {[&] {
                                            (void)Gemm(workers, p.transpose_a, p.transpose_b, p.m,
                                                       p.n, p.k, a.data(), b.data(), c.data());
                                          },
                                          [&] { Sgemm(workers, p, a.data(), b.data(), c.data()); }};
  for (int round = 0; round < rounds; ++round) {
    for (int side : {0, 1}) {
      sides[side]();
      const double start = Microseconds(clock);
      for (int i = 0; i < calls; ++i) sides[side]();
      best[side] = std::min(best[side], (Microseconds(clock) - start) / calls);
    }
  }
  std::printf(
      "%5ld x %4ld x %4ld %c%c  %d threads: %9.2f us %6.1f GFLOP/s, oneDNN %9.2f us %6.1f GFLOP/s, "
      "ratio %.2f\n",
      p.m, p.n, p.k, p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', threads, best[0],
      flops / best[0] / 1e3, best[1], flops / best[1] / 1e3, best[1] / best[0]);
}

}  // namespace
}  // namespace headrace

int main(int argc, char** argv) {
  for (const auto& product : headrace::kProducts) {
    for (int threads : {1, 2})
      headrace::Measure(product, threads, argc > 1 ? std::atoi(argv[1]) : 9);
  }
}
