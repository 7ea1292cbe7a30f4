// A random box that covers enough of what an image shows.
//
//   SampledBox box = SampleDistortedBoundingBox(ShapeOf(image), boxes, {.seed = 1});
//   Output part = Slice(image, box.begin, box.size);
#pragma once

#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct SampledBox {
  Output begin;   // [3], {y, x, 0}
  Output size;    // [3], {height, width, -1}
  Output bboxes;  // [1, 1, 4], the box as DrawBoundingBoxes takes it
};

struct SampleBoxOptions {
  int64_t seed = 0;  // both 0: other boxes in each process
  int64_t seed2 = 0;
  std::vector<float> aspect_ratio_range = {0.75f, 1.33f};  // width / height
  std::vector<float> area_range = {0.05f, 1.0f};           // part of the image
  int64_t max_attempts = 100;                              // afterwards the whole image
  bool use_image_if_no_bounding_boxes = false;
  std::string name;
};

// A box of random size and place that covers at least `min_object_covered` of one of the boxes.
// Shapes: `[3], [n, m, 4], [] -> [3], [3], [1, 1, 4]`. DTypes: image_size of integers, begin and
// size the same. Errors: InvalidArgument for boxes outside [0, 1], none at all, ranges below 0.
// Gradient: stops. Source: TensorFlow SampleDistortedBoundingBoxV2.
SampledBox SampleDistortedBoundingBox(Output image_size, Output bounding_boxes,
                                      Output min_object_covered, SampleBoxOptions o = {},
                                      Location where = Location::Current());

}  // namespace headrace
