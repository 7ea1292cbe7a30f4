#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/ops/array/bitcast_kernels.h"

namespace headrace {

StatusOr<PartialShape> BitcastShape(const PartialShape& in, DType from, DType to) {
  const size_t from_size = SizeOf(from), to_size = SizeOf(to);
  if (!in.has_rank() || from_size == to_size) return in;
  PartialShape out = in;
  if (from_size > to_size) {
    if (in.rank() == kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    out.Append(static_cast<int64_t>(from_size / to_size));
    return out;
  }
  const int64_t k = static_cast<int64_t>(to_size / from_size);
  const int64_t last = in.rank() == 0 ? 0 : in[in.rank() - 1];
  if (in.rank() == 0 || (last >= 0 && last != k)) {
    return InvalidArgument("Cannot bitcast from ", DTypeName(from), " to ", DTypeName(to),
                           ": the last dimension must be ", k, ", got shape ", in.ToString());
  }
  return PartialShape(in.dims().first(static_cast<size_t>(in.rank() - 1)));
}

namespace {

Status Copy(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  HR_ASSIGN_OR_RETURN(const PartialShape shape,
                      BitcastShape(PartialShape(x.shape()), x.dtype(), ctx.output_type(0)));
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape.ToShape()));
  const char* from = static_cast<const char*>(x.raw_data());
  char* to = static_cast<char*>(y->raw_data());
  const int64_t bytes = static_cast<int64_t>(x.size_bytes());
  ctx.workers().ParallelFor(bytes, 0.05, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeBitcastCpu(const KernelInit& init) {
  return MakeFunctionKernel<Copy>(init);
}

}  // namespace headrace
