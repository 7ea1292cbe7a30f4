#include "headrace/ops/math/binary.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/internal/make_binary.h"
#include "headrace/ops/math/math_gradients.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {

namespace internal {

Output MakeBinary(std::string_view op, const Operand& x, const Operand& y, std::string_view name,
                  std::string_view default_name, Location where, const AttrMap& attrs) {
  const std::string_view node_name = name.empty() ? default_name : name;
  NodeBuilder builder(op, node_name, where);
  for (const auto& [key, value] : attrs) builder.Attr(key, value);
  if (x.is_tensor() && y.is_tensor()) return builder.Input(x.output()).Input(y.output()).Build();
  const Output tensor = x.is_tensor() ? x.output() : y.is_tensor() ? y.output() : Output();
  if (!tensor.valid()) return {};
  Graph& graph = *tensor.graph();
  OpScope scope(graph, "", node_name);
  NodeBuilder scoped(op, scope.op_name(), where);
  for (const auto& [key, value] : attrs) scoped.Attr(key, value);
  const Output a = x.In(graph, "x", tensor.value_dtype(), where);
  const Output b = y.In(graph, "y", tensor.value_dtype(), where);
  if (!a.valid() || !b.valid()) return {};
  return scoped.Input(a).Input(b).Build();
}

}  // namespace internal

