#include "headrace/ops/nn/fractional_pool.h"

#include <cmath>

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/fractional_pool_kernels.h"

namespace headrace {

StatusOr<PartialShape> FractionalPoolShape(const AttrMap& attrs, const PartialShape& input) {
  const AttrValue::Floats ratio = attrs.Get<AttrValue::Floats>("pooling_ratio");
  if (ratio.size() != 4) {
    return InvalidArgument("pooling_ratio field must specify 4 dimensions, got ", ratio.size());
  }
  if (ratio[0] != 1 || ratio[3] != 1) {
    return Unimplemented(
        "Fractional pooling is not yet supported on the batch nor channel dimension.");
  }
  for (const float r : ratio) {
    if (!(r >= 1)) return InvalidArgument("pooling_ratio cannot be smaller than 1, got ", r);
  }
  if (input.has_rank() && input.rank() != 4) {
    return InvalidArgument("the input must be 4-dimensional, got shape ", input.ToString());
  }
  PartialShape out = input.has_rank() ? input : PartialShape::OfRank(4);
  for (int i : {1, 2}) {
    if (out[i] < 0) continue;
    out.set_dim(i, static_cast<int64_t>(std::floor(static_cast<float>(out[i]) / ratio[i])));
    if (out[i] < 1) {
      return InvalidArgument("a pooling_ratio of ", ratio[i], " leaves nothing of dimension ", i,
                             " of shape ", input.ToString());
    }
  }
  return out;
}

namespace {

Status ForwardShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape out, FractionalPoolShape(c.attrs(), c.input(0)));
  HR_RETURN_IF_ERROR(c.SetOutput(0, out));
  for (int i : {1, 2}) HR_RETURN_IF_ERROR(c.SetOutput(i, {out[i] < 0 ? -1 : out[i] + 1}));
  return absl::OkStatus();
}

Status MaxGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  for (int i : {3, 4}) HR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  return c.SetOutput(0, input);
}

Status AvgGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.InputAsShape(0));
  if (input.has_rank() && input.rank() != 4) {
    return InvalidArgument("orig_input_tensor_shape must have 4 elements, got shape ",
                           input.ToString());
  }
  for (int i : {2, 3}) HR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  return c.SetOutput(0, input.has_rank() ? input : PartialShape::OfRank(4));
}

FractionalPoolGradOptions GradOptions(const GradContext& c, std::string name = "") {
  return {.overlapping = c.node().attrs().Get<bool>("overlapping"), .name = std::move(name)};
}

Status MaxGradient(GradContext& c) {
  c.Set(0, FractionalMaxPoolGrad(c.input(0), c.output(0), c.grad(0), c.output(1), c.output(2),
                                 GradOptions(c), c.where()));
  return absl::OkStatus();
}

Status AvgGradient(GradContext& c) {
  const Location where = c.where();
  const PartialShape& shape = c.input(0).shape();
  if (!shape.is_fully_known()) {
    const Output sizes = ShapeOf(c.input(0), {.out_type = DType::kInt64}, where);
    c.Set(0,
          FractionalAvgPoolGrad(sizes, c.grad(0), c.output(1), c.output(2), GradOptions(c), where));
    return absl::OkStatus();
  }
  const OpScope scope(c.graph(), "", "FractionalAvgPoolGrad");
  const Output sizes =
      IntArg(shape.ToShape()).In(c.graph(), "orig_input_tensor_shape", DType::kInt64, where);
  c.Set(0, FractionalAvgPoolGrad(sizes, c.grad(0), c.output(1), c.output(2),
                                 GradOptions(c, scope.op_name()), where));
  return absl::OkStatus();
}

