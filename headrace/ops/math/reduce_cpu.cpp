// The order in which elements are joined follows from the shape alone: work is cut into blocks of
// fixed size, whatever the number of threads, and partial results of blocks are joined in order.
#include <algorithm>
#include <optional>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/reduce_kernels.h"
#include "headrace/ops/math/reduce_plan.h"
#include "headrace/ops/math/reduce_rows.h"

namespace headrace {
namespace {

constexpr int64_t kBlock = 4096;        // elements of a block
constexpr int64_t kTile = 1024;         // columns of a block
constexpr int64_t kEnoughOutputs = 64;  // from here on outputs alone keep all threads busy
constexpr int64_t kExactRows =
    64;  // rows joined one after the other before a new partial sum starts
constexpr int64_t kAccumulatorBytes = 16;  // the largest
constexpr double kNsPerElement = 0.15;

class Reduction {
 public:
  Reduction(const ReducePlan& plan, const ReduceRows& rows, KernelContext& ctx, Tensor& scratch,
            const void* x, void* out)
      : plan_(plan),
        rows_(rows),
        ctx_(ctx),
        scratch_(scratch),
        x_(static_cast<const std::byte*>(x)),
        out_(static_cast<std::byte*>(out)) {}

  Status Run() {
    if (plan_.outputs == 0) return absl::OkStatus();
    if (plan_.count == 0) return FillWithNothing();
    return plan_.inner_reduced ? ReduceRowsOf() : ReduceColumnsOf();
  }

 private:
  const std::byte* In(int64_t offset) const { return x_ + offset * rows_.size; }
  std::byte* Out(int64_t i) const { return out_ + i * rows_.size; }
  void Finish(const void* acc, int64_t first, int64_t n) const {
    rows_.finish(acc, Out(first), n, plan_.count);
  }

  Status FillWithNothing() {
    alignas(64) std::byte acc[kAccumulatorBytes];
    rows_.init(acc, 1);
    for (int64_t i = 0; i < plan_.outputs; ++i) Finish(acc, i, 1);
    return absl::OkStatus();
  }

  StatusOr<std::byte*> Partials(int64_t count) {
    HR_RETURN_IF_ERROR(ctx_.Scratch(scratch_, DType::kUInt8, {count * rows_.accumulator_size}));
    return static_cast<std::byte*>(scratch_.raw_data());
  }

  // Joins `count` groups of n accumulators, `stride` apart, into the first one: as a tree, which
  // keeps sums exact.
  void JoinPairwise(std::byte* acc, int64_t count, int64_t stride, int64_t n) const {
    const int64_t bytes = stride * rows_.accumulator_size;
    for (int64_t step = 1; step < count; step *= 2) {
      for (int64_t i = 0; i + step < count; i += 2 * step)
        rows_.combine(acc + i * bytes, acc + (i + step) * bytes, n);
    }
  }

