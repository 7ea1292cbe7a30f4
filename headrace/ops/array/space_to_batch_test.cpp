// Blocks of pixels in the batch and in the channels, and layouts.
#include "headrace/ops/array/space_to_batch.h"

#include <gtest/gtest.h>

#include "headrace/ops/array/data_format.h"
#include "headrace/ops/array/space_to_depth.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

struct Blocks {
  std::vector<int64_t> block, border;  // border: before and after for each block
};

// Index of element `i` of a row-major shape.
std::vector<int64_t> IndexOf(int64_t i, const Shape& shape) {
  std::vector<int64_t> index(shape.rank());
  for (int d = shape.rank() - 1; d >= 0; --d) {
    index[d] = i % shape[d];
    i /= shape[d];
  }
  return index;
}
int64_t OffsetOf(const std::vector<int64_t>& index, const Shape& shape) {
  int64_t at = 0;
  for (int d = 0; d < shape.rank(); ++d) at = at * shape[d] + index[d];
  return at;
}

// The reference goes over the elements of the batched tensor.
testing::Reference BlocksReference(const Blocks& b, bool to_batch) {
  return [=](const std::vector<Tensor>& in) {
    const Shape from = in[0].shape();
    Shape to = from;
    int64_t count = 1;
    for (const int64_t size : b.block) count *= size;
    to.set_dim(0, to_batch ? from[0] * count : from[0] / count);
    for (size_t i = 0; i < b.block.size(); ++i) {
      const int d = static_cast<int>(i) + 1;
      const int64_t border = b.border[2 * i] + b.border[2 * i + 1];
      to.set_dim(d, to_batch ? (from[d] + border) / b.block[i] : from[d] * b.block[i] - border);
    }
    const Shape &small = to_batch ? to : from, &large = to_batch ? from : to;
    const std::vector<double> x = testing::ToDoubles(in[0]);
    std::vector<double> y(to.num_elements());
    for (int64_t i = 0; i < small.num_elements(); ++i) {
      std::vector<int64_t> index = IndexOf(i, small);
      int64_t part = index[0] / large[0];
      index[0] %= large[0];
      bool inside = true;
      for (size_t k = b.block.size(); k-- > 0;) {
        index[k + 1] = index[k + 1] * b.block[k] + part % b.block[k] - b.border[2 * k];
        part /= b.block[k];
        inside &= index[k + 1] >= 0 && index[k + 1] < large[static_cast<int>(k) + 1];
      }
      if (!inside) continue;
      const int64_t at = OffsetOf(index, large);
      (to_batch ? y[i] : y[at]) = to_batch ? x[at] : x[i];
    }
    return std::vector{testing::FromDoubles(y, to)};
  };
}

Tensor Ints(const std::vector<int64_t>& values, const Shape& shape) {
  return testing::Converted(Tensor::Of<int64_t>(values, shape), DType::kInt32);
}

struct Case {
  Shape shape;
  Blocks blocks;
};
const Case kToBatch[] = {
    {{2, 4, 6, 3}, {{2, 3}, {0, 0, 0, 0}}},
    {{1, 3, 4, 2}, {{2, 2}, {1, 0, 2, 2}}},
    {{2, 5}, {{3}, {4, 3}}},
    {{1, 2, 3, 4, 2}, {{1, 2, 4}, {0, 0, 1, 0, 0, 0}}},
    {{3, 4, 2}, {{}, {}}},
    {{0, 4, 4, 1}, {{2, 2}, {0, 0, 0, 0}}},
    {{1, 1, 1, 1}, {{4, 4}, {3, 0, 0, 3}}},
    {{2, 0, 3}, {{2}, {1, 1}}},
};

TEST(SpaceToBatch, MatchesReference) {
  for (const Case& c : kToBatch) {
    const int64_t rank = static_cast<int64_t>(c.blocks.block.size());
    const Tensor block = Ints(c.blocks.block, {rank}), border = Ints(c.blocks.border, {rank, 2});
    const Tensor x = RandomTensor(DType::kFloat32, c.shape, -9, 9);
    const Tensor y = BlocksReference(c.blocks, true)({x})[0];
    CheckOp({.op = "SpaceToBatchND",
             .inputs = {x, block, border},
             .constant_inputs = {1, 2},
             .reference = BlocksReference(c.blocks, true),
             .dtypes = DTypeSet{DType::kFloat64, DType::kInt8, DType::kInt64, DType::kFloat16},
             .gradient_of = std::vector<int>{0}});
    CheckOp({.op = "BatchToSpaceND",
             .inputs = {testing::Converted(y, DType::kFloat32), block, border},
             .constant_inputs = {1, 2},
             .reference = BlocksReference(c.blocks, false),
             .dtypes = DTypeSet{DType::kFloat64, DType::kUInt8, DType::kInt32},
             .gradient_of = std::vector<int>{0}});
  }
}

