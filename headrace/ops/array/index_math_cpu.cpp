#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/ops/array/index_math_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

class SearchKernel final : public Kernel {
 public:
  explicit SearchKernel(bool upper) : upper_(upper) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& sorted = ctx.input(0);
    const Tensor& values = ctx.input(1);
    if (sorted.rank() != 2) return InvalidArgument("sorted input argument must be a matrix");
    if (values.rank() != 2) return InvalidArgument("values argument must be a matrix");
    if (sorted.dim(0) != values.dim(0)) {
      return InvalidArgument("Leading dim_size of both tensors must match, got ", sorted.dim(0),
                             " and ", values.dim(0));
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, values.shape()));
    DispatchDType<kRealTypes>(sorted.dtype(), [&]<class T>() {
      if (out->dtype() == DType::kInt32) {
        Search<T, int32_t>(ctx.workers(), sorted, values, *out);
      } else {
        Search<T, int64_t>(ctx.workers(), sorted, values, *out);
      }
    });
    return absl::OkStatus();
  }

 private:
  template <class T, class I>
  void Search(WorkerPool& workers, const Tensor& sorted, const Tensor& values, Tensor& out) const {
    const int64_t n = sorted.dim(1), m = values.dim(1);
    const T *rows = sorted.data<T>(), *wanted = values.data<T>();
    I* places = out.data<I>();
    workers.ParallelFor(values.num_elements(), 30, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T *first = rows + i / m * n, *last = first + n;
        const T* at = upper_ ? std::upper_bound(first, last, wanted[i])
                             : std::lower_bound(first, last, wanted[i]);
        places[i] = static_cast<I>(at - first);
      }
    });
  }

  const bool upper_;
};

template <class I>
Status Unravel(KernelContext& ctx) {
  const Tensor& indices = ctx.input(0);
  const Tensor& dims = ctx.input(1);
  if (indices.rank() > 1) {
    return InvalidArgument("The indices can only be scalar or vector, got \"",
                           indices.shape().ToString(), "\"");
  }
  if (dims.rank() != 1) {
    return InvalidArgument("The indices can only be 1-D, got \"", dims.shape().ToString(), "\"");
  }
  const int64_t rank = dims.num_elements(), n = indices.num_elements();
  int64_t size = 1;
  for (const I dim : dims.flat<I>()) {
    if (dim <= 0 || size > std::numeric_limits<int64_t>::max() / dim)
      return InvalidArgument("Input dims product is ", dim <= 0 ? "0 or less" : "too large");
    size *= dim;
  }
  const I* index = indices.data<I>();
  for (int64_t i = 0; i < n; ++i) {
    if (index[i] < 0 || index[i] >= size)
      return InvalidArgument("index is out of bound as with dims");
  }
  HR_ASSIGN_OR_RETURN(Tensor * out,
                      ctx.Output(0, indices.rank() == 0 ? Shape{rank} : Shape{rank, n}));
  I* y = out->data<I>();
  const I* dim = dims.data<I>();
  ctx.workers().ParallelFor(n, 5.0 * static_cast<double>(rank), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      I rest = index[i];
      for (int64_t d = rank - 1; d >= 0; --d) {
        y[d * n + i] = static_cast<I>(rest % dim[d]);
        rest = static_cast<I>(rest / dim[d]);
      }
    }
  });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSearchCpu(const KernelInit& init) {
  return std::make_unique<SearchKernel>(init.node().op_name() == "UpperBound");
}
StatusOr<std::unique_ptr<Kernel>> MakeUnravelIndexCpu(const KernelInit& init) {
  return init.input_type(0) == DType::kInt32 ? MakeFunctionKernel<Unravel<int32_t>>(init)
                                             : MakeFunctionKernel<Unravel<int64_t>>(init);
}

}  // namespace headrace
