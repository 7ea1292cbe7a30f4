// The function library of a graph as bytes: a FunctionDefLibrary.
#pragma once

#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/io/proto/graph.pb.h"

// What speaks of messages stays inside the library: see headrace_package.
#pragma GCC visibility push(hidden)
namespace headrace::internal {

// Adds the functions and gradients of `more` that `library` has not. Errors: InvalidArgument when both have another
// function of one name; DataLoss.
Status JoinLibraries(proto::FunctionDefLibrary& library, const proto::FunctionDefLibrary& more);
StatusOr<std::string> JoinLibraries(std::string_view library, std::string_view more);

// Takes out what only this process has use for.
void StripLocations(proto::FunctionDefLibrary& library);

}  // namespace headrace::internal

#pragma GCC visibility pop
