#include <algorithm>
#include <memory>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/linalg/fft_kernels.h"
#include "headrace/ops/linalg/fft_kind.h"
#include "headrace/ops/linalg/fft_plan.h"
#include "headrace/ops/linalg/matrix_kernel.h"

namespace headrace {
namespace {

constexpr double kNsPerElement = 12;  // of a line: some passes over it
constexpr int64_t kLinesAtOnce = 8;   // a cache line of neighbours

// Plans of the transformed dimensions, made again when a length changes.
template <class Plan>
const Plan& PlanFor(std::unique_ptr<Plan>& plan, int64_t n) {
  if (plan == nullptr || plan->size() != n) plan = std::make_unique<Plan>(n);
  return *plan;
}

// Transforms each line x[o, :, i] of [outer, n, inner] in place.
template <class T>
void TransformLines(WorkerPool& workers, const FftPlan<T>& plan, bool inverse, int64_t outer,
                    int64_t inner, std::complex<T>* x) {
  using C = std::complex<T>;
  const int64_t n = plan.size(), blocks = (inner + kLinesAtOnce - 1) / kLinesAtOnce;
  const double lines = static_cast<double>(std::min(inner, kLinesAtOnce));
  workers.ParallelFor(
      outer * blocks, kNsPerElement * lines * static_cast<double>(n),
      [&](int64_t begin, int64_t end) {
        std::vector<C> scratch(static_cast<size_t>(plan.scratch_size() + kLinesAtOnce * n));
        C *buffer = scratch.data(), *rest = buffer + kLinesAtOnce * n;
        for (int64_t at = begin; at < end; ++at) {
          if (inner == 1) {
            plan.Run(x + at * n, inverse, rest);
            continue;
          }
          const int64_t first = at % blocks * kLinesAtOnce;
          const int64_t count = std::min(kLinesAtOnce, inner - first);
          C* block = x + at / blocks * n * inner + first;
          for (int64_t j = 0; j < n; ++j) {
            for (int64_t i = 0; i < count; ++i) buffer[i * n + j] = block[j * inner + i];
          }
          for (int64_t i = 0; i < count; ++i) plan.Run(buffer + i * n, inverse, rest);
          for (int64_t j = 0; j < n; ++j) {
            for (int64_t i = 0; i < count; ++i) block[j * inner + i] = buffer[i * n + j];
          }
        }
      });
}

// Transforms dimensions [first, last) of a tensor of this shape.
template <class T>
class Axes {
 public:
  void Transform(WorkerPool& workers, const Shape& shape, int first, int last, bool inverse,
                 std::complex<T>* x) {
    for (int axis = first; axis < last; ++axis) {
      const FftPlan<T>& plan = PlanFor(plans_[axis - first], shape[axis]);
      TransformLines(workers, plan, inverse, shape.Product(0, axis),
                     shape.Product(axis + 1, shape.rank()), x);
    }
  }

 private:
  std::unique_ptr<FftPlan<T>> plans_[3];
};

template <class T>
class FftKernel final : public Kernel {
 public:
  explicit FftKernel(FftKind kind) : kind_(kind) {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(OutputShapes(ctx).status());
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
    if (y->num_elements() == 0) return absl::OkStatus();
    if (!y->SharesMemoryWith(x)) y->CopyElementsFrom(x);
    const int rank = x.rank(), first = rank - kind_.rank;
    axes_.Transform(ctx.workers(), x.shape(), first, rank, kind_.inverse,
                    y->data<std::complex<T>>());
    if (kind_.inverse) {
      const T factor = T(1) / static_cast<T>(x.shape().Product(first, rank));
      for (std::complex<T>& value : y->flat<std::complex<T>>()) value *= factor;
    }
    return absl::OkStatus();
  }

 private:
  const FftKind kind_;
  Axes<T> axes_;
};

// Rows of a tensor whose last dimensions (but the innermost) are cut to those of another: the row
// of the larger one for each row of the smaller one.
class CutRows {
 public:
  CutRows(const Shape& large, const Shape& small, int cut)
      : cut_(cut), rank_(large.rank()), large_(large), small_(small) {}

