#include "headrace/ops/nn/top_k.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/top_k_kernels.h"

namespace headrace {
namespace {

Status TopKShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape shape, c.WithRankAtLeast(0, 1));
  int64_t k = c.attrs().GetOr<int64_t>("k", -1);
  if (c.num_inputs() == 2) {
    HR_RETURN_IF_ERROR(c.CheckScalar(1));
    const auto value = c.InputAsInts(1);
    if (value.has_value() && (*value)[0] < 0)
      return InvalidArgument("Need k >= 0, got ", (*value)[0]);
    if (value.has_value()) k = (*value)[0];
  }
  if (shape.has_rank()) {
    const int last = shape.rank() - 1;
    if (shape[last] >= 0 && k > shape[last]) {
      return InvalidArgument("input must have at least k columns. Had ", shape[last], ", needed ",
                             k);
    }
    shape.set_dim(last, k);
  }
  HR_RETURN_IF_ERROR(c.SetOutput(0, shape));
  return c.SetOutput(1, shape);
}

Status InTopKShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape predictions, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape targets, c.WithRank(1, 1));
  if (c.num_inputs() == 3) HR_RETURN_IF_ERROR(c.CheckScalar(2));
  HR_RETURN_IF_ERROR(
      c.CheckEqualDims(predictions[0], targets[0], "rows of the predictions", "number of targets"));
  return c.SetOutput(0, {predictions[0] >= 0 ? predictions[0] : targets[0]});
}

// The last dimension of a shape as int64.
Output LastOf(Output shape, Location where) {
  const Output wide = Cast(shape, DType::kInt64, {}, where);
  const Output last = Sub(Size(shape, {}, where), 1, {.name = "sub"}, where);
  return Gather(wide, last, {}, where);
}

// Each value goes back to where it came from: row * columns + index in a vector of zeros.
Status TopKGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output in_shape = ShapeOf(c.input(0), {}, where);
  const Output indices_shape = ShapeOf(c.output(1), {}, where);
  const Output k = LastOf(indices_shape, where);
  const Output any = Const(g, int64_t{-1}, {.name = "stack/0"}, where);
  const Output rows = Reshape(c.output(1), Stack({any, k}, {.name = "stack"}, where), {}, where);
  const Output columns = LastOf(in_shape, where);
  const Output row_count =
      Cast(At(ShapeOf(rows, {}, where), {0}, {}, where), DType::kInt64, {}, where);
  const Output end = Mul(row_count, columns, {.name = "mul"}, where);
  const Output zero = Const(g, int32_t{0}, {.name = "range/start"}, where);
  const Output start = Cast(zero, DType::kInt64, {.name = "range/Cast"}, where);
  const Output starts = ExpandDims(Range(start, end, columns, {}, where), -1, {}, where);
  const Output flat = AddV2(rows, Cast(starts, DType::kInt32, {}, where), {.name = "add"}, where);
  const Output places = ExpandDims(Reshape(flat, {-1}, {}, where), -1, {}, where);
  const Output values = Reshape(c.grad(0), {-1}, {}, where);
  const Output size = ReduceProd(in_shape, {}, {}, where);
  const Output size_vector = Stack({size}, {.name = "ScatterNd/shape"}, where);
  c.Set(0, Reshape(ScatterNd(places, values, size_vector, {}, where), in_shape, {}, where));
  return absl::OkStatus();
}

}  // namespace

TopKOutputs TopK(Output input, IntArg k, TopKOptions o, Location where) {
  if (!input.valid()) return {};
  Graph& g = *input.graph();
  Node* node = nullptr;
  if (k.is_output()) {
    node = NodeBuilder("TopKV2", o.name, where)
               .Input(input)
               .Input(k.output())
               .Attr("sorted", o.sorted)
               .BuildNode();
  } else {
    const OpScope scope(g, o.name, "TopKV2");
    const Output count = k.In(g, "k", DType::kInt32, where);
    node = NodeBuilder("TopKV2", scope.op_name(), where)
               .Input(input)
               .Input(count)
               .Attr("sorted", o.sorted)
               .BuildNode();
  }
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

Output InTopK(Output predictions, Output targets, IntArg k, OpOptions o, Location where) {
  if (!predictions.valid() || !targets.valid()) return {};
  Graph& g = *predictions.graph();
  const NameScope scope(g, o.name.empty() ? "in_top_k" : o.name);
  const Output count = k.In(g, "InTopKV2/k", targets.value_dtype(), where);
  return NodeBuilder("InTopKV2", "InTopKV2", where)
      .Input(predictions)
      .Input(targets)
      .Input(count)
      .Build();
}

void DefineTopK(OpRegistry& ops) {
  for (const bool v2 : {false, true}) {
    OpDef& top = ops.Define(v2 ? "TopKV2" : "TopK");
    if (!v2) top.Attr({.name = "k", .kind = AttrKind::kInt, .minimum = 0});
    top.Attr("sorted", true).TypeAttr("T", kRealTypes).Input("input", "T");
    if (v2) top.Input("k", "int32");
    top.Output("values", "T")
        .Output("indices", "int32")
        .Shape(TopKShape)
        .Gradient(TopKGradient)
        .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeTopKCpu})
        .Gpu({.types = {{"T", kCpuRealTypes - DTypeSet(DType::kBFloat16)}},
              .host_args = v2 ? std::vector<std::string>{"k"} : std::vector<std::string>{}})
        .Doc("The k largest elements of each row, and where they are.");

    OpDef& in = ops.Define(v2 ? "InTopKV2" : "InTopK");
    if (!v2) in.Attr("k", AttrKind::kInt);
    in.TypeAttr("T", kIndexTypes, DType::kInt32)
        .Input("predictions", "float32")
        .Input("targets", "T");
    if (v2) in.Input("k", "T");
    in.Output("precision", "bool")
        .Shape(InTopKShape)
        .NoGradient()
        .Cpu({.make = MakeInTopKCpu})
        .Doc("Is the target class among the k largest predictions?");
    if (v2) in.Gpu({.host_args = {"k"}});
  }
}

}  // namespace headrace
