// Loops of batch normalisation over rows of float32 channels, compiled for several instruction
// sets.
//
//   const BatchNormRows& rows = BatchNormRows::Get();
//   rows.normalize(x, mean, factor, offset, y, count, channels);
//
// Pure functions. All matrices are dense [rows, channels]; y may be x.
#pragma once

#include <cstdint>

namespace headrace {

struct BatchNormRows {
  static const BatchNormRows& Get();

  // squares[c] = sum of (x - mean[c])^2.
  void (*deviations)(const float* x, const float* mean, int64_t rows, int64_t channels,
                     float* squares);
  // sums[c] = sum of dy, products[c] = sum of dy * (x - mean[c]).
  void (*gradient_sums)(const float* dy, const float* x, const float* mean, int64_t rows,
                        int64_t channels, float* sums, float* products);
  // y = (x - mean[c]) * factor[c] + offset[c].
  void (*normalize)(const float* x, const float* mean, const float* factor, const float* offset,
                    float* y, int64_t rows, int64_t channels);
  // dx = (dy - dy_mean[c] - (x - mean[c]) * slope[c]) * factor[c].
  void (*gradient)(const float* dy, const float* x, const float* mean, const float* dy_mean,
                   const float* slope, const float* factor, float* dx, int64_t rows,
                   int64_t channels);
};

}  // namespace headrace
