// Loops of functions of two arguments, real numbers and bools, for each instruction set.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/math/binary_simd_cpu.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "headrace/ops/math/elementwise_rows_inl.h"
#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/simd_rows.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/math/vector_math_pairs_inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A vector function over a row. The rest that does not fill a vector goes through one as well, so
// that an element's result does not depend on its place.
template <class T, class F>
uint32_t VectorLoop(const void* a_data, int64_t a_step, const void* b_data, int64_t b_step,
                    void* out, int64_t n) {
  const hn::ScalableTag<T> d;
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* y = static_cast<T*>(out);
  if (n == 0) return kRowOk;
  const auto first_a = hn::Set(d, *a), first_b = hn::Set(d, *b);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto va = a_step != 0 ? hn::LoadU(d, a + i) : first_a;
    const auto vb = b_step != 0 ? hn::LoadU(d, b + i) : first_b;
    hn::StoreU(F{}(d, va, vb), d, y + i);
  }
  if (i == n) return kRowOk;
  HWY_ALIGN T rest_a[hn::MaxLanes(d)];
  HWY_ALIGN T rest_b[hn::MaxLanes(d)];
  hn::Store(first_a, d, rest_a);
  hn::Store(first_b, d, rest_b);
  for (int64_t k = i; k < n; ++k) {
    if (a_step != 0) rest_a[k - i] = a[k];
    if (b_step != 0) rest_b[k - i] = b[k];
  }
  hn::Store(F{}(d, hn::Load(d, rest_a), hn::Load(d, rest_b)), d, rest_a);
  for (int64_t k = i; k < n; ++k) y[k] = rest_a[k - i];
  return kRowOk;
}

template <class F>
BinaryRow VectorRow(DType type) {
  return type == DType::kFloat32   ? VectorLoop<float, F>
         : type == DType::kFloat64 ? VectorLoop<double, F>
                                   : nullptr;
}

// Powers with the same exponent everywhere: the usual ones need no power function.
template <class T, BinaryRow kAny>
uint32_t PowLoop(const void* a_data, int64_t a_step, const void* b_data, int64_t b_step, void* out,
                 int64_t n) {
  if (b_step == 0 && a_step != 0 && n > 0) {
    const T exponent = *static_cast<const T*>(b_data);
    if (exponent == T(2)) return BinaryLoop<T, fn::Mul>(a_data, 1, a_data, 1, out, n);
    const T one = 1;
    if (exponent == T(1)) return BinaryLoop<T, fn::Mul>(a_data, 1, &one, 0, out, n);
    if (exponent == T(-1)) return BinaryLoop<T, fn::Div>(&one, 0, a_data, 1, out, n);
  }
  return kAny(a_data, a_step, b_data, b_step, out, n);
}

constexpr DTypeSet kFloats = kFloat32And64;
constexpr DTypeSet kSmallInts{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
                              DType::kUInt8};
constexpr DTypeSet kMostInts = kSmallInts | DTypeSet(DType::kUInt16);
constexpr DTypeSet kReals = kFloats | kMostInts;
constexpr DTypeSet kOrdered = kFloats | kSmallInts;
constexpr DTypeSet kComparable = kOrdered | kOnlyBool;
constexpr DTypeSet kFloatsAndInts = kFloats | kSignedIndex;

BinaryRow PowRow(DType type) {
  if (type == DType::kFloat32) return PowLoop<float, VectorLoop<float, vm::Pow>>;
  if (type == DType::kFloat64) return PowLoop<double, BinaryLoop<double, fn::Pow>>;
  return CheckedRowOf<fn::Pow, kSignedIndex, kNegativePower>(type);
}

