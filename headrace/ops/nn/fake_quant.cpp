#include "headrace/ops/nn/fake_quant.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/fake_quant_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kGpuWide = kFloat32And64;

Status MergedWithGradients(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape both, c.input(0).MergedWith(c.input(1)));
  return c.SetOutput(0, both);
}

Status CheckScalars(ShapeContext& c, int first) {
  HR_RETURN_IF_ERROR(c.CheckScalar(first));
  return c.CheckScalar(first + 1);
}

// `inputs` and the range of each of its channels, as inputs `at`, `at + 1`, `at + 2`; gives the
// shape of a range.
StatusOr<PartialShape> ChannelsShape(ShapeContext& c, int at, PartialShape& inputs) {
  HR_ASSIGN_OR_RETURN(const PartialShape min, c.WithRank(at + 1, 1));
  HR_ASSIGN_OR_RETURN(const PartialShape max, c.WithRank(at + 2, 1));
  HR_ASSIGN_OR_RETURN(PartialShape range, min.MergedWith(max));
  if (!inputs.has_rank()) return range;
  if (inputs.rank() < 1)
    return InvalidArgument("the inputs must have at least one dimension, of channels");
  const int last = inputs.rank() - 1;
  HR_RETURN_IF_ERROR(
      c.CheckEqualDims(inputs[last], range[0], "channels of the inputs", "number of ranges"));
  if (inputs[last] < 0) inputs.set_dim(last, range[0]);
  if (range[0] < 0) range.set_dim(0, inputs[last]);
  return range;
}

Status VarsShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckScalars(c, 1));
  return c.SetOutput(0, c.input(0));
}
Status VarsGradientShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckScalars(c, 2));
  HR_RETURN_IF_ERROR(MergedWithGradients(c));
  for (int i : {1, 2}) HR_RETURN_IF_ERROR(c.SetOutput(i, PartialShape(Shape())));
  return absl::OkStatus();
}
Status ChannelShape(ShapeContext& c) {
  PartialShape inputs = c.input(0);
  HR_RETURN_IF_ERROR(ChannelsShape(c, 0, inputs).status());
  return c.SetOutput(0, inputs);
}
Status ChannelGradientShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape inputs, c.input(0).MergedWith(c.input(1)));
  HR_ASSIGN_OR_RETURN(const PartialShape range, ChannelsShape(c, 1, inputs));
  HR_RETURN_IF_ERROR(c.SetOutput(0, inputs));
  for (int i : {1, 2}) HR_RETURN_IF_ERROR(c.SetOutput(i, range));
  return absl::OkStatus();
}

FakeQuantArgsOptions ArgsOptionsOf(const AttrMap& attrs) {
  return {.min = attrs.Get<float>("min"),
          .max = attrs.Get<float>("max"),
          .num_bits = attrs.Get<int64_t>("num_bits"),
          .narrow_range = attrs.Get<bool>("narrow_range")};
}
FakeQuantOptions OptionsOf(const AttrMap& attrs) {
  return {.num_bits = attrs.Get<int64_t>("num_bits"),
          .narrow_range = attrs.Get<bool>("narrow_range")};
}

