#include "headrace/ops/nn/pool_argmax.h"

#include <gtest/gtest.h>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::RandomTensor;

AttrMap Attrs(bool from_batch) {
  return {{"ksize", AttrValue::Ints{1, 2, 3, 1}},
          {"strides", AttrValue::Ints{1, 2, 2, 1}},
          {"padding", "SAME"},
          {"include_batch_in_index", from_batch}};
}

// Values are checked against MaxPool, places by looking them up.
TEST(MaxPoolWithArgmax, FindsTheMaximaOfMaxPool) {
  for (const bool from_batch : {false, true}) {
    testing::CheckOp({.op = "MaxPoolWithArgmax",
                      .attrs = Attrs(from_batch),
                      .inputs = {RandomTensor(DType::kFloat32, {2, 5, 6, 3})},
                      .second_order = false});
    testing::CheckOp(
        {.op = "MaxPoolWithArgmax",
         .attrs = Attrs(from_batch),
         .inputs = {RandomTensor(DType::kFloat32, {0, 4, 4, 2})},
         .expected = {Tensor(DType::kFloat32, {0, 2, 2, 2}), Tensor(DType::kInt64, {0, 2, 2, 2})},
         .gradient_of = std::vector<int>{}});
    Graph g;
    const Output x = testing::FedTensor(g, DType::kFloat32, {2, 5, 6, 3}, "x");
    const Tensor value = RandomTensor(DType::kFloat32, {2, 5, 6, 3});
    const MaxPoolWithArgmaxOutputs p = MaxPoolWithArgmax(
        x, {.ksize = {1, 2, 3, 1}, .strides = {1, 2, 2, 1}, .include_batch_in_index = from_batch});
    const Output pooled = MaxPool(x, {.ksize = {1, 2, 3, 1}, .strides = {1, 2, 2, 1}});
    const std::vector<Tensor> results =
        testing::Evaluate({p.output, p.argmax, pooled}, {{x, value}});
    EXPECT_EQ(testing::BitDifference(results[0], results[2]), "");
    const int64_t image = 5 * 6 * 3, row = results[0].num_elements() / 2;
    for (int64_t i = 0; i < results[0].num_elements(); ++i) {
      const int64_t at = results[1].data<int64_t>()[i] + (from_batch ? 0 : i / row * image);
      EXPECT_EQ(value.data<float>()[at], results[0].data<float>()[i]);
    }
  }
}

TEST(MaxPoolGradWithArgmax, RefusesPlacesOutsideTheImage) {
  const Tensor x = RandomTensor(DType::kFloat32, {2, 2, 2, 1}),
               grad = RandomTensor(DType::kFloat32, {2, 1, 1, 1});
  for (const int64_t place : {int64_t{-1}, int64_t{4}}) {
    testing::CheckOpError({.op = "MaxPoolGradWithArgmax",
                           .attrs = Attrs(false),
                           .inputs = {x, grad, Tensor::Of<int64_t>({0, place}, {2, 1, 1, 1})},
                           .text = "is not in the image",
                           .at_build = false});
  }
  testing::CheckOpError({.op = "MaxPoolGradWithArgmax",
                         .attrs = Attrs(false),
                         .inputs = {x, x, Tensor::Of<int64_t>({0, 0}, {2, 1, 1, 1})},
                         .text = "grad must have shape"});
}

}  // namespace
}  // namespace headrace
