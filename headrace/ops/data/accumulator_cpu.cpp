#include "headrace/base/strings.h"
#include "headrace/ops/data/accumulator_kernels.h"
#include "headrace/ops/data/accumulator_resource.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

StatusOr<std::shared_ptr<Accumulator>> AccumulatorInput(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> found,
                      ResourceInput<Accumulator>(ctx, 0, "a gradient accumulator"));
  return found;
}

Status CheckDtype(const Accumulator& accumulator, DType type) {
  const AccumulatorOptions& o = accumulator.options();
  if (o.type == type) return absl::OkStatus();
  return InvalidArgument("the accumulator '", o.name, "' holds ", CppTypeName(o.type),
                         ", this node says ", CppTypeName(type));
}

Status ApplyGradient(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::shared_ptr<Accumulator> accumulator, AccumulatorInput(ctx));
  const Tensor& step = ctx.input(1);
  if (step.num_elements() != 1) {
    return InvalidArgument("Argument local_step must be scalar, but had shape ",
                           step.shape().ToString());
  }
  const bool sparse = ctx.num_inputs() > 3;
  if (sparse != accumulator->options().op.starts_with("Sparse")) {
    return InvalidArgument("the accumulator '", accumulator->options().name, "' is a ",
                           accumulator->options().op);
  }
  std::vector<const Tensor*> gradient{&ctx.input(2)};
  if (sparse) gradient.push_back(&ctx.input(3));
  if (sparse && ctx.node().attrs().Get<bool>("has_known_shape")) gradient.push_back(&ctx.input(4));
  HR_RETURN_IF_ERROR(CheckDtype(*accumulator, gradient[sparse ? 1 : 0]->dtype()));
  return accumulator->Apply(*step.data<int64_t>(), gradient);
}

class TakeGradientKernel final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<std::shared_ptr<Accumulator>> accumulator = AccumulatorInput(ctx);
    if (!accumulator.ok()) return done(accumulator.status());
    const bool sparse = ctx.node().num_outputs() > 1;
    const AccumulatorOptions& o = (*accumulator)->options();
    if (sparse != o.op.starts_with("Sparse"))
      return done(InvalidArgument("the accumulator '", o.name, "' is a ", o.op));
    if (Status same = CheckDtype(**accumulator, ctx.output_type(sparse ? 1 : 0)); !same.ok())
      return done(std::move(same));
    const Tensor& required = ctx.input(1);
    if (required.num_elements() != 1) {
      return done(InvalidArgument("Argument num_required must be scalar, but had shape ",
                                  required.shape().ToString()));
    }
    (*accumulator)
        ->Take(*required.data<int32_t>(), *ctx.step().cancellation,
               [&ctx, done = std::move(done)](StatusOr<std::vector<Tensor>> taken) {
                 if (!taken.ok()) return done(taken.status());
                 for (size_t i = 0; i < taken->size(); ++i) {
                   ctx.SetOutput(static_cast<int>(i), std::move((*taken)[i]));
                 }
                 done(absl::OkStatus());
               });
  }
};

Status NumAccumulated(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::shared_ptr<Accumulator> accumulator, AccumulatorInput(ctx));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<int32_t>() = static_cast<int32_t>(accumulator->num_accumulated());
  return absl::OkStatus();
}

Status SetGlobalStep(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::shared_ptr<Accumulator> accumulator, AccumulatorInput(ctx));
  const Tensor& step = ctx.input(1);
  if (step.num_elements() != 1) {
    return InvalidArgument("Argument new_global_step must be scalar, but had shape ",
                           step.shape().ToString());
  }
  accumulator->SetGlobalStep(*step.data<int64_t>());
  return absl::OkStatus();
}

Status CheckSame(const AccumulatorOptions& there, const AccumulatorOptions& asked) {
  if (there.op == asked.op && there.type == asked.type && there.shape == asked.shape &&
      there.mean == asked.mean) {
    return absl::OkStatus();
  }
  const auto text = [](const AccumulatorOptions& o) {
    return StrCat(o.op, " of ", CppTypeName(o.type), " ", o.shape.ToString(),
                  o.mean ? ", MEAN" : ", SUM");
  };
  return InvalidArgument("Shared accumulator '", there.name, "' is a ", text(there),
                         ", this node says ", text(asked));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeAccumulatorCpu(const KernelInit& init) {
  AccumulatorOptions options{.op = init.node().op_name(),
                             .type = init.Attr<DType>("dtype"),
                             .shape = init.Attr<PartialShape>("shape"),
                             .mean = init.Attr<std::string>("reduction_type") == "MEAN"};
  if (options.op.starts_with("Resource")) options.op.erase(0, std::string_view("Resource").size());
  HR_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator,
                      FindOrMake<Accumulator>(
                          init, [&](std::string name) -> StatusOr<std::shared_ptr<Accumulator>> {
                            AccumulatorOptions named = options;
                            named.name = std::move(name);
                            const bool sparse = named.op.starts_with("Sparse");
                            return std::make_shared<Accumulator>(
                                named, sparse ? MakeSparseSum(named.type, named.shape)
                                              : MakeDenseSum(named.type, named.shape));
                          }));
  HR_RETURN_IF_ERROR(CheckSame(accumulator->options(), options));
  return MakeHandleKernel(init, std::move(accumulator));
}

StatusOr<std::unique_ptr<Kernel>> MakeApplyGradientCpu(const KernelInit& init) {
  return MakeFunctionKernel<ApplyGradient>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeTakeGradientCpu(const KernelInit&) {
  return std::make_unique<TakeGradientKernel>();
}
StatusOr<std::unique_ptr<Kernel>> MakeNumAccumulatedCpu(const KernelInit& init) {
  return MakeFunctionKernel<NumAccumulated>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSetGlobalStepCpu(const KernelInit& init) {
  return MakeFunctionKernel<SetGlobalStep>(init);
}

}  // namespace headrace
