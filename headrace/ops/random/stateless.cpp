#include "headrace/ops/random/stateless.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/random/random_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kLogits{DType::kFloat16, DType::kFloat32, DType::kFloat64};

Status CheckSeed(ShapeContext& c, int input) {
  HR_ASSIGN_OR_RETURN(const PartialShape seed, c.WithRank(input, 1));
  if (seed[0] < 0 || seed[0] == 2) return absl::OkStatus();
  return InvalidArgument("seed must have shape [2], not ", seed.ToString());
}

Status StatelessShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSeed(c, 1));
  for (int i = 2; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.InputAsShape(0));
  return c.SetOutput(0, shape);
}

Status MultinomialShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape logits, c.WithRank(0, 2));
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  HR_RETURN_IF_ERROR(CheckSeed(c, 2));
  const auto samples = c.InputAsInts(1);
  if (samples.has_value() && samples->front() < 0)
    return InvalidArgument("num_samples should be nonnegative, got ", samples->front());
  return c.SetOutput(0,
                     {logits[0], samples.has_value() ? samples->front() : PartialShape::kUnknown});
}

Output Make(std::string_view op, const IntArg& shape, Output seed, const StatelessOptions& o,
            Location where) {
  if (!seed.valid() || !shape.valid()) return {};
  Graph& g = *seed.graph();
  std::optional<OpScope> scope;
  if (!shape.is_output()) scope.emplace(g, o.name, op);
  const Output dims = shape.In(g, "shape", DType::kInt32, where);
  return NodeBuilder(g, op, scope.has_value() ? scope->op_name() : o.name, where)
      .Input(dims)
      .Input(seed)
      .Attr("dtype", o.dtype)
      .Build();
}

}  // namespace

Output StatelessRandomUniform(IntArg shape, Output seed, StatelessOptions o, Location where) {
  return Make("StatelessRandomUniform", shape, seed, o, where);
}
Output StatelessRandomNormal(IntArg shape, Output seed, StatelessOptions o, Location where) {
  return Make("StatelessRandomNormal", shape, seed, o, where);
}
Output StatelessTruncatedNormal(IntArg shape, Output seed, StatelessOptions o, Location where) {
  return Make("StatelessTruncatedNormal", shape, seed, o, where);
}

Output StatelessRandomUniformInt(IntArg shape, Output seed, Output minval, Output maxval,
                                 OpOptions o, Location where) {
  if (!seed.valid() || !shape.valid()) return {};
  Graph& g = *seed.graph();
  std::optional<OpScope> scope;
  if (!shape.is_output()) scope.emplace(g, o.name, "StatelessRandomUniformInt");
  const Output dims = shape.In(g, "shape", DType::kInt32, where);
  return NodeBuilder(g, "StatelessRandomUniformInt", scope.has_value() ? scope->op_name() : o.name,
                     where)
      .Input(dims)
      .Input(seed)
      .Input(minval)
      .Input(maxval)
      .Build();
}

Output StatelessMultinomial(Output logits, IntArg num_samples, Output seed,
                            StatelessMultinomialOptions o, Location where) {
  if (!logits.valid() || !num_samples.valid()) return {};
  Graph& g = *logits.graph();
  std::optional<OpScope> scope;
  if (!num_samples.is_output()) scope.emplace(g, o.name, "StatelessMultinomial");
  const Output samples = num_samples.In(g, "num_samples", DType::kInt32, where);
  return NodeBuilder(g, "StatelessMultinomial", scope.has_value() ? scope->op_name() : o.name,
                     where)
      .Input(logits)
      .Input(samples)
      .Input(seed)
      .Attr("output_dtype", o.output_dtype)
      .Build();
}

void DefineStateless(OpRegistry& ops) {
  for (const char* name :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"}) {
    ops.Define(name)
        .TypeAttr("dtype", kFloatTypes, DType::kFloat32)
        .TypeAttr("T", kIndexTypes, DType::kInt32)
        .TypeAttr("Tseed", kIndexTypes, DType::kInt64)
        .Input("shape", "T")
        .Input("seed", "Tseed")
        .Output("output", "dtype")
        .Shape(StatelessShape)
        .NoGradient()
        .Cpu({.make = MakeStatelessCpu})
        .Gpu({.types = {{"dtype", kGpuFloatTypes}}, .host_args = {"shape", "seed"}})
        .Doc("Random numbers that follow from a seed.");
  }
  ops.Define("StatelessRandomUniformInt")
      .TypeAttr("dtype", kIndexTypes)
      .TypeAttr("T", kIndexTypes)
      .TypeAttr("Tseed", kIndexTypes, DType::kInt64)
      .Input("shape", "T")
      .Input("seed", "Tseed")
      .Input("minval", "dtype")
      .Input("maxval", "dtype")
      .Output("output", "dtype")
      .Shape(StatelessShape)
      .NoGradient()
      .Cpu({.make = MakeStatelessIntCpu})
      .Gpu({.host_args = {"shape", "seed", "minval", "maxval"}})
      .Doc("Random integers that follow from a seed.");
  ops.Define("StatelessMultinomial")
      .TypeAttr("T", kRealTypes)
      .TypeAttr("Tseed", kIndexTypes, DType::kInt64)
      .TypeAttr("output_dtype", kIndexTypes, DType::kInt64)
      .Input("logits", "T")
      .Input("num_samples", "int32")
      .Input("seed", "Tseed")
      .Output("output", "output_dtype")
      .Shape(MultinomialShape)
      .NoGradient()
      .Cpu({.types = {{"T", kLogits}}, .make = MakeStatelessMultinomialCpu})
      .Gpu({.types = {{"T", kLogits}}, .host_args = {"num_samples", "seed"}})
      .Doc("Classes drawn by log-probabilities, from a seed.");
}

}  // namespace headrace
