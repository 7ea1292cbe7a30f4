#include "headrace/ops/math/special_gradients.h"

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/math_gradients.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/math/select.h"
#include "headrace/ops/math/special.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

using Known = OperandGradients::Known;

// x as the left operand of an operator, which gives the new node its line.
Operand At(Output x, Location where) {
  return Operand(x, where);
}

struct Pair {
  Output a, x;
};

// The density in logarithms: gamma(a) and its like grow large.
Pair IgammaPair(GradContext& c) {
  const Location where = c.where();
  const Output a = c.input(0), x = c.input(1), grad = c.grad();
  const OperandGradients operands(a, x, grad, Known::kShapesOnly, where);
  const ControlDependencies after(c.graph(), {grad});
  const Output partial_a = IgammaGradA(a, x, {}, where);
  const Output negative = -At(x, where);
  const Output power = At(a, where) - 1;
  const Output log_x = At(power, where) * Log(x, {}, where);
  const Output sum = At(negative, where) + log_x;
  const Output exponent = At(sum, where) - Lgamma(a, {}, where);
  const Output partial_x = Exp(exponent, {}, where);
  const Output ga = operands.Reduce(0, At(partial_a, where) * grad);
  return {ga, operands.Reduce(1, At(partial_x, where) * grad)};
}

double EpsilonOf(DType type) {
  if (type == DType::kFloat16) return 0x1p-10;
  if (type == DType::kBFloat16) return 0x1p-7;
  return type == DType::kFloat32 ? 0x1p-23 : 0x1p-52;
}

}  // namespace

Status IgammaGradient(GradContext& c) {
  const Pair pair = IgammaPair(c);
  c.Set(0, pair.a);
  c.Set(1, pair.x);
  return absl::OkStatus();
}

Status IgammacGradient(GradContext& c) {
  const Pair pair = IgammaPair(c);
  const Output ga = -At(pair.a, c.where());
  c.Set(0, ga);
  c.Set(1, -At(pair.x, c.where()));
  return absl::OkStatus();
}

Status BetaincGradient(GradContext& c) {
  const Location where = c.where();
  const Output a = c.input(0), b = c.input(1), x = c.input(2), grad = c.grad();
  const OperandGradients operands(a, x, grad, Known::kShapesOnly, where);
  const Output gamma_a = Lgamma(a, {}, where), gamma_b = Lgamma(b, {}, where);
  const Output gammas = At(gamma_a, where) + gamma_b;
  const Output both = At(a, where) + b;
  const Output log_beta = At(gammas, where) - Lgamma(both, {}, where);
  const Output power_b = At(b, where) - 1;
  const Output rest = Operand(1, where) - x;
  const Output upper = At(power_b, where) * Log(rest, {}, where);
  const Output power_a = At(a, where) - 1;
  const Output lower = At(power_a, where) * Log(x, {}, where);
  const Output powers = At(upper, where) + lower;
  const Output partial = Exp(At(powers, where) - log_beta, {}, where);
  c.Set(2, operands.Reduce(1, At(partial, where) * grad));
  return absl::OkStatus();
}

Status BesselI0eGradient(GradContext& c) {
  const Location where = c.where();
  const Output x = c.input(0), y = c.output(0), grad = c.grad();
  const ControlDependencies after(c.graph(), {grad});
  const Output first = BesselI1e(x, {}, where);
  const Output signed_y = At(Sign(x, {}, where), where) * y;
  const Output slope = At(first, where) - signed_y;
  c.Set(0, At(grad, where) * slope);
  return absl::OkStatus();
}

// 0.5 at 0, where the formula would divide by 0.
Status BesselI1eGradient(GradContext& c) {
  const Location where = c.where();
  const Output x = c.input(0), y = c.output(0), grad = c.grad();
  const ControlDependencies after(c.graph(), {grad});
  const double epsilon = EpsilonOf(x.value_dtype());
  const Output zeros = ZerosLike(x, {}, where);
  const Output regular = Greater(Abs(x, {}, where), epsilon, {}, where);
  const Output tiny = Operand(epsilon, where) + zeros;
  const Output safe = Select(regular, x, tiny, {}, where);
  const Output zeroth = BesselI0e(safe, {}, where);
  const Output sign = Sign(safe, {}, where);
  const Output factor = At(sign, where) + Reciprocal(safe, {}, where);
  const Output scaled = At(y, where) * factor;
  const Output slope = At(zeroth, where) - scaled;
  const Output half = Operand(0.5, where) + zeros;
  const Output selected = Select(regular, slope, half, {}, where);
  c.Set(0, At(grad, where) * selected);
  return absl::OkStatus();
}

Status NextAfterGradient(GradContext& c) {
  const Location where = c.where();
  const Output x1 = c.input(0), x2 = c.input(1), grad = c.grad();
  const Output shape1 = ShapeOf(x1, {}, where), shape2 = ShapeOf(x2, {}, where);
  const OperandGradients operands(shape1, shape2, where);
  const ControlDependencies after(c.graph(), {grad});
  const Output ones = Ones(c.graph(), shape1, x1.value_dtype(), {}, where);
  const Output zeros = Zeros(c.graph(), shape2, x2.value_dtype(), {}, where);
  const Output g1 = operands.Reduce(0, At(ones, where) * grad);
  c.Set(0, g1);
  c.Set(1, operands.Reduce(1, At(zeros, where) * grad));
  return absl::OkStatus();
}

}  // namespace headrace
