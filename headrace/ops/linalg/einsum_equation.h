// The equation of the op Einsum: which dimension of which tensor goes with which.
//
//   ParseEinsum("ij,jk->ik")            // operands "ij" and "jk", result "ik"
//
// An ellipsis stands for any number of dimensions, which broadcast from the right.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/base/status.h"

namespace headrace {

struct EinsumEquation {
  std::vector<std::string> inputs;  // letters, and '.' for an ellipsis
  std::string output;
};
// Errors: InvalidArgument for other characters, more than one ellipsis in a tensor, no "->", a
// letter of the result that no operand has.
StatusOr<EinsumEquation> ParseEinsum(std::string_view equation);

// Labels by dimension: letters are themselves, dimensions of ellipses kEllipsis + their place from
// the right.
struct EinsumLabels {
  static constexpr int kEllipsis = 1000;
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;
};
// Errors: InvalidArgument for ranks that do not go with the equation, or dimensions of ellipses
// that the result has no place for.
StatusOr<EinsumLabels> LabelDimensions(const EinsumEquation& equation, std::span<const int> ranks);

}  // namespace headrace
