// What quantization to a few bits would do to numbers, for training models that will be quantized.
//
//   Output y = FakeQuantWithMinMaxArgs(x, {.min = -6, .max = 6, .num_bits = 8});
//   Output z = QuantizeAndDequantizeV2(x, low, high, {.signed_input = true});
#pragma once

#include <string>

#include "headrace/ops/options.h"

namespace headrace {

struct FakeQuantArgsOptions {
  float min = -6, max = 6;    // moved a little, so that 0 is one of the levels
  int64_t num_bits = 8;       // 2 to 16
  bool narrow_range = false;  // without the lowest level
  std::string name;
};
struct FakeQuantOptions {
  int64_t num_bits = 8;
  bool narrow_range = false;
  std::string name;
};
struct FakeQuantGradients {
  Output inputs, min, max;
};

// x, cut to [min, max] and rounded to one of 2^num_bits levels. Shapes: any -> the same. DTypes:
// float32. Errors: InvalidArgument for num_bits out of range, min >= max. Gradient: that of the
// output where x lies within the range (and to min and max, where it does not). Source: TensorFlow
// FakeQuantWithMinMaxArgs, FakeQuantWithMinMaxVars, FakeQuantWithMinMaxVarsPerChannel.
Output FakeQuantWithMinMaxArgs(Output inputs, FakeQuantArgsOptions o = {},
                               Location where = Location::Current());
Output FakeQuantWithMinMaxArgsGradient(Output gradients, Output inputs, FakeQuantArgsOptions o = {},
                                       Location where = Location::Current());
// `min` and `max` are scalars. Both 0: everything is 0.
Output FakeQuantWithMinMaxVars(Output inputs, Output min, Output max, FakeQuantOptions o = {},
                               Location where = Location::Current());
FakeQuantGradients FakeQuantWithMinMaxVarsGradient(Output gradients, Output inputs, Output min,
                                                   Output max, FakeQuantOptions o = {},
                                                   Location where = Location::Current());
// A range for each channel: inputs `[..., d]`, min and max `[d]`.
Output FakeQuantWithMinMaxVarsPerChannel(Output inputs, Output min, Output max,
                                         FakeQuantOptions o = {},
                                         Location where = Location::Current());
FakeQuantGradients FakeQuantWithMinMaxVarsPerChannelGradient(Output gradients, Output inputs,
                                                             Output min, Output max,
                                                             FakeQuantOptions o = {},
                                                             Location where = Location::Current());

struct QuantizeAndDequantizeOptions {
  bool signed_input = true;                 // levels on both sides of 0
  int64_t num_bits = 8;                     // of a level; not for V3
  bool range_given = false;                 // else the range is that of the input; V3: true
  std::string round_mode = "HALF_TO_EVEN";  // or "HALF_UP"; V2 alone
  bool narrow_range = false;                // as many levels below 0 as above
  std::string name;
};
// x times a scale, rounded to whole numbers of num_bits bits, divided by the scale. Shapes: any,
// [],
// [] -> the same. DTypes: float32, float64. Errors: InvalidArgument for num_bits out of range, a
// range that ends before it begins. Gradient: to the input, as if nothing were done. Source:
// TensorFlow QuantizeAndDequantizeV2.
Output QuantizeAndDequantizeV2(Output input, Output input_min, Output input_max,
                               QuantizeAndDequantizeOptions o = {},
                               Location where = Location::Current());
// The same with the number of bits as a tensor (int32, a scalar). Source: TensorFlow
// QuantizeAndDequantizeV3.
Output QuantizeAndDequantizeV3(Output input, Output input_min, Output input_max, Output num_bits,
                               QuantizeAndDequantizeOptions o = {.range_given = true},
                               Location where = Location::Current());

}  // namespace headrace
