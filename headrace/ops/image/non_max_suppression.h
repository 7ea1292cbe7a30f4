// The best of boxes that overlap.
//
//   SelectedBoxes best = NonMaxSuppression(boxes, scores, {.max_output_size = 20});
//   Output kept = Gather(boxes, best.indices);
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct NonMaxSuppressionOptions {
  int64_t max_output_size = 100;
  float iou_threshold = 0.5f;        // boxes that overlap a better one by that are left out
  float score_threshold = -3.4e38f;  // as are those of no higher score
  float soft_nms_sigma = 0;          // > 0: overlapping boxes lose score instead
  bool pad_to_max_output_size = false;
  std::string name;
};
struct SelectedBoxes {
  Output indices;        // [k] int32, best first; padded with 0
  Output scores;         // [k]; what is left of them
  Output valid_outputs;  // [] int32, k without padding
};
// Takes boxes in order of score, unless intersection over union with one taken before reaches the
// threshold. None is taken twice, as TensorFlow 1.15 does with boxes without area.
// Shapes: `[n, 4], [n] -> [k], [k], []`; a box is two opposite corners. DTypes: float16, float32.
// Errors: InvalidArgument for other shapes, a threshold outside [0, 1], a size below 0. Gradient:
// stops. Source: TensorFlow NonMaxSuppressionV5; Bodla et al., Soft-NMS, 2017.
SelectedBoxes NonMaxSuppression(Output boxes, Output scores, NonMaxSuppressionOptions o = {},
                                Location where = Location::Current());

struct CombinedSuppressionOptions {
  int64_t max_output_size_per_class = 100;
  int64_t max_total_size = 100;
  float iou_threshold = 0.5f;
  float score_threshold = -3.4e38f;
  bool pad_per_class = false;  // size of the result: at most max_output_size_per_class * classes
  bool clip_boxes = true;      // to [0, 1]
  std::string name;
};
struct CombinedBoxes {
  Output boxes;             // [batch, k, 4]
  Output scores, classes;   // [batch, k]
  Output valid_detections;  // [batch] int32
};
// NonMaxSuppression of each image and class, and the best of all classes.
// Shapes: `[batch, n, q, 4], [batch, n, classes]`, q of 1 or `classes`. DTypes: float32. Errors and
// gradient: as above. Source: TensorFlow CombinedNonMaxSuppression.
CombinedBoxes CombinedNonMaxSuppression(Output boxes, Output scores,
                                        CombinedSuppressionOptions o = {},
                                        Location where = Location::Current());

}  // namespace headrace
