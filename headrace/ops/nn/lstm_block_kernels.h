// Kernel factories of the LSTM block ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeLSTMBlockCellCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLSTMBlockCellGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBlockLSTMCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBlockLSTMGradCpu(const KernelInit& init);

}  // namespace headrace
