#include <type_traits>

#include "headrace/ops/linalg/cross_kernels.h"
#include "headrace/ops/linalg/matrix_kernel.h"
#include "headrace/ops/linalg/types.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// x * y - z * w, rounded after each operation as the dtype does; integers wrap.
template <class T>
T Difference(T x, T y, T z, T w) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<decltype(x * y)>;
    return static_cast<T>(static_cast<U>(x) * static_cast<U>(y) -
                          static_cast<U>(z) * static_cast<U>(w));
  } else if constexpr (std::is_floating_point_v<T>) {
    return x * y - z * w;
  } else {
    const auto f = [](T v) { return static_cast<float>(v); };
    return static_cast<T>(f(static_cast<T>(f(x) * f(y))) - f(static_cast<T>(f(z) * f(w))));
  }
}

Status ComputeCross(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shapes[0]));
  DispatchDType<kCpuRealTypes>(a.dtype(), [&]<class T>() {
    const T *u = a.data<T>(), *v = b.data<T>();
    T* out = y->data<T>();
    ctx.workers().ParallelFor(y->num_elements() / 3, 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
        out[i] = Difference(u[i + 1], v[i + 2], u[i + 2], v[i + 1]);
        out[i + 1] = Difference(u[i + 2], v[i], u[i], v[i + 2]);
        out[i + 2] = Difference(u[i], v[i + 1], u[i + 1], v[i]);
      }
    });
  });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCrossCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeCross>(init);
}

}  // namespace headrace
