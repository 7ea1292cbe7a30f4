#include <algorithm>
#include <cmath>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/nn/lrn_kernels.h"

namespace headrace {
namespace {

// One pixel at a time: [channels].
class LRNRow {
 public:
  LRNRow(const KernelInit& init, int64_t channels)
      : radius_(std::clamp<int64_t>(init.Attr<int64_t>("depth_radius"), 0, channels)),
        bias_(init.Attr<float>("bias")),
        alpha_(init.Attr<float>("alpha")),
        beta_(init.Attr<float>("beta")),
        channels_(channels),
        padded_(static_cast<size_t>(channels + 2 * radius_)),
        norm_(static_cast<size_t>(channels)),
        power_(static_cast<size_t>(channels)),
        sums_(static_cast<size_t>(channels)) {}

  void Forward(const float* x, float* y) {
    Norms(x);
    for (int64_t c = 0; c < channels_; ++c) y[c] = x[c] * power_[c];
  }

  // dx[k] = dy[k] * norm[k]^-beta - 2 alpha beta x[k] * sum over the j around k of dy[j] * y[j] /
  // norm[j].
  void Backward(const float* dy, const float* x, const float* y, float* dx) {
    Norms(x);
    for (int64_t c = 0; c < channels_; ++c) padded_[radius_ + c] = dy[c] * y[c] / norm_[c];
    WindowSums();
    const float factor = 2 * alpha_ * beta_;
    for (int64_t c = 0; c < channels_; ++c) dx[c] = dy[c] * power_[c] - factor * x[c] * sums_[c];
  }

 private:
  // norm_ = bias + alpha * sums of squares; power_ = norm_^-beta.
  void Norms(const float* x) {
    for (int64_t c = 0; c < channels_; ++c) padded_[radius_ + c] = x[c] * x[c];
    WindowSums();
    for (int64_t c = 0; c < channels_; ++c) norm_[c] = bias_ + alpha_ * sums_[c];
    if (beta_ == 0.5f) {
      for (int64_t c = 0; c < channels_; ++c) power_[c] = 1.0f / std::sqrt(norm_[c]);
    } else if (beta_ == 0.75f) {
      for (int64_t c = 0; c < channels_; ++c) {
        const float root = std::sqrt(norm_[c]);
        power_[c] = 1.0f / (root * std::sqrt(root));
      }
    } else {
      for (int64_t c = 0; c < channels_; ++c) power_[c] = std::pow(norm_[c], -beta_);
    }
  }

  // The borders of padded_ stay 0.
  void WindowSums() {
    std::fill(sums_.begin(), sums_.end(), 0.0f);
    for (int64_t offset = 0; offset <= 2 * radius_; ++offset) {
      const float* from = padded_.data() + offset;
      for (int64_t c = 0; c < channels_; ++c) sums_[c] += from[c];
    }
  }

  int64_t radius_;
  float bias_, alpha_, beta_;
  int64_t channels_;
  std::vector<float> padded_, norm_, power_, sums_;
};

class LRNKernel final : public Kernel {
 public:
  explicit LRNKernel(const KernelInit& init) : init_(init) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& first = ctx.input(0);
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).rank() != 4)
        return InvalidArgument("in must be 4-dimensional, got ", ctx.input(i).shape().ToString());
      if (ctx.input(i).shape() != first.shape()) {
        return InvalidArgument(
            "input_grads, input_image and output_image should have the same shape: ",
            first.shape().ToString(), " vs. ", ctx.input(i).shape().ToString());
      }
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, first.shape()));
    const int64_t channels = first.dim(3);
    if (first.num_elements() == 0) return absl::OkStatus();
    const bool gradient = ctx.num_inputs() == 3;
    ctx.workers().ParallelFor(first.num_elements() / channels, 4.0 * static_cast<double>(channels),
                              [&](int64_t begin, int64_t end) {
                                LRNRow row(init_, channels);
                                if (first.dtype() == DType::kFloat16) {
                                  RunHalf(ctx, row, gradient, channels, begin, end, *out);
                                } else {
                                  Run(ctx, row, gradient, channels, begin, end, *out);
                                }
                              });
    return absl::OkStatus();
  }

 private:
  static void Run(KernelContext& ctx, LRNRow& row, bool gradient, int64_t channels, int64_t begin,
                  int64_t end, Tensor& out) {
    for (int64_t i = begin; i < end; ++i) {
      const auto at = [&](int input) { return ctx.input(input).data<float>() + i * channels; };
      float* y = out.data<float>() + i * channels;
      gradient ? row.Backward(at(0), at(1), at(2), y) : row.Forward(at(0), y);
    }
  }

  static void RunHalf(KernelContext& ctx, LRNRow& row, bool gradient, int64_t channels,
                      int64_t begin, int64_t end, Tensor& out) {
    std::vector<float> wide[4];
    for (auto& w : wide) w.resize(static_cast<size_t>(channels));
    for (int64_t i = begin; i < end; ++i) {
      for (int k = 0; k < ctx.num_inputs(); ++k) {
        WidenToFloat(ctx.input(k).data<Half>() + i * channels, DType::kFloat16, wide[k].data(),
                     channels);
      }
      if (gradient) {
        row.Backward(wide[0].data(), wide[1].data(), wide[2].data(), wide[3].data());
      } else {
        row.Forward(wide[0].data(), wide[3].data());
      }
      NarrowFromFloat(wide[3].data(), DType::kFloat16, out.data<Half>() + i * channels, channels);
    }
  }

  KernelInit init_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeLRNCpu(const KernelInit& init) {
  return std::make_unique<LRNKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeLRNGradCpu(const KernelInit& init) {
  return std::make_unique<LRNKernel>(init);
}

}  // namespace headrace
