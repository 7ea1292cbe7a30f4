// CPU kernels of lookup.cpp; each serves both forms of its op.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeHashTableCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMutableHashTableCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDenseHashTableCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeInitializeTableFromTextFileCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableFindCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableInsertCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableImportCpu(
    const KernelInit& init);  // and InitializeTable
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableRemoveCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableSizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLookupTableExportCpu(const KernelInit& init);

}  // namespace headrace
