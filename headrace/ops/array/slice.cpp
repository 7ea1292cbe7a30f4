#include "headrace/ops/array/slice.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/pad.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice_kernels.h"

namespace headrace {
namespace {

Status SliceShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape begin_shape, c.WithRank(1, 1));
  HR_ASSIGN_OR_RETURN(const PartialShape size_shape, c.WithRank(2, 1));
  const PartialShape& in = c.input(0);
  int rank = in.rank();
  for (const PartialShape* stated : {&begin_shape, &size_shape}) {
    const int64_t length = (*stated)[0];
    if (length < 0) continue;
    if (rank < 0) rank = static_cast<int>(length);
    if (length != rank) {
      return InvalidArgument("Expected begin and size arguments to be 1-D tensors of size ", rank,
                             ", but got shapes ", begin_shape.ToString(), " and ",
                             size_shape.ToString(), " instead.");
    }
  }
  if (rank < 0) return c.SetOutput(0, PartialShape());
  if (rank > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  const auto begin = c.InputAsInts(1), size = c.InputAsInts(2);
  PartialShape out = PartialShape::OfRank(rank);
  if (!size.has_value()) {
    HR_ASSIGN_OR_RETURN(const PartialShape partial, c.InputAsShape(2, /*allow_unknown=*/true));
    if (partial.has_rank()) out = partial;
    return c.SetOutput(0, out);
  }
  for (int i = 0; i < rank; ++i) {
    const int64_t dim = in.has_rank() ? in[i] : PartialShape::kUnknown;
    int64_t wanted = (*size)[i];
    if (dim >= 0 && begin.has_value()) {
      const int64_t from = (*begin)[i];
      if (from < 0 || from > dim) {
        return InvalidArgument("Expected begin[", i, "] in [0, ", dim, "], but got ", from);
      }
      if (wanted == -1) wanted = dim - from;
      if (wanted < 0 || from + wanted > dim) {
        return InvalidArgument("Expected size[", i, "] in [0, ", dim - from, "], but got ", wanted);
      }
    } else if (wanted < -1) {
      return InvalidArgument("Expected size[", i, "] >= -1, but got ", wanted);
    }
    out.set_dim(i, wanted < 0 ? PartialShape::kUnknown : wanted);
  }
  return c.SetOutput(0, out);
}

Status SliceGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output begin = c.input(1);
  const DType index = begin.value_dtype();
  const Output rank = Rank(c.input(0), {}, where);
  const Output size = ShapeOf(c.output(0), {.out_type = index}, where);
  const Output shape = IntArg::Packed({rank, 1}).In(g, "stack", DType::kInt32, where);
  const Output before = Reshape(begin, shape, {}, where);
  const Output whole = ShapeOf(c.input(0), {.out_type = index}, where);
  const Output rest = array_grad::Sub(array_grad::Sub(whole, size, where), begin, where);
  const Output after = Reshape(rest, shape, {}, where);
  c.Set(0, Pad(c.grad(), Concat({before, after}, 1, {}, where), {}, where));
  return absl::OkStatus();
}

}  // namespace

Output Slice(Output x, IntArg begin, IntArg size, OpOptions o, Location where) {
  if (!x.valid() || !begin.valid() || !size.valid()) return {};
  Graph& g = *x.graph();
  if (begin.is_output() && size.is_output()) {
    return NodeBuilder("Slice", o.name, where)
        .Input(x)
        .Input(begin.output())
        .Input(size.output())
        .Build();
  }
  const DType type = begin.is_output()  ? begin.output().value_dtype()
                     : size.is_output() ? size.output().value_dtype()
                                        : DType::kInt32;
  const OpScope scope(g, o.name, "Slice");
  const Output b = begin.In(g, "begin", type, where);
  const Output s = size.In(g, "size", type, where);
  return NodeBuilder(g, "Slice", scope.op_name(), where).Input(x).Input(b).Input(s).Build();
}

void DefineSlice(OpRegistry& ops) {
  const DTypeSet cut = kCommonNumberTypes | DTypeSet{DType::kBool, DType::kString, DType::kQInt8,
                                                     DType::kQUInt8, DType::kQInt32};
  ops.Define("Slice")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Index", kIndexTypes)
      .Input("input", "T")
      .Input("begin", "Index")
      .Input("size", "Index")
      .Output("output", "T")
      .Shape(SliceShape)
      .Gradient(SliceGradient)
      .Cpu({.types = {{"T", cut}}, .make = MakeSliceCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"begin", "size"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"input", "begin", "size", "output"}})
      .Doc("A box cut out of a tensor.");
}

}  // namespace headrace
