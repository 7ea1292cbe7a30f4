#include <type_traits>

#include "headrace/base/strings.h"
#include "headrace/ops/math/bitwise_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

Status Bitpack(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("Threshold must be a scalar, but saw shape: ",
                           ctx.input(1).shape().ToString());
  }
  const int last = x.rank() - 1;
  if (last < 0 || x.dim(last) % 8 != 0) {
    return InvalidArgument("Inner dimension of input should be divisible by 8, but saw shape: ",
                           x.shape().ToString());
  }
  Shape shape = x.shape();
  shape.set_dim(last, shape[last] / 8);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  DispatchDType<kPackedTypes>(x.dtype(), [&]<class T>() {
    const T* from = x.data<T>();
    const T threshold = ctx.input(1).scalar<T>();
    uint8_t* to = out->data<uint8_t>();
    ctx.workers().ParallelFor(out->num_elements(), 3, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        uint32_t byte = 0;
        for (int64_t k = 0; k < 8; ++k) {
          const T& value = from[i * 8 + k];
          byte = byte << 1 | (std::is_same_v<T, bool> ? value != T() : value > threshold);
        }
        to[i] = static_cast<uint8_t>(byte);
      }
    });
  });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCompareAndBitpackCpu(const KernelInit& init) {
  return MakeFunctionKernel<Bitpack>(init);
}

}  // namespace headrace
