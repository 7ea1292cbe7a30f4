// Boxes drawn onto images.
//
//   Output shown = DrawBoundingBoxes(images, boxes);          // in ten colours, in turn
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// The borders of `boxes`, [y1, x1, y2, x2] from 0 (first pixel) to 1 (last), one pixel wide.
// Shapes: `[n, h, w, c], [n, m, 4] -> [n, h, w, c]`, c of 1, 3 or 4. DTypes: float16, float32.
// Boxes that are inverted or wholly outside are left out. Errors: InvalidArgument for other shapes.
// Gradient: stops. Source: TensorFlow DrawBoundingBoxes.
Output DrawBoundingBoxes(Output images, Output boxes, OpOptions o = {},
                         Location where = Location::Current());
// In the rows of `colors`, [k, 4], in turn; in the ten colours if it has none. Source: TensorFlow
// DrawBoundingBoxesV2.
Output DrawBoundingBoxes(Output images, Output boxes, Output colors, OpOptions o = {},
                         Location where = Location::Current());

}  // namespace headrace
