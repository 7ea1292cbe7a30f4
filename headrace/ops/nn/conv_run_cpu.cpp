#include <cstring>

#include "headrace/ops/nn/conv_plain.h"
#include "headrace/ops/nn/conv_run.h"

namespace headrace {
namespace {

// How ImageOperand sees an argument.
struct Argument {
  bool channels_first = false;
  int64_t images = 1, channels = 1, size = 1;
};

Argument InputOf(const ConvShape& s, bool channels_first) {
  return {channels_first, s.batch, s.in_channels, s.in_size()};
}
Argument OutputOf(const ConvShape& s, bool channels_first) {
  return {channels_first, s.batch, s.out_channels, s.out_size()};
}

}  // namespace

Status ConvRunner::Run(KernelContext& ctx, const ConvShape& s, bool channels_first, const Tensor& a,
                       const Tensor& b, Tensor& result) {
  if (s.empty()) {
    if (result.size_bytes() > 0) std::memset(result.raw_data(), 0, result.size_bytes());
    return absl::OkStatus();
  }
  const Argument input = InputOf(s, channels_first), output = OutputOf(s, channels_first), filter;
  const bool back_to_data = direction_ == ConvDirection::kBackwardData;
  const bool back_to_filter = direction_ == ConvDirection::kBackwardFilter;
  const Argument of_a = back_to_data ? output : input;
  const Argument of_b = back_to_filter ? output : filter;
  const Argument to = back_to_data ? input : back_to_filter ? filter : output;
  HR_ASSIGN_OR_RETURN(const void* x,
                      a_.Read(ctx, a, of_a.channels_first, of_a.images, of_a.channels, of_a.size));
  HR_ASSIGN_OR_RETURN(const void* y,
                      b_.Read(ctx, b, of_b.channels_first, of_b.images, of_b.channels, of_b.size));
  HR_ASSIGN_OR_RETURN(
      void* z, result_.Write(ctx, result, to.channels_first, to.images, to.channels, to.size));
  HR_RETURN_IF_ERROR(Compute(ctx, s, result.dtype(), x, y, z));
  result_.Finish(ctx, result, to.channels_first, to.images, to.channels, to.size);
  return absl::OkStatus();
}

Status ConvRunner::Compute(KernelContext& ctx, const ConvShape& s, DType type, const void* a,
                           const void* b, void* result) {
  if (type == DType::kFloat64) {
    return RunPlain(ctx, s, static_cast<const double*>(a), static_cast<const double*>(b),
                    static_cast<double*>(result), patches64_);
  }
  const float* x = static_cast<const float*>(a);
  const float* y = static_cast<const float*>(b);
  if (Status status = dnnl_.Prepare(direction_, s); !status.ok()) {
    if (!absl::IsUnimplemented(status)) return status;
    return RunPlain(ctx, s, x, y, static_cast<float*>(result), patches32_);
  }
  return dnnl_.Run(ctx.workers(), x, y, static_cast<float*>(result));
}

template <class T>
Status ConvRunner::RunPlain(KernelContext& ctx, const ConvShape& s, const T* a, const T* b,
                            T* result, std::vector<T>& patches) {
  switch (direction_) {
    case ConvDirection::kForward:
      return PlainConvForward(ctx.workers(), s, a, b, result, patches);
    case ConvDirection::kBackwardData:
      return PlainConvBackwardData(ctx.workers(), s, a, b, result, patches);
    default:
      return PlainConvBackwardFilter(ctx.workers(), s, a, b, result, patches);
  }
}

}  // namespace headrace
