#include <algorithm>
#include <atomic>
#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/pool_geometry.h"
#include "headrace/ops/nn/pool_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

StatusOr<PoolAttrs> SpatialAttrs(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolAttrs::From(init.attrs()));
  if (attrs.depth_size != 1)
    return Unimplemented("MaxPoolWithArgmax does not support pooling over channels");
  return attrs;
}

// The offset in the image of the largest element of a window: the first of equal ones.
template <class T>
int64_t Largest(const PoolShape& s, const T* image, int64_t row, int64_t column, int64_t channel) {
  const int64_t top = row * s.h.stride - s.h.pad_before,
                left = column * s.w.stride - s.w.pad_before;
  int64_t best = -1;
  for (int64_t y = std::max<int64_t>(top, 0); y < std::min(top + s.h.filter, s.h.in); ++y) {
    for (int64_t x = std::max<int64_t>(left, 0); x < std::min(left + s.w.filter, s.w.in); ++x) {
      const int64_t at = (y * s.w.in + x) * s.channels + channel;
      if (best < 0 || image[best] < image[at]) best = at;
    }
  }
  return best;
}

class ArgmaxKernel final : public Kernel {
 public:
  ArgmaxKernel(const PoolAttrs& attrs, bool from_batch) : attrs_(attrs), from_batch_(from_batch) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const PartialShape shape, attrs_.OutputShape(x.shape(), TooLarge::kEmpty));
    HR_ASSIGN_OR_RETURN(const PoolShape s, PoolShape::Of(attrs_, x.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape.ToShape()));
    HR_ASSIGN_OR_RETURN(Tensor * argmax, ctx.Output(1, shape.ToShape()));
    if (y->num_elements() == 0) return absl::OkStatus();
    DispatchDType<kCpuRealTypes>(x.dtype(), [&]<class T>() {
      const double row_ns = 2.0 * static_cast<double>(s.row() * s.h.filter * s.w.filter);
      ctx.workers().ParallelFor(s.batch * s.h.out, row_ns, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = i / s.h.out * s.image();
          for (int64_t k = 0; k < s.row(); ++k) {
            const int64_t at =
                Largest(s, x.data<T>() + first, i % s.h.out, k / s.channels, k % s.channels);
            y->data<T>()[i * s.row() + k] = x.data<T>()[first + at];
            argmax->data<int64_t>()[i * s.row() + k] = from_batch_ ? first + at : at;
          }
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  PoolAttrs attrs_;
  bool from_batch_;
};

// Inputs: input, grad, argmax. Adds `grad` at the places, or (`second`) reads it there.
class ArgmaxGradKernel final : public Kernel {
 public:
  ArgmaxGradKernel(const PoolAttrs& attrs, bool from_batch, bool second)
      : attrs_(attrs), from_batch_(from_batch), second_(second) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const PartialShape known, attrs_.OutputShape(x.shape(), TooLarge::kEmpty));
    const Shape pooled = known.ToShape();
    HR_RETURN_IF_ERROR(CheckShape("grad", ctx.input(1).shape(), second_ ? x.shape() : pooled));
    HR_RETURN_IF_ERROR(CheckShape("argmax", ctx.input(2).shape(), pooled));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, second_ ? pooled : x.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (!second_) std::memset(out->raw_data(), 0, out->size_bytes());
    int64_t wrong = -1;
    DispatchDType<kCpuRealTypes>(x.dtype(), [&]<class T>() { wrong = Move<T>(ctx, *out); });
    if (wrong < 0) return absl::OkStatus();
    return InvalidArgument("argmax[", wrong, "] = ", ctx.input(2).data<int64_t>()[wrong],
                           " is not in ", from_batch_ ? "its image of the batch" : "the image",
                           " of ", x.num_elements() / x.dim(0), " elements");
  }

 private:
  static Status CheckShape(const char* what, const Shape& actual, const Shape& expected) {
    if (actual == expected) [[likely]]
      return absl::OkStatus();
    return InvalidArgument(what, " must have shape ", expected.ToString(), ", got ",
                           actual.ToString());
  }

  // Gives the position of an argmax outside its image, or -1. One thread an image: the places of an
  // image may be equal.
  template <class T>
  int64_t Move(KernelContext& ctx, Tensor& out) const {
    const Tensor &x = ctx.input(0), &grad = ctx.input(1), &argmax = ctx.input(2);
    const int64_t batch = x.dim(0), image = x.num_elements() / batch,
                  row = argmax.num_elements() / batch;
    std::atomic<int64_t> wrong{-1};
    ctx.workers().ParallelFor(
        batch, 2.0 * static_cast<double>(row), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin * row; i < end * row; ++i) {
            const int64_t first = i / row * image;
            const int64_t at = argmax.data<int64_t>()[i] - (from_batch_ ? first : 0);
            if (at < 0 || at >= image) {
              wrong.store(i, std::memory_order_relaxed);
            } else if (second_) {
              out.data<T>()[i] = grad.data<T>()[first + at];
            } else {
              out.data<T>()[first + at] += grad.data<T>()[i];
            }
          }
        });
    return wrong.load();
  }

  PoolAttrs attrs_;
  bool from_batch_, second_;
};

template <class K, class... Args>
StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init, Args... args) {
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, SpatialAttrs(init));
  return std::make_unique<K>(attrs, init.Attr<bool>("include_batch_in_index"), args...);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolWithArgmaxCpu(const KernelInit& init) {
  return Make<ArgmaxKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolGradWithArgmaxCpu(const KernelInit& init) {
  return Make<ArgmaxGradKernel>(init, false);
}
StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolGradGradWithArgmaxCpu(const KernelInit& init) {
  return Make<ArgmaxGradKernel>(init, true);
}

}  // namespace headrace
