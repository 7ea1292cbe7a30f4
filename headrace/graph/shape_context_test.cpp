#include "headrace/graph/shape_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "headrace/base/strings.h"
#include "headrace/graph/testing/test_ops.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;
using testing::MakeConst;
using testing::MakeOp;
using testing::MakePlaceholder;
using testing::TestOps;

class ShapeContextTest : public ::testing::Test {
 protected:
  Graph g_{TestOps()};
  std::map<int, Tensor> values_;

  ShapeContext Context(Output of, std::vector<PartialShape> shapes) {
    return ShapeContext(*of.node, shapes, [this](int i) -> const Tensor* {
      auto it = values_.find(i);
      return it == values_.end() ? nullptr : &it->second;
    });
  }
  Output MatMul() {
    Output x = MakePlaceholder(g_, DType::kFloat32, {});
    return MakeOp(g_, "MatMul", {x, x});
  }
};

TEST_F(ShapeContextTest, RanksAreCheckedByName) {
  ShapeContext c = Context(MatMul(), {PartialShape{2, 3}, PartialShape{3}});
  EXPECT_EQ(*c.WithRank(0, 2), (PartialShape{2, 3}));
  EXPECT_EQ(Message(c.WithRank(1, 2).status()), "input 1 ('b') must have rank 2, got shape [3]");
  EXPECT_EQ(Message(c.WithRankAtLeast(1, 2).status()),
            "input 1 ('b') must have rank >= 2, got shape [3]");
  EXPECT_TRUE(c.WithRankAtLeast(0, 1).ok());
  EXPECT_EQ(Message(c.CheckScalar(1)), "input 1 ('b') must be a scalar, got shape [3]");
  ShapeContext unknown = Context(MatMul(), {PartialShape(), PartialShape()});
  EXPECT_EQ(unknown.WithRank(0, 2)->ToString(), "[?,?]");
  EXPECT_FALSE(unknown.WithRankAtLeast(0, 2)->has_rank());
  EXPECT_TRUE(unknown.CheckScalar(0).ok());
}

TEST_F(ShapeContextTest, DimensionsAgreeWhereUnknown) {
  ShapeContext c = Context(MatMul(), {PartialShape(), PartialShape()});
  EXPECT_TRUE(c.CheckEqualDims(-1, 5, "a", "b").ok());
  EXPECT_TRUE(c.CheckEqualDims(5, 5, "a", "b").ok());
  EXPECT_EQ(Message(c.CheckEqualDims(4, 5, "columns of a", "rows of b")),
            "columns of a (4) and rows of b (5) must be equal");
}

TEST_F(ShapeContextTest, AxesCountFromBothEnds) {
  EXPECT_EQ(*ShapeContext::NormalizeAxis(1, 3), 1);
  EXPECT_EQ(*ShapeContext::NormalizeAxis(-1, 3), 2);
  EXPECT_EQ(Message(ShapeContext::NormalizeAxis(3, 2).status()),
            "axis 3 is out of range for rank 2");
  EXPECT_FALSE(ShapeContext::NormalizeAxis(-3, 2).ok());
  EXPECT_FALSE(ShapeContext::NormalizeAxis(0, 0).ok());
}

