#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/dilation2d_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

struct DilationShape {
  int64_t batch = 0, channels = 0;
  Window h, w;

  int64_t image() const { return h.in * w.in * channels; }
  int64_t row() const { return w.out * channels; }  // of the result
  Shape output() const { return {batch, h.out, w.out, channels}; }
};

StatusOr<DilationShape> ShapeOf(const DilationAttrs& attrs, const Shape& input,
                                const Shape& filter) {
  if (input.rank() != 4)
    return InvalidArgument("input must be 4-dimensional, got ", input.ToString());
  if (filter.rank() != 3)
    return InvalidArgument("filter must be 3-dimensional, got ", filter.ToString());
  if (input[3] != filter[2]) {
    return InvalidArgument("input and filter must have the same depth: ", input[3], " vs ",
                           filter[2]);
  }
  DilationShape s{.batch = input[0], .channels = input[3]};
  HR_ASSIGN_OR_RETURN(s.h, attrs.WindowOf(0, input[1], filter[0]));
  HR_ASSIGN_OR_RETURN(s.w, attrs.WindowOf(1, input[2], filter[1]));
  return s;
}

// Calls body(offset in the image, offset in the filter) for the elements of a window that lie in
// the image; channels are neighbours in both.
template <class Body>
void ForEachTap(const DilationShape& s, int64_t row, int64_t column, Body body) {
  for (int64_t i = 0; i < s.h.filter; ++i) {
    const int64_t y = row * s.h.stride - s.h.pad_before + i * s.h.dilation;
    if (y < 0 || y >= s.h.in) continue;
    for (int64_t j = 0; j < s.w.filter; ++j) {
      const int64_t x = column * s.w.stride - s.w.pad_before + j * s.w.dilation;
      if (x < 0 || x >= s.w.in) continue;
      body((y * s.w.in + x) * s.channels, (i * s.w.filter + j) * s.channels);
    }
  }
}

template <class T>
T Sum(T a, T b) {
  return static_cast<T>(a + b);
}

