// Diagonals are moved element by element, whatever their dtype: by size.
#include <algorithm>
#include <complex>
#include <cstring>
#include <optional>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/linalg/diag_band.h"
#include "headrace/ops/linalg/diag_kernels.h"
#include "headrace/ops/linalg/matrix_kernel.h"

namespace headrace {
namespace {

// Calls f with a value of an unsigned type of the element's size.
template <class F>
void ForSize(size_t size, F f) {
  struct Pair {
    uint64_t low, high;
  };
  switch (size) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    case 8:
      return f(uint64_t());
    default:
      return f(Pair{0, 0});
  }
}

// What one call works on. All matrices are rows x cols.
struct Work {
  int64_t batch = 0, rows = 0, cols = 0;
  DiagBand band;
  int64_t length = 0;  // of a row of the diagonals
};

constexpr double kNsPerElement = 0.7;

template <class T>
void FillMatrices(WorkerPool& workers, const Work& w, const T* diagonals, T padding, T* out) {
  workers.ParallelFor(w.batch * w.rows, kNsPerElement * static_cast<double>(w.cols) + 2,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t at = begin; at < end; ++at) {
                          const int64_t row = at % w.rows;
                          const T* from = diagonals + at / w.rows * w.band.count() * w.length;
                          T* to = out + at * w.cols;
                          std::fill_n(to, w.cols, padding);
                          const int64_t first = std::max<int64_t>(0, row + w.band.lower);
                          const int64_t last = std::min(w.cols - 1, row + w.band.upper);
                          for (int64_t col = first; col <= last; ++col) {
                            const int64_t d = col - row;
                            to[col] = from[(w.band.upper - d) * w.length + std::min(row, col)];
                          }
                        }
                      });
}

template <class T>
void TakeDiagonals(WorkerPool& workers, const Work& w, const T* x, T padding, T* diagonals) {
  workers.ParallelFor(
      w.batch * w.band.count(), 2 * static_cast<double>(w.length) + 2,
      [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; ++at) {
          const T* from = x + at / w.band.count() * w.rows * w.cols;
          const int64_t d = w.band.upper - at % w.band.count();
          const int64_t row = std::max<int64_t>(0, -d), col = std::max<int64_t>(0, d);
          const int64_t n = std::clamp<int64_t>(std::min(w.rows - row, w.cols - col), 0, w.length);
          T* to = diagonals + at * w.length;
          for (int64_t i = 0; i < n; ++i) to[i] = from[(row + i) * w.cols + col + i];
          std::fill(to + n, to + w.length, padding);
        }
      });
}

template <class T>
void PutDiagonals(WorkerPool& workers, const Work& w, const T* diagonals, T* out) {
  workers.ParallelFor(w.batch * w.band.count(), 2 * static_cast<double>(w.length) + 2,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t at = begin; at < end; ++at) {
                          T* to = out + at / w.band.count() * w.rows * w.cols;
                          const int64_t d = w.band.upper - at % w.band.count();
                          const int64_t row = std::max<int64_t>(0, -d),
                                        col = std::max<int64_t>(0, d);
                          const int64_t n = std::min(w.rows - row, w.cols - col);
                          const T* from = diagonals + at * w.length;
                          for (int64_t i = 0; i < n; ++i)
                            to[(row + i) * w.cols + col + i] = from[i];
                        }
                      });
}

template <class T>
void KeepBand(WorkerPool& workers, const Work& w, const T* x, T* out) {
  workers.ParallelFor(w.batch * w.rows, kNsPerElement * static_cast<double>(w.cols) + 2,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t at = begin; at < end; ++at) {
                          const int64_t row = at % w.rows;
                          const int64_t first = std::clamp<int64_t>(row + w.band.lower, 0, w.cols);
                          const int64_t last =
                              std::clamp<int64_t>(row + w.band.upper + 1, first, w.cols);
                          const T* from = x + at * w.cols;
                          T* to = out + at * w.cols;
                          std::fill(to, to + first, T{});
                          if (to != from) std::copy(from + first, from + last, to + first);
                          std::fill(to + last, to + w.cols, T{});
                        }
                      });
}

// Sizes of matrices of this shape with the band that input `k` states.
StatusOr<Work> WorkFor(const KernelContext& ctx, const Shape& matrices, int k) {
  Work w;
  const int rank = matrices.rank();
  w.batch = matrices.Product(0, rank - 2);
  w.rows = matrices[rank - 2];
  w.cols = matrices[rank - 1];
  if (k < ctx.num_inputs()) {
    HR_ASSIGN_OR_RETURN(w.band, DiagBandOf(ctx.input(k)));
  }
  return w;
}

