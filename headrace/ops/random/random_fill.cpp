#include "headrace/ops/random/random_fill.h"

#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/random/random_kernels.h"

namespace headrace {
namespace {

Status FillShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.InputAsShape(0));
  return c.SetOutput(0, shape);
}

Status UniformIntShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  HR_RETURN_IF_ERROR(c.CheckScalar(2));
  return FillShape(c);
}

Output Raw(std::string_view op, Output shape, DType dtype, const RandomOpOptions& o,
           Location where) {
  return NodeBuilder(op, o.name, where)
      .Input(shape)
      .Attr("dtype", dtype)
      .Attr("seed", o.seed)
      .Attr("seed2", o.seed2)
      .Build();
}

// "<name>/shape", mean, stddev, the op itself, mul, and the sum: in that order, since a seed may
// count the nodes so far.
Output ScaledNormal(Graph& g, const IntArg& shape, const RandomNormalOptions& o,
                    std::string_view default_name, std::string_view op, Location where) {
  const OpScope scope(g, o.name, default_name);
  const Output dims = shape.In(g, "shape", DType::kInt32, where);
  const Output mean = ConstScalar(g, o.mean, o.dtype, {.name = "mean"}, where);
  const Output stddev = ConstScalar(g, o.stddev, o.dtype, {.name = "stddev"}, where);
  const auto [seed, seed2] = g.OpSeeds(o.seed);
  const Output standard = Raw(op, dims, o.dtype, {.seed = seed, .seed2 = seed2}, where);
  return Add(Mul(standard, stddev, {.name = "mul"}, where), mean, {.name = scope.op_name()}, where);
}

}  // namespace

Output RandomNormal(Graph& g, IntArg shape, RandomNormalOptions o, Location where) {
  return ScaledNormal(g, shape, o, "random_normal", "RandomStandardNormal", where);
}

Output TruncatedNormal(Graph& g, IntArg shape, RandomNormalOptions o, Location where) {
  return ScaledNormal(g, shape, o, "truncated_normal", "TruncatedNormal", where);
}

Output RandomUniform(Graph& g, IntArg shape, RandomUniformOptions o, Location where) {
  const bool integers = IsInteger(o.dtype);
  if (integers && !o.maxval.has_value()) {
    g.ReportError(InvalidArgument("RandomUniform (", where.ToString(),
                                  "): maxval must be given for dtype ", DTypeName(o.dtype)));
    return {};
  }
  const OpScope scope(g, o.name, "random_uniform");
  const Output dims = shape.In(g, "shape", DType::kInt32, where);
  const Output low = ConstScalar(g, o.minval, o.dtype, {.name = "min"}, where);
  const Output high = ConstScalar(g, o.maxval.value_or(1), o.dtype, {.name = "max"}, where);
  const auto [seed, seed2] = g.OpSeeds(o.seed);
  if (integers) {
    return RandomUniformInt(dims, low, high,
                            {.seed = seed, .seed2 = seed2, .name = scope.op_name()}, where);
  }
  const Output standard = StandardUniform(dims, o.dtype, {.seed = seed, .seed2 = seed2}, where);
  const Output range = Sub(high, low, {.name = "sub"}, where);
  return Add(Mul(standard, range, {.name = "mul"}, where), low, {.name = scope.op_name()}, where);
}

Output StandardUniform(Output shape, DType dtype, RandomOpOptions o, Location where) {
  return Raw("RandomUniform", shape, dtype, o, where);
}

Output StandardNormal(Output shape, DType dtype, RandomOpOptions o, Location where) {
  return Raw("RandomStandardNormal", shape, dtype, o, where);
}

Output StandardTruncatedNormal(Output shape, DType dtype, RandomOpOptions o, Location where) {
  return Raw("TruncatedNormal", shape, dtype, o, where);
}

Output RandomUniformInt(Output shape, Output minval, Output maxval, RandomOpOptions o,
                        Location where) {
  return NodeBuilder("RandomUniformInt", o.name, where)
      .Input(shape)
      .Input(minval)
      .Input(maxval)
      .Attr("seed", o.seed)
      .Attr("seed2", o.seed2)
      .Build();
}

void DefineRandomFill(OpRegistry& ops) {
  struct Op {
    const char* name;
    KernelFactory make;
    const char* doc;
  };
  for (const Op& op : {Op{"RandomUniform", MakeRandomUniformCpu, "Uniform numbers in [0, 1)."},
                       Op{"RandomStandardNormal", MakeRandomStandardNormalCpu,
                          "Normal numbers of mean 0 and standard deviation 1."},
                       Op{"TruncatedNormal", MakeTruncatedNormalCpu,
                          "Standard normal numbers, those outside (-2, 2) drawn again."}}) {
    ops.Define(op.name)
        .TypeAttr("dtype", kFloatTypes)
        .TypeAttr("T", kIndexTypes)
        .Attr("seed", int64_t{0})
        .Attr("seed2", int64_t{0})
        .Input("shape", "T")
        .Output("output", "dtype")
        .Shape(FillShape)
        .NoGradient()
        .Stateful()
        .Cpu({.types = {{"dtype", kFloatTypes}}, .make = op.make})
        .Gpu({.types = {{"dtype", kGpuFloatTypes}}, .host_args = {"shape"}})
        .Doc(op.doc);
  }
  ops.Define("RandomUniformInt")
      .TypeAttr("Tout", kIndexTypes)
      .TypeAttr("T", kIndexTypes)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Input("shape", "T")
      .Input("minval", "Tout")
      .Input("maxval", "Tout")
      .Output("output", "Tout")
      .Shape(UniformIntShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeRandomUniformIntCpu})
      .Gpu({.host_args = {"shape", "minval", "maxval"}})
      .Doc("Integers of [minval, maxval), uniform.");
}

}  // namespace headrace