FractionalPoolOutputs BuildPool(std::string_view op, Output value, const FractionalPoolOptions& o,
                                Location where) {
  Node* node = NodeBuilder(op, o.name, where)
                   .Input(value)
                   .Attr("pooling_ratio", o.pooling_ratio)
                   .Attr("pseudo_random", o.pseudo_random)
                   .Attr("overlapping", o.overlapping)
                   .Attr("deterministic", o.deterministic)
                   .Attr("seed", o.seed)
                   .Attr("seed2", o.seed2)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

constexpr DTypeSet kTypes = kFloat32And64 | kSignedIndex;

void DefineForward(OpRegistry& ops, std::string_view name, GradientFn gradient, KernelFactory make,
                   std::string_view doc) {
  ops.Define(name)
      .Attr({.name = "pooling_ratio", .kind = AttrKind::kFloatList, .minimum = 4})
      .Attr("pseudo_random", false)
      .Attr("overlapping", false)
      .Attr("deterministic", false)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .TypeAttr("T", kTypes)
      .Input("value", "T")
      .Output("output", "T")
      .Output("row_pooling_sequence", "int64")
      .Output("col_pooling_sequence", "int64")
      .Shape(ForwardShape)
      .Gradient(gradient)
      .Cpu({.types = {{"T", kTypes}}, .make = make})
      .Doc(doc);
}

}  // namespace

FractionalPoolOutputs FractionalMaxPool(Output value, FractionalPoolOptions o, Location where) {
  return BuildPool("FractionalMaxPool", value, o, where);
}
FractionalPoolOutputs FractionalAvgPool(Output value, FractionalPoolOptions o, Location where) {
  return BuildPool("FractionalAvgPool", value, o, where);
}
Output FractionalMaxPoolGrad(Output orig_input, Output orig_output, Output out_backprop,
                             Output row_pooling_sequence, Output col_pooling_sequence,
                             FractionalPoolGradOptions o, Location where) {
  return NodeBuilder("FractionalMaxPoolGrad", o.name, where)
      .Input(orig_input)
      .Input(orig_output)
      .Input(out_backprop)
      .Input(row_pooling_sequence)
      .Input(col_pooling_sequence)
      .Attr("overlapping", o.overlapping)
      .Build();
}
Output FractionalAvgPoolGrad(Output orig_input_tensor_shape, Output out_backprop,
                             Output row_pooling_sequence, Output col_pooling_sequence,
                             FractionalPoolGradOptions o, Location where) {
  return NodeBuilder("FractionalAvgPoolGrad", o.name, where)
      .Input(orig_input_tensor_shape)
      .Input(out_backprop)
      .Input(row_pooling_sequence)
      .Input(col_pooling_sequence)
      .Attr("overlapping", o.overlapping)
      .Build();
}

void DefineFractionalPool(OpRegistry& ops) {
  DefineForward(ops, "FractionalMaxPool", MaxGradient, MakeFractionalMaxPoolCpu,
                "The largest element of each window of random size.");
  DefineForward(ops, "FractionalAvgPool", AvgGradient, MakeFractionalAvgPoolCpu,
                "The mean of each window of random size.");
  ops.Define("FractionalMaxPoolGrad")
      .Attr("overlapping", false)
      .TypeAttr("T", kTypes)
      .Input("orig_input", "T")
      .Input("orig_output", "T")
      .Input("out_backprop", "T")
      .Input("row_pooling_sequence", "int64")
      .Input("col_pooling_sequence", "int64")
      .Output("output", "T")
      .Shape(MaxGradShape)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeFractionalMaxPoolGradCpu})
      .Doc("Gradient of FractionalMaxPool.");
  ops.Define("FractionalAvgPoolGrad")
      .Attr("overlapping", false)
      .TypeAttr("T", kTypes)
      .Input("orig_input_tensor_shape", "int64")
      .Input("out_backprop", "T")
      .Input("row_pooling_sequence", "int64")
      .Input("col_pooling_sequence", "int64")
      .Output("output", "T")
      .Shape(AvgGradShape)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeFractionalAvgPoolGradCpu})
      .Doc("Gradient of FractionalAvgPool.");
}

}  // namespace headrace