struct Entry {
  std::string_view op;
  BinaryRow (*find)(DType);
};
constexpr Entry kEntries[] = {
    {"Add", BinaryRowOf<fn::Add, kReals>},
    {"AddV2", BinaryRowOf<fn::Add, kReals>},
    {"Atan2", VectorRow<vm::Atan2>},
    {"BitwiseAnd", BinaryRowOf<fn::BitwiseAnd, kIntTypes>},
    {"BitwiseOr", BinaryRowOf<fn::BitwiseOr, kIntTypes>},
    {"BitwiseXor", BinaryRowOf<fn::BitwiseXor, kIntTypes>},
    {"Div", CheckedRowOf<fn::Div, kMostInts, kZeroDivisor, kFloats>},
    {"DivNoNan", BinaryRowOf<fn::DivNoNan, kFloats>},
    {"Equal", BinaryRowOf<fn::Equal, kComparable>},
    {"FloorDiv", CheckedRowOf<fn::FloorDiv, kMostInts, kZeroDivisor, kFloats>},
    {"FloorMod", CheckedRowOf<fn::FloorMod, kSignedIndex, kZeroDivisor, kFloats>},
    {"Greater", BinaryRowOf<fn::Greater, kOrdered>},
    {"GreaterEqual", BinaryRowOf<fn::GreaterEqual, kOrdered>},
    {"InvGrad", BinaryRowOf<fn::ReciprocalGrad, kFloats>},
    {"LeftShift", BinaryRowOf<fn::LeftShift, kIntTypes>},
    {"Less", BinaryRowOf<fn::Less, kOrdered>},
    {"LessEqual", BinaryRowOf<fn::LessEqual, kOrdered>},
    {"LogicalAnd", BinaryRowOf<fn::LogicalAnd, kOnlyBool>},
    {"LogicalOr", BinaryRowOf<fn::LogicalOr, kOnlyBool>},
    {"Maximum", BinaryRowOf<fn::Maximum, kFloatsAndInts>},
    {"Minimum", BinaryRowOf<fn::Minimum, kFloatsAndInts>},
    {"Mod", CheckedRowOf<fn::TruncateMod, kSignedIndex, kZeroDivisor, kFloats>},
    {"Mul", BinaryRowOf<fn::Mul, kReals>},
    {"MulNoNan", BinaryRowOf<fn::MulNoNan, kFloats>},
    {"NotEqual", BinaryRowOf<fn::NotEqual, kComparable>},
    {"Pow", PowRow},
    {"RealDiv", BinaryRowOf<fn::Div, kFloats>},
    {"ReciprocalGrad", BinaryRowOf<fn::ReciprocalGrad, kFloats>},
    {"RightShift", BinaryRowOf<fn::RightShift, kIntTypes>},
    {"RsqrtGrad", BinaryRowOf<fn::RsqrtGrad, kFloats>},
    {"SigmoidGrad", BinaryRowOf<fn::SigmoidGrad, kFloats>},
    {"SqrtGrad", BinaryRowOf<fn::SqrtGrad, kFloats>},
    {"SquaredDifference", BinaryRowOf<fn::SquaredDifference, kFloatsAndInts>},
    {"Sub", BinaryRowOf<fn::Sub, kReals>},
    {"TanhGrad", BinaryRowOf<fn::TanhGrad, kFloats>},
    {"TruncateDiv", CheckedRowOf<fn::Div, kMostInts, kZeroDivisor>},
    {"TruncateMod", CheckedRowOf<fn::TruncateMod, kSignedIndex, kZeroDivisor, kFloats>},
    {"Xdivy", BinaryRowOf<fn::Xdivy, kFloats>},
    {"Xlogy", BinaryRowOf<fn::Xlogy, kFloats>},
};

BinaryRow Find(std::string_view op, DType type) {
  for (const Entry& entry : kEntries) {
    if (entry.op == op) return entry.find(type);
  }
  return nullptr;
}

}  // namespace

BinaryRow FindBinaryRow(std::string_view op, DType type) {
  return Find(op, type);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {
HWY_EXPORT(FindBinaryRow);
}  // namespace

BinaryRow FindSimdBinaryRow(std::string_view op, DType type) {
  return HWY_DYNAMIC_DISPATCH(FindBinaryRow)(op, type);
}

}  // namespace headrace
#endif