// Sums below the lowest number (of a window with no element in the image) are the lowest number.
template <class T>
T Lowest() {
  if constexpr (std::is_integral_v<T>) {
    return std::numeric_limits<T>::lowest();
  } else if constexpr (sizeof(T) == 2) {
    return std::is_same_v<T, Half> ? T(-65504.0f) : T(-std::numeric_limits<float>::max());
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

template <class T>
void DilateRow(const DilationShape& s, const T* image, const T* filter, int64_t row, T* out) {
  for (int64_t column = 0; column < s.w.out; ++column, out += s.channels) {
    std::fill_n(out, s.channels, Lowest<T>());
    ForEachTap(s, row, column, [&](int64_t at, int64_t tap) {
      for (int64_t c = 0; c < s.channels; ++c) {
        const T sum = Sum(image[at + c], filter[tap + c]);
        out[c] = out[c] < sum ? sum : out[c];
      }
    });
  }
}

// Adds the gradients of one row of windows to the elements that were the (first) largest: of the
// image, or of the filter. `best` and `places` are scratch memory for the channels.
template <class T>
void AddGradientRow(const DilationShape& s, const T* image, const T* filter, int64_t row,
                    const T* grad, bool to_filter, std::vector<T>& best,
                    std::vector<int64_t>& places, T* to) {
  best.resize(static_cast<size_t>(s.channels));
  places.resize(static_cast<size_t>(s.channels));
  for (int64_t column = 0; column < s.w.out; ++column, grad += s.channels) {
    std::fill(best.begin(), best.end(), Lowest<T>());
    std::fill(places.begin(), places.end(), int64_t{-1});
    ForEachTap(s, row, column, [&](int64_t at, int64_t tap) {
      const int64_t place = to_filter ? tap : at;
      for (int64_t c = 0; c < s.channels; ++c) {
        const T sum = Sum(image[at + c], filter[tap + c]);
        const bool larger = best[c] < sum;
        best[c] = larger ? sum : best[c];
        places[c] = larger ? place : places[c];
      }
    });
    for (int64_t c = 0; c < s.channels; ++c) {
      if (places[c] >= 0) to[places[c] + c] = Sum(to[places[c] + c], grad[c]);
    }
  }
}

double NsPerRow(const DilationShape& s) {
  return 0.5 * static_cast<double>(s.row() * s.h.filter * s.w.filter) + 10;
}

class ForwardKernel final : public Kernel {
 public:
  explicit ForwardKernel(const DilationAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &f = ctx.input(1);
    HR_ASSIGN_OR_RETURN(const DilationShape s, ShapeOf(attrs_, x.shape(), f.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, s.output()));
    if (out->num_elements() == 0) return absl::OkStatus();
    DispatchDType<kCpuRealTypes>(x.dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(s.batch * s.h.out, NsPerRow(s), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          DilateRow(s, x.data<T>() + i / s.h.out * s.image(), f.data<T>(), i % s.h.out,
                    out->data<T>() + i * s.row());
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  const DilationAttrs attrs_;
};

class BackwardKernel final : public Kernel {
 public:
  BackwardKernel(const DilationAttrs& attrs, bool to_filter)
      : attrs_(attrs), to_filter_(to_filter) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &f = ctx.input(1), &grad = ctx.input(2);
    HR_ASSIGN_OR_RETURN(const DilationShape s, ShapeOf(attrs_, x.shape(), f.shape()));
    if (grad.shape() != s.output()) {
      return InvalidArgument("out_backprop has incompatible size: ", grad.shape().ToString(),
                             ", not ", s.output().ToString());
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, to_filter_ ? f.shape() : x.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    std::memset(out->raw_data(), 0, out->size_bytes());
    DispatchDType<kCpuRealTypes>(x.dtype(), [&]<class T>() {
      to_filter_ ? ToFilter(ctx, s, x.data<T>(), f.data<T>(), grad.data<T>(), out->data<T>())
                 : ToImages(ctx, s, x.data<T>(), f.data<T>(), grad.data<T>(), out->data<T>());
    });
    return absl::OkStatus();
  }

 private:
  template <class T>
  static void AddImage(const DilationShape& s, int64_t n, const T* x, const T* f, const T* grad,
                       bool to_filter, T* to) {
    std::vector<T> best;
    std::vector<int64_t> places;
    for (int64_t row = 0; row < s.h.out; ++row) {
      AddGradientRow(s, x + n * s.image(), f, row, grad + (n * s.h.out + row) * s.row(), to_filter,
                     best, places, to);
    }
  }
  template <class T>
  static void ToImages(KernelContext& ctx, const DilationShape& s, const T* x, const T* f,
                       const T* grad, T* out) {
    const double ns = 2 * NsPerRow(s) * static_cast<double>(s.h.out);
    ctx.workers().ParallelFor(s.batch, ns, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n)
        AddImage(s, n, x, f, grad, /*to_filter=*/false, out + n * s.image());
    });
  }
  // Groups of images are summed apart, and their sums added in order: the bits do not depend on the
  // number of threads.
  template <class T>
  static void ToFilter(KernelContext& ctx, const DilationShape& s, const T* x, const T* f,
                       const T* grad, T* out) {
    const int64_t size = s.h.filter * s.w.filter * s.channels;
    const int64_t groups = std::clamp<int64_t>(s.batch, 1, 16);
    std::vector<T> sums(static_cast<size_t>(groups * size), T(0));
    ctx.workers().ParallelChunks(groups, 1, [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g) {
        for (int64_t n = s.batch * g / groups; n < s.batch * (g + 1) / groups; ++n)
          AddImage(s, n, x, f, grad, /*to_filter=*/true, sums.data() + g * size);
      }
    });
    for (int64_t g = 0; g < groups; ++g) {
      for (int64_t i = 0; i < size; ++i) out[i] = Sum(out[i], sums[g * size + i]);
    }
  }

  const DilationAttrs attrs_;
  const bool to_filter_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDilation2DCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const DilationAttrs attrs, DilationAttrs::From(init.attrs()));
  return std::make_unique<ForwardKernel>(attrs);
}
StatusOr<std::unique_ptr<Kernel>> MakeDilation2DBackpropInputCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const DilationAttrs attrs, DilationAttrs::From(init.attrs()));
  return std::make_unique<BackwardKernel>(attrs, false);
}
StatusOr<std::unique_ptr<Kernel>> MakeDilation2DBackpropFilterCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const DilationAttrs attrs, DilationAttrs::From(init.attrs()));
  return std::make_unique<BackwardKernel>(attrs, true);
}

}  // namespace headrace
