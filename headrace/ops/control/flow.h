// The nodes from which TensorFlow 1 builds conditionals and loops.
//
//   auto [if_false, if_true] = Switch(x, pred);
//   MergeResult y = Merge({Square(if_true), Neg(if_false)});
//   y.output, y.index;  // what came, and which of the two
//
// How a dataflow executor runs them: Switch sets only the output that is taken, the other is dead.
// A node with a dead input is not run and its outputs are dead, except Merge, which runs as soon as
// one input is there; a missing input is an invalid tensor in its context. Enter, Exit and
// NextIteration hand their input on; frames and iterations are the executor's matter. These ops
// have no gradient functions here: loops and conditionals are differentiated as a whole.
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "headrace/ops/options.h"

namespace headrace {

// Shapes, DTypes: any; pred a bool scalar. Source: TensorFlow Switch, Merge, Enter, Exit,
// NextIteration, LoopCond and their Ref forms, which hand the variable itself on.
struct SwitchResult {
  Output if_false, if_true;
};
SwitchResult Switch(Output data, Output pred, OpOptions o = {},
                    Location where = Location::Current());
// `data` is a variable's ref.
SwitchResult RefSwitch(Output data, Output pred, OpOptions o = {},
                       Location where = Location::Current());

struct MergeResult {
  Output output, index;  // index: int32, which input came
};
MergeResult Merge(std::span<const Output> inputs, OpOptions o = {},
                  Location where = Location::Current());
inline MergeResult Merge(std::initializer_list<Output> inputs, OpOptions o = {},
                         Location where = Location::Current()) {
  return Merge(std::span(inputs.begin(), inputs.size()), std::move(o), where);
}

// `inputs` are refs of variables.
MergeResult RefMerge(std::span<const Output> inputs, OpOptions o = {},
                     Location where = Location::Current());
// The variable inputs[index]. Errors: InvalidArgument for an index outside [0, N). Source:
// TensorFlow RefSelect.
Output RefSelect(Output index, std::span<const Output> inputs, OpOptions o = {},
                 Location where = Location::Current());

struct EnterOptions {
  bool is_constant = false;  // the same value in every iteration
  int64_t parallel_iterations = 10;
  std::string name;
};
// Into the frame of a loop. The shape is only known when constant: iterations may change it
// (RefineShape states it otherwise).
Output Enter(Output data, std::string frame_name, EnterOptions o = {},
             Location where = Location::Current());
Output Exit(Output data, OpOptions o = {}, Location where = Location::Current());
Output NextIteration(Output data, OpOptions o = {}, Location where = Location::Current());
Output LoopCond(Output pred, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
