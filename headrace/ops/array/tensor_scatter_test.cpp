// TensorScatter*, TensorStridedSliceUpdate, Inplace*, SparseSegment*.
#include "headrace/ops/array/tensor_scatter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

Tensor Ints(std::initializer_list<int32_t> v) {
  return Tensor::Of<int32_t>(v);
}
Tensor Rows() {
  return Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
}

constexpr DTypeSet kSummed{DType::kFloat64, DType::kFloat16, DType::kInt32, DType::kUInt8,
                           DType::kInt64};

TEST(TensorScatter, FoldsRepeatedIndicesInOrder) {
  const Tensor at = Tensor::Of<int32_t>({0, 2, 0}, {3, 1}),
               updates = Tensor::Of<float>({1, 1, 2, 2, 0, 1}, {3, 2});
  const auto check = [&](const char* op, Tensor y) {
    CheckOp({.op = op,
             .inputs = {Rows(), at, updates},
             .expected = {y},
             .dtypes = kSummed,
             .gradient_of = {{}}});
  };
  check("TensorScatterUpdate", Tensor::Of<float>({0, 1, 3, 4, 2, 2}, {3, 2}));
  check("TensorScatterAdd", Tensor::Of<float>({2, 4, 3, 4, 7, 8}, {3, 2}));
  check("TensorScatterSub", Tensor::Of<float>({0, 0, 3, 4, 3, 4}, {3, 2}));
  check("ScatterNdNonAliasingAdd", Tensor::Of<float>({2, 4, 3, 4, 7, 8}, {3, 2}));
}

TEST(TensorScatter, HasGradientsToTensorAndUpdates) {
  for (const char* op :
       {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "ScatterNdNonAliasingAdd"}) {
    CheckOp(
        {.op = op,
         .inputs = {RandomTensor(DType::kFloat64, {3, 2}),
                    Tensor::Of<int64_t>({0, 1, 2, 0}, {2, 2}), RandomTensor(DType::kFloat64, {2})},
         .gradient_of = {{0, 2}}});
  }
}

TEST(TensorScatter, TakesOtherElements) {
  CheckOp({.op = "TensorScatterUpdate",
           .inputs = {Tensor::Of<std::string>({"a", "b"}), Tensor::Of<int32_t>({1}, {1, 1}),
                      Tensor::Of<std::string>({"z"})},
           .expected = {Tensor::Of<std::string>({"a", "z"})}});
  CheckOp({.op = "ScatterNdNonAliasingAdd",
           .inputs = {Tensor::Of<bool>({true, false}), Tensor::Of<int32_t>({1, 0}, {2, 1}),
                      Tensor::Of<bool>({true, false})},
           .expected = {Tensor::Of<bool>({true, true})}});
  CheckOp({.op = "ScatterNd",
           .inputs = {Tensor::Of<int32_t>({1, 3, 1}, {3, 1}),
                      Tensor::Of<std::string>({"1", "2", "4"}), Tensor::Of<int32_t>({4})},
           .constant_inputs = {2},
           .expected = {Tensor::Of<std::string>({"", "14", "", "2"})}});
  CheckOp({.op = "TensorScatterAdd",
           .inputs = {Tensor::Of<int8_t>({127}), Tensor::Of<int32_t>({0}, {1, 1}),
                      Tensor::Of<int8_t>({1})},
           .expected = {Tensor::Of<int8_t>({-128})}});
  CheckOp({.op = "TensorScatterAdd",
           .inputs = {Rows(), Tensor(DType::kInt32, {0, 1}), Tensor(DType::kFloat32, {0, 2})},
           .expected = {Rows()},
           .gradient_of = {{}}});
}

TEST(TensorScatter, RefusesWrongIndicesAndShapes) {
  CheckOpError(
      {.op = "TensorScatterAdd",
       .inputs = {Rows(), Tensor::Of<int32_t>({3}, {1, 1}), Tensor::Of<float>({1, 2}, {1, 2})},
       .text = "indices[0] = [3] does not index into shape [3,2]",
       .at_build = false});
  CheckOpError({.op = "TensorScatterAdd",
                .inputs = {Rows(), Tensor::Of<int32_t>({0}, {1, 1}), Tensor::Of<float>({1, 2})},
                .text = "must match"});
  CheckOpError({.op = "TensorScatterUpdate",
                .inputs = {Rows(), Tensor::Of<int32_t>({0, 0, 0}, {1, 3}), Tensor::Of<float>({1})},
                .text = "index innermost dimension length must be <= rank of output shape"});
}

TEST(TensorStridedSliceUpdate, WritesAPart) {
  CheckOp({.op = "TensorStridedSliceUpdate",
           .inputs = {Tensor::Of<float>({1, 2, 3, 4}), Ints({3}), Ints({0}), Ints({-2}),
                      Tensor::Of<float>({8, 9})},
           .constant_inputs = {1, 2, 3},
           .expected = {Tensor::Of<float>({1, 9, 3, 8})},
           .dtypes = kSummed,
           .gradient_of = {{}}});
  CheckOpError({.op = "TensorStridedSliceUpdate",
                .inputs = {Tensor::Of<float>({1, 2, 3, 4}), Ints({0}), Ints({2}), Ints({1}),
                           Tensor::Of<float>({8})},
                .code = absl::StatusCode::kUnimplemented,
                .text = "sliced l-value shape [2] does not match r-value shape [1]",
                .at_build = false});
}

