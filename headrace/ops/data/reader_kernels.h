// CPU kernels of reader.cpp; each serves both forms of its op.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeReaderCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReaderReadCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReaderReadUpToCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReaderNumRecordsProducedCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReaderNumWorkUnitsCompletedCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReaderSerializeStateCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReaderRestoreStateCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReaderResetCpu(const KernelInit& init);

}  // namespace headrace
