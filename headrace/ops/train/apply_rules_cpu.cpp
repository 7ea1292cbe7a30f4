// The loops of the update rules for each instruction set. Built without contraction of a * b + c
// into one rounding (see headrace/CMakeLists.txt): results are the same bits on every processor,
// and those of TensorFlow's kernels.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/train/apply_rules_cpu.cpp"
#include "hwy/foreach_target.h"

#include <cmath>
#include <cstring>
#include <string>

#include "headrace/ops/train/apply_kernels.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A vector register with operators.
template <class D>
struct Pack {
  hn::Vec<D> v;
  friend HWY_INLINE Pack operator+(Pack a, Pack b) { return {hn::Add(a.v, b.v)}; }
  friend HWY_INLINE Pack operator-(Pack a, Pack b) { return {hn::Sub(a.v, b.v)}; }
  friend HWY_INLINE Pack operator*(Pack a, Pack b) { return {hn::Mul(a.v, b.v)}; }
  friend HWY_INLINE Pack operator/(Pack a, Pack b) { return {hn::Div(a.v, b.v)}; }
  friend HWY_INLINE Pack Sqrt(Pack a) { return {hn::Sqrt(a.v)}; }
  friend HWY_INLINE Pack Abs(Pack a) { return {hn::Abs(a.v)}; }
  friend HWY_INLINE Pack Max(Pack a, Pack b) {
    return {hn::IfThenElse(hn::Lt(a.v, b.v), b.v, a.v)};
  }
  friend HWY_INLINE Pack Sign(Pack a) {
    const D d;
    const auto zero = hn::Zero(d), one = hn::Set(d, 1);
    const auto positive = hn::IfThenElseZero(hn::Gt(a.v, zero), one);
    return {hn::IfThenElse(hn::Lt(a.v, zero), hn::Neg(one), positive)};
  }
  friend HWY_INLINE Pack SelectGreater(Pack a, Pack b, Pack then, Pack otherwise) {
    return {hn::IfThenElse(hn::Gt(a.v, b.v), then.v, otherwise.v)};
  }
  friend HWY_INLINE Pack Exp(Pack a) {
    return a.Each(a, [](auto x, auto) { return std::exp(x); });
  }
  friend HWY_INLINE Pack Pow(Pack a, Pack b) {
    return a.Each(b, [](auto x, auto y) { return std::pow(x, y); });
  }

 private:
  template <class F>
  Pack Each(Pack other, F f) const {
    using T = hn::TFromD<D>;
    const D d;
    HWY_ALIGN T a[hn::MaxLanes(d)], b[hn::MaxLanes(d)];
    hn::Store(v, d, a);
    hn::Store(other.v, d, b);
    for (size_t i = 0; i < hn::Lanes(d); ++i) a[i] = f(a[i], b[i]);
    return {hn::Load(d, a)};
  }
};

// One element; every result is rounded to T.
template <class T>
struct One {
  T v;
  friend One operator+(One a, One b) { return {T(a.v + b.v)}; }
  friend One operator-(One a, One b) { return {T(a.v - b.v)}; }
  friend One operator*(One a, One b) { return {T(a.v * b.v)}; }
  friend One operator/(One a, One b) { return {T(a.v / b.v)}; }
  friend One Sqrt(One a) { return {T(std::sqrt(Wide(a)))}; }
  friend One Abs(One a) { return {T(std::fabs(Wide(a)))}; }
  friend One Max(One a, One b) { return a.v < b.v ? b : a; }
  friend One Sign(One a) { return {T(a.v > T(0.0f) ? 1.0f : a.v < T(0.0f) ? -1.0f : 0.0f)}; }
  friend One SelectGreater(One a, One b, One then, One otherwise) {
    return a.v > b.v ? then : otherwise;
  }
  friend One Exp(One a) { return {T(std::exp(Wide(a)))}; }
  friend One Pow(One a, One b) { return {T(std::pow(Wide(a), Wide(b)))}; }

 private:
  using WideType = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static WideType Wide(One x) { return static_cast<WideType>(x.v); }
};

template <class T>
T SqrtOf(T x) {
  return Sqrt(One<T>{x}).v;
}

#include "headrace/ops/train/apply_rules_inl.h"

template <class Rule, class T>
void Prepare(const void* const* scalars, void* constants) {
  T s[ApplyRule::kMaxConstants] = {};
  for (int i = 0; i < ApplyRule::kMaxConstants && scalars[i] != nullptr; ++i)
    std::memcpy(&s[i], scalars[i], sizeof(T));
  Rule::template Prepare<T>(s, static_cast<T*>(constants));
}

template <class Rule, class V, class T>
HWY_INLINE void Constants(const T* constants, V* c) {
  for (int i = 0; i < ApplyRule::kMaxConstants; ++i) {
    if constexpr (std::is_same_v<V, One<T>>) {
      c[i] = {constants[i]};
    } else {
      c[i] = {hn::Set(hn::ScalableTag<T>(), constants[i])};
    }
  }
}

