// The update rules of the optimizers: one op each that changes a variable and its slots in one
// pass.
//
//   NodeBuilder("ApplyGradientDescent", "", where).Input(var).Input(alpha).Input(delta).Build();
//   NodeBuilder("ApplyAdagrad", "", where).Input(var).Input(accum).Input(lr).Input(grad).Build();
//
// The optimizers of train/ make these nodes; programs rarely do, so that there are no builder
// functions: the ops are listed with their inputs in apply.cpp. What they share: Shapes: variable,
// slots and gradient are equal; hyper-parameters are scalars. SparseApply: grad `[n, rest...]`
// holds the rows `indices` `[n]` of the variable's gradient, applied one after the other (repeated
// rows count as often as they are there). ResourceApply and ResourceSparseApply take handles in
// place of the variables and have no output. DTypes: float32, float64, float16, bfloat16. Result: the
// variable itself. No gradient. Errors: InvalidArgument "var and grad do not have the same
// shape[2,3] [3]", "lr is not a scalar: [2]", "indices[0] = 5 is not in [0, 4)"; nothing is changed
// then. FailedPrecondition for a variable or slot without value. Source: TensorFlow's ops of these
// names; the order of arithmetic is that of its CPU kernels.
#pragma once

#include <span>
#include <string_view>

namespace headrace {

struct ApplyOp {
  std::string_view name;  // "Momentum" for ApplyMomentum and SparseApplyMomentum
  std::string_view refs;  // names of the variable and its slots
  std::string_view args;  // names of the other inputs; sparse ops take "indices" after the gradient
  bool sparse = true;     // there is a SparseApply form
  bool on_gpu = true;     // TensorFlow has a GPU kernel of the dense form
  bool on_handles_only = false;  // there are only the Resource forms
};
// All of them.
std::span<const ApplyOp> ApplyOps();

}  // namespace headrace
