// The harness must fail for every kind of broken op: each of these ops breaks one promise.
#include "headrace/ops/testing/op_harness.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"

namespace headrace::testing {
namespace {

constexpr DTypeSet kWide{DType::kFloat32, DType::kFloat64};

// y = 3 x.
template <class Body>
void ForEach(const Tensor& x, Tensor& y, Body body) {
  if (x.dtype() == DType::kFloat32) {
    for (int64_t i = 0; i < x.num_elements(); ++i)
      y.data<float>()[i] = static_cast<float>(body(i, x.data<float>()[i]));
  } else {
    for (int64_t i = 0; i < x.num_elements(); ++i)
      y.data<double>()[i] = body(i, x.data<double>()[i]);
  }
}

Status Triple(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, ctx.input(0).shape()));
  ForEach(ctx.input(0), *y, [](int64_t, double x) { return 3 * x; });
  return absl::OkStatus();
}
// Clears its output before it reads its input.
Status TripleNotInPlace(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, ctx.input(0).shape()));
  std::memset(y->raw_data(), 0, y->size_bytes());
  ForEach(ctx.input(0), *y, [](int64_t, double x) { return 3 * x; });
  return absl::OkStatus();
}
// Leaves the last element as it was.
Status TripleButTheLast(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
  for (int64_t i = 0; i + 1 < x.num_elements(); ++i) y->data<float>()[i] = 3 * x.data<float>()[i];
  return absl::OkStatus();
}
Status CountThreads(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, ctx.input(0).shape()));
  ForEach(ctx.input(0), *y, [&](int64_t, double x) { return 3 * x + ctx.workers().size() * 1e-3; });
  return absl::OkStatus();
}
Status Refuse(KernelContext&) {
  return InvalidArgument("never works");
}

Status TwiceAsLong(ShapeContext& c) {
  PartialShape shape = c.input(0);
  if (shape.rank() > 0 && shape[0] > 0) shape.set_dim(0, 2 * shape[0]);
  return c.SetOutput(0, shape);
}

Status ThreeGradient(GradContext& c) {
  const Output three = NodeBuilder(c.graph(), "Const", "", c.where())
                           .Attr("dtype", c.grad().value_dtype())
                           .Attr("value", FromDoubles({3}, Shape(), c.grad().value_dtype()))
                           .Build();
  c.Set(0, NodeBuilder("Mul", "", c.where()).Input(c.grad()).Input(three).Build());
  return absl::OkStatus();
}
Status WrongGradient(GradContext& c) {
  c.Set(0, c.grad());
  return absl::OkStatus();
}

using Compute = Status (*)(KernelContext&);

template <Compute kCompute>
OpDef& DefineTriple(std::string_view name, ShapeFn shape = SameShapeAsInput,
                    GradientFn gradient = ThreeGradient) {
  return OpRegistry::Global()
      .Define(name)
      .Input("x", "T")
      .Output("y", "T")
      .TypeAttr("T", kWide)
      .Shape(shape)
      .Gradient(gradient)
      .Cpu({.make = MakeFunctionKernel<kCompute>});
}

void DefineOps() {
  if (OpRegistry::Global().Find("_Triple") != nullptr) return;
  DefineTriple<Triple>("_Triple").InPlace(0, 0).Gpu({});
  DefineTriple<Triple>("_WrongShape", TwiceAsLong);
  DefineTriple<Triple>("_UnknownShape", NoShape);
  DefineTriple<Triple>("_WrongGradient", SameShapeAsInput, WrongGradient);
  DefineTriple<TripleNotInPlace>("_NotInPlace").InPlace(0, 0);
  DefineTriple<TripleButTheLast>("_ButTheLast");
  DefineTriple<CountThreads>("_CountsThreads");
  DefineTriple<Triple>("_DoesNotForward").Forwards(0, 0);
  DefineTriple<Refuse>("_Refuses");
}

// What a test would state of such an op.
OpCase CaseOf(std::string op) {
  DefineOps();
  return {.op = std::move(op),
          .inputs = {Tensor::Of<float>({2000, -2, 3})},
          .reference = Elementwise([](double x) { return 3 * x; })};
}

TEST(OpHarness, AcceptsAGoodOp) {
  OpCase c = CaseOf("_Triple");
  c.shapes = {{{0}}, {{2, 1}}, {Shape()}};
  c.dtypes = DTypeSet(DType::kFloat64);
  CheckOp(c);
}

// `text` must be part of some failure.
#define EXPECT_HARNESS_FAILS(statement, text)                                                      \
  do {                                                                                             \
    ::testing::TestPartResultArray results;                                                        \
    {                                                                                              \
      ::testing::ScopedFakeTestPartResultReporter reporter(                                        \
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);   \
      statement;                                                                                   \
    }                                                                                              \
    bool found = false;                                                                            \
    std::string all;                                                                               \
    for (int i = 0; i < results.size(); ++i) {                                                     \
      all += results.GetTestPartResult(i).message();                                               \
      found = found ||                                                                             \
              std::string(results.GetTestPartResult(i).message()).find(text) != std::string::npos; \
    }                                                                                              \
    EXPECT_TRUE(found) << "no failure with '" << text << "', but: " << all;                        \
  } while (false)

