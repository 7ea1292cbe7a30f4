// Cutting a tensor into parts along an axis.
//
//   std::vector<Output> halves = Split(x, 2, {.axis = 1});
//   std::vector<Output> parts = SplitV(x, {3, -1}, 0);     // 3 rows, and the rest
#pragma once

#include <optional>
#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct SplitOptions {
  IntArg axis = 0;  // in [-rank, rank)
  std::string name;
};
// `num` equal parts. Errors: InvalidArgument when the dimension is not divisible. Gradient: Concat.
// Source: TensorFlow Split.
std::vector<Output> Split(Output value, int64_t num, SplitOptions o = {},
                          Location where = Location::Current());

struct SplitVOptions {
  std::optional<int64_t> num;  // number of sizes, where they are a tensor of unknown length
  std::string name;
};
// Parts of the given sizes; one of them may be -1: what is left. Errors: InvalidArgument when they
// do not add up. Gradient: Concat. Source: TensorFlow SplitV.
std::vector<Output> SplitV(Output value, IntArg sizes, IntArg axis = 0, SplitVOptions o = {},
                           Location where = Location::Current());

}  // namespace headrace
