// Putting tensors together.
//
//   Output y = Concat({a, b}, 1);            // [2, 3], [2, 4] -> [2, 7]
//   Output z = Stack({a, b});                // two [3] -> [2, 3]
//   std::vector<Output> rows = Unstack(z);   // and back
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// Along an axis that exists, in [-rank, rank). One tensor alone gives an Identity. DTypes: every
// plain one, string. Errors: InvalidArgument "ConcatOp : Dimensions of inputs should match:
// shape[0] = [2,3] vs. shape[1] = [3,4]". Gradient: slices; rows of slices stay slices. Source:
// TensorFlow ConcatV2.
Output Concat(std::span<const Output> values, IntArg axis, OpOptions o = {},
              Location where = Location::Current());
inline Output Concat(std::initializer_list<Output> values, IntArg axis, OpOptions o = {},
                     Location where = Location::Current()) {
  return Concat(std::span(values.begin(), values.size()), axis, std::move(o), where);
}

// Where each of tensors of these shapes begins in their concatenation. Shapes: `[], N x [r] -> N x
// [r]`. DTypes: int32. Gradient: none. Source: TensorFlow ConcatOffset.
std::vector<Output> ConcatOffset(Output axis, std::span<const Output> shapes, OpOptions o = {},
                                 Location where = Location::Current());

struct StackOptions {
  int64_t axis = 0;  // of the new dimension, in [-rank-1, rank]
  std::string name;
};
// Along a new axis. Errors: InvalidArgument when shapes differ. Gradient: Unstack. Source:
// TensorFlow Pack.
Output Stack(std::span<const Output> values, StackOptions o = {},
             Location where = Location::Current());
inline Output Stack(std::initializer_list<Output> values, StackOptions o = {},
                    Location where = Location::Current()) {
  return Stack(std::span(values.begin(), values.size()), std::move(o), where);
}

struct UnstackOptions {
  int64_t axis = 0;            // in [-rank, rank)
  std::optional<int64_t> num;  // how many; needed only where the dimension is not known
  std::string name;
};
// The parts along an axis, which goes. Errors: InvalidArgument when the dimension is not `num`.
// Gradient: Stack. Source: TensorFlow Unpack.
std::vector<Output> Unstack(Output value, UnstackOptions o = {},
                            Location where = Location::Current());

}  // namespace headrace
