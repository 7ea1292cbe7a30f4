#include "headrace/base/strings.h"
#include "headrace/ops/array/concat_kernels.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

StatusOr<int> SplitAxis(const Tensor& axis, int rank) {
  HR_ASSIGN_OR_RETURN(const int64_t stated, IntScalar(axis, "split_dim"));
  if (stated < -rank || stated >= rank) {
    return InvalidArgument("-input rank(-", rank, ") <= split_dim < input rank (", rank,
                           "), but got ", stated);
  }
  return static_cast<int>(stated < 0 ? stated + rank : stated);
}

// Copies `size` of the axis from `begin` on into output i.
Status CopyPart(KernelContext& ctx, int i, const Tensor& in, int axis, int64_t begin,
                int64_t size) {
  if (!ctx.output_wanted(i)) return absl::OkStatus();
  Shape shape = in.shape();
  shape.set_dim(axis, size);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(i, shape));
  const int64_t inner = in.shape().Product(axis + 1, in.rank());
  CopyRows(ctx.workers(), in.dtype(), in.shape().Product(0, axis), size * inner, out->raw_data(),
           size * inner, ElementAt(in, begin * inner), in.dim(axis) * inner);
  return absl::OkStatus();
}

Status SplitKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(1);
  HR_ASSIGN_OR_RETURN(const int axis, SplitAxis(ctx.input(0), in.rank()));
  const int num = ctx.node().num_outputs();
  if (in.dim(axis) % num != 0) {
    return InvalidArgument(
        "Number of ways to split should evenly divide the split dimension, but got split_dim ",
        axis, " (size = ", in.dim(axis), ") and num_split ", num);
  }
  const int64_t size = in.dim(axis) / num;
  for (int i = 0; i < num; ++i) HR_RETURN_IF_ERROR(CopyPart(ctx, i, in, axis, i * size, size));
  return absl::OkStatus();
}

Status SplitVKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& stated = ctx.input(1);
  const int num = ctx.node().num_outputs();
  if (stated.rank() != 1 || stated.num_elements() != num) {
    return InvalidArgument(
        "size of the split_tensor must be 1-D and have the same elements as outputs got ",
        stated.rank(), " -D and ", stated.num_elements(), " elements");
  }
  HR_ASSIGN_OR_RETURN(const int axis, SplitAxis(ctx.input(2), in.rank()));
  std::vector<int64_t> sizes(num);
  for (int i = 0; i < num; ++i) sizes[i] = IntAt(stated, i);
  HR_ASSIGN_OR_RETURN(sizes, ResolveSplitSizes(std::move(sizes), in.dim(axis)));
  int64_t begin = 0;
  for (int i = 0; i < num; ++i) {
    HR_RETURN_IF_ERROR(CopyPart(ctx, i, in, axis, begin, sizes[i]));
    begin += sizes[i];
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::vector<int64_t>> ResolveSplitSizes(std::vector<int64_t> sizes, int64_t total) {
  int64_t sum = 0, open = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (open >= 0) return InvalidArgument("There can only be one -1 in the input.");
      open = static_cast<int64_t>(i);
    } else if (sizes[i] < 0) {
      return InvalidArgument("Split size at index ", i, " must be >= 0. Got: ", sizes[i]);
    } else {
      sum += sizes[i];
    }
  }
  if (open < 0 ? sum != total : sum > total) {
    return InvalidArgument(
        "Determined shape must either match input shape along split_dim exactly if fully "
        "specified, or "
        "be less than the size of the input along split_dim if not fully specified.  Got: ",
        sum);
  }
  if (open >= 0) sizes[static_cast<size_t>(open)] = total - sum;
  return sizes;
}

StatusOr<std::unique_ptr<Kernel>> MakeSplitCpu(const KernelInit& init) {
  return MakeFunctionKernel<SplitKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSplitVCpu(const KernelInit& init) {
  return MakeFunctionKernel<SplitVKernel>(init);
}

}  // namespace headrace
