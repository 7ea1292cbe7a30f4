#include <limits>

#include "headrace/ops/array/broadcast_axes.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/shape_ops_kernels.h"

namespace headrace {
namespace {

Status CheckFits(int64_t value, DType type, std::string_view what) {
  if (type == DType::kInt32 && value > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument(what, " ", value, " does not fit int32: use out_type int64");
  }
  return absl::OkStatus();
}

Status ShapeKernel(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Shape& shape = ctx.input(i).shape();
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(i, {shape.rank()}));
    for (int64_t d : shape.dims()) HR_RETURN_IF_ERROR(CheckFits(d, out->dtype(), "dimension"));
    StoreInts(shape.dims(), *out);
  }
  return absl::OkStatus();
}

Status SizeKernel(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  const int64_t size = ctx.input(0).num_elements();
  HR_RETURN_IF_ERROR(CheckFits(size, out->dtype(), "number of elements"));
  StoreInts({&size, 1}, *out);
  return absl::OkStatus();
}

Status RankKernel(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<int32_t>() = ctx.input(0).rank();
  return absl::OkStatus();
}

Status BroadcastGradientArgsKernel(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const IntValues s0, IntValues::From(ctx.input(0), "s0"));
  HR_ASSIGN_OR_RETURN(const IntValues s1, IntValues::From(ctx.input(1), "s1"));
  HR_ASSIGN_OR_RETURN(const BroadcastReduction axes, ReductionOfBroadcast(s0.span(), s1.span()));
  HR_ASSIGN_OR_RETURN(Tensor * r0, ctx.Output(0, {axes.size0}));
  HR_ASSIGN_OR_RETURN(Tensor * r1, ctx.Output(1, {axes.size1}));
  StoreInts({axes.axes0.data(), static_cast<size_t>(axes.size0)}, *r0);
  StoreInts({axes.axes1.data(), static_cast<size_t>(axes.size1)}, *r1);
  return absl::OkStatus();
}

Status BroadcastArgsKernel(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const Shape s0, ShapeFromTensor(ctx.input(0), "s0"));
  HR_ASSIGN_OR_RETURN(const Shape s1, ShapeFromTensor(ctx.input(1), "s1"));
  HR_ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(s0, s1));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {shape.rank()}));
  StoreInts(shape.dims(), *out);
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeShapeCpu(const KernelInit& init) {
  return MakeFunctionKernel<ShapeKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSizeCpu(const KernelInit& init) {
  return MakeFunctionKernel<SizeKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRankCpu(const KernelInit& init) {
  return MakeFunctionKernel<RankKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeBroadcastGradientArgsCpu(const KernelInit& init) {
  return MakeFunctionKernel<BroadcastGradientArgsKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeBroadcastArgsCpu(const KernelInit& init) {
  return MakeFunctionKernel<BroadcastArgsKernel>(init);
}

}  // namespace headrace
