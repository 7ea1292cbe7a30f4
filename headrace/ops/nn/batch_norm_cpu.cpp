#include <algorithm>
#include <cmath>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/nn/batch_norm_kernels.h"
#include "headrace/ops/nn/batch_norm_rows.h"
#include "headrace/ops/nn/image_operand.h"
#include "headrace/ops/nn/row_math.h"

namespace headrace {
namespace {

// Rows of all images, and channels.
struct Sizes {
  int64_t rows = 0, channels = 0;
  int64_t images = 0, pixels = 0;  // rows = images * pixels
};

StatusOr<Sizes> SizesOf(const Tensor& x, bool channels_first) {
  if (x.rank() != 4) return InvalidArgument("input must be 4-dimensional", x.shape().ToString());
  Sizes s{.images = x.dim(0)};
  s.channels = x.dim(channels_first ? 1 : 3);
  s.pixels = channels_first ? x.dim(2) * x.dim(3) : x.dim(1) * x.dim(2);
  s.rows = s.images * s.pixels;
  return s;
}

Status CheckVector(const Tensor& v, std::string_view name, int64_t channels) {
  if (v.rank() == 1 && v.dim(0) == channels) [[likely]]
    return absl::OkStatus();
  return InvalidArgument(name, " must be a vector of ", channels,
                         " numbers, one for each channel, got shape ", v.shape().ToString());
}

// Reductions over rows: blocks whose number depends on the shape alone, then the sum of the blocks.
class BlockSums {
 public:
  explicit BlockSums(const Sizes& s)
      : rows_(s.rows),
        channels_(s.channels),
        blocks_(std::clamp<int64_t>(s.rows * s.channels / 16384, 1, 64)) {}

  // Calls body(first row, rows, result) for each block, `width` times [channels] results; then adds
  // them up in `total`.
  template <class Body>
  void Run(WorkerPool& workers, std::vector<float>& partial, int64_t width, float* total,
           Body body) const {
    const int64_t size = width * channels_;
    partial.resize(static_cast<size_t>(blocks_ * size));
    workers.ParallelFor(
        blocks_, 0.15 * static_cast<double>(rows_ * channels_) / static_cast<double>(blocks_),
        [&](int64_t begin, int64_t end) {
          for (int64_t b = begin; b < end; ++b) {
            const int64_t first = rows_ * b / blocks_, last = rows_ * (b + 1) / blocks_;
            body(first, last - first, partial.data() + b * size);
          }
        });
    RowMath<float>::Get().column_sums(partial.data(), blocks_, size, size, total);
  }

