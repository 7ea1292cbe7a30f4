#include "headrace/ops/array/tile.h"

#include <algorithm>
#include <vector>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/segment.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/tile_kernels.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {
namespace {

// Multiplied (Tile) or divided (TileGrad) by the multiples.
template <bool kGrad>
Status TiledShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape given, c.WithRank(1, 1));
  const PartialShape& in = c.input(0);
  const int rank = in.has_rank() ? in.rank() : static_cast<int>(given[0]);
  if (rank < 0 || rank > kMaxRank) return c.SetOutput(0, PartialShape());
  if (given[0] >= 0 && given[0] != rank) {
    return InvalidArgument("Expected multiples argument to be a vector of length ", rank,
                           " but got length ", given[0]);
  }
  const auto multiples = c.InputAsInts(1);
  // Of multiples like [1, 1, n] those that are numbers.
  PartialShape some = PartialShape::OfRank(rank);
  if (!kGrad && !multiples.has_value()) {
    HR_ASSIGN_OR_RETURN(const PartialShape known, c.InputAsShape(1));
    if (known.rank() == rank) some = known;
  }
  PartialShape out = PartialShape::OfRank(rank);
  for (int i = 0; i < rank; ++i) {
    const int64_t dim = in.has_rank() ? in[i] : PartialShape::kUnknown;
    if (!multiples.has_value()) {
      if (dim == 0) out.set_dim(i, 0);  // whatever the multiple
      if (dim > 0 && some[i] >= 0) out.set_dim(i, dim * some[i]);
      continue;
    }
    const int64_t m = (*multiples)[i];
    if (m < 0) return InvalidArgument("Expected multiples[", i, "] >= 0, but got ", m);
    if (dim < 0) continue;
    if (kGrad && (m == 0 ? dim != 0 : dim % m != 0)) {
      return InvalidArgument("Expected input_dims[", i, "] to be a multiple of multiples[", i,
                             "], but got ", dim, " and ", m);
    }
    out.set_dim(i, !kGrad ? dim * m : m == 0 ? 0 : dim / m);
  }
  return c.SetOutput(0, out);
}

Status BroadcastToShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape out, c.InputAsShape(1));
  const PartialShape& in = c.input(0);
  if (!out.has_rank() || !in.has_rank()) return c.SetOutput(0, out);
  if (in.rank() > out.rank()) {
    return InvalidArgument("Rank of input (", in.rank(),
                           ") must be no greater than rank of output shape (", out.rank(), ").");
  }
  const int shift = out.rank() - in.rank();
  for (int i = 0; i < in.rank(); ++i) {
    if (in[i] > 1 || in[i] == 0) {
      if (out[i + shift] >= 0 && out[i + shift] != in[i]) {
        return InvalidArgument("Incompatible shapes: ", in.ToString(), " vs. ", out.ToString());
      }
      out.set_dim(i + shift, in[i]);
    }
  }
  return c.SetOutput(0, out);
}

// The gradient for ranks whose pairs of multiple and size are more dimensions than a tensor may
// have: a few dimensions at a time, [done, m, s, m, s, m, s, rest] summed over each m.
Output SumInStages(GradContext& c, int rank) {
  constexpr int kAtOnce = (kMaxRank - 2) / 2;
  const Location where = c.where();
  const Output multiples = c.input(1);
  const Output shape = ShapeOf(c.input(0), {.out_type = multiples.value_dtype()}, where);
  const Output tiled = Mul(shape, multiples, {}, where);
  const Output pairs = Reshape(
      Transpose(Stack({multiples, shape}, {}, where), TransposeOptions{}, where), {-1}, {}, where);
  const auto product = [&](Output sizes, int from, int to) {
    return ReduceProd(Slice(sizes, {from}, {to - from}, {}, where), {0}, {.keep_dims = true},
                      where);
  };
  Output sum = c.grad();
  for (int at = 0; at < rank; at += kAtOnce) {
    const int end = std::min(at + kAtOnce, rank);
    const Output stage = Slice(pairs, {2 * at}, {2 * (end - at)}, {}, where);
    const Output dims =
        Concat({product(shape, 0, at), stage, product(tiled, end, rank)}, 0, {}, where);
    std::vector<int64_t> axes;
    for (int d = at; d < end; ++d) axes.push_back(1 + 2 * (d - at));
    sum = ReduceSum(Reshape(sum, dims, {}, where), ReduceAxes(axes), {}, where);
  }
  return Reshape(sum, shape, {}, where);
}

