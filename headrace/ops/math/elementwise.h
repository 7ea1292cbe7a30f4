// How element-wise kernels run: which elements of the inputs meet (broadcasting), in what order, on
// how many threads.
//
//   BinaryFunction f = ...;                                      // once, when the kernel is made
//   BroadcastPlan<2> plan;
//   HR_RETURN_IF_ERROR(plan.Prepare({&a.shape(), &b.shape()}));  // free for the last call's shapes
//   f.Run(plan, a.raw_data(), b.raw_data(), out->raw_data(), workers);
//
// A kernel resolves op and dtypes to one pointer to a row function when it is made; a call does no
// dispatch and no allocation.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/base/worker_pool.h"
#include "headrace/tensor/dtype.h"
#include "headrace/tensor/shape.h"

namespace headrace {

// One loop over `n` neighbours. `y` may be `x` itself.
using UnaryRow = void (*)(const void* x, void* y, int64_t n);
// Each input steps by 1 or (a scalar) by 0 elements. The output may be one of the inputs that step.
// Gives RowError bits.
using BinaryRow = uint32_t (*)(const void* a, int64_t a_step, const void* b, int64_t b_step,
                               void* out, int64_t n);

enum RowError : uint32_t { kRowOk = 0, kZeroDivisor = 1, kNegativePower = 2 };
// InvalidArgument "Integer division by zero" and the like.
Status RowErrorStatus(uint32_t bits);

// A row function with what it needs around it: 16-bit floats are widened to float32 in blocks, and
// narrowed again.
class UnaryFunction {
 public:
  UnaryFunction() = default;
  // `row` works on `in` and gives `out`; 16-bit floats: on float32.
  UnaryFunction(UnaryRow row, DType in, DType out, double ns_per_item);
  bool valid() const { return row_ != nullptr; }
  void Run(const void* x, void* y, int64_t n, WorkerPool& workers) const {
    if (n <= kInline && in_ == kPlain && out_ == kPlain) [[likely]] {
      row_(x, y, n);
    } else {
      RunLong(x, y, n, workers);
    }
  }

 private:
  friend class BinaryFunction;
  enum Width : uint8_t { kPlain, kHalf, kBFloat };
  static Width WidthOf(DType type);
  static constexpr int64_t kInline = 4096;
  void RunLong(const void* x, void* y, int64_t n, WorkerPool& workers) const;
  void RunWidened(const void* x, void* y, int64_t n) const;

  UnaryRow row_ = nullptr;
  Width in_ = kPlain, out_ = kPlain;
  uint8_t in_size_ = 0, out_size_ = 0;
  float ns_per_item_ = 1;
};

// Inputs that broadcast, as few dimensions as possible: neighbours that all inputs walk through
// alike are one dimension.
template <int kInputs>
class BroadcastPlan {
 public:
  // Keeps the plan when the shapes are those of the last call. Errors: InvalidArgument
  // "Incompatible shapes: [2,3] vs. [4,3]".
  Status Prepare(const std::array<const Shape*, kInputs>& shapes) {
    if (prepared_) [[likely]] {
      bool same = true;
      for (int i = 0; i < kInputs; ++i) same = same && *shapes[i] == inputs_[i];
      if (same) return absl::OkStatus();
    }
    return Rebuild(shapes);
  }
  const Shape& shape() const { return shape_; }  // of the result
  int rank() const { return rank_; }             // of the plan: 0 when there is one element at most
  int64_t size() const { return size_; }         // elements of the result
  int64_t dim(int d) const { return dims_[d]; }
  int64_t stride(int input, int d) const {
    return strides_[d][input];
  }  // 0 where the input repeats
  // Stride in the innermost dimension: 0 or 1.
  int64_t step(int input) const { return rank_ == 0 ? 1 : strides_[rank_ - 1][input]; }
  int64_t row() const { return rank_ == 0 ? size_ : dims_[rank_ - 1]; }

  // Calls body(offsets, out_offset, n) for the rows that make up elements [begin, end) of the
  // result; offsets in elements.
  template <class Body>
  void ForEachRow(int64_t begin, int64_t end, Body&& body) const {
    std::array<int64_t, kInputs> offsets{};
    std::array<int64_t, kMaxRank> index{};
    int64_t rest = begin;
    for (int d = rank_ - 1; d >= 0; --d) {
      index[d] = rest % dims_[d];
      rest /= dims_[d];
      for (int i = 0; i < kInputs; ++i) offsets[i] += index[d] * strides_[d][i];
    }
    const int inner = rank_ - 1;
    while (begin < end) {
      const int64_t left = inner < 0 ? end - begin : dims_[inner] - index[inner];
      const int64_t n = left < end - begin ? left : end - begin;
      body(offsets, begin, n);
      begin += n;
      if (inner < 0) break;
      for (int i = 0; i < kInputs; ++i) offsets[i] -= index[inner] * strides_[inner][i];
      index[inner] = 0;
      for (int d = inner - 1; d >= 0; --d) {
        for (int i = 0; i < kInputs; ++i) offsets[i] += strides_[d][i];
        if (++index[d] < dims_[d]) break;
        for (int i = 0; i < kInputs; ++i) offsets[i] -= dims_[d] * strides_[d][i];
        index[d] = 0;
      }
    }
  }

 private:
  Status Rebuild(const std::array<const Shape*, kInputs>& shapes);

  std::array<Shape, kInputs> inputs_;
  Shape shape_;
  std::array<int64_t, kMaxRank> dims_{};
  std::array<std::array<int64_t, kInputs>, kMaxRank> strides_{};
  int64_t size_ = 0;
  int rank_ = 0;
  bool prepared_ = false;
};
extern template class BroadcastPlan<2>;
extern template class BroadcastPlan<3>;

class BinaryFunction {
 public:
  BinaryFunction() = default;
  BinaryFunction(BinaryRow row, DType in, DType out, double ns_per_item);
  bool valid() const { return row_ != nullptr; }
  // Inputs of one shape.
  Status RunSame(const void* a, const void* b, void* out, int64_t n, WorkerPool& workers) const {
    return RunSteps(a, 1, b, 1, out, n, workers);
  }
  // Each input steps by 1, or is a scalar and steps by 0.
  Status RunSteps(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out,
                  int64_t n, WorkerPool& workers) const {
    if (n <= kInline && in_ == UnaryFunction::kPlain) [[likely]] {
      const uint32_t error = row_(a, a_step, b, b_step, out, n);
      return error == kRowOk ? absl::OkStatus() : RowErrorStatus(error);
    }
    return RunLong(a, a_step, b, b_step, out, n, workers);
  }
  Status Run(const BroadcastPlan<2>& plan, const void* a, const void* b, void* out,
             WorkerPool& workers) const;

 private:
  static constexpr int64_t kInline = UnaryFunction::kInline;
  Status RunLong(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out, int64_t n,
                 WorkerPool& workers) const;
  uint32_t Row(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out,
               int64_t n) const {
    return in_ == UnaryFunction::kPlain ? row_(a, a_step, b, b_step, out, n)
                                        : RowWidened(a, a_step, b, b_step, out, n);
  }
  uint32_t RowWidened(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out,
                      int64_t n) const;

  BinaryRow row_ = nullptr;
  UnaryFunction::Width in_ = UnaryFunction::kPlain, out_ = UnaryFunction::kPlain;
  uint8_t in_size_ = 0, out_size_ = 0;
  float ns_per_item_ = 1;
};

// Between 16-bit floats and float32.
void WidenToFloat(const void* x, DType type, float* y, int64_t n);
void NarrowFromFloat(const float* x, DType type, void* y, int64_t n);

}  // namespace headrace
