#include "headrace/ops/math/special.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/internal/make_binary.h"
#include "headrace/ops/math/special_gradients.h"
#include "headrace/ops/math/special_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

// All that are not scalars must agree.
Status BetaincShape(ShapeContext& c) {
  PartialShape shape = PartialShape::OfRank(0);
  bool unknown = false;
  for (int i = 0; i < 3; ++i) {
    const PartialShape& in = c.input(i);
    if (!in.has_rank()) unknown = true;
    if (!in.has_rank() || in.rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = in;
    } else {
      HR_ASSIGN_OR_RETURN(shape, shape.MergedWith(in));
    }
  }
  return c.SetOutput(0, unknown && shape.rank() == 0 ? PartialShape() : shape);
}

Status OneShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.input(0).MergedWith(c.input(1)));
  return c.SetOutput(0, shape);
}

OpDef& DefineTwo(OpRegistry& ops, std::string_view name, std::string_view first,
                 std::string_view second, std::string_view out, std::string_view doc) {
  return ops.Define(name)
      .Input(first, "T")
      .Input(second, "T")
      .Output(out, "T")
      .Shape(BroadcastShape)
      .InPlace(0, 0)
      .InPlace(0, 1)
      .Cpu({.types = {{"T", kFloat32And64}}, .make = MakeSpecialBinaryCpu})
      .Doc(doc);
}

void DefineBessel(OpRegistry& ops, std::string_view name, GradientFn gradient,
                  std::string_view doc) {
  ops.Define(name)
      .Input("x", "T")
      .Output("y", "T")
      .TypeAttr("T", kFloatTypes)
      .Shape(SameShapeAsInput)
      .InPlace(0, 0)
      .Gradient(gradient)
      .Cpu({.types = {{"T", kFloatTypes}}, .make = MakeBesselCpu})
      .Doc(doc);
}

}  // namespace

void DefineSpecial(OpRegistry& ops) {
  DefineTwo(ops, "Igamma", "a", "x", "z", "Regularised lower incomplete gamma function.")
      .TypeAttr("T", kFloat32And64)
      .Gradient(IgammaGradient);
  DefineTwo(ops, "Igammac", "a", "x", "z", "Regularised upper incomplete gamma function.")
      .TypeAttr("T", kFloat32And64)
      .Gradient(IgammacGradient);
  DefineTwo(ops, "IgammaGradA", "a", "x", "z", "Derivative of Igamma with respect to a.")
      .TypeAttr("T", kFloat32And64);
  DefineTwo(ops, "NextAfter", "x1", "x2", "output", "The number after x1 towards x2.")
      .TypeAttr("T", kFloat32And64, DType::kFloat32)
      .Gradient(NextAfterGradient);
  ops.Define("Betainc")
      .Input("a", "T")
      .Input("b", "T")
      .Input("x", "T")
      .Output("z", "T")
      .TypeAttr("T", kFloat32And64)
      .Shape(BetaincShape)
      .Gradient(BetaincGradient)
      .Cpu({.make = MakeBetaincCpu})
      .Doc("Regularised incomplete beta function.");
  DefineBessel(ops, "BesselI0e", BesselI0eGradient,
               "exp(-|x|) times the modified Bessel function of order 0.");
  DefineBessel(ops, "BesselI1e", BesselI1eGradient,
               "exp(-|x|) times the modified Bessel function of order 1.");
  ops.Define("ApproximateEqual")
      .Input("x", "T")
      .Input("y", "T")
      .Output("z", "bool")
      .TypeAttr("T", kAttrNumberTypes)
      .Attr("tolerance", 1e-5f)
      .Shape(OneShape)
      .NoGradient()
      .Commutative()
      .Cpu({.types = {{"T", kFloat32And64}}, .make = MakeApproximateEqualCpu})
      .Gpu({.types = {{"T", kFloat32And64}}})
      .Doc("|x - y| < tolerance.");
}

Output Igamma(Operand a, Operand x, OpOptions o, Location where) {
  return internal::MakeBinary("Igamma", a, x, o.name, "Igamma", where);
}
Output Igammac(Operand a, Operand x, OpOptions o, Location where) {
  return internal::MakeBinary("Igammac", a, x, o.name, "Igammac", where);
}
Output IgammaGradA(Operand a, Operand x, OpOptions o, Location where) {
  return internal::MakeBinary("IgammaGradA", a, x, o.name, "IgammaGradA", where);
}
Output NextAfter(Operand x1, Operand x2, OpOptions o, Location where) {
  return internal::MakeBinary("NextAfter", x1, x2, o.name, "NextAfter", where);
}
Output Betainc(Output a, Output b, Output x, OpOptions o, Location where) {
  return NodeBuilder("Betainc", o.name, where).Input(a).Input(b).Input(x).Build();
}
Output BesselI0e(Output x, OpOptions o, Location where) {
  return NodeBuilder("BesselI0e", o.name, where).Input(x).Build();
}
Output BesselI1e(Output x, OpOptions o, Location where) {
  return NodeBuilder("BesselI1e", o.name, where).Input(x).Build();
}
Output ApproximateEqual(Output x, Output y, ApproximateEqualOptions o, Location where) {
  return NodeBuilder("ApproximateEqual", o.name, where)
      .Input(x)
      .Input(y)
      .Attr("tolerance", o.tolerance)
      .Build();
}

}  // namespace headrace
