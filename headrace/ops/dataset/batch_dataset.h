// A dataset of batches.
#pragma once

#include "headrace/ops/dataset/dataset.h"

namespace headrace {

// BatchDataset: `size` elements along a new first dimension. REQUIRES: size > 0.
DatasetPtr BatchedDataset(DatasetPtr input, int64_t size, bool drop_remainder);

}  // namespace headrace
