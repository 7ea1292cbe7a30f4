// Slice, StridedSlice and its gradient op, StridedSliceAssign, At.
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Difference;
using testing::Evaluate;
using testing::RandomTensor;

Tensor Ints(std::vector<int32_t> v) {
  return Tensor::Of<int32_t>(std::span<const int32_t>(v), {static_cast<int64_t>(v.size())});
}

Tensor Counted(const Shape& shape) {
  Tensor x(DType::kFloat32, shape);
  for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] = static_cast<float>(i);
  return x;
}

TEST(Slice, CutsABox) {
  const Tensor x = Counted({3, 4});
  CheckOp({.op = "Slice",
           .inputs = {x, Ints({1, 1}), Ints({2, 2})},
           .constant_inputs = {1, 2},
           .expected = {Tensor::Of<float>({5, 6, 9, 10}, {2, 2})}});
  CheckOp({.op = "Slice",
           .inputs = {x, Ints({0, 3}), Ints({-1, -1})},
           .constant_inputs = {1, 2},
           .expected = {Tensor::Of<float>({3, 7, 11}, {3, 1})}});
  CheckOp({.op = "Slice",
           .inputs = {x, Ints({3, 0}), Ints({0, 4})},
           .constant_inputs = {1, 2},
           .expected = {Tensor(DType::kFloat32, {0, 4})}});
  CheckOp({.op = "Slice",
           .inputs = {Tensor::Of<std::string>({"a", "b", "c"}), Ints({1}), Ints({-1})},
           .constant_inputs = {1, 2},
           .expected = {Tensor::Of<std::string>({"b", "c"})}});
}

TEST(Slice, RefusesWhatIsOutside) {
  const Tensor x = Counted({2, 3});
  const auto refused = [&](const Tensor& begin, const Tensor& size, const char* text) {
    CheckOpError(
        {.op = "Slice", .inputs = {x, begin, size}, .constant_inputs = {1, 2}, .text = text});
  };
  refused(Ints({0, 1}), Ints({2, 3}), "Expected size[1] in [0, 2], but got 3");
  refused(Ints({3, 0}), Ints({-1, -1}), "Expected begin[0] in [0, 2], but got 3");
  refused(Ints({0}), Ints({1}), "1-D tensors of size 2");
  refused(Ints({0, 0}), Ints({-2, 1}), "but got -2");
}

struct Masks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
  AttrMap Attrs() const {
    return {{"begin_mask", begin},
            {"end_mask", end},
            {"ellipsis_mask", ellipsis},
            {"new_axis_mask", new_axis},
            {"shrink_axis_mask", shrink}};
  }
};

void ExpectSlice(const Tensor& x, std::vector<int32_t> begin, std::vector<int32_t> end,
                 std::vector<int32_t> strides, Masks masks, const Tensor& expected) {
  CheckOp({.op = "StridedSlice",
           .attrs = masks.Attrs(),
           .inputs = {x, Ints(begin), Ints(end), Ints(strides)},
           .constant_inputs = {1, 2, 3},
           .expected = {expected}});
}

TEST(StridedSlice, FollowsPythonsBrackets) {
  const Tensor x = Counted({3, 4});
  ExpectSlice(x, {1}, {3}, {1}, {},
              Tensor::Of<float>({4, 5, 6, 7, 8, 9, 10, 11}, {2, 4}));               // x[1:3]
  ExpectSlice(x, {1}, {2}, {1}, {.shrink = 1}, Tensor::Of<float>({4, 5, 6, 7}));    // x[1]
  ExpectSlice(x, {-1, -2}, {0, -1}, {1, 1}, {.shrink = 3}, Tensor::Scalar(10.0f));  // x[-1, -2]
  ExpectSlice(x, {0, 0}, {0, 0}, {1, -1}, {.begin = 3, .end = 3},
              Tensor::Of<float>({3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}, {3, 4}));  // x[:, ::-1]
  ExpectSlice(x, {0, 3}, {0, 0}, {1, -2}, {.begin = 1, .end = 1},
              Tensor::Of<float>({3, 1, 7, 5, 11, 9}, {3, 2}));  // x[:, 3:0:-2]
  ExpectSlice(x, {0, 1}, {0, 100}, {1, 2}, {.ellipsis = 1},
              Tensor::Of<float>({1, 3, 5, 7, 9, 11}, {3, 2}));  // x[..., 1:100:2]
  ExpectSlice(x, {0, 0, 2}, {0, 0, 3}, {1, 1, 1},
              {.begin = 1, .end = 1, .new_axis = 2, .shrink = 4},
              Tensor::Of<float>({2, 6, 10}, {3, 1}));                  // x[:, newaxis, 2]
  ExpectSlice(x, {2}, {1}, {1}, {}, Tensor(DType::kFloat32, {0, 4}));  // x[2:1]
  ExpectSlice(x, {}, {}, {}, {}, x);                                   // x[()]
}

