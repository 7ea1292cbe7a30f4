// Dimensions back to front.
//
//   Output y = Reverse(x, {-1});     // each row from right to left
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// Reverses the stated axes. DTypes: every plain one, string. Errors: InvalidArgument for an axis
// out of range or given twice. Gradient: reversed. Source: TensorFlow ReverseV2.
Output Reverse(Output x, IntArg axes, OpOptions o = {}, Location where = Location::Current());

struct ReverseSequenceOptions {
  int64_t seq_dim = 1;
  int64_t batch_dim = 0;
  std::string name;
};
// Of each batch entry b, the first seq_lengths[b] elements along seq_dim. Errors: InvalidArgument
// for equal dimensions, lengths that do not fit. Gradient: reversed. Source: TensorFlow
// ReverseSequence.
Output ReverseSequence(Output x, Output seq_lengths, ReverseSequenceOptions o = {},
                       Location where = Location::Current());

}  // namespace headrace