Status ArgsGradient(GradContext& c) {
  c.Set(0,
        FakeQuantWithMinMaxArgsGradient(c.grad(), c.input(0), ArgsOptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
// It only lets gradients through, or not.
Status ArgsGradientGradient(GradContext& c) {
  c.Set(0,
        FakeQuantWithMinMaxArgsGradient(c.grad(), c.input(1), ArgsOptionsOf(c.attrs()), c.where()));
  return absl::OkStatus();
}
template <FakeQuantGradients (*kGradient)(Output, Output, Output, Output, FakeQuantOptions,
                                          Location)>
Status VarsGradient(GradContext& c) {
  const FakeQuantGradients g =
      kGradient(c.grad(), c.input(0), c.input(1), c.input(2), OptionsOf(c.attrs()), c.where());
  c.Set(0, g.inputs);
  c.Set(1, g.min);
  c.Set(2, g.max);
  return absl::OkStatus();
}

Status ThroughToInput(GradContext& c) {
  c.Set(0, c.grad());
  return absl::OkStatus();
}

Status QuantizeShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  return c.SetOutput(0, c.input(0));
}

NodeBuilder ArgsNode(std::string_view op, const FakeQuantArgsOptions& o, Location where) {
  NodeBuilder builder(op, o.name, where);
  builder.Attr("min", o.min)
      .Attr("max", o.max)
      .Attr("num_bits", o.num_bits)
      .Attr("narrow_range", o.narrow_range);
  return builder;
}

Node* VarsNode(std::string_view op, std::initializer_list<Output> inputs, const FakeQuantOptions& o,
               Location where) {
  NodeBuilder builder(op, o.name, where);
  return builder.Inputs(std::span(inputs.begin(), inputs.size()))
      .Attr("num_bits", o.num_bits)
      .Attr("narrow_range", o.narrow_range)
      .BuildNode();
}

FakeQuantGradients GradientsOf(Node* node) {
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

}  // namespace

Output FakeQuantWithMinMaxArgs(Output inputs, FakeQuantArgsOptions o, Location where) {
  return ArgsNode("FakeQuantWithMinMaxArgs", o, where).Input(inputs).Build();
}
Output FakeQuantWithMinMaxArgsGradient(Output gradients, Output inputs, FakeQuantArgsOptions o,
                                       Location where) {
  return ArgsNode("FakeQuantWithMinMaxArgsGradient", o, where)
      .Input(gradients)
      .Input(inputs)
      .Build();
}
Output FakeQuantWithMinMaxVars(Output inputs, Output min, Output max, FakeQuantOptions o,
                               Location where) {
  Node* node = VarsNode("FakeQuantWithMinMaxVars", {inputs, min, max}, o, where);
  return node == nullptr ? Output() : node->output(0);
}
FakeQuantGradients FakeQuantWithMinMaxVarsGradient(Output gradients, Output inputs, Output min,
                                                   Output max, FakeQuantOptions o, Location where) {
  return GradientsOf(
      VarsNode("FakeQuantWithMinMaxVarsGradient", {gradients, inputs, min, max}, o, where));
}
Output FakeQuantWithMinMaxVarsPerChannel(Output inputs, Output min, Output max, FakeQuantOptions o,
                                         Location where) {
  Node* node = VarsNode("FakeQuantWithMinMaxVarsPerChannel", {inputs, min, max}, o, where);
  return node == nullptr ? Output() : node->output(0);
}
FakeQuantGradients FakeQuantWithMinMaxVarsPerChannelGradient(Output gradients, Output inputs,
                                                             Output min, Output max,
                                                             FakeQuantOptions o, Location where) {
  return GradientsOf(VarsNode("FakeQuantWithMinMaxVarsPerChannelGradient",
                              {gradients, inputs, min, max}, o, where));
}

Output QuantizeAndDequantizeV2(Output input, Output input_min, Output input_max,
                               QuantizeAndDequantizeOptions o, Location where) {
  return NodeBuilder("QuantizeAndDequantizeV2", o.name, where)
      .Input(input)
      .Input(input_min)
      .Input(input_max)
      .Attr("signed_input", o.signed_input)
      .Attr("num_bits", o.num_bits)
      .Attr("range_given", o.range_given)
      .Attr("round_mode", o.round_mode)
      .Attr("narrow_range", o.narrow_range)
      .Build();
}
Output QuantizeAndDequantizeV3(Output input, Output input_min, Output input_max, Output num_bits,
                               QuantizeAndDequantizeOptions o, Location where) {
  return NodeBuilder("QuantizeAndDequantizeV3", o.name, where)
      .Input(input)
      .Input(input_min)
      .Input(input_max)
      .Input(num_bits)
      .Attr("signed_input", o.signed_input)
      .Attr("range_given", o.range_given)
      .Attr("narrow_range", o.narrow_range)
      .Build();
}

namespace {

OpDef& DefineFake(OpRegistry& ops, std::string_view name) {
  return ops.Define(name).Gpu({});
}

OpDef& WithBits(OpDef& op) {
  return op.Attr("num_bits", int64_t{8}).Attr("narrow_range", false);
}

void DefineArgs(OpRegistry& ops) {
  WithBits(DefineFake(ops, "FakeQuantWithMinMaxArgs").Attr("min", -6.0f).Attr("max", 6.0f))
      .Input("inputs", "float32")
      .Output("outputs", "float32")
      .Shape(SameShapeAsInput)
      .Gradient(ArgsGradient)
      .InPlace(0, 0)
      .Cpu({.make = MakeFakeQuantCpu})
      .Doc("Numbers as they would be after quantization to a given range.");
  WithBits(DefineFake(ops, "FakeQuantWithMinMaxArgsGradient").Attr("min", -6.0f).Attr("max", 6.0f))
      .Input("gradients", "float32")
      .Input("inputs", "float32")
      .Output("backprops", "float32")
      .Shape(MergedWithGradients)
      .Gradient(ArgsGradientGradient)
      .Cpu({.make = MakeFakeQuantGradientCpu})
      .Doc("Gradient of FakeQuantWithMinMaxArgs.");
}

void DefineVars(OpRegistry& ops, bool channels) {
  WithBits(
      DefineFake(ops, channels ? "FakeQuantWithMinMaxVarsPerChannel" : "FakeQuantWithMinMaxVars"))
      .Input("inputs", "float32")
      .Input("min", "float32")
      .Input("max", "float32")
      .Output("outputs", "float32")
      .Shape(channels ? ChannelShape : VarsShape)
      .Gradient(channels ? VarsGradient<FakeQuantWithMinMaxVarsPerChannelGradient>
                         : VarsGradient<FakeQuantWithMinMaxVarsGradient>)
      .InPlace(0, 0)
      .Cpu({.make = MakeFakeQuantCpu})
      .Doc(channels ? "Numbers as they would be after quantization, with a range for each channel."
                    : "Numbers as they would be after quantization.");
  WithBits(DefineFake(ops, channels ? "FakeQuantWithMinMaxVarsPerChannelGradient"
                                    : "FakeQuantWithMinMaxVarsGradient"))
      .Input("gradients", "float32")
      .Input("inputs", "float32")
      .Input("min", "float32")
      .Input("max", "float32")
      .Output("backprops_wrt_input", "float32")
      .Output("backprop_wrt_min", "float32")
      .Output("backprop_wrt_max", "float32")
      .Shape(channels ? ChannelGradientShape : VarsGradientShape)
      .Cpu({.make = MakeFakeQuantGradientCpu})
      .Doc(channels ? "Gradient of FakeQuantWithMinMaxVarsPerChannel."
                    : "Gradient of FakeQuantWithMinMaxVars.");
}

OpDef& DefineQuantize(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .Attr("signed_input", true)
      .TypeAttr("T", kFloatTypes)
      .Input("input", "T")
      .Shape(QuantizeShape)
      .Gradient(ThroughToInput)
      .Cpu({.types = {{"T", kFloat32And64}}, .make = MakeQuantizeAndDequantizeCpu})
      .Doc("Numbers rounded as by quantization.");
}

}  // namespace

void DefineFakeQuant(OpRegistry& ops) {
  DefineArgs(ops);
  DefineVars(ops, false);
  DefineVars(ops, true);
  DefineQuantize(ops, "QuantizeAndDequantize")
      .Attr("num_bits", int64_t{8})
      .Attr("range_given", false)
      .Attr("input_min", 0.0f)
      .Attr("input_max", 0.0f)
      .Output("output", "T")
      .Gpu({.types = {{"T", kGpuWide}}});
  DefineQuantize(ops, "QuantizeAndDequantizeV2")
      .Input("input_min", "T")
      .Input("input_max", "T")
      .Attr("num_bits", int64_t{8})
      .Attr("range_given", false)
      .StringAttr("round_mode", {"HALF_TO_EVEN", "HALF_UP"}, "HALF_TO_EVEN")
      .Attr("narrow_range", false)
      .Output("output", "T")
      .Gpu({.types = {{"T", kGpuWide}}, .host_args = {"input_min", "input_max"}});
  DefineQuantize(ops, "QuantizeAndDequantizeV3")
      .Input("input_min", "T")
      .Input("input_max", "T")
      .Input("num_bits", "int32")
      .Attr("range_given", true)
      .Attr("narrow_range", false)
      .Output("output", "T")
      .Gpu({.types = {{"T", kGpuWide}}, .host_args = {"input_min", "input_max", "num_bits"}});
}

}  // namespace headrace
