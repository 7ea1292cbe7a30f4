#include "headrace/ops/math/unary.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/math_gradients.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

struct Function {
  std::string_view name;
  DTypeSet allowed, cpu, gpu;
  bool int32_on_host;   // GPU devices take int32 with arguments in host memory
  GradientFn gradient;  // null: there is none, without an error
  std::string_view doc;
};

constexpr DTypeSet kAbsTypes =
    kFloatTypes | DTypeSet{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
constexpr DTypeSet kFloat32And64AndComplex = kFloat32And64 | kComplexTypes;
constexpr DTypeSet kGpuNegTypes = kGpuFloatsAndComplex | DTypeSet(DType::kInt64);

constexpr Function kFunctions[] = {
    {"Abs", kAbsTypes, kAbsTypes, kGpuFloatsAndInt64, true, AbsGradient, "Absolute value."},
    {"Neg", kFloatsIndexComplex, kFloatsIndexComplex, kGpuNegTypes, true, NegGradient, "-x."},
    {"Sign", kFloatsIndexComplex, kIeeeIndexComplex, kGpuNegTypes, true, SignGradient,
     "-1, 0 or 1; x / |x| of complex x."},
    {"Square", kFloatsIndexComplex, kFloatsIndexComplex, kGpuFloatsAndInt64, true, SquareGradient,
     "x * x."},
    {"Sqrt", kFloatsAndComplex, kFloatsAndComplex, kGpuFloatTypes, false, SqrtGradient,
     "Square root."},
    {"Rsqrt", kFloatsAndComplex, kIeeeAndComplex, kGpuFloatTypes, false, RsqrtGradient,
     "1 / sqrt(x)."},
    {"Inv", kFloatsIndexComplex, kIeeeAndComplex, kGpuFloatsAndInt64, false, ReciprocalGradient,
     "1 / x."},
    {"Reciprocal", kFloatsIndexComplex, kIeeeAndComplex, kGpuFloatsAndInt64, false,
     ReciprocalGradient, "1 / x."},
    {"Exp", kFloatsAndComplex, kIeeeAndComplex, kGpuFloatTypes, false, ExpGradient,
     "e to the power x."},
    {"Expm1", kFloatsAndComplex, kIeeeAndComplex, kGpuFloatTypes, false, Expm1Gradient,
     "exp(x) - 1, exact near 0."},
    {"Log", kFloatsAndComplex, kFloatsAndComplex, kGpuFloatTypes, false, LogGradient,
     "Natural logarithm."},
    {"Log1p", kFloatsAndComplex, kIeeeAndComplex, kGpuFloatTypes, false, Log1pGradient,
     "log(1 + x), exact near 0."},
    {"Sigmoid", kFloatsAndComplex, kIeeeAndComplex, kGpuFloatTypes, false, SigmoidGradient,
     "1 / (1 + exp(-x))."},
    {"Tanh", kFloatsAndComplex, kIeeeAndComplex, kGpuFloatTypes, false, TanhGradient,
     "Hyperbolic tangent."},
    {"Sin", kFloatsAndComplex, kIeeeAndComplex, kGpuFloatTypes, false, SinGradient, "Sine."},
    {"Cos", kFloatsAndComplex, kIeeeAndComplex, kGpuFloatTypes, false, CosGradient, "Cosine."},
    {"Tan", kFloatsIndexComplex, kIeeeAndComplex, kGpuFloatTypes, false, TanGradient, "Tangent."},
    {"Asin", kFloatsIndexComplex, kFloat32And64, kFloat32And64, false, AsinGradient, "Arc sine."},
    {"Acos", kFloatsIndexComplex, kFloat32And64, kFloat32And64, false, AcosGradient, "Arc cosine."},
    {"Atan", kFloatsIndexComplex, kFloat32And64, kFloat32And64, false, AtanGradient,
     "Arc tangent."},
    {"Sinh", kFloatsAndComplex, kFloat32And64AndComplex, kFloat32And64, false, SinhGradient,
     "Hyperbolic sine."},
    {"Cosh", kFloatsAndComplex, kFloat32And64AndComplex, kFloat32And64, false, CoshGradient,
     "Hyperbolic cosine."},
    {"Asinh", kFloatsAndComplex, kFloat32And64AndComplex, kFloat32And64, false, AsinhGradient,
     "Inverse hyperbolic sine."},
    {"Acosh", kFloatsAndComplex, kFloat32And64AndComplex, kFloat32And64, false, AcoshGradient,
     "Inverse hyperbolic cosine."},
    {"Atanh", kFloatsAndComplex, kFloat32And64AndComplex, kFloat32And64, false, AtanhGradient,
     "Inverse hyperbolic tangent."},
    {"Erf", kFloatTypes, kIeeeFloats, kGpuFloatTypes, false, ErfGradient, "Gauss error function."},
    {"Erfc", kFloatTypes, kIeeeFloats, kGpuFloatTypes, false, ErfcGradient, "1 - erf(x)."},
    {"Lgamma", kFloatTypes, kIeeeFloats, kGpuFloatTypes, false, LgammaGradient, "log(|gamma(x)|)."},
    {"Digamma", kFloatTypes, kIeeeFloats, kGpuFloatTypes, false, DigammaGradient,
     "Derivative of Lgamma."},
    {"Ceil", kFloatTypes, kIeeeFloats, kGpuFloatTypes, false, nullptr, "Rounds up."},
    {"Floor", kFloatTypes, kIeeeFloats, kGpuFloatTypes, false, nullptr, "Rounds down."},
    {"Round", kFloatsIndexComplex, kIeeeFloats | kSignedIndex, kGpuFloatTypes | kSignedIndex, false,
     nullptr, "Rounds to the nearest whole number, halves to even."},
    {"Rint", kFloatTypes, kFloat32And64, kFloat32And64, false, nullptr,
     "Rounds to the nearest whole number, halves to even."},
};

void DefineFunction(OpRegistry& ops, const Function& f) {
  OpDef& def = ops.Define(f.name);
  def.Input("x", "T")
      .Output("y", "T")
      .TypeAttr("T", f.allowed)
      .Shape(SameShapeAsInput)
      .InPlace(0, 0)
      .Doc(f.doc);
  def.Cpu({.types = {{"T", f.cpu}}, .make = MakeUnaryCpu}).Gpu({.types = {{"T", f.gpu}}});
  if (f.int32_on_host) def.Gpu({.types = {{"T", kOnlyInt32}}, .host_args = {"x", "y"}});
  f.gradient == nullptr ? def.NoGradient() : def.Gradient(f.gradient);
}

void DefineTest(OpRegistry& ops, std::string_view name, DTypeSet cpu, std::string_view doc) {
  ops.Define(name)
      .Input("x", "T")
      .Output("y", "bool")
      .TypeAttr("T", kFloatTypes)
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Cpu({.types = {{"T", cpu}}, .make = MakeUnaryCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc(doc);
}

void DefineGradient(OpRegistry& ops, std::string_view name, DTypeSet cpu, GradientFn gradient,
                    std::string_view doc) {
  ops.Define(name)
      .Input("y", "T")
      .Input("dy", "T")
      .Output("z", "T")
      .TypeAttr("T", kFloatsAndComplex)
      .Shape(MergedInputShape)
      .Gradient(gradient)
      .InPlace(0, 0)
      .InPlace(0, 1)
      .Cpu({.types = {{"T", cpu}}, .make = MakeSameShapeBinaryCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc(doc);
}

}  // namespace

void DefineUnary(OpRegistry& ops) {
  for (const Function& f : kFunctions) DefineFunction(ops, f);
  DefineTest(ops, "IsNan", kFloatTypes, "Where x is not a number.");
  DefineTest(ops, "IsInf", kIeeeFloats, "Where x is infinite.");
  DefineTest(ops, "IsFinite", kIeeeFloats, "Where x is a number and not infinite.");
  ops.Define("LogicalNot")
      .Input("x", "bool")
      .Output("y", "bool")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .InPlace(0, 0)
      .Cpu({.make = MakeUnaryCpu})
      .Gpu({})
      .Doc("Not x.");
  DefineGradient(ops, "SigmoidGrad", kIeeeAndComplex, SigmoidGradGradient, "dy * y * (1 - y).");
  DefineGradient(ops, "TanhGrad", kIeeeAndComplex, TanhGradGradient, "dy * (1 - y * y).");
  DefineGradient(ops, "SqrtGrad", kFloatsAndComplex, SqrtGradGradient, "dy * 0.5 / conj(y).");
  DefineGradient(ops, "RsqrtGrad", kIeeeAndComplex, RsqrtGradGradient, "dy * -0.5 * conj(y)^3.");
  DefineGradient(ops, "InvGrad", kIeeeAndComplex, ReciprocalGradGradient, "-dy * conj(y)^2.");
  DefineGradient(ops, "ReciprocalGrad", kIeeeAndComplex, ReciprocalGradGradient,
                 "-dy * conj(y)^2.");
}

#define HR_UNARY_BUILDER_(NAME)                                \
  Output NAME(Output x, OpOptions o, Location where) {         \
    return NodeBuilder(#NAME, o.name, where).Input(x).Build(); \
  }
HR_UNARY_BUILDER_(Neg)
HR_UNARY_BUILDER_(Sign)
HR_UNARY_BUILDER_(Square)
HR_UNARY_BUILDER_(Sqrt)
HR_UNARY_BUILDER_(Rsqrt)
HR_UNARY_BUILDER_(Inv)
HR_UNARY_BUILDER_(Reciprocal)
HR_UNARY_BUILDER_(Exp)
HR_UNARY_BUILDER_(Expm1)
HR_UNARY_BUILDER_(Log)
HR_UNARY_BUILDER_(Log1p)
HR_UNARY_BUILDER_(Sigmoid)
HR_UNARY_BUILDER_(Tanh)
HR_UNARY_BUILDER_(Sin)
HR_UNARY_BUILDER_(Cos)
HR_UNARY_BUILDER_(Tan)
HR_UNARY_BUILDER_(Asin)
HR_UNARY_BUILDER_(Acos)
HR_UNARY_BUILDER_(Atan)
HR_UNARY_BUILDER_(Sinh)
HR_UNARY_BUILDER_(Cosh)
HR_UNARY_BUILDER_(Asinh)
HR_UNARY_BUILDER_(Acosh)
HR_UNARY_BUILDER_(Atanh)
HR_UNARY_BUILDER_(Erf)
HR_UNARY_BUILDER_(Erfc)
HR_UNARY_BUILDER_(Lgamma)
HR_UNARY_BUILDER_(Digamma)
HR_UNARY_BUILDER_(Ceil)
HR_UNARY_BUILDER_(Floor)
HR_UNARY_BUILDER_(Round)
HR_UNARY_BUILDER_(Rint)
HR_UNARY_BUILDER_(IsNan)
HR_UNARY_BUILDER_(IsInf)
HR_UNARY_BUILDER_(IsFinite)
HR_UNARY_BUILDER_(LogicalNot)
#undef HR_UNARY_BUILDER_

Output Abs(Output x, OpOptions o, Location where) {
  if (x.valid() && IsComplex(x.value_dtype())) {
    return ComplexAbs(x, {.name = o.name.empty() ? "Abs" : o.name}, where);
  }
  return NodeBuilder("Abs", o.name, where).Input(x).Build();
}

#define HR_GRADIENT_BUILDER_(NAME)                                       \
  Output NAME(Output y, Output dy, OpOptions o, Location where) {        \
    return NodeBuilder(#NAME, o.name, where).Input(y).Input(dy).Build(); \
  }
HR_GRADIENT_BUILDER_(SigmoidGrad)
HR_GRADIENT_BUILDER_(TanhGrad)
HR_GRADIENT_BUILDER_(SqrtGrad)
HR_GRADIENT_BUILDER_(RsqrtGrad)
HR_GRADIENT_BUILDER_(InvGrad)
HR_GRADIENT_BUILDER_(ReciprocalGrad)
#undef HR_GRADIENT_BUILDER_

}  // namespace headrace