TEST(SpaceToBatch, OfImages) {
  const Blocks blocks{{2, 2}, {1, 0, 0, 1}};
  const Tensor x = RandomTensor(DType::kFloat32, {2, 3, 5, 2}),
               border = Ints(blocks.border, {2, 2});
  CheckOp({.op = "SpaceToBatch",
           .attrs = {{"block_size", int64_t{2}}},
           .inputs = {x, border},
           .constant_inputs = {1},
           .reference = BlocksReference(blocks, true),
           .gradient_of = std::vector<int>{0}});
  CheckOp({.op = "BatchToSpace",
           .attrs = {{"block_size", int64_t{2}}},
           .inputs = {RandomTensor(DType::kFloat32, {4, 2, 3, 2}), border},
           .constant_inputs = {1},
           .reference = BlocksReference(blocks, false),
           .gradient_of = std::vector<int>{0}});
}

TEST(SpaceToBatch, RefusesWrongArguments) {
  const auto check = [](const char* op, const Shape& shape, const Tensor& block,
                        const Tensor& border, const char* text) {
    CheckOpError({.op = op,
                  .inputs = {RandomTensor(DType::kFloat32, shape), block, border},
                  .constant_inputs = {1, 2},
                  .text = text});
  };
  const Tensor two = Ints({2, 2}, {2}), none = Ints({0, 0, 0, 0}, {2, 2});
  check("SpaceToBatchND", {2, 4}, two, none, "input rank should be >= 3 instead of 2");
  check("SpaceToBatchND", {2, 4, 4}, two, Ints({0, 0}, {1, 2}), "have shape");
  check("SpaceToBatchND", {2, 4, 4}, Ints({2, 0}, {2}), none, "positive");
  check("SpaceToBatchND", {2, 4, 4}, two, Ints({0, -1, 0, 0}, {2, 2}), "negative");
  check("SpaceToBatchND", {2, 4, 5}, two, none, "divisible by");
  check("BatchToSpaceND", {3, 4, 4}, two, none, "divisible by");
  check("BatchToSpaceND", {4, 1, 1}, two, Ints({1, 2, 0, 0}, {2, 2}), "");
  CheckOpError({.op = "SpaceToBatch",
                .attrs = {{"block_size", int64_t{1}}},
                .inputs = {RandomTensor(DType::kFloat32, {1, 2, 2, 1}), none},
                .constant_inputs = {1},
                .text = "block_size",
                .in_step = false});
}

TEST(SpaceToDepth, MatchesReference) {
  for (const bool first : {false, true}) {
    const auto reference = [first](bool to_depth) -> testing::Reference {
      return [=](const std::vector<Tensor>& in) {
        const int64_t block = 2;
        const int channel = first ? 1 : 3, height = first ? 2 : 1;
        Shape to = in[0].shape();
        to.set_dim(channel, to_depth ? to[channel] * 4 : to[channel] / 4);
        for (int i : {height, height + 1}) to.set_dim(i, to_depth ? to[i] / block : to[i] * block);
        const Shape &depth = to_depth ? to : in[0].shape(), &space = to_depth ? in[0].shape() : to;
        const std::vector<double> x = testing::ToDoubles(in[0]);
        std::vector<double> y(x.size());
        for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
          std::vector<int64_t> index = IndexOf(i, depth);
          const int64_t pixel = index[channel] / space[channel];
          index[channel] %= space[channel];
          index[height] = index[height] * block + pixel / block;
          index[height + 1] = index[height + 1] * block + pixel % block;
          const int64_t at = OffsetOf(index, space);
          (to_depth ? y[i] : y[at]) = to_depth ? x[at] : x[i];
        }
        return std::vector{testing::FromDoubles(y, to)};
      };
    };
    const AttrMap attrs{{"block_size", int64_t{2}}, {"data_format", first ? "NCHW" : "NHWC"}};
    CheckOp({.op = "SpaceToDepth",
             .attrs = attrs,
             .inputs = {RandomTensor(DType::kFloat32, {2, 4, 4, 6}, -9, 9)},
             .reference = reference(true),
             .dtypes = DTypeSet{DType::kFloat64, DType::kInt16, DType::kBool},
             .shapes = {{{0, 2, 2, 2}}, {{1, 2, 2, 2}}}});
    CheckOp({.op = "DepthToSpace",
             .attrs = attrs,
             .inputs = {RandomTensor(DType::kFloat32, {2, 4, 4, 8}, -9, 9)},
             .reference = reference(false),
             .dtypes = DTypeSet{DType::kFloat64, DType::kUInt8},
             .shapes = {{{0, 4, 2, 4}}, {{1, 4, 1, 4}}}});
  }
}

