#include "headrace/ops/array/space_to_batch.h"

#include <optional>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/space_to_batch_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

// Sizes of the blocks and borders of one node, as far as they are known.
struct Blocks {
  int rank = -1;  // blocked dimensions
  std::optional<std::vector<int64_t>> block, border;
};

Status CheckValues(const Blocks& b, bool to_batch) {
  for (int i = 0; b.block.has_value() && i < b.rank; ++i) {
    if ((*b.block)[i] < 1)
      return InvalidArgument("block_shape must be positive, got [", StrJoin(*b.block, ","), "]");
  }
  for (int i = 0; b.border.has_value() && i < 2 * b.rank; ++i) {
    if ((*b.border)[i] < 0) {
      return InvalidArgument(to_batch ? "paddings" : "crops", " cannot be negative, got [",
                             StrJoin(*b.border, ","), "]");
    }
  }
  return absl::OkStatus();
}

StatusOr<Blocks> ReadBlocks(ShapeContext& c, bool to_batch) {
  Blocks b;
  const bool nd = c.num_inputs() == 3;
  const PartialShape& border = c.input(nd ? 2 : 1);
  if (nd) {
    const PartialShape& shape = c.input(1);
    if (shape.has_rank() && shape.rank() != 1)
      return InvalidArgument("block_shape must have rank 1, got shape ", shape.ToString());
    b.rank = shape.has_rank() && shape[0] >= 0 ? static_cast<int>(shape[0]) : -1;
    b.block = c.InputAsInts(1);
  } else {
    b.rank = 2;
    b.block.emplace(2, c.attrs().Get<int64_t>("block_size"));
  }
  const PartialShape expected{b.rank, 2};
  if (!border.IsCompatibleWith(expected)) {
    return InvalidArgument(to_batch ? "paddings" : "crops", " must have shape ",
                           expected.ToString(), ", got ", border.ToString());
  }
  if (b.rank < 0 && border.has_rank()) b.rank = static_cast<int>(border[0]);
  b.border = c.InputAsInts(nd ? 2 : 1);
  if (b.rank < 0) {
    b.block.reset();
    b.border.reset();
  }
  HR_RETURN_IF_ERROR(CheckValues(b, to_batch));
  return b;
}

Status CheckDivides(int64_t size, int64_t by) {
  if (size % by == 0) return absl::OkStatus();
  return InvalidArgument("Dimension size must be evenly divisible by ", by, " but is ", size);
}

// One blocked dimension; -1 where it does not follow.
StatusOr<int64_t> ResultSize(int64_t size, int64_t block, int64_t border, bool to_batch) {
  if (size < 0) return int64_t{-1};
  int64_t whole = 0;
  if (to_batch ? __builtin_add_overflow(size, border, &whole)
               : __builtin_mul_overflow(size, block, &whole)) {
    return InvalidArgument("a dimension of ", size, " with blocks of ", block,
                           to_batch ? " and paddings of " : " and crops of ", border,
                           " is beyond int64");
  }
  if (to_batch) {
    HR_RETURN_IF_ERROR(CheckDivides(whole, block));
    return whole / block;
  }
  if (whole < border) {
    return InvalidArgument("Negative dimension size caused by subtracting ", border,
                           " (the crops) from ", whole);
  }
  return whole - border;
}

template <bool kToBatch>
Status BlockedShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const Blocks b, ReadBlocks(c, kToBatch));
  PartialShape out = c.input(0);
  if (c.num_inputs() == 2) {
    HR_ASSIGN_OR_RETURN(out, c.WithRank(0, 4));
  } else if (out.has_rank() && b.rank >= 0 && out.rank() < b.rank + 1) {
    return InvalidArgument("input rank should be >= ", b.rank + 1, " instead of ", out.rank());
  }
  if (!out.has_rank()) return c.SetOutput(0, out);
  int64_t blocks = b.block.has_value() ? 1 : -1;
  bool fits = true;
  for (int i = 0; b.block.has_value() && i < b.rank; ++i)
    fits = fits && !__builtin_mul_overflow(blocks, (*b.block)[i], &blocks);
  const int64_t batch = out[0];
  if (int64_t size = 0; kToBatch && batch >= 0 && blocks >= 0)
    fits = fits && !__builtin_mul_overflow(batch, blocks, &size);
  if (!fits) {
    return InvalidArgument("block_shape [", StrJoin(*b.block, ","),
                           "] makes more blocks of a batch of ", batch, " than int64 counts");
  }
  if (batch < 0 || blocks < 0) {
    out.set_dim(0, -1);
  } else {
    if (!kToBatch) HR_RETURN_IF_ERROR(CheckDivides(batch, blocks));
    out.set_dim(0, kToBatch ? batch * blocks : batch / blocks);
  }
  for (int i = 1; i < out.rank(); ++i) {
    if (b.rank >= 0 && i > b.rank) break;
    if (b.rank < 0 || !b.block.has_value() || !b.border.has_value()) {
      out.set_dim(i, -1);
      continue;
    }
    int64_t border = 0;
    if (__builtin_add_overflow((*b.border)[2 * (i - 1)], (*b.border)[2 * (i - 1) + 1], &border))
      return InvalidArgument(kToBatch ? "paddings" : "crops", " beyond int64: [",
                             StrJoin(*b.border, ","), "]");
    HR_ASSIGN_OR_RETURN(const int64_t size,
                        ResultSize(out[i], (*b.block)[i - 1], border, kToBatch));
    out.set_dim(i, size);
  }
  return c.SetOutput(0, out);
}

