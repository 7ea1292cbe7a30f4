#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/constant_kernels.h"
#include "headrace/ops/array/slice_kernels.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/ops/array/strided_slice_spec.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

StatusOr<ResolvedSlice> Resolve(const Shape& in, const Tensor& begin, const Tensor& end,
                                const Tensor& strides, const StridedSliceMasks& masks) {
  if (begin.rank() != 1 || begin.shape() != end.shape() || begin.shape() != strides.shape()) {
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes ",
        begin.shape().ToString(), ", ", end.shape().ToString(), ", and ",
        strides.shape().ToString(), " instead.");
  }
  HR_ASSIGN_OR_RETURN(const IntValues b, IntValues::From(begin, "begin"));
  HR_ASSIGN_OR_RETURN(const IntValues e, IntValues::From(end, "end"));
  HR_ASSIGN_OR_RETURN(const IntValues s, IntValues::From(strides, "strides"));
  return ResolveStridedSlice(PartialShape(in), &b, &e, s, masks);
}

// Copies between a dense tensor and the part of a tensor of shape `whole`.
template <bool kToPart>
void CopyPart(WorkerPool& workers, const ResolvedSlice& slice, const Shape& whole, DType type,
              void* dst, const void* src) {
  const auto strides = RowMajorStrides(whole);
  int64_t offset = 0, dense = 1;
  std::array<int64_t, kMaxRank> dense_strides{};
  for (int i = slice.rank - 1; i >= 0; --i) {
    offset += slice.begin[i] * strides[i];
    dense_strides[i] = dense;
    dense *= slice.size[i];
  }
  if (dense == 0) return;
  offset *= static_cast<int64_t>(SizeOf(type));
  CopyView view;
  for (int i = 0; i < slice.rank; ++i) {
    const int64_t part = strides[i] * slice.stride[i];
    view.Add(slice.size[i], kToPart ? part : dense_strides[i], kToPart ? dense_strides[i] : part);
  }
  StridedCopy(workers, type, view, static_cast<char*>(dst) + (kToPart ? offset : 0),
              static_cast<const char*>(src) + (kToPart ? 0 : offset));
}

class StridedSliceKernel : public Kernel {
 public:
  explicit StridedSliceKernel(const AttrMap& attrs) : masks_(StridedSliceMasks::FromAttrs(attrs)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const ResolvedSlice slice,
                        Resolve(in.shape(), ctx.input(1), ctx.input(2), ctx.input(3), masks_));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, slice.shape.ToShape()));
    CopyPart<false>(ctx.workers(), slice, in.shape(), in.dtype(), out->raw_data(), in.raw_data());
    return absl::OkStatus();
  }

 protected:
  // For ops that write a part.
  static Status CheckValue(const Shape& value, const Shape& part) {
    if (value == part) return absl::OkStatus();
    return Unimplemented("sliced l-value shape ", part.ToString(), " does not match r-value shape ",
                         value.ToString(), ". Automatic broadcasting not yet implemented.");
  }

  const StridedSliceMasks masks_;
};

class StridedSliceGradKernel final : public StridedSliceKernel {
 public:
  StridedSliceGradKernel(const AttrMap& attrs, DType type)
      : StridedSliceKernel(attrs), zero_(ScalarTensor(0, type)) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    HR_ASSIGN_OR_RETURN(const ResolvedSlice slice,
                        Resolve(shape, ctx.input(1), ctx.input(2), ctx.input(3), masks_));
    const Tensor& dy = ctx.input(4);
    if (dy.shape() != slice.shape.ToShape()) {
      return InvalidArgument("shape of dy was ", dy.shape().ToString(), " instead of ",
                             slice.shape.ToString());
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    if (zero_.valid()) {
      FillElements(ctx.workers(), out->dtype(), out->raw_data(), out->num_elements(),
                   zero_.raw_data());
    }
    CopyPart<true>(ctx.workers(), slice, shape, dy.dtype(), out->raw_data(), dy.raw_data());
    return absl::OkStatus();
  }

 private:
  const Tensor zero_;
};

class StridedSliceAssignKernel final : public StridedSliceKernel {
 public:
  using StridedSliceKernel::StridedSliceKernel;

  Status Compute(KernelContext& ctx) override {
    const Tensor& value = ctx.input(4);
    HR_ASSIGN_OR_RETURN(VariableResource * variable, VariableInput(ctx, 0, value.dtype()));
    HR_RETURN_IF_ERROR(variable->Update([&](Tensor& whole) -> Status {
      HR_ASSIGN_OR_RETURN(const ResolvedSlice slice,
                          Resolve(whole.shape(), ctx.input(1), ctx.input(2), ctx.input(3), masks_));
      HR_RETURN_IF_ERROR(CheckValue(value.shape(), slice.shape.ToShape()));
      CopyPart<true>(ctx.workers(), slice, whole.shape(), value.dtype(), whole.raw_data(),
                     value.raw_data());
      return absl::OkStatus();
    }));
    PassVariable(ctx, *variable);
    return absl::OkStatus();
  }
};

class TensorStridedSliceUpdateKernel final : public StridedSliceKernel {
 public:
  using StridedSliceKernel::StridedSliceKernel;

  Status Compute(KernelContext& ctx) override {
    const Shape whole = ctx.input(0).shape();
    const Tensor& value = ctx.input(4);
    HR_ASSIGN_OR_RETURN(const ResolvedSlice slice,
                        Resolve(whole, ctx.input(1), ctx.input(2), ctx.input(3), masks_));
    HR_RETURN_IF_ERROR(CheckValue(value.shape(), slice.shape.ToShape()));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, whole));
    if (!out->SharesMemoryWith(ctx.input(0))) out->CopyElementsFrom(ctx.input(0));
    CopyPart<true>(ctx.workers(), slice, whole, value.dtype(), out->raw_data(), value.raw_data());
    return absl::OkStatus();
  }
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeTensorStridedSliceUpdateCpu(const KernelInit& init) {
  return std::make_unique<TensorStridedSliceUpdateKernel>(init.attrs());
}
StatusOr<std::unique_ptr<Kernel>> MakeStridedSliceCpu(const KernelInit& init) {
  return std::make_unique<StridedSliceKernel>(init.attrs());
}
StatusOr<std::unique_ptr<Kernel>> MakeStridedSliceGradCpu(const KernelInit& init) {
  return std::make_unique<StridedSliceGradKernel>(init.attrs(), init.output_type(0));
}
StatusOr<std::unique_ptr<Kernel>> MakeStridedSliceAssignCpu(const KernelInit& init) {
  return std::make_unique<StridedSliceAssignKernel>(init.attrs());
}

}  // namespace headrace