 private:
  int64_t rows_, channels_, blocks_;
};

class BatchNormKernel final : public Kernel {
 public:
  explicit BatchNormKernel(const KernelInit& init)
      : epsilon_(init.Attr<float>("epsilon")),
        training_(init.Attr<bool>("is_training")),
        channels_first_(init.Attr<std::string>("data_format") == "NCHW") {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const Sizes s, SizesOf(ctx.input(0), channels_first_));
    HR_RETURN_IF_ERROR(CheckVector(ctx.input(1), "scale", s.channels));
    HR_RETURN_IF_ERROR(CheckVector(ctx.input(2), "offset", s.channels));
    if (!training_) {
      HR_RETURN_IF_ERROR(CheckVector(ctx.input(3), "mean", s.channels));
      HR_RETURN_IF_ERROR(CheckVector(ctx.input(4), "variance", s.channels));
    }
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, ctx.input(0).shape()));
    Tensor* stats[4];  // mean and variance for the user, mean and variance for the gradient
    for (int i = 0; i < 4; ++i) {
      HR_ASSIGN_OR_RETURN(stats[i], ctx.Output(1 + i, {s.channels}));
    }
    if (ctx.node().num_outputs() == 6) {
      HR_ASSIGN_OR_RETURN(Tensor * unused, ctx.Output(5, Shape()));
      *unused->data<float>() = 0;
    }
    HR_ASSIGN_OR_RETURN(const void* image, x_.Read(ctx, ctx.input(0), channels_first_, s.images,
                                                   s.channels, s.pixels));
    const float* x = static_cast<const float*>(image);
    float* mean = stats[2]->data<float>();
    float* variance = stats[3]->data<float>();
    if (training_) {
      Statistics(ctx, s, x, mean, variance);
    } else {
      std::copy_n(ctx.input(3).data<float>(), s.channels, mean);
      std::copy_n(ctx.input(4).data<float>(), s.channels, variance);
    }
    // The variance of the population, as an estimate from this sample.
    const float bessel = training_ ? static_cast<float>(s.rows) /
                                         static_cast<float>(std::max<int64_t>(1, s.rows - 1))
                                   : 1.0f;
    for (int64_t c = 0; c < s.channels; ++c) {
      stats[0]->data<float>()[c] = mean[c];
      stats[1]->data<float>()[c] = variance[c] * bessel;
    }
    return Normalize(ctx, s, x, mean, variance, *y);
  }

 private:
  void Statistics(KernelContext& ctx, const Sizes& s, const float* x, float* mean,
                  float* variance) {
    const BlockSums sums(s);
    const float count = static_cast<float>(s.rows);
    sums.Run(ctx.workers(), partial_, 1, mean, [&](int64_t first, int64_t rows, float* result) {
      RowMath<float>::Get().column_sums(x + first * s.channels, rows, s.channels, s.channels,
                                        result);
    });
    for (int64_t c = 0; c < s.channels; ++c) mean[c] /= count;
    sums.Run(ctx.workers(), partial_, 1, variance, [&](int64_t first, int64_t rows, float* result) {
      BatchNormRows::Get().deviations(x + first * s.channels, mean, rows, s.channels, result);
    });
    for (int64_t c = 0; c < s.channels; ++c) variance[c] /= count;
  }

  Status Normalize(KernelContext& ctx, const Sizes& s, const float* x, const float* mean,
                   const float* variance, Tensor& y) {
    factor_.resize(static_cast<size_t>(s.channels));
    const float* scale = ctx.input(1).data<float>();
    for (int64_t c = 0; c < s.channels; ++c)
      factor_[c] = scale[c] / std::sqrt(variance[c] + epsilon_);
    HR_ASSIGN_OR_RETURN(void* image,
                        y_.Write(ctx, y, channels_first_, s.images, s.channels, s.pixels));
    float* result = static_cast<float*>(image);
    ctx.workers().ParallelFor(
        s.rows, 0.15 * static_cast<double>(s.channels), [&](int64_t begin, int64_t end) {
          BatchNormRows::Get().normalize(x + begin * s.channels, mean, factor_.data(),
                                         ctx.input(2).data<float>(), result + begin * s.channels,
                                         end - begin, s.channels);
        });
    y_.Finish(ctx, y, channels_first_, s.images, s.channels, s.pixels);
    return absl::OkStatus();
  }

  float epsilon_;
  bool training_, channels_first_;
  ImageOperand x_, y_;
  std::vector<float> partial_, factor_;
};