Status TileGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const PartialShape &x = c.input(0).shape(), &given = c.input(1).shape();
  const int64_t rank = x.has_rank() ? x.rank() : given.has_rank() ? given[0] : -1;
  if (2 * rank > kMaxRank) {
    c.Set(0, SumInStages(c, static_cast<int>(rank)));
    return absl::OkStatus();
  }
  const Output multiples = c.input(1);
  const Output shape = ShapeOf(c.input(0), {.out_type = multiples.value_dtype()}, where);
  const Output pairs = Transpose(Stack({multiples, shape}, {}, where), TransposeOptions{}, where);
  Output split_shape = Reshape(pairs, {-1}, {}, where);
  const Output axes = Range(g, 0, Size(split_shape, {}, where), 2, {}, where);
  Output grad;
  if (const std::optional<IndexedSlices>& slices = c.gradient(0).slices; slices.has_value()) {
    const Output rows = Cast(At(shape, {0}, {}, where), slices->indices.value_dtype(), {}, where);
    grad = UnsortedSegmentSum(slices->values, array_grad::Mod(slices->indices, rows, where), rows,
                              {}, where);
    const Output rest = At(split_shape, {SliceIndex::From(1)}, {}, where);
    split_shape =
        Concat({IntArg({1}).In(g, "Const", split_shape.value_dtype(), where), rest}, 0, {}, where);
  } else {
    grad = c.grad();
  }
  const Output sum = ReduceSum(Reshape(grad, split_shape, {}, where), axes, {}, where);
  if (sum.valid()) HR_RETURN_IF_ERROR(g.RefineShape(sum, c.input(0).shape()));
  c.Set(0, sum);
  return absl::OkStatus();
}

Status BroadcastToGradient(GradContext& c) {
  const Location where = c.where();
  const Output target = c.input(1);
  const Output shape = ShapeOf(c.input(0), {.out_type = target.value_dtype()}, where);
  const Output grad = c.grad();
  const BroadcastAxes axes = BroadcastGradientArgs(target, shape, {}, where);
  const Output sum = ReduceSum(grad, axes.r1, {.keep_dims = true}, where);
  c.Set(0, Reshape(sum, shape, {}, where));
  return absl::OkStatus();
}

Output WithInts(std::string_view op, std::string_view argument, Output x, const IntArg& ints,
                std::string_view name, Location where) {
  if (!x.valid() || !ints.valid()) return {};
  Graph& g = *x.graph();
  std::optional<OpScope> scope;
  if (!ints.is_output()) scope.emplace(g, name, op);
  const Output value = ints.In(g, argument, DType::kInt32, where);
  return NodeBuilder(g, op, scope.has_value() ? std::string_view(scope->op_name()) : name, where)
      .Input(x)
      .Input(value)
      .Build();
}

}  // namespace

Output Tile(Output x, IntArg multiples, OpOptions o, Location where) {
  return WithInts("Tile", "multiples", x, multiples, o.name, where);
}
Output BroadcastTo(Output x, IntArg shape, OpOptions o, Location where) {
  return WithInts("BroadcastTo", "shape", x, shape, o.name, where);
}

void DefineTile(OpRegistry& ops) {
  const DTypeSet gpu_types = kGpuFloatTypes | DTypeSet{DType::kInt16, DType::kInt64, DType::kBool,
                                                       DType::kComplex64, DType::kComplex128};
  ops.Define("Tile")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tmultiples", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Input("multiples", "Tmultiples")
      .Output("output", "T")
      .Shape(TiledShape<false>)
      .Gradient(TileGradient)
      .Cpu({.types = {{"T", kMovedTypes - kQuantizedTypes}}, .make = MakeTileCpu})
      .Gpu({.types = {{"T", gpu_types | kInt32Only}}, .host_args = {"multiples"}})
      .Doc("A tensor repeated in each dimension.");
  ops.Define("TileGrad")
      .TypeAttr("T", kAllTypes)
      .Input("input", "T")
      .Input("multiples", "int32")
      .Output("output", "T")
      .Shape(TiledShape<true>)
      .NoGradient()
      .Cpu({.types = {{"T", kNumberTypes}}, .make = MakeTileGradCpu})
      .Gpu({.types = {{"T", gpu_types - kBoolOnly}}, .host_args = {"multiples"}})
      .Doc("The sum of the repetitions that Tile made.");
  ops.Define("BroadcastTo")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Input("shape", "Tidx")
      .Output("output", "T")
      .Shape(BroadcastToShape)
      .Gradient(BroadcastToGradient)
      .Cpu({.types = {{"T", kMovedTypes - kQuantizedTypes}}, .make = MakeBroadcastToCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"shape"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"input", "shape", "output"}})
      .Doc("A tensor broadcast to a shape.");
}

}  // namespace headrace