TEST(StridedSlice, RefusesBadSpecifications) {
  const Tensor x = Counted({2, 3});
  const auto refused = [&](std::vector<int32_t> b, std::vector<int32_t> e, std::vector<int32_t> s,
                           Masks m, const char* text) {
    CheckOpError({.op = "StridedSlice",
                  .attrs = m.Attrs(),
                  .inputs = {x, Ints(b), Ints(e), Ints(s)},
                  .constant_inputs = {1, 2, 3},
                  .text = text});
  };
  refused({0}, {2}, {0}, {}, "strides[0] must be non-zero");
  refused({0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {},
          "Index out of range using input dim 2; input has only 2 dims");
  refused({5}, {6}, {1}, {.shrink = 1}, "slice index 5 of dimension 0 out of bounds.");
  refused({0}, {1}, {-1}, {.shrink = 1}, "only stride 1 allowed on non-range indexing.");
  refused({0, 0}, {1, 1}, {1, 1}, {.ellipsis = 3}, "Multiple ellipses in slice spec not allowed");
  refused({0, 0}, {1}, {1}, {}, "1D equal size tensors");
}

TEST(StridedSlice, IsKnownAsFarAsItsBoundsAre) {
  Graph g;
  const Output x = Placeholder(g, DType::kFloat32, {-1, 10, 3}),
               i = Placeholder(g, DType::kInt32, Shape{});
  EXPECT_EQ(At(x, {SliceIndex::All(), SliceIndex::Range(2, 8, 3)}).shape(),
            (PartialShape{-1, 2, 3}));
  EXPECT_EQ(At(x, {i}).shape(), (PartialShape{10, 3}));
  EXPECT_EQ(At(x, {SliceIndex::Rest(), SliceIndex::NewAxis(), 0}).shape(),
            (PartialShape{-1, 10, 1}));
  EXPECT_EQ(At(x, {SliceIndex::To(i)}).shape(), (PartialShape{-1, 10, 3}));
  EXPECT_TRUE(g.status().ok()) << g.status();
}

TEST(At, NamesNodesAsTensorFlow) {
  Graph g;
  const Output x = Const(g, {{1, 2, 3}, {4, 5, 6}}), i = Const(g, 1);
  EXPECT_EQ(Evaluate(At(x, {i, SliceIndex::From(1)})).data<int32_t>()[0], 5);
  for (const char* name : {"add", "add/y", "strided_slice/stack", "strided_slice/stack/1",
                           "strided_slice/stack_1", "strided_slice/stack_2", "strided_slice"}) {
    EXPECT_NE(g.FindNode(name), nullptr) << name;
  }
}

TEST(StridedSliceGrad, PutsTheGradientInItsPlace) {
  CheckOp({.op = "StridedSliceGrad",
           .attrs = Masks{.shrink = 1}.Attrs(),
           .inputs = {Ints({2, 3}), Ints({1, 2}), Ints({2, 0}), Ints({1, -1}),
                      Tensor::Of<float>({7, 8})},
           .constant_inputs = {0, 1, 2, 3},
           .expected = {Tensor::Of<float>({0, 0, 0, 0, 8, 7}, {2, 3})}});
  CheckOpError(
      {.op = "StridedSliceGrad",
       .attrs = Masks{}.Attrs(),
       .inputs = {Ints({2, 3}), Ints({0}), Ints({1}), Ints({1}), Tensor(DType::kFloat32, {2, 3})},
       .constant_inputs = {0, 1, 2, 3},
       .text = "shape of dy was [2,3] instead of [1,3]",
       .at_build = false});
}

TEST(StridedSliceAssign, WritesPartOfAVariable) {
  CheckOp({.op = "StridedSliceAssign",
           .attrs = Masks{.begin = 1, .end = 1}.Attrs(),
           .inputs = {Counted({2, 3}), Ints({0, 1}), Ints({0, 3}), Ints({1, 1}),
                      Tensor::Of<float>({10, 11, 12, 13}, {2, 2})},
           .expected_variables = {{0, Tensor::Of<float>({0, 10, 11, 3, 12, 13}, {2, 3})}},
           .gradient_of = {{}}});
}

}  // namespace
}  // namespace headrace