namespace {

struct Arithmetic {
  std::string_view name;
  DTypeSet allowed, cpu, gpu;
  bool int32_on_host;   // GPU devices take int32 with operands in host memory
  GradientFn gradient;  // null: there is none, without an error
  std::string_view doc;
};

constexpr DTypeSet kSmallInts{DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32,
                              DType::kInt64};
constexpr DTypeSet kAddTypes = kFloatsAndComplex | kSmallInts;
constexpr DTypeSet kSubTypes = kAddTypes | DTypeSet(DType::kUInt16);
constexpr DTypeSet kDivCpu = kSubTypes - DTypeSet(DType::kInt8);
constexpr DTypeSet kModTypes = kFloatTypes | kSignedIndex;
constexpr DTypeSet kGpuShortInts{DType::kUInt8, DType::kUInt16, DType::kInt16, DType::kInt64};
constexpr DTypeSet kGpuAdd = kGpuFloatsAndComplex | DTypeSet{DType::kUInt8, DType::kInt64};
constexpr DTypeSet kNone;

constexpr Arithmetic kArithmetic[] = {
    {"Add", kAddTypes | kOnlyString, kAddTypes | kOnlyString, kGpuAdd, true, AddGradient,
     "x + y; strings are joined."},
    {"AddV2", kAddTypes, kAddTypes, kGpuAdd, true, AddGradient, "x + y."},
    {"Sub", kSubTypes, kSubTypes, kGpuFloatsAndComplex | DTypeSet(DType::kInt64), true, SubGradient,
     "x - y."},
    {"Mul", kSubTypes, kSubTypes, kGpuAdd, true, MulGradient, "x * y."},
    {"Div", kSubTypes, kDivCpu, kGpuFloatsAndComplex | kGpuShortInts, true, DivGradient,
     "x / y; of integers, rounded towards zero."},
    {"RealDiv", kSubTypes, kFloatsAndComplex, kGpuFloatsAndComplex, false, RealDivGradient,
     "x / y."},
    {"TruncateDiv", kSubTypes, kDivCpu& kIntTypes, kGpuShortInts, true, nullptr,
     "x / y of integers, rounded towards zero."},
    {"FloorDiv", kSubTypes, kSubTypes - kComplexTypes - kOnlyBFloat16,
     kGpuFloatTypes | kGpuShortInts, true, nullptr, "x / y rounded down."},
    {"Mod", kModTypes, kFloat32And64 | kSignedIndex, kNone, true, nullptr,
     "Remainder of x / y with the sign of x."},
    {"TruncateMod", kModTypes, kFloat32And64 | kSignedIndex, kNone, true, nullptr,
     "Remainder of x / y with the sign of x."},
    {"FloorMod", kModTypes, kFloat32And64 | kSignedIndex, kNone, true, FloorModGradient,
     "Remainder of x / y with the sign of y."},
    {"DivNoNan", kIeeeAndComplex, kIeeeAndComplex, kGpuFloatsAndComplex, false, DivNoNanGradient,
     "x / y, or 0 where y is 0."},
    {"MulNoNan", kIeeeAndComplex, kIeeeAndComplex, kGpuFloatsAndComplex, false, MulNoNanGradient,
     "x * y, or 0 where y is 0 even if x is infinite or NaN."},
    {"Xdivy", kIeeeAndComplex, kIeeeAndComplex, kGpuFloatsAndComplex, false, XdivyGradient,
     "x / y, or 0 where x is 0."},
    {"Xlogy", kIeeeAndComplex, kIeeeAndComplex, kGpuFloatsAndComplex, false, XlogyGradient,
     "x * log(y), or 0 where x is 0."},
    {"Pow", kFloatsIndexComplex, kIeeeIndexComplex, kGpuFloatsAndInt64, false, PowGradient,
     "x to the power y."},
    {"Maximum", kModTypes, kModTypes, kGpuFloatsAndInt64, true, MaximumGradient,
     "The larger of x and y."},
    {"Minimum", kModTypes, kModTypes, kGpuFloatsAndInt64, true, MinimumGradient,
     "The smaller of x and y."},
    {"SquaredDifference", kFloatsIndexComplex, kIeeeIndexComplex, kGpuFloatsAndInt64, true,
     SquaredDifferenceGradient, "(x - y) * conj(x - y)."},
};

void DefineArithmetic(OpRegistry& ops, const Arithmetic& op) {
  OpDef& def = ops.Define(op.name);
  def.Input("x", "T")
      .Input("y", "T")
      .Output("z", "T")
      .TypeAttr("T", op.allowed)
      .Shape(BroadcastShape)
      .Doc(op.doc);
  def.InPlace(0, 0).InPlace(0, 1).Cpu({.types = {{"T", op.cpu}}, .make = MakeBinaryCpu});
  if (op.name == "AddV2" || op.name == "Mul" || op.name == "SquaredDifference") def.Commutative();
  if (!op.gpu.empty()) def.Gpu({.types = {{"T", op.gpu}}});
  if (op.int32_on_host) def.Gpu({.types = {{"T", kOnlyInt32}}, .host_args = {"x", "y", "z"}});
  if (op.gradient != nullptr) {
    def.Gradient(op.gradient);
  } else if (op.name != "Mod" &&
             op.name != "TruncateMod") {  // those two have no gradient at all: asking is an error
    def.NoGradient();
  }
}

// Functions of float32 and float64 whose arguments have names of their own.
OpDef& DefineFunction(OpRegistry& ops, std::string_view name, std::string_view first,
                      std::string_view second, DTypeSet allowed, GradientFn gradient,
                      std::string_view doc) {
  return ops.Define(name)
      .Input(first, "T")
      .Input(second, "T")
      .Output("z", "T")
      .TypeAttr("T", allowed)
      .Shape(BroadcastShape)
      .Gradient(gradient)
      .InPlace(0, 0)
      .InPlace(0, 1)
      .Cpu({.types = {{"T", kFloat32And64}}, .make = MakeBinaryCpu})
      .Doc(doc);
}

constexpr DTypeSet kOrdered = kRealTypes;
constexpr DTypeSet kEqualTypes =
    kAddTypes | kOnlyString | kOnlyBool | DTypeSet{DType::kQUInt8, DType::kQInt8, DType::kQInt32};
constexpr DTypeSet kEqualCpu = kAddTypes | kOnlyString | kOnlyBool;
constexpr DTypeSet kGpuOrdered =
    kGpuFloatTypes | DTypeSet{DType::kInt64, DType::kUInt8, DType::kInt8, DType::kInt16};

Status EqualShape(ShapeContext& c) {
  const Status broadcast = BroadcastShape(c);
  if (c.attrs().Get<bool>("incompatible_shape_error")) return broadcast;
  if (!broadcast.ok()) return c.SetOutput(0, Shape());
  // Whether unknown dimensions broadcast shows in the step only.
  const bool known = c.input(0).is_fully_known() && c.input(1).is_fully_known();
  return known ? absl::OkStatus() : c.SetOutput(0, PartialShape());
}

void DefineComparison(OpRegistry& ops, std::string_view name, DTypeSet allowed, DTypeSet cpu,
                      DTypeSet gpu, ShapeFn shape, std::string_view doc) {
  OpDef& def = ops.Define(name);
  def.Input("x", "T")
      .Input("y", "T")
      .Output("z", "bool")
      .TypeAttr("T", allowed)
      .Shape(shape)
      .NoGradient()
      .Doc(doc);
  def.Cpu({.types = {{"T", cpu}}, .make = MakeBinaryCpu}).Gpu({.types = {{"T", gpu}}});
  def.Gpu({.types = {{"T", kOnlyInt32}}, .host_args = {"x", "y", "z"}});
  if (name == "Equal" || name == "NotEqual")
    def.Commutative().Attr("incompatible_shape_error", true);
}

void DefineLogical(OpRegistry& ops, std::string_view name, std::string_view doc) {
  ops.Define(name)
      .Input("x", "bool")
      .Input("y", "bool")
      .Output("z", "bool")
      .Shape(BroadcastShape)
      .NoGradient()
      .Commutative()
      .InPlace(0, 0)
      .InPlace(0, 1)
      .Cpu({.make = MakeBinaryCpu})
      .Gpu({})
      .Doc(doc);
}

}  // namespace

