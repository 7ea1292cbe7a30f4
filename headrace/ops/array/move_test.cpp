// Transpose, InvertPermutation, Tile, BroadcastTo, Pad, MirrorPad, Reverse, OneHot.
#include <gtest/gtest.h>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/one_hot.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

const Tensor& Matrix() {
  static const Tensor& x = *new Tensor(Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  return x;
}

Tensor Ints(std::initializer_list<int32_t> v) {
  return Tensor::Of<int32_t>(v);
}

void ExpectMoved(std::string op, const Tensor& x, const Tensor& how, const Tensor& expected) {
  CheckOp(
      {.op = std::move(op), .inputs = {x, how}, .constant_inputs = {1}, .expected = {expected}});
}

void ExpectRefused(std::string op, const Tensor& how, std::string text, bool at_build = true) {
  CheckOpError({.op = std::move(op),
                .inputs = {Matrix(), how},
                .constant_inputs = {1},
                .text = std::move(text),
                .at_build = at_build});
}

TEST(Transpose, ReordersDimensions) {
  ExpectMoved("Transpose", Matrix(), Ints({1, 0}), Tensor::Of<float>({1, 4, 2, 5, 3, 6}, {3, 2}));
  ExpectMoved("Transpose", Matrix(), Ints({0, 1}), Matrix());
  ExpectMoved("Transpose", Tensor::Of<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}),
              Tensor::Of<int64_t>({2, 0, 1}),
              Tensor::Of<float>({1, 3, 5, 7, 2, 4, 6, 8}, {2, 2, 2}));
  ExpectMoved("Transpose", Tensor(DType::kFloat32, {0, 3}), Ints({1, 0}),
              Tensor(DType::kFloat32, {3, 0}));
  ExpectMoved("Transpose", Tensor::Scalar(4.0f), Tensor(DType::kInt32, {0}), Tensor::Scalar(4.0f));
  ExpectRefused("Transpose", Ints({0}),
                "transpose expects a vector of size 2. But input(1) is a vector of size 1");
  ExpectRefused("Transpose", Ints({0, 0}), "1 is missing from {0,0}.");
  ExpectRefused("Transpose", Ints({0, 2}), "2 is out of range [0 .. 2)");
}

TEST(Transpose, ConjugatesWhenAsked) {
  using C = std::complex<float>;
  const Tensor x = Tensor::Of<C>({C(1, 2), C(3, -4)}, {1, 2});
  CheckOp({.op = "ConjugateTranspose",
           .inputs = {x, Ints({1, 0})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<C>({C(1, -2), C(3, 4)}, {2, 1})},
           .gradient_of = {{}}});
  Graph g;
  testing::GraphRunner runner;
  const Tensor y = testing::Evaluate(Transpose(Const(g, x), {1, 0}, {.conjugate = true}));
  EXPECT_EQ(y.data<C>()[0], C(1, -2));
  EXPECT_EQ(Transpose(Placeholder(g, DType::kFloat32, {2, 3, 4})).shape(), (PartialShape{4, 3, 2}));
}

TEST(InvertPermutation, Inverts) {
  CheckOp({.op = "InvertPermutation", .inputs = {Ints({2, 0, 1})}, .expected = {Ints({1, 2, 0})}});
  const auto refused = [](const Tensor& x, const char* text, bool at_build) {
    CheckOpError({.op = "InvertPermutation", .inputs = {x}, .text = text, .at_build = at_build});
  };
  refused(Ints({0, 0}), "0 is duplicated in the input.", false);
  refused(Ints({0, 2}), "2 is not between 0 and 2", false);
  refused(Tensor(DType::kInt32, {1, 1}), "expects a 1D vector", true);
}

// Their gradients sum over more dimensions than a tensor may have.
TEST(Tile, RepeatsManyDimensions) {
  CheckOp({.op = "Tile",
           .inputs = {RandomTensor(DType::kFloat64, {2, 1, 2, 1, 2, 1, 2}),
                      Tensor::Of<int32_t>({1, 2, 1, 2, 2, 1, 1})},
           .constant_inputs = {1}});
  CheckOp({.op = "Tile",
           .inputs = {RandomTensor(DType::kFloat64, {1, 2, 0, 1, 2}),
                      Tensor::Of<int64_t>({2, 1, 3, 2, 0})},
           .constant_inputs = {1},
           .expected = {Tensor(DType::kFloat64, {2, 2, 0, 2, 0})}});
}

