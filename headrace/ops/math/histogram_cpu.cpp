#include <algorithm>
#include <vector>

#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/histogram_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes = kFloat32And64 | kSignedIndex;

Status Bincount(KernelContext& ctx) {
  const Tensor& arr = ctx.input(0);
  const Tensor& weights = ctx.input(2);
  HR_ASSIGN_OR_RETURN(const int64_t size, IntScalar(ctx.input(1), "size"));
  if (size < 0) return InvalidArgument("size (", size, ") must be non-negative");
  const bool weighted = weights.num_elements() > 0;
  if (weighted && weights.num_elements() != arr.num_elements()) {
    return InvalidArgument("weights must be empty or have as many elements as arr (",
                           arr.num_elements(), "), got shape ", weights.shape().ToString());
  }
  const int32_t* x = arr.data<int32_t>();
  for (const int32_t value : arr.flat<int32_t>()) {
    if (value < 0) return InvalidArgument("Input arr must be non-negative!");
  }
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {size}));
  DispatchDType<kTypes>(out->dtype(), [&]<class T>() {
    T* bins = out->data<T>();
    std::fill_n(bins, size, T(0));
    const T* weight = weighted ? weights.data<T>() : nullptr;
    for (int64_t i = 0; i < arr.num_elements(); ++i) {
      if (x[i] >= size) continue;
      const T added = weighted ? weight[i] : T(1);
      if constexpr (std::is_integral_v<T>) {  // wraps
        bins[x[i]] =
            static_cast<T>(static_cast<uint64_t>(bins[x[i]]) + static_cast<uint64_t>(added));
      } else {
        bins[x[i]] += added;
      }
    }
  });
  return absl::OkStatus();
}

class BucketizeKernel final : public Kernel {
 public:
  explicit BucketizeKernel(AttrValue::Floats boundaries) : boundaries_(std::move(boundaries)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
    int32_t* y = out->data<int32_t>();
    DispatchDType<kTypes>(in.dtype(), [&]<class T>() {
      const T* x = in.data<T>();
      ctx.workers().ParallelFor(in.num_elements(), 15, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          y[i] = static_cast<int32_t>(
              std::upper_bound(boundaries_.begin(), boundaries_.end(), x[i]) - boundaries_.begin());
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  const AttrValue::Floats boundaries_;
};

template <class T>
void CountBins(const Tensor& values, T low, T high, std::vector<int64_t>& bins) {
  const double step =
      (static_cast<double>(high) - static_cast<double>(low)) / static_cast<double>(bins.size());
  const double last = static_cast<double>(bins.size() - 1);
  for (const T x : values.flat<T>()) {
    if (x != x) continue;
    const double above = static_cast<double>(std::max(x, low)) - static_cast<double>(low);
    ++bins[static_cast<size_t>(std::min(above / step, last))];
  }
}

Status Histogram(KernelContext& ctx) {
  const Tensor& values = ctx.input(0);
  const Tensor& range = ctx.input(1);
  if (range.rank() != 1 || range.dim(0) != 2) {
    return InvalidArgument("value_range should be a vector of 2 elements, got shape ",
                           range.shape().ToString());
  }
  HR_ASSIGN_OR_RETURN(const int64_t nbins, IntScalar(ctx.input(2), "nbins"));
  if (nbins <= 0)
    return InvalidArgument("nbins should be a positive number, but got '", nbins, "'");
  std::vector<int64_t> bins(static_cast<size_t>(nbins), 0);
  Status status;
  DispatchDType<kTypes>(values.dtype(), [&]<class T>() {
    const T low = range.data<T>()[0], high = range.data<T>()[1];
    if (!(low < high)) {
      status =
          InvalidArgument("value_range should satisfy value_range[0] < value_range[1], but got '[",
                          low, ", ", high, "]'");
      return;
    }
    CountBins(values, low, high, bins);
  });
  HR_RETURN_IF_ERROR(status);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {nbins}));
  StoreInts(bins, *out);
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeBincountCpu(const KernelInit& init) {
  return MakeFunctionKernel<Bincount>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeBucketizeCpu(const KernelInit& init) {
  return std::make_unique<BucketizeKernel>(init.Attr<AttrValue::Floats>("boundaries"));
}
StatusOr<std::unique_ptr<Kernel>> MakeHistogramCpu(const KernelInit& init) {
  return MakeFunctionKernel<Histogram>(init);
}

}  // namespace headrace
