// Colours of images: other colour spaces, hue, saturation and contrast. Images are [..., 3], or
// [..., height, width, channels] for the contrast.
//
//   Output vivid = AdjustSaturation(images, Scalar(1.5f));
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// Red, green and blue to hue, saturation (both in [0, 1]) and value.
// Shapes: `[..., 3] -> the same`. DTypes: float32, float64. Errors: InvalidArgument for other than
// 3 channels. Gradient: not here. Source: TensorFlow RGBToHSV; Smith, Color Gamut Transform Pairs,
// 1978.
Output RGBToHSV(Output images, OpOptions o = {}, Location where = Location::Current());
// Back. Gradient: stops. Source: TensorFlow HSVToRGB.
Output HSVToRGB(Output images, OpOptions o = {}, Location where = Location::Current());

// Turns the hue by `delta` turns.
// Shapes: `[..., h, w, 3], [] -> like the images`. DTypes: float32. Errors: InvalidArgument for
// rank below 3 or other than 3 channels. Gradient: none. Source: TensorFlow AdjustHue.
Output AdjustHue(Output images, Output delta, OpOptions o = {},
                 Location where = Location::Current());
// Multiplies the saturation by `scale`, within [0, 1]. Otherwise as AdjustHue. Source: TensorFlow
// AdjustSaturation.
Output AdjustSaturation(Output images, Output scale, OpOptions o = {},
                        Location where = Location::Current());
// (x - mean) * factor + mean, by the mean of each channel of each image.
// Shapes: `[..., h, w, c], [] -> like the images`. DTypes: float32. Errors: InvalidArgument for
// rank below 3. Gradient: none. Source: TensorFlow AdjustContrastv2.
Output AdjustContrast(Output images, Output contrast_factor, OpOptions o = {},
                      Location where = Location::Current());

}  // namespace headrace