TEST(Tile, Repeats) {
  ExpectMoved("Tile", Matrix(), Ints({1, 2}),
              Tensor::Of<float>({1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}, {2, 6}));
  ExpectMoved("Tile", Matrix(), Ints({2, 1}),
              Tensor::Of<float>({1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, {4, 3}));
  ExpectMoved("Tile", Matrix(), Ints({0, 2}), Tensor(DType::kFloat32, {0, 6}));
  ExpectMoved("Tile", Tensor::Of<std::string>({"a", "b"}), Ints({2}),
              Tensor::Of<std::string>({"a", "b", "a", "b"}));
  CheckOp({.op = "TileGrad",
           .inputs = {Tensor::Of<float>({1, 2, 3, 4, 5, 6}), Ints({3})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({9, 12})}});
  ExpectRefused("Tile", Ints({1}), "vector of length 2 but got length 1");
  ExpectRefused("Tile", Ints({1, -1}), "Expected multiples[1] >= 0, but got -1");
}

TEST(BroadcastTo, Repeats) {
  ExpectMoved("BroadcastTo", Tensor::Of<float>({1, 2, 3}), Ints({2, 3}),
              Tensor::Of<float>({1, 2, 3, 1, 2, 3}, {2, 3}));
  ExpectMoved("BroadcastTo", Tensor::Of<float>({1, 2}, {2, 1}), Ints({2, 3}),
              Tensor::Of<float>({1, 1, 1, 2, 2, 2}, {2, 3}));
  ExpectMoved("BroadcastTo", Tensor::Scalar(1.0f), Ints({2}), Tensor::Of<float>({1, 1}));
  ExpectRefused("BroadcastTo", Ints({3, 3}), "Incompatible shapes: [2,3] vs. [3,3]");
  ExpectRefused("BroadcastTo", Ints({3}),
                "Rank of input (2) must be no greater than rank of output shape (1).");
}

TEST(Pad, PutsABorderAround) {
  const Tensor paddings = Tensor::Of<int32_t>({1, 0, 0, 2}, {2, 2});
  ExpectMoved("Pad", Matrix(), paddings,
              Tensor::Of<float>({0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0, 0}, {3, 5}));
  ExpectMoved("Pad", Matrix(), Tensor::Of<int64_t>({0, 0, 0, 0}, {2, 2}), Matrix());
  ExpectMoved("Pad", Tensor(DType::kFloat32, {0, 1}), paddings,
              Tensor::Of<float>({0, 0, 0}, {1, 3}));
  CheckOp({.op = "PadV2",
           .inputs = {Tensor::Of<float>({1}), Tensor::Of<int32_t>({1, 2}, {1, 2}),
                      Tensor::Scalar(9.0f)},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({9, 1, 9, 9})},
           .gradient_of = {{0}}});
  ExpectRefused("Pad", Tensor::Of<int32_t>({1, -1, 0, 0}, {2, 2}),
                "Paddings must be non-negative: 1 -1");
  ExpectRefused("Pad", Tensor::Of<int32_t>({1, 1}, {1, 2}),
                "The first dimension of paddings must be the rank of inputs[1,2] [2,3]");
  ExpectRefused("Pad", Tensor(DType::kInt32, {2, 3}),
                "paddings must be a matrix with 2 columns: [2,3]");
}

TEST(MirrorPad, MirrorsTheEdges) {
  const auto mirrored = [](const char* mode, const Tensor& expected) {
    CheckOp({.op = "MirrorPad",
             .attrs = {{"mode", mode}},
             .inputs = {Tensor::Of<float>({1, 2, 3}), Tensor::Of<int32_t>({2, 1}, {1, 2})},
             .constant_inputs = {1},
             .expected = {expected}});
  };
  mirrored("REFLECT", Tensor::Of<float>({3, 2, 1, 2, 3, 2}));
  mirrored("SYMMETRIC", Tensor::Of<float>({2, 1, 1, 2, 3, 3}));
  CheckOp({.op = "MirrorPad",
           .attrs = {{"mode", "REFLECT"}},
           .inputs = {Matrix(), Tensor::Of<int32_t>({1, 0, 0, 2}, {2, 2})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({4, 5, 6, 5, 4, 1, 2, 3, 2, 1, 4, 5, 6, 5, 4}, {3, 5})}});
  CheckOp({.op = "MirrorPadGrad",
           .attrs = {{"mode", "SYMMETRIC"}},
           .inputs = {Tensor::Of<float>({1, 10, 100, 1000, 10000, 100000}),
                      Tensor::Of<int32_t>({2, 1}, {1, 2})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({110, 1001, 110000})}});
  CheckOpError({.op = "MirrorPad",
                .attrs = {{"mode", "REFLECT"}},
                .inputs = {Matrix(), Tensor::Of<int32_t>({2, 0, 0, 0}, {2, 2})},
                .constant_inputs = {1},
                .text = "paddings must be less than the dimension size: 2, 0 not less than 2",
                .at_build = false});
}

