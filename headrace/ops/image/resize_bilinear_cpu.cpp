#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/image/resize_geometry.h"
#include "headrace/ops/image/resize_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// Between two pixels: (1 - weight) of `lower`, `weight` of `upper`.
struct Between {
  int64_t lower, upper;
  float weight;
};

Between BetweenOf(const ResizeAxis& axis, int64_t i) {
  const float at = axis.At(i), floor = std::floor(at);
  return {axis.Bounded(static_cast<int64_t>(floor)),
          axis.Bounded(static_cast<int64_t>(std::ceil(at))), at - floor};
}

// Of all pixels of an axis, as offsets of `stride` elements.
std::vector<Between> AllBetween(const ResizeAxis& axis, int64_t stride) {
  std::vector<Between> all(static_cast<size_t>(axis.out));
  for (int64_t i = 0; i < axis.out; ++i) {
    const Between b = BetweenOf(axis, i);
    all[static_cast<size_t>(i)] = {b.lower * stride, b.upper * stride, b.weight};
  }
  return all;
}

inline float Lerp(float a, float b, float weight) {
  return a + (b - a) * weight;
}

// One row of an image at the new width. kChannels 0: any number.
template <int kChannels, class T>
void WidenRow(const T* row, const std::vector<Between>& columns, int64_t channels, float* out) {
  const int64_t n = kChannels > 0 ? kChannels : channels;
  for (const Between& b : columns) {
    const T *lower = row + b.lower, *upper = row + b.upper;
    for (int64_t c = 0; c < n; ++c)
      out[c] = Lerp(static_cast<float>(lower[c]), static_cast<float>(upper[c]), b.weight);
    out += n;
  }
}

template <class T>
void WidenRow(const T* row, const std::vector<Between>& columns, int64_t channels, float* out) {
  switch (channels) {
    case 1:
      return WidenRow<1>(row, columns, channels, out);
    case 3:
      return WidenRow<3>(row, columns, channels, out);
    case 4:
      return WidenRow<4>(row, columns, channels, out);
    default:
      return WidenRow<0>(row, columns, channels, out);
  }
}

// Two rows at the new width, kept from one row of the result to the next: an enlarged image needs
// each of them many times.
template <class T>
class WideRows {
 public:
  WideRows(const ResizeGeometry& g, const std::vector<Between>& columns)
      : g_(g), columns_(columns) {
    for (Row& row : rows_) row.values.resize(static_cast<size_t>(g.resized_row()));
  }
  // `other` must stay valid.
  const float* Get(const T* row, const T* other) {
    for (const Row& kept : rows_) {
      if (kept.source == row) return kept.values.data();
    }
    Row& free = rows_[0].source == other ? rows_[1] : rows_[0];
    free.source = row;
    WidenRow(row, columns_, g_.channels, free.values.data());
    return free.values.data();
  }

 private:
  struct Row {
    const T* source = nullptr;
    std::vector<float> values;
  };
  const ResizeGeometry& g_;
  const std::vector<Between>& columns_;
  Row rows_[2];
};

template <class T>
void ResizeRows(const ResizeGeometry& g, const std::vector<Between>& columns, const T* images,
                int64_t begin, int64_t end, float* out) {
  WideRows<T> wide(g, columns);
  const int64_t n = g.resized_row();
  for (int64_t i = begin; i < end; ++i) {
    const T* image = images + i / g.y.out * g.image();
    const Between y = BetweenOf(g.y, i % g.y.out);
    const T *above = image + y.lower * g.row(), *below = image + y.upper * g.row();
    const float* top = wide.Get(above, below);
    const float* bottom = wide.Get(below, above);
    float* row = out + i * n;
    for (int64_t k = 0; k < n; ++k) row[k] = Lerp(top[k], bottom[k], y.weight);
  }
}

class ResizeBilinearKernel final : public Kernel {
 public:
  explicit ResizeBilinearKernel(const ResizeAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& images = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const ResizeGeometry g,
                        ResizeGeometry::Of(attrs_, images.shape(), ctx.input(1)));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, g.resized()));
    if (out->num_elements() == 0) return absl::OkStatus();
    const std::vector<Between> columns = AllBetween(g.x, g.channels);
    const double ns = 2.5 * static_cast<double>(g.resized_row());
    DispatchDType<kCpuRealTypes>(images.dtype(), [&]<class T>() {
      const T* from = images.data<T>();
      float* to = out->data<float>();
      ctx.workers().ParallelFor(g.batch * g.y.out, ns, [&](int64_t begin, int64_t end) {
        ResizeRows(g, columns, from, begin, end, to);
      });
    });
    return absl::OkStatus();
  }

 private:
  const ResizeAttrs attrs_;
};

// Hands the gradients of one image to the four neighbours of each pixel.
template <class T>
void AddImageGradient(const ResizeGeometry& g, const std::vector<Between>& columns,
                      const float* grads, T* out) {
  for (int64_t row = 0; row < g.y.out; ++row) {
    const Between y = BetweenOf(g.y, row);
    T *above = out + y.lower * g.row(), *below = out + y.upper * g.row();
    const float up = 1.0f - y.weight, down = y.weight;
    for (const Between& x : columns) {
      const float left = 1.0f - x.weight, right = x.weight;
      for (int64_t c = 0; c < g.channels; ++c) {
        const float grad = grads[c];
        above[x.lower + c] += static_cast<T>(grad * up * left);
        above[x.upper + c] += static_cast<T>(grad * up * right);
        below[x.lower + c] += static_cast<T>(grad * down * left);
        below[x.upper + c] += static_cast<T>(grad * down * right);
      }
      grads += g.channels;
    }
  }
}

class ResizeBilinearGradKernel final : public Kernel {
 public:
  explicit ResizeBilinearGradKernel(const ResizeAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor &grads = ctx.input(0), &images = ctx.input(1);
    HR_ASSIGN_OR_RETURN(const ResizeGeometry g,
                        ResizeGeometry::Between(attrs_, images.shape(), grads.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, g.images()));
    std::memset(out->raw_data(), 0, out->size_bytes());
    const std::vector<Between> columns = AllBetween(g.x, g.channels);
    const int64_t resized = g.y.out * g.resized_row();
    DispatchDType<kIeeeFloats>(out->dtype(), [&]<class T>() {
      const float* from = grads.data<float>();
      T* to = out->data<T>();
      ctx.workers().ParallelFor(
          g.batch, 3.0 * static_cast<double>(resized), [&](int64_t begin, int64_t end) {
            for (int64_t n = begin; n < end; ++n)
              AddImageGradient(g, columns, from + n * resized, to + n * g.image());
          });
    });
    return absl::OkStatus();
  }

 private:
  const ResizeAttrs attrs_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeResizeBilinearCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ResizeAttrs::From(init.attrs()));
  return std::make_unique<ResizeBilinearKernel>(attrs);
}
StatusOr<std::unique_ptr<Kernel>> MakeResizeBilinearGradCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ResizeAttrs::From(init.attrs()));
  return std::make_unique<ResizeBilinearGradKernel>(attrs);
}

}  // namespace headrace
