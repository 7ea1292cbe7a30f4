#include "headrace/ops/linalg/diag.h"

#include <gtest/gtest.h>

#include "headrace/ops/linalg/known_shapes_test.h"
#include "headrace/ops/linalg/types.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::CheckShapes;
using testing::RandomTensor;

Tensor Floats(std::initializer_list<float> values, const Shape& shape) {
  return Tensor::Of<float>(values, shape);
}
Tensor Ints(std::initializer_list<int32_t> values) {
  return Tensor::Of<int32_t>(values);
}

TEST(Diag, AndItsPartUndoEachOther) {
  CheckOp({.op = "Diag",
           .inputs = {Floats({1, 2}, {2})},
           .expected = {Floats({1, 0, 0, 2}, {2, 2})},
           .dtypes = DTypeSet{DType::kInt64, DType::kComplex64}});
  CheckShapes("DiagPart", DType::kFloat32, {{{2, 3, 2, 3}}, {{0, 0}}, {{1, 1}}});
  CheckOp({.build =
               [](Graph&, const std::vector<Output>& in) {
                 return std::vector<Output>{DiagPart(Diag(in[0]))};
               },
           .inputs = {Floats({1, 2, 3, 4, 5, 6}, {2, 3})},
           .expected = {Floats({1, 2, 3, 4, 5, 6}, {2, 3})}});
  CheckOpError({.op = "DiagPart",
                .inputs = {RandomTensor(DType::kFloat32, {3})},
                .text = "Input must have even and non-zero rank, input rank is 1"});
  CheckOpError({.op = "DiagPart",
                .inputs = {RandomTensor(DType::kFloat32, {2, 3})},
                .text = "the halves of its dimensions must be equal"});
}

TEST(MatrixDiag, PutsTakesAndSetsTheMainDiagonal) {
  CheckOp({.op = "MatrixDiag",
           .inputs = {Floats({1, 2, 3, 4}, {2, 2})},
           .expected = {Floats({1, 0, 0, 2, 3, 0, 0, 4}, {2, 2, 2})},
           .dtypes = kMatrixMovedTypes});
  CheckShapes("MatrixDiag", DType::kFloat32, {{{0}}, {{0, 3}}, {{3, 0}}, {{1}}, {{2, 3, 4}}});
  CheckOp({.op = "MatrixDiagPart",
           .inputs = {Floats({1, 2, 3, 4, 5, 6}, {2, 3})},
           .expected = {Floats({1, 5}, {2})},
           .dtypes = kMatrixMovedTypes});
  CheckShapes("MatrixDiagPart", DType::kFloat32, {{{0, 3}}, {{3, 0}}, {{0, 2, 2}}, {{2, 4, 3}}});
  CheckOp({.op = "MatrixSetDiag",
           .inputs = {Floats({1, 2, 3, 4, 5, 6}, {3, 2}), Floats({8, 9}, {2})},
           .expected = {Floats({8, 2, 3, 9, 5, 6}, {3, 2})},
           .dtypes = kMatrixMovedTypes});
  CheckShapes("MatrixSetDiag", DType::kFloat32,
              {{{0, 3}, {0}}, {{0, 2, 2}, {0, 2}}, {{2, 3, 4}, {2, 3}}});
}

TEST(MatrixDiag, RefusesShapesThatDoNotGoTogether) {
  CheckOpError({.op = "MatrixDiag",
                .inputs = {Tensor::Scalar(1.0f)},
                .text = "input 0 ('diagonal') must have rank >= 1"});
  CheckOpError({.op = "MatrixDiagPart",
                .inputs = {RandomTensor(DType::kFloat32, {3})},
                .text = "input 0 ('input') must have rank >= 2"});
  CheckOpError(
      {.op = "MatrixSetDiag",
       .inputs = {RandomTensor(DType::kFloat32, {2, 3}), RandomTensor(DType::kFloat32, {3})},
       .text = "it must be [2]"});
}

TEST(MatrixDiagV2, TakesBandsOfDiagonals) {
  const Tensor nine = Tensor::Scalar(9.0f);
  CheckOp({.op = "MatrixDiagV2",
           .inputs = {Floats({1, 2, 3, 4, 5, 6}, {2, 3}), Ints({-1, 0}),
                      Tensor::Scalar<int32_t>(-1), Tensor::Scalar<int32_t>(-1), nine},
           .constant_inputs = {1, 2, 3},
           .expected = {Floats({1, 9, 9, 4, 2, 9, 9, 5, 3}, {3, 3})},
           .gradient_of = {{0}}});
  CheckOp({.op = "MatrixDiagPartV2",
           .inputs = {Floats({1, 2, 3, 4, 5, 6}, {2, 3}), Ints({0, 1}), nine},
           .constant_inputs = {1},
           .expected = {Floats({2, 6, 1, 5}, {2, 2})},
           .gradient_of = {{0}}});
  CheckOp({.op = "MatrixDiagPartV2",
           .inputs = {Floats({1, 2, 3, 4, 5, 6}, {2, 3}), Ints({1, 2}), nine},
           .constant_inputs = {1},
           .expected = {Floats({3, 9, 2, 6}, {2, 2})},
           .gradient_of = {{0}}});
  CheckOp({.op = "MatrixSetDiagV2",
           .inputs = {Floats({1, 2, 3, 4, 5, 6}, {2, 3}), Floats({7, 8}, {2}), Ints({1})},
           .constant_inputs = {2},
           .expected = {Floats({1, 7, 3, 4, 5, 8}, {2, 3})},
           .gradient_of = {{0, 1}}});
}

