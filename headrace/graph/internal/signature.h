// Checks the inputs and attributes of a node-to-be against its op, and works out what was left
// unsaid: type and number attributes that follow from the inputs, defaults, dtypes of inputs and
// outputs.
#pragma once

#include <span>
#include <vector>

#include "headrace/graph/op_def.h"

namespace headrace::internal {

struct Signature {
  std::vector<DType> input_types;  // as the op takes them, references kept
  std::vector<DType> output_types;
};

// `attrs` is completed in place; attributes whose names start with '_' pass unseen. `inputs` are
// the dtypes of the edges (references marked). Errors: InvalidArgument without op and node, which
// the caller adds.
StatusOr<Signature> ResolveSignature(const OpDef& op, std::span<const DType> inputs,
                                     AttrMap& attrs);

}  // namespace headrace::internal
