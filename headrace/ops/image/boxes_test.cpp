// Drawn, sampled and suppressed boxes; values against TensorFlow's are in golden_test.cpp too.
#include <gtest/gtest.h>

#include <limits>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/image/draw_boxes.h"
#include "headrace/ops/image/non_max_suppression.h"
#include "headrace/ops/image/sample_box.h"
#include "headrace/ops/testing/golden_nodes.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

TEST(DrawBoundingBoxes, DrawsBorders) {
  CheckOp({.op = "DrawBoundingBoxesV2",
           .inputs = {Tensor::Of<float>({0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 3, 3, 1}),
                      Tensor::Of<float>({0, 0, 1, 1}, {1, 1, 4}),
                      Tensor::Of<float>({5, 0, 0, 0}, {1, 4})},
           .expected = {Tensor::Of<float>({5, 5, 5, 5, 0, 5, 5, 5, 5}, {1, 3, 3, 1})},
           .dtypes = {},
           .gradient_of = std::vector<int>{}});
}

TEST(DrawBoundingBoxes, LeavesOutWhatIsNotInTheImage) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  const Tensor images = RandomTensor(DType::kFloat32, {1, 4, 4, 3});
  CheckOp({.op = "DrawBoundingBoxes",
           .inputs = {images, Tensor::Of<float>({nan, 0, 1, 1, 0,    0,    nan, 1, inf, 0, inf, 1,
                                                 2,   2, 3, 3, -inf, -inf, -5,  9, 1,   1, 0,   0},
                                                {1, 6, 4})},
           .expected = {images},
           .gradient_of = std::vector<int>{}});
}

