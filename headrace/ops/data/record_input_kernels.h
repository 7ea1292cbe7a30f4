// CPU kernel of record_input.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeRecordInputCpu(const KernelInit& init);

}  // namespace headrace
