// Where, Unique, ListDiff, BooleanMask, segment ops, DynamicPartition, DynamicStitch.
#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/array/where.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::ToDoubles;

Tensor Ints(std::initializer_list<int32_t> v) {
  return Tensor::Of<int32_t>(v);
}

TEST(Where, GivesCoordinates) {
  const Tensor expected = Tensor::Of<int64_t>({0, 0, 1, 1}, {2, 2});
  CheckOp({.op = "Where",
           .inputs = {Tensor::Of<float>({1, 0, 0, NAN}, {2, 2})},
           .expected = {expected},
           .static_shape = false});
  CheckOp({.op = "Where",
           .inputs = {Tensor::Of<bool>({true, false, false, true}, {2, 2})},
           .expected = {expected},
           .static_shape = false});
  CheckOp({.op = "Where",
           .inputs = {Tensor::Scalar(true)},
           .expected = {Tensor(DType::kInt64, {1, 0})},
           .static_shape = false});
  CheckOp({.op = "Where",
           .inputs = {Tensor(DType::kInt32, {0, 3})},
           .expected = {Tensor(DType::kInt64, {0, 2})},
           .static_shape = false});
}

TEST(Where, GivesCoordinatesOfManyElements) {
  const Tensor x = testing::RandomTensor(DType::kBool, {3, 17, 21});
  std::vector<int64_t> places;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    if (x.data<bool>()[i]) places.insert(places.end(), {i / 357, i / 21 % 17, i % 21});
  }
  const Shape shape{static_cast<int64_t>(places.size() / 3), 3};
  CheckOp({.op = "Where",
           .inputs = {x},
           .expected = {Tensor::Of<int64_t>(std::span<const int64_t>(places), shape)},
           .static_shape = false});
}

TEST(Unique, KeepsTheOrderOfAppearance) {
  const Tensor x = Ints({7, 3, 7, 7, 5, 3});
  CheckOp({.op = "Unique",
           .inputs = {x},
           .expected = {Ints({7, 3, 5}), Ints({0, 1, 0, 0, 2, 1})},
           .static_shape = false});
  CheckOp({.op = "UniqueWithCounts",
           .attrs = {{"out_idx", DType::kInt64}},
           .inputs = {x},
           .expected = {Ints({7, 3, 5}), Tensor::Of<int64_t>({0, 1, 0, 0, 2, 1}),
                        Tensor::Of<int64_t>({3, 2, 1})},
           .static_shape = false});
  CheckOp({.op = "Unique",
           .inputs = {Tensor::Of<std::string>({"b", "a", "b"})},
           .expected = {Tensor::Of<std::string>({"b", "a"}), Ints({0, 1, 0})},
           .static_shape = false});
  CheckOp({.op = "Unique",
           .inputs = {Tensor(DType::kInt64, {0})},
           .expected = {Tensor(DType::kInt64, {0}), Tensor(DType::kInt32, {0})},
           .static_shape = false});
  CheckOpError({.op = "Unique",
                .inputs = {Tensor(DType::kInt32, {2, 2})},
                .text = "unique expects a 1D vector."});
}

TEST(Unique, ComparesSlicesAlongAnAxis) {
  const Tensor x = Ints({1, 2, 1, 3, 4, 3}).Reshaped({2, 3});
  CheckOp({.op = "UniqueV2",
           .inputs = {x, Tensor::Of<int64_t>({1})},
           .constant_inputs = {1},
           .expected = {Ints({1, 2, 3, 4}).Reshaped({2, 2}), Ints({0, 1, 0})},
           .static_shape = false});
  CheckOp({.op = "UniqueV2",
           .inputs = {Ints({4, 4, 2}), Tensor(DType::kInt64, {0})},
           .constant_inputs = {1},
           .expected = {Ints({4, 2}), Ints({0, 0, 1})},
           .static_shape = false});
}

TEST(ListDiff, LeavesOutWhatTheOtherHas) {
  CheckOp({.op = "ListDiff",
           .inputs = {Ints({1, 2, 3, 2, 4}), Ints({2, 9})},
           .expected = {Ints({1, 3, 4}), Ints({0, 2, 4})},
           .static_shape = false});
}

