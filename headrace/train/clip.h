// Gradients kept within bounds.
//
//   auto gradients = optimizer.ComputeGradients(loss);
//   ClipByGlobalNorm(gradients, 5.0);
//   Node* train = optimizer.ApplyGradients(gradients);
//
// All take a Gradient (write Gradient{x} for a tensor): of slices the values are clipped; one that
// is not connected stays so. Each is differentiable. Source: tf.clip_by_value and so on, node for
// node.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "headrace/ops/math/operand.h"
#include "headrace/ops/options.h"
#include "headrace/train/optimizer.h"

namespace headrace {

// max(min(g, high), low): `low` wins where they cross. NaN stays.
Gradient ClipByValue(const Gradient& g, Operand low, Operand high, OpOptions o = {},
                     Location where = Location::Current());

struct ClipByNormOptions {
  std::optional<std::vector<int64_t>> axes;  // of the norm; default all
  std::string name;
};
// g * clip_norm / max(norm(g), clip_norm), with the Euclidean norm.
Gradient ClipByNorm(const Gradient& g, Operand clip_norm, ClipByNormOptions o = {},
                    Location where = Location::Current());
// The same with norm(g) / number of elements as the norm.
Gradient ClipByAverageNorm(const Gradient& g, Operand clip_norm, OpOptions o = {},
                           Location where = Location::Current());

// Euclidean norm of all elements of all gradients, a scalar. Invalid if none is connected.
Output GlobalNorm(std::span<const Gradient> gradients, OpOptions o = {},
                  Location where = Location::Current());

struct ClipByGlobalNormOptions {
  Output use_norm;  // if it is known already
  std::string name;
};
struct ClippedGradients {
  std::vector<Gradient> gradients;
  Output global_norm;
};
// All scaled by clip_norm / max(global norm, clip_norm). A norm that is not finite makes all of
// them NaN.
ClippedGradients ClipByGlobalNorm(std::span<const Gradient> gradients, Operand clip_norm,
                                  ClipByGlobalNormOptions o = {},
                                  Location where = Location::Current());
// In place; gives the global norm.
Output ClipByGlobalNorm(std::vector<GradientAndVariable>& gradients, Operand clip_norm,
                        ClipByGlobalNormOptions o = {}, Location where = Location::Current());

}  // namespace headrace