TEST(OpHarness, RefusesAWrongValue) {
  OpCase c = CaseOf("_Triple");
  c.reference = Elementwise([](double x) { return 3 * x + 1e-2; });
  EXPECT_HARNESS_FAILS(CheckOp(c), "output 0");
  c = CaseOf("_Triple");
  c.reference = nullptr;
  c.expected = {Tensor::Of<float>({6000, -6, 10})};
  EXPECT_HARNESS_FAILS(CheckOp(c), "element 2");
}

TEST(OpHarness, RefusesAWrongShapeFunction) {
  EXPECT_HARNESS_FAILS(CheckOp(CaseOf("_WrongShape")), "is inferred as [6], really [3]");
  EXPECT_HARNESS_FAILS(CheckOp(CaseOf("_UnknownShape")), "is only known as");
}

TEST(OpHarness, RefusesAWrongGradient) {
  EXPECT_HARNESS_FAILS(CheckOp(CaseOf("_WrongGradient")), "but differences give");
}

TEST(OpHarness, RefusesAKernelThatBreaksItsInPlacePromise) {
  EXPECT_HARNESS_FAILS(CheckOp(CaseOf("_NotInPlace")), "in place of input 0");
}

TEST(OpHarness, RefusesAKernelThatLeavesElementsUnwritten) {
  OpCase c = CaseOf("_ButTheLast");
  c.reference = nullptr;
  c.gradient_of = std::vector<int>{};
  EXPECT_HARNESS_FAILS(CheckOp(c), "in planned memory");
}

TEST(OpHarness, RefusesResultsThatDependOnThreads) {
  OpCase c = CaseOf("_CountsThreads");
  c.tolerance = 1e-2;
  EXPECT_HARNESS_FAILS(CheckOp(c), "3 threads");
}

TEST(OpHarness, RefusesAKernelThatDoesNotForward) {
  EXPECT_HARNESS_FAILS(CheckOp(CaseOf("_DoesNotForward")), "does not share the bytes of input 0");
}

TEST(OpHarness, RefusesAKernelThatFails) {
  EXPECT_HARNESS_FAILS(CheckOp(CaseOf("_Refuses")), "never works");
  EXPECT_HARNESS_FAILS(CheckOp({.op = "_NoSuchOp", .inputs = {}}), "is not defined");
}

TEST(OpHarness, ChecksErrors) {
  DefineOps();
  const std::vector<Tensor> inputs = {Tensor::Of<float>({1})};
  CheckOpError({.op = "_Refuses", .inputs = inputs, .text = "never works", .at_build = false});
  EXPECT_HARNESS_FAILS(
      CheckOpError({.op = "_Triple", .inputs = inputs, .text = "x", .at_build = false}),
      "there was no error");
  EXPECT_HARNESS_FAILS(CheckOpError({.op = "_Triple", .inputs = inputs, .text = "x"}),
                       "it should fail when it is made");
  EXPECT_HARNESS_FAILS(
      CheckOpError({.op = "_Refuses", .inputs = inputs, .text = "other words", .at_build = false}),
      "the error is");
  EXPECT_HARNESS_FAILS(CheckOpError({.op = "_Refuses",
                                     .inputs = inputs,
                                     .code = absl::StatusCode::kNotFound,
                                     .text = "never works",
                                     .at_build = false}),
                       "expected NOT_FOUND");
}

TEST(Tensors, DifferencesAreFound) {
  const Tensor a = Tensor::Of<float>({1, NAN, INFINITY});
  EXPECT_EQ(Difference(a, a, 0), "");
  EXPECT_NE(Difference(a, Tensor::Of<float>({1, NAN, -INFINITY}), 1), "");
  EXPECT_NE(Difference(a, Tensor::Of<float>({1, 2, INFINITY}), 1), "");
  EXPECT_NE(Difference(a, Tensor::Of<float>({1, NAN}), 1), "");
  EXPECT_NE(BitDifference(Tensor::Of<float>({0.0f}), Tensor::Of<float>({-0.0f})), "");
  EXPECT_NE(BitDifference(Tensor::Of<float>({1}), Tensor::Of<double>({1})), "");
  EXPECT_NE(Difference(Tensor::Of<std::string>({"a"}), Tensor::Of<std::string>({"b"}), 0), "");
}

TEST(GraphRunner, ReportsTheNodeOfAnError) {
  DefineOps();
  Graph g;
  const Output x = FedTensor(g, DType::kFloat32, {1});
  const Output y = NodeBuilder("_Refuses", "bad", Location::Current()).Input(x).Build();
  GraphRunner runner;
  const auto result = runner.Run({y}, {{x, Tensor::Of<float>({1})}});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(Message(result.status()).find("node 'bad'"), std::string_view::npos) << result.status();
}

TEST(GraphRunner, KeepsVariablesBetweenRuns) {
  Graph g;
  GraphRunner runner;
  const Output v = FedVariable(g, runner, Tensor::Of<float>({1, 2}), "v");
  auto values = runner.Run({v});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(Difference((*values)[0], Tensor::Of<float>({1, 2}), 0), "");
}

}  // namespace
}  // namespace headrace::testing
