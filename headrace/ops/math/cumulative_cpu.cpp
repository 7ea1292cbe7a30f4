#include <algorithm>
#include <cmath>
#include <limits>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/cumulative_kernels.h"
#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

struct Scan {
  int64_t size = 0, inner = 0;  // x is [outer, size, inner]
  bool exclusive = false, reverse = false;
};
using Loop = void (*)(const void* x, void* y, const Scan& scan, int64_t begin, int64_t end);

template <class T>
using Accumulator =
    std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

// log(exp(a) + exp(b)) without overflow.
struct LogAddExp {
  template <class A>
  A operator()(A a, A b) const {
    const A most = a < b ? b : a, least = a < b ? a : b;
    return most + std::log1p(std::exp(least - most));
  }
};

// What `Join` joins to nothing. Of LogAddExp the lowest number, as in TensorFlow, not -infinity.
template <class T, class Join>
Accumulator<T> Nothing() {
  using A = Accumulator<T>;
  if constexpr (std::is_same_v<Join, LogAddExp>) {
    if constexpr (std::is_same_v<T, Half>) return A(-65504);
    return std::numeric_limits<A>::lowest();
  } else {
    return A(std::is_same_v<Join, fn::Add> ? 0 : 1);
  }
}

// Columns [begin, end) of outer * inner: some neighbours side by side, so that rows are read in
// order.
template <class T, class Join>
void Run(const void* x_data, void* y_data, const Scan& scan, int64_t begin, int64_t end) {
  using A = Accumulator<T>;
  constexpr int64_t kColumns = 512;
  A totals[kColumns];
  for (int64_t c = begin; c < end;) {
    const int64_t column = c % scan.inner, n = std::min({kColumns, scan.inner - column, end - c});
    const int64_t start = c / scan.inner * scan.size * scan.inner + column;
    std::fill_n(totals, n, Nothing<T, Join>());
    for (int64_t k = 0; k < scan.size; ++k) {
      const int64_t at = start + (scan.reverse ? scan.size - 1 - k : k) * scan.inner;
      const T* x = static_cast<const T*>(x_data) + at;
      T* y = static_cast<T*>(y_data) + at;
      if (scan.exclusive) {
        for (int64_t i = 0; i < n; ++i) {
          const A value = static_cast<A>(x[i]);  // y may be x
          y[i] = static_cast<T>(totals[i]);
          totals[i] = Join{}(totals[i], value);
        }
      } else {
        for (int64_t i = 0; i < n; ++i) {
          totals[i] = Join{}(totals[i], static_cast<A>(x[i]));
          y[i] = static_cast<T>(totals[i]);
        }
      }
    }
    c += n;
  }
}

// The same where columns are rows: one number runs along.
template <class T, class Join>
void RunRows(const void* x_data, void* y_data, const Scan& scan, int64_t begin, int64_t end) {
  using A = Accumulator<T>;
  const int64_t step = scan.reverse ? -1 : 1;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t start = row * scan.size + (scan.reverse ? scan.size - 1 : 0);
    const T* x = static_cast<const T*>(x_data) + start;
    T* y = static_cast<T*>(y_data) + start;
    A total = Nothing<T, Join>();
    for (int64_t k = 0; k < scan.size; ++k, x += step, y += step) {
      const A value = static_cast<A>(*x);
      if (scan.exclusive) *y = static_cast<T>(total);
      total = Join{}(total, value);
      if (!scan.exclusive) *y = static_cast<T>(total);
    }
  }
}

struct Loops {
  Loop rows = nullptr, columns = nullptr;
};
template <class T, class Join>
Loops LoopsOf() {
  return {RunRows<T, Join>, Run<T, Join>};
}

class CumulativeKernel final : public Kernel {
 public:
  CumulativeKernel(Loops loops, bool exclusive, bool reverse)
      : loops_(loops), scan_{.exclusive = exclusive, .reverse = reverse} {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const int64_t asked, IntScalar(ctx.input(1), "axis"));
    if (asked < -x.rank() || asked >= x.rank()) {
      return InvalidArgument("ScanOp: Expected scan axis in the range [", -x.rank(), ", ", x.rank(),
                             "), but got ", asked);
    }
    const int axis = static_cast<int>(asked < 0 ? asked + x.rank() : asked);
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
    if (x.num_elements() == 0) return absl::OkStatus();
    scan_.size = x.dim(axis);
    scan_.inner = x.shape().Product(axis + 1, x.rank());
    const Loop loop = scan_.inner == 1 ? loops_.rows : loops_.columns;
    ctx.workers().ParallelFor(
        x.num_elements() / scan_.size, 1.0 * static_cast<double>(scan_.size),
        [&](int64_t begin, int64_t end) { loop(x.raw_data(), y->raw_data(), scan_, begin, end); });
    return absl::OkStatus();
  }

 private:
  const Loops loops_;
  Scan scan_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCumulativeCpu(const KernelInit& init) {
  const bool sum = init.node().op_name() == "Cumsum";
  Loops loops;
  DispatchDType<kCpuNumberTypes>(init.output_type(0), [&]<class T>() {
    loops = sum ? LoopsOf<T, fn::Add>() : LoopsOf<T, fn::Mul>();
  });
  if (init.node().op_name() == "CumulativeLogsumexp") {
    DispatchDType<kIeeeFloats>(init.output_type(0),
                               [&]<class T>() { loops = LoopsOf<T, LogAddExp>(); });
  }
  if (loops.rows == nullptr)
    return Unimplemented("there is no CPU loop for ", DTypeName(init.output_type(0)));
  return std::make_unique<CumulativeKernel>(loops, init.Attr<bool>("exclusive"),
                                            init.Attr<bool>("reverse"));
}

}  // namespace headrace
