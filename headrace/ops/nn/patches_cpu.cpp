#include <algorithm>
#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/ops/nn/patches_kernels.h"

namespace headrace {
namespace {

// Writes one row of pixels of one window: the run of those that lie in the image is copied at once
// where they are neighbours.
void CopyTaps(const Window& w, int64_t column, size_t pixel_bytes, const char* row, char* to) {
  const int64_t left = column * w.stride - w.pad_before;
  const int64_t first = left >= 0 ? 0 : (-left + w.dilation - 1) / w.dilation;
  const int64_t past = w.in - left;
  const int64_t end = past <= 0 ? 0 : std::min(w.filter, (past + w.dilation - 1) / w.dilation);
  const size_t pixels = static_cast<size_t>(w.filter);
  if (end <= first) {
    std::memset(to, 0, pixels * pixel_bytes);
    return;
  }
  const size_t begin = static_cast<size_t>(first), stop = static_cast<size_t>(end);
  std::memset(to, 0, begin * pixel_bytes);
  const char* from = row + static_cast<size_t>(left + first * w.dilation) * pixel_bytes;
  if (w.dilation == 1) {
    std::memcpy(to + begin * pixel_bytes, from, (stop - begin) * pixel_bytes);
  } else {
    const size_t step = static_cast<size_t>(w.dilation) * pixel_bytes;
    for (size_t j = begin; j < stop; ++j, from += step)
      std::memcpy(to + j * pixel_bytes, from, pixel_bytes);
  }
  std::memset(to + stop * pixel_bytes, 0, (pixels - stop) * pixel_bytes);
}

class PatchesKernel final : public Kernel {
 public:
  explicit PatchesKernel(const PatchAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    if (in.rank() != attrs_.rank()) {
      return InvalidArgument("input must be ", attrs_.rank(), "-dimensional, got shape ",
                             in.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(const auto windows, attrs_.WindowsOf(in.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * out,
                        ctx.Output(0, attrs_.OutputShape(in.shape(), windows).ToShape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    const auto& [d, h, w] = windows;
    const int64_t rows = d.out * h.out;
    const int64_t row_bytes =
        out->num_elements() / (in.dim(0) * rows) * static_cast<int64_t>(SizeOf(in.dtype()));
    ctx.workers().ParallelFor(in.dim(0) * rows, 0.2 * static_cast<double>(row_bytes),
                              [&](int64_t begin, int64_t end) {
                                for (int64_t i = begin; i < end; ++i)
                                  WriteRow(windows, in, i / rows, i % rows,
                                           static_cast<char*>(out->raw_data()) + i * row_bytes);
                              });
    return absl::OkStatus();
  }

 private:
  static void WriteRow(const std::array<Window, 3>& windows, const Tensor& in, int64_t image,
                       int64_t row, char* to) {
    const auto& [d, h, w] = windows;
    const int64_t channels = in.dim(in.rank() - 1);
    const size_t pixel = static_cast<size_t>(channels) * SizeOf(in.dtype());
    const size_t run = static_cast<size_t>(w.filter) * pixel;
    const char* from = static_cast<const char*>(in.raw_data()) +
                       static_cast<size_t>(image * d.in * h.in * w.in) * pixel;
    for (int64_t column = 0; column < w.out; ++column) {
      for (int64_t k = 0; k < d.filter; ++k) {
        const int64_t z = row / h.out * d.stride - d.pad_before + k * d.dilation;
        for (int64_t i = 0; i < h.filter; ++i, to += run) {
          const int64_t y = row % h.out * h.stride - h.pad_before + i * h.dilation;
          if (z < 0 || z >= d.in || y < 0 || y >= h.in) {
            std::memset(to, 0, run);
          } else {
            CopyTaps(w, column, pixel, from + static_cast<size_t>((z * h.in + y) * w.in) * pixel,
                     to);
          }
        }
      }
    }
  }

  const PatchAttrs attrs_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeExtractPatchesCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const PatchAttrs attrs, PatchAttrs::From(init.node()));
  return std::make_unique<PatchesKernel>(attrs);
}

}  // namespace headrace
