// Row functions of real numbers and bools, compiled for several instruction sets; the best one for
// this processor is chosen when a kernel is made.
//
//   UnaryRow row = FindSimdUnaryRow("Tanh", DType::kFloat32);
//   if (row == nullptr) ...  // the op has none for that dtype
#pragma once

#include <string_view>

#include "headrace/ops/math/elementwise.h"

namespace headrace {

UnaryRow FindSimdUnaryRow(std::string_view op, DType type);
BinaryRow FindSimdBinaryRow(std::string_view op, DType type);

}  // namespace headrace
