#include "headrace/base/strings.h"
#include "headrace/ops/array/identity_kernels.h"

namespace headrace {
namespace {

Status Forward(KernelContext& ctx) {
  ctx.SetOutput(0, ctx.input(0));
  return absl::OkStatus();
}

// Copies: a definition cannot state Forwards for a list of any length.
Status CopyAll(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(i, ctx.input(i).shape()));
    out->CopyElementsFrom(ctx.input(i));
  }
  return absl::OkStatus();
}

Status CopyInput(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, ctx.input(0).shape()));
  if (!out->SharesMemoryWith(ctx.input(0))) out->CopyElementsFrom(ctx.input(0));
  return absl::OkStatus();
}

Status CheckAndForward(KernelContext& ctx) {
  const PartialShape& wanted = ctx.node().attrs().Get<PartialShape>("shape");
  if (!wanted.IsCompatibleWith(ctx.input(0).shape())) {
    return InvalidArgument("Shape of tensor ", ctx.node().input(0).name(), " ",
                           ctx.input(0).shape().ToString(),
                           " is not compatible with expected shape ", wanted.ToString(), ".");
  }
  return Forward(ctx);
}

Status ForwardStated(KernelContext& ctx) {
  const PartialShape& stated = ctx.node().output_shape(0);
  if (!stated.IsCompatibleWith(ctx.input(0).shape())) {
    return InvalidArgument("input 0 ('", ctx.node().input(0).name(), "') has shape ",
                           ctx.input(0).shape().ToString(), ", must be ", stated.ToString(),
                           " as the graph was built for");
  }
  return Forward(ctx);
}

Status ForwardRef(KernelContext& ctx) {
  ctx.SetVariable(0, &ctx.variable(0));
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeStatedShapeCpu(const KernelInit& init) {
  return MakeFunctionKernel<ForwardStated>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeIdentityCpu(const KernelInit& init) {
  return MakeFunctionKernel<Forward>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeIdentityNCpu(const KernelInit& init) {
  return MakeFunctionKernel<CopyAll>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSnapshotCpu(const KernelInit& init) {
  return MakeFunctionKernel<CopyInput>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeEnsureShapeCpu(const KernelInit& init) {
  return MakeFunctionKernel<CheckAndForward>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRefIdentityCpu(const KernelInit& init) {
  return MakeFunctionKernel<ForwardRef>(init);
}

}  // namespace headrace
