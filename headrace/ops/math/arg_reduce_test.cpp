#include "headrace/ops/math/arg_reduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;

const DTypeSet kReal = kFloatTypes | DTypeSet{DType::kInt8,  DType::kInt16, DType::kInt32,
                                              DType::kInt64, DType::kUInt8, DType::kUInt16};

TEST(ArgReduce, FindsTheFirstExtreme) {
  const Tensor x = Tensor::Of<float>({3, 9, 9, 1, 5, 1}, {2, 3});
  const auto check = [&](const char* op, int32_t axis, std::initializer_list<int64_t> expected) {
    CheckOp({.op = op,
             .inputs = {x, Tensor::Scalar(axis)},
             .constant_inputs = {1},
             .expected = {Tensor::Of<int64_t>(expected)},
             .dtypes = kReal});
  };
  check("ArgMax", 1, {1, 1});
  check("ArgMax", -1, {1, 1});
  check("ArgMax", 0, {0, 0, 0});
  check("ArgMin", 1, {0, 0});
  check("ArgMin", 0, {1, 1, 1});
}

TEST(ArgReduce, GivesInt32WhereAsked) {
  CheckOp({.op = "ArgMax",
           .attrs = {{"output_type", DType::kInt32}},
           .inputs = {Tensor::Of<float>({1, 4, 2}), Tensor::Scalar<int64_t>(0)},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar<int32_t>(1)}});
}

// Rows and columns of lengths around those of vectors and blocks, with equal values and NaN.
TEST(ArgReduce, FindsTheFirstExtremeOfLongRowsAndColumns) {
  for (const DType type :
       {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kUInt8, DType::kInt64}) {
    for (const Shape& shape : {Shape{2, 31, 1}, Shape{3, 513, 1}, Shape{2, 1500, 1},
                               Shape{1, 40, 600}, Shape{2, 7, 33}, Shape{3, 1, 5}}) {
      Tensor x = testing::RandomTensor(type, shape, 0, 90);
      const std::vector<double> values = testing::ToDoubles(x);
      if (type == DType::kFloat32) x.data<float>()[1] = NAN;
      const int64_t outer = shape.dim(0), size = shape.dim(1), inner = shape.dim(2);
      for (const char* op : {"ArgMax", "ArgMin"}) {
        const bool max = std::string_view(op) == "ArgMax";
        Tensor expected(DType::kInt64, {outer, inner});
        for (int64_t o = 0; o < outer; ++o) {
          for (int64_t i = 0; i < inner; ++i) {
            int64_t best = -1;
            for (int64_t k = 0; k < size; ++k) {
              const int64_t at = (o * size + k) * inner + i;
              const auto value = [&](int64_t place) {
                return values[static_cast<size_t>((o * size + place) * inner + i)];
              };
              if (type == DType::kFloat32 && at == 1) continue;
              if (best < 0 || (max ? value(k) > value(best) : value(k) < value(best))) best = k;
            }
            expected.data<int64_t>()[o * inner + i] = std::max<int64_t>(best, 0);
          }
        }
        CheckOp({.op = op,
                 .inputs = {x, Tensor::Scalar<int32_t>(1)},
                 .constant_inputs = {1},
                 .expected = {expected}});
      }
    }
  }
}

TEST(ArgReduce, PassesNanOver) {
  const Tensor x = Tensor::Of<float>({NAN, -2, NAN, 7, NAN, -5}), axis = Tensor::Scalar<int32_t>(0);
  CheckOp({.op = "ArgMax",
           .inputs = {x, axis},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar<int64_t>(3)}});
  CheckOp({.op = "ArgMin",
           .inputs = {x, axis},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar<int64_t>(5)}});
}

// Rows that are long enough for blocks: against a plain loop, with ties, NaN and rows of one value.
TEST(ArgReduce, FindsTheFirstExtremeOfLongRows) {
  for (const int64_t size : {31, 32, 33, 511, 512, 513, 1700}) {
    Tensor x =
        testing::RandomTensor(DType::kFloat32, {6, size}, -3, 3, static_cast<uint64_t>(size));
    for (int64_t k = 0; k < size; ++k) {
      float* row = x.data<float>();
      row[k] = std::floor(row[k]);  // with ties
      if (k % 3 == 0) row[size + k] = NAN;
      row[2 * size + k] = NAN;
      row[3 * size + k] = -INFINITY;
      if (k > 0) row[4 * size + k] = INFINITY;
      row[5 * size + k] = k == size - 1 ? 1.0f : NAN;
    }
    for (const bool max : {true, false}) {
      Tensor expected(DType::kInt64, {6});
      for (int64_t i = 0; i < 6; ++i) {
        const float* row = x.data<float>() + i * size;
        int64_t at = 0;
        for (int64_t k = 1; k < size; ++k) {
          const bool better = max ? row[k] > row[at] : row[k] < row[at];
          if (better || (std::isnan(row[at]) && !std::isnan(row[k]))) at = k;
        }
        expected.data<int64_t>()[i] = at;
      }
      CheckOp({.op = max ? "ArgMax" : "ArgMin",
               .inputs = {x, Tensor::Scalar<int32_t>(1)},
               .constant_inputs = {1},
               .expected = {expected}});
    }
  }
}

TEST(ArgReduce, RefusesBadAxes) {
  const Tensor x(DType::kFloat32, {2, 3});
  CheckOpError({.op = "ArgMax",
                .inputs = {x, Tensor::Scalar<int32_t>(2)},
                .constant_inputs = {1},
                .text = "Dimension (2) must be in the range [-2, 2)",
                .in_step = false});
  CheckOpError({.op = "ArgMax",
                .inputs = {x, Tensor::Scalar<int32_t>(2)},
                .text = "Expected dimension in the range [-2, 2), but got 2",
                .at_build = false});
  CheckOpError({.op = "ArgMin",
                .inputs = {Tensor(DType::kFloat32, {2, 0}), Tensor::Scalar<int32_t>(1)},
                .constant_inputs = {1},
                .text = "Reduction axis 1 is empty in shape [2,0]",
                .at_build = false});
}

TEST(ArgReduce, BuilderNamesTheAxis) {
  Graph g;
  ArgMax(Placeholder(g, DType::kFloat32, {-1, 10}), 1);
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_EQ(g.FindNode("ArgMax")->input(1).node->name(), "ArgMax/dimension");
  EXPECT_EQ(g.FindNode("ArgMax")->output_shape(0), PartialShape({-1}));
}

}  // namespace
}  // namespace headrace