TEST(SpaceToDepth, MovesText) {
  CheckOp({.op = "DepthToSpace",
           .attrs = {{"block_size", int64_t{2}}},
           .inputs = {Tensor::Of<std::string>({"a", "b", "c", "d"}, {1, 1, 1, 4})},
           .expected = {Tensor::Of<std::string>({"a", "b", "c", "d"}, {1, 2, 2, 1})}});
}

TEST(SpaceToDepth, RefusesWrongArguments) {
  const auto check = [](const char* op, const Shape& shape, int64_t block, const char* text,
                        bool in_step = true) {
    CheckOpError({.op = op,
                  .attrs = {{"block_size", block}},
                  .inputs = {RandomTensor(DType::kFloat32, shape)},
                  .text = text,
                  .in_step = in_step});
  };
  check("SpaceToDepth", {1, 3, 4, 1}, 2, "divisible by");
  check("SpaceToDepth", {3, 4, 1}, 2, "");
  check("DepthToSpace", {1, 3, 4, 6}, 2, "divisible by");
  check("SpaceToDepth", {1, 3, 4, 1}, 1, "block_size", false);
}

TEST(DataFormat, MapsDimensionsAndPermutesVectors) {
  CheckOp({.op = "DataFormatDimMap",
           .inputs = {Tensor::Of<int32_t>({0, 1, -1, -4, 3, 2}, {2, 3})},
           .expected = {Tensor::Of<int32_t>({0, 2, 1, 0, 1, 3}, {2, 3})}});
  CheckOp({.op = "DataFormatDimMap",
           .attrs = {{"src_format", "NDHWC"}, {"dst_format", "NCDHW"}},
           .inputs = {Tensor::Of<int64_t>({4, 1})},
           .expected = {Tensor::Of<int64_t>({1, 2})}});
  CheckOp({.op = "DataFormatVecPermute",
           .inputs = {Tensor::Of<int32_t>({1, 2, 3, 4})},
           .expected = {Tensor::Of<int32_t>({1, 4, 2, 3})}});
  CheckOp({.op = "DataFormatVecPermute",
           .attrs = {{"src_format", "NHWC"}, {"dst_format", "HWNC"}},
           .inputs = {Tensor::Of<int64_t>({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2})},
           .expected = {Tensor::Of<int64_t>({3, 4, 5, 6, 1, 2, 7, 8}, {4, 2})}});
}

TEST(DataFormat, RefusesWrongArguments) {
  const auto check = [](const Tensor& x, const char* src, const char* dst, const char* text) {
    CheckOpError({.op = "DataFormatVecPermute",
                  .attrs = {{"src_format", src}, {"dst_format", dst}},
                  .inputs = {x},
                  .text = text,
                  .at_build = false});
  };
  const Tensor four = Tensor::Of<int32_t>({1, 2, 3, 4});
  check(four, "NHW", "NCHW", "Source format must be of length 4 or 5");
  check(four, "NHWC", "NCDW", "must determine a permutation, got NHWC and NCDW");
  check(four, "NHWW", "NWWH", "must determine a permutation");
  check(Tensor::Of<int32_t>({1, 2, 3}), "NHWC", "NCHW", "1D input must be of size 4");
  check(Tensor::Of<int32_t>({1, 2, 3, 4}, {4, 1}), "NHWC", "NCHW",
        "Second dimension of 2D input must be of size 2");
}

}  // namespace
}  // namespace headrace
