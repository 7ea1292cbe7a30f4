#include "headrace/ops/math/bitwise.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/bitwise_kernels.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/internal/make_binary.h"

namespace headrace {
namespace {

void DefineTwo(OpRegistry& ops, std::string_view name, bool commutative, std::string_view doc) {
  OpDef& def = ops.Define(name)
                   .Input("x", "T")
                   .Input("y", "T")
                   .Output("z", "T")
                   .TypeAttr("T", kIntTypes)
                   .Shape(BroadcastShape)
                   .NoGradient()
                   .InPlace(0, 0)
                   .InPlace(0, 1)
                   .Cpu({.make = MakeBinaryCpu})
                   .Gpu({.types = {{"T", kIntTypes}}})
                   .Doc(doc);
  if (commutative) def.Commutative();
}

Status BitpackShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  HR_ASSIGN_OR_RETURN(PartialShape out, c.WithRankAtLeast(0, 1));
  if (!out.has_rank()) return c.SetOutput(0, out);
  const int last = out.rank() - 1;
  if (out[last] >= 0 && out[last] % 8 != 0) {
    return InvalidArgument("Inner dimension of input should be divisible by 8, but saw shape: ",
                           out.ToString());
  }
  if (out[last] >= 0) out.set_dim(last, out[last] / 8);
  return c.SetOutput(0, out);
}

}  // namespace

void DefineBitwise(OpRegistry& ops) {
  DefineTwo(ops, "BitwiseAnd", true, "The bits that are set in both.");
  DefineTwo(ops, "BitwiseOr", true, "The bits that are set in one or both.");
  DefineTwo(ops, "BitwiseXor", true, "The bits that are set in one of the two.");
  DefineTwo(ops, "LeftShift", false, "The bits of x moved up by y places.");
  DefineTwo(ops, "RightShift", false, "The bits of x moved down by y places.");
  ops.Define("Invert")
      .Input("x", "T")
      .Output("y", "T")
      .TypeAttr("T", kIntTypes)
      .Shape(SameShapeAsInput)
      .NoGradient()
      .InPlace(0, 0)
      .Cpu({.make = MakeUnaryCpu})
      .Gpu({.types = {{"T", kIntTypes}}})
      .Doc("Every bit turned over.");
  ops.Define("PopulationCount")
      .Input("x", "T")
      .Output("y", "uint8")
      .TypeAttr("T", kIntTypes)
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Cpu({.make = MakeUnaryCpu})
      .Gpu({.types = {{"T", kIntTypes - DTypeSet{DType::kUInt32, DType::kUInt64}}}})
      .Doc("How many bits are set.");
  ops.Define("CompareAndBitpack")
      .Input("input", "T")
      .Input("threshold", "T")
      .Output("output", "uint8")
      .TypeAttr("T", kPackedTypes)
      .Shape(BitpackShape)
      .Cpu({.make = MakeCompareAndBitpackCpu})
      .Gpu({.types = {{"T", kPackedTypes}}})
      .Doc("Comparisons with a threshold, eight a byte.");
}

#define HR_BITWISE_BUILDER_(NAME)                                   \
  Output NAME(Operand x, Operand y, OpOptions o, Location where) {  \
    return internal::MakeBinary(#NAME, x, y, o.name, #NAME, where); \
  }
HR_BITWISE_BUILDER_(BitwiseAnd)
HR_BITWISE_BUILDER_(BitwiseOr)
HR_BITWISE_BUILDER_(BitwiseXor)
HR_BITWISE_BUILDER_(LeftShift)
HR_BITWISE_BUILDER_(RightShift)
#undef HR_BITWISE_BUILDER_

Output Invert(Output x, OpOptions o, Location where) {
  return NodeBuilder("Invert", o.name, where).Input(x).Build();
}
Output CompareAndBitpack(Output x, Output threshold, OpOptions o, Location where) {
  return NodeBuilder("CompareAndBitpack", o.name, where).Input(x).Input(threshold).Build();
}
Output PopulationCount(Output x, OpOptions o, Location where) {
  return NodeBuilder("PopulationCount", o.name, where).Input(x).Build();
}

}  // namespace headrace