// The padding value of input `i`, or zero for an op without it.
template <class T>
T PaddingOf(const KernelContext& ctx, int i, T zero) {
  if (i >= ctx.num_inputs()) return zero;
  T value;
  std::memcpy(&value, ctx.input(i).raw_data(), sizeof(T));
  return value;
}

Status MatrixDiag(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
  HR_ASSIGN_OR_RETURN(Work w, WorkFor(ctx, shapes[0], 1));
  const Tensor& diagonal = ctx.input(0);
  w.length = diagonal.dim(diagonal.rank() - 1);
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shapes[0]));
  ForSize(SizeOf(y->dtype()), [&](auto zero) {
    using T = decltype(zero);
    FillMatrices(ctx.workers(), w, static_cast<const T*>(diagonal.raw_data()),
                 PaddingOf(ctx, 4, zero), static_cast<T*>(y->raw_data()));
  });
  return absl::OkStatus();
}

Status MatrixDiagPart(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
  const Tensor& x = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Work w, WorkFor(ctx, x.shape(), 1));
  w.length = shapes[0][shapes[0].rank() - 1];
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shapes[0]));
  ForSize(SizeOf(y->dtype()), [&](auto zero) {
    using T = decltype(zero);
    TakeDiagonals(ctx.workers(), w, static_cast<const T*>(x.raw_data()), PaddingOf(ctx, 2, zero),
                  static_cast<T*>(y->raw_data()));
  });
  return absl::OkStatus();
}

Status MatrixSetDiag(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
  const Tensor &x = ctx.input(0), &diagonal = ctx.input(1);
  HR_ASSIGN_OR_RETURN(Work w, WorkFor(ctx, shapes[0], 2));
  w.length = diagonal.dim(diagonal.rank() - 1);
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shapes[0]));
  if (!y->SharesMemoryWith(x)) y->CopyElementsFrom(x);
  ForSize(SizeOf(y->dtype()), [&](auto zero) {
    using T = decltype(zero);
    PutDiagonals(ctx.workers(), w, static_cast<const T*>(diagonal.raw_data()),
                 static_cast<T*>(y->raw_data()));
  });
  return absl::OkStatus();
}

Status MatrixBandPart(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
  const Tensor& x = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Work w, WorkFor(ctx, x.shape(), ctx.num_inputs()));
  const int64_t lower = IntAt(ctx.input(1), 0), upper = IntAt(ctx.input(2), 0);
  w.band = {.lower = lower < 0 ? -w.rows : -lower, .upper = upper < 0 ? w.cols : upper};
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
  ForSize(SizeOf(y->dtype()), [&](auto zero) {
    using T = decltype(zero);
    KeepBand(ctx.workers(), w, static_cast<const T*>(x.raw_data()), static_cast<T*>(y->raw_data()));
  });
  return absl::OkStatus();
}

// A tensor of twice the rank is one square matrix.
Status DiagOfTensor(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
  const Tensor& x = ctx.input(0);
  const int64_t n = x.num_elements();
  const Work w{.batch = 1, .rows = n, .cols = n, .length = n};
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shapes[0]));
  ForSize(SizeOf(y->dtype()), [&](auto zero) {
    using T = decltype(zero);
    FillMatrices(ctx.workers(), w, static_cast<const T*>(x.raw_data()), zero,
                 static_cast<T*>(y->raw_data()));
  });
  return absl::OkStatus();
}

Status DiagPartOfTensor(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
  const int64_t n = shapes[0].num_elements();
  const Work w{.batch = 1, .rows = n, .cols = n, .length = n};
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shapes[0]));
  ForSize(SizeOf(y->dtype()), [&](auto zero) {
    using T = decltype(zero);
    TakeDiagonals(ctx.workers(), w, static_cast<const T*>(ctx.input(0).raw_data()), zero,
                  static_cast<T*>(y->raw_data()));
  });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDiagCpu(const KernelInit& init) {
  return MakeFunctionKernel<DiagOfTensor>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeDiagPartCpu(const KernelInit& init) {
  return MakeFunctionKernel<DiagPartOfTensor>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMatrixDiagCpu(const KernelInit& init) {
  return MakeFunctionKernel<MatrixDiag>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMatrixDiagPartCpu(const KernelInit& init) {
  return MakeFunctionKernel<MatrixDiagPart>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMatrixSetDiagCpu(const KernelInit& init) {
  return MakeFunctionKernel<MatrixSetDiag>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMatrixBandPartCpu(const KernelInit& init) {
  return MakeFunctionKernel<MatrixBandPart>(init);
}

}  // namespace headrace
