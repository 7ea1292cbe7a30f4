#include "headrace/base/strings.h"
#include "headrace/ops/control/flow_kernels.h"

namespace headrace {
namespace {

StatusOr<bool> Predicate(KernelContext& ctx) {
  const Tensor& pred = ctx.input(1);
  if (pred.rank() != 0)
    return InvalidArgument("The second input must be a scalar, but it has shape ",
                           pred.shape().ToString());
  return pred.scalar<bool>();
}

Status SwitchKernel(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const bool taken, Predicate(ctx));
  ctx.SetOutput(taken ? 1 : 0, ctx.input(0));
  return absl::OkStatus();
}

Status RefSwitchKernel(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const bool taken, Predicate(ctx));
  ctx.SetVariable(taken ? 1 : 0, &ctx.variable(0));
  return absl::OkStatus();
}

Status MergeKernel(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (!ctx.input(i).valid()) continue;
    ctx.SetOutput(0, ctx.input(i));
    HR_ASSIGN_OR_RETURN(Tensor * index, ctx.Output(1, {}));
    *index->data<int32_t>() = i;
    return absl::OkStatus();
  }
  return Internal("Merge op was run without an input");
}

// The general executor merges by itself; elsewhere all inputs are there.
Status RefMergeKernel(KernelContext& ctx) {
  ctx.SetVariable(0, &ctx.variable(0));
  HR_ASSIGN_OR_RETURN(Tensor * index, ctx.Output(1, {}));
  *index->data<int32_t>() = 0;
  return absl::OkStatus();
}

Status RefSelectKernel(KernelContext& ctx) {
  const Tensor& index = ctx.input(0);
  if (index.rank() != 0)
    return InvalidArgument("Index must be a scalar, but it has shape ", index.shape().ToString());
  const int at = index.scalar<int32_t>(), n = ctx.num_inputs() - 1;
  if (at < 0 || at >= n)
    return InvalidArgument("Index must be in the range [0, ", n, ") but got ", at);
  ctx.SetVariable(0, &ctx.variable(at + 1));
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRefMerge(const KernelInit& init) {
  return MakeFunctionKernel<RefMergeKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRefSelect(const KernelInit& init) {
  return MakeFunctionKernel<RefSelectKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSwitch(const KernelInit& init) {
  return MakeFunctionKernel<SwitchKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRefSwitch(const KernelInit& init) {
  return MakeFunctionKernel<RefSwitchKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMerge(const KernelInit& init) {
  return MakeFunctionKernel<MergeKernel>(init);
}

}  // namespace headrace
