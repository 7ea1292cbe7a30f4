#include "headrace/ops/math/complex.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/math/unary.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;
using C = std::complex<float>;

const Tensor kZ = Tensor::Of<C>({C(3, -4), C(0, 2), C(-1, 0.5f)});

TEST(Complex, PartsMakeTheWholeAndBack) {
  CheckOp({.op = "Complex",
           .attrs = {{"Tout", DType::kComplex64}},
           .inputs = {Tensor::Of<float>({3, 0, -1}), Tensor::Of<float>({-4, 2, 0.5f})},
           .expected = {kZ},
           .gradient_of = {{}}});
  CheckOp({.op = "Complex",
           .attrs = {{"Tout", DType::kComplex64}},
           .inputs = {Tensor::Of<float>({3, 0}), Tensor::Scalar(1.0f)},
           .expected = {Tensor::Of<C>({C(3, 1), C(0, 1)})},
           .gradient_of = {{}}});
  CheckOp({.op = "Real", .inputs = {kZ}, .expected = {Tensor::Of<float>({3, 0, -1})}});
  CheckOp({.op = "Imag", .inputs = {kZ}, .expected = {Tensor::Of<float>({-4, 2, 0.5f})}});
  CheckOp({.op = "Conj",
           .inputs = {kZ},
           .expected = {Tensor::Of<C>({C(3, 4), C(0, -2), C(-1, -0.5f)})},
           .dtypes = DTypeSet(DType::kComplex128)});
  CheckOp({.op = "ComplexAbs",
           .inputs = {kZ},
           .expected = {Tensor::Of<float>({5, 2, std::sqrt(1.25f)})}});
  CheckOp({.op = "Angle",
           .inputs = {kZ},
           .expected = {Tensor::Of<float>(
               {std::atan2(-4.0f, 3.0f), std::atan2(2.0f, 0.0f), std::atan2(0.5f, -1.0f)})}});
}

TEST(Complex, RefusesPartsOfAnotherPrecision) {
  CheckOpError({.op = "Real",
                .attrs = {{"Tout", DType::kFloat64}},
                .inputs = {kZ},
                .text = "the parts of complex64 are float32"});
}

// Gradients flow through complex numbers: of real functions of real inputs, against differences.
void CheckThrough(Output (*f)(Output z)) {
  CheckOp({.build =
               [f](Graph&, const std::vector<Output>& in) {
                 return std::vector<Output>{f(Complex(in[0], in[1]))};
               },
           .inputs = {RandomTensor(DType::kFloat64, {4}, 0.3, 1.5, 1),
                      RandomTensor(DType::kFloat64, {4}, 0.3, 1.5, 2)}});
}

TEST(Complex, HasGradients) {
  CheckThrough([](Output z) { return Real(z); });
  CheckThrough([](Output z) { return Imag(z); });
  CheckThrough([](Output z) { return Abs(z); });
  CheckThrough([](Output z) { return Imag(Conj(z)); });
  CheckThrough([](Output z) { return Real(Square(z)); });
  CheckThrough([](Output z) { return Imag(Exp(z)); });
  CheckThrough([](Output z) { return Real(Log(z)); });
  CheckThrough([](Output z) { return Imag(Sqrt(z)); });
  CheckThrough([](Output z) { return Real(Rsqrt(z)); });
  CheckThrough([](Output z) { return Imag(Reciprocal(z)); });
  CheckThrough([](Output z) { return Real(Tanh(z)); });
  CheckThrough([](Output z) { return Imag(Sigmoid(z)); });
  CheckThrough([](Output z) { return Real(Sin(z)); });
  CheckThrough([](Output z) { return Imag(Cos(z)); });
}

TEST(ComplexFunctions, MatchTheStandardLibrary) {
  using D = std::complex<double>;
  const Tensor z = Tensor::Of<D>({D(0.5, -0.25), D(-0.3, 0.7), D(0.1, 0.2)});
  const auto check = [&](const char* op, D (*f)(const D&)) {
    Tensor expected(DType::kComplex128, {3});
    for (int i = 0; i < 3; ++i) expected.data<D>()[i] = f(z.data<D>()[i]);
    CheckOp({.op = op,
             .inputs = {z},
             .expected = {expected},
             .tolerance = 1e-12,
             .dtypes = DTypeSet(DType::kComplex64)});
  };
  check("Neg", [](const D& x) { return -x; });
  check("Sign", [](const D& x) { return x / std::abs(x); });
  check("Square", [](const D& x) { return x * x; });
  check("Sqrt", [](const D& x) { return std::sqrt(x); });
  check("Rsqrt", [](const D& x) { return 1.0 / std::sqrt(x); });
  check("Reciprocal", [](const D& x) { return 1.0 / x; });
  check("Exp", [](const D& x) { return std::exp(x); });
  check("Expm1", [](const D& x) { return std::exp(x) - 1.0; });
  check("Log", [](const D& x) { return std::log(x); });
  check("Log1p", [](const D& x) { return std::log(1.0 + x); });
  check("Sigmoid", [](const D& x) { return 1.0 / (1.0 + std::exp(-x)); });
  check("Tanh", [](const D& x) { return std::tanh(x); });
  check("Sin", [](const D& x) { return std::sin(x); });
  check("Cos", [](const D& x) { return std::cos(x); });
  check("Tan", [](const D& x) { return std::tan(x); });
  check("Sinh", [](const D& x) { return std::sinh(x); });
  check("Cosh", [](const D& x) { return std::cosh(x); });
  check("Asinh", [](const D& x) { return std::asinh(x); });
  check("Acosh", [](const D& x) { return std::acosh(x); });
  check("Atanh", [](const D& x) { return std::atanh(x); });
}

}  // namespace
}  // namespace headrace
