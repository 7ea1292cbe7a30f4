#include "headrace/ops/math/normalize.h"

#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/unary.h"

namespace headrace {

Output L2Normalize(Output x, ReduceAxes axes, L2NormalizeOptions o, Location where) {
  if (!x.valid()) return {};
  const OpScope scope(*x.graph(), o.name, "l2_normalize");
  const Output square = Square(x, {}, where);
  const Output sum = ReduceSum(square, std::move(axes), {.keep_dims = true}, where);
  const Output inverse = Rsqrt(Maximum(sum, o.epsilon, {}, where), {}, where);
  return Mul(x, inverse, {.name = scope.op_name()}, where);
}

}  // namespace headrace
