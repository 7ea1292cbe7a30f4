// Tensors to and from checkpoint files, inside the graph. train/saver.h builds what programs need
// from these.
//
//   Node* save = SaveV2(prefix, names, slices, {w.ref(), b.ref()});
//   std::vector<Output> values = RestoreV2(prefix, names, slices, {DType::kFloat32,
//   DType::kFloat32});
#pragma once

#include <span>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

// All: prefixes and names are strings; `prefix` is a scalar, `tensor_names` and `shape_and_slices`
// are vectors with an entry for each tensor. A slice is "" for the whole tensor, or shape and part
// as in "7 2 0,3:0,2". CPU only. Gradient: none. Source: the TensorFlow ops of these names.

// Writes one checkpoint, in one shard. DTypes: all but resource and variant. Errors (step):
// InvalidArgument for names and tensors that do not match; those of the file system.
Node* SaveV2(Output prefix, Output tensor_names, Output shape_and_slices,
             std::span<const Output> tensors, OpOptions o = {},
             Location where = Location::Current());

// Errors (step): NotFound for a missing checkpoint or name (with the nearest names),
// InvalidArgument for another dtype than asked for, DataLoss for damaged files.
std::vector<Output> RestoreV2(Output prefix, Output tensor_names, Output shape_and_slices,
                              std::span<const DType> dtypes, OpOptions o = {},
                              Location where = Location::Current());

struct MergeV2CheckpointsOptions {
  bool delete_old_dirs = true;  // the folders of the parts, if empty then
  std::string name;
};
// Makes one checkpoint of those that several SaveV2 have written (a vector of prefixes).
Node* MergeV2Checkpoints(Output checkpoint_prefixes, Output destination_prefix,
                         MergeV2CheckpointsOptions o = {}, Location where = Location::Current());

// "<basename>-00001-of-00004", and "<basename>-?????-of-00004". Scalars; int32 numbers.
Output ShardedFilename(Output basename, Output shard, Output num_shards, OpOptions o = {},
                       Location where = Location::Current());
Output ShardedFilespec(Output basename, Output num_shards, OpOptions o = {},
                       Location where = Location::Current());

}  // namespace headrace
