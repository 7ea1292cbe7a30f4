#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/reshape_kernels.h"

namespace headrace {
namespace {

Status ReshapeKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& sizes = ctx.input(1);
  if (sizes.rank() > 1)
    return InvalidArgument("shape must be a vector, got shape ", sizes.shape().ToString());
  if (sizes.num_elements() > kMaxRank) {
    return InvalidArgument("shape may have at most ", kMaxRank, " dimensions, got ",
                           sizes.num_elements());
  }
  Shape shape;
  int unknown = -1;
  int64_t product = 1;
  for (int i = 0; i < sizes.num_elements(); ++i) {
    const int64_t size = IntAt(sizes, i);
    if (size == -1) {
      if (unknown != -1)
        return InvalidArgument("Only one input size may be -1, not both ", unknown, " and ", i);
      unknown = i;
      shape.Append(1);
    } else if (size < 0) {
      return InvalidArgument("Size ", i, " must be non-negative, not ", size);
    } else {
      shape.Append(size);
      if (__builtin_mul_overflow(product, size, &product)) {
        return InvalidArgument("shape ", shape.ToString(), " has too many elements");
      }
    }
  }
  const int64_t count = in.num_elements();
  if (unknown != -1 && product == 0 && count == 0) {
    shape.set_dim(unknown, MissingSizeOfEmpty(in.shape().dims(), shape.dims()));
  } else if (unknown != -1 && product != 0) {
    if (count % product != 0) {
      return InvalidArgument("Input to reshape is a tensor with ", count,
                             " values, but the requested shape requires a multiple of ", product);
    }
    shape.set_dim(unknown, count / product);
  } else if (product != count) {
    return InvalidArgument("Input to reshape is a tensor with ", count,
                           " values, but the requested shape has ", product);
  }
  ctx.SetOutput(0, in.Reshaped(shape));
  return absl::OkStatus();
}

Status ExpandDimsKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  HR_ASSIGN_OR_RETURN(int64_t dim, IntScalar(ctx.input(1), "dim"));
  if (dim < -1 - in.rank() || dim > in.rank()) {
    return InvalidArgument("Tried to expand dim index ", dim, " for tensor with ", in.rank(),
                           " dimensions.");
  }
  if (in.rank() == kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  if (dim < 0) dim += in.rank() + 1;
  Shape shape;
  for (int i = 0; i < in.rank(); ++i) {
    if (i == dim) shape.Append(1);
    shape.Append(in.dim(i));
  }
  if (dim == in.rank()) shape.Append(1);
  ctx.SetOutput(0, in.Reshaped(shape));
  return absl::OkStatus();
}

Status SqueezeKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const auto& dims = ctx.node().attrs().Get<AttrValue::Ints>("squeeze_dims");
  uint32_t drop = 0;
  for (int64_t dim : dims) {
    HR_ASSIGN_OR_RETURN(const int at, ResolveAxis(dim, in.rank(), "squeeze_dims"));
    if (in.dim(at) != 1) {
      return InvalidArgument("Can not squeeze dim[", at, "], expected a dimension of 1, got ",
                             in.dim(at));
    }
    drop |= 1u << at;
  }
  Shape shape;
  for (int i = 0; i < in.rank(); ++i) {
    const bool dropped = dims.empty() ? in.dim(i) == 1 : (drop >> i & 1) != 0;
    if (!dropped) shape.Append(in.dim(i));
  }
  ctx.SetOutput(0, in.Reshaped(shape));
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeReshapeCpu(const KernelInit& init) {
  return MakeFunctionKernel<ReshapeKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeExpandDimsCpu(const KernelInit& init) {
  return MakeFunctionKernel<ExpandDimsKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSqueezeCpu(const KernelInit& init) {
  return MakeFunctionKernel<SqueezeKernel>(init);
}

}  // namespace headrace
