#include "headrace/base/strings.h"
#include "headrace/ops/array/concat_kernels.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

template <bool kAxisFirst>
Status ConcatKernel(KernelContext& ctx) {
  const int n = ctx.num_inputs() - 1, first = kAxisFirst ? 1 : 0;
  HR_ASSIGN_OR_RETURN(const int64_t stated, IntScalar(ctx.input(kAxisFirst ? 0 : n), "axis"));
  const Shape& shape0 = ctx.input(first).shape();
  const int rank = shape0.rank();
  if (stated < -rank || stated >= rank) {
    return InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [", -rank,
                           ", ", rank, "), but got ", stated);
  }
  const int axis = static_cast<int>(stated < 0 ? stated + rank : stated);
  Shape out_shape = shape0;
  for (int i = 1; i < n; ++i) {
    const Shape& shape = ctx.input(first + i).shape();
    if (shape.rank() != rank) {
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[0] = ",
                             shape0.ToString(), " vs. shape[", i, "] = ", shape.ToString());
    }
    for (int d = 0; d < rank; ++d) {
      if (d != axis && shape.dim(d) != shape0.dim(d)) {
        return InvalidArgument("ConcatOp : Dimensions of inputs should match: shape[0] = ",
                               shape0.ToString(), " vs. shape[", i, "] = ", shape.ToString());
      }
    }
    out_shape.set_dim(axis, out_shape.dim(axis) + shape.dim(axis));
  }
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, out_shape));
  const int64_t rows = out_shape.Product(0, axis), row = out_shape.Product(axis, rank);
  int64_t offset = 0;
  for (int i = 0; i < n; ++i) {
    const Tensor& in = ctx.input(first + i);
    const int64_t length = in.shape().Product(axis, rank);
    CopyRows(ctx.workers(), out->dtype(), rows, length, ElementAt(*out, offset), row, in.raw_data(),
             length);
    offset += length;
  }
  return absl::OkStatus();
}

Status ConcatOffsetKernel(KernelContext& ctx) {
  const int n = ctx.num_inputs() - 1;
  const Tensor& shape0 = ctx.input(1);
  if (shape0.rank() != 1)
    return InvalidArgument("input 0 should be a vector, but got shape ", shape0.shape().ToString());
  HR_ASSIGN_OR_RETURN(const int64_t stated, IntScalar(ctx.input(0), "concat_dim"));
  const int rank = static_cast<int>(shape0.num_elements());
  HR_ASSIGN_OR_RETURN(const int axis, ResolveAxis(stated, rank, "concat_dim"));
  int32_t offset = 0;
  for (int i = 0; i < n; ++i) {
    const Tensor& shape = ctx.input(1 + i);
    if (shape.rank() != 1 || shape.num_elements() != rank) {
      return InvalidArgument("input ", i, " should contain ", rank, " elements, but got ",
                             shape.num_elements());
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(i, {rank}));
    for (int d = 0; d < rank; ++d) {
      out->data<int32_t>()[d] = d == axis ? offset : 0;
      if (d != axis && shape.data<int32_t>()[d] != shape0.data<int32_t>()[d]) {
        return InvalidArgument("All dimensions except ", axis, " must match. Input ", i,
                               " has shape [", StrJoin(shape.flat<int32_t>(), " "),
                               "] and doesn't match input 0 with shape [",
                               StrJoin(shape0.flat<int32_t>(), " "), "].");
      }
    }
    if (__builtin_add_overflow(offset, shape.data<int32_t>()[axis], &offset)) {
      return InvalidArgument("the concatenation has more than 2^31 - 1 elements in dimension ",
                             axis);
    }
  }
  return absl::OkStatus();
}

class PackKernel final : public Kernel {
 public:
  explicit PackKernel(int64_t axis) : axis_(axis) {}

  Status Compute(KernelContext& ctx) override {
    const Shape& in = ctx.input(0).shape();
    const int n = ctx.num_inputs(), rank = in.rank() + 1;
    if (axis_ < -rank || axis_ >= rank) {
      return InvalidArgument("axis = ", axis_, " not in [", -rank, ", ", rank, ")");
    }
    if (rank > kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    const int axis = static_cast<int>(axis_ < 0 ? axis_ + rank : axis_);
    Shape shape;
    for (int d = 0; d < axis; ++d) shape.Append(in.dim(d));
    shape.Append(n);
    for (int d = axis; d < in.rank(); ++d) shape.Append(in.dim(d));
    for (int i = 1; i < n; ++i) {
      if (ctx.input(i).shape() != in) {
        return InvalidArgument("Shapes of all inputs must match: values[0].shape = ", in.ToString(),
                               " != values[", i, "].shape = ", ctx.input(i).shape().ToString());
      }
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    const int64_t rows = in.Product(0, axis), length = in.Product(axis, in.rank());
    for (int i = 0; i < n; ++i) {
      CopyRows(ctx.workers(), out->dtype(), rows, length, ElementAt(*out, i * length), n * length,
               ctx.input(i).raw_data(), length);
    }
    return absl::OkStatus();
  }

 private:
  const int64_t axis_;
};

class UnpackKernel final : public Kernel {
 public:
  UnpackKernel(int64_t axis, int64_t num) : axis_(axis), num_(num) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    const int rank = in.rank();
    if (axis_ < -rank || axis_ >= rank) {
      return InvalidArgument("axis = ", axis_, " not in [", -rank, ", ", rank, ")");
    }
    const int axis = static_cast<int>(axis_ < 0 ? axis_ + rank : axis_);
    if (in.dim(axis) != num_) {
      return InvalidArgument("Input shape axis ", axis, " must equal ", num_, ", got shape ",
                             in.shape().ToString());
    }
    Shape shape;
    for (int d = 0; d < rank; ++d) {
      if (d != axis) shape.Append(in.dim(d));
    }
    const int64_t rows = in.shape().Product(0, axis), length = in.shape().Product(axis + 1, rank);
    for (int i = 0; i < num_; ++i) {
      if (!ctx.output_wanted(i)) continue;
      HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(i, shape));
      CopyRows(ctx.workers(), out->dtype(), rows, length, out->raw_data(), length,
               ElementAt(in, i * length), num_ * length);
    }
    return absl::OkStatus();
  }

 private:
  const int64_t axis_, num_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeConcatCpu(const KernelInit& init) {
  return MakeFunctionKernel<ConcatKernel<true>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeConcatV2Cpu(const KernelInit& init) {
  return MakeFunctionKernel<ConcatKernel<false>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeConcatOffsetCpu(const KernelInit& init) {
  return MakeFunctionKernel<ConcatOffsetKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakePackCpu(const KernelInit& init) {
  return std::make_unique<PackKernel>(init.Attr<int64_t>("axis"));
}
StatusOr<std::unique_ptr<Kernel>> MakeUnpackCpu(const KernelInit& init) {
  return std::make_unique<UnpackKernel>(init.Attr<int64_t>("axis"), init.Attr<int64_t>("num"));
}

}  // namespace headrace
