// Sizes and crops of images; values and gradients against TensorFlow's are in golden_test.cpp too.
#include "headrace/ops/image/resize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/graph/gradients.h"
#include "headrace/ops/image/crop_and_resize.h"
#include "headrace/ops/image/glimpse.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

const DTypeSet kSomeTypes{DType::kUInt8, DType::kInt16, DType::kFloat16, DType::kFloat64};

// Bilinear in float64, with the corners where they are.
testing::Reference BilinearCorners(int64_t rows, int64_t columns) {
  return [=](const std::vector<Tensor>& in) {
    const Shape& s = in[0].shape();
    const std::vector<double> x = testing::ToDoubles(in[0]);
    std::vector<double> y;
    const auto scale = [](int64_t from, int64_t to) {
      return to > 1 ? static_cast<double>(from - 1) / static_cast<double>(to - 1) : 0.0;
    };
    for (int64_t n = 0; n < s[0]; ++n) {
      for (int64_t i = 0; i < rows * columns; ++i) {
        const double v = static_cast<double>(i / columns) * scale(s[1], rows),
                     h = static_cast<double>(i % columns) * scale(s[2], columns);
        for (int64_t c = 0; c < s[3]; ++c) {
          double sum = 0;
          for (int64_t k = 0; k < s[1] * s[2]; ++k) {
            const double dv = std::abs(v - static_cast<double>(k / s[2])),
                         dh = std::abs(h - static_cast<double>(k % s[2]));
            if (dv < 1 && dh < 1)
              sum +=
                  (1 - dv) * (1 - dh) * x[static_cast<size_t>(((n * s[1] * s[2]) + k) * s[3] + c)];
          }
          y.push_back(sum);
        }
      }
    }
    return std::vector{testing::FromDoubles(y, {s[0], rows, columns, s[3]})};
  };
}

TEST(ResizeBilinear, MatchesReference) {
  for (const auto& [rows, columns] : {std::pair(3, 5), {8, 9}, {1, 1}, {4, 7}}) {
    CheckOp({.op = "ResizeBilinear",
             .attrs = {{"align_corners", true}},
             .inputs = {RandomTensor(DType::kFloat32, {2, 4, 7, 3}, 0, 90),
                        Tensor::Of<int32_t>({rows, columns})},
             .constant_inputs = {1},
             .reference = BilinearCorners(rows, columns),
             .tolerance = 2e-5,
             .dtypes = kSomeTypes,
             .shapes = {{{0, 4, 7, 2}, {2}}, {{1, 1, 1, 1}, {2}}, {{1, 5, 2, 4}, {2}}},
             .gradient_of = std::vector<int>{}});
  }
}

