#include "headrace/ops/library.h"

namespace headrace {

void DefineLibraryOps(OpRegistry& registry) {
#define HR_OPS(function) function(registry);
#include "headrace/ops/op_list.inc"
#undef HR_OPS
}

}  // namespace headrace
