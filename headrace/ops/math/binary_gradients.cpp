// Gradients of functions of two arguments.
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/math/math_gradients.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/math/select.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

using Known = OperandGradients::Known;

// x as the left operand of an operator, which gives the new node its line.
Operand At(Output x, Location where) {
  return Operand(x, where);
}

Status SetBoth(GradContext& c, Output gx, Output gy) {
  c.Set(0, gx);
  c.Set(1, gy);
  return absl::OkStatus();
}

}  // namespace

Status AddGradient(GradContext& c) {
  const Output x = c.input(0), y = c.input(1), grad = c.grad();
  if (KnownEqualShapes(x, y, grad)) return SetBoth(c, grad, grad);
  const OperandGradients operands(x, y, grad, Known::kUse, c.where());
  const Output gx = operands.Reduce(0, grad);
  return SetBoth(c, gx, operands.Reduce(1, grad));
}

Status SubGradient(GradContext& c) {
  const Output x = c.input(0), y = c.input(1), grad = c.grad();
  if (KnownEqualShapes(x, y, grad)) return SetBoth(c, grad, -At(grad, c.where()));
  const OperandGradients operands(x, y, grad, Known::kUse, c.where());
  const Output gx = operands.Reduce(0, grad);
  return SetBoth(c, gx, operands.Reduce(1, -At(grad, c.where())));
}

Status MulGradient(GradContext& c) {
  Output x = c.input(0), y = c.input(1);
  const Output grad = c.grad();
  const Location where = c.where();
  const bool plain = grad.value_dtype() == DType::kFloat32 || grad.value_dtype() == DType::kInt32;
  if (plain && KnownEqualShapes(x, y, grad)) {
    const Output gx = Mul(grad, y, {}, where);
    return SetBoth(c, gx, Mul(grad, x, {}, where));
  }
  const OperandGradients operands(x, y, grad, Known::kUse, where);
  x = Conj(x, {}, where);
  y = Conj(y, {}, where);
  const Output gx = operands.Reduce(0, Mul(grad, y, {}, where));
  return SetBoth(c, gx, operands.Reduce(1, Mul(x, grad, {}, where)));
}

Status MulNoNanGradient(GradContext& c) {
  const Output x = c.input(0), y = c.input(1), grad = c.grad();
  const Location where = c.where();
  if (KnownEqualShapes(x, y, grad)) {
    const Output gx = MulNoNan(grad, y, {}, where);
    return SetBoth(c, gx, MulNoNan(x, grad, {}, where));
  }
  const OperandGradients operands(x, y, grad, Known::kShapesOnly, where);
  const Output gx = operands.Reduce(0, MulNoNan(grad, y, {}, where));
  return SetBoth(c, gx, operands.Reduce(1, MulNoNan(x, grad, {}, where)));
}

namespace {

// Of every kind of division: grad / y, and grad * ((-x / y) / y).
template <class Divide>
Status DivisionGradient(GradContext& c, Divide divide) {
  const Output grad = c.grad();
  const Location where = c.where();
  const OperandGradients operands(c.input(0), c.input(1), grad, Known::kShapesOnly, where);
  const Output x = Conj(c.input(0), {}, where), y = Conj(c.input(1), {}, where);
  const Output gx = operands.Reduce(0, divide(grad, y));
  const Output negative = -At(x, where);
  const Output slope = divide(divide(negative, y), y);
  return SetBoth(c, gx, operands.Reduce(1, At(grad, where) * slope));
}

}  // namespace

Status DivGradient(GradContext& c) {
  return DivisionGradient(c, [&](Output a, Output b) { return At(a, c.where()) / b; });
}
Status RealDivGradient(GradContext& c) {
  return DivisionGradient(c, [&](Output a, Output b) { return RealDiv(a, b, {}, c.where()); });
}
Status DivNoNanGradient(GradContext& c) {
  return DivisionGradient(
      c, [&](Output a, Output b) { return DivNoNan(a, b, {.name = "div_no_nan"}, c.where()); });
}

Status FloorModGradient(GradContext& c) {
  const Output grad = c.grad();
  const Location where = c.where();
  const Output x = Conj(c.input(0), {}, where), y = Conj(c.input(1), {}, where);
  const OperandGradients operands(x, y, grad, Known::kShapesOnly, where);
  const Output quotient = FloorDiv(x, y, {}, where);
  const Output gx = operands.Reduce(0, grad);
  const Output negative = Neg(quotient, {}, where);
  return SetBoth(c, gx, operands.Reduce(1, At(grad, where) * negative));
}

namespace {

Output IsNotZero(Output x, Location where) {
  const Output zero = ConstScalar(*x.graph(), 0, x.value_dtype(), {.name = "Cast/x"}, where);
  return Cast(NotEqual(x, zero, {}, where), x.value_dtype(), {.name = "Cast_1"}, where);
}

}  // namespace

Status XdivyGradient(GradContext& c) {
  const Output x = c.input(0), y = c.input(1), grad = c.grad();
  const Location where = c.where();
  const OperandGradients operands(x, y, grad, Known::kShapesOnly, where);
  const ControlDependencies after(c.graph(), {grad});
  const Output partial_x = Xdivy(IsNotZero(x, where), y, {}, where);
  const Output negative = Neg(x, {}, where);
  const Output square = Pow(y, 2, {.name = "pow"}, where);
  const Output partial_y = Xdivy(negative, square, {}, where);
  const Output gx = operands.Reduce(0, At(partial_x, where) * grad);
  return SetBoth(c, gx, operands.Reduce(1, At(partial_y, where) * grad));
}

