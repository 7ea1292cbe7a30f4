// Tensors whose values are nobody's business, and tensors from files.
//
//   Output buffer = Empty(g, {1024});
//   Output table = ImmutableConst(g, DType::kFloat32, {1000, 64}, "/data/table.bin");
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct EmptyOptions {
  bool init = false;  // promises zeros; without it the values have no meaning (here: zeros too)
  std::string name;
};
// A tensor of that shape. DTypes: numbers, bool, string. Errors: InvalidArgument for a negative
// dimension. Gradient: error. Source: TensorFlow Empty.
Output Empty(Graph& g, IntArg shape, DType dtype, EmptyOptions o = {},
             Location where = Location::Current());

// The bytes of a file as a tensor. The file is mapped when the node first runs, and stays mapped as
// long as its step is kept. DTypes: plain ones. Errors: NotFound, InvalidArgument for a file that
// is too short. Gradient: error. Source: TensorFlow ImmutableConst.
Output ImmutableConst(Graph& g, DType dtype, PartialShape shape, std::string memory_region_name,
                      OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
