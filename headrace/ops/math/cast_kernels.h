// The CPU kernel of Cast, and its loops for those who convert elsewhere.
#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeCastCpu(const KernelInit& init);

// Converts n elements; null when there is no conversion between the two. `truncate`: see
// CastOptions.
using CastRow = void (*)(const void* x, void* y, int64_t n);
CastRow FindCastRow(DType from, DType to, bool truncate);

}  // namespace headrace
