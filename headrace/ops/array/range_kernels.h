// CPU kernels of range.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeRangeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLinSpaceCpu(const KernelInit& init);

// How many numbers Range gives. Errors as Range.
template <class T>
StatusOr<int64_t> RangeSize(T start, T limit, T delta);

}  // namespace headrace
