#include <cmath>
#include <vector>

#include "headrace/ops/array/index_check.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/sparse_segment_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

enum class Scale { kNone, kMean, kSqrtN };

Scale ScaleOf(std::string_view op) {
  if (op.starts_with("SparseSegmentMean")) return Scale::kMean;
  return op.starts_with("SparseSegmentSqrtN") ? Scale::kSqrtN : Scale::kNone;
}

template <class T>
using Accumulator =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

Status CheckVectors(const Tensor& indices, const Tensor& ids) {
  if (indices.rank() != 1) return InvalidArgument("indices should be a vector.");
  if (ids.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
  if (indices.num_elements() != ids.num_elements())
    return InvalidArgument("segment_ids and indices should have same size.");
  return absl::OkStatus();
}

class SparseSegmentKernel final : public Kernel {
 public:
  explicit SparseSegmentKernel(Scale scale) : scale_(scale) {}

  Status Compute(KernelContext& ctx) override {
    return ctx.input(1).dtype() == DType::kInt32 ? Run<int32_t>(ctx) : Run<int64_t>(ctx);
  }

 private:
  template <class I>
  Status Run(KernelContext& ctx) {
    const Tensor& data = ctx.input(0);
    const Tensor& indices = ctx.input(1);
    HR_RETURN_IF_ERROR(CheckVectors(indices, ctx.input(2)));
    if (data.rank() < 1) return InvalidArgument("Shape must be at least rank 1");
    const int32_t* ids = ctx.input(2).data<int32_t>();
    const I* index = indices.data<I>();
    const int64_t n = indices.num_elements();
    HR_ASSIGN_OR_RETURN(const int64_t segments, Segments(ctx, ids, n));
    for (int64_t i = 1; i < n; ++i) {
      if (ids[i] < ids[i - 1]) return InvalidArgument("segment ids are not increasing");
    }
    for (int64_t i = 0; i < n; ++i) {
      if (ids[i] < 0 || ids[i] >= segments) {
        return InvalidArgument("Segment id ", ids[i], " out of range [0, ", segments,
                               "), possibly because 'segment_ids' input is not sorted.");
      }
    }
    if (const int64_t bad = FirstBadIndex(index, n, data.dim(0)); bad >= 0) {
      return InvalidArgument("Bad: indices[", bad, "] == ", index[bad], " out of range [0, ",
                             data.dim(0), ")");
    }
    starts_.assign(static_cast<size_t>(segments) + 1, n);
    for (int64_t i = n; i-- > 0;) starts_[static_cast<size_t>(ids[i])] = i;
    for (size_t s = starts_.size() - 1; s-- > 0;) {
      if (starts_[s] == n || ids[starts_[s]] != static_cast<int32_t>(s))
        starts_[s] = starts_[s + 1];
    }
    Shape shape = data.shape();
    shape.set_dim(0, segments);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    const int64_t inner = shape.Product(1, shape.rank());
    DispatchDType<kRealTypes>(data.dtype(), [&]<class T>() {
      const T* x = data.data<T>();
      T* y = out->data<T>();
      const double ns = 5 + 0.4 * static_cast<double>(inner) * static_cast<double>(n + 1) /
                                static_cast<double>(segments + 1);
      ctx.workers().ParallelFor(segments, ns, [&](int64_t begin, int64_t end) {
        std::vector<Accumulator<T>> sum(static_cast<size_t>(inner));
        for (int64_t s = begin; s < end; ++s) Fold<T>(x, index, s, inner, sum, y + s * inner);
      });
    });
    return absl::OkStatus();
  }

  StatusOr<int64_t> Segments(KernelContext& ctx, const int32_t* ids, int64_t n) const {
    const int64_t used = n == 0 ? 0 : int64_t{ids[n - 1]} + 1;
    if (ctx.num_inputs() < 4) return used;
    HR_ASSIGN_OR_RETURN(const int64_t stated, IntScalar(ctx.input(3), "num_segments"));
    if (stated < 0) return InvalidArgument("Cannot specify a negative value for num_segments");
    if (used > stated) return InvalidArgument("segment ids must be < num_segments");
    return stated;
  }

  template <class T, class I>
  void Fold(const T* x, const I* index, int64_t segment, int64_t inner,
            std::vector<Accumulator<T>>& sum, T* y) const {
    using A = Accumulator<T>;
    const int64_t begin = starts_[static_cast<size_t>(segment)],
                  end = starts_[static_cast<size_t>(segment) + 1];
    std::fill(sum.begin(), sum.end(), A(0));
    for (int64_t i = begin; i < end; ++i) {
      const T* row = x + static_cast<int64_t>(index[i]) * inner;
      for (int64_t k = 0; k < inner; ++k) {
        if constexpr (std::is_integral_v<A>) {
          sum[k] = static_cast<A>(static_cast<uint64_t>(sum[k]) + static_cast<uint64_t>(row[k]));
        } else {
          sum[k] += static_cast<A>(row[k]);
        }
      }
    }
    if constexpr (std::is_floating_point_v<A>) {
      if (scale_ != Scale::kNone && end > begin) {
        const A count = static_cast<A>(end - begin);
        const A divisor = scale_ == Scale::kMean ? count : std::sqrt(count);
        for (A& value : sum) value /= divisor;
      }
    }
    for (int64_t k = 0; k < inner; ++k) y[k] = static_cast<T>(sum[static_cast<size_t>(k)]);
  }

  const Scale scale_;
  std::vector<int64_t> starts_;  // where the rows of each segment begin; one more at the end
};

class SparseSegmentGradKernel final : public Kernel {
 public:
  explicit SparseSegmentGradKernel(Scale scale) : scale_(scale) {}

  Status Compute(KernelContext& ctx) override {
    return ctx.input(1).dtype() == DType::kInt32 ? Run<int32_t>(ctx) : Run<int64_t>(ctx);
  }

 private:
  template <class I>
  Status Run(KernelContext& ctx) {
    const Tensor& grad = ctx.input(0);
    const Tensor& indices = ctx.input(1);
    HR_RETURN_IF_ERROR(CheckVectors(indices, ctx.input(2)));
    if (grad.rank() < 1) return InvalidArgument("Shape must be at least rank 1");
    HR_ASSIGN_OR_RETURN(const int64_t rows, IntScalar(ctx.input(3), "output_dim0"));
    if (rows < 0) return InvalidArgument("Cannot specify a negative value for output_dim0");
    const int32_t* ids = ctx.input(2).data<int32_t>();
    const I* index = indices.data<I>();
    const int64_t n = indices.num_elements();
    counts_.assign(static_cast<size_t>(grad.dim(0)), 0);
    for (int64_t i = 0; i < n; ++i) {
      if (ids[i] < 0 || ids[i] >= grad.dim(0))
        return InvalidArgument("Segment id ", ids[i], " out of range [0, ", grad.dim(0), ").");
      ++counts_[static_cast<size_t>(ids[i])];
    }
    if (const int64_t bad = FirstBadIndex(index, n, rows); bad >= 0)
      return InvalidArgument("Index ", index[bad], " out of range [0, ", rows, ").");
    Shape shape = grad.shape();
    shape.set_dim(0, rows);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    const int64_t inner = shape.Product(1, shape.rank());
    constexpr DTypeSet kTypes{DType::kFloat32, DType::kFloat64};
    DispatchDType<kTypes>(grad.dtype(), [&]<class T>() {
      T* y = out->data<T>();
      std::fill_n(y, out->num_elements(), T(0));
      // Columns are shared out, so that every sum is taken in the order of the indices.
      ctx.workers().ParallelFor(
          inner, 0.5 * static_cast<double>(n + 1), [&](int64_t begin, int64_t end) {
            for (int64_t i = 0; i < n; ++i) {
              const T* x = grad.data<T>() + int64_t{ids[i]} * inner;
              T* to = y + static_cast<int64_t>(index[i]) * inner;
              const T count = static_cast<T>(counts_[static_cast<size_t>(ids[i])]);
              const T factor = T(1) / (scale_ == Scale::kMean ? count : std::sqrt(count));
              for (int64_t k = begin; k < end; ++k) to[k] += x[k] * factor;
            }
          });
    });
    return absl::OkStatus();
  }

  const Scale scale_;
  std::vector<int64_t> counts_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSparseSegmentCpu(const KernelInit& init) {
  return std::make_unique<SparseSegmentKernel>(ScaleOf(init.node().op_name()));
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseSegmentGradCpu(const KernelInit& init) {
  return std::make_unique<SparseSegmentGradKernel>(ScaleOf(init.node().op_name()));
}

}  // namespace headrace
