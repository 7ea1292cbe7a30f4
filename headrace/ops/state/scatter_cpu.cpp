#include <vector>

#include "headrace/ops/array/index_check.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/state/scatter_kernels.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

enum class Fold { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

Fold FoldOf(std::string_view op) {
  if (op.ends_with("Add")) return Fold::kAdd;
  if (op.ends_with("Sub")) return Fold::kSub;
  if (op.ends_with("Mul")) return Fold::kMul;
  if (op.ends_with("Div")) return Fold::kDiv;
  if (op.ends_with("Min")) return Fold::kMin;
  return op.ends_with("Max") ? Fold::kMax : Fold::kUpdate;
}

template <class T>
constexpr bool kIsNumber = !std::is_same_v<T, std::string> && !std::is_same_v<T, ResourceHandle> &&
                           !std::is_same_v<T, bool>;
template <class T>
constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

// y[i] = fold(y[i], x[i * step]); step 0 repeats a scalar.
template <class T, Fold kFold>
void FoldRow(T* y, const T* x, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const T& b = x[i * step];
    if constexpr (kFold == Fold::kUpdate) {
      y[i] = b;
    } else if constexpr (kFold == Fold::kMin) {
      if (b < y[i]) y[i] = b;
    } else if constexpr (kFold == Fold::kMax) {
      if (y[i] < b) y[i] = b;
    } else if constexpr (std::is_same_v<T, bool>) {  // as the numbers 0 and 1, not 0 being true
      y[i] = kFold == Fold::kAdd ? y[i] || b : y[i] != b;
    } else if constexpr (std::is_integral_v<T> && kFold != Fold::kDiv) {  // wraps
      const uint64_t p = static_cast<uint64_t>(y[i]), q = static_cast<uint64_t>(b);
      y[i] = static_cast<T>(kFold == Fold::kAdd ? p + q : kFold == Fold::kSub ? p - q : p * q);
    } else if constexpr (kFold == Fold::kAdd) {
      y[i] += b;
    } else if constexpr (kFold == Fold::kSub) {
      y[i] -= b;
    } else if constexpr (kFold == Fold::kMul) {
      y[i] *= b;
    } else {
      y[i] = static_cast<T>(y[i] / b);
    }
  }
}

template <class T>
using RowFunction = void (*)(T*, const T*, int64_t, int64_t);

template <class T>
RowFunction<T> FindRow(Fold fold) {
  if constexpr (std::is_same_v<T, bool>) {
    if (fold == Fold::kAdd) return FoldRow<T, Fold::kAdd>;
    if (fold == Fold::kSub) return FoldRow<T, Fold::kSub>;
  } else if constexpr (kIsNumber<T>) {
    switch (fold) {
      case Fold::kAdd:
        return FoldRow<T, Fold::kAdd>;
      case Fold::kSub:
        return FoldRow<T, Fold::kSub>;
      case Fold::kMul:
        return FoldRow<T, Fold::kMul>;
      case Fold::kDiv:
        return FoldRow<T, Fold::kDiv>;
      case Fold::kMin:
        if constexpr (!kIsComplex<T>) return FoldRow<T, Fold::kMin>;
        break;
      case Fold::kMax:
        if constexpr (!kIsComplex<T>) return FoldRow<T, Fold::kMax>;
        break;
      case Fold::kUpdate:
        break;
    }
  }
  return FoldRow<T, Fold::kUpdate>;
}

template <class T>
Status CheckDivisors(Fold fold, const Tensor& updates) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    for (const T& x : updates.flat<T>()) {
      if (fold == Fold::kDiv && x == 0) return InvalidArgument("Integer division by zero");
    }
  }
  return absl::OkStatus();
}

// Rows are shared out by where they go, so that rows with equal indices are folded by one worker,
// in order.
template <class T, class I>
void FoldRows(WorkerPool& workers, Fold fold, T* y, int64_t rows, int64_t inner, const I* indices,
              int64_t n, const Tensor& updates) {
  const RowFunction<T> row = FindRow<T>(fold);
  const T* x = updates.data<T>();
  const bool scalar = updates.rank() == 0;
  const int64_t step = scalar ? 0 : 1, next = scalar ? 0 : inner;
  const double ns = static_cast<double>(n) * static_cast<double>(inner) * sizeof(T) * 0.15;
  const int64_t shares = ns < 20'000 ? 1 : workers.size();
  workers.ParallelChunks(shares, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * rows / shares, last = end * rows / shares;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t to = static_cast<int64_t>(indices[i]);
      if (to >= first && to < last) row(y + to * inner, x + i * next, step, inner);
    }
  });
}

constexpr DTypeSet kScattered =
    kAllTypes - kQuantizedTypes - DTypeSet{DType::kVariant, DType::kResource};

