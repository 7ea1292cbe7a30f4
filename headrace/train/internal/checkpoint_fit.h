// Does a checkpoint hold what a saver wants to restore?
#pragma once

#include <map>
#include <string>

#include "headrace/ops/state/variable.h"

namespace headrace::train {

// All that does not fit in one message: missing variables with the nearest names, other shapes,
// other dtypes. Errors: NotFound, InvalidArgument, those of opening the checkpoint.
Status CheckFit(const std::string& path, const std::map<std::string, Variable>& variables);

}  // namespace headrace::train
