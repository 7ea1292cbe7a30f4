#include <algorithm>
#include <limits>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/reduce_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

template <class T>
using Compared =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

// Does `x` take the place of `best`? NaN does not, and gives way to any number.
template <bool kMax, class C>
bool IsBetter(C x, C best) {
  return kMax ? x > best || (best != best && x == x) : x < best || (best != best && x == x);
}

// Values that are compared side by side.
constexpr int64_t kLanes = 16;

// Block by block: the best of each in vectors, and only in the best block where it is.
template <class T, bool kMax>
int64_t ArgOfRow(const T* x, int64_t size) {
  using Limits = std::numeric_limits<T>;
  constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  constexpr T kHighest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  constexpr T kWorst = kMax ? kLowest : kHighest;
  constexpr int64_t kBlock = 32 * kLanes;
  T best = kWorst;
  int64_t block = 0;
  for (int64_t start = 0; start < size; start += kBlock) {
    const int64_t end = std::min(start + kBlock, size);
    T lanes[kLanes];
    std::fill(lanes, lanes + kLanes, kWorst);
    int64_t k = start;
    for (; k + kLanes <= end; k += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) {  // NaN is never taken
        lanes[j] = (kMax ? x[k + j] > lanes[j] : x[k + j] < lanes[j]) ? x[k + j] : lanes[j];
      }
    }
    for (; k < end; ++k) {
      if (kMax ? x[k] > lanes[0] : x[k] < lanes[0]) lanes[0] = x[k];
    }
    T most = lanes[0];
    for (const T lane : lanes) most = (kMax ? lane > most : lane < most) ? lane : most;
    if (kMax ? most > best : most < best) {
      best = most;
      block = start;
    }
  }
  for (int64_t k = block; k < size; ++k) {
    if (x[k] == best) return k;
  }
  return 0;  // all are NaN
}

// x is [outer, size, inner], y is [outer, inner].
template <class T, class Index, bool kMax>
void ArgReduce(const T* x, Index* y, int64_t begin, int64_t end, int64_t size, int64_t inner) {
  using C = Compared<T>;
  if constexpr (std::is_same_v<C, T>) {
    if (inner == 1 && size >= 2 * kLanes) {
      for (int64_t i = begin; i < end; ++i) {
        y[i] = static_cast<Index>(ArgOfRow<T, kMax>(x + i * size, size));
      }
      return;
    }
  }
  for (int64_t i = begin; i < end; ++i) {
    const T* column = x + i / inner * size * inner + i % inner;
    C best = static_cast<C>(column[0]);
    int64_t at = 0;
    for (int64_t k = 1; k < size; ++k) {
      const C value = static_cast<C>(column[k * inner]);
      if (IsBetter<kMax>(value, best)) {
        best = value;
        at = k;
      }
    }
    y[i] = static_cast<Index>(at);
  }
}

using Loop = void (*)(const void* x, void* y, int64_t begin, int64_t end, int64_t size,
                      int64_t inner);
template <class T, class Index, bool kMax>
void Typed(const void* x, void* y, int64_t begin, int64_t end, int64_t size, int64_t inner) {
  ArgReduce<T, Index, kMax>(static_cast<const T*>(x), static_cast<Index*>(y), begin, end, size,
                            inner);
}

class ArgReduceKernel final : public Kernel {
 public:
  explicit ArgReduceKernel(Loop loop) : loop_(loop) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const int64_t asked, IntScalar(ctx.input(1), "dimension"));
    if (x.rank() == 0) return InvalidArgument("input must have at least 1 dimension, got a scalar");
    if (asked < -x.rank() || asked >= x.rank()) {
      return InvalidArgument("Dimension (", asked, ") must be in the range [", -x.rank(), ", ",
                             x.rank(), "), where ", x.rank(),
                             " is the number of dimensions in the input.");
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

template <bool kMax>
Loop FindLoop(DType type, DType index) {
  Loop loop = nullptr;
  DispatchDType<kCpuRealTypes>(type, [&]<class T>() {
    loop = index == DType::kInt32 ? Typed<T, int32_t, kMax> : Typed<T, int64_t, kMax>;
  });
  return loop;
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeArgReduceCpu(const KernelInit& init) {
  const DType type = init.input_type(0), index = init.output_type(0);
  const Loop loop = init.node().op_name() == "ArgMax" ? FindLoop<true>(type, index)
                                                      : FindLoop<false>(type, index);
  if (loop == nullptr) return Unimplemented("there is no CPU loop for ", DTypeName(type));
  return std::make_unique<ArgReduceKernel>(loop);
}

}  // namespace headrace
