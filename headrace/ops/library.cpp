// The op library as a whole: the one place that sees the list. A program needs nothing from here:
// OpRegistry::Global() holds it.
#include "headrace/graph/op_def.h"

namespace headrace {

// One Define function for each line of op_list.inc; a promised one that is missing is a link error.
#define HR_OPS(function) void function(OpRegistry& ops);
#include "headrace/ops/op_list.inc"
#undef HR_OPS

void DefineLibraryOps(OpRegistry& registry) {
#define HR_OPS(function) function(registry);
#include "headrace/ops/op_list.inc"
#undef HR_OPS
}

}  // namespace headrace
