#include <cmath>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/range_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kRangeTypes{DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64};

Status CheckScalars(KernelContext& ctx, std::initializer_list<const char*> names) {
  int i = 0;
  for (const char* name : names) {
    const Shape& shape = ctx.input(i++).shape();
    if (shape.num_elements() != 1)
      return InvalidArgument(name, " must be a scalar, not shape ", shape.ToString());
  }
  return absl::OkStatus();
}

Status RangeKernel(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(CheckScalars(ctx, {"start", "limit", "delta"}));
  Status status;
  DispatchDType<kRangeTypes>(ctx.output_type(0), [&]<class T>() {
    const T start = *ctx.input(0).data<T>(), delta = *ctx.input(2).data<T>();
    status = [&]() -> Status {
      HR_ASSIGN_OR_RETURN(const int64_t size, RangeSize<T>(start, *ctx.input(1).data<T>(), delta));
      HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {size}));
      T value = start;
      // Added up and not multiplied, as TensorFlow does: the bits agree.
      for (T& element : out->flat<T>()) {
        element = value;
        if constexpr (std::is_integral_v<T>) {
          value = static_cast<T>(
              static_cast<std::make_unsigned_t<T>>(value) +
              static_cast<std::make_unsigned_t<T>>(delta));  // may wrap after the last one
        } else {
          value += delta;
        }
      }
      return absl::OkStatus();
    }();
  });
  return status;
}

Status LinSpaceKernel(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(CheckScalars(ctx, {"start", "stop", "num"}));
  const int64_t num = IntAt(ctx.input(2), 0);
  if (num <= 0) return InvalidArgument("Requires num > 0: ", num);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {num}));
  DispatchDType<DTypeSet{DType::kFloat32, DType::kFloat64}>(out->dtype(), [&]<class T>() {
    const T start = *ctx.input(0).data<T>(), stop = *ctx.input(1).data<T>();
    T* y = out->data<T>();
    y[0] = start;
    if (num > 1) {
      const T step = (stop - start) / static_cast<T>(num - 1);
      for (int64_t i = 1; i < num; ++i) y[i] = start + step * static_cast<T>(i);
      y[num - 1] = stop;
    }
  });
  return absl::OkStatus();
}

}  // namespace

template <class T>
StatusOr<int64_t> RangeSize(T start, T limit, T delta) {
  if (delta == T(0)) return InvalidArgument("Requires delta != 0: ", delta);
  if (delta > T(0) && start > limit) {
    return InvalidArgument("Requires start <= limit when delta > 0: ", start, "/", limit);
  }
  if (delta < T(0) && start < limit) {
    return InvalidArgument("Requires start >= limit when delta < 0: ", start, "/", limit);
  }
  double size;
  if constexpr (std::is_integral_v<T>) {
    using Wide = __int128;
    const Wide span = Wide(limit) - Wide(start), step = delta;
    const Wide distance = span < 0 ? -span : span, stride = step < 0 ? -step : step;
    const Wide count = (distance + stride - 1) / stride;
    if (count > Wide(INT64_MAX))
      return InvalidArgument("Requires ((limit - start) / delta) <= ", INT64_MAX);
    return static_cast<int64_t>(count);
  } else {
    size = std::ceil(std::abs(static_cast<double>((limit - start) / delta)));
    if (!(size < 9.2e18))
      return InvalidArgument("Requires ((limit - start) / delta) <= ", INT64_MAX);
    return static_cast<int64_t>(size);
  }
}
template StatusOr<int64_t> RangeSize<float>(float, float, float);
template StatusOr<int64_t> RangeSize<double>(double, double, double);
template StatusOr<int64_t> RangeSize<int32_t>(int32_t, int32_t, int32_t);
template StatusOr<int64_t> RangeSize<int64_t>(int64_t, int64_t, int64_t);

StatusOr<std::unique_ptr<Kernel>> MakeRangeCpu(const KernelInit& init) {
  return MakeFunctionKernel<RangeKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeLinSpaceCpu(const KernelInit& init) {
  return MakeFunctionKernel<LinSpaceKernel>(init);
}

}  // namespace headrace
