// What shape a tensor has, and how two shapes broadcast. All results are integers in host memory.
//
//   Output n = Size(x);
//   Output s = ShapeOf(x);                            // [d0, d1, ...], int32
//   auto [rx, ry] = BroadcastGradientArgs(ShapeOf(x), ShapeOf(y));
#pragma once

#include <span>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct ShapeOptions {
  DType out_type = DType::kInt32;  // or int64
  // A constant where the answer is known from the inferred shape, as TensorFlow's Python functions
  // do (the name stays).
  bool optimize = true;
  std::string name;
};

// Shapes: `[...rank r] -> [r]`. The op is called Shape (headrace::Shape is a type). Gradient: none.
// Source: TensorFlow Shape.
Output ShapeOf(Output x, ShapeOptions o = {}, Location where = Location::Current());
// The same for several tensors of one dtype, always as an op.
std::vector<Output> ShapeN(std::span<const Output> inputs, ShapeOptions o = {},
                           Location where = Location::Current());
// Number of elements, a scalar. Errors (step): InvalidArgument when it does not fit `out_type`.
Output Size(Output x, ShapeOptions o = {}, Location where = Location::Current());
// Number of dimensions, an int32 scalar.
Output Rank(Output x, ShapeOptions o = {}, Location where = Location::Current());

// For shapes s0 and s1 that broadcast together: the axes over which a gradient of the result is
// summed to give the gradients of the operands. Shapes: `[m], [n] -> [?], [?]`. Errors:
// InvalidArgument when they do not broadcast. Gradient: none.
struct BroadcastAxes {
  Output r0, r1;
};
BroadcastAxes BroadcastGradientArgs(Output s0, Output s1, OpOptions o = {},
                                    Location where = Location::Current());
// The shape of the result itself. Source: TensorFlow BroadcastArgs.
Output BroadcastArgs(Output s0, Output s1, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
