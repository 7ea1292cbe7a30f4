#include "headrace/ops/random/samples.h"

#include <limits>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/check.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/random/random_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kSampled{DType::kFloat16, DType::kFloat32, DType::kFloat64};

// The stated shape, with that of the parameters behind it.
Status SamplesShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape out, c.InputAsShape(0));
  const PartialShape& parameters = c.input(1);
  if (!out.has_rank() || !parameters.has_rank()) return c.SetOutput(0, PartialShape());
  for (int i = 0; i < parameters.rank(); ++i) {
    if (out.rank() == kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    out.Append(parameters[i]);
  }
  return c.SetOutput(0, out);
}

Status BoundedShape(ShapeContext& c) {
  for (int i = 1; i < 5; ++i) {
    if (c.input(i).has_rank() && c.input(i).rank() > 1) {
      return InvalidArgument("Input ", c.node().op().inputs()[static_cast<size_t>(i)].name,
                             " should be a scalar or vector, got shape: ", c.input(i).ToString());
    }
  }
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.InputAsShape(0));
  return c.SetOutput(0, shape);
}

Status CropShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape out, c.WithRank(0, 3));
  HR_ASSIGN_OR_RETURN(const PartialShape size, c.WithRank(1, 1));
  if (size[0] >= 0 && size[0] != 2)
    return InvalidArgument("size must have 2 elements, got shape ", size.ToString());
  const auto stated = c.InputAsInts(1);
  for (int i = 0; i < 2; ++i)
    out.set_dim(i, stated.has_value() ? (*stated)[static_cast<size_t>(i)] : PartialShape::kUnknown);
  return c.SetOutput(0, out);
}

// alpha as it is for each sample: with dimensions of 1 in front.
Output WithLeadingOnes(Output x, Output count, Location where) {
  Graph& g = *x.graph();
  const Output one = IntArg::Packed({count}).In(g, "ones/shape_as_tensor", DType::kInt32, where);
  const Output ones =
      Fill(one, Const(g, 1, {.name = "ones/Const"}, where), {.name = "ones"}, where);
  return Reshape(x, Concat({ones, ShapeOf(x, {}, where)}, 0, {}, where), {}, where);
}

Status GammaGradient(GradContext& c) {
  const Location where = c.where();
  const Output shape = c.input(0), alpha = c.input(1), sample = c.output(0), grad = c.grad();
  const ControlDependencies after(c.graph(), {grad});
  const Output count = At(ShapeOf(shape, {}, where), {0}, {}, where);
  const Output each = WithLeadingOnes(alpha, count, where);
  const Output partial = RandomGammaGrad(each, sample, {}, where);
  const Output axes = Range(c.graph(), 0, count, 1, {}, where);
  const Output scaled = Operand(grad, where) * partial;
  c.Set(1, ReduceSum(scaled, axes, {}, where));
  return absl::OkStatus();
}

double Tiny(DType type) {
  if (type == DType::kFloat16) return 0x1p-14;
  return type == DType::kFloat32 ? static_cast<double>(std::numeric_limits<float>::min())
                                 : std::numeric_limits<double>::min();
}

}  // namespace

Output RandomGamma(Graph& g, IntArg shape, Output alpha, RandomGammaOptions o, Location where) {
  if (!alpha.valid() || !shape.valid()) return {};
  NameScope scope(g, o.name.empty() ? "random_gamma" : o.name);
  const DType type = alpha.value_dtype();
  const Output dims = shape.In(g, "shape", DType::kInt32, where);
  const Output beta = o.beta.valid() ? o.beta : ConstScalar(g, 1, type, {.name = "beta"}, where);
  const Output both = Operand(alpha, where) + ZerosLike(beta, {}, where);
  const auto [seed, seed2] = g.OpSeeds(o.seed);
  const Output samples =
      StandardGamma(dims, both, {.seed = seed, .seed2 = seed2, .name = "random_gamma"}, where);
  const Output scaled = Operand(samples, where) / beta;
  return Maximum(Operand(Tiny(type), where), scaled, {}, where);
}

Output StandardGamma(Output shape, Output alpha, RandomOpOptions o, Location where) {
  return NodeBuilder("RandomGamma", o.name, where)
      .Input(shape)
      .Input(alpha)
      .Attr("seed", o.seed)
      .Attr("seed2", o.seed2)
      .Build();
}

Output RandomGammaGrad(Output alpha, Output sample, OpOptions o, Location where) {
  return NodeBuilder("RandomGammaGrad", o.name, where).Input(alpha).Input(sample).Build();
}

Output RandomPoisson(Graph& g, IntArg shape, Output rate, RandomPoissonOptions o, Location where) {
  if (!rate.valid() || !shape.valid()) return {};
  NameScope scope(g, o.name.empty() ? "random_poisson" : o.name);
  const Output dims = shape.In(g, "shape", DType::kInt32, where);
  const auto [seed, seed2] = g.OpSeeds(o.seed);
  return NodeBuilder(g, "RandomPoissonV2", "", where)
      .Input(dims)
      .Input(rate)
      .Attr("dtype", o.dtype)
      .Attr("seed", seed)
      .Attr("seed2", seed2)
      .Build();
}

