#include "headrace/ops/array/check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/base/strings.h"
#include "headrace/ops/array/check_kernels.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

TEST(CheckNumerics, LetsFiniteNumbersPass) {
  CheckOp({.op = "CheckNumerics",
           .attrs = {{"message", "here"}},
           .inputs = {RandomTensor(DType::kFloat32, {5})},
           .reference = [](const std::vector<Tensor>& in) { return in; },
           .dtypes = kFloatTypes});
  const auto refused = [](const Tensor& x, const char* text) {
    CheckOpError({.op = "CheckNumerics",
                  .attrs = {{"message", "here"}},
                  .inputs = {x},
                  .text = text,
                  .at_build = false});
  };
  refused(Tensor::Of<float>({1, NAN}), "here : Tensor had NaN values");
  refused(Tensor::Of<double>({-INFINITY, 1}), "here : Tensor had Inf values");
  refused(Tensor::Of<float>({INFINITY, NAN}), "here : Tensor had Inf and NaN values");
  refused(Tensor::Of<Half>({Half(1.0f), Half(INFINITY)}), "here : Tensor had Inf values");
  refused(Tensor::Of<BFloat16>({BFloat16(NAN)}), "here : Tensor had NaN values");
}

// The texts are those that TensorFlow 1.15 gave for the same tensors.
TEST(Assert, ShowsTensorsAsTensorFlow) {
  EXPECT_EQ(Summary(Tensor::Of<float>({0, 0, 0, 0, 0, 0}, {2, 3}), 3), "[0 0 0]...");
  EXPECT_EQ(Summary(Tensor::Of<float>({0, 0, 0, 0, 0, 0}, {2, 3}), -1), "[0 0 0][0 0 0]");
  EXPECT_EQ(Summary(Tensor::Scalar(1.5f), 3), "1.5");
  EXPECT_EQ(Summary(Tensor::Of<float>({1.25f, 1e10f, 1e-7f, 123456789.f, 0.1f}), -1),
            "1.25 1e+10 1e-07 123456792 0.1");
  EXPECT_EQ(Summary(Tensor::Of<float>({1.25f, 1e10f, 1e-7f, 123456789.f}), 3),
            "1.25 1e+10 1e-07...");
  EXPECT_EQ(Summary(Tensor(DType::kFloat32, {0, 2}), 3), "");
  EXPECT_EQ(Summary(Tensor::Of<int32_t>({0, 0, 0, 0, 0, 0, 0, 0}, {2, 2, 2}), 3),
            "[[0 0][0...]]...");
  EXPECT_EQ(Summary(Tensor::Of<bool>({true, false}, {1, 2}), 3), "[1 0]");
  EXPECT_EQ(Summary(Tensor::Of<std::string>({"ab\"\n", "x"}), 3), "ab\\\"\\n x");
  EXPECT_EQ(Summary(Tensor::Of<double>({0.1, 1e300}), 3), "0.1 1e+300");
  EXPECT_EQ(Summary(Tensor::Of<float>({NAN, INFINITY, -INFINITY}), 3), "nan inf -inf");
  EXPECT_EQ(Summary(Tensor::Of<Half>({Half(0.1f)}), 3), "0.0999755859");
}

TEST(Assert, FailsTheStepWithTheData) {
  Graph g;
  testing::GraphRunner runner;
  Node* holds = Assert(Const(g, true), {Const(g, 1)});
  Node* fails = Assert(Const(g, false), {Const(g, {1, 2, 3}), Const(g, "why")}, {.summarize = 2});
  EXPECT_TRUE(runner.RunNode(holds).ok());
  const Status status = runner.RunNode(fails);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Message(status).find("assertion failed: [1 2...] [why]"), std::string_view::npos)
      << status;
}

TEST(Print, WritesALineAsOftenAsAsked) {
  Graph g;
  testing::GraphRunner runner;
  const Output x = Const(g, 2.5f);
  const Output printed = Print(x, {x, Const(g, "hi")}, {.message = "x = ", .first_n = 1});
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(runner.Run({printed}).ok());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "x = [2.5][hi]\n");
}

TEST(Print, ShowsNothingOfTensorsWithoutElements) {
  Graph g;
  testing::GraphRunner runner;
  const Output x = Const(g, 1.0f), rows = Const(g, Tensor(DType::kFloat32, Shape{2, 0})),
               columns = Const(g, Tensor(DType::kString, Shape{0, 2}));
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(runner.Run({Print(x, {rows, columns})}).ok());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "[][]\n");
}

TEST(PrintV2, WritesToTheStatedStream) {
  Graph g;
  testing::GraphRunner runner;
  Node* node = PrintV2(Const(g, "hello"), {.output_stream = "stdout", .end = "!\n"});
  ::testing::internal::CaptureStdout();
  EXPECT_TRUE(runner.RunNode(node).ok());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "hello!\n");
}

}  // namespace
}  // namespace headrace
