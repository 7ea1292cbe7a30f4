#include <array>

#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/nn/l2_loss_kernels.h"
#include "headrace/ops/nn/row_math.h"

namespace headrace {
namespace {

// Sums of blocks, then the sum of those in float64: few roundings, and the same bits with any
// number of threads.
constexpr int64_t kBlock = 8192;
constexpr int64_t kMostBlocks = 1024;

template <class T>
double SumSquares(WorkerPool& workers, const T* x, int64_t n) {
  const RowMath<T>& rows = RowMath<T>::Get();
  const int64_t blocks = std::clamp<int64_t>((n + kBlock - 1) / kBlock, 1, kMostBlocks);
  if (blocks == 1) return rows.sum_squares(x, n);
  std::array<double, kMostBlocks> partial;
  workers.ParallelFor(blocks, 0.05 * static_cast<double>(n) / static_cast<double>(blocks),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t b = begin; b < end; ++b) {
                          const int64_t first = n * b / blocks, last = n * (b + 1) / blocks;
                          partial[b] = rows.sum_squares(x + first, last - first);
                        }
                      });
  double total = 0;
  for (int64_t b = 0; b < blocks; ++b) total += partial[b];
  return total;
}

double SumSquaresHalf(const Half* x, int64_t n) {
  const RowMath<float>& rows = RowMath<float>::Get();
  float wide[1024];
  double total = 0;
  for (int64_t i = 0; i < n; i += 1024) {
    const int64_t count = std::min<int64_t>(1024, n - i);
    WidenToFloat(x + i, DType::kFloat16, wide, count);
    total += rows.sum_squares(wide, count);
  }
  return total;
}

Status ComputeL2Loss(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, Shape()));
  const int64_t n = t.num_elements();
  if (t.dtype() == DType::kFloat32) {
    *out->data<float>() = static_cast<float>(0.5 * SumSquares(ctx.workers(), t.data<float>(), n));
  } else if (t.dtype() == DType::kFloat64) {
    *out->data<double>() = 0.5 * SumSquares(ctx.workers(), t.data<double>(), n);
  } else {
    *out->data<Half>() = Half(0.5 * SumSquaresHalf(t.data<Half>(), n));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeL2LossCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeL2Loss>(init);
}

}  // namespace headrace
