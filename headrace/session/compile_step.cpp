#include "headrace/session/internal/compile_step.h"

#include "headrace/runtime/rewrite.h"

namespace headrace {

StatusOr<std::unique_ptr<CompiledStep>> CompileStep(const StepGraph::Request& request,
                                                    const CompileEnvironment& environment) {
  HR_ASSIGN_OR_RETURN(std::unique_ptr<StepGraph> step, StepGraph::Build(request));
  if (step->has_control_flow()) {
    HR_RETURN_IF_ERROR(MakeReadsExplicit(*step));
  } else {
    HR_RETURN_IF_ERROR(ResolveVariableReads(*step));
    InferAndFold(*step, {.cpu = &environment.devices->cpu(), .replace = environment.optimize});
    if (environment.optimize) {
      DropUnusedValues(*step);
      MergeEqualNodes(*step);
      BypassForwarding(*step);
      HR_RETURN_IF_ERROR(FuseProducts(*step));
    }
    HR_RETURN_IF_ERROR(Schedule(*step));
  }
  auto compiled = std::make_unique<CompiledStep>();
  compiled->feed_shapes = request.feed_shapes;
  if (environment.use_plans && Plan::Accepts(*step)) {
    HR_ASSIGN_OR_RETURN(compiled->plan, Plan::Compile(std::move(step), environment.devices,
                                                      environment.resources, environment.launcher));
  } else {
    HR_ASSIGN_OR_RETURN(compiled->executor, Executor::Create(std::move(step), environment.devices,
                                                             environment.resources));
  }
  return compiled;
}

}  // namespace headrace
