// CPU kernels of checkpoint.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSaveV2Cpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRestoreV2Cpu(const KernelInit& init);
// Restore and RestoreSlice, which read one tensor.
StatusOr<std::unique_ptr<Kernel>> MakeRestoreCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMergeV2CheckpointsCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeShardedFilenameCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeShardedFilespecCpu(const KernelInit& init);

}  // namespace headrace