void DefineBinary(OpRegistry& ops) {
  for (const Arithmetic& op : kArithmetic) DefineArithmetic(ops, op);
  DefineFunction(ops, "Atan2", "y", "x", kFloatTypes, Atan2Gradient,
                 "The angle of the point (x, y).")
      .Gpu({.types = {{"T", kFloat32And64}}});
  DefineFunction(ops, "Polygamma", "a", "x", kFloat32And64, PolygammaGradient,
                 "Derivative of order a of Digamma.");
  DefineFunction(ops, "Zeta", "x", "q", kFloat32And64, ZetaGradient, "Hurwitz zeta function.");
  const DTypeSet gpu_equal = kGpuOrdered | kComplexTypes | kOnlyBool;
  DefineComparison(ops, "Equal", kEqualTypes, kEqualCpu, gpu_equal, EqualShape, "x == y.");
  DefineComparison(ops, "NotEqual", kEqualTypes, kEqualCpu, gpu_equal, EqualShape, "x != y.");
  const DTypeSet ordered_cpu = kFloatTypes | kSmallInts;
  DefineComparison(ops, "Less", kOrdered, ordered_cpu, kGpuOrdered, BroadcastShape, "x < y.");
  DefineComparison(ops, "LessEqual", kOrdered, ordered_cpu, kGpuOrdered, BroadcastShape, "x <= y.");
  DefineComparison(ops, "Greater", kOrdered, ordered_cpu, kGpuOrdered, BroadcastShape, "x > y.");
  DefineComparison(ops, "GreaterEqual", kOrdered, ordered_cpu, kGpuOrdered, BroadcastShape,
                   "x >= y.");
  DefineLogical(ops, "LogicalAnd", "x and y.");
  DefineLogical(ops, "LogicalOr", "x or y.");
}

#define HR_BINARY_BUILDER_(NAME)                                    \
  Output NAME(Operand x, Operand y, OpOptions o, Location where) {  \
    return internal::MakeBinary(#NAME, x, y, o.name, #NAME, where); \
  }
HR_BINARY_BUILDER_(Add)
HR_BINARY_BUILDER_(AddV2)
HR_BINARY_BUILDER_(Sub)
HR_BINARY_BUILDER_(Mul)
HR_BINARY_BUILDER_(Div)
HR_BINARY_BUILDER_(RealDiv)
HR_BINARY_BUILDER_(TruncateDiv)
HR_BINARY_BUILDER_(FloorDiv)
HR_BINARY_BUILDER_(Mod)
HR_BINARY_BUILDER_(TruncateMod)
HR_BINARY_BUILDER_(FloorMod)
HR_BINARY_BUILDER_(DivNoNan)
HR_BINARY_BUILDER_(MulNoNan)
HR_BINARY_BUILDER_(Xdivy)
HR_BINARY_BUILDER_(Xlogy)
HR_BINARY_BUILDER_(Pow)
HR_BINARY_BUILDER_(Maximum)
HR_BINARY_BUILDER_(Minimum)
HR_BINARY_BUILDER_(SquaredDifference)
HR_BINARY_BUILDER_(Polygamma)
HR_BINARY_BUILDER_(Zeta)
HR_BINARY_BUILDER_(Less)
HR_BINARY_BUILDER_(LessEqual)
HR_BINARY_BUILDER_(Greater)
HR_BINARY_BUILDER_(GreaterEqual)
HR_BINARY_BUILDER_(LogicalAnd)
HR_BINARY_BUILDER_(LogicalOr)
#undef HR_BINARY_BUILDER_

Output Atan2(Operand y, Operand x, OpOptions o, Location where) {
  return internal::MakeBinary("Atan2", y, x, o.name, "Atan2", where);
}
Output Equal(Operand x, Operand y, EqualOptions o, Location where) {
  return internal::MakeBinary("Equal", x, y, o.name, "Equal", where,
                              {{"incompatible_shape_error", o.incompatible_shape_error}});
}
Output NotEqual(Operand x, Operand y, EqualOptions o, Location where) {
  return internal::MakeBinary("NotEqual", x, y, o.name, "NotEqual", where,
                              {{"incompatible_shape_error", o.incompatible_shape_error}});
}

}  // namespace headrace
