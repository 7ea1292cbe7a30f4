#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/ops/array/tile_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

StatusOr<IntValues> ReadMultiples(const Tensor& multiples, int rank) {
  if (multiples.rank() != 1) {
    return InvalidArgument("Expected multiples to be 1-D, but got shape ",
                           multiples.shape().ToString());
  }
  if (multiples.num_elements() != rank) {
    return InvalidArgument("Expected multiples argument to be a vector of length ", rank,
                           " but got length ", multiples.num_elements());
  }
  HR_ASSIGN_OR_RETURN(const IntValues values, IntValues::From(multiples, "multiples"));
  for (int i = 0; i < rank; ++i) {
    if (values[i] < 0)
      return InvalidArgument("Expected multiples[", i, "] >= 0, but got ", values[i]);
  }
  return values;
}

Status TileKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  HR_ASSIGN_OR_RETURN(const IntValues multiples, ReadMultiples(ctx.input(1), in.rank()));
  std::array<int64_t, kMaxRank> dims{};
  for (int i = 0; i < in.rank(); ++i) {
    if (__builtin_mul_overflow(in.dim(i), multiples[i], &dims[i]))
      return InvalidArgument("the tiled tensor is too large");
  }
  HR_ASSIGN_OR_RETURN(const Shape shape,
                      Shape::Make({dims.data(), static_cast<size_t>(in.rank())}));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  const auto in_strides = RowMajorStrides(in.shape()), out_strides = RowMajorStrides(shape);
  CopyView view;
  for (int i = 0; i < in.rank(); ++i) {
    view.Add(multiples[i], out_strides[i] * in.dim(i), 0);
    view.Add(in.dim(i), out_strides[i], in_strides[i]);
  }
  StridedCopy(ctx.workers(), in.dtype(), view, out->raw_data(), in.raw_data());
  return absl::OkStatus();
}

// Adds the repetitions: the old gradient op, which graphs of TensorFlow's first versions hold.
Status TileGradKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  HR_ASSIGN_OR_RETURN(const IntValues multiples, ReadMultiples(ctx.input(1), in.rank()));
  Shape shape = in.shape();
  for (int i = 0; i < in.rank(); ++i) {
    if (multiples[i] == 0 ? in.dim(i) != 0 : in.dim(i) % multiples[i] != 0) {
      return InvalidArgument("Expected input_dims[", i, "] to be a multiple of multiples[", i,
                             "], but got ", in.dim(i), " and ", multiples[i]);
    }
    shape.set_dim(i, multiples[i] == 0 ? 0 : in.dim(i) / multiples[i]);
  }
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  const auto strides = RowMajorStrides(shape);
  DispatchDType<kNumberTypes>(in.dtype(), [&]<class T>() {
    T* y = out->data<T>();
    std::fill_n(y, out->num_elements(), T());
    std::array<int64_t, kMaxRank> index{};
    for (int64_t place = 0; place < in.num_elements(); ++place) {
      int64_t offset = 0;
      for (int i = 0; i < in.rank(); ++i) offset += index[i] % shape.dim(i) * strides[i];
      y[offset] += in.data<T>()[place];
      for (int i = in.rank() - 1; i >= 0 && ++index[i] == in.dim(i); --i) index[i] = 0;
    }
  });
  return absl::OkStatus();
}

Status BroadcastToKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(1), "shape"));
  if (in.rank() > shape.rank()) {
    return InvalidArgument("Rank of input (", in.rank(),
                           ") must be no greater than rank of output shape (", shape.rank(), ").");
  }
  const int shift = shape.rank() - in.rank();
  for (int i = 0; i < in.rank(); ++i) {
    if (in.dim(i) != 1 && in.dim(i) != shape.dim(i + shift)) {
      return InvalidArgument("Incompatible shapes: ", in.shape().ToString(), " vs. ",
                             shape.ToString());
    }
  }
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  const auto in_strides = RowMajorStrides(in.shape()), out_strides = RowMajorStrides(shape);
  CopyView view;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool repeated = i < shift || in.dim(i - shift) == 1;
    view.Add(shape.dim(i), out_strides[i], repeated ? 0 : in_strides[i - shift]);
  }
  StridedCopy(ctx.workers(), in.dtype(), view, out->raw_data(), in.raw_data());
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeTileCpu(const KernelInit& init) {
  return MakeFunctionKernel<TileKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeTileGradCpu(const KernelInit& init) {
  return MakeFunctionKernel<TileGradKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeBroadcastToCpu(const KernelInit& init) {
  return MakeFunctionKernel<BroadcastToKernel>(init);
}

}  // namespace headrace
