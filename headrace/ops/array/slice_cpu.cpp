#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/slice_kernels.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

Status SliceKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& begin = ctx.input(1);
  const Tensor& size = ctx.input(2);
  const int rank = in.rank();
  if (begin.rank() != 1 || size.rank() != 1 || begin.num_elements() != rank ||
      size.num_elements() != rank) {
    return InvalidArgument("Expected begin and size arguments to be 1-D tensors of size ", rank,
                           ", but got shapes ", begin.shape().ToString(), " and ",
                           size.shape().ToString(), " instead.");
  }
  const auto in_strides = RowMajorStrides(in.shape());
  Shape shape;
  int64_t offset = 0;
  for (int i = 0; i < rank; ++i) {
    const int64_t from = IntAt(begin, i), dim = in.dim(i);
    int64_t wanted = IntAt(size, i);
    if (from < 0 || from > dim)
      return InvalidArgument("Expected begin[", i, "] in [0, ", dim, "], but got ", from);
    if (wanted == -1) wanted = dim - from;
    if (wanted < 0 || wanted > dim - from) {
      return InvalidArgument("Expected size[", i, "] in [0, ", dim - from, "], but got ", wanted);
    }
    shape.Append(wanted);
    offset += from * in_strides[i];
  }
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  const auto out_strides = RowMajorStrides(shape);
  CopyView view;
  for (int i = 0; i < rank; ++i) view.Add(shape.dim(i), out_strides[i], in_strides[i]);
  StridedCopy(ctx.workers(), in.dtype(), view, out->raw_data(), ElementAt(in, offset));
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSliceCpu(const KernelInit& init) {
  return MakeFunctionKernel<SliceKernel>(init);
}

}  // namespace headrace
