// Loops of functions of one argument, real numbers and bools, for each instruction set.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/math/unary_simd_cpu.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "headrace/ops/math/elementwise_rows_inl.h"
#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/simd_rows.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/math/vector_math_inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A vector function over a row. The rest that does not fill a vector goes through one as well, so
// that an element's result does not depend on its place.
template <class T, class F>
void VectorLoop(const void* x_data, void* y_data, int64_t n) {
  const hn::ScalableTag<T> d;
  const T* x = static_cast<const T*>(x_data);
  T* y = static_cast<T*>(y_data);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(F{}(d, hn::LoadU(d, x + i)), d, y + i);
  if (i == n) return;
  HWY_ALIGN T rest[hn::MaxLanes(d)] = {};
  for (int64_t k = i; k < n; ++k) rest[k - i] = x[k];
  hn::Store(F{}(d, hn::Load(d, rest)), d, rest);
  for (int64_t k = i; k < n; ++k) y[k] = rest[k - i];
}

template <class F>
UnaryRow VectorRow(DType type) {
  return type == DType::kFloat32   ? VectorLoop<float, F>
         : type == DType::kFloat64 ? VectorLoop<double, F>
                                   : nullptr;
}
UnaryRow ErfRow(DType type) {
  return type == DType::kFloat32 ? VectorLoop<float, vm::Erf>
                                 : UnaryRowOf<fn::Erf, DTypeSet(DType::kFloat64)>(type);
}

constexpr DTypeSet kFloats = kFloat32And64;
constexpr DTypeSet kSignedInts{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
constexpr DTypeSet kFloatsAndInts = kFloats | kSignedIndex;

struct Entry {
  std::string_view op;
  UnaryRow (*find)(DType);
};
constexpr Entry kEntries[] = {
    {"Abs", UnaryRowOf<fn::Abs, kFloats | kSignedInts>},
    {"Acos", VectorRow<vm::Acos>},
    {"Acosh", VectorRow<vm::Acosh>},
    {"Asin", VectorRow<vm::Asin>},
    {"Asinh", VectorRow<vm::Asinh>},
    {"Atan", VectorRow<vm::Atan>},
    {"Atanh", VectorRow<vm::Atanh>},
    {"Ceil", UnaryRowOf<fn::Ceil, kFloats>},
    {"Cos", VectorRow<vm::Cos>},
    {"Cosh", VectorRow<vm::Cosh>},
    {"Erf", ErfRow},
    {"Exp", VectorRow<vm::Exp>},
    {"Expm1", VectorRow<vm::Expm1>},
    {"Floor", UnaryRowOf<fn::Floor, kFloats>},
    {"Inv", UnaryRowOf<fn::Reciprocal, kFloats>},
    {"Invert", UnaryRowOf<fn::Invert, kIntTypes>},
    {"IsFinite", UnaryRowOf<fn::IsFinite, kFloats>},
    {"IsInf", UnaryRowOf<fn::IsInf, kFloats>},
    {"IsNan", UnaryRowOf<fn::IsNan, kFloats>},
    {"Log", VectorRow<vm::Log>},
    {"Log1p", VectorRow<vm::Log1p>},
    {"LogicalNot", UnaryRowOf<fn::LogicalNot, kOnlyBool>},
    {"Neg", UnaryRowOf<fn::Neg, kFloatsAndInts>},
    {"PopulationCount", UnaryRowOf<fn::PopulationCount, kIntTypes>},
    {"Reciprocal", UnaryRowOf<fn::Reciprocal, kFloats>},
    {"Rint", UnaryRowOf<fn::Rint, kFloats>},
    {"Round", UnaryRowOf<fn::Round, kFloatsAndInts>},
    {"Rsqrt", UnaryRowOf<fn::Rsqrt, kFloats>},
    {"Sigmoid", VectorRow<vm::Sigmoid>},
    {"Sign", UnaryRowOf<fn::Sign, kFloatsAndInts>},
    {"Sin", VectorRow<vm::Sin>},
    {"Sinh", VectorRow<vm::Sinh>},
    {"Sqrt", UnaryRowOf<fn::Sqrt, kFloats>},
    {"Square", UnaryRowOf<fn::Square, kFloatsAndInts>},
    {"Tan", VectorRow<vm::Tan>},
    {"Tanh", VectorRow<vm::Tanh>},
};

UnaryRow Find(std::string_view op, DType type) {
  for (const Entry& entry : kEntries) {
    if (entry.op == op) return entry.find(type);
  }
  return nullptr;
}

}  // namespace

UnaryRow FindUnaryRow(std::string_view op, DType type) {
  return Find(op, type);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {
HWY_EXPORT(FindUnaryRow);
}  // namespace

UnaryRow FindSimdUnaryRow(std::string_view op, DType type) {
  return HWY_DYNAMIC_DISPATCH(FindUnaryRow)(op, type);
}

}  // namespace headrace
#endif
