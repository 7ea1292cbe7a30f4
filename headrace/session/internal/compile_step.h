// From the nodes that a step needs to what runs them: passes, then a plan or the general executor.
#pragma once

#include <memory>
#include <vector>

#include "headrace/runtime/launcher.h"
#include "headrace/runtime/step_graph.h"
#include "headrace/session/internal/session_step.h"

namespace headrace {

struct CompileEnvironment {
  std::shared_ptr<DeviceSet> devices;
  std::shared_ptr<ResourceStore> resources;
  std::shared_ptr<Launcher> launcher;
  bool optimize = true;
  bool use_plans = true;
};

StatusOr<std::unique_ptr<CompiledStep>> CompileStep(const StepGraph::Request& request,
                                                    const CompileEnvironment& environment);

}  // namespace headrace
