// Gradients of functions of one argument. The control dependencies keep what the gradient alone
// needs from being computed before the incoming gradient is there.
#include <cmath>
#include <numbers>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/math/math_gradients.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

// What most of these functions start with: the gradient, the line of the node, and the scope of the
// control dependency. At(x) is x as the left operand of an operator, which gives the new node its
// line.
struct Start {
  explicit Start(GradContext& c) : grad(c.grad()), where(c.where()), after(c.graph(), {grad}) {}
  Operand At(Output x) const { return Operand(x, where); }
  Operand At(double number) const { return Operand(number, where); }
  Output Constant(double value) const {
    return ConstScalar(*grad.graph(), value, grad.value_dtype(), {}, where);
  }

  Output grad;
  Location where;
  ControlDependencies after;
};

Status Set(GradContext& c, Output gradient) {
  c.Set(0, gradient);
  return absl::OkStatus();
}

}  // namespace

Status AbsGradient(GradContext& c) {
  const Output sign = Sign(c.input(0), {}, c.where());
  return Set(c, Operand(c.grad(), c.where()) * sign);
}

Status NegGradient(GradContext& c) {
  return Set(c, -Operand(c.grad(), c.where()));
}

Status SignGradient(GradContext& c) {
  const Output x = c.input(0);
  return Set(c, Zeros(c.graph(), ShapeOf(x, {}, c.where()), x.value_dtype(), {}, c.where()));
}

Status SquareGradient(GradContext& c) {
  const Start s(c);
  const Output x = Conj(c.input(0), {}, s.where);
  const Output doubled = Mul(x, s.Constant(2), {}, s.where);
  return Set(c, Mul(s.grad, doubled, {}, s.where));
}

Status SqrtGradient(GradContext& c) {
  return Set(c, SqrtGrad(c.output(0), c.grad(), {}, c.where()));
}
Status RsqrtGradient(GradContext& c) {
  return Set(c, RsqrtGrad(c.output(0), c.grad(), {}, c.where()));
}
Status ReciprocalGradient(GradContext& c) {
  return Set(c, ReciprocalGrad(c.output(0), c.grad(), {}, c.where()));
}

Status ExpGradient(GradContext& c) {
  const Start s(c);
  return Set(c, s.At(s.grad) * Conj(c.output(0), {}, s.where));
}

