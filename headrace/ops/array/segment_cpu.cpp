#include <algorithm>
#include <limits>

#include "headrace/ops/array/index_check.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/segment_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

enum class Fold { kSum, kMean, kProd, kMax, kMin };

Fold FoldOf(std::string_view op) {
  if (op.ends_with("Sum")) return Fold::kSum;
  if (op.ends_with("Mean")) return Fold::kMean;
  if (op.ends_with("Prod")) return Fold::kProd;
  return op.ends_with("Max") ? Fold::kMax : Fold::kMin;
}

template <class T>
constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
constexpr bool kIsNarrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class T>
T Start(Fold fold) {
  if (fold == Fold::kSum || fold == Fold::kMean) return T();
  if (fold == Fold::kProd) return static_cast<T>(1.0f);
  if constexpr (std::is_same_v<T, Half>) {
    return Half(fold == Fold::kMax ? -65504.0f : 65504.0f);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16::FromBits(fold == Fold::kMax ? 0xff7f : 0x7f7f);
  } else if constexpr (kIsComplex<T>) {
    return T();
  } else {
    return fold == Fold::kMax ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  }
}

template <class T>
void FoldRow(Fold fold, T* y, const T* x, int64_t begin, int64_t end) {
  switch (fold) {
    case Fold::kSum:
    case Fold::kMean:
      for (int64_t i = begin; i < end; ++i) {
        if constexpr (std::is_integral_v<T>) {
          using U = std::make_unsigned_t<T>;
          y[i] = static_cast<T>(static_cast<U>(U(y[i]) + U(x[i])));
        } else {
          y[i] += x[i];
        }
      }
      return;
    case Fold::kProd:
      for (int64_t i = begin; i < end; ++i) {
        if constexpr (std::is_integral_v<T>) {
          y[i] = static_cast<T>(static_cast<uint64_t>(y[i]) * static_cast<uint64_t>(x[i]));
        } else {
          y[i] *= x[i];
        }
      }
      return;
    case Fold::kMax:
    case Fold::kMin:
      if constexpr (!kIsComplex<T>) {
        for (int64_t i = begin; i < end; ++i) {
          if (fold == Fold::kMax ? y[i] < x[i] : x[i] < y[i]) y[i] = x[i];
        }
      }
      return;
  }
}

template <class T>
T Divided(T x, int64_t count) {
  if constexpr (kIsComplex<T>) {
    return x / static_cast<typename T::value_type>(count);
  } else if constexpr (kIsNarrow<T>) {
    return T(static_cast<float>(x) / static_cast<float>(count));
  } else {
    return static_cast<T>(x / static_cast<T>(count));
  }
}

// Columns are shared out among the workers, so that every sum is taken in the order of the rows.
template <class T, class I>
void FoldRows(WorkerPool& workers, Fold fold, const Tensor& data, const I* ids, int64_t rows,
              int64_t inner, T* y) {
  const T* x = data.data<T>();
  workers.ParallelFor(inner, 0.3 * static_cast<double>(rows), [&](int64_t begin, int64_t end) {
    for (int64_t row = 0; row < rows; ++row) {
      if (ids[row] >= 0)
        FoldRow(fold, y + static_cast<int64_t>(ids[row]) * inner, x + row * inner, begin, end);
    }
  });
}

class UnsortedSegmentKernel final : public Kernel {
 public:
  explicit UnsortedSegmentKernel(Fold fold) : fold_(fold) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& ids = ctx.input(1);
    return ids.dtype() == DType::kInt32 ? Run<int32_t>(ctx, ids) : Run<int64_t>(ctx, ids);
  }

 private:
  template <class I>
  Status Run(KernelContext& ctx, const Tensor& ids) {
    const Tensor& data = ctx.input(0);
    bool starts = ids.rank() <= data.rank();
    for (int i = 0; starts && i < ids.rank(); ++i) starts = ids.dim(i) == data.dim(i);
    if (!starts) {
      return InvalidArgument("data.shape = ", data.shape().ToString(),
                             " does not start with segment_ids.shape = ", ids.shape().ToString());
    }
    if (ctx.input(2).rank() != 0) {
      return InvalidArgument("num_segments should be a scalar, not shape ",
                             ctx.input(2).shape().ToString());
    }
    const int64_t segments = IntAt(ctx.input(2), 0);
    if (segments < 0)
      return InvalidArgument("Input num_segments == ", segments, " must not be negative.");
    const I* id = ids.data<I>();
    for (int64_t i = 0; i < ids.num_elements(); ++i) {
      if (id[i] >= segments) {
        return InvalidArgument("segment_ids[", IndexText(ids.shape(), i), "] = ", id[i],
                               " is out of range [0, ", segments, ")");
      }
    }
    Shape shape{segments};
    for (int i = ids.rank(); i < data.rank(); ++i) {
      if (shape.rank() == kMaxRank)
        return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
      shape.Append(data.dim(i));
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    const int64_t inner = data.shape().Product(ids.rank(), data.rank());
    DispatchDType<kNumberTypes>(data.dtype(), [&]<class T>() {
      std::fill_n(out->data<T>(), out->num_elements(), Start<T>(fold_));
      FoldRows<T>(ctx.workers(), fold_, data, id, ids.num_elements(), inner, out->data<T>());
    });
    return absl::OkStatus();
  }

  const Fold fold_;
};

