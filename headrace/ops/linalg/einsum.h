// Sums of products by an equation in Einstein's notation, and contractions.
//
//   Output c = Einsum("ij,jk->ik", {a, b});           // a matrix product
//   Output t = Tensordot(a, b, 2);                    // over the last two and first two dimensions
//   Output u = Tensordot(a, b, {{1, 2}, {0, 1}});
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct EinsumOptions {
  // One node of the op Einsum (of one or two operands, with "->") instead of products and
  // transpositions.
  bool one_op = false;
  std::string name;  // "" = "einsum"
};
// Letters name dimensions; those that the result (after "->") does not have are summed over.
// Without
// "->" the result has the letters that occur once, in the order of the alphabet. "..." stands for
// any further dimensions. DTypes: those of MatMul; of the op: float32, float64, complex64,
// complex128. Errors: InvalidArgument for an equation that is not well formed or does not go with
// the operands; a letter twice in one operand, but for traces ("ii") and in the op. Gradient: by
// the ops it is made of; of the op itself error, as in TensorFlow. Source: tf.einsum; TensorFlow
// Einsum.
Output Einsum(std::string_view equation, std::span<const Output> operands, EinsumOptions o = {},
              Location where = Location::Current());
inline Output Einsum(std::string_view equation, std::initializer_list<Output> operands,
                     EinsumOptions o = {}, Location where = Location::Current()) {
  return Einsum(equation, std::span(operands.begin(), operands.size()), std::move(o), where);
}

// Which axes of two tensors are summed over together.
class TensordotAxes {
 public:
  TensordotAxes(int count) : count_(count) {}  // NOLINT: the last of a and the first of b
  TensordotAxes(std::vector<int64_t> of_a, std::vector<int64_t> of_b)
      : of_a_(std::move(of_a)), of_b_(std::move(of_b)) {}

  // Axes in [0, rank). Errors: InvalidArgument for axes that the ranks do not have, or numbers of
  // axes that differ.
  StatusOr<std::pair<std::vector<int64_t>, std::vector<int64_t>>> Resolve(int rank_a,
                                                                          int rank_b) const;

 private:
  int count_ = -1;
  std::vector<int64_t> of_a_, of_b_;
};
// Shapes: the other dimensions of `a`, then those of `b`. DTypes: those of MatMul. Errors:
// InvalidArgument for axes that do not go with the shapes; both ranks must be known. Gradient: by
// the ops it is made of. Source: tf.tensordot.
Output Tensordot(Output a, Output b, TensordotAxes axes, OpOptions o = {},
                 Location where = Location::Current());

}  // namespace headrace