// Each gradient op is the transpose of its resizing: <resize(x), y> = <x, gradient(y)>.
TEST(Resize, GradientsAreTransposed) {
  struct Way {
    Output (*resize)(Output, IntArg, ResizeOptions, Location);
    bool nearest;
  };
  for (const Way way :
       {Way{ResizeBilinear, false}, {ResizeBicubic, false}, {ResizeNearestNeighbor, true}}) {
    for (const bool half : {false, true}) {
      for (const bool dynamic : {false, true}) {
        Graph g;
        const PartialShape unknown = PartialShape::OfRank(4);
        const Tensor xv = RandomTensor(DType::kFloat32, {2, 5, 4, 3}),
                     yv = RandomTensor(DType::kFloat32, {2, 3, 9, 3}, -1, 1, 7);
        const Output x = testing::FedTensor(g, DType::kFloat32,
                                            dynamic ? unknown : PartialShape(xv.shape()), "x");
        const Output y = testing::FedTensor(g, DType::kFloat32, yv.shape(), "y");
        const Output resized =
            way.resize(x, {3, 9}, {.half_pixel_centers = half}, Location::Current());
        const std::vector<Gradient> first = Gradients({resized}, {x}, {.grad_ys = {y}});
        ASSERT_TRUE(first[0].connected());
        // The gradient of the gradient by y is the resizing again.
        const std::vector<Gradient> second = Gradients({first[0].dense}, {y}, {.grad_ys = {x}});
        testing::GraphRunner runner;
        const auto values =
            runner.Run({resized, first[0].dense, second[0].dense}, {{x, xv}, {y, yv}});
        ASSERT_TRUE(values.ok()) << values.status();
        const auto dot = [](const Tensor& a, const Tensor& b) {
          const std::vector<double> u = testing::ToDoubles(a), v = testing::ToDoubles(b);
          double sum = 0;
          for (size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
          return sum;
        };
        EXPECT_NEAR(dot((*values)[0], yv), dot(xv, (*values)[1]), 1e-4);
        EXPECT_EQ(testing::Difference((*values)[2], (*values)[0], 1e-6), "");
      }
    }
  }
}

TEST(Resize, RefusesWrongArguments) {
  const Tensor images = RandomTensor(DType::kFloat32, {1, 4, 4, 3}),
               size = Tensor::Of<int32_t>({2, 2});
  for (const char* op :
       {"ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor", "ResizeArea"}) {
    const auto fails = [&](const Tensor& x, const Tensor& s, const char* text, bool build = true) {
      CheckOpError(
          {.op = op, .inputs = {x, s}, .constant_inputs = {1}, .text = text, .at_build = build});
    };
    fails(RandomTensor(DType::kFloat32, {4, 4, 3}), size, "4");
    fails(images, Tensor::Of<int32_t>({2, 2, 2}), "elements of size");
    fails(images, Tensor::Of<int32_t>({0, 2}), "must be positive");
    fails(images, Tensor::Of<int32_t>({2, -1}), "-1");
    fails(RandomTensor(DType::kFloat32, {1, 0, 4, 3}), size, "non-zero size", false);
  }
  CheckOpError({.op = "ResizeBilinear",
                .attrs = {{"align_corners", true}, {"half_pixel_centers", true}},
                .inputs = {images, size},
                .text = "If half_pixel_centers is True, align_corners must be False.",
                .in_step = false});
}

// A result of 2^62 pixels and more is an error of the step, not an allocation.
TEST(Resize, RefusesSizesBeyondMemory) {
  for (const int32_t size : {2147483647, 1 << 20}) {
    Graph g;
    const Output x = testing::FedTensor(g, DType::kFloat32, {1, 1, 1, 4}, "x");
    const Output s = testing::FedTensor(g, DType::kInt32, {2}, "s");
    testing::GraphRunner runner;
    const auto result = runner.Run(
        {ResizeNearestNeighbor(x, s)},
        {{x, RandomTensor(DType::kFloat32, {1, 1, 1, 4})}, {s, Tensor::Of<int32_t>({size, size})}});
    EXPECT_FALSE(result.ok());
  }
}

TEST(CropAndResize, MatchesReference) {
  const Tensor boxes = Tensor::Of<float>({0, 0, 1, 1}, {1, 4}), index = Tensor::Of<int32_t>({0});
  for (const DType type :
       {DType::kUInt8, DType::kInt16, DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    CheckOp(
        {.op = "CropAndResize",
         .inputs = {testing::Converted(RandomTensor(DType::kFloat32, {1, 4, 7, 3}, 0, 90), type),
                    boxes, index, Tensor::Of<int32_t>({3, 5})},
         .constant_inputs = {1, 2, 3},
         .reference = BilinearCorners(3, 5),
         .tolerance = 2e-5,
         .gradient_of = std::vector<int>{}});
  }
}

TEST(CropAndResize, RefusesWrongArguments) {
  const Tensor images = RandomTensor(DType::kFloat32, {2, 4, 4, 3}),
               boxes = RandomTensor(DType::kFloat32, {2, 4}, 0, 1),
               index = Tensor::Of<int32_t>({0, 1}), size = Tensor::Of<int32_t>({2, 2});
  const auto fails = [&](std::vector<Tensor> inputs, const char* text, bool at_build,
                         absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    CheckOpError({.op = "CropAndResize",
                  .inputs = std::move(inputs),
                  .constant_inputs = {3},
                  .code = code,
                  .text = text,
                  .at_build = at_build});
  };
  fails({images, boxes, Tensor::Of<int32_t>({0, 2}), size}, "outside [0, batch_size)", false,
        absl::StatusCode::kOutOfRange);
  fails({images, boxes, Tensor::Of<int32_t>({-1, 0}), size}, "outside [0, batch_size)", false,
        absl::StatusCode::kOutOfRange);
  fails({images, RandomTensor(DType::kFloat32, {2, 3}), index, size}, "columns", true);
  fails({images, boxes, Tensor::Of<int32_t>({0}), size}, "box_ind", true);
  fails({images, boxes, index, Tensor::Of<int32_t>({0, 2})}, "must be positive", true);
}

TEST(ExtractGlimpse, FillsWhatLiesOutside) {
  const Tensor image = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {1, 2, 3, 1});
  const auto check = [&](const char* noise, std::vector<Tensor> expected) {
    CheckOp({.op = "ExtractGlimpse",
             .attrs = {{"normalized", false},
                       {"centered", false},
                       {"uniform_noise", false},
                       {"noise", std::string(noise)}},
             .inputs = {image, Tensor::Of<int32_t>({2, 2}), Tensor::Of<float>({1, 3}, {1, 2})},
             .constant_inputs = {1},
             .expected = std::move(expected),
             .gradient_of = std::vector<int>{}});
  };
  check("zero", {Tensor::Of<float>({3, 0, 6, 0}, {1, 2, 2, 1})});
  for (const char* noise : {"uniform", "gaussian"}) check(noise, {Tensor()});
  CheckOpError({.op = "ExtractGlimpse",
                .attrs = {{"noise", std::string("zero")}},
                .inputs = {image, Tensor::Of<int32_t>({2, 2}), Tensor::Of<float>({1, 3}, {1, 2})},
                .constant_inputs = {1},
                .text = "could not be specified at the same time",
                .at_build = false});
}

}  // namespace
}  // namespace headrace
