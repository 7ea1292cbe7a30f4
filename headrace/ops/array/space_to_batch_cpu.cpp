#include <algorithm>
#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/space_to_batch_kernels.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

struct Blocks {
  int rank = 0;
  std::array<int64_t, kMaxRank> block{}, before{}, after{};
  int64_t count = 1;  // elements of a block
};

// From `block_size` (0: input 1) and the borders (the last input).
StatusOr<Blocks> ReadBlocks(KernelContext& ctx, int64_t block_size, bool to_batch) {
  Blocks b;
  const Tensor& border = ctx.input(ctx.num_inputs() - 1);
  b.rank = 2;
  if (block_size == 0) {
    const Tensor& shape = ctx.input(1);
    if (shape.rank() != 1)
      return InvalidArgument("block_shape must be a vector, got shape ", shape.shape().ToString());
    HR_ASSIGN_OR_RETURN(const IntValues values, IntValues::From(shape, "block_shape"));
    b.rank = values.size();
    if (b.rank >= kMaxRank)
      return InvalidArgument("block_shape must have less than ", kMaxRank, " elements, got ",
                             b.rank);
    for (int i = 0; i < b.rank; ++i) b.block[i] = values[i];
  } else {
    b.block[0] = b.block[1] = block_size;
  }
  const char* name = to_batch ? "paddings" : "crops";
  if (border.shape() != Shape{b.rank, 2}) {
    return InvalidArgument(name, " should have shape [", b.rank, ", 2] instead of ",
                           border.shape().ToString());
  }
  for (int i = 0; i < b.rank; ++i) {
    b.before[i] = IntAt(border, 2 * i);
    b.after[i] = IntAt(border, 2 * i + 1);
    if (b.block[i] < 1)
      return InvalidArgument("All values in block_shape must be positive, got ", b.block[i]);
    if (__builtin_mul_overflow(b.count, b.block[i], &b.count))
      return InvalidArgument("block_shape makes more blocks than int64 counts");
    if (b.before[i] < 0 || b.after[i] < 0) {
      return InvalidArgument(to_batch ? "Paddings" : "Crops", " must be non-negative, got ",
                             b.before[i], " and ", b.after[i]);
    }
  }
  return b;
}

StatusOr<Shape> ResultShape(const Blocks& b, const Shape& in, bool to_batch) {
  if (in.rank() < b.rank + 1)
    return InvalidArgument("input rank should be >= ", b.rank + 1, " instead of ", in.rank());
  Shape out = in;
  if (to_batch) {
    int64_t batch = 0;
    if (__builtin_mul_overflow(in[0], b.count, &batch))
      return InvalidArgument("block_shape makes ", b.count, " blocks of each of a batch of ", in[0],
                             ": more than int64 counts");
    out.set_dim(0, batch);
  } else {
    if (in[0] % b.count != 0) {
      return InvalidArgument("Input batch dimension (", in[0],
                             ") is not divisible by product of block sizes (", b.count, ")");
    }
    out.set_dim(0, in[0] / b.count);
  }
  for (int i = 0; i < b.rank; ++i) {
    int64_t border = 0, whole = 0;
    if (__builtin_add_overflow(b.before[i], b.after[i], &border) ||
        (to_batch ? __builtin_add_overflow(in[i + 1], border, &whole)
                  : __builtin_mul_overflow(in[i + 1], b.block[i], &whole))) {
      return InvalidArgument("dimension ", i + 1, " of ", in[i + 1], " with blocks of ", b.block[i],
                             to_batch ? " and paddings of " : " and crops of ", b.before[i],
                             " and ", b.after[i], " is beyond int64");
    }
    if (to_batch) {
      const int64_t padded = whole;
      if (padded % b.block[i] != 0) {
        return InvalidArgument("padded_shape[", i, "]=", padded,
                               " is not divisible by block_shape[", i, "]=", b.block[i]);
      }
      out.set_dim(i + 1, padded / b.block[i]);
    } else {
      const int64_t cropped = whole - border;
      if (cropped < 0)
        return InvalidArgument("cropped_shape[", i, "]=", cropped, " must be non-negative");
      out.set_dim(i + 1, cropped);
    }
  }
  return out;
}

// Moves what element `offset` of each block holds: its part of the batch is `part`. Position s of
// the small side is position s * block + offset - before of the large side, where that exists.
void MovePart(WorkerPool& workers, const Blocks& b, std::span<const int64_t> offset, int64_t part,
              const Tensor& in, Tensor& out, bool to_batch) {
  const Shape& small = to_batch ? out.shape() : in.shape();
  const Shape& large = to_batch ? in.shape() : out.shape();
  const auto small_strides = RowMajorStrides(small), large_strides = RowMajorStrides(large);
  int64_t small_at = part * large[0] * small_strides[0], large_at = 0;
  CopyView view;
  const auto add = [&](int64_t size, int64_t small_stride, int64_t large_stride) {
    if (to_batch) {
      view.Add(size, small_stride, large_stride);
    } else {
      view.Add(size, large_stride, small_stride);
    }
  };
  add(large[0], small_strides[0], large_strides[0]);
  for (int i = 0; i < b.rank; ++i) {
    const int64_t shift = offset[i] - b.before[i];
    const int64_t first = shift >= 0 ? 0 : (-shift + b.block[i] - 1) / b.block[i];
    const int64_t past = large[i + 1] - shift;  // s * block must be below
    const int64_t end =
        past <= 0 ? 0 : std::min(small[i + 1], (past + b.block[i] - 1) / b.block[i]);
    if (end <= first) return;
    add(end - first, small_strides[i + 1], large_strides[i + 1] * b.block[i]);
    small_at += first * small_strides[i + 1];
    large_at += (first * b.block[i] + shift) * large_strides[i + 1];
  }
  for (int i = b.rank + 1; i < large.rank(); ++i) add(large[i], small_strides[i], large_strides[i]);
  StridedCopy(workers, in.dtype(), view, ElementAt(out, to_batch ? small_at : large_at),
              ElementAt(in, to_batch ? large_at : small_at));
}

class BlockKernel final : public Kernel {
 public:
  BlockKernel(int64_t block_size, bool to_batch) : block_size_(block_size), to_batch_(to_batch) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const Blocks b, ReadBlocks(ctx, block_size_, to_batch_));
    if (block_size_ != 0 && in.rank() != 4)
      return InvalidArgument("input rank should be 4 instead of ", in.rank());
    HR_ASSIGN_OR_RETURN(const Shape shape, ResultShape(b, in.shape(), to_batch_));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (to_batch_ && out->num_elements() != in.num_elements())
      std::memset(out->raw_data(), 0, out->size_bytes());
    if (in.num_elements() == 0) return absl::OkStatus();
    std::array<int64_t, kMaxRank> offset{};
    for (int64_t part = 0; part < b.count; ++part) {
      int64_t rest = part;
      for (int i = b.rank - 1; i >= 0; --i) {
        offset[i] = rest % b.block[i];
        rest /= b.block[i];
      }
      MovePart(ctx.workers(), b, offset, part, in, *out, to_batch_);
    }
    return absl::OkStatus();
  }

 private:
  const int64_t block_size_;  // 0: an input says
  const bool to_batch_;
};

StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init, bool to_batch) {
  return std::make_unique<BlockKernel>(init.attrs().GetOr<int64_t>("block_size", 0), to_batch);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSpaceToBatchCpu(const KernelInit& init) {
  return Make(init, true);
}
StatusOr<std::unique_ptr<Kernel>> MakeBatchToSpaceCpu(const KernelInit& init) {
  return Make(init, false);
}

}  // namespace headrace