TEST(BooleanMask, KeepsWhatIsSet) {
  const Tensor x = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto masked = [&](const Tensor& mask, int64_t axis, const Tensor& expected) {
    CheckOp({.build =
                 [axis](Graph&, const std::vector<Output>& in) {
                   return std::vector<Output>{BooleanMask(in[0], in[1], {.axis = axis})};
                 },
             .inputs = {x, mask},
             .constant_inputs = {1},
             .expected = {expected},
             .static_shape = false});
  };
  masked(Tensor::Of<bool>({true, false, true}), 0, Tensor::Of<float>({1, 2, 5, 6}, {2, 2}));
  masked(Tensor::Of<bool>({false, true}), 1, Tensor::Of<float>({2, 4, 6}, {3, 1}));
  masked(Tensor::Of<bool>({true, false, false, true, false, true}, {3, 2}), 0,
         Tensor::Of<float>({1, 4, 6}));
}

const Tensor& Rows() {
  static const Tensor& rows = *new Tensor(Tensor::Of<float>({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}));
  return rows;
}

TEST(UnsortedSegment, FoldsRowsById) {
  const Tensor ids = Ints({2, 0, -1, 2}), num = Tensor::Scalar<int32_t>(4);
  const auto folded = [&](const char* op, const Tensor& expected) {
    CheckOp({.op = op,
             .inputs = {Rows(), ids, num},
             .constant_inputs = {1, 2},
             .expected = {expected}});
  };
  const float low = -3.402823466e38f, high = 3.402823466e38f;
  folded("UnsortedSegmentSum", Tensor::Of<float>({3, 4, 0, 0, 8, 10, 0, 0}, {4, 2}));
  folded("UnsortedSegmentProd", Tensor::Of<float>({3, 4, 1, 1, 7, 16, 1, 1}, {4, 2}));
  // What stands in a segment without rows is too large for differences: the gradient is checked
  // where all segments have rows.
  const auto bounded = [&](const char* op, const Tensor& with_empty, const Tensor& expected) {
    CheckOp({.op = op,
             .inputs = {Rows(), ids, num},
             .constant_inputs = {1, 2},
             .expected = {with_empty},
             .gradient_of = {{}}});
    CheckOp({.op = op,
             .inputs = {Rows(), Ints({1, 0, -1, 1}), Tensor::Scalar<int32_t>(2)},
             .constant_inputs = {1, 2},
             .expected = {expected}});
  };
  bounded("UnsortedSegmentMax", Tensor::Of<float>({3, 4, low, low, 7, 8, low, low}, {4, 2}),
          Tensor::Of<float>({3, 4, 7, 8}, {2, 2}));
  bounded("UnsortedSegmentMin", Tensor::Of<float>({3, 4, high, high, 1, 2, high, high}, {4, 2}),
          Tensor::Of<float>({3, 4, 1, 2}, {2, 2}));
  CheckOp({.op = "UnsortedSegmentSum",
           .inputs = {Rows(), Tensor::Of<int64_t>({1, 0, 0, 0, 1, 1, 0, 0}, {4, 2}),
                      Tensor::Scalar<int64_t>(2)},
           .constant_inputs = {1, 2},
           .expected = {Tensor::Of<float>({24, 12})}});
  CheckOp({.op = "UnsortedSegmentSum",
           .inputs = {Ints({1, 2, 3, 4}), Ints({1, 1, 1, 1}), num},
           .constant_inputs = {1, 2},
           .expected = {Ints({0, 10, 0, 0})}});
}

TEST(UnsortedSegment, RefusesIdsOutside) {
  const auto refused = [](const Tensor& ids, int32_t num, const char* text, bool at_build) {
    CheckOpError({.op = "UnsortedSegmentSum",
                  .inputs = {Rows(), ids, Tensor::Scalar(num)},
                  .constant_inputs = {2},
                  .text = text,
                  .at_build = at_build});
  };
  refused(Ints({0, 5, 0, 0}), 3, "segment_ids[1] = 5 is out of range [0, 3)", false);
  refused(Ints({0, 1}), 3, "data.shape = [4,2] does not start with segment_ids.shape = [2]", true);
  refused(Ints({0, 0, 0, 0}), -1, "Input num_segments == -1 must not be negative.", true);
}

