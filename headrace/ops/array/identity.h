// Ops that hand their input on.
//
//   Output y = StopGradient(x);
#pragma once

#include <span>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

// All of them: any shape and dtype; the result shares the input's bytes unless said otherwise.
// Source: the TensorFlow ops of these names.

// Gradient: passes.
Output Identity(Output x, OpOptions o = {}, Location where = Location::Current());
// Several at once: all results are there when all inputs are. Copies. Gradient: passes.
std::vector<Output> IdentityN(std::span<const Output> inputs, OpOptions o = {},
                              Location where = Location::Current());
// Gradient: stops here.
Output StopGradient(Output x, OpOptions o = {}, Location where = Location::Current());

struct PreventGradientOptions {
  std::string message;  // why, for the error
  std::string name;
};
// Gradient: an error (NotFound, "Gradient explicitly disabled. Reason: ...").
Output PreventGradient(Output x, PreventGradientOptions o = {},
                       Location where = Location::Current());

// A copy with bytes of its own. Gradient: passes to the input.
Output Snapshot(Output x, OpOptions o = {}, Location where = Location::Current());

// Errors: InvalidArgument when the input's shape does not agree with `shape`; the result's shape is
// known at least as far. Gradient: passes.
Output EnsureShape(Output x, PartialShape shape, OpOptions o = {},
                   Location where = Location::Current());

// Gives the variable itself on. Input: a ref output.
Output RefIdentity(Output ref, OpOptions o = {}, Location where = Location::Current());

// A copy that shares no memory with x. Gradient: error. Source: TensorFlow DeepCopy.
Output DeepCopy(Output x, OpOptions o = {}, Location where = Location::Current());
// x, which the program states to be the same in every step. Gradient: error. Source: TensorFlow
// GuaranteeConst.
Output GuaranteeConst(Output x, OpOptions o = {}, Location where = Location::Current());
// x; debuggers of gradients look for the node. Gradient: passes through. Source: TensorFlow
// DebugGradientIdentity.
Output DebugGradientIdentity(Output x, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
