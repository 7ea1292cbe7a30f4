#include <algorithm>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/nth_element_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

class NthKernel final : public Kernel {
 public:
  explicit NthKernel(bool reverse) : reverse_(reverse) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    HR_ASSIGN_OR_RETURN(int64_t n, IntScalar(ctx.input(1), "n"));
    if (in.rank() < 1)
      return InvalidArgument("Input must be >= 1-D, got shape ", in.shape().ToString());
    const int64_t width = in.dim(in.rank() - 1);
    if (n < 0 || n >= width) return InvalidArgument("Input n must be in [0, ", width, "), got ", n);
    if (reverse_) n = width - 1 - n;
    HR_ASSIGN_OR_RETURN(
        Tensor * out,
        ctx.Output(0, Shape(in.shape().dims().first(static_cast<size_t>(in.rank() - 1)))));
    DispatchDType<kCpuRealTypes>(in.dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(out->num_elements(), 5.0 * static_cast<double>(width),
                                [&](int64_t begin, int64_t end) {
                                  std::vector<T> row(static_cast<size_t>(width));
                                  for (int64_t i = begin; i < end; ++i) {
                                    std::copy_n(in.data<T>() + i * width, width, row.begin());
                                    std::nth_element(row.begin(), row.begin() + n, row.end());
                                    out->data<T>()[i] = row[static_cast<size_t>(n)];
                                  }
                                });
    });
    return absl::OkStatus();
  }

 private:
  const bool reverse_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeNthElementCpu(const KernelInit& init) {
  return std::make_unique<NthKernel>(init.Attr<bool>("reverse"));
}

}  // namespace headrace
