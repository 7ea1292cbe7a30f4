#include "headrace/ops/linalg/fft.h"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "headrace/ops/linalg/known_shapes_test.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::CheckShapes;
using testing::KnownShapeGradientDifference;
using testing::RandomTensor;
using C = std::complex<double>;
using Outputs = std::vector<Output>;

// The sum that defines the transform, along the last dimension.
Tensor Defined(const Tensor& x, bool inverse) {
  const Tensor wide = testing::Converted(x, DType::kComplex128);
  const int64_t n = x.dim(x.rank() - 1);
  Tensor y(DType::kComplex128, x.shape());
  for (int64_t at = 0; at < x.num_elements(); ++at) {
    const int64_t k = at % n, row = at - k;
    C sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      const double turn = static_cast<double>(j * k % n) / static_cast<double>(n);
      sum +=
          wide.data<C>()[row + j] * std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * turn);
    }
    y.data<C>()[at] = inverse ? sum / static_cast<double>(n) : sum;
  }
  return y;
}

TEST(FFT, IsTheSumThatDefinesIt) {
  // Radices 2 to 13, primes (also large ones) and their products, powers.
  for (int64_t n : {1,  2,  3,  4,  5,   6,   7,   8,   11,  12,  13,  16,  17,  19,  30,
                    34, 60, 64, 97, 101, 121, 143, 210, 251, 256, 289, 499, 512, 1009}) {
    SCOPED_TRACE(n);
    for (DType dtype : {DType::kComplex64, DType::kComplex128}) {
      const Tensor x = RandomTensor(dtype, {2, n}, -1, 1, static_cast<uint64_t>(n));
      const double tolerance = dtype == DType::kComplex64 ? 2e-5 : 1e-12;
      CheckOp(
          {.op = "FFT", .inputs = {x}, .expected = {Defined(x, false)}, .tolerance = tolerance});
      CheckOp(
          {.op = "IFFT", .inputs = {x}, .expected = {Defined(x, true)}, .tolerance = tolerance});
    }
  }
}

TEST(FFT, TakesEmptyTensors) {
  for (const char* op : {"FFT", "IFFT2D", "FFT3D"}) {
    CheckShapes(op, DType::kComplex64, {{{2, 3, 0}}, {{0, 3, 2}}, {{1, 1, 1}}, {{2, 0, 3}}});
  }
  CheckOpError({.op = "FFT2D",
                .inputs = {RandomTensor(DType::kComplex64, {3})},
                .text = "Input must have rank of at least 2 but got: [3]"});
}

TEST(FFT, InverseGivesTheInputBack) {
  const Tensor x = RandomTensor(DType::kComplex128, {2, 3, 10, 17});
  const auto check = [&](Output (*forward)(Output), Output (*back)(Output)) {
    CheckOp({.build = [&](Graph&, const Outputs& in) { return Outputs{back(forward(in[0]))}; },
             .inputs = {x},
             .expected = {x},
             .tolerance = 1e-13});
  };
  check([](Output z) { return FFT(z); }, [](Output z) { return IFFT(z); });
  check([](Output z) { return FFT2D(z); }, [](Output z) { return IFFT2D(z); });
  check([](Output z) { return FFT3D(z); }, [](Output z) { return IFFT3D(z); });
}

TEST(FFT, HasGradients) {
  const auto check = [](Output (*f)(Output)) {
    CheckOp({.build =
                 [f](Graph&, const Outputs& in) {
                   const Output y = f(Complex(in[0], in[1]));
                   return Outputs{Real(y), Imag(y)};
                 },
             .inputs = {RandomTensor(DType::kFloat64, {2, 2, 3}),
                        RandomTensor(DType::kFloat64, {2, 2, 3}, -1, 1, 2)}});
  };
  check([](Output z) { return FFT(z); });
  check([](Output z) { return IFFT(z); });
  check([](Output z) { return FFT2D(z); });
  check([](Output z) { return IFFT2D(z); });
  check([](Output z) { return FFT3D(z); });
  check([](Output z) { return IFFT3D(z); });
}