TEST(DrawBoundingBoxes, RefusesWrongArguments) {
  const auto fails = [](const Shape& images, const Shape& boxes, const char* text) {
    CheckOpError({.op = "DrawBoundingBoxes",
                  .inputs = {RandomTensor(DType::kFloat32, images),
                             RandomTensor(DType::kFloat32, boxes, 0, 1)},
                  .text = text});
  };
  fails({1, 4, 4, 2}, {1, 1, 4}, "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  fails({1, 4, 4, 3}, {2, 1, 4}, "");
  fails({1, 4, 4, 3}, {1, 1, 3}, "");
  fails({4, 4, 3}, {1, 1, 4}, "");
}

TEST(SampleDistortedBoundingBox, DrawsTensorFlowsBoxes) {
  const auto check = [](const std::string& name, float least, const SampleBoxOptions& o) {
    testing::ExpectRunsOf("image", "sample_distorted_bounding_box:" + name,
                          [&](Graph& g, const std::vector<Output>& x) {
                            const SampledBox box = SampleDistortedBoundingBox(
                                x[0], x[1], Const(g, least), o, Location::Current());
                            return std::vector{box.begin, box.size, box.bboxes};
                          });
  };
  for (const auto& [tag, least] : {std::pair("0", 0.0f), {"0.1", 0.1f}, {"0.9", 0.9f}}) {
    check(StrCat("plain_", tag), least, {.seed = 3, .seed2 = 4});
    check(StrCat("narrow_", tag), least,
          {.seed = 3, .seed2 = 4, .aspect_ratio_range = {0.2f, 0.4f}, .area_range = {0.1f, 0.3f}});
    check(StrCat("hard_", tag), least,
          {.seed = 3,
           .seed2 = 4,
           .aspect_ratio_range = {2.0f, 5.0f},
           .area_range = {0.02f, 0.1f},
           .max_attempts = 5});
  }
  check("no_boxes", 0.1f, {.seed = 3, .seed2 = 4, .use_image_if_no_bounding_boxes = true});
}

TEST(SampleDistortedBoundingBox, RefusesWrongArguments) {
  using Floats = AttrValue::Floats;
  const Tensor size = Tensor::Of<int32_t>({9, 9, 3}), least = Tensor::Scalar<float>(0.1f),
               boxes = Tensor::Of<float>({0, 0, 1, 1}, {1, 1, 4});
  const auto fails = [&](AttrMap attrs, std::vector<Tensor> inputs, const char* text,
                         bool at_build = false) {
    CheckOpError({.op = "SampleDistortedBoundingBoxV2",
                  .attrs = std::move(attrs),
                  .inputs = std::move(inputs),
                  .text = text,
                  .at_build = at_build});
  };
  fails({}, {size, Tensor::Of<float>({0, 0, 1, 1.5f}, {1, 1, 4}), least}, "must be in [0.0, 1.0]");
  fails({}, {size, Tensor(DType::kFloat32, {1, 0, 4}), least}, "No bounding boxes provided");
  fails({}, {size, boxes, Tensor::Scalar<float>(-1)}, "non-negative");
  fails({}, {Tensor::Of<int32_t>({-1, 9, 3}), boxes, least}, "image height and width");
  fails({}, {Tensor::Of<int32_t>({9, 9}), boxes, least}, "3", true);
  fails({{"area_range", Floats{0.0f, 1.0f}}}, {size, boxes, least}, "Area range");
  fails({{"aspect_ratio_range", Floats{1.0f}}}, {size, boxes, least}, "Aspect ratio range");
  fails({{"max_attempts", int64_t{0}}}, {size, boxes, least}, "Max attempts");
}

TEST(NonMaxSuppression, TakesNoBoxTwice) {
  CheckOp({.op = "NonMaxSuppressionV3",
           .inputs = {Tensor::Of<float>({0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1}, {3, 4}),
                      Tensor::Of<float>({0.7f, 0.8f, 0.9f}), Tensor::Scalar<int32_t>(10),
                      Tensor::Scalar<float>(0.5f), Tensor::Scalar<float>(0)},
           .expected = {Tensor::Of<int32_t>({2, 1, 0})},
           .gradient_of = std::vector<int>{},
           .static_shape = false});
}

TEST(NonMaxSuppression, BuildersGiveAllOutputs) {
  CheckOp({.build =
               [](Graph&, const std::vector<Output>& x) {
                 const SelectedBoxes s = NonMaxSuppression(
                     x[0], x[1], {.max_output_size = 2, .pad_to_max_output_size = true});
                 return std::vector{s.indices, s.scores, s.valid_outputs};
               },
           .inputs = {Tensor::Of<float>({0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 0, 0, 1, 1}, {3, 4}),
                      Tensor::Of<float>({0.7f, 0.9f, 0.8f})},
           .expected = {Tensor::Of<int32_t>({1, 0}), Tensor::Of<float>({0.9f, 0}),
                        Tensor::Scalar<int32_t>(1)},
           .gradient_of = std::vector<int>{}});
  CheckOp({.build =
               [](Graph&, const std::vector<Output>& x) {
                 const CombinedBoxes s =
                     CombinedNonMaxSuppression(x[0], x[1], {.max_total_size = 2});
                 return std::vector{s.boxes, s.scores, s.classes, s.valid_detections};
               },
           .inputs = {Tensor::Of<float>({0, 0, 1, 2, 0, 0, 1, 2}, {1, 2, 1, 4}),
                      Tensor::Of<float>({0.7f, 0.9f}, {1, 2, 1})},
           .expected = {Tensor::Of<float>({0, 0, 1, 1, 0, 0, 0, 0}, {1, 2, 4}),
                        Tensor::Of<float>({0.9f, 0}, {1, 2}), Tensor::Of<float>({0, 0}, {1, 2}),
                        Tensor::Of<int32_t>({1})},
           .gradient_of = std::vector<int>{}});
}

TEST(NonMaxSuppression, RefusesWrongArguments) {
  const Tensor boxes = RandomTensor(DType::kFloat32, {3, 4}, 0, 1),
               scores = RandomTensor(DType::kFloat32, {3}), most = Tensor::Scalar<int32_t>(2),
               half = Tensor::Scalar<float>(0.5f);
  const auto fails = [](std::vector<Tensor> inputs, const char* text, bool at_build) {
    CheckOpError({.op = "NonMaxSuppressionV3",
                  .inputs = std::move(inputs),
                  .text = text,
                  .at_build = at_build});
  };
  fails({boxes, RandomTensor(DType::kFloat32, {4}), most, half, half}, "scores", true);
  fails({RandomTensor(DType::kFloat32, {3, 5}), scores, most, half, half}, "columns", true);
  fails({boxes, scores, most, Tensor::Scalar<float>(2), half}, "iou_threshold must be in [0, 1]",
        false);
  fails({boxes, scores, Tensor::Scalar<int32_t>(-1), half, half}, "must not be negative", false);
  fails({boxes, scores, Tensor::Of<int32_t>({1, 2}), half, half}, "", true);
}

}  // namespace
}  // namespace headrace
