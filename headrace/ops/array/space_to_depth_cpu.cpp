#include "headrace/base/strings.h"
#include "headrace/ops/array/space_to_depth_kernels.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

class DepthKernel final : public Kernel {
 public:
  DepthKernel(int64_t block, bool channels_first, bool to_depth)
      : block_(block), channels_first_(channels_first), to_depth_(to_depth) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    if (in.rank() != 4) return InvalidArgument("Input rank should be 4 instead of ", in.rank());
    const int channel = channels_first_ ? 1 : 3, height = channels_first_ ? 2 : 1;
    Shape shape = in.shape();
    if (to_depth_) {
      if (in.dim(height) % block_ != 0 || in.dim(height + 1) % block_ != 0) {
        return InvalidArgument("Image width ", in.dim(height + 1), " and height ", in.dim(height),
                               " should be divisible by block_size: ", block_);
      }
      shape.set_dim(height, in.dim(height) / block_);
      shape.set_dim(height + 1, in.dim(height + 1) / block_);
      HR_RETURN_IF_ERROR(Multiply(shape, channel, block_ * block_));
    } else {
      if (in.dim(channel) % (block_ * block_) != 0) {
        return InvalidArgument("Input depth dimension ", in.dim(channel),
                               " should be divisible by: ", block_ * block_);
      }
      HR_RETURN_IF_ERROR(Multiply(shape, height, block_));
      HR_RETURN_IF_ERROR(Multiply(shape, height + 1, block_));
      shape.set_dim(channel, in.dim(channel) / (block_ * block_));
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    Move(ctx.workers(), in, *out);
    return absl::OkStatus();
  }

 private:
  static Status Multiply(Shape& shape, int i, int64_t factor) {
    int64_t size = 0;
    if (__builtin_mul_overflow(shape[i], factor, &size))
      return InvalidArgument("dimension ", i, " of ", shape[i], " times ", factor,
                             " is beyond int64");
    shape.set_dim(i, size);
    return absl::OkStatus();
  }

  // Over image, row and column of blocks, row and column in the block, channel: in the order of the
  // result, so that it is written from front to back.
  void Move(WorkerPool& workers, const Tensor& in, Tensor& out) const {
    const int channel = channels_first_ ? 1 : 3, height = channels_first_ ? 2 : 1;
    const Shape& space = to_depth_ ? in.shape() : out.shape();
    const Shape& depth = to_depth_ ? out.shape() : in.shape();
    const auto s = RowMajorStrides(space), d = RowMajorStrides(depth);
    struct Dim {
      int64_t size, space_stride, depth_stride;
    };
    const Dim image{space[0], s[0], d[0]}, row{depth[height], s[height] * block_, d[height]},
        column{depth[height + 1], s[height + 1] * block_, d[height + 1]},
        block_row{block_, s[height], d[channel] * space[channel] * block_},
        block_column{block_, s[height + 1], d[channel] * space[channel]},
        each{space[channel], s[channel], d[channel]};
    const std::array<Dim, 6> order =
        channels_first_
            ? to_depth_ ? std::array<Dim, 6>{image, block_row, block_column, each, row, column}
                        : std::array<Dim, 6>{image, each, row, block_row, column, block_column}
        : to_depth_ ? std::array<Dim, 6>{image, row, column, block_row, block_column, each}
                    : std::array<Dim, 6>{image, row, block_row, column, block_column, each};
    CopyView view;
    for (const Dim& dim : order) {
      view.Add(dim.size, to_depth_ ? dim.depth_stride : dim.space_stride,
               to_depth_ ? dim.space_stride : dim.depth_stride);
    }
    StridedCopy(workers, in.dtype(), view, out.raw_data(), in.raw_data());
  }

  const int64_t block_;
  const bool channels_first_, to_depth_;
};

StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init, bool to_depth) {
  return std::make_unique<DepthKernel>(init.Attr<int64_t>("block_size"),
                                       init.Attr<std::string>("data_format") == "NCHW", to_depth);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSpaceToDepthCpu(const KernelInit& init) {
  return Make(init, true);
}
StatusOr<std::unique_ptr<Kernel>> MakeDepthToSpaceCpu(const KernelInit& init) {
  return Make(init, false);
}

}  // namespace headrace
