#include "headrace/ops/random/shuffle.h"

#include "headrace/graph/shape_context.h"
#include "headrace/ops/random/random_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kMultinomialTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

Status MultinomialShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape logits, c.WithRank(0, 2));
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  const auto samples = c.InputAsInts(1);
  if (samples.has_value() && (*samples)[0] < 0) {
    return InvalidArgument("num_samples should be nonnegative, got ", (*samples)[0]);
  }
  return c.SetOutput(0, {logits[0], samples.has_value() ? (*samples)[0] : PartialShape::kUnknown});
}

}  // namespace

Output RandomShuffle(Output value, RandomShuffleOptions o, Location where) {
  if (!value.valid()) return {};
  const auto [seed, seed2] = value.graph()->OpSeeds(o.seed);
  return NodeBuilder("RandomShuffle", o.name, where)
      .Input(value)
      .Attr("seed", seed)
      .Attr("seed2", seed2)
      .Build();
}

Output Multinomial(Output logits, IntArg num_samples, MultinomialOptions o, Location where) {
  if (!logits.valid()) return {};
  Graph& g = *logits.graph();
  const OpScope scope(g, o.name, "multinomial");
  // Before the constant is made: a seed may count the nodes so far.
  const auto [seed, seed2] = g.OpSeeds(o.seed);
  const Output samples = num_samples.In(g, "Multinomial/num_samples", DType::kInt32, where);
  return NodeBuilder("Multinomial", "Multinomial", where)
      .Input(logits)
      .Input(samples)
      .Attr("seed", seed)
      .Attr("seed2", seed2)
      .Attr("output_dtype", o.output_dtype)
      .Build();
}

void DefineShuffle(OpRegistry& ops) {
  ops.Define("RandomShuffle")
      .TypeAttr("T", kAllTypes)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Input("value", "T")
      .Output("output", "T")
      .Shape(SameShapeAsInput)
      .Stateful()
      .Cpu({.types = {{"T", kAllTypes}}, .make = MakeRandomShuffleCpu})
      .Doc("The rows of a tensor in a random order.");
  ops.Define("Multinomial")
      .TypeAttr("T", kRealTypes)
      .TypeAttr("output_dtype", kIndexTypes, DType::kInt64)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Input("logits", "T")
      .Input("num_samples", "int32")
      .Output("output", "output_dtype")
      .Shape(MultinomialShape)
      .NoGradient()
      .Stateful()
      .Cpu({.types = {{"T", kMultinomialTypes}}, .make = MakeMultinomialCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"num_samples"}})
      .Doc("Draws indices of classes from unnormalised log-probabilities.");
}

}  // namespace headrace
