#include <algorithm>

#include "headrace/kernel/cpu/gemm.h"
#include "headrace/ops/nn/conv_plain.h"

namespace headrace {
namespace {

// Calls body(patch_offset, image_offset) for each element position of each patch that lies in the
// image; offsets in elements, channels are neighbours in both. A patch is [filter rows, filter
// columns, channels].
template <class Body>
void ForEachTap(const ConvShape& s, int64_t output_row, Body body) {
  const int64_t patch = s.h.filter * s.w.filter * s.in_channels;
  for (int64_t column = 0; column < s.w.out; ++column) {
    const int64_t at = (output_row * s.w.out + column) * patch;
    for (int64_t i = 0; i < s.h.filter; ++i) {
      const int64_t row_in = output_row * s.h.stride - s.h.pad_before + i * s.h.dilation;
      for (int64_t j = 0; j < s.w.filter; ++j) {
        const int64_t column_in = column * s.w.stride - s.w.pad_before + j * s.w.dilation;
        const bool inside = row_in >= 0 && row_in < s.h.in && column_in >= 0 && column_in < s.w.in;
        body(at + (i * s.w.filter + j) * s.in_channels,
             inside ? (row_in * s.w.in + column_in) * s.in_channels : -1);
      }
    }
  }
}

// One image -> its patches [output positions, patch].
template <class T>
void GatherPatches(WorkerPool& workers, const ConvShape& s, const T* image, T* patches) {
  const double row_ns =
      0.5 * static_cast<double>(s.w.out * s.h.filter * s.w.filter * s.in_channels);
  workers.ParallelFor(s.h.out, row_ns, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      ForEachTap(s, row, [&](int64_t to, int64_t from) {
        if (from < 0) {
          std::fill_n(patches + to, s.in_channels, T(0));
        } else {
          std::copy_n(image + from, s.in_channels, patches + to);
        }
      });
    }
  });
}

// Adds patches to where they came from. One thread: patches overlap.
template <class T>
void ScatterPatches(const ConvShape& s, const T* patches, T* image) {
  std::fill_n(image, s.h.in * s.w.in * s.in_channels, T(0));
  for (int64_t row = 0; row < s.h.out; ++row) {
    ForEachTap(s, row, [&](int64_t from, int64_t to) {
      if (to < 0) return;
      for (int64_t c = 0; c < s.in_channels; ++c) image[to + c] += patches[from + c];
    });
  }
}

struct Sizes {
  int64_t image, positions, patch, output;
  explicit Sizes(const ConvShape& s)
      : image(s.h.in * s.w.in * s.in_channels),
        positions(s.h.out * s.w.out),
        patch(s.h.filter * s.w.filter * s.in_channels),
        output(positions * s.out_channels) {}
};

}  // namespace

template <class T>
Status PlainConvForward(WorkerPool& workers, const ConvShape& s, const T* input, const T* filter,
                        T* output, std::vector<T>& patches) {
  const Sizes z(s);
  patches.resize(static_cast<size_t>(z.positions * z.patch));
  for (int64_t n = 0; n < s.batch; ++n) {
    GatherPatches(workers, s, input + n * z.image, patches.data());
    HR_RETURN_IF_ERROR(Gemm(workers, false, false, z.positions, s.out_channels, z.patch,
                            patches.data(), filter, output + n * z.output));
  }
  return absl::OkStatus();
}

template <class T>
Status PlainConvBackwardData(WorkerPool& workers, const ConvShape& s, const T* out_backprop,
                             const T* filter, T* input_grad, std::vector<T>& patches) {
  const Sizes z(s);
  patches.resize(static_cast<size_t>(z.positions * z.patch));
  for (int64_t n = 0; n < s.batch; ++n) {
    HR_RETURN_IF_ERROR(Gemm(workers, false, true, z.positions, z.patch, s.out_channels,
                            out_backprop + n * z.output, filter, patches.data()));
    ScatterPatches(s, patches.data(), input_grad + n * z.image);
  }
  return absl::OkStatus();
}

template <class T>
Status PlainConvBackwardFilter(WorkerPool& workers, const ConvShape& s, const T* input,
                               const T* out_backprop, T* filter_grad, std::vector<T>& patches) {
  const Sizes z(s);
  patches.resize(static_cast<size_t>(z.positions * z.patch));
  for (int64_t n = 0; n < s.batch; ++n) {
    GatherPatches(workers, s, input + n * z.image, patches.data());
    HR_RETURN_IF_ERROR(Gemm(workers, true, false, z.patch, s.out_channels, z.positions,
                            patches.data(), out_backprop + n * z.output, filter_grad,
                            {.accumulate = n > 0}));
  }
  return absl::OkStatus();
}

template <class T>
void ChannelsToLast(WorkerPool& workers, int64_t n, int64_t channels, int64_t size, const T* x,
                    T* y) {
  constexpr int64_t kTile = 16;  // both sides stay in the nearest cache
  const int64_t tiles = (size + kTile - 1) / kTile;
  workers.ParallelFor(n * tiles, 1.0 * static_cast<double>(kTile * channels),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t t = begin; t < end; ++t) {
                          const int64_t image = t / tiles, first = t % tiles * kTile,
                                        last = std::min(size, first + kTile);
                          const T* from = x + image * channels * size;
                          T* to = y + image * channels * size;
                          for (int64_t c = 0; c < channels; ++c) {
                            for (int64_t i = first; i < last; ++i)
                              to[i * channels + c] = from[c * size + i];
                          }
                        }
                      });
}

#define HR_INSTANTIATE_(T)                                                                       \
  template Status PlainConvForward(WorkerPool&, const ConvShape&, const T*, const T*, T*,        \
                                   std::vector<T>&);                                             \
  template Status PlainConvBackwardData(WorkerPool&, const ConvShape&, const T*, const T*, T*,   \
                                        std::vector<T>&);                                        \
  template Status PlainConvBackwardFilter(WorkerPool&, const ConvShape&, const T*, const T*, T*, \
                                          std::vector<T>&);                                      \
  template void ChannelsToLast(WorkerPool&, int64_t, int64_t, int64_t, const T*, T*);
HR_INSTANTIATE_(float)
HR_INSTANTIATE_(double)
#undef HR_INSTANTIATE_

}  // namespace headrace
