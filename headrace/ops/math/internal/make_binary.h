// How the operators and the functions of two tensors make their node.
#pragma once

#include "headrace/ops/math/operand.h"
#include "headrace/ops/options.h"

namespace headrace::internal {

// A node of `op`, called `name` or else `default_name`, whose number operand (if there is one) is
// the constant "<node>/x" or
// "<node>/y" of the tensor's dtype. Invalid if neither operand is a valid tensor.
Output MakeBinary(std::string_view op, const Operand& x, const Operand& y, std::string_view name,
                  std::string_view default_name, Location where, const AttrMap& attrs = {});

}  // namespace headrace::internal