  int64_t count() const { return small_.Product(0, rank_ - 1); }
  int64_t RowOfLarge(int64_t row) const {
    int64_t at = 0, stride = 1;
    for (int axis = rank_ - 2; axis >= rank_ - cut_; --axis) {
      at += row % small_[axis] * stride;
      row /= small_[axis];
      stride *= large_[axis];
    }
    return at + row * stride;
  }

 private:
  const int cut_, rank_;
  const Shape large_, small_;
};

class RealFftKernel final : public Kernel {
 public:
  explicit RealFftKernel(FftKind kind) : kind_(kind) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shapes[0]));
    if (y->num_elements() == 0) return absl::OkStatus();
    if (x.num_elements() == 0) {  // nothing but padding
      std::fill_n(static_cast<char*>(y->raw_data()), y->size_bytes(), '\0');
      return absl::OkStatus();
    }
    const int64_t length = IntAt(ctx.input(1), kind_.rank - 1);
    const RealFftPlan<float>& plan = PlanFor(plan_, length);
    return kind_.inverse ? Inverse(ctx, plan, x, *y) : Forward(ctx, plan, x, *y);
  }

 private:
  using C = std::complex<float>;

  Status Forward(KernelContext& ctx, const RealFftPlan<float>& plan, const Tensor& x, Tensor& y) {
    const int rank = x.rank();
    const CutRows rows(x.shape(), y.shape(), kind_.rank);
    const int64_t from = x.dim(rank - 1), to = y.dim(rank - 1);
    ForEachRow(ctx, plan, rows, [&](int64_t row, C* scratch) {
      plan.Forward(x.data<float>() + rows.RowOfLarge(row) * from, y.data<C>() + row * to, scratch);
    });
    axes_.Transform(ctx.workers(), y.shape(), rank - kind_.rank, rank - 1, false, y.data<C>());
    return absl::OkStatus();
  }

  Status Inverse(KernelContext& ctx, const RealFftPlan<float>& plan, const Tensor& x, Tensor& y) {
    const int rank = x.rank();
    const CutRows rows(x.shape(), y.shape(), kind_.rank);
    const int64_t from = x.dim(rank - 1), used = plan.size() / 2 + 1, to = y.dim(rank - 1);
    Shape half = y.shape();
    half.set_dim(rank - 1, used);
    HR_RETURN_IF_ERROR(ctx.Scratch(half_, DType::kComplex64, half));
    C* spectra = half_.data<C>();
    for (int64_t row = 0; row < rows.count(); ++row)
      std::copy_n(x.data<C>() + rows.RowOfLarge(row) * from, used, spectra + row * used);
    axes_.Transform(ctx.workers(), half, rank - kind_.rank, rank - 1, true, spectra);
    const float factor = 1.0f / static_cast<float>(y.shape().Product(rank - kind_.rank, rank));
    ForEachRow(ctx, plan, rows, [&](int64_t row, C* scratch) {
      float* out = y.data<float>() + row * to;
      plan.Inverse(spectra + row * used, out, scratch);
      for (int64_t j = 0; j < to; ++j) out[j] *= factor;
    });
    return absl::OkStatus();
  }

  template <class F>
  void ForEachRow(KernelContext& ctx, const RealFftPlan<float>& plan, const CutRows& rows, F f) {
    ctx.workers().ParallelFor(rows.count(), kNsPerElement * static_cast<double>(plan.size()),
                              [&](int64_t begin, int64_t end) {
                                std::vector<C> scratch(static_cast<size_t>(plan.scratch_size()));
                                for (int64_t row = begin; row < end; ++row) f(row, scratch.data());
                              });
  }

  const FftKind kind_;
  std::unique_ptr<RealFftPlan<float>> plan_;
  Axes<float> axes_;
  Tensor half_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeFftCpu(const KernelInit& init) {
  const FftKind kind = FftKind::Of(init.node().op_name());
  if (init.input_type(0) == DType::kComplex128) return std::make_unique<FftKernel<double>>(kind);
  return std::make_unique<FftKernel<float>>(kind);
}

StatusOr<std::unique_ptr<Kernel>> MakeRealFftCpu(const KernelInit& init) {
  return std::make_unique<RealFftKernel>(FftKind::Of(init.node().op_name()));
}

}  // namespace headrace
