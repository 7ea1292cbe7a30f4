#include "headrace/ops/nn/bias_add.h"

#include <gtest/gtest.h>

#include "headrace/graph/gradients.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

constexpr DTypeSet kTypes =
    kFloatTypes | kComplexTypes | DTypeSet{DType::kInt8,  DType::kInt16, DType::kInt32,
                                           DType::kInt64, DType::kUInt8, DType::kUInt16};

// Places of a tensor as [outer, channels, inner].
struct Layout {
  int64_t outer, channels, inner;
  Layout(const Shape& s, bool nchw)
      : outer(s.Product(0, nchw ? 1 : s.rank() - 1)),
        channels(s[nchw ? 1 : s.rank() - 1]),
        inner(nchw ? s.Product(2, s.rank()) : 1) {}
};

testing::Reference BiasReference(bool nchw) {
  return [nchw](const std::vector<Tensor>& in) {
    std::vector<double> x = testing::ToDoubles(in[0]);
    const std::vector<double> b = testing::ToDoubles(in[1]);
    const Layout l(in[0].shape(), nchw);
    for (size_t i = 0; i < x.size(); ++i) x[i] += b[i / l.inner % l.channels];
    return std::vector{testing::FromDoubles(x, in[0].shape())};
  };
}
testing::Reference SumReference(bool nchw) {
  return [nchw](const std::vector<Tensor>& in) {
    const std::vector<double> x = testing::ToDoubles(in[0]);
    const Layout l(in[0].shape(), nchw);
    std::vector<double> sums(l.channels);
    for (size_t i = 0; i < x.size(); ++i) sums[i / l.inner % l.channels] += x[i];
    return std::vector{testing::FromDoubles(sums, {l.channels})};
  };
}

TEST(BiasAdd, MatchesReference) {
  CheckOp({.op = "BiasAdd",
           .inputs = {RandomTensor(DType::kFloat32, {4, 3}, 0, 9),
                      RandomTensor(DType::kFloat32, {3}, 0, 9, 2)},
           .reference = BiasReference(false),
           .dtypes = kTypes,
           .shapes = {{{2, 3, 4, 5}, {5}},
                      {{0, 3}, {3}},
                      {{3, 0}, {0}},
                      {{1, 1}, {1}},
                      {{100, 500}, {500}},
                      {{300, 64}, {64}}}});
  CheckOp({.op = "BiasAdd",
           .attrs = {{"data_format", "NCHW"}},
           .inputs = {RandomTensor(DType::kFloat32, {2, 3, 4, 5}),
                      RandomTensor(DType::kFloat32, {3}, -1, 1, 2)},
           .reference = BiasReference(true),
           .shapes = {{{2, 3}, {3}}, {{2, 3, 7}, {3}}, {{0, 3, 2, 2}, {3}}}});
  CheckOp({.op = "BiasAddV1",
           .inputs = {RandomTensor(DType::kFloat32, {4, 3}),
                      RandomTensor(DType::kFloat32, {3}, -1, 1, 2)},
           .reference = BiasReference(false)});
}

TEST(BiasAdd, RefusesWrongShapes) {
  const Tensor x = RandomTensor(DType::kFloat32, {2, 3});
  CheckOpError({.op = "BiasAdd", .inputs = {x, RandomTensor(DType::kFloat32, {2})}});
  CheckOpError({.op = "BiasAdd", .inputs = {x, RandomTensor(DType::kFloat32, {3, 1})}});
  CheckOpError(
      {.op = "BiasAdd",
       .inputs = {RandomTensor(DType::kFloat32, {3}), RandomTensor(DType::kFloat32, {3})}});
  CheckOpError({.op = "BiasAddGrad", .inputs = {RandomTensor(DType::kFloat32, {3})}});
}

TEST(BiasAddGrad, MatchesReference) {
  CheckOp({.op = "BiasAddGrad",
           .inputs = {RandomTensor(DType::kFloat32, {4, 3})},
           .reference = SumReference(false),
           .dtypes = kTypes,
           .shapes = {{{2, 3, 4, 5}},
                      {{0, 3}},
                      {{3, 0}},
                      {{100, 10}},
                      {{50, 20, 70}},
                      {{999, 3}},
                      {{40, 40, 100, 1}}}});
  CheckOp({.op = "BiasAddGrad",
           .attrs = {{"data_format", "NCHW"}},
           .inputs = {RandomTensor(DType::kFloat32, {2, 3, 4, 5})},
           .reference = SumReference(true),
           .shapes = {{{2, 3}}, {{5, 1, 7}}, {{0, 3, 2, 2}}, {{2, 3, 4, 0}}}});
}

TEST(BiasAddGrad, GradientHasTensorFlowsNodes) {
  Graph g;
  const Output x = testing::FedTensor(g, DType::kFloat32, {2, 3, 4, 5}, "x");
  const Output y = BiasAddGrad(x, {.data_format = "NCHW", .name = "y"});
  Gradients(y, {x});
  ASSERT_TRUE(g.status().ok()) << g.status();
  for (const char* name :
       {"Shape", "Shape_1", "strided_slice", "ones_like", "strided_slice_1", "ones_like_1",
        "concat/axis", "concat", "strided_slice_2", "strided_slice_3", "concat_1/values_1",
        "concat_1/axis", "concat_1", "Reshape", "Tile"}) {
    EXPECT_NE(g.FindNode(StrCat("gradients/y_grad/", name)), nullptr) << name;
  }
}

}  // namespace
}  // namespace headrace
