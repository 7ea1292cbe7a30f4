// The one table of op names that the runtime treats specially.
#pragma once

#include <string_view>

namespace headrace {

enum class OpTrait : unsigned char {
  kNone,
  // Dataflow of TensorFlow-1 control flow.
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCondition,
  kControlTrigger,
  kShapeOnly,    // outputs follow from the shapes of the inputs alone (Shape, Size, ZerosLike)
  kPassThrough,  // output 0 is input 0, nothing else happens (Identity, StopGradient)
  kReshape,      // output 0 is input 0 seen with the shape that was inferred, nothing else happens
  kVariableRead,  // output 0 is the value of the variable whose handle is input 0
  kEndsWaits,  // never waits, but other steps may wait for what it does
  kChoosesVariable,  // which variable the ref output stands for shows in the step only
};

OpTrait TraitOf(std::string_view op);
// True for ops that give a value for every value of inputs whose shapes fit: gradients are made of
// them.
bool NeverFails(std::string_view op);

constexpr bool IsControlFlow(OpTrait trait) {
  return trait >= OpTrait::kSwitch && trait <= OpTrait::kControlTrigger;
}

}  // namespace headrace