// Inputs: y_backprop, x, scale, mean, variance (of the batch in training, else the given ones), and
// in V3 one more.
class BatchNormGradKernel final : public Kernel {
 public:
  explicit BatchNormGradKernel(const KernelInit& init)
      : epsilon_(init.Attr<float>("epsilon")),
        training_(init.Attr<bool>("is_training")),
        channels_first_(init.Attr<std::string>("data_format") == "NCHW") {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const Sizes s, SizesOf(ctx.input(1), channels_first_));
    if (ctx.input(0).shape() != ctx.input(1).shape()) {
      return InvalidArgument(
          "y_backprop and x must have the same shape: ", ctx.input(0).shape().ToString(), " vs. ",
          ctx.input(1).shape().ToString());
    }
    HR_RETURN_IF_ERROR(CheckVector(ctx.input(2), "scale", s.channels));
    HR_RETURN_IF_ERROR(CheckVector(ctx.input(3), "reserve_space_1 (mean)", s.channels));
    HR_RETURN_IF_ERROR(CheckVector(ctx.input(4), "reserve_space_2 (variance)", s.channels));
    HR_ASSIGN_OR_RETURN(Tensor * dx, ctx.Output(0, ctx.input(1).shape()));
    HR_ASSIGN_OR_RETURN(Tensor * dscale, ctx.Output(1, {s.channels}));
    HR_ASSIGN_OR_RETURN(Tensor * doffset, ctx.Output(2, {s.channels}));
    for (int i : {3, 4}) HR_RETURN_IF_ERROR(ctx.Output(i, {0}).status());
    HR_ASSIGN_OR_RETURN(const void* dy_image, dy_.Read(ctx, ctx.input(0), channels_first_, s.images,
                                                       s.channels, s.pixels));
    HR_ASSIGN_OR_RETURN(const void* x_image, x_.Read(ctx, ctx.input(1), channels_first_, s.images,
                                                     s.channels, s.pixels));
    const float* dy = static_cast<const float*>(dy_image);
    const float* x = static_cast<const float*>(x_image);
    const float* mean = ctx.input(3).data<float>();

    sums_.resize(static_cast<size_t>(2 * s.channels));
    BlockSums(s).Run(
        ctx.workers(), partial_, 2, sums_.data(), [&](int64_t first, int64_t rows, float* result) {
          BatchNormRows::Get().gradient_sums(dy + first * s.channels, x + first * s.channels, mean,
                                             rows, s.channels, result, result + s.channels);
        });
    Coefficients(ctx, s, dscale->data<float>(), doffset->data<float>());
    HR_ASSIGN_OR_RETURN(void* image,
                        dx_.Write(ctx, *dx, channels_first_, s.images, s.channels, s.pixels));
    float* result = static_cast<float*>(image);
    const float* dy_mean = coefficients_.data();
    const float* slope = dy_mean + s.channels;
    const float* factor = slope + s.channels;
    ctx.workers().ParallelFor(
        s.rows, 0.2 * static_cast<double>(s.channels), [&](int64_t begin, int64_t end) {
          BatchNormRows::Get().gradient(dy + begin * s.channels, x + begin * s.channels, mean,
                                        dy_mean, slope, factor, result + begin * s.channels,
                                        end - begin, s.channels);
        });
    dx_.Finish(ctx, *dx, channels_first_, s.images, s.channels, s.pixels);
    return absl::OkStatus();
  }

 private:
  // Of each channel: what is taken off dy, the slope by x - mean, and the factor; and the gradients
  // by scale and offset.
  void Coefficients(KernelContext& ctx, const Sizes& s, float* dscale, float* doffset) {
    coefficients_.resize(static_cast<size_t>(3 * s.channels));
    const float* scale = ctx.input(2).data<float>();
    const float* variance = ctx.input(4).data<float>();
    const float count = static_cast<float>(s.rows);
    for (int64_t c = 0; c < s.channels; ++c) {
      const float sum = sums_[c], product = sums_[s.channels + c];
      const float inverse = 1.0f / std::sqrt(variance[c] + epsilon_);
      doffset[c] = sum;
      dscale[c] = product * inverse;
      // Given statistics do not depend on x.
      coefficients_[c] = training_ ? sum / count : 0.0f;
      coefficients_[s.channels + c] = training_ ? product / count / (variance[c] + epsilon_) : 0.0f;
      coefficients_[2 * s.channels + c] = scale[c] * inverse;
    }
  }

  float epsilon_;
  bool training_, channels_first_;
  ImageOperand dy_, x_, dx_;
  std::vector<float> partial_, sums_, coefficients_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeFusedBatchNormCpu(const KernelInit& init) {
  return std::make_unique<BatchNormKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeFusedBatchNormGradCpu(const KernelInit& init) {
  return std::make_unique<BatchNormGradKernel>(init);
}

}  // namespace headrace