class ScatterKernel final : public Kernel {
 public:
  explicit ScatterKernel(Fold fold) : fold_(fold) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(VariableResource * variable, VariableInput(ctx, 0, ctx.input(2).dtype()));
    HR_RETURN_IF_ERROR(variable->Update([&](Tensor& value) { return FoldInto(ctx, value); }));
    PassVariable(ctx, *variable);
    return absl::OkStatus();
  }

 private:
  Status FoldInto(KernelContext& ctx, Tensor& value) {
    const Tensor& indices = ctx.input(1);
    const Tensor& updates = ctx.input(2);
    if (value.rank() < 1)
      return InvalidArgument("params must be at least 1-D, got shape ", value.shape().ToString());
    if (updates.rank() != 0 && !Fits(value.shape(), indices.shape(), updates.shape())) {
      return InvalidArgument(
          "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
          "updates.shape ",
          updates.shape().ToString(), ", indices.shape ", indices.shape().ToString(),
          ", params.shape ", value.shape().ToString());
    }
    HR_RETURN_IF_ERROR(CheckIndices(indices, value.dim(0)));
    const int64_t inner = value.shape().Product(1, value.rank());
    Status status;
    DispatchDType<kScattered>(value.dtype(), [&]<class T>() {
      status = CheckDivisors<T>(fold_, updates);
      if (!status.ok()) return;
      if (indices.dtype() == DType::kInt32) {
        FoldRows(ctx.workers(), fold_, value.data<T>(), value.dim(0), inner,
                 indices.data<int32_t>(), indices.num_elements(), updates);
      } else {
        FoldRows(ctx.workers(), fold_, value.data<T>(), value.dim(0), inner,
                 indices.data<int64_t>(), indices.num_elements(), updates);
      }
    });
    return status;
  }

  static bool Fits(const Shape& value, const Shape& indices, const Shape& updates) {
    if (updates.rank() != indices.rank() + value.rank() - 1) return false;
    for (int i = 0; i < updates.rank(); ++i) {
      if (updates.dim(i) !=
          (i < indices.rank() ? indices.dim(i) : value.dim(i - indices.rank() + 1)))
        return false;
    }
    return true;
  }

  const Fold fold_;
};

class ScatterNdRefKernel final : public Kernel {
 public:
  explicit ScatterNdRefKernel(Fold fold) : fold_(fold) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& indices = ctx.input(1);
    const Tensor& updates = ctx.input(2);
    HR_ASSIGN_OR_RETURN(VariableResource * variable, VariableInput(ctx, 0, updates.dtype()));
    HR_RETURN_IF_ERROR(variable->Update([&](Tensor& value) -> Status {
      HR_ASSIGN_OR_RETURN(const int k,
                          CheckNdShapes(indices.shape(), updates.shape(), value.shape()));
      HR_RETURN_IF_ERROR(NdOffsets(indices, k, value.shape(), "shape ", offsets_));
      const int64_t inner = value.shape().Product(k, value.rank()),
                    slices = value.shape().Product(0, k);
      DispatchDType<kScattered>(value.dtype(), [&]<class T>() {
        FoldRows(ctx.workers(), fold_, value.data<T>(), slices, inner, offsets_.data(),
                 static_cast<int64_t>(offsets_.size()),
                 updates.rank() == 0 ? updates.Reshaped({1}) : updates);
      });
      return absl::OkStatus();
    }));
    PassVariable(ctx, *variable);
    return absl::OkStatus();
  }

 private:
  const Fold fold_;
  std::vector<int64_t> offsets_;
};

class CountUpToKernel final : public Kernel {
 public:
  explicit CountUpToKernel(int64_t limit) : limit_(limit) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
    HR_ASSIGN_OR_RETURN(VariableResource * variable, VariableInput(ctx, 0, ctx.output_type(0)));
    return variable->Update([&](Tensor& value) -> Status {
      if (value.rank() != 0)
        return InvalidArgument("input is not a scalar: ", value.shape().ToString());
      const int64_t now = IntAt(value, 0);
      if (now >= limit_) return OutOfRange("Reached limit of ", limit_);
      const int64_t next = now + 1;
      StoreInts({&now, 1}, *out);
      StoreInts({&next, 1}, value);
      return absl::OkStatus();
    });
  }

 private:
  const int64_t limit_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeScatterCpu(const KernelInit& init) {
  return std::make_unique<ScatterKernel>(FoldOf(init.node().op_name()));
}
StatusOr<std::unique_ptr<Kernel>> MakeScatterNdRefCpu(const KernelInit& init) {
  return std::make_unique<ScatterNdRefKernel>(FoldOf(init.node().op_name()));
}
StatusOr<std::unique_ptr<Kernel>> MakeCountUpToCpu(const KernelInit& init) {
  return std::make_unique<CountUpToKernel>(init.Attr<int64_t>("limit"));
}

}  // namespace headrace