Status XlogyGradient(GradContext& c) {
  const Output x = c.input(0), y = c.input(1), grad = c.grad();
  const Location where = c.where();
  const OperandGradients operands(x, y, grad, Known::kShapesOnly, where);
  const ControlDependencies after(c.graph(), {grad});
  const Output partial_x = Xlogy(IsNotZero(x, where), y, {}, where);
  const Output partial_y = Xdivy(x, y, {}, where);
  const Output gx = operands.Reduce(0, At(partial_x, where) * grad);
  return SetBoth(c, gx, operands.Reduce(1, At(partial_y, where) * grad));
}

Status PowGradient(GradContext& c) {
  const Output grad = c.grad();
  const Location where = c.where();
  const OperandGradients operands(c.input(0), c.input(1), grad, Known::kUse, where);
  const Output x = Conj(c.input(0), {}, where), y = Conj(c.input(1), {}, where);
  const Output scaled = At(grad, where) * y;
  const Output less_one = At(y, where) - 1;
  const Output power = Pow(x, less_one, {}, where);
  const Output gx = operands.Reduce(0, At(scaled, where) * power);

  const Output z = Conj(c.output(0), {}, where);
  // log(x) where it is defined; the power does not change with y where x is 0.
  const Output mask =
      IsComplex(x.value_dtype()) ? NotEqual(x, 0, {}, where) : Greater(x, 0, {}, where);
  const Output ones = OnesLike(x, {}, where);
  const Output log = Log(Select(mask, x, ones, {}, where), {}, where);
  const Output zeros = ZerosLike(x, {}, where);
  const Output log_x = Select(mask, log, zeros, {}, where);
  const Output gz = At(grad, where) * z;
  return SetBoth(c, gx, operands.Reduce(1, At(gz, where) * log_x));
}

namespace {

// The gradient goes where the operand was taken; to x of two equal ones.
Status ExtremeGradient(GradContext& c, bool maximum) {
  const Output x = c.input(0), y = c.input(1), grad = c.grad();
  const Location where = c.where();
  const Output sx = ShapeOf(x, {}, where), sy = ShapeOf(y, {}, where);
  const Output zeros = Zeros(c.graph(), ShapeOf(grad, {}, where), grad.value_dtype(), {}, where);
  const Output from_x = maximum ? GreaterEqual(x, y, {}, where) : LessEqual(x, y, {}, where);
  const OperandGradients operands(sx, sy, where);
  const Output gx = operands.Reduce(0, Select(from_x, grad, zeros, {}, where));
  return SetBoth(c, gx, operands.Reduce(1, Select(from_x, zeros, grad, {}, where)));
}

}  // namespace

Status MaximumGradient(GradContext& c) {
  return ExtremeGradient(c, true);
}
Status MinimumGradient(GradContext& c) {
  return ExtremeGradient(c, false);
}

Status SquaredDifferenceGradient(GradContext& c) {
  const Output x = c.input(0), y = c.input(1), grad = c.grad();
  const Location where = c.where();
  Output slope;
  {
    const ControlDependencies after(c.graph(), {grad});
    const Output two = ConstScalar(c.graph(), 2, grad.value_dtype(), {.name = "scalar"}, where);
    const Output scaled = Mul(two, grad, {}, where);
    const Output difference = At(x, where) - y;
    slope = At(scaled, where) * difference;
  }
  if (KnownEqualShapes(x, y, grad)) return SetBoth(c, slope, -At(slope, where));
  const OperandGradients operands(x, y, grad, Known::kUse, where);
  const Output gx = operands.Reduce(0, slope);
  const Output gy = operands.Reduce(1, slope);
  return SetBoth(c, gx, -At(gy, where));
}

// TensorFlow's gradient function forgets to reduce what was broadcast and fails there; this one
// does not.
Status Atan2Gradient(GradContext& c) {
  const Output y = c.input(0), x = c.input(1), grad = c.grad();
  const Location where = c.where();
  const ControlDependencies after(c.graph(), {grad});
  const Output x2 = Square(x, {}, where);
  const Output y2 = Square(y, {}, where);
  const Output sum = At(x2, where) + y2;
  const Output grad_inv = At(grad, where) / sum;
  Output gy = At(x, where) * grad_inv;
  const Output negative = -At(y, where);
  Output gx = At(negative, where) * grad_inv;
  if (!KnownEqualShapes(y, x, grad)) {
    const OperandGradients operands(y, x, grad, Known::kUse, where);
    gy = operands.Reduce(0, gy);
    gx = operands.Reduce(1, gx);
  }
  return SetBoth(c, gy, gx);
}

Status PolygammaGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad();
  const OperandGradients operands(c.input(0), c.input(1), grad, Known::kShapesOnly, where);
  const ControlDependencies after(c.graph(), {grad});
  const Output next = At(c.input(0), where) + 1;
  const Output slope = Polygamma(next, c.input(1), {}, where);
  c.Set(1, operands.Reduce(1, At(slope, where) * grad));
  return absl::OkStatus();
}

Status ZetaGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad(), x = c.input(0);
  const OperandGradients operands(x, c.input(1), grad, Known::kShapesOnly, where);
  const ControlDependencies after(c.graph(), {grad});
  const Output negative = -At(x, where);
  const Output next = At(x, where) + 1;
  const Output zeta = Zeta(next, c.input(1), {}, where);
  const Output slope = At(negative, where) * zeta;
  c.Set(1, operands.Reduce(1, At(slope, where) * grad));
  return absl::OkStatus();
}

}  // namespace headrace
