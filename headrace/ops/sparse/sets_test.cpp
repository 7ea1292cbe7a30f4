// Values of TensorFlow are among the golden cases (tools/goldens/sparse.py, `sets`).
#include "headrace/ops/sparse/sets.h"

#include <gtest/gtest.h>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::FromDoubles;

Tensor Ints(const std::vector<double>& values, const Shape& shape, DType type = DType::kInt64) {
  return FromDoubles(values, shape, type);
}

TEST(DenseToDenseSetOperation, MatchesReference) {
  const Tensor a = Ints({3, 1, 1, 4, 5, 6}, {2, 3}, DType::kInt32);
  const Tensor b = Ints({1, 9, 6, 4}, {2, 2}, DType::kInt32);
  const auto check = [&](const char* operation, const Tensor& indices, const Tensor& values,
                         int64_t largest) {
    CheckOp({.op = "DenseToDenseSetOperation",
             .attrs = {{"set_operation", std::string(operation)}},
             .inputs = {a, b},
             .expected = {indices, values, Ints({2, static_cast<double>(largest)}, {2})},
             .static_shape = false});
  };
  check("a-b", Ints({0, 0, 1, 0}, {2, 2}), Ints({3, 5}, {2}, DType::kInt32), 1);
  check("b-a", Ints({0, 0}, {1, 2}), Ints({9}, {1}, DType::kInt32), 1);
  check("intersection", Ints({0, 0, 1, 0, 1, 1}, {3, 2}), Ints({1, 4, 6}, {3}, DType::kInt32), 2);
  check("union", Ints({0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}, {6, 2}),
        Ints({1, 3, 9, 4, 5, 6}, {6}, DType::kInt32), 3);
}

TEST(SetSize, CountsDistinctValues) {
  CheckOp({.op = "SetSize",
           .inputs = {Ints({0, 0, 0, 1, 2, 0}, {3, 2}), Ints({5, 5, 7}, {3}, DType::kUInt8),
                      Ints({3, 2}, {2})},
           .constant_inputs = {2},
           .expected = {Ints({1, 0, 1}, {3}, DType::kInt32)},
           .static_shape = false});
}

TEST(SetSize, RefusesIndicesOutOfOrder) {
  for (const auto& [second, text] : std::vector<std::pair<std::vector<double>, std::string>>{
           {{1, 0}, "indices[1] = [1,0] is repeated"},
           {{0, 1}, "indices[1] = [0,1] is out of order"},
           {{3, 0}, "indices[1] = [3,0] is out of bounds"}}) {
    std::vector<double> indices = {1, 0};
    indices.insert(indices.end(), second.begin(), second.end());
    CheckOpError({.op = "SetSize",
                  .inputs = {Ints(indices, {2, 2}), Ints({5, 7}, {2}), Ints({3, 2}, {2})},
                  .text = text,
                  .at_build = false});
  }
}

TEST(SetOperation, RefusesSetsThatDoNotMatch) {
  CheckOpError(
      {.op = "DenseToSparseSetOperation",
       .attrs = {{"set_operation", std::string("union")}},
       .inputs = {Ints({1, 2}, {2, 1}), Ints({0, 0}, {1, 2}), Ints({5}, {1}), Ints({3, 2}, {2})},
       .text = "Mismatched shapes [2] vs [3]",
       .at_build = false});
}

TEST(SetOperation, RefusesOtherOperations) {
  CheckOpError({.op = "DenseToDenseSetOperation",
                .attrs = {{"set_operation", std::string("plus")}},
                .inputs = {Ints({1}, {1, 1}), Ints({1}, {1, 1})},
                .text = "Invalid set_operation plus",
                .at_build = false});
}

}  // namespace
}  // namespace headrace