TEST(MirrorPad, MirrorsAllDimensions) {
  const Tensor x = RandomTensor(DType::kInt32, {4, 3, 5}, -100, 100);
  const int64_t before[] = {2, 1, 3};
  for (const bool symmetric : {false, true}) {
    Tensor expected(DType::kInt32, {7, 6, 12});
    // The place inside that a place of the padded tensor mirrors.
    const auto inside = [&](int d, int64_t at) {
      const int64_t size = x.dim(d), place = at - before[d];
      if (place < 0) return -place - (symmetric ? 1 : 0);
      return place < size ? place : 2 * size - place - (symmetric ? 1 : 2);
    };
    int32_t* to = expected.data<int32_t>();
    for (int64_t i = 0; i < 7; ++i) {
      for (int64_t j = 0; j < 6; ++j) {
        for (int64_t k = 0; k < 12; ++k)
          *to++ = x.data<int32_t>()[(inside(0, i) * 3 + inside(1, j)) * 5 + inside(2, k)];
      }
    }
    CheckOp({.op = "MirrorPad",
             .attrs = {{"mode", symmetric ? "SYMMETRIC" : "REFLECT"}},
             .inputs = {x, Tensor::Of<int32_t>({2, 1, 1, 2, 3, 4}, {3, 2})},
             .constant_inputs = {1},
             .expected = {expected}});
  }
}

TEST(Reverse, TurnsAxesAround) {
  ExpectMoved("ReverseV2", Matrix(), Ints({1}), Tensor::Of<float>({3, 2, 1, 6, 5, 4}, {2, 3}));
  ExpectMoved("ReverseV2", Matrix(), Ints({-2, 1}), Tensor::Of<float>({6, 5, 4, 3, 2, 1}, {2, 3}));
  ExpectMoved("Reverse", Matrix(), Tensor::Of<bool>({true, false}),
              Tensor::Of<float>({4, 5, 6, 1, 2, 3}, {2, 3}));
  ExpectRefused("ReverseV2", Ints({2}), "'axis'[0] = 2 is out of valid range [0, 1");
  ExpectRefused("ReverseV2", Ints({0, -2}), "axis 0 specified more than once.");
}

TEST(ReverseSequence, TurnsBeginningsAround) {
  CheckOp({.op = "ReverseSequence",
           .attrs = {{"seq_dim", int64_t{1}}},
           .inputs = {Matrix(), Tensor::Of<int64_t>({2, 3})},
           .expected = {Tensor::Of<float>({2, 1, 3, 6, 5, 4}, {2, 3})}});
  CheckOpError({.op = "ReverseSequence",
                .attrs = {{"seq_dim", int64_t{1}}},
                .inputs = {Matrix(), Tensor::Of<int64_t>({4, 3})},
                .text = "seq_lens(0) > input.dims(1)",
                .at_build = false});
}

TEST(OneHot, SetsOneEntry) {
  const auto hot = [](int64_t axis, const Tensor& expected) {
    CheckOp({.op = "OneHot",
             .attrs = {{"axis", axis}},
             .inputs = {Tensor::Of<int64_t>({2, -1, 1}), Tensor::Scalar<int32_t>(4),
                        Tensor::Scalar(5.0f), Tensor::Scalar(-1.0f)},
             .constant_inputs = {1},
             .expected = {expected}});
  };
  hot(-1, Tensor::Of<float>({-1, -1, 5, -1, -1, -1, -1, -1, -1, 5, -1, -1}, {3, 4}));
  hot(0, Tensor::Of<float>({-1, -1, -1, -1, -1, 5, 5, -1, -1, -1, -1, -1}, {4, 3}));
  CheckOp({.op = "OneHot",
           .inputs = {Tensor::Of<uint8_t>({1, 0}), Tensor::Scalar<int32_t>(2), Tensor::Scalar(true),
                      Tensor::Scalar(false)},
           .constant_inputs = {1},
           .expected = {Tensor::Of<bool>({false, true, true, false}, {2, 2})}});
  CheckOpError({.op = "OneHot",
                .attrs = {{"axis", int64_t{3}}},
                .inputs = {Ints({0}), Tensor::Scalar<int32_t>(3), Tensor::Scalar(1.0f),
                           Tensor::Scalar(0.0f)},
                .constant_inputs = {1},
                .text = "Expected axis to be -1 or between [0, 2).  But received: 3"});
  CheckOpError({.op = "OneHot",
                .inputs = {Ints({0}), Tensor::Scalar<int32_t>(-1), Tensor::Scalar(1.0f),
                           Tensor::Scalar(0.0f)},
                .constant_inputs = {1},
                .text = "depth must be non-negative, got: -1"});
}

}  // namespace
}  // namespace headrace
