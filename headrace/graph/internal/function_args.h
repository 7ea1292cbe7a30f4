// How function bodies name values: "node:output_arg:i" where graphs write "node:j".
#pragma once

#include <string>

#include "headrace/base/status.h"
#include "headrace/graph/attr.h"
#include "headrace/graph/op_def.h"

namespace headrace::internal {

// How many tensors an argument of a node with these attributes is; 0 where the attribute is not there.
int64_t ArgLength(const ArgDef& arg, const AttrMap& attrs);

// "sum:0" for output 0, "values:1" for a later element of a list.
std::string OutputArgName(const OpDef& op, const AttrMap& attrs, int output);
// The other way. Errors: InvalidArgument for an argument that the op has not, or too few elements.
StatusOr<int64_t> OutputOfArg(const OpDef& op, const AttrMap& attrs, std::string_view arg,
                              int64_t element);

}  // namespace headrace::internal
