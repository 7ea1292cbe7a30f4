// Gather, GatherV2, GatherNd, ScatterNd, EmbeddingLookup.
#include "headrace/ops/array/gather.h"

#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/embedding.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Difference;
using testing::Evaluate;
using testing::RandomTensor;

const Tensor& Table() {
  static const Tensor& table =
      *new Tensor(Tensor::Of<float>({0, 1, 10, 11, 20, 21, 30, 31}, {4, 2}));
  return table;
}

Tensor Axis(int32_t axis) {
  return Tensor::Scalar(axis);
}

TEST(Gather, PicksRows) {
  for (const Tensor& indices : {testing::Converted(Tensor::Of<int32_t>({3, 0, 3}), DType::kInt64),
                                Tensor::Of<int32_t>({3, 0, 3})}) {
    const Tensor expected = Tensor::Of<float>({30, 31, 0, 1, 30, 31}, {3, 2});
    CheckOp({.op = "GatherV2",
             .inputs = {Table(), indices, Axis(0)},
             .constant_inputs = {2},
             .expected = {expected}});
    CheckOp({.op = "Gather", .inputs = {Table(), indices}, .expected = {expected}});
  }
  CheckOp({.op = "GatherV2",
           .inputs = {Table(), Tensor::Scalar<int32_t>(2), Axis(0)},
           .constant_inputs = {2},
           .expected = {Tensor::Of<float>({20, 21})}});
  CheckOp({.op = "GatherV2",
           .inputs = {Table(), Tensor(DType::kInt32, {0}), Axis(0)},
           .constant_inputs = {2},
           .expected = {Tensor(DType::kFloat32, {0, 2})}});
  CheckOp({.op = "GatherV2",
           .inputs = {Tensor::Of<std::string>({"a", "b"}), Tensor::Of<int32_t>({1, 1}), Axis(0)},
           .constant_inputs = {2},
           .expected = {Tensor::Of<std::string>({"b", "b"})}});
}

TEST(Gather, PicksAlongOtherAxes) {
  CheckOp({.op = "GatherV2",
           .inputs = {Table(), Tensor::Of<int32_t>({1, 0, 1}), Axis(-1)},
           .constant_inputs = {2},
           .expected = {Tensor::Of<float>({1, 0, 1, 11, 10, 11, 21, 20, 21, 31, 30, 31}, {4, 3})}});
  const Tensor x = RandomTensor(DType::kFloat32, {2, 3, 4});
  CheckOp({.op = "GatherV2",
           .inputs = {x, Tensor::Of<int32_t>({2, 0}, {2, 1}), Axis(1)},
           .constant_inputs = {2},
           .reference = [](const std::vector<Tensor>& in) {
             Tensor y(in[0].dtype(), {2, 2, 1, 4});
             for (int64_t b = 0; b < 2; ++b) {
               for (int64_t i = 0; i < 2; ++i) {
                 std::copy_n(in[0].data<double>() + (b * 3 + in[1].data<int32_t>()[i]) * 4, 4,
                             y.data<double>() + (b * 2 + i) * 4);
               }
             }
             return std::vector<Tensor>{y};
           }});
}

TEST(Gather, PicksWithinEachEntryOfABatch) {
  const Tensor x = Tensor::Of<float>({0, 1, 2, 10, 11, 12}, {2, 3});
  CheckOp({.op = "GatherV2",
           .attrs = {{"batch_dims", int64_t{1}}},
           .inputs = {x, Tensor::Of<int32_t>({2, 0, 1, 1}, {2, 2}), Axis(1)},
           .constant_inputs = {2},
           .expected = {Tensor::Of<float>({2, 0, 11, 11}, {2, 2})},
           .gradient_of = {{}}});
}

TEST(Gather, RefusesWhatIsOutside) {
  const auto refused = [&](const Tensor& indices, const char* text) {
    CheckOpError({.op = "GatherV2",
                  .inputs = {Table(), indices, Axis(0)},
                  .constant_inputs = {2},
                  .text = text,
                  .at_build = false});
  };
  refused(Tensor::Of<int32_t>({0, 5}), "indices[1] = 5 is not in [0, 4)");
  refused(Tensor::Of<int32_t>({0, 1, -1, 0}, {2, 2}), "indices[1,0] = -1 is not in [0, 4)");
  CheckOpError({.op = "GatherV2",
                .inputs = {Table(), Tensor::Of<int32_t>({0}), Axis(2)},
                .constant_inputs = {2},
                .text = "Expected axis in the range [-2, 2), but got 2"});
}

TEST(Gather, HasSlicesAsGradient) {
  Graph g;
  const Output table = Placeholder(g, DType::kFloat32, {1000, 2});
  const Gradient grad = Gradients(Gather(table, Const(g, {7, 7, 3})), {table})[0];
  ASSERT_TRUE(grad.slices.has_value());
  EXPECT_EQ(grad.slices->values.shape(), (PartialShape{3, 2}));
  EXPECT_EQ(grad.slices->indices.shape(), (PartialShape{3}));
}

