// The loops are compiled for each instruction set.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/math/arg_reduce_cpu.cpp"
#include "hwy/foreach_target.h"  // must come first

#include <algorithm>
#include <limits>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/reduce_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {

using Loop = void (*)(const void* x, void* y, int64_t begin, int64_t end, int64_t size,
                      int64_t inner);

namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Compared =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

// Does `x` take the place of `best`? NaN does not, and gives way to any number.
template <bool kMax, class C>
bool IsBetter(C x, C best) {
  return kMax ? x > best || (best != best && x == x) : x < best || (best != best && x == x);
}

constexpr int64_t kLongRow = 32, kColumns = 512;  // columns that are walked side by side

// In vectors: the best of some neighbours, and where it was better than before, where in them it
// is.
template <class T, bool kMax>
int64_t ArgOfRow(const T* x, int64_t size) {
  using Limits = std::numeric_limits<T>;
  constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  constexpr T kHighest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  constexpr T kWorst = kMax ? kLowest : kHighest;
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), block = 32 * lanes;
  const auto better = [](auto a, auto b) HWY_ATTR { return kMax ? hn::Gt(a, b) : hn::Lt(a, b); };
  HWY_ALIGN T values[hn::MaxLanes(d)];
  T best = kWorst;
  int64_t at = 0;
  for (int64_t start = 0; start < size; start += block) {
    const int64_t end = std::min(start + block, size);
    auto a = hn::Set(d, kWorst), b = a;
    int64_t k = start;
    for (; k + 2 * lanes <= end; k += 2 * lanes) {  // NaN is never taken
      const auto xa = hn::LoadU(d, x + k), xb = hn::LoadU(d, x + k + lanes);
      a = hn::IfThenElse(better(xa, a), xa, a);
      b = hn::IfThenElse(better(xb, b), xb, b);
    }
    hn::Store(hn::IfThenElse(better(a, b), a, b), d, values);
    T most = kWorst;
    for (int64_t i = 0; i < lanes; ++i)
      most = (kMax ? values[i] > most : values[i] < most) ? values[i] : most;
    for (; k < end; ++k) most = (kMax ? x[k] > most : x[k] < most) ? x[k] : most;
    if (kMax ? most > best : most < best) {
      best = most;
      at = start;
    }
  }
  const auto wanted = hn::Set(d, best);
  for (; at + lanes <= size; at += lanes) {
    const intptr_t place = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, x + at), wanted));
    if (place >= 0) return at + place;
  }
  for (; at < size; ++at) {
    if (x[at] == best) return at;
  }
  return 0;  // all are NaN
}

// Neighbouring columns side by side: rows are read once, in order. `places` are of type Place.
template <class T, class Index, bool kMax, class Place>
void ArgOfColumns(const T* x, Index* y, int64_t size, int64_t inner, int64_t n) {
  using C = Compared<T>;
  C best[kColumns];
  Place places[kColumns];
  for (int64_t i = 0; i < n; ++i) {
    best[i] = static_cast<C>(x[i]);
    places[i] = 0;
  }
  for (int64_t k = 1; k < size; ++k) {
    const T* row = x + k * inner;
    const Place place = static_cast<Place>(k);
    for (int64_t i = 0; i < n; ++i) {
      const C value = static_cast<C>(row[i]);
      const bool better = IsBetter<kMax>(value, best[i]);
      best[i] = better ? value : best[i];
      places[i] = better ? place : places[i];
    }
  }
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Index>(places[i]);
}

// x is [outer, size, inner], y is [outer, inner].
template <class T, class Index, bool kMax>
void ArgReduce(const void* x_data, void* y_data, int64_t begin, int64_t end, int64_t size,
               int64_t inner) {
  const T* x = static_cast<const T*>(x_data);
  Index* y = static_cast<Index*>(y_data);
  if constexpr (std::is_same_v<Compared<T>, T>) {
    if (inner == 1 && size >= kLongRow) {
      for (int64_t i = begin; i < end; ++i) {
        y[i] = static_cast<Index>(ArgOfRow<T, kMax>(x + i * size, size));
      }
      return;
    }
  }
  for (int64_t i = begin; i < end;) {
    const int64_t column = i % inner, n = std::min({kColumns, inner - column, end - i});
    const T* first = x + i / inner * size * inner + column;
    // Places as wide as most values make the best vectors.
    if (size <= std::numeric_limits<int32_t>::max()) {
      ArgOfColumns<T, Index, kMax, int32_t>(first, y + i, size, inner, n);
    } else {
      ArgOfColumns<T, Index, kMax, int64_t>(first, y + i, size, inner, n);
    }
    i += n;
  }
}

template <bool kMax>
Loop FindLoopOf(DType type, DType index) {
  Loop loop = nullptr;
  DispatchDType<kCpuRealTypes>(type, [&]<class T>() {
    loop = index == DType::kInt32 ? ArgReduce<T, int32_t, kMax> : ArgReduce<T, int64_t, kMax>;
  });
  return loop;
}

}  // namespace

// The loop for a dtype and that of places; null if there is none.
Loop FindLoop(bool max, DType type, DType index) {
  return max ? FindLoopOf<true>(type, index) : FindLoopOf<false>(type, index);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {

using Loop = HWY_NAMESPACE::Loop;

class ArgReduceKernel final : public Kernel {
 public:
  explicit ArgReduceKernel(Loop loop) : loop_(loop) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const int64_t asked, IntScalar(ctx.input(1), "dimension"));
    if (x.rank() == 0) return InvalidArgument("input must have at least 1 dimension, got a scalar");
    if (asked < -x.rank() || asked >= x.rank()) {
      return InvalidArgument("Expected dimension in the range [", -x.rank(), ", ", x.rank(),
                             "), but got ", asked);
    }
    const int axis = static_cast<int>(asked < 0 ? asked + x.rank() : asked);
    if (x.dim(axis) == 0) {
      return InvalidArgument("Reduction axis ", axis, " is empty in shape ", x.shape().ToString());
    }
    Shape shape;
    for (int d = 0; d < x.rank(); ++d) {
      if (d != axis) shape.Append(x.dim(d));
    }
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape));
    const int64_t size = x.dim(axis), inner = x.shape().Product(axis + 1, x.rank());
    ctx.workers().ParallelFor(shape.num_elements(), 1.0 * static_cast<double>(size) + 2,
                              [&](int64_t begin, int64_t end) {
                                loop_(x.raw_data(), y->raw_data(), begin, end, size, inner);
                              });
    return absl::OkStatus();
  }

 private:
  const Loop loop_;
};

HWY_EXPORT(FindLoop);

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeArgReduceCpu(const KernelInit& init) {
  const DType type = init.input_type(0), index = init.output_type(0);
  const Loop loop = HWY_DYNAMIC_DISPATCH(FindLoop)(init.node().op_name() == "ArgMax", type, index);
  if (loop == nullptr) return Unimplemented("there is no CPU loop for ", DTypeName(type));
  return std::make_unique<ArgReduceKernel>(loop);
}

}  // namespace headrace
#endif
