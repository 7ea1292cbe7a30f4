// CPU kernel of bitcast.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeBitcastCpu(const KernelInit& init);
// The shape that `in` has as elements of another dtype. InvalidArgument if it cannot have one.
StatusOr<PartialShape> BitcastShape(const PartialShape& in, DType from, DType to);

}  // namespace headrace
