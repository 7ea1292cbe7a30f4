#include "headrace/ops/nn/dropout.h"

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/random/random_fill.h"

namespace headrace {
namespace {

// REQUIRES: the scope of the op is open.
Output DropInScope(Output x, Output rate, const DropoutOptions& o, Location where) {
  Graph& g = *x.graph();
  const IntArg shape = o.noise_shape.has_value() ? *o.noise_shape : IntArg(ShapeOf(x, {}, where));
  const Output random = RandomUniform(g, shape, {.dtype = x.value_dtype(), .seed = o.seed}, where);
  const Output keep = Sub(1, rate, {.name = "sub"}, where);
  const Output scale = RealDiv(1, keep, {.name = "truediv"}, where);
  const Output kept = GreaterEqual(random, rate, {}, where);
  const Output scaled = Mul(x, scale, {.name = "mul"}, where);
  return Mul(scaled, Cast(kept, x.value_dtype(), {}, where), {.name = "mul"}, where);
}

bool CheckInput(Output x, Location where) {
  if (!x.valid()) return false;
  if (IsFloating(x.value_dtype())) return true;
  x.graph()->ReportError(InvalidArgument("Dropout (", where.ToString(),
                                         "): x has to be a floating point tensor since it's going "
                                         "to be scaled. Got a ",
                                         DTypeName(x.value_dtype()), " tensor instead."));
  return false;
}

}  // namespace

Output Dropout(Output x, double rate, DropoutOptions o, Location where) {
  if (!CheckInput(x, where)) return {};
  if (!(rate >= 0 && rate < 1)) {
    x.graph()->ReportError(InvalidArgument(
        "Dropout (", where.ToString(),
        "): rate must be a scalar tensor or a float in the range [0, 1), got ", rate));
    return {};
  }
  if (rate == 0) return x;
  const OpScope scope(*x.graph(), o.name, "dropout");
  const Output value = ConstScalar(*x.graph(), rate, x.value_dtype(), {.name = "rate"}, where);
  return DropInScope(x, value, o, where);
}

Output Dropout(Output x, Output rate, DropoutOptions o, Location where) {
  if (!CheckInput(x, where) || !rate.valid()) return {};
  const OpScope scope(*x.graph(), o.name, "dropout");
  return DropInScope(x, rate, o, where);
}

}  // namespace headrace
