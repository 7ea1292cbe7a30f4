#include <algorithm>

#include "headrace/kernel/cpu/gemm.h"
#include "headrace/ops/nn/conv_plain.h"

namespace headrace {
namespace {

// Calls body(patch_offset, image_offset) for each element position of each patch of a row of the
// result (`row` counts over the planes of a volume), -1 for one outside the image; offsets in
// elements, channels are neighbours in both. A patch is [filter planes, filter rows, filter
// columns, channels].
template <class Body>
void ForEachTap(const ConvShape& s, int64_t row, Body body) {
  const int64_t plane = row / s.h.out, line = row % s.h.out;
  int64_t at = 0;
  for (int64_t column = 0; column < s.w.out; ++column) {
    for (int64_t k = 0; k < s.d.filter; ++k) {
      const int64_t z = plane * s.d.stride - s.d.pad_before + k * s.d.dilation;
      for (int64_t i = 0; i < s.h.filter; ++i) {
        const int64_t y = line * s.h.stride - s.h.pad_before + i * s.h.dilation;
        const bool row_inside = z >= 0 && z < s.d.in && y >= 0 && y < s.h.in;
        for (int64_t j = 0; j < s.w.filter; ++j, at += s.in_channels) {
          const int64_t x = column * s.w.stride - s.w.pad_before + j * s.w.dilation;
          const bool inside = row_inside && x >= 0 && x < s.w.in;
          body(at, inside ? ((z * s.h.in + y) * s.w.in + x) * s.in_channels : -1);
        }
      }
    }
  }
}

struct Sizes {
  int64_t image, output;     // elements of an image, and of an image of the result
  int64_t patch, row_patch;  // elements of a patch, and of the patches of a row of the result
  int64_t rows, block;       // rows of the result, and how many are computed at a time
  explicit Sizes(const ConvShape& s)
      : image(s.in_size() * s.in_channels),
        output(s.out_size() * s.out_channels),
        patch(s.filter_size() * s.in_channels),
        row_patch(s.w.out * patch),
        rows(s.d.out * s.h.out) {
    constexpr int64_t kMostElements = 4 << 20;  // of scratch memory
    block = std::clamp<int64_t>(kMostElements / row_patch, 1, rows);
  }
};

// Rows [first, first + count) of the result of one image -> their patches.
template <class T>
void GatherPatches(WorkerPool& workers, const ConvShape& s, const Sizes& z, const T* image,
                   int64_t first, int64_t count, T* patches) {
  workers.ParallelFor(count, 0.5 * static_cast<double>(z.row_patch),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t row = begin; row < end; ++row) {
                          T* row_patches = patches + row * z.row_patch;
                          ForEachTap(s, first + row, [&](int64_t to, int64_t from) {
                            if (from < 0) {
                              std::fill_n(row_patches + to, s.in_channels, T(0));
                            } else {
                              std::copy_n(image + from, s.in_channels, row_patches + to);
                            }
                          });
                        }
                      });
}

// Adds patches to where they came from. One thread: patches overlap.
template <class T>
void ScatterPatches(const ConvShape& s, const Sizes& z, const T* patches, int64_t first,
                    int64_t count, T* image) {
  for (int64_t row = 0; row < count; ++row, patches += z.row_patch) {
    ForEachTap(s, first + row, [&](int64_t from, int64_t to) {
      if (to < 0) return;
      for (int64_t c = 0; c < s.in_channels; ++c) image[to + c] += patches[from + c];
    });
  }
}

// Calls body(image, first row, rows) for all blocks of all images, in order, until one fails.
template <class Body>
Status ForEachBlock(const ConvShape& s, const Sizes& z, Body body) {
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t first = 0; first < z.rows; first += z.block) {
      HR_RETURN_IF_ERROR(body(n, first, std::min(z.block, z.rows - first)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

template <class T>
Status PlainConvForward(WorkerPool& workers, const ConvShape& s, const T* input, const T* filter,
                        T* output, std::vector<T>& patches) {
  const Sizes z(s);
  patches.resize(static_cast<size_t>(z.block * z.row_patch));
  return ForEachBlock(s, z, [&](int64_t n, int64_t first, int64_t rows) {
    GatherPatches(workers, s, z, input + n * z.image, first, rows, patches.data());
    return Gemm(workers, false, false, rows * s.w.out, s.out_channels, z.patch, patches.data(),
                filter, output + n * z.output + first * s.w.out * s.out_channels);
  });
}

template <class T>
Status PlainConvBackwardData(WorkerPool& workers, const ConvShape& s, const T* out_backprop,
                             const T* filter, T* input_grad, std::vector<T>& patches) {
  const Sizes z(s);
  patches.resize(static_cast<size_t>(z.block * z.row_patch));
  std::fill_n(input_grad, s.batch * z.image, T(0));
  return ForEachBlock(s, z, [&](int64_t n, int64_t first, int64_t rows) {
    HR_RETURN_IF_ERROR(Gemm(workers, false, true, rows * s.w.out, z.patch, s.out_channels,
                            out_backprop + n * z.output + first * s.w.out * s.out_channels, filter,
                            patches.data()));
    ScatterPatches(s, z, patches.data(), first, rows, input_grad + n * z.image);
    return absl::OkStatus();
  });
}

template <class T>
Status PlainConvBackwardFilter(WorkerPool& workers, const ConvShape& s, const T* input,
                               const T* out_backprop, T* filter_grad, std::vector<T>& patches) {
  const Sizes z(s);
  patches.resize(static_cast<size_t>(z.block * z.row_patch));
  return ForEachBlock(s, z, [&](int64_t n, int64_t first, int64_t rows) {
    GatherPatches(workers, s, z, input + n * z.image, first, rows, patches.data());
    return Gemm(workers, true, false, z.patch, s.out_channels, rows * s.w.out, patches.data(),
                out_backprop + n * z.output + first * s.w.out * s.out_channels, filter_grad,
                {.accumulate = n > 0 || first > 0});
  });
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