TEST(Segment, FoldsRowsInOrder) {
  const Tensor ids = Ints({1, 1, 3, 3});
  const auto folded = [&](const char* op, const Tensor& expected) {
    // A segment without rows makes the second gradient of a mean 0 / 0, in TensorFlow too.
    CheckOp({.op = op,
             .inputs = {Rows(), ids},
             .constant_inputs = {1},
             .expected = {expected},
             .second_order = false});
    CheckOp({.op = op,
             .inputs = {Rows(), Ints({0, 0, 1, 1})},
             .constant_inputs = {1},
             .expected = {testing::FromDoubles({ToDoubles(expected)[2], ToDoubles(expected)[3],
                                                ToDoubles(expected)[6], ToDoubles(expected)[7]},
                                               {2, 2})}});
  };
  folded("SegmentSum", Tensor::Of<float>({0, 0, 4, 6, 0, 0, 12, 14}, {4, 2}));
  folded("SegmentMean", Tensor::Of<float>({0, 0, 2, 3, 0, 0, 6, 7}, {4, 2}));
  folded("SegmentMax", Tensor::Of<float>({0, 0, 3, 4, 0, 0, 7, 8}, {4, 2}));
  folded("SegmentMin", Tensor::Of<float>({0, 0, 1, 2, 0, 0, 5, 6}, {4, 2}));
  CheckOp({.op = "SegmentProd",
           .inputs = {Rows(), ids},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({1, 1, 3, 8, 1, 1, 35, 48}, {4, 2})},
           .gradient_of = {{}}});
  const auto refused = [](const Tensor& bad, const char* text) {
    CheckOpError({.op = "SegmentSum", .inputs = {Rows(), bad}, .text = text, .at_build = false});
  };
  refused(Ints({0, 2, 1, 3}), "segment ids are not increasing");
  refused(Ints({-1, 0, 1, 1}), "Segment id -1 out of range [0, 2)");
  CheckOpError({.op = "SegmentSum",
                .inputs = {Rows(), Ints({0, 1})},
                .text = "same size as dimension 0 of input"});
}

TEST(DynamicPartition, SortsRows) {
  CheckOp({.op = "DynamicPartition",
           .attrs = {{"num_partitions", 3}},
           .inputs = {Rows(), Ints({2, 0, 2, 0})},
           .expected = {Tensor::Of<float>({3, 4, 7, 8}, {2, 2}), Tensor(DType::kFloat32, {0, 2}),
                        Tensor::Of<float>({1, 2, 5, 6}, {2, 2})},
           .static_shape = false});
  CheckOpError({.op = "DynamicPartition",
                .attrs = {{"num_partitions", 2}},
                .inputs = {Rows(), Ints({0, 2, 0, 0})},
                .text = "partitions[1] = 2 is not in [0, 2)",
                .at_build = false});
  CheckOpError({.op = "DynamicPartition",
                .attrs = {{"num_partitions", 2}},
                .inputs = {Rows(), Ints({0, 1})},
                .text = "data.shape must start with partitions.shape"});
}

TEST(DynamicStitch, PutsRowsInOrder) {
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) {
    CheckOp({.op = op,
             .attrs = {{"N", 2}},
             .inputs = {Ints({3, 0}), Tensor::Scalar<int32_t>(1),
                        Tensor::Of<float>({1, 2, 3, 4}, {2, 2}), Tensor::Of<float>({5, 6})},
             .constant_inputs = {0, 1},
             .expected = {Tensor::Of<float>({3, 4, 5, 6, 0, 0, 1, 2}, {4, 2})}});
  }
  CheckOpError({.op = "DynamicStitch",
                .attrs = {{"N", 1}},
                .inputs = {Ints({0, -1}), Tensor::Of<float>({1, 2})},
                .text = "indices[0] is out of range",
                .at_build = false});
}

}  // namespace
}  // namespace headrace