Output ParameterizedTruncatedNormal(Graph& g, IntArg shape, Output means, Output stdevs,
                                    Output minvals, Output maxvals,
                                    ParameterizedTruncatedNormalOptions o, Location where) {
  if (!means.valid() || !shape.valid()) return {};
  NameScope scope(g, o.name.empty() ? "parameterized_truncated_normal" : o.name);
  const Output dims = shape.In(g, "shape", DType::kInt32, where);
  const auto [seed, seed2] = g.OpSeeds(o.seed);
  return NodeBuilder(g, "ParameterizedTruncatedNormal", "", where)
      .Input(dims)
      .Input(means)
      .Input(stdevs)
      .Input(minvals)
      .Input(maxvals)
      .Attr("seed", seed)
      .Attr("seed2", seed2)
      .Build();
}

Output RandomCrop(Output value, IntArg size, RandomCropOptions o, Location where) {
  if (!value.valid() || !size.valid()) return {};
  Graph& g = *value.graph();
  const OpScope scope(g, o.name, "random_crop");
  const Output part = size.In(g, "size", DType::kInt32, where);
  const Output whole = ShapeOf(value, {}, where);
  const Output fits = ReduceAll(GreaterEqual(whole, part, {}, where), {}, {}, where);
  const Output text = Const(g, "Need value.shape >= size, got ", {.name = "Assert/Const"}, where);
  Node* check = Assert(fits, {text, whole, part}, {.summarize = 1000}, where);
  if (check == nullptr) return {};
  Output checked;
  {
    const ControlDependencies after(g, {check});
    checked = Identity(whole, {.name = "control_dependency"}, where);
  }
  const Output limit = Operand(Operand(checked, where) - part, where) + 1;
  const Output any = RandomUniform(
      g, ShapeOf(checked, {}, where),
      {.maxval = std::numeric_limits<int32_t>::max(), .dtype = DType::kInt32, .seed = o.seed},
      where);
  const Output offset = Operand(any, where) % limit;
  return Slice(value, offset, part, {.name = scope.op_name()}, where);
}

Output RandomCropImage(Output image, Output size, RandomOpOptions o, Location where) {
  return NodeBuilder("RandomCrop", o.name, where)
      .Input(image)
      .Input(size)
      .Attr("seed", o.seed)
      .Attr("seed2", o.seed2)
      .Build();
}

void DefineSamples(OpRegistry& ops) {
  ops.Define("RandomGamma")
      .TypeAttr("S", kIndexTypes)
      .TypeAttr("T", kSampled)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Input("shape", "S")
      .Input("alpha", "T")
      .Output("output", "T")
      .Shape(SamplesShape)
      .Gradient(GammaGradient)
      .Stateful()
      .Cpu({.make = MakeRandomGammaCpu})
      .Doc("Samples of gamma distributions.");
  ops.Define("RandomGammaGrad")
      .TypeAttr("T", DTypeSet{DType::kFloat32, DType::kFloat64})
      .Input("alpha", "T")
      .Input("sample", "T")
      .Output("output", "T")
      .Shape(BroadcastShape)
      .Cpu({.make = MakeRandomGammaGradCpu})
      .Doc("Derivatives of gamma samples with respect to alpha.");
  ops.Define("RandomPoisson")
      .TypeAttr("S", kIndexTypes)
      .TypeAttr("dtype", kSampled)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Input("shape", "S")
      .Input("rate", "dtype")
      .Output("output", "dtype")
      .Shape(SamplesShape)
      .Stateful()
      .Cpu({.make = MakeRandomPoissonCpu})
      .Doc("Samples of Poisson distributions.");
  ops.Define("RandomPoissonV2")
      .TypeAttr("S", kIndexTypes)
      .TypeAttr("R", kSampled | kIndexTypes, DType::kFloat64)
      .TypeAttr("dtype", kSampled | kIndexTypes, DType::kInt64)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Input("shape", "S")
      .Input("rate", "R")
      .Output("output", "dtype")
      .Shape(SamplesShape)
      .Stateful()
      .Cpu({.make = MakeRandomPoissonCpu})
      .Doc("Samples of Poisson distributions.");
  ops.Define("ParameterizedTruncatedNormal")
      .TypeAttr("dtype", kFloatTypes)
      .TypeAttr("T", kIndexTypes)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Input("shape", "T")
      .Input("means", "dtype")
      .Input("stdevs", "dtype")
      .Input("minvals", "dtype")
      .Input("maxvals", "dtype")
      .Output("output", "dtype")
      .Shape(BoundedShape)
      .NoGradient()
      .Stateful()
      .Cpu({.types = {{"dtype", kSampled}}, .make = MakeParameterizedTruncatedNormalCpu})
      .Gpu({.types = {{"dtype", kSampled}}, .host_args = {"shape"}})
      .Doc("Normal numbers between bounds.");
  ops.Define("RandomCrop")
      .TypeAttr("T", DTypeSet{DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                              DType::kInt64, DType::kFloat32, DType::kFloat64})
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Input("image", "T")
      .Input("size", "int64")
      .Output("output", "T")
      .Shape(CropShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeRandomCropCpu})
      .Doc("Part of an image at a random place.");
}

}  // namespace headrace