TEST(MatrixDiagV2, RefusesBandsThatDoNotFit) {
  const Tensor x = RandomTensor(DType::kFloat32, {2, 3}), zero = Tensor::Scalar(0.0f);
  CheckOpError({.op = "MatrixDiagPartV2",
                .inputs = {x, Ints({3}), zero},
                .constant_inputs = {1},
                .text = "lower_diag_index is out of bound: 3. It must be between -2 and 3"});
  CheckOpError({.op = "MatrixDiagPartV2",
                .inputs = {x, Ints({1, 0}), zero},
                .constant_inputs = {1},
                .text = "lower_diag_index must not be larger than upper_diag_index: 1 > 0"});
  CheckOpError({.op = "MatrixDiagPartV2",
                .inputs = {x, Ints({1, 0, 2}), zero},
                .constant_inputs = {1},
                .text = "diag_index must have only one or two elements, received 3 elements."});
  const auto small = [](int32_t n) { return Tensor::Scalar<int32_t>(n); };
  CheckOpError(
      {.op = "MatrixDiagV2",
       .inputs = {RandomTensor(DType::kFloat32, {3}), Ints({0}), small(2), small(-1), zero},
       .constant_inputs = {1, 2, 3},
       .text = "The number of rows is too small"});
  CheckOpError({.op = "MatrixDiagV2",
                .inputs = {RandomTensor(DType::kFloat32, {3}), Ints({0}), small(4), small(5), zero},
                .constant_inputs = {1, 2, 3},
                .text = "The number of rows or columns is not consistent"});
  CheckOpError({.op = "MatrixSetDiagV2",
                .inputs = {x, RandomTensor(DType::kFloat32, {3}), Ints({1})},
                .constant_inputs = {2},
                .text = "it must be [2]"});
}

TEST(MatrixBandPart, KeepsABand) {
  const Tensor x = Floats({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3});
  const auto number = [](int64_t n) { return Tensor::Scalar<int64_t>(n); };
  CheckOp({.op = "MatrixBandPart",
           .inputs = {x, number(0), number(1)},
           .constant_inputs = {1, 2},
           .expected = {Floats({1, 2, 0, 0, 5, 6, 0, 0, 9}, {3, 3})},
           .dtypes = kMatrixMovedTypes});
  for (const Shape& shape : {Shape{0, 2}, Shape{2, 3, 4}, Shape{2, 0, 0}}) {
    CheckOp({.op = "MatrixBandPart",
             .inputs = {RandomTensor(DType::kFloat32, shape), number(-1), number(0)}});
  }
  CheckOp({.op = "MatrixBandPart",
           .inputs = {x, number(-1), number(0)},
           .expected = {Floats({1, 0, 0, 4, 5, 0, 7, 8, 9}, {3, 3})}});
  CheckOpError(
      {.op = "MatrixBandPart",
       .inputs = {x, number(4), number(0)},
       .constant_inputs = {1, 2},
       .text = "num_lower must be negative or less or equal to number of rows (3) got: 4"});
}

TEST(MatrixDiag, HasItsOldNames) {
  CheckOp({.op = "BatchMatrixDiag",
           .inputs = {Floats({1, 2}, {2})},
           .expected = {Floats({1, 0, 0, 2}, {2, 2})}});
  CheckOp({.op = "BatchMatrixDiagPart",
           .inputs = {Floats({1, 2, 3, 4}, {2, 2})},
           .expected = {Floats({1, 4}, {2})}});
  CheckOp({.op = "BatchMatrixSetDiag",
           .inputs = {Floats({1, 2, 3, 4}, {2, 2}), Floats({8, 9}, {2})},
           .expected = {Floats({8, 2, 3, 9}, {2, 2})}});
  CheckOp({.op = "BatchMatrixBandPart",
           .inputs = {Floats({1, 2, 3, 4}, {2, 2}), Tensor::Scalar<int64_t>(0),
                      Tensor::Scalar<int64_t>(0)},
           .expected = {Floats({1, 0, 0, 4}, {2, 2})}});
}

}  // namespace
}  // namespace headrace
