#include <algorithm>
#include <atomic>
#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/stream.h"
#include "headrace/ops/math/elementwise.h"

namespace headrace {
namespace {

constexpr int64_t kBlock = 512;  // elements widened at a time
// Costlier functions leave memory the time to write as usual, and blocks would only keep it from
// reading ahead.
constexpr float kStreamedNs = 0.25f;

const std::byte* At(const void* p, int64_t i, int64_t size) {
  return static_cast<const std::byte*>(p) + i * size;
}
std::byte* At(void* p, int64_t i, int64_t size) {
  return static_cast<std::byte*>(p) + i * size;
}

template <class T>
void Widen(const void* x, float* y, int64_t n) {
  const T* in = static_cast<const T*>(x);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(in[i]);
}
template <class T>
void Narrow(const float* x, void* y, int64_t n) {
  T* out = static_cast<T*>(y);
  for (int64_t i = 0; i < n; ++i) out[i] = T(x[i]);
}

}  // namespace

void WidenToFloat(const void* x, DType type, float* y, int64_t n) {
  type == DType::kFloat16 ? Widen<Half>(x, y, n) : Widen<BFloat16>(x, y, n);
}

void NarrowFromFloat(const float* x, DType type, void* y, int64_t n) {
  type == DType::kFloat16 ? Narrow<Half>(x, y, n) : Narrow<BFloat16>(x, y, n);
}

Status RowErrorStatus(uint32_t bits) {
  if (bits & kZeroDivisor) return InvalidArgument("Integer division by zero");
  return InvalidArgument("Integers to negative integer powers are not allowed");
}

UnaryFunction::Width UnaryFunction::WidthOf(DType type) {
  return type == DType::kFloat16 ? kHalf : type == DType::kBFloat16 ? kBFloat : kPlain;
}

UnaryFunction::UnaryFunction(UnaryRow row, DType in, DType out, double ns_per_item)
    : row_(row),
      in_(WidthOf(in)),
      out_(WidthOf(out)),
      in_size_(static_cast<uint8_t>(SizeOf(in))),
      out_size_(static_cast<uint8_t>(SizeOf(out))),
      ns_per_item_(static_cast<float>(ns_per_item)) {}

void UnaryFunction::RunLong(const void* x, void* y, int64_t n, WorkerPool& workers) const {
  const bool stream = in_ == kPlain && out_ == kPlain && x != y && ns_per_item_ <= kStreamedNs &&
                      WorthStreaming(n * out_size_);
  workers.ParallelFor(n, ns_per_item_, [&](int64_t begin, int64_t end) {
    if (stream) {
      const auto body = [&](int64_t first, int64_t count, void* to) {
        row_(At(x, first, in_size_), to, count);
      };
      return StreamInBlocks(y, out_size_, begin, end, {{x, in_size_}}, body);
    }
    const void* from = At(x, begin, in_size_);
    void* to = At(y, begin, out_size_);
    in_ == kPlain&& out_ == kPlain ? row_(from, to, end - begin)
                                   : RunWidened(from, to, end - begin);
  });
}

void UnaryFunction::RunWidened(const void* x, void* y, int64_t n) const {
  alignas(64) float wide[kBlock];
  const DType in = in_ == kHalf ? DType::kFloat16 : DType::kBFloat16;
  const DType out = out_ == kHalf ? DType::kFloat16 : DType::kBFloat16;
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    WidenToFloat(At(x, i, in_size_), in, wide, count);
    if (out_ == kPlain) {
      row_(wide, At(y, i, out_size_), count);
    } else {
      row_(wide, wide, count);
      NarrowFromFloat(wide, out, At(y, i, out_size_), count);
    }
  }
}

template <int kInputs>
Status BroadcastPlan<kInputs>::Rebuild(const std::array<const Shape*, kInputs>& shapes) {
  prepared_ = false;
  Shape joined = *shapes[0];
  for (int i = 1; i < kInputs; ++i) {
    HR_ASSIGN_OR_RETURN(joined, BroadcastShapes(joined, *shapes[i]));
  }
  shape_ = joined;
  size_ = joined.num_elements();
  // From the innermost dimension outwards; dimensions of 1 are dropped, and a dimension joins the
  // one inside it when every input walks through both in one stride.
  std::array<int64_t, kInputs> next{};
  next.fill(1);
  std::array<int64_t, kMaxRank> dims{};
  std::array<std::array<int64_t, kInputs>, kMaxRank> strides{};
  int rank = 0;
  for (int d = joined.rank() - 1; d >= 0; --d) {
    const int64_t size = joined[d];
    std::array<int64_t, kInputs> stride{};
    for (int i = 0; i < kInputs; ++i) {
      const int own = d - (joined.rank() - shapes[i]->rank());
      const int64_t own_size = own < 0 ? 1 : (*shapes[i])[own];
      stride[i] = own_size == 1 ? 0 : next[i];
      next[i] *= own_size;
    }
    if (size == 1) continue;
    bool joins = rank > 0;
    for (int i = 0; joins && i < kInputs; ++i)
      joins = stride[i] == strides[rank - 1][i] * dims[rank - 1];
    if (joins) {
      dims[rank - 1] *= size;
    } else {
      dims[rank] = size;
      strides[rank++] = stride;
    }
  }
  rank_ = size_ == 0 ? 0 : rank;
  std::reverse_copy(dims.begin(), dims.begin() + rank, dims_.begin());
  std::reverse_copy(strides.begin(), strides.begin() + rank, strides_.begin());
  for (int i = 0; i < kInputs; ++i) inputs_[i] = *shapes[i];
  prepared_ = true;
  return absl::OkStatus();
}

template class BroadcastPlan<2>;
template class BroadcastPlan<3>;