TEST(Inplace, CountsRowsAroundTheEndsAndLeavesItsInput) {
  const Tensor at = Ints({-1, 1, 1}), v = Tensor::Of<float>({1, 1, 2, 2, 3, 3}, {3, 2});
  const auto check = [&](const char* op, Tensor y, DTypeSet dtypes = kSummed) {
    CheckOp({.op = op,
             .inputs = {Rows(), at, v},
             .expected = {y},
             .dtypes = dtypes,
             .gradient_of = {{}}});
  };
  check("InplaceUpdate", Tensor::Of<float>({1, 2, 3, 3, 1, 1}, {3, 2}));
  check("InplaceAdd", Tensor::Of<float>({1, 2, 8, 9, 6, 7}, {3, 2}));
  check("InplaceSub", Tensor::Of<float>({1, 2, -2, -1, 4, 5}, {3, 2}),
        kSummed - DTypeSet(DType::kUInt8));
  Graph g;
  const Output x = testing::FedTensor(g, DType::kFloat32, {3, 2});
  const Output y = InplaceAdd(x, Const(g, at), Const(g, v));
  testing::GraphRunner runner;
  const auto values = runner.Run({y, x}, {{x, Rows()}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(testing::BitDifference((*values)[1], Rows()), "");
}

TEST(Inplace, RefusesOtherShapes) {
  CheckOpError({.op = "InplaceAdd",
                .inputs = {Rows(), Ints({0}), Tensor::Of<float>({1, 2, 3}, {1, 3})},
                .text = "v must hold a row of x for each of i"});
  CheckOpError({.op = "InplaceUpdate",
                .inputs = {Rows(), Tensor::Scalar<int32_t>(0), Tensor::Of<float>({1, 2}, {1, 2})}});
}

TEST(SparseSegment, SumsGroupsOfPickedRows) {
  const Tensor at = Ints({0, 2, 1, 1}), ids = Ints({0, 0, 2, 2});
  const auto check = [&](const char* op, Tensor y, DTypeSet dtypes) {
    CheckOp({.op = op,
             .inputs = {Rows(), at, ids},
             .constant_inputs = {2},
             .expected = {y},
             .tolerance = dtypes.Contains(DType::kFloat16) ? 0 : 1e-6,
             .dtypes = dtypes});
  };
  const float root = std::sqrt(2.0f);
  check("SparseSegmentSum", Tensor::Of<float>({6, 8, 0, 0, 6, 8}, {3, 2}), kSummed);
  check("SparseSegmentMean", Tensor::Of<float>({3, 4, 0, 0, 3, 4}, {3, 2}),
        DTypeSet(DType::kFloat64));
  check("SparseSegmentSqrtN",
        Tensor::Of<float>({6 / root, 8 / root, 0, 0, 6 / root, 8 / root}, {3, 2}),
        DTypeSet(DType::kFloat64));
  CheckOp(
      {.op = "SparseSegmentMeanWithNumSegments",
       .inputs = {Rows(), Tensor::Of<int64_t>({0, 2}), Ints({1, 1}), Tensor::Scalar<int64_t>(3)},
       .constant_inputs = {3},
       .expected = {Tensor::Of<float>({0, 0, 3, 4, 0, 0}, {3, 2})}});
  CheckOp({.op = "SparseSegmentSum",
           .inputs = {Rows(), Tensor(DType::kInt32, {0}), Tensor(DType::kInt32, {0})},
           .constant_inputs = {2},
           .expected = {Tensor(DType::kFloat32, {0, 2})},
           .gradient_of = {{}}});
}

TEST(SparseSegment, GradientsGoBackByIndex) {
  CheckOp({.op = "SparseSegmentMeanGrad",
           .inputs = {Tensor::Of<float>({2, 4, 6, 8}, {2, 2}), Ints({0, 2, 0}), Ints({0, 0, 1}),
                      Tensor::Scalar<int32_t>(3)},
           .constant_inputs = {3},
           .expected = {Tensor::Of<float>({7, 10, 0, 0, 1, 2}, {3, 2})}});
  CheckOp({.op = "SparseSegmentSqrtNGrad",
           .inputs = {Tensor::Of<float>({2, 4, 6, 8}, {2, 2}), Ints({0, 2, 1, 1}),
                      Ints({0, 0, 0, 0}), Tensor::Scalar<int32_t>(3)},
           .constant_inputs = {3},
           .expected = {Tensor::Of<float>({1, 2, 2, 4, 1, 2}, {3, 2})}});
}

TEST(SparseSegment, RefusesWrongIndicesAndIds) {
  const auto refused = [](Tensor at, Tensor ids, const char* text) {
    CheckOpError({.op = "SparseSegmentSum",
                  .inputs = {Rows(), std::move(at), std::move(ids)},
                  .text = text,
                  .at_build = false});
  };
  refused(Ints({0, 3}), Ints({0, 0}), "indices[1] == 3 out of range [0, 3)");
  refused(Ints({0, -1}), Ints({0, 0}), "indices[1] == -1 out of range [0, 3)");
  refused(Ints({0, 1}), Ints({1, 0}), "segment ids are not increasing");
  refused(Ints({0, 1}), Ints({-1, 2}), "Segment id -1 out of range [0, 3)");
  CheckOpError({.op = "SparseSegmentSum", .inputs = {Rows(), Ints({0, 1}), Ints({0})}});
  CheckOpError({.op = "SparseSegmentSumWithNumSegments",
                .inputs = {Rows(), Ints({0}), Ints({2}), Tensor::Scalar<int32_t>(2)},
                .text = "segment ids must be < num_segments",
                .at_build = false});
  CheckOpError({.op = "SparseSegmentMeanGrad",
                .inputs = {Rows(), Ints({5}), Ints({0}), Tensor::Scalar<int32_t>(3)},
                .text = "Index 5 out of range [0, 3).",
                .at_build = false});
}

}  // namespace
}  // namespace headrace
