// A dataset that a thread reads ahead.
#pragma once

#include "headrace/ops/dataset/dataset.h"

namespace headrace {

// PrefetchDataset: up to `buffer_size` elements of `input` are kept ready.
DatasetPtr PrefetchedDataset(DatasetPtr input, int64_t buffer_size);

}  // namespace headrace
