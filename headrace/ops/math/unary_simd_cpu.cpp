// float32 and float64 loops of functions of one argument, for each instruction set.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/math/unary_simd_cpu.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "headrace/ops/math/simd_rows.h"
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

// An element function over a row: the compiler vectorises it.
template <class T, class F>
void ElementLoop(const void* x_data, void* y_data, int64_t n) {
  using R = decltype(F{}(T{}));
  const T* x = static_cast<const T*>(x_data);
  R* y = static_cast<R*>(y_data);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = F{}(x[i]);
}

struct Entry {
  std::string_view op;
  UnaryRow f32, f64;
};
#define HR_VECTOR_(NAME) \
  { #NAME, VectorLoop < float, vm::NAME>, VectorLoop < double, vm::NAME> }
#define HR_ELEMENT_(NAME) \
  { #NAME, ElementLoop < float, fn::NAME>, ElementLoop < double, fn::NAME> }
constexpr Entry kEntries[] = {
    HR_ELEMENT_(Abs),
    HR_VECTOR_(Acos),
    HR_VECTOR_(Acosh),
    HR_VECTOR_(Asin),
    HR_VECTOR_(Asinh),
    HR_VECTOR_(Atan),
    HR_VECTOR_(Atanh),
    HR_ELEMENT_(Ceil),
    HR_VECTOR_(Cos),
    HR_VECTOR_(Cosh),
    {"Erf", VectorLoop<float, vm::Erf>, ElementLoop<double, fn::Erf>},
    HR_VECTOR_(Exp),
    HR_VECTOR_(Expm1),
    HR_ELEMENT_(Floor),
    HR_ELEMENT_(IsFinite),
    HR_ELEMENT_(IsInf),
    HR_ELEMENT_(IsNan),
    HR_VECTOR_(Log),
    HR_VECTOR_(Log1p),
    HR_ELEMENT_(Neg),
    HR_ELEMENT_(Reciprocal),
    HR_ELEMENT_(Rint),
    HR_ELEMENT_(Round),
    HR_ELEMENT_(Rsqrt),
    HR_VECTOR_(Sigmoid),
    HR_ELEMENT_(Sign),
    HR_VECTOR_(Sin),
    HR_VECTOR_(Sinh),
    HR_ELEMENT_(Sqrt),
    HR_ELEMENT_(Square),
    HR_VECTOR_(Tanh),
};
#undef HR_VECTOR_
#undef HR_ELEMENT_

UnaryRow Find(std::string_view op, DType type) {
  for (const Entry& entry : kEntries) {
    if (entry.op == op)
      return type == DType::kFloat32 ? entry.f32 : type == DType::kFloat64 ? entry.f64 : nullptr;
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