TEST(RFFT, IsHalfOfTheComplexTransform) {
  for (int64_t n : {1, 2, 3, 4, 5, 8, 9, 17, 30, 34, 64, 97, 101, 128, 210}) {
    SCOPED_TRACE(n);
    const Tensor x = RandomTensor(DType::kFloat32, {3, n});
    const Tensor whole = Defined(x, false);
    Tensor half(DType::kComplex128, {3, n / 2 + 1});
    for (int64_t i = 0; i < half.num_elements(); ++i)
      half.data<C>()[i] = whole.data<C>()[i / (n / 2 + 1) * n + i % (n / 2 + 1)];
    const Tensor length = Tensor::Of<int32_t>({static_cast<int32_t>(n)});
    CheckOp({.op = "RFFT",
             .inputs = {x, length},
             .constant_inputs = {1},
             .expected = {half},
             .tolerance = 1e-5,
             .gradient_of = {{}}});
    CheckOp({.op = "IRFFT",
             .inputs = {testing::Converted(half, DType::kComplex64), length},
             .constant_inputs = {1},
             .expected = {x},
             .tolerance = 5e-6,
             .gradient_of = {{}}});
  }
}

TEST(RFFT, InverseGivesTheInputBackInMoreDimensions) {
  const Tensor x = RandomTensor(DType::kFloat32, {2, 3, 4, 5});
  CheckOp({.build =
               [](Graph&, const Outputs& in) {
                 return Outputs{IRFFT2D(RFFT2D(in[0]), {.fft_length = IntArg({4, 5})}),
                                IRFFT3D(RFFT3D(in[0]), {.fft_length = IntArg({3, 4, 5})})};
               },
           .inputs = {x},
           .expected = {x, x},
           .tolerance = 3e-6,
           .gradient_of = {{}},
           .static_shape = false});
}

TEST(RFFT, HasGradients) {
  const auto check = [](Shape shape, Outputs (*f)(const Output& x)) {
    CheckOp({.build = [f](Graph&, const Outputs& in) { return f(in[0]); },
             .inputs = {RandomTensor(DType::kFloat32, shape)},
             .gradient_tolerance = 3e-3,
             .gradient_dtype = DType::kFloat32,
             .gradient_step = 0.25,
             .static_shape = false});
  };
  const auto parts = [](Output y) { return Outputs{Real(y), Imag(y)}; };
  static const auto kParts = parts;
  check({2, 4}, [](const Output& x) { return kParts(RFFT(x, {.fft_length = IntArg({4})})); });
  check({2, 5}, [](const Output& x) { return kParts(RFFT(x, {.fft_length = IntArg({5})})); });
  check({2, 3, 4}, [](const Output& x) {
    return kParts(RFFT2D(x, {.fft_length = IntArg({3, 4})}));
  });
  check({2, 4, 3}, [](const Output& x) {
    return kParts(RFFT2D(x, {.fft_length = IntArg({4, 3})}));
  });
  check({2, 3},
        [](const Output& x) { return Outputs{IRFFT(Complex(x, x), {.fft_length = IntArg({4})})}; });
  check({2, 3},
        [](const Output& x) { return Outputs{IRFFT(Complex(x, x), {.fft_length = IntArg({5})})}; });
  check({3, 3}, [](const Output& x) {
    return Outputs{IRFFT2D(Complex(x, x), {.fft_length = IntArg({3, 4})})};
  });
}

TEST(RFFT, RefusesLengthsThatDoNotFit) {
  const Tensor x = RandomTensor(DType::kFloat32, {3});
  const auto refuse = [&](const Tensor& length, const char* text) {
    CheckOpError({.op = "RFFT", .inputs = {x, length}, .constant_inputs = {1}, .text = text});
  };
  refuse(Tensor::Of<int32_t>({5}), "Input dimension 0 must have length of at least 5 but got: 3");
  refuse(Tensor::Of<int32_t>({-2}), "fft_length[0] must be >= 0, but got: -2");
  refuse(Tensor::Scalar<int32_t>(3), "fft_length must have shape [1]");
  refuse(Tensor::Of<int32_t>({3, 3}), "fft_length must have shape [1]");
  CheckOp({.op = "RFFT",
           .inputs = {x, Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {Tensor(DType::kComplex64, Shape{0})},
           .gradient_of = {{}}});
  CheckOp({.op = "RFFT",
           .inputs = {Tensor(DType::kFloat32, Shape{0}), Tensor::Of<int32_t>({4})},
           .constant_inputs = {1},
           .expected = {testing::FromDoubles({0, 0, 0}, {3})},
           .gradient_of = {{}}});
}

TEST(FFT, HasItsOldNames) {
  const Tensor x = RandomTensor(DType::kComplex64, {2, 3});
  CheckOp({.op = "BatchFFT", .inputs = {x}, .expected = {Defined(x, false)}, .tolerance = 1e-5});
  CheckOp({.op = "BatchIFFT", .inputs = {x}, .expected = {Defined(x, true)}, .tolerance = 1e-5});
}

}  // namespace
}  // namespace headrace