template <class Rule, class T>
void Update(void* const* refs, const void* gradient, int64_t n, const void* constants) {
  T* r[Rule::kRefs];
  for (int k = 0; k < Rule::kRefs; ++k) r[k] = static_cast<T*>(refs[k]);
  const T* g = static_cast<const T*>(gradient);
  int64_t i = 0;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    using D = hn::ScalableTag<T>;
    const D d;
    Pack<D> c[ApplyRule::kMaxConstants];
    Constants<Rule>(static_cast<const T*>(constants), c);
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    for (; i + lanes <= n; i += lanes) {
      Pack<D> v[Rule::kRefs];
      for (int k = 0; k < Rule::kRefs; ++k) v[k] = {hn::LoadU(d, r[k] + i)};
      Rule::Step(v, Pack<D>{hn::LoadU(d, g + i)}, c);
      for (int k = 0; k < Rule::kRefs; ++k) hn::StoreU(v[k].v, d, r[k] + i);
    }
  }
  One<T> c[ApplyRule::kMaxConstants];
  Constants<Rule>(static_cast<const T*>(constants), c);
  for (; i < n; ++i) {
    One<T> v[Rule::kRefs];
    for (int k = 0; k < Rule::kRefs; ++k) v[k] = {r[k][i]};
    Rule::Step(v, One<T>{g[i]}, c);
    for (int k = 0; k < Rule::kRefs; ++k) r[k][i] = v[k].v;
  }
}

// Ftrl with the exponent that everybody uses needs no power function.
template <bool kV2, class T>
void UpdateFtrl(void* const* refs, const void* gradient, int64_t n, const void* constants) {
  const T negative_power = static_cast<const T*>(constants)[3];
  if (negative_power == T(0.5f)) {
    Update<Ftrl<kV2, true>, T>(refs, gradient, n, constants);
  } else {
    Update<Ftrl<kV2, false>, T>(refs, gradient, n, constants);
  }
}

struct Entry {
  std::string_view name;
  ApplyRule rules[4];  // float32, float64, float16, bfloat16
};

template <class Rule>
constexpr Entry RuleEntry(std::string_view name) {
  constexpr int kStreams = 2 * Rule::kRefs + 1;
  return {name,
          {{Prepare<Rule, float>, Update<Rule, float>, kStreams},
           {Prepare<Rule, double>, Update<Rule, double>, kStreams},
           {Prepare<Rule, Half>, Update<Rule, Half>, kStreams},
           {Prepare<Rule, BFloat16>, Update<Rule, BFloat16>, kStreams}}};
}
template <bool kV2>
constexpr Entry FtrlEntry(std::string_view name) {
  using Rule = Ftrl<kV2, true>;
  constexpr int kStreams = 2 * Rule::kRefs + 1;
  return {name,
          {{Prepare<Rule, float>, UpdateFtrl<kV2, float>, kStreams},
           {Prepare<Rule, double>, UpdateFtrl<kV2, double>, kStreams},
           {Prepare<Rule, Half>, UpdateFtrl<kV2, Half>, kStreams},
           {Prepare<Rule, BFloat16>, UpdateFtrl<kV2, BFloat16>, kStreams}}};
}

constexpr Entry kEntries[] = {
    RuleEntry<GradientDescent>("GradientDescent"),
    RuleEntry<Momentum<false>>("Momentum"),
    RuleEntry<Momentum<true>>("MomentumNesterov"),
    RuleEntry<KerasMomentum<false>>("KerasMomentum"),
    RuleEntry<KerasMomentum<true>>("KerasMomentumNesterov"),
    RuleEntry<Adagrad<true>>("Adagrad"),
    RuleEntry<Adagrad<false>>("AdagradFixed"),
    RuleEntry<AdagradV2<true>>("AdagradV2"),
    RuleEntry<AdagradV2<false>>("AdagradV2Fixed"),
    RuleEntry<AdagradDA>("AdagradDA"),
    RuleEntry<Adadelta>("Adadelta"),
    RuleEntry<RmsProp<false>>("RMSProp"),
    RuleEntry<RmsProp<true>>("SparseRMSProp"),
    RuleEntry<CenteredRmsProp<false>>("CenteredRMSProp"),
    RuleEntry<CenteredRmsProp<true>>("SparseCenteredRMSProp"),
    RuleEntry<Adam<false>>("Adam"),
    RuleEntry<Adam<true>>("AdamNesterov"),
    RuleEntry<AdamWithAmsgrad>("AdamWithAmsgrad"),
    RuleEntry<AdaMax>("AdaMax"),
    RuleEntry<SignRule<false>>("AddSign"),
    RuleEntry<SignRule<true>>("PowerSign"),
    FtrlEntry<false>("Ftrl"),
    FtrlEntry<true>("FtrlV2"),
    RuleEntry<ProximalGradientDescent>("ProximalGradientDescent"),
    RuleEntry<ProximalAdagrad>("ProximalAdagrad"),
};

const ApplyRule* FindRule(std::string_view name, int type) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry.rules[type];
  }
  return nullptr;
}

}  // namespace

const ApplyRule* FindRuleForTarget(std::string_view name, int type) {
  return FindRule(name, type);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {

HWY_EXPORT(FindRuleForTarget);

const ApplyRule* FindApplyRule(std::string_view rule, DType type, bool sparse) {
  const int index = type == DType::kFloat32   ? 0
                    : type == DType::kFloat64 ? 1
                    : type == DType::kFloat16 ? 2
                                              : 3;
  if (sparse) {
    const std::string own = "Sparse" + std::string(rule);
    if (const ApplyRule* found = HWY_DYNAMIC_DISPATCH(FindRuleForTarget)(own, index)) return found;
  }
  return HWY_DYNAMIC_DISPATCH(FindRuleForTarget)(rule, index);
}

}  // namespace headrace
#endif