BinaryFunction::BinaryFunction(BinaryRow row, DType in, DType out, double ns_per_item)
    : row_(row),
      in_(UnaryFunction::WidthOf(in)),
      out_(UnaryFunction::WidthOf(out)),
      in_size_(static_cast<uint8_t>(SizeOf(in))),
      out_size_(static_cast<uint8_t>(SizeOf(out))),
      ns_per_item_(static_cast<float>(ns_per_item)) {}

uint32_t BinaryFunction::RowWidened(const void* a, int64_t a_step, const void* b, int64_t b_step,
                                    void* out, int64_t n) const {
  alignas(64) float wide_a[kBlock], wide_b[kBlock];
  const DType in = in_ == UnaryFunction::kHalf ? DType::kFloat16 : DType::kBFloat16;
  uint32_t error = kRowOk;
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    WidenToFloat(At(a, i * a_step, in_size_), in, wide_a, a_step == 0 ? 1 : count);
    WidenToFloat(At(b, i * b_step, in_size_), in, wide_b, b_step == 0 ? 1 : count);
    if (out_ == UnaryFunction::kPlain) {
      error |= row_(wide_a, a_step, wide_b, b_step, At(out, i, out_size_), count);
    } else {
      float* wide_out = a_step != 0 ? wide_a : wide_b;
      if (a_step == 0 && b_step == 0) wide_out = wide_a;
      error |= row_(wide_a, a_step, wide_b, b_step, wide_out, count);
      NarrowFromFloat(wide_out, in, At(out, i, out_size_), count);
    }
  }
  return error;
}

Status BinaryFunction::RunLong(const void* a, int64_t a_step, const void* b, int64_t b_step,
                               void* out, int64_t n, WorkerPool& workers) const {
  const bool stream = in_ == UnaryFunction::kPlain && out_ == UnaryFunction::kPlain && a != out &&
                      b != out && ns_per_item_ <= kStreamedNs && WorthStreaming(n * out_size_);
  const int64_t a_size = a_step * in_size_, b_size = b_step * in_size_;
  std::atomic<uint32_t> errors{kRowOk};
  workers.ParallelFor(n, ns_per_item_, [&](int64_t begin, int64_t end) {
    uint32_t error = kRowOk;
    const auto run = [&](int64_t first, int64_t count, void* to) {
      error |= Row(At(a, first, a_size), a_step, At(b, first, b_size), b_step, to, count);
    };
    if (stream) {
      StreamInBlocks(out, out_size_, begin, end, {{a, a_size}, {b, b_size}}, run);
    } else {
      run(begin, end - begin, At(out, begin, out_size_));
    }
    if (error != kRowOk) errors.fetch_or(error, std::memory_order_relaxed);
  });
  const uint32_t error = errors.load(std::memory_order_relaxed);
  return error == kRowOk ? absl::OkStatus() : RowErrorStatus(error);
}

namespace {

// A short row that repeats (a bias of 3 channels) is laid out several times over, so that rows
// become long.
constexpr int64_t kShortRow = 64, kRepeatedBytes = 4096;

}  // namespace

Status BinaryFunction::Run(const BroadcastPlan<2>& plan, const void* a, const void* b, void* out,
                           WorkerPool& workers) const {
  if (plan.rank() <= 1)
    return RunSteps(a, plan.step(0), b, plan.step(1), out, plan.size(), workers);
  const int64_t row = plan.row();
  // [outer, row] against [row]: the commonest broadcast after scalars.
  for (int repeated = 0; plan.rank() == 2 && row < kShortRow && repeated < 2; ++repeated) {
    if (plan.stride(repeated, 0) != 0 || plan.step(repeated) != 1 || plan.step(1 - repeated) != 1)
      continue;
    alignas(64) std::byte copies[kRepeatedBytes];
    const int64_t times = kRepeatedBytes / (row * in_size_);
    const void* source = repeated == 0 ? a : b;
    for (int64_t t = 0; t < times; ++t)
      std::memcpy(copies + t * row * in_size_, source, row * in_size_);
    std::atomic<uint32_t> errors{kRowOk};
    const auto body = [&](int64_t begin, int64_t end) {
      uint32_t error = kRowOk;
      for (int64_t r = begin; r < end; r += times) {
        const int64_t n = std::min(times, end - r) * row;
        const void* from = At(repeated == 0 ? b : a, r * row, in_size_);
        error |= Row(repeated == 0 ? copies : from, 1, repeated == 0 ? from : copies, 1,
                     At(out, r * row, out_size_), n);
      }
      if (error != kRowOk) errors.fetch_or(error, std::memory_order_relaxed);
    };
    workers.ParallelFor(plan.dim(0), ns_per_item_ * static_cast<double>(row), body);
    const uint32_t error = errors.load(std::memory_order_relaxed);
    return error == kRowOk ? absl::OkStatus() : RowErrorStatus(error);
  }
  std::atomic<uint32_t> errors{kRowOk};
  workers.ParallelFor(
      plan.size(), ns_per_item_ + 4.0 / static_cast<double>(row), [&](int64_t begin, int64_t end) {
        uint32_t error = kRowOk;
        plan.ForEachRow(
            begin, end, [&](const std::array<int64_t, 2>& offsets, int64_t to, int64_t n) {
              error |= Row(At(a, offsets[0], in_size_), plan.step(0), At(b, offsets[1], in_size_),
                           plan.step(1), At(out, to, out_size_), n);
            });
        if (error != kRowOk) errors.fetch_or(error, std::memory_order_relaxed);
      });
  const uint32_t error = errors.load(std::memory_order_relaxed);
  return error == kRowOk ? absl::OkStatus() : RowErrorStatus(error);
}

}  // namespace headrace