Status Expm1Gradient(GradContext& c) {
  const Start s(c);
  const Output y = Exp(Conj(c.input(0), {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) * y);
}

Status LogGradient(GradContext& c) {
  const Start s(c);
  const Output inverse = Reciprocal(Conj(c.input(0), {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) * inverse);
}

Status Log1pGradient(GradContext& c) {
  const Start s(c);
  const Output x = Conj(c.input(0), {}, s.where);
  const Output inverse = Reciprocal(s.At(1) + x, {}, s.where);
  return Set(c, s.At(s.grad) * inverse);
}

Status SigmoidGradient(GradContext& c) {
  const Start s(c);
  return Set(c, SigmoidGrad(Conj(c.output(0), {}, s.where), s.grad, {}, s.where));
}

Status TanhGradient(GradContext& c) {
  const Start s(c);
  return Set(c, TanhGrad(Conj(c.output(0), {}, s.where), s.grad, {}, s.where));
}

Status SinGradient(GradContext& c) {
  const Start s(c);
  const Output cosine = Cos(Conj(c.input(0), {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) * cosine);
}

Status CosGradient(GradContext& c) {
  const Start s(c);
  const Output x = Conj(c.input(0), {}, s.where);
  const Output negative = -s.At(s.grad);
  const Output sine = Sin(x, {}, s.where);
  return Set(c, s.At(negative) * sine);
}

Status TanGradient(GradContext& c) {
  const Start s(c);
  const Output cosine = Cos(Conj(c.input(0), {}, s.where), {}, s.where);
  const Output secant2 = Square(Reciprocal(cosine, {}, s.where), {}, s.where);
  return Set(c, s.At(secant2) * s.grad);
}

namespace {

// sqrt(1 - x^2) inverted.
Output InverseRootOfOneMinusSquare(GradContext& c, const Start& s) {
  const Output square = Square(Conj(c.input(0), {}, s.where), {}, s.where);
  const Output one = s.Constant(1);
  const Output root = Sqrt(Sub(one, square, {}, s.where), {}, s.where);
  return Reciprocal(root, {}, s.where);
}

}  // namespace

Status AsinGradient(GradContext& c) {
  const Start s(c);
  const Output inverse = InverseRootOfOneMinusSquare(c, s);
  return Set(c, s.At(s.grad) * inverse);
}

Status AcosGradient(GradContext& c) {
  const Start s(c);
  const Output inverse = InverseRootOfOneMinusSquare(c, s);
  const Output negative = -s.At(s.grad);
  return Set(c, s.At(negative) * inverse);
}

Status AtanGradient(GradContext& c) {
  const Start s(c);
  const Output square = Square(Conj(c.input(0), {}, s.where), {}, s.where);
  const Output one = s.Constant(1);
  const Output inverse = Reciprocal(Add(one, square, {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) * inverse);
}

Status SinhGradient(GradContext& c) {
  const Start s(c);
  const Output cosh = Cosh(Conj(c.input(0), {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) * cosh);
}

Status CoshGradient(GradContext& c) {
  const Start s(c);
  const Output sinh = Sinh(Conj(c.input(0), {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) * sinh);
}

Status AsinhGradient(GradContext& c) {
  const Start s(c);
  const Output cosh = Cosh(Conj(c.output(0), {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) / cosh);
}

Status AcoshGradient(GradContext& c) {
  const Start s(c);
  const Output sinh = Sinh(Conj(c.output(0), {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) / sinh);
}

Status AtanhGradient(GradContext& c) {
  const Start s(c);
  const Output square = Square(Conj(c.input(0), {}, s.where), {}, s.where);
  const Output one = s.Constant(1);
  const Output inverse = Reciprocal(Sub(one, square, {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) * inverse);
}

namespace {

Status ErrorFunctionGradient(GradContext& c, double sign) {
  const Output factor = ConstScalar(c.graph(), sign * 2 / std::sqrt(std::numbers::pi),
                                    c.grad().value_dtype(), {}, c.where());
  const Start s(c);
  const Output x = Conj(c.input(0), {}, s.where);
  const Output scaled = s.At(s.grad) * factor;
  const Output bell = Exp(-s.At(Square(x, {}, s.where)), {}, s.where);
  return Set(c, s.At(scaled) * bell);
}

}  // namespace

Status ErfGradient(GradContext& c) {
  return ErrorFunctionGradient(c, 1);
}
Status ErfcGradient(GradContext& c) {
  return ErrorFunctionGradient(c, -1);
}

Status LgammaGradient(GradContext& c) {
  const Start s(c);
  const Output digamma = Digamma(Conj(c.input(0), {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) * digamma);
}

Status DigammaGradient(GradContext& c) {
  const Start s(c);
  const Output slope = Polygamma(s.Constant(1), Conj(c.input(0), {}, s.where), {}, s.where);
  return Set(c, s.At(s.grad) * slope);
}

// Gradients of the gradient ops: input 0 is the result a of the function, input 1 the gradient b
// that flowed into it.

Status SigmoidGradGradient(GradContext& c) {
  const Start s(c);
  const Output a = Conj(c.input(0), {}, s.where), b = Conj(c.input(1), {}, s.where);
  const Output gb = s.At(s.grad) * b;
  const Output twice = s.At(2.0) * gb;
  const Output product = s.At(twice) * a;
  c.Set(0, s.At(gb) - product);
  c.Set(1, SigmoidGrad(a, s.grad, {}, s.where));
  return absl::OkStatus();
}

Status TanhGradGradient(GradContext& c) {
  const Start s(c);
  const Output a = Conj(c.input(0), {}, s.where), b = Conj(c.input(1), {}, s.where);
  const Output scaled = s.At(s.grad) * -2.0;
  const Output product = s.At(scaled) * b;
  c.Set(0, s.At(product) * a);
  c.Set(1, TanhGrad(a, s.grad, {}, s.where));
  return absl::OkStatus();
}

Status SqrtGradGradient(GradContext& c) {
  const Start s(c);
  const Output ga = s.At(s.grad) / c.input(0);
  const Output negative = -s.At(Conj(ga, {}, s.where));
  c.Set(0, s.At(negative) * c.output(0));
  c.Set(1, s.At(0.5) * ga);
  return absl::OkStatus();
}

Status RsqrtGradGradient(GradContext& c) {
  const Start s(c);
  const Output ca = Conj(c.input(0), {}, s.where), cg = Conj(s.grad, {}, s.where);
  const Output scaled = s.At(-1.5) * cg;
  const Output product = s.At(scaled) * c.input(1);
  const Output square = Square(ca, {}, s.where);
  c.Set(0, s.At(product) * square);
  c.Set(1, RsqrtGrad(ca, s.grad, {}, s.where));
  return absl::OkStatus();
}

Status ReciprocalGradGradient(GradContext& c) {
  const Start s(c);
  const Output ca = Conj(c.input(0), {}, s.where), cg = Conj(s.grad, {}, s.where);
  const Output scaled = s.At(cg) * -2.0;
  const Output product = s.At(scaled) * c.input(1);
  c.Set(0, s.At(product) * ca);
  c.Set(1, ReciprocalGrad(ca, s.grad, {}, s.where));
  return absl::OkStatus();
}

}  // namespace headrace