class SegmentKernel final : public Kernel {
 public:
  explicit SegmentKernel(Fold fold) : fold_(fold) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& ids = ctx.input(1);
    return ids.dtype() == DType::kInt32 ? Run<int32_t>(ctx, ids) : Run<int64_t>(ctx, ids);
  }

 private:
  template <class I>
  Status Run(KernelContext& ctx, const Tensor& ids) {
    const Tensor& data = ctx.input(0);
    if (ids.rank() != 1) return InvalidArgument("segment_ids should be a vector.");
    if (data.rank() < 1 || ids.num_elements() != data.dim(0)) {
      return InvalidArgument("segment_ids should be the same size as dimension 0 of input.");
    }
    const I* id = ids.data<I>();
    const int64_t rows = ids.num_elements();
    if (rows > 0 && int64_t{id[rows - 1]} == std::numeric_limits<int64_t>::max()) {
      return InvalidArgument("Segment id ", id[rows - 1],
                             " is too large: there is one segment more "
                             "than that, which int64 does not count");
    }
    const int64_t segments = rows == 0 ? 0 : static_cast<int64_t>(id[rows - 1]) + 1;
    for (int64_t i = 0; i < rows; ++i) {
      if (id[i] < 0) {
        return InvalidArgument("Segment id ", id[i], " out of range [0, ", segments,
                               "), possibly because 'segment_ids' input is not sorted.");
      }
      if (i > 0 && id[i] < id[i - 1]) return InvalidArgument("segment ids are not increasing");
    }
    Shape shape = data.shape();
    shape.set_dim(0, segments);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    const int64_t inner = data.shape().Product(1, data.rank());
    DispatchDType<kNumberTypes>(
        data.dtype(), [&]<class T>() { FoldSegments(ctx, data, id, rows, inner, *out, T()); });
    return absl::OkStatus();
  }

  template <class I, class T>
  void FoldSegments(KernelContext& ctx, const Tensor& data, const I* id, int64_t rows,
                    int64_t inner, Tensor& out, T) {
    T* y = out.data<T>();
    // What a segment without rows holds.
    std::fill_n(y, out.num_elements(), fold_ == Fold::kProd ? Start<T>(fold_) : T());
    for (int64_t i = 0; i < rows; ++i) {
      if (i == 0 || id[i] != id[i - 1])
        std::fill_n(y + static_cast<int64_t>(id[i]) * inner, inner, Start<T>(fold_));
    }
    FoldRows<T>(ctx.workers(), fold_, data, id, rows, inner, y);
    if (fold_ != Fold::kMean) return;
    for (int64_t begin = 0, end; begin < rows; begin = end) {
      for (end = begin + 1; end < rows && id[end] == id[begin]; ++end) {
      }
      T* row = y + static_cast<int64_t>(id[begin]) * inner;
      for (int64_t i = 0; i < inner; ++i) row[i] = Divided(row[i], end - begin);
    }
  }

  const Fold fold_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeUnsortedSegmentCpu(const KernelInit& init) {
  return std::make_unique<UnsortedSegmentKernel>(FoldOf(init.node().op_name()));
}
StatusOr<std::unique_ptr<Kernel>> MakeSegmentCpu(const KernelInit& init) {
  return std::make_unique<SegmentKernel>(FoldOf(init.node().op_name()));
}

}  // namespace headrace
