#include "headrace/ops/nn/batch_norm_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/nn/batch_norm_rows_cpu.cpp"
#define HWY_DISABLED_TARGETS HWY_SSSE3
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {

// Channels are taken in tiles whose width the compiler knows, so that a tile's sums stay in vector
// registers.
template <int kWidth>
void DeviationsTile(const float* x, const float* mean, int64_t rows, int64_t channels,
                    float* squares) {
  float sums[kWidth] = {}, at[kWidth];
  for (int k = 0; k < kWidth; ++k) at[k] = mean[k];
  for (int64_t r = 0; r < rows; ++r, x += channels) {
    for (int k = 0; k < kWidth; ++k) sums[k] += (x[k] - at[k]) * (x[k] - at[k]);
  }
  for (int k = 0; k < kWidth; ++k) squares[k] = sums[k];
}

void Deviations(const float* x, const float* mean, int64_t rows, int64_t channels, float* squares) {
  int64_t c = 0;
  for (; c + 32 <= channels; c += 32)
    DeviationsTile<32>(x + c, mean + c, rows, channels, squares + c);
  for (; c + 8 <= channels; c += 8) DeviationsTile<8>(x + c, mean + c, rows, channels, squares + c);
  for (; c < channels; ++c) DeviationsTile<1>(x + c, mean + c, rows, channels, squares + c);
}

template <int kWidth>
void GradientSumsTile(const float* dy, const float* x, const float* mean, int64_t rows,
                      int64_t channels, float* sums, float* products) {
  float sum[kWidth] = {}, product[kWidth] = {}, at[kWidth];
  for (int k = 0; k < kWidth; ++k) at[k] = mean[k];
  for (int64_t r = 0; r < rows; ++r, x += channels, dy += channels) {
    for (int k = 0; k < kWidth; ++k) {
      sum[k] += dy[k];
      product[k] += dy[k] * (x[k] - at[k]);
    }
  }
  for (int k = 0; k < kWidth; ++k) sums[k] = sum[k];
  for (int k = 0; k < kWidth; ++k) products[k] = product[k];
}

void GradientSums(const float* dy, const float* x, const float* mean, int64_t rows,
                  int64_t channels, float* sums, float* products) {
  int64_t c = 0;
  for (; c + 32 <= channels; c += 32) {
    GradientSumsTile<32>(dy + c, x + c, mean + c, rows, channels, sums + c, products + c);
  }
  for (; c + 8 <= channels; c += 8)
    GradientSumsTile<8>(dy + c, x + c, mean + c, rows, channels, sums + c, products + c);
  for (; c < channels; ++c)
    GradientSumsTile<1>(dy + c, x + c, mean + c, rows, channels, sums + c, products + c);
}

void Normalize(const float* x, const float* mean, const float* factor, const float* offset,
               float* y, int64_t rows, int64_t channels) {
  for (int64_t r = 0; r < rows; ++r, x += channels, y += channels) {
#pragma GCC ivdep
    for (int64_t c = 0; c < channels; ++c) y[c] = (x[c] - mean[c]) * factor[c] + offset[c];
  }
}

void Gradient(const float* dy, const float* x, const float* mean, const float* dy_mean,
              const float* slope, const float* factor, float* dx, int64_t rows, int64_t channels) {
  for (int64_t r = 0; r < rows; ++r, x += channels, dy += channels, dx += channels) {
#pragma GCC ivdep
    for (int64_t c = 0; c < channels; ++c)
      dx[c] = (dy[c] - dy_mean[c] - (x[c] - mean[c]) * slope[c]) * factor[c];
  }
}

BatchNormRows FindRows() {
  return {Deviations, GradientSums, Normalize, Gradient};
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {

HWY_EXPORT(FindRows);

const BatchNormRows& BatchNormRows::Get() {
  static const BatchNormRows rows = HWY_DYNAMIC_DISPATCH(FindRows)();
  return rows;
}

}  // namespace headrace
#endif  // HWY_ONCE
