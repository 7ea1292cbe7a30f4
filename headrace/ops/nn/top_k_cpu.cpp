#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/top_k_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// Order of the elements of a row by index: larger first, then lower index; NaN is largest.
template <class T>
struct Before {
  const T* row;
  bool operator()(int32_t a, int32_t b) const {
    const T x = row[a], y = row[b];
    if constexpr (!std::is_integral_v<T>) {
      const bool x_nan = !(x == x), y_nan = !(y == y);
      if (x_nan || y_nan) return x_nan == y_nan ? a < b : x_nan;
    }
    return x == y ? a < b : x > y;
  }
};

// The k first elements of [0, n) in that order. Sorted, or as they lie in the heap of the best so
// far.
template <class T>
void BestOfRow(const T* row, int64_t n, int64_t k, bool sorted, std::vector<int32_t>& best) {
  const Before<T> before{row};
  best.clear();
  if (k == 0) return;
  if (k == 1) {
    int32_t first = 0;
    for (int32_t i = 1; i < n; ++i) {
      if (before(i, first)) first = i;
    }
    best.push_back(first);
    return;
  }
  if (k == n) {
    best.resize(static_cast<size_t>(n));
    std::iota(best.begin(), best.end(), 0);
    std::sort(best.begin(), best.end(), before);
    return;
  }
  // A heap of k + 1 elements with the last in order on top, which goes; before it is full, the last
  // in order stays in front.
  for (int32_t i = 0; i < n; ++i) {
    if (static_cast<int64_t>(best.size()) <= k) {
      best.push_back(i);
      if (before(best.front(), i)) std::swap(best.front(), best.back());
      if (static_cast<int64_t>(best.size()) == k + 1) {
        std::make_heap(best.begin(), best.end(), before);
        std::pop_heap(best.begin(), best.end(), before);
      }
    } else if (before(i, best.front())) {
      best.back() = i;
      std::push_heap(best.begin(), best.end(), before);
      std::pop_heap(best.begin(), best.end(), before);
    }
  }
  best.pop_back();
  if (sorted) std::sort(best.begin(), best.end(), before);
}

class TopKKernel final : public Kernel {
 public:
  explicit TopKKernel(const KernelInit& init)
      : fixed_k_(init.attrs().GetOr<int64_t>("k", -1)), sorted_(init.Attr<bool>("sorted")) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& input = ctx.input(0);
    int64_t k = fixed_k_;
    if (ctx.num_inputs() == 2) {
      if (ctx.input(1).rank() != 0)
        return InvalidArgument("k must be scalar, got shape ", ctx.input(1).shape().ToString());
      k = ctx.input(1).scalar<int32_t>();
    }
    if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
    if (input.rank() < 1)
      return InvalidArgument("input must be >= 1-D, got shape ", input.shape().ToString());
    const int64_t columns = input.dim(input.rank() - 1);
    if (columns < k)
      return InvalidArgument("input must have at least k columns. Had ", columns, ", needed ", k);
    Shape shape = input.shape();
    shape.set_dim(input.rank() - 1, k);
    HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(0, shape));
    HR_ASSIGN_OR_RETURN(Tensor * indices, ctx.Output(1, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    DispatchDType<kCpuRealTypes>(input.dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(input.num_elements() / columns, 3.0 * static_cast<double>(columns),
                                [&](int64_t begin, int64_t end) {
                                  std::vector<int32_t> best;
                                  for (int64_t r = begin; r < end; ++r) {
                                    const T* row = input.data<T>() + r * columns;
                                    BestOfRow(row, columns, k, sorted_, best);
                                    std::copy(best.begin(), best.end(),
                                              indices->data<int32_t>() + r * k);
                                    T* to = values->data<T>() + r * k;
                                    for (int64_t i = 0; i < k; ++i) to[i] = row[best[i]];
                                  }
                                });
    });
    return absl::OkStatus();
  }

 private:
  int64_t fixed_k_;
  bool sorted_;
};

// Is the target among the k best? Predictions are looked at in order until that is settled.
bool IsInTopK(const float* row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(row[target])) return false;
  int64_t larger = 0;
  for (int64_t c = 0; c < classes; ++c) {
    if (!std::isfinite(row[c])) return false;
    if (row[c] > row[target] && ++larger > k) return false;
  }
  return larger < k;
}

class InTopKKernel final : public Kernel {
 public:
  explicit InTopKKernel(const KernelInit& init) : fixed_k_(init.attrs().GetOr<int64_t>("k", 0)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& predictions = ctx.input(0);
    const Tensor& targets = ctx.input(1);
    int64_t k = fixed_k_;
    if (ctx.num_inputs() == 3) {
      if (ctx.input(2).rank() != 0)
        return InvalidArgument("k must be 0-D, got shape ", ctx.input(2).shape().ToString());
      k = IntAt(ctx.input(2), 0);
    }
    if (predictions.rank() != 2)
      return InvalidArgument("predictions must be 2-dimensional, got shape ",
                             predictions.shape().ToString());
    if (targets.rank() != 1)
      return InvalidArgument("targets must be 1-dimensional, got shape ",
                             targets.shape().ToString());
    if (predictions.dim(0) != targets.dim(0)) {
      return InvalidArgument("First dimension of predictions ", predictions.dim(0),
                             " must match length of targets ", targets.dim(0));
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, targets.shape()));
    const int64_t classes = predictions.dim(1);
    ctx.workers().ParallelFor(
        targets.dim(0), 1.0 * static_cast<double>(classes) + 5, [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            out->data<bool>()[r] =
                IsInTopK(predictions.data<float>() + r * classes, classes, IntAt(targets, r), k);
          }
        });
    return absl::OkStatus();
  }

 private:
  int64_t fixed_k_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeTopKCpu(const KernelInit& init) {
  return std::make_unique<TopKKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeInTopKCpu(const KernelInit& init) {
  return std::make_unique<InTopKKernel>(init);
}

}  // namespace headrace