TEST_F(ShapeContextTest, ShapesFromValues) {
  Output reshape =
      MakeOp(g_, "Reshape",
             {MakePlaceholder(g_, DType::kFloat32, {}), MakePlaceholder(g_, DType::kInt64, {})});
  values_[1] = Tensor::Of<int64_t>({2, -1});
  ShapeContext c = Context(reshape, {PartialShape(), PartialShape{2}});
  EXPECT_EQ(c.InputAsShape(1, true)->ToString(), "[2,?]");
  EXPECT_EQ(Message(c.InputAsShape(1).status()),
            "input 1 ('shape') states a dimension of -1; must be >= 0");
  EXPECT_EQ(*c.InputAsInts(1), (std::vector<int64_t>{2, -1}));
  values_[1] = Tensor::Of<int64_t>({2, -2});
  EXPECT_FALSE(c.InputAsShape(1, true).ok());
  values_[1] = Tensor::Scalar<int64_t>(-1);
  EXPECT_FALSE(c.InputAsShape(1, true)->has_rank());
  EXPECT_THAT(std::string(Message(c.InputAsShape(1).status())),
              HasSubstr("must be a vector, got shape []"));
  values_[1] = Tensor::Of<int64_t>({1, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_FALSE(c.InputAsShape(1).ok());
  values_[1] = Tensor::Of<int64_t>({int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_FALSE(c.InputAsShape(1).ok());
  values_.clear();
  EXPECT_EQ(c.InputAsShape(1)->ToString(), "[?,?]");
  EXPECT_EQ(c.InputAsInts(1), std::nullopt);
  EXPECT_FALSE(Context(reshape, {PartialShape(), PartialShape()}).InputAsShape(1)->has_rank());
  EXPECT_FALSE(Context(reshape, {PartialShape(), PartialShape{2, 2}}).InputAsShape(1).ok());
}

class ConstantValueTest : public ::testing::Test {
 protected:
  Graph g_{TestOps()};
  Output x_ = MakePlaceholder(g_, DType::kFloat32, {-1, 784}, "x");
  Output y_ = MakePlaceholder(g_, DType::kFloat32, {3, 4}, "y");

  Output Vec(std::initializer_list<int32_t> values) {
    return MakeConst(g_, Tensor::Of<int32_t>(values));
  }
  Output Num(int32_t value) { return MakeConst(g_, Tensor::Scalar<int32_t>(value)); }
  Output Op(std::string_view op, std::vector<Output> inputs, AttrMap attrs = {}) {
    return MakeOp(g_, op, std::move(inputs), "", std::move(attrs));
  }
  Output Slice(Output of, std::vector<int32_t> bounds, AttrMap masks) {
    return Op("StridedSlice", {of, Vec({bounds[0]}), Vec({bounds[1]}), Vec({bounds[2]})},
              std::move(masks));
  }
  std::string Value(Output output) {
    EXPECT_TRUE(g_.status().ok()) << g_.status();
    return ConstantValue(output).ToString(20);
  }
  static constexpr const char* kNone = "(no tensor)";
};

TEST_F(ConstantValueTest, ConstantsOfAnyDtype) {
  EXPECT_EQ(Value(MakeConst(g_, Tensor::Of<float>({1.5f, 2}))), "float32 [2] {1.5, 2}");
  EXPECT_EQ(Value(MakeConst(g_, Tensor::Scalar<std::string>("a"))), "string [] {\"a\"}");
  EXPECT_EQ(Value(x_), kNone);
  EXPECT_FALSE(ConstantValue(Output()).valid());
}

TEST_F(ConstantValueTest, ShapesAndTheirParts) {
  Output shape = Op("Shape", {y_});
  EXPECT_EQ(Value(shape), "int32 [2] {3, 4}");
  EXPECT_EQ(Value(Op("Shape", {y_}, {{"out_type", DType::kInt64}})), "int64 [2] {3, 4}");
  EXPECT_EQ(Value(Op("Rank", {x_})), "int32 [] {2}");
  EXPECT_EQ(Value(Op("Size", {y_})), "int32 [] {12}");
  EXPECT_EQ(Value(Op("Size", {x_})), kNone);
  EXPECT_EQ(Value(Op("Shape", {x_})), kNone);
  EXPECT_EQ(Value(Slice(Op("Shape", {x_}), {1, 2, 1}, {{"shrink_axis_mask", 1}})),
            "int32 [] {784}");
  EXPECT_EQ(Value(Slice(Op("Shape", {x_}), {0, 1, 1}, {{"shrink_axis_mask", 1}})), kNone);
  EXPECT_EQ(Value(Op("Cast", {shape}, {{"DstT", DType::kInt64}})), "int64 [2] {3, 4}");
}

TEST_F(ConstantValueTest, SlicesAsTheKernelTakesThem) {
  Output v = Vec({0, 1, 2, 3, 4});
  EXPECT_EQ(Value(Slice(v, {1, 4, 2}, {})), "int32 [2] {1, 3}");
  EXPECT_EQ(Value(Slice(v, {-2, 5, 1}, {})), "int32 [2] {3, 4}");
  EXPECT_EQ(Value(Slice(v, {0, 0, -1}, {{"begin_mask", 1}, {"end_mask", 1}})),
            "int32 [5] {4, 3, 2, 1, 0}");
  EXPECT_EQ(Value(Slice(v, {4, 0, -3}, {})), "int32 [2] {4, 1}");
  EXPECT_EQ(Value(Slice(v, {3, 100, 2147483647}, {})), "int32 [1] {3}");
  EXPECT_EQ(Value(Slice(v, {3, 1, 1}, {})), "int32 [0] {}");
  EXPECT_EQ(Value(Slice(v, {-1, 0, 1}, {{"shrink_axis_mask", 1}})), "int32 [] {4}");
  EXPECT_EQ(Value(Slice(v, {7, 8, 1}, {{"shrink_axis_mask", 1}})), kNone);
  EXPECT_EQ(Value(Slice(v, {0, 1, 0}, {})), kNone);
  EXPECT_EQ(Value(Op("Slice", {v, Vec({1}), Vec({-1})})), "int32 [4] {1, 2, 3, 4}");
  EXPECT_EQ(Value(Op("Slice", {v, Vec({4}), Vec({3})})), kNone);
}

TEST_F(ConstantValueTest, ArithmeticAndAssembly) {
  EXPECT_EQ(Value(Op("Pack", {Num(5), Num(6)})), "int32 [2] {5, 6}");
  EXPECT_EQ(Value(Op("Pack", {Vec({5, 6})})), "int32 [1,2] {5, 6}");
  EXPECT_EQ(Value(Op("ConcatV2", {Vec({1}), Vec({2, 3}), Num(0)})), "int32 [3] {1, 2, 3}");
  EXPECT_EQ(Value(Op("Add", {Vec({1, 2}), Num(10)})), "int32 [2] {11, 12}");
  EXPECT_EQ(Value(Op("Sub", {Num(10), Vec({1, 2})})), "int32 [2] {9, 8}");
  EXPECT_EQ(Value(Op("Mul", {Vec({1, 2}), Vec({3, 4})})), "int32 [2] {3, 8}");
  EXPECT_EQ(Value(Op("Mul", {Num(65536), Num(65536)})),
            "int32 [] {0}");  // wraps as the kernel does
  EXPECT_EQ(Value(Op("FloorDiv", {Vec({7, -7}), Num(2)})), "int32 [2] {3, -4}");
  EXPECT_EQ(Value(Op("FloorDiv", {Num(7), Num(0)})), kNone);
  EXPECT_EQ(Value(Op("Maximum", {Vec({0, 3}), Num(1)})), "int32 [2] {1, 3}");
  EXPECT_EQ(Value(Op("Fill", {Vec({2}), Num(9)})), "int32 [2] {9, 9}");
  EXPECT_EQ(Value(Op("Fill", {Vec({2000}), Num(9)})), kNone);  // only small ones
  EXPECT_EQ(Value(Op("Range", {Num(1), Num(7), Num(3)})), "int32 [2] {1, 4}");
  EXPECT_EQ(Value(Op("Range", {Num(3), Num(0), Num(-1)})), "int32 [3] {3, 2, 1}");
  EXPECT_EQ(Value(Op("Reshape", {Vec({5}), MakeConst(g_, Tensor(DType::kInt32, {0}))})),
            "int32 [] {5}");
  EXPECT_EQ(Value(Op("Identity", {Num(3)})), "int32 [] {3}");
}

TEST_F(ConstantValueTest, PartsOfAShapeMayBeUnknown) {
  Output batch = Slice(Op("Shape", {x_}), {0, 1, 1}, {{"shrink_axis_mask", 1}});
  Output target = Op("Pack", {batch, Num(28), Num(28)});
  EXPECT_EQ(ConstantValueAsShape(target).ToString(), "[?,28,28]");
  EXPECT_EQ(Op("Reshape", {x_, target}).shape().ToString(), "[?,28,28]");
  EXPECT_EQ(Op("Fill", {target, Num(0)}).shape().ToString(), "[?,28,28]");
  Output fed = MakePlaceholder(g_, DType::kInt32, {}, "fed");
  EXPECT_FALSE(ConstantValueAsShape(fed).has_rank());
  EXPECT_EQ(ConstantValueAsShape(MakePlaceholder(g_, DType::kInt32, {3})).ToString(), "[?,?,?]");
  // An element may be anything at all, as long as it is one.
  Output scalar = MakePlaceholder(g_, DType::kInt32, PartialShape::OfRank(0));
  EXPECT_EQ(ConstantValueAsShape(Op("Pack", {scalar, Num(2)})).ToString(), "[?,2]");
}

TEST_F(ConstantValueTest, VariablesAreNeverKnown) {
  Output v = Op("VariableV2", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape{1}}});
  EXPECT_EQ(Value(Op("Add", {v, Num(1)})), kNone);
}

TEST_F(ConstantValueTest, WorkIsBounded) {
  // Each node twice the input of the next: 2^200 paths, but 200 nodes.
  Output wide = Num(1);
  for (int i = 0; i < 150; ++i) wide = Op("Maximum", {wide, wide});
  EXPECT_EQ(Value(wide), "int32 [] {1}");
  Output deep = Num(1);
  for (int i = 0; i < 100000; ++i) deep = Op("Identity", {deep});
  EXPECT_EQ(Value(deep), kNone);
}

}  // namespace
}  // namespace headrace