  // The innermost dimension is reduced: rows of neighbours become one number each.
  Status ReduceRowsOf() {
    const std::span<const ReducePlan::Dim> kept(plan_.kept.data(), plan_.num_kept);
    const std::span<const ReducePlan::Dim> outer(plan_.reduced.data(), plan_.num_reduced - 1);
    const int64_t row = plan_.reduced[plan_.num_reduced - 1].size;
    const int64_t rows = plan_.count / row;
    // A unit of work is some rows, or a part of one: of small elements more, or the ends of blocks
    // would cost more than what is in them.
    const int64_t block = std::max(kBlock, 4 * kBlock / rows_.size);
    const int64_t rows_per_unit = std::max<int64_t>(1, block / row);
    const int64_t parts = row > block ? (row + block - 1) / block : 1;
    const int64_t units = parts > 1 ? rows * parts : (rows + rows_per_unit - 1) / rows_per_unit;
    const auto run_unit = [&](void* acc, int64_t base, int64_t unit) {
      if (parts > 1) {
        const int64_t begin = unit % parts * block;
        rows_.row(acc, In(base + OffsetOf(outer, unit / parts) + begin),
                  std::min(block, row - begin));
        return;
      }
      const int64_t end = std::min(rows, (unit + 1) * rows_per_unit);
      for (int64_t r = unit * rows_per_unit; r < end; ++r)
        rows_.row(acc, In(base + OffsetOf(outer, r)), row);
    };
    if (units == 1 || plan_.outputs >= kEnoughOutputs) {
      const double cost = kNsPerElement * static_cast<double>(plan_.count) + 5;
      ctx_.workers().ParallelFor(plan_.outputs, cost, [&](int64_t begin, int64_t end) {
        alignas(64) std::byte acc[kAccumulatorBytes], part[kAccumulatorBytes];
        for (int64_t i = begin; i < end; ++i) {
          const int64_t base = OffsetOf(kept, i);
          rows_.init(acc, 1);
          run_unit(acc, base, 0);
          for (int64_t unit = 1; unit < units; ++unit) {
            rows_.init(part, 1);
            run_unit(part, base, unit);
            rows_.combine(acc, part, 1);
          }
          Finish(acc, i, 1);
        }
      });
      return absl::OkStatus();
    }
    HR_ASSIGN_OR_RETURN(std::byte* const partials, Partials(plan_.outputs * units));
    const double cost = kNsPerElement * static_cast<double>(plan_.count / units) + 5;
    ctx_.workers().ParallelFor(plan_.outputs * units, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::byte* acc = partials + i * rows_.accumulator_size;
        rows_.init(acc, 1);
        run_unit(acc, OffsetOf(kept, i / units), i % units);
      }
    });
    for (int64_t i = 0; i < plan_.outputs; ++i) {
      std::byte* acc = partials + i * units * rows_.accumulator_size;
      JoinPairwise(acc, units, 1, 1);
      Finish(acc, i, 1);
    }
    return absl::OkStatus();
  }

  // Joins `count` rows of n columns to acc.
  void JoinRows(std::byte* acc, const std::byte* x, int64_t count, int64_t stride,
                int64_t n) const {
    alignas(64) std::byte part[kTile * kAccumulatorBytes];
    const int64_t narrow = 32;
    if (n < narrow && stride == n) {  // several short rows as one long row
      const int64_t times = 64 / n, wide = times * n;
      for (int64_t long_rows = count / times; long_rows > 0;) {
        const int64_t now = std::min(kExactRows, long_rows);
        rows_.init(part, wide);
        rows_.columns(part, x, now, wide, wide);
        JoinPairwise(part, times, n, n);
        rows_.combine(acc, part, n);
        x += now * wide * rows_.size;
        long_rows -= now;
      }
      rows_.columns(acc, x, count % times, n, n);
      return;
    }
    if (count <= kExactRows) return rows_.columns(acc, x, count, stride, n);
    while (count > 0) {
      const int64_t now = std::min(kExactRows, count);
      rows_.init(part, n);
      rows_.columns(part, x, now, stride, n);
      rows_.combine(acc, part, n);
      x += now * stride * rows_.size;
      count -= now;
    }
  }

