#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/index_check.h"
#include "headrace/ops/array/tensor_scatter_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

enum class Fold { kUpdate, kAdd, kSub };

Fold FoldOf(std::string_view op) {
  return op.ends_with("Add") ? Fold::kAdd : op.ends_with("Sub") ? Fold::kSub : Fold::kUpdate;
}

constexpr DTypeSet kTypes = kNumberTypes | DTypeSet{DType::kBool, DType::kString};

template <class T, Fold kFold>
void FoldRow(T* y, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    constexpr bool kString = std::is_same_v<T, std::string>;
    if constexpr (kFold == Fold::kUpdate || (kString && kFold == Fold::kSub)) {
      y[i] = x[i];
    } else if constexpr (std::is_same_v<T, bool>) {  // as the numbers 0 and 1, not 0 being true
      y[i] = kFold == Fold::kAdd ? y[i] || x[i] : y[i] != x[i];
    } else if constexpr (std::is_integral_v<T>) {  // wraps
      const uint64_t p = static_cast<uint64_t>(y[i]), q = static_cast<uint64_t>(x[i]);
      y[i] = static_cast<T>(kFold == Fold::kAdd ? p + q : p - q);
    } else if constexpr (kFold == Fold::kAdd) {
      y[i] += x[i];
    } else {
      y[i] -= x[i];
    }
  }
}

// Slices are shared out by where they go, so that those with equal indices are folded by one
// worker, in order.
template <class T>
void FoldSlices(WorkerPool& workers, Fold fold, T* y, int64_t slices, int64_t inner,
                const std::vector<int64_t>& offsets, const T* x) {
  const auto row = fold == Fold::kUpdate ? FoldRow<T, Fold::kUpdate>
                   : fold == Fold::kAdd  ? FoldRow<T, Fold::kAdd>
                                         : FoldRow<T, Fold::kSub>;
  const int64_t n = static_cast<int64_t>(offsets.size());
  const double ns = static_cast<double>(n) * static_cast<double>(inner) * sizeof(T) * 0.15;
  const int64_t shares = ns < 20'000 ? 1 : workers.size();
  workers.ParallelChunks(shares, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * slices / shares, last = end * slices / shares;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t to = offsets[static_cast<size_t>(i)];
      if (to >= first && to < last) row(y + to * inner, x + i * inner, inner);
    }
  });
}

// The first output: the first input's values, which may be there already.
StatusOr<Tensor*> CopyOfInput(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, ctx.input(0).shape()));
  if (!out->SharesMemoryWith(ctx.input(0))) out->CopyElementsFrom(ctx.input(0));
  return out;
}

class TensorScatterKernel final : public Kernel {
 public:
  explicit TensorScatterKernel(Fold fold) : fold_(fold) {}

  Status Compute(KernelContext& ctx) override {
    const Shape whole = ctx.input(0).shape();
    const Tensor& indices = ctx.input(1);
    const Tensor& updates = ctx.input(2);
    HR_ASSIGN_OR_RETURN(const int k, CheckNdShapes(indices.shape(), updates.shape(), whole));
    HR_RETURN_IF_ERROR(NdOffsets(indices, k, whole, "shape ", offsets_));
    HR_ASSIGN_OR_RETURN(Tensor * out, CopyOfInput(ctx));
    DispatchDType<kTypes>(out->dtype(), [&]<class T>() {
      FoldSlices(ctx.workers(), fold_, out->data<T>(), whole.Product(0, k),
                 whole.Product(k, whole.rank()), offsets_, updates.data<T>());
    });
    return absl::OkStatus();
  }

 private:
  const Fold fold_;
  std::vector<int64_t> offsets_;
};

class InplaceKernel final : public Kernel {
 public:
  explicit InplaceKernel(Fold fold) : fold_(fold) {}

  Status Compute(KernelContext& ctx) override {
    const Shape x = ctx.input(0).shape();
    const Tensor& i = ctx.input(1);
    const Tensor& v = ctx.input(2);
    if (i.rank() != 1) return InvalidArgument("i must be a vector. ", i.shape().ToString());
    bool fits = x.rank() >= 1 && x.rank() == v.rank() && i.dim(0) == v.dim(0);
    for (int d = 1; fits && d < x.rank(); ++d) fits = x[d] == v.dim(d);
    if (!fits) {
      return InvalidArgument("v must hold a row of x for each of i: x has shape ", x.ToString(),
                             ", i ", i.shape().ToString(), ", v ", v.shape().ToString());
    }
    const int64_t rows = x[0];
    if (rows == 0 && i.num_elements() > 0) return InvalidArgument("x has no rows to change");
    offsets_.resize(static_cast<size_t>(i.num_elements()));
    for (size_t n = 0; n < offsets_.size(); ++n)
      offsets_[n] = (i.data<int32_t>()[n] % rows + rows) % rows;
    HR_ASSIGN_OR_RETURN(Tensor * out, CopyOfInput(ctx));
    DispatchDType<kTypes>(out->dtype(), [&]<class T>() {
      FoldSlices(ctx.workers(), fold_, out->data<T>(), rows, x.Product(1, x.rank()), offsets_,
                 v.data<T>());
    });
    return absl::OkStatus();
  }

 private:
  const Fold fold_;
  std::vector<int64_t> offsets_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeTensorScatterCpu(const KernelInit& init) {
  return std::make_unique<TensorScatterKernel>(FoldOf(init.node().op_name()));
}
StatusOr<std::unique_ptr<Kernel>> MakeInplaceCpu(const KernelInit& init) {
  return std::make_unique<InplaceKernel>(FoldOf(init.node().op_name()));
}

}  // namespace headrace
