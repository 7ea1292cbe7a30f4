// float32 and float64 loops of functions of two arguments, for each instruction set. The compiler
// vectorises the element functions.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/math/binary_simd_cpu.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/simd_rows.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace {

template <class T, class F>
uint32_t Loop(const void* a_data, int64_t a_step, const void* b_data, int64_t b_step, void* out,
              int64_t n) {
  using R = decltype(F{}(T{}, T{}));
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  R* y = static_cast<R*>(out);
  if (a_step != 0 && b_step != 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) y[i] = F{}(a[i], b[i]);
  } else if (n > 0) {
    const T first_a = *a, first_b = *b;  // `out` may be written over them
    if (a_step != 0) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) y[i] = F{}(a[i], first_b);
    } else if (b_step != 0) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) y[i] = F{}(first_a, b[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] = F{}(first_a, first_b);
    }
  }
  return kRowOk;
}

// Powers with the same exponent everywhere: the usual ones need no power function.
template <class T>
uint32_t PowLoop(const void* a_data, int64_t a_step, const void* b_data, int64_t b_step, void* out,
                 int64_t n) {
  if (b_step == 0 && a_step != 0 && n > 0) {
    const T exponent = *static_cast<const T*>(b_data);
    if (exponent == T(2)) return Loop<T, fn::Mul>(a_data, 1, a_data, 1, out, n);
    const T one = 1;
    if (exponent == T(1)) return Loop<T, fn::Mul>(a_data, 1, &one, 0, out, n);
    if (exponent == T(-1)) return Loop<T, fn::Div>(&one, 0, a_data, 1, out, n);
  }
  return Loop<T, fn::Pow>(a_data, a_step, b_data, b_step, out, n);
}

struct Entry {
  std::string_view op;
  BinaryRow f32, f64;
};
#define HR_ROW_(OP, FUNCTION) \
  { #OP, Loop < float, fn::FUNCTION>, Loop < double, fn::FUNCTION> }
constexpr Entry kEntries[] = {
    HR_ROW_(Add, Add),
    HR_ROW_(AddV2, Add),
    HR_ROW_(Atan2, Atan2),
    HR_ROW_(Div, Div),
    HR_ROW_(DivNoNan, DivNoNan),
    HR_ROW_(Equal, Equal),
    HR_ROW_(FloorDiv, FloorDiv),
    HR_ROW_(FloorMod, FloorMod),
    HR_ROW_(Greater, Greater),
    HR_ROW_(GreaterEqual, GreaterEqual),
    HR_ROW_(InvGrad, ReciprocalGrad),
    HR_ROW_(Less, Less),
    HR_ROW_(LessEqual, LessEqual),
    HR_ROW_(Maximum, Maximum),
    HR_ROW_(Minimum, Minimum),
    HR_ROW_(Mod, TruncateMod),
    HR_ROW_(Mul, Mul),
    HR_ROW_(MulNoNan, MulNoNan),
    HR_ROW_(NotEqual, NotEqual),
    {"Pow", PowLoop<float>, PowLoop<double>},
    HR_ROW_(RealDiv, Div),
    HR_ROW_(ReciprocalGrad, ReciprocalGrad),
    HR_ROW_(RsqrtGrad, RsqrtGrad),
    HR_ROW_(SigmoidGrad, SigmoidGrad),
    HR_ROW_(SqrtGrad, SqrtGrad),
    HR_ROW_(SquaredDifference, SquaredDifference),
    HR_ROW_(Sub, Sub),
    HR_ROW_(TanhGrad, TanhGrad),
    HR_ROW_(TruncateMod, TruncateMod),
    HR_ROW_(Xdivy, Xdivy),
    HR_ROW_(Xlogy, Xlogy),
};
#undef HR_ROW_

BinaryRow Find(std::string_view op, DType type) {
  for (const Entry& entry : kEntries) {
    if (entry.op == op)
      return type == DType::kFloat32 ? entry.f32 : type == DType::kFloat64 ? entry.f64 : nullptr;
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
