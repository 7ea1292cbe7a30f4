// Checks of attributes against their definition.
#pragma once

#include "headrace/graph/op_def.h"

namespace headrace::internal {

// Elements of a list; -1 for a value that is none.
int64_t ListLength(const AttrValue& value);

// The names and kinds of what was given; where a program may write a kind in a simpler way (1 for a
// float), it is changed to that kind. Names that start with '_' pass unseen. Errors:
// InvalidArgument.
Status CheckGivenAttrs(const OpDef& op, AttrMap& attrs);

// Dtypes, strings and sizes that the definition allows. Errors: InvalidArgument.
Status CheckAttr(const AttrDef& def, const AttrValue& value);

}  // namespace headrace::internal
