// Loops of pooling over one row of windows of one image (or volume, whose rows count over its
// planes), for float32 and float64 compiled for several instruction sets.
//
//   const PoolRows<float>& rows = PoolRows<float>::Get();
//   rows.max(s, image, row, out);              // out: [w.out, channels]
//
// Pure functions. T: any real dtype.
#pragma once

#include "headrace/ops/nn/pool_geometry.h"

namespace headrace {

template <class T>
struct PoolRows {
  static const PoolRows& Get();

  void (*max)(const PoolShape& s, const T* image, int64_t row, T* out);
  // Adds to `image_grad` at the largest element of each window what `grad` (a row of the result)
  // holds for it. Where s.tiles(), writes all elements of the windows instead.
  void (*max_grad)(const PoolShape& s, const T* image, int64_t row, const T* grad, T* image_grad);
  // The same for volumes, where all elements of a window that equal the maximum get the gradient;
  // `pooled` is the row of maxima. Always adds.
  void (*max_grad_equal)(const PoolShape& s, const T* image, int64_t row, const T* pooled,
                         const T* grad, T* image_grad);
  // out = of `image_grad`, the element where each window of `image` is largest.
  void (*max_pick)(const PoolShape& s, const T* image, int64_t row, const T* image_grad, T* out);
  void (*mean)(const PoolShape& s, const T* image, int64_t row, T* out);             // floats only
  void (*mean_grad)(const PoolShape& s, int64_t row, const T* grad, T* image_grad);  // floats only
};

}  // namespace headrace
