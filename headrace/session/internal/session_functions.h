// Functions as a session runs them: with the step plans of the session's own steps, on CPU:0.
#pragma once

#include <memory>

#include "headrace/kernel/function.h"
#include "headrace/session/internal/compile_step.h"

namespace headrace {

// `environment.resources` is not used: functions take the store of the kernel that calls them, which must not keep
// itself alive.
std::shared_ptr<FunctionRuntime> MakeFunctionRuntime(CompileEnvironment environment,
                                                     bool deterministic);

}  // namespace headrace
