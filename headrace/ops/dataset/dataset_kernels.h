// CPU kernels of the dataset ops that call no functions: those of dataset_ops.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

#define HR_DATASET_KERNEL_(NAME) \
  StatusOr<std::unique_ptr<Kernel>> Make##NAME##Cpu(const KernelInit& init);
// sources_cpu.cpp
HR_DATASET_KERNEL_(TensorDataset)
HR_DATASET_KERNEL_(TensorSliceDataset)
HR_DATASET_KERNEL_(SparseTensorSliceDataset)
HR_DATASET_KERNEL_(RangeDataset)
// combine_cpu.cpp
HR_DATASET_KERNEL_(ZipDataset)
HR_DATASET_KERNEL_(ConcatenateDataset)
HR_DATASET_KERNEL_(DirectedInterleaveDataset)
// bounds_cpu.cpp
HR_DATASET_KERNEL_(TakeDataset)
HR_DATASET_KERNEL_(SkipDataset)
HR_DATASET_KERNEL_(ShardDataset)
HR_DATASET_KERNEL_(RepeatDataset)
// shuffle_cpu.cpp
HR_DATASET_KERNEL_(ShuffleDataset)
HR_DATASET_KERNEL_(ShuffleAndRepeatDataset)
// batch_cpu.cpp, padded_batch_cpu.cpp, window_cpu.cpp
HR_DATASET_KERNEL_(BatchDataset)        // and V2
HR_DATASET_KERNEL_(PaddedBatchDataset)  // and V2
HR_DATASET_KERNEL_(WindowDataset)
HR_DATASET_KERNEL_(UnbatchDataset)
// random_cpu.cpp
HR_DATASET_KERNEL_(RandomDataset)
HR_DATASET_KERNEL_(SamplingDataset)
// cache_cpu.cpp, prefetch_cpu.cpp, optimize_cpu.cpp
HR_DATASET_KERNEL_(CacheDataset)
HR_DATASET_KERNEL_(PrefetchDataset)
HR_DATASET_KERNEL_(OptimizeDataset)
HR_DATASET_KERNEL_(ForwardedDataset)  // ModelDataset and others that change no element
HR_DATASET_KERNEL_(DatasetCardinality)
// files_cpu.cpp
HR_DATASET_KERNEL_(TFRecordDataset)
HR_DATASET_KERNEL_(TextLineDataset)
HR_DATASET_KERNEL_(FixedLengthRecordDataset)  // and V2
#undef HR_DATASET_KERNEL_

}  // namespace headrace