TEST(GatherNd, PicksByIndexVectors) {
  CheckOp({.op = "GatherNd",
           .inputs = {Table(), Tensor::Of<int32_t>({3, 1, 0, 0}, {2, 2})},
           .expected = {Tensor::Of<float>({31, 0})}});
  CheckOp({.op = "GatherNd",
           .inputs = {Table(), Tensor::Of<int64_t>({2, 1}, {2, 1})},
           .expected = {Tensor::Of<float>({20, 21, 10, 11}, {2, 2})}});
  CheckOp({.op = "GatherNd",
           .inputs = {Table(), Tensor(DType::kInt32, {2, 0})},
           .expected = {Tensor::Of<float>(
               {0, 1, 10, 11, 20, 21, 30, 31, 0, 1, 10, 11, 20, 21, 30, 31}, {2, 4, 2})}});
  CheckOpError({.op = "GatherNd",
                .inputs = {Table(), Tensor::Of<int32_t>({0, 1, 0, 9}, {2, 2})},
                .text = "indices[1] = [0, 9] does not index into param shape [4,2]",
                .at_build = false});
  CheckOpError({.op = "GatherNd",
                .inputs = {Table(), Tensor::Of<int32_t>({0, 1, 2}, {1, 3})},
                .text = "index innermost dimension length must be <= params rank; saw: 3 vs. 2"});
}

TEST(ScatterNd, AddsIntoZeros) {
  CheckOp({.op = "ScatterNd",
           .inputs = {Tensor::Of<int32_t>({2, 0, 2}, {3, 1}), Tensor::Of<float>({1, 2, 3}),
                      Tensor::Of<int32_t>({4})},
           .constant_inputs = {2},
           .expected = {Tensor::Of<float>({2, 0, 4, 0})}});
  CheckOp({.op = "ScatterNd",
           .inputs = {Tensor::Of<int64_t>({1}, {1, 1}), Tensor::Of<float>({5, 6}, {1, 2}),
                      Tensor::Of<int64_t>({2, 2})},
           .constant_inputs = {2},
           .expected = {Tensor::Of<float>({0, 0, 5, 6}, {2, 2})}});
  const auto refused = [](const Tensor& indices, const Tensor& updates, const char* text,
                          bool at_build) {
    CheckOpError({.op = "ScatterNd",
                  .inputs = {indices, updates, Tensor::Of<int32_t>({3})},
                  .constant_inputs = {2},
                  .text = text,
                  .at_build = at_build});
  };
  refused(Tensor::Of<int32_t>({5}, {1, 1}), Tensor::Of<float>({1}),
          "indices[0] = [5] does not index into shape [3]", false);
  refused(Tensor::Of<int32_t>({1}, {1, 1}), Tensor::Of<float>({1, 2}),
          "Outer dimensions of indices and update must match", true);
  refused(Tensor::Of<int32_t>({1}, {1, 1}), Tensor::Of<float>({1, 2}, {1, 2}),
          "Inner dimensions of output shape must match", true);
}

TEST(EmbeddingLookup, FindsRowsInParts) {
  // Rows 0..6 of a table, cut in both ways; ids repeat.
  const std::vector<int32_t> ids = {6, 0, 3, 3, 5, 1};
  const auto row = [](int32_t id) { return std::vector<float>{id * 10.0f, id * 10.0f + 1}; };
  const auto part = [&](std::vector<int32_t> rows) {
    Tensor t(DType::kFloat32, {static_cast<int64_t>(rows.size()), 2});
    for (size_t i = 0; i < rows.size(); ++i)
      std::copy_n(row(rows[i]).begin(), 2, t.data<float>() + 2 * i);
    return t;
  };
  const Tensor expected = part(ids).Reshaped({2, 3, 2});
  const auto check = [&](std::vector<Tensor> parts, PartitionStrategy strategy) {
    parts.push_back(Tensor::Of<int32_t>(std::span<const int32_t>(ids), {2, 3}));
    CheckOp({.build =
                 [strategy](Graph&, const std::vector<Output>& in) {
                   return std::vector<Output>{EmbeddingLookup(std::span(in).first(in.size() - 1),
                                                              in.back(), {.strategy = strategy})};
                 },
             .inputs = parts,
             .expected = {expected}});
  };
  check({part({0, 1, 2, 3, 4, 5, 6})}, PartitionStrategy::kMod);
  check({part({0, 3, 6}), part({1, 4}), part({2, 5})}, PartitionStrategy::kMod);
  check({part({0, 1, 2}), part({3, 4}), part({5, 6})}, PartitionStrategy::kDiv);
}

}  // namespace
}  // namespace headrace
