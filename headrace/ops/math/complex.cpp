#include "headrace/ops/math/complex.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/math_gradients.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

// complex64 goes with float32, complex128 with float64.
DType PartType(DType complex) {
  return complex == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32;
}
DType WholeType(DType part) {
  return part == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

Status CheckTypes(const AttrMap& attrs, std::string_view complex_attr, std::string_view part_attr) {
  const DType complex = attrs.Get<DType>(complex_attr), part = attrs.Get<DType>(part_attr);
  if (PartType(complex) == part) return absl::OkStatus();
  return InvalidArgument("the parts of ", DTypeName(complex), " are ", DTypeName(PartType(complex)),
                         ", attribute '", part_attr, "' says ", DTypeName(part));
}

Status ComplexShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckTypes(c.attrs(), "Tout", "T"));
  return BroadcastShape(c);
}

Status PartShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckTypes(c.attrs(), "T", "Tout"));
  return SameShapeAsInput(c);
}

Status ComplexGradient(GradContext& c) {
  const Output grad = c.grad();
  const OperandGradients operands(c.input(0), c.input(1), grad,
                                  OperandGradients::Known::kShapesOnly, c.where());
  c.Set(0, operands.Reduce(0, Real(grad, {}, c.where())));
  c.Set(1, operands.Reduce(1, Imag(grad, {}, c.where())));
  return absl::OkStatus();
}

Output Zero(GradContext& c) {
  return ConstScalar(c.graph(), 0, c.grad().value_dtype(), {}, c.where());
}

Status RealGradient(GradContext& c) {
  const Output zero = Zero(c);
  c.Set(0, Complex(c.grad(), zero, {}, c.where()));
  return absl::OkStatus();
}

Status ImagGradient(GradContext& c) {
  const Output zero = Zero(c);
  c.Set(0, Complex(zero, c.grad(), {}, c.where()));
  return absl::OkStatus();
}

Status ConjGradient(GradContext& c) {
  c.Set(0, Conj(c.grad(), {}, c.where()));
  return absl::OkStatus();
}

Status ComplexAbsGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad(), y = c.output(0);
  const Output zeros = ZerosLike(grad, {}, where);
  const Output numerator = Operand(Complex(grad, zeros, {}, where), where) * c.input(0);
  const Output more_zeros = ZerosLike(y, {}, where);
  const Output denominator = Complex(y, more_zeros, {}, where);
  c.Set(0, DivNoNan(numerator, denominator, {.name = "div_no_nan"}, where));
  return absl::OkStatus();
}

Status AngleGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad(), x = c.input(0);
  const ControlDependencies after(c.graph(), {grad});
  const Output re = Real(x, {}, where), im = Imag(x, {}, where);
  const Output z = Reciprocal(Complex(im, re, {}, where), {}, where);
  const Output complex_grad = Complex(grad, Zero(c), {}, where);
  const Output negative = -Operand(complex_grad, where);
  c.Set(0, Operand(negative, where) * z);
  return absl::OkStatus();
}

void DefinePart(OpRegistry& ops, std::string_view name, std::string_view input,
                std::string_view output, GradientFn gradient, std::string_view doc) {
  ops.Define(name)
      .Input(input, "T")
      .Output(output, "Tout")
      .TypeAttr("T", kComplexTypes, DType::kComplex64)
      .TypeAttr("Tout", kFloat32And64, DType::kFloat32)
      .Shape(PartShape)
      .Gradient(gradient)
      .Cpu({.make = MakeUnaryCpu})
      .Gpu({})
      .Doc(doc);
}

Output Part(std::string_view op, Output x, const OpOptions& o, Location where) {
  const DType type = x.valid() ? PartType(x.value_dtype()) : DType::kFloat32;
  return NodeBuilder(op, o.name, where).Input(x).Attr("Tout", type).Build();
}

}  // namespace

Output Complex(Output real, Output imag, OpOptions o, Location where) {
  const DType type = real.valid() ? WholeType(real.value_dtype()) : DType::kComplex64;
  return NodeBuilder("Complex", o.name, where).Input(real).Input(imag).Attr("Tout", type).Build();
}
Output Real(Output x, OpOptions o, Location where) {
  if (x.valid() && !IsComplex(x.value_dtype())) return x;
  return Part("Real", x, o, where);
}
Output Imag(Output x, OpOptions o, Location where) {
  return Part("Imag", x, o, where);
}
Output ComplexAbs(Output x, OpOptions o, Location where) {
  return Part("ComplexAbs", x, o, where);
}
Output Angle(Output x, OpOptions o, Location where) {
  return Part("Angle", x, o, where);
}

Output Conj(Output x, OpOptions o, Location where) {
  if (x.valid() && !IsComplex(x.value_dtype()) && x.value_dtype() != DType::kVariant) return x;
  return NodeBuilder("Conj", o.name, where).Input(x).Build();
}

void DefineComplex(OpRegistry& ops) {
  ops.Define("Complex")
      .Input("real", "T")
      .Input("imag", "T")
      .Output("out", "Tout")
      .TypeAttr("T", kFloat32And64, DType::kFloat32)
      .TypeAttr("Tout", kComplexTypes, DType::kComplex64)
      .Shape(ComplexShape)
      .Gradient(ComplexGradient)
      .Cpu({.make = MakeBinaryCpu})
      .Gpu({})
      .Doc("A complex number of its parts.");
  DefinePart(ops, "Real", "input", "output", RealGradient, "The real part.");
  DefinePart(ops, "Imag", "input", "output", ImagGradient, "The imaginary part.");
  DefinePart(ops, "ComplexAbs", "x", "y", ComplexAbsGradient,
             "Absolute value of a complex number.");
  DefinePart(ops, "Angle", "input", "output", AngleGradient,
             "The angle of a complex number in radians.");
  ops.Define("Conj")
      .Input("input", "T")
      .Output("output", "T")
      .TypeAttr("T", kComplexTypes | DTypeSet(DType::kVariant), DType::kComplex64)
      .Shape(SameShapeAsInput)
      .Gradient(ConjGradient)
      .InPlace(0, 0)
      .Cpu({.types = {{"T", kComplexTypes}}, .make = MakeUnaryCpu})
      .Gpu({.types = {{"T", kComplexTypes}}})
      .Doc("The complex conjugate.");
}

}  // namespace headrace
