#include "headrace/ops/nn/depthwise_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/nn/depthwise_rows_cpu.cpp"
#define HWY_DISABLED_TARGETS HWY_SSSE3
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {

// Calls body(input offset, filter offset) for the taps of one window that lie in the image;
// `multiplier` filters for each channel.
template <class Body>
inline void ForEachTap(const ConvShape& s, int64_t multiplier, int64_t row, int64_t column,
                       Body body) {
  const int64_t channels = s.in_channels;
  for (int64_t i = 0; i < s.h.filter; ++i) {
    const int64_t y = row * s.h.stride - s.h.pad_before + i * s.h.dilation;
    if (y < 0 || y >= s.h.in) continue;
    for (int64_t j = 0; j < s.w.filter; ++j) {
      const int64_t x = column * s.w.stride - s.w.pad_before + j * s.w.dilation;
      if (x < 0 || x >= s.w.in) continue;
      body((y * s.w.in + x) * channels, (i * s.w.filter + j) * channels * multiplier);
    }
  }
}

template <class T>
void ForwardRow(const ConvShape& s, int64_t multiplier, const T* image, const T* filter,
                int64_t row, T* out) {
  const int64_t depth = s.in_channels * multiplier;
  for (int64_t column = 0; column < s.w.out; ++column, out += depth) {
    std::fill_n(out, depth, T(0));
    ForEachTap(s, multiplier, row, column, [&](int64_t at, int64_t tap) {
      const T* x = image + at;
      const T* w = filter + tap;
      if (multiplier == 1) {
#pragma GCC ivdep
        for (int64_t c = 0; c < depth; ++c) out[c] += x[c] * w[c];
      } else {
        for (int64_t c = 0; c < s.in_channels; ++c) {
#pragma GCC ivdep
          for (int64_t q = 0; q < multiplier; ++q)
            out[c * multiplier + q] += x[c] * w[c * multiplier + q];
        }
      }
    });
  }
}

// Adds the gradient of one row of the output to that of the image.
template <class T>
void BackwardDataRow(const ConvShape& s, int64_t multiplier, const T* grad, const T* filter,
                     int64_t row, T* image_grad) {
  const int64_t depth = s.in_channels * multiplier;
  for (int64_t column = 0; column < s.w.out; ++column, grad += depth) {
    ForEachTap(s, multiplier, row, column, [&](int64_t at, int64_t tap) {
      T* x = image_grad + at;
      const T* w = filter + tap;
      if (multiplier == 1) {
#pragma GCC ivdep
        for (int64_t c = 0; c < depth; ++c) x[c] += grad[c] * w[c];
      } else {
        for (int64_t c = 0; c < s.in_channels; ++c) {
          T sum = 0;
          for (int64_t q = 0; q < multiplier; ++q)
            sum += grad[c * multiplier + q] * w[c * multiplier + q];
          x[c] += sum;
        }
      }
    });
  }
}

// Adds what one row of the output gives to the filter's gradient.
template <class T>
void BackwardFilterRow(const ConvShape& s, int64_t multiplier, const T* image, const T* grad,
                       int64_t row, T* filter_grad) {
  const int64_t depth = s.in_channels * multiplier;
  for (int64_t column = 0; column < s.w.out; ++column, grad += depth) {
    ForEachTap(s, multiplier, row, column, [&](int64_t at, int64_t tap) {
      const T* x = image + at;
      T* w = filter_grad + tap;
      if (multiplier == 1) {
#pragma GCC ivdep
        for (int64_t c = 0; c < depth; ++c) w[c] += x[c] * grad[c];
      } else {
        for (int64_t c = 0; c < s.in_channels; ++c) {
#pragma GCC ivdep
          for (int64_t q = 0; q < multiplier; ++q)
            w[c * multiplier + q] += x[c] * grad[c * multiplier + q];
        }
      }
    });
  }
}

DepthwiseRows<float> FloatDepthwiseRows() {
  return {ForwardRow<float>, BackwardDataRow<float>, BackwardFilterRow<float>};
}
DepthwiseRows<double> DoubleDepthwiseRows() {
  return {ForwardRow<double>, BackwardDataRow<double>, BackwardFilterRow<double>};
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {

HWY_EXPORT(FloatDepthwiseRows);
HWY_EXPORT(DoubleDepthwiseRows);

template <>
const DepthwiseRows<float>& DepthwiseRows<float>::Get() {
  static const DepthwiseRows rows = HWY_DYNAMIC_DISPATCH(FloatDepthwiseRows)();
  return rows;
}
template <>
const DepthwiseRows<double>& DepthwiseRows<double>::Get() {
  static const DepthwiseRows rows = HWY_DYNAMIC_DISPATCH(DoubleDepthwiseRows)();
  return rows;
}

}  // namespace headrace
#endif  // HWY_ONCE
