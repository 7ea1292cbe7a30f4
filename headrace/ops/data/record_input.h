// Batches of records of many files in random order, again and again.
//
//   Output batch = RecordInput(g, "train-*.tfrecord", {.batch_size = 64});
//
// Gradients: none. Source: TensorFlow RecordInput.
#pragma once

#include <string>
#include <string_view>

#include "headrace/ops/options.h"

namespace headrace {

struct RecordInputOptions {
  int64_t file_random_seed = 301;         // 0: another order each time
  float file_shuffle_shift_ratio = 0.0f;  // in [0, 1]: the files begin so far on in their order
  int64_t file_buffer_size = 10000;       // records from which the next is drawn
  int64_t file_parallelism = 16;          // records are taken from so many files in turn
  int64_t batch_size = 32;
  std::string compression_type;  // "", "ZLIB" or "GZIP"
  std::string name;
};
// A batch of an endless sequence: all records of the files that match, in random order, then all
// again in another. Shapes: `-> [batch_size]`, string. Errors: NotFound "Found no files at x*";
// DataLoss with file and offset. The order is that of the seed, but not TensorFlow's, which depends
// on its threads.
Output RecordInput(Graph& g, std::string_view file_pattern, RecordInputOptions o = {},
                   Location where = Location::Current());

}  // namespace headrace