  // The innermost dimension is kept: rows are joined element by element.
  Status ReduceColumnsOf() {
    const std::span<const ReducePlan::Dim> kept(plan_.kept.data(), plan_.num_kept - 1);
    const std::span<const ReducePlan::Dim> outer(plan_.reduced.data(), plan_.num_reduced - 1);
    const ReducePlan::Dim rows = plan_.reduced[plan_.num_reduced - 1];
    const int64_t columns = plan_.kept[plan_.num_kept - 1].size;
    const int64_t groups = plan_.outputs / columns;  // results with their own rows
    const int64_t tile = std::min(columns, kTile), tiles = (columns + tile - 1) / tile;
    const int64_t block = std::max<int64_t>(16, 8 * kBlock / tile),
                  blocks = (rows.size + block - 1) / block;
    const int64_t units = plan_.count / rows.size * blocks;
    const auto run_unit = [&](std::byte* acc, int64_t group, int64_t at_tile, int64_t unit) {
      const int64_t first = unit % blocks * block, column = at_tile * tile;
      const int64_t offset =
          OffsetOf(kept, group) + OffsetOf(outer, unit / blocks) + first * rows.stride + column;
      JoinRows(acc, In(offset), std::min(block, rows.size - first), rows.stride,
               std::min(tile, columns - column));
    };
    const double unit_cost =
        kNsPerElement * static_cast<double>(std::min(block, rows.size) * tile) + 10;
    if (units == 1 || groups * tiles >= kEnoughOutputs) {
      ctx_.workers().ParallelFor(groups * tiles, unit_cost * static_cast<double>(units),
                                 [&](int64_t begin, int64_t end) {
                                   alignas(64) std::byte acc[kTile * kAccumulatorBytes];
                                   for (int64_t i = begin; i < end; ++i) {
                                     const int64_t group = i / tiles, at_tile = i % tiles,
                                                   n = std::min(tile, columns - at_tile * tile);
                                     rows_.init(acc, n);
                                     for (int64_t unit = 0; unit < units; ++unit)
                                       run_unit(acc, group, at_tile, unit);
                                     Finish(acc, group * columns + at_tile * tile, n);
                                   }
                                 });
      return absl::OkStatus();
    }
    // Partial results of (group, tile, unit) lie side by side, `tile` accumulators each.
    const int64_t tile_bytes = tile * rows_.accumulator_size;
    HR_ASSIGN_OR_RETURN(std::byte* const partials, Partials(groups * tiles * units * tile));
    ctx_.workers().ParallelFor(groups * tiles * units, unit_cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::byte* acc = partials + i * tile_bytes;
        rows_.init(acc, tile);
        run_unit(acc, i / units / tiles, i / units % tiles, i % units);
      }
    });
    for (int64_t i = 0; i < groups * tiles; ++i) {
      std::byte* acc = partials + i * units * tile_bytes;
      const int64_t column = i % tiles * tile, n = std::min(tile, columns - column);
      JoinPairwise(acc, units, tile, n);
      Finish(acc, i / tiles * columns + column, n);
    }
    return absl::OkStatus();
  }

  const ReducePlan& plan_;
  const ReduceRows& rows_;
  KernelContext& ctx_;
  Tensor& scratch_;
  const std::byte* x_;
  std::byte* out_;
};

class ReduceKernel final : public Kernel {
 public:
  ReduceKernel(ReduceRows rows, bool keep_dims) : rows_(rows), keep_dims_(keep_dims) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const IntValues axes, IntValues::From(ctx.input(1), "reduction_indices"));
    if (!plan_.has_value() || x.shape() != input_ ||
        !std::ranges::equal(axes.span(), axes_.span())) {
      HR_ASSIGN_OR_RETURN(plan_, ReducePlan::Make(x.shape(), axes.span(), keep_dims_));
      input_ = x.shape();
      axes_ = axes;
    }
    if (plan_->count == 1) {  // nothing to join
      HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, plan_->output));
      rows_.keeps_single ? y->CopyElementsFrom(x) : EachAlone(ctx, x, *y);
      return absl::OkStatus();
    }
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, plan_->output));
    return Reduction(*plan_, rows_, ctx, scratch_, x.raw_data(), y->raw_data()).Run();
  }

 private:
  // Results of single elements.
  void EachAlone(KernelContext& ctx, const Tensor& x, Tensor& y) const {
    const std::byte* from = static_cast<const std::byte*>(x.raw_data());
    std::byte* to = static_cast<std::byte*>(y.raw_data());
    ctx.workers().ParallelFor(x.num_elements(), 2, [&](int64_t begin, int64_t end) {
      alignas(64) std::byte acc[kTile * kAccumulatorBytes];
      for (int64_t i = begin; i < end; i += kTile) {
        const int64_t n = std::min(kTile, end - i);
        rows_.init(acc, n);
        rows_.columns(acc, from + i * rows_.size, 1, n, n);
        rows_.finish(acc, to + i * rows_.size, n, 1);
      }
    });
  }

  const ReduceRows rows_;
  const bool keep_dims_;
  Shape input_;
  IntValues axes_;
  std::optional<ReducePlan> plan_;
  Tensor scratch_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeReduceCpu(const KernelInit& init) {
  const ReduceRows rows = FindReduceRows(init.node().op_name(), init.input_type(0));
  if (!rows.valid()) {
    return Unimplemented("there is no CPU loop of ", init.node().op_name(), " for ",
                         DTypeName(init.input_type(0)));
  }
  return std::make_unique<ReduceKernel>(rows, init.Attr<bool>("keep_dims"));
}

}  // namespace headrace
