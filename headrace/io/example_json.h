// tf.train.Example messages written as JSON.
#pragma once

#include <string>
#include <string_view>

#include "headrace/base/status.h"

namespace headrace {

// The serialized Example of its JSON form. Errors: InvalidArgument "Error while parsing JSON: ...".
StatusOr<std::string> ExampleFromJson(std::string_view json);

}  // namespace headrace
