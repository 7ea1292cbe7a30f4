#include "headrace/ops/array/constant.h"

#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Difference;
using testing::Evaluate;
using testing::RandomTensor;

TEST(Const, TakesTheTypeOfItsValue) {
  Graph g;
  EXPECT_EQ(Const(g, 1.5f).dtype(), DType::kFloat32);
  EXPECT_EQ(Const(g, 1.5).dtype(), DType::kFloat64);
  EXPECT_EQ(Const(g, int64_t{3}).dtype(), DType::kInt64);
  EXPECT_EQ(Const(g, true).dtype(), DType::kBool);
  EXPECT_EQ(Const(g, "text").dtype(), DType::kString);
  EXPECT_EQ(Const(g, {1, 2, 3}).shape(), (PartialShape{3}));
  EXPECT_EQ(Const(g, {0, 2}).shape(), (PartialShape{2}));
  EXPECT_EQ(Const(g, {{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}).shape(), (PartialShape{3, 2}));
  const Output texts = Const(g, {"a", "b"}, {.name = "texts"});
  EXPECT_EQ(texts.name(), "texts:0");
  EXPECT_EQ(Evaluate(texts).data<std::string>()[1], "b");
  EXPECT_TRUE(g.status().ok()) << g.status();
}

TEST(Const, SharesTheBytesOfATensor) {
  Graph g;
  const Tensor large(DType::kFloat32, {1 << 20});
  const Output c = Const(g, large);
  EXPECT_TRUE(c.node->attrs().Get<Tensor>("value").SharesMemoryWith(large));
  EXPECT_TRUE(Evaluate(c).SharesMemoryWith(large));
}

TEST(Const, RefusesRaggedRows) {
  Graph g;
  EXPECT_FALSE(Const(g, {{1, 2}, {3}}).valid());
  EXPECT_EQ(g.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Fill, RepeatsAValue) {
  CheckOp({.op = "Fill",
           .inputs = {Tensor::Of<int32_t>({2, 3}), Tensor::Scalar(2.5f)},
           .constant_inputs = {0},
           .expected = {Tensor::Of<float>({2.5f, 2.5f, 2.5f, 2.5f, 2.5f, 2.5f}, {2, 3})}});
  CheckOp({.op = "Fill",
           .inputs = {Tensor::Of<int64_t>({0, 4}), Tensor::Scalar(1.0)},
           .constant_inputs = {0},
           .expected = {Tensor(DType::kFloat64, {0, 4})},
           .gradient_of = {{}}});
  CheckOp({.op = "Fill",
           .inputs = {Tensor(DType::kInt32, {0}), Tensor::Scalar(1.0f)},
           .constant_inputs = {0},
           .expected = {Tensor::Scalar(1.0f)}});
  CheckOp({.op = "Fill",
           .inputs = {Tensor::Of<int32_t>({2}), Tensor::Scalar<std::string>("x")},
           .constant_inputs = {0},
           .expected = {Tensor::Of<std::string>({"x", "x"})}});
}

TEST(Fill, TakesEveryPlainType) {
  for (const DType type : {DType::kInt8, DType::kUInt16, DType::kInt64, DType::kFloat16,
                           DType::kBFloat16, DType::kBool, DType::kComplex64, DType::kComplex128}) {
    const Tensor value = RandomTensor(type, {}, 0, 9);
    Tensor expected(type, {3});
    for (int i = 0; i < 3; ++i)
      std::memcpy(static_cast<char*>(expected.raw_data()) + i * SizeOf(type), value.raw_data(),
                  SizeOf(type));
    CheckOp({.op = "Fill",
             .inputs = {Tensor::Of<int32_t>({3}), value},
             .constant_inputs = {0},
             .expected = {expected},
             .gradient_of = {{}}});
  }
}

TEST(Fill, RefusesWhatIsNoShapeOrNoScalar) {
  CheckOpError({.op = "Fill",
                .inputs = {Tensor::Of<int32_t>({2}, {1, 1}), Tensor::Scalar(1.0f)},
                .text = "dims"});
  CheckOpError({.op = "Fill",
                .inputs = {Tensor::Of<int32_t>({2}), Tensor::Of<float>({1})},
                .text = "must be a scalar"});
  CheckOpError({.op = "Fill",
                .inputs = {Tensor::Of<int32_t>({-2}), Tensor::Scalar(1.0f)},
                .at_build = false});
}

TEST(ZerosLike, AndOnesLikeFollowShapeAndType) {
  for (const DType type :
       {DType::kFloat32, DType::kInt32, DType::kBool, DType::kComplex64, DType::kFloat16}) {
    const Tensor x = RandomTensor(type, {2, 3}, 1, 5);
    const std::vector<double> zeros(6, 0), ones(6, 1);
    CheckOp({.op = "ZerosLike",
             .inputs = {x},
             .expected = {testing::FromDoubles(zeros, {2, 3}, type)}});
    CheckOp(
        {.op = "OnesLike", .inputs = {x}, .expected = {testing::FromDoubles(ones, {2, 3}, type)}});
  }
  CheckOp({.op = "ZerosLike",
           .inputs = {Tensor::Of<std::string>({"a", "b"})},
           .expected = {Tensor::Of<std::string>({"", ""})}});
}

TEST(ZerosLike, IsAConstantWhereTheShapeIsKnown) {
  Graph g;
  const Output known = Placeholder(g, DType::kFloat32, {2, 3}),
               unknown = Placeholder(g, DType::kFloat32, {-1, 3});
  const Output large = Placeholder(g, DType::kFloat32, {100, 100});
  EXPECT_EQ(ZerosLike(known).node->op_name(), "Const");
  EXPECT_EQ(ZerosLike(large).node->op_name(), "Fill");
  EXPECT_EQ(ZerosLike(unknown).node->op_name(), "ZerosLike");
  EXPECT_EQ(ZerosLike(known, {.optimize = false}).node->op_name(), "ZerosLike");
  EXPECT_EQ(ZerosLike(unknown, {.dtype = DType::kInt32}).dtype(), DType::kInt32);
  EXPECT_EQ(ZerosLike(known, {.name = "z"}).name(), "z:0");
  const Output ones = OnesLike(unknown, {.name = "o"});
  EXPECT_EQ(ones.node->op_name(), "Fill");
  EXPECT_EQ(ones.shape(), (PartialShape{-1, 3}));
  EXPECT_NE(g.FindNode("o/Shape"), nullptr);
}

TEST(Zeros, AreAConstantWhenSmall) {
  Graph g;
  EXPECT_EQ(Zeros(g, {2, 3}).name(), "zeros:0");
  EXPECT_EQ(Ones(g, {3}, DType::kInt64).node->op_name(), "Const");
  const Output large = Ones(g, {10, 100}, DType::kFloat32, {.name = "large"});
  EXPECT_EQ(large.node->op_name(), "Fill");
  EXPECT_NE(g.FindNode("large/shape_as_tensor"), nullptr);
  EXPECT_NE(g.FindNode("large/Const"), nullptr);
  EXPECT_EQ(Evaluate(large).data<float>()[999], 1);
  EXPECT_FALSE(Zeros(g, {-1}).valid());
  EXPECT_FALSE(g.status().ok());
}

TEST(Placeholder, AsksToBeFed) {
  Graph g;
  const Output x = Placeholder(g, DType::kFloat32, {-1, 3}, {.name = "x"});
  testing::GraphRunner runner;
  const Status status = runner.Run({x}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(
      Message(status).find(
          "You must feed a value for placeholder tensor 'x' with dtype float and shape [?,3]"),
      std::string_view::npos)
      << status;
}

TEST(PlaceholderWithDefault, GivesItsDefaultUnlessFed) {
  Graph g;
  const Output x = PlaceholderWithDefault(Const(g, {1.0f, 2.0f}), {-1});
  EXPECT_EQ(x.shape(), (PartialShape{-1}));
  EXPECT_EQ(Difference(Evaluate(x), Tensor::Of<float>({1, 2}), 0), "");
  EXPECT_EQ(Difference(Evaluate(x, {{x, Tensor::Of<float>({3})}}), Tensor::Of<float>({3}), 0), "");
  CheckOp({.op = "PlaceholderWithDefault",
           .attrs = {{"shape", PartialShape{-1}}},
           .inputs = {RandomTensor(DType::kFloat32, {3})},
           .reference = [](const std::vector<Tensor>& in) { return in; },
           .static_shape = false});
  EXPECT_FALSE(PlaceholderWithDefault(Const(g, {1.0f, 2.0f}), {3}).valid());
}

}  // namespace
}  // namespace headrace
