// CPU kernels of the dataset ops that call functions: those of function_dataset_ops.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

// map_cpu.cpp
StatusOr<std::unique_ptr<Kernel>> MakeMapDatasetCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeFilterDatasetCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeTakeWhileDatasetCpu(const KernelInit& init);
// parallel_map_cpu.cpp
StatusOr<std::unique_ptr<Kernel>> MakeParallelMapDatasetCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMapAndBatchDatasetCpu(const KernelInit& init);
// interleave_cpu.cpp
StatusOr<std::unique_ptr<Kernel>> MakeFlatMapDatasetCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeInterleaveDatasetCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeParallelInterleaveDatasetCpu(
    const KernelInit& init);  // and V2
// scan_cpu.cpp
StatusOr<std::unique_ptr<Kernel>> MakeScanDatasetCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReduceDatasetCpu(const KernelInit& init);
// group_cpu.cpp
StatusOr<std::unique_ptr<Kernel>> MakeGroupByWindowDatasetCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeGroupByReducerDatasetCpu(const KernelInit& init);
// generator_cpu.cpp
StatusOr<std::unique_ptr<Kernel>> MakeGeneratorDatasetCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeOneShotIteratorCpu(const KernelInit& init);

}  // namespace headrace
