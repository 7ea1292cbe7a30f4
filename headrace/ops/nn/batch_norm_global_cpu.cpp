#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/batch_norm_global_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// float16 is computed in float32.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, Half>, float, T>;

// Sums are made of blocks of rows, so that they do not depend on the threads.
constexpr int64_t kBlockRows = 256;

class GlobalKernel : public Kernel {
 public:
  explicit GlobalKernel(const KernelInit& init)
      : epsilon_(init.Attr<float>("variance_epsilon")),
        scaled_(init.Attr<bool>("scale_after_normalization")) {}

 protected:
  // Images of `t`, and the vectors, which are the inputs from 1 to `last`.
  Status CheckShapes(KernelContext& ctx, int last) {
    const Shape& t = ctx.input(0).shape();
    if (t.rank() != 4) return InvalidArgument("t must be 4-dimensional, got ", t.ToString());
    channels_ = t[3];
    rows_ = channels_ == 0 ? 0 : t.num_elements() / channels_;
    for (int i = 1; i <= last; ++i) {
      if (ctx.input(i).shape() != Shape{channels_}) {
        return InvalidArgument("input ", i, " must have one element for each channel of t ",
                               t.ToString(), ", got ", ctx.input(i).shape().ToString());
      }
    }
    return absl::OkStatus();
  }

  // 1 / sqrt(v + epsilon) of channel c.
  template <class T>
  Wide<T> Inverse(const Tensor& v, int64_t c) const {
    using W = Wide<T>;
    return W(1) / std::sqrt(static_cast<W>(v.data<T>()[c]) + static_cast<W>(epsilon_));
  }

  const float epsilon_;
  const bool scaled_;
  int64_t rows_ = 0, channels_ = 0;
};

class Forward final : public GlobalKernel {
 public:
  using GlobalKernel::GlobalKernel;

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(CheckShapes(ctx, 4));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, ctx.input(0).shape()));
    DispatchDType<kIeeeFloats>(out->dtype(), [&]<class T>() { Run<T>(ctx, *out); });
    return absl::OkStatus();
  }

 private:
  template <class T>
  void Run(KernelContext& ctx, Tensor& out) {
    using W = Wide<T>;
    std::vector<W> factor(static_cast<size_t>(channels_));
    for (int64_t c = 0; c < channels_; ++c) {
      factor[c] = Inverse<T>(ctx.input(2), c);
      if (scaled_) factor[c] *= static_cast<W>(ctx.input(4).data<T>()[c]);
    }
    const T* x = ctx.input(0).data<T>();
    const T* mean = ctx.input(1).data<T>();
    const T* beta = ctx.input(3).data<T>();
    T* y = out.data<T>();
    ctx.workers().ParallelFor(
        rows_, 1.0 * static_cast<double>(channels_), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            for (int64_t c = 0; c < channels_; ++c) {
              const int64_t at = row * channels_ + c;
              y[at] = static_cast<T>((static_cast<W>(x[at]) - static_cast<W>(mean[c])) * factor[c] +
                                     static_cast<W>(beta[c]));
            }
          }
        });
  }
};

class Backward final : public GlobalKernel {
 public:
  using GlobalKernel::GlobalKernel;

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(CheckShapes(ctx, 3));
    const Shape& t = ctx.input(0).shape();
    if (ctx.input(4).shape() != t) {
      return InvalidArgument("backprop must have the shape of t ", t.ToString(), ", got ",
                             ctx.input(4).shape().ToString());
    }
    Tensor* out[5];
    for (int i = 0; i < 5; ++i) {
      HR_ASSIGN_OR_RETURN(out[i], ctx.Output(i, i == 0 ? t : Shape{channels_}));
    }
    DispatchDType<kIeeeFloats>(out[0]->dtype(), [&]<class T>() { Run<T>(ctx, out); });
    return absl::OkStatus();
  }

 private:
  // Outputs: dx, dm, dv, db, dg.
  template <class T>
  void Run(KernelContext& ctx, Tensor* const* out) {
    using W = Wide<T>;
    const auto size = static_cast<size_t>(channels_);
    std::vector<W> inverse(size), factor(size);
    for (int64_t c = 0; c < channels_; ++c) {
      inverse[c] = factor[c] = Inverse<T>(ctx.input(2), c);
      if (scaled_) factor[c] *= static_cast<W>(ctx.input(3).data<T>()[c]);
    }
    // Of each block: sums of dy, then of dy * (x - mean).
    const int64_t blocks = (rows_ + kBlockRows - 1) / kBlockRows;
    std::vector<W> sums(2 * size * static_cast<size_t>(blocks));
    const T* x = ctx.input(0).data<T>();
    const T* mean = ctx.input(1).data<T>();
    const T* dy = ctx.input(4).data<T>();
    T* dx = out[0]->data<T>();
    const double ns = 3.0 * static_cast<double>(channels_ * kBlockRows);
    ctx.workers().ParallelFor(blocks, ns, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin * kBlockRows; row < std::min(end * kBlockRows, rows_); ++row) {
        W* dy_sum = sums.data() + 2 * channels_ * (row / kBlockRows);
        W* product_sum = dy_sum + channels_;
        for (int64_t c = 0; c < channels_; ++c) {
          const int64_t at = row * channels_ + c;
          const W d = static_cast<W>(dy[at]);
          dx[at] = static_cast<T>(d * factor[c]);
          dy_sum[c] += d;
          product_sum[c] += d * (static_cast<W>(x[at]) - static_cast<W>(mean[c]));
        }
      }
    });
    for (int64_t c = 0; c < channels_; ++c) {
      W dy_sum = 0, product_sum = 0;
      for (int64_t block = 0; block < blocks; ++block) {
        dy_sum += sums[static_cast<size_t>(2 * channels_ * block + c)];
        product_sum += sums[static_cast<size_t>(2 * channels_ * block + channels_ + c)];
      }
      out[1]->data<T>()[c] = static_cast<T>(-dy_sum * factor[c]);
      out[2]->data<T>()[c] =
          static_cast<T>(W(-0.5) * product_sum * factor[c] * inverse[c] * inverse[c]);
      out[3]->data<T>()[c] = static_cast<T>(dy_sum);
      out[4]->data<T>()[c] = static_cast<T>(scaled_ ? product_sum * inverse[c] : W(0));
    }
  }
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeBatchNormGlobalCpu(const KernelInit& init) {
  return std::make_unique<Forward>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeBatchNormGlobalGradCpu(const KernelInit& init) {
  return std::make_unique<Backward>(init);
}

}  // namespace headrace