Output BuildND(std::string_view op, std::string_view border_name, Output input,
               const IntArg& block_shape, const IntArg& border, const std::string& name,
               DType block_type, Location where) {
  if (!input.valid() || !block_shape.valid() || !border.valid()) return {};
  Graph& g = *input.graph();
  std::optional<OpScope> scope;
  if (!block_shape.is_output() || !border.is_output()) scope.emplace(g, name, op);
  const Output block = block_shape.In(g, "block_shape", block_type, where);
  const Output edges = border.In(g, border_name, DType::kInt32, where);
  return NodeBuilder(g, op, scope.has_value() ? std::string_view(scope->op_name()) : name, where)
      .Input(input)
      .Input(block)
      .Input(edges)
      .Build();
}

Output BuildSquare(std::string_view op, std::string_view border_name, Output input,
                   const IntArg& border, int64_t block_size, const std::string& name,
                   Location where) {
  if (!input.valid() || !border.valid()) return {};
  Graph& g = *input.graph();
  std::optional<OpScope> scope;
  if (!border.is_output()) scope.emplace(g, name, op);
  const Output edges = border.In(g, border_name, DType::kInt32, where);
  return NodeBuilder(g, op, scope.has_value() ? std::string_view(scope->op_name()) : name, where)
      .Input(input)
      .Input(edges)
      .Attr("block_size", block_size)
      .Build();
}

template <bool kToBatch>
Status GradientND(GradContext& c) {
  c.Set(0, kToBatch ? BatchToSpaceND(c.grad(), c.input(1), c.input(2), {}, c.where())
                    : SpaceToBatchND(c.grad(), c.input(1), c.input(2), {}, c.where()));
  return absl::OkStatus();
}

// As TensorFlow's, through the ops for any number of dimensions.
template <bool kToBatch>
Status GradientSquare(GradContext& c) {
  const int64_t size = c.attrs().Get<int64_t>("block_size");
  c.Set(0, kToBatch ? BuildND("BatchToSpaceND", "crops", c.grad(), IntArg({size, size}), c.input(1),
                              "", DType::kInt64, c.where())
                    : BuildND("SpaceToBatchND", "paddings", c.grad(), IntArg({size, size}),
                              c.input(1), "", DType::kInt64, c.where()));
  return absl::OkStatus();
}

}  // namespace

Output SpaceToBatchND(Output input, IntArg block_shape, IntArg paddings, OpOptions o,
                      Location where) {
  return BuildND("SpaceToBatchND", "paddings", input, block_shape, paddings, o.name, DType::kInt32,
                 where);
}
Output BatchToSpaceND(Output input, IntArg block_shape, IntArg crops, OpOptions o, Location where) {
  return BuildND("BatchToSpaceND", "crops", input, block_shape, crops, o.name, DType::kInt32,
                 where);
}
Output SpaceToBatch(Output input, IntArg paddings, int64_t block_size, OpOptions o,
                    Location where) {
  return BuildSquare("SpaceToBatch", "paddings", input, paddings, block_size, o.name, where);
}
Output BatchToSpace(Output input, IntArg crops, int64_t block_size, OpOptions o, Location where) {
  return BuildSquare("BatchToSpace", "crops", input, crops, block_size, o.name, where);
}

void DefineSpaceToBatch(OpRegistry& ops) {
  ops.Define("SpaceToBatchND")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tblock_shape", kIndexTypes, DType::kInt32)
      .TypeAttr("Tpaddings", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Input("block_shape", "Tblock_shape")
      .Input("paddings", "Tpaddings")
      .Output("output", "T")
      .Shape(BlockedShape<true>)
      .Gradient(GradientND<true>)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeSpaceToBatchCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"block_shape", "paddings"}})
      .Doc("Moves blocks of the spatial dimensions into the batch.");
  ops.Define("BatchToSpaceND")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tblock_shape", kIndexTypes, DType::kInt32)
      .TypeAttr("Tcrops", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Input("block_shape", "Tblock_shape")
      .Input("crops", "Tcrops")
      .Output("output", "T")
      .Shape(BlockedShape<false>)
      .Gradient(GradientND<false>)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeBatchToSpaceCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"block_shape", "crops"}})
      .Doc("Moves the batch into blocks of the spatial dimensions.");
  ops.Define("SpaceToBatch")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tpaddings", kIndexTypes, DType::kInt32)
      .Attr({.name = "block_size", .kind = AttrKind::kInt, .minimum = 2})
      .Input("input", "T")
      .Input("paddings", "Tpaddings")
      .Output("output", "T")
      .Shape(BlockedShape<true>)
      .Gradient(GradientSquare<true>)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeSpaceToBatchCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"paddings"}})
      .Doc("Moves square blocks of images into the batch.");
  ops.Define("BatchToSpace")
      .TypeAttr("T", kAllTypes)
      .Attr({.name = "block_size", .kind = AttrKind::kInt, .minimum = 2})
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Input("crops", "Tidx")
      .Output("output", "T")
      .Shape(BlockedShape<false>)
      .Gradient(GradientSquare<false>)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeBatchToSpaceCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"crops"}})
      .Doc("Moves the batch into square blocks of images.");
}

}  // namespace headrace
