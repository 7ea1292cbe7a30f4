// Loops of depthwise convolution over one row of windows of one NHWC image, compiled for several
// instruction sets.
//
//   const DepthwiseRows<float>& rows = DepthwiseRows<float>::Get();
//   // out: [w.out, in_channels * multiplier]
//   rows.forward(s, multiplier, image, filter, row, out);
//
// Pure functions. T: float, double.
#pragma once

#include "headrace/ops/nn/conv_geometry.h"

namespace headrace {

template <class T>
struct DepthwiseRows {
  static const DepthwiseRows& Get();
  using Row = void (*)(const ConvShape& s, int64_t multiplier, const T* a, const T* b, int64_t row,
                       T* result);

  Row forward;        // a: image, b: filter, result: row of the output
  Row backward_data;  // a: row of the output's gradient, b: filter; adds to result: gradient of the
                      // image
  Row backward_filter;  // a: image, b: row of the output's gradient; adds to result: gradient of
                        // the filter
};

template <>
const DepthwiseRows<float>& DepthwiseRows<float>::Get();
template <>
const DepthwiseRows<double>& DepthwiseRows<double>::Get();

}  // namespace headrace
