#include <algorithm>
#include <cstring>
#include <numeric>

#include "headrace/ops/random/generator.h"
#include "headrace/ops/random/multinomial_draw.h"
#include "headrace/ops/random/random_kernels.h"

namespace headrace {
namespace {

// A uniform number of [0, n) swaps each place with a later one (Fisher and Yates).
template <class Swap>
void Shuffle(int64_t size, PhiloxWords words, Swap swap) {
  for (int64_t i = 0; i + 1 < size; ++i)
    swap(i, i + words.Next() % static_cast<uint32_t>(size - i));
}

// Copies row order[i] of `in` to row i of `out`.
template <class T>
void CopyRows(const Tensor& in, std::span<const int64_t> order, Tensor& out) {
  const int64_t width = in.num_elements() / in.dim(0);
  const T* from = static_cast<const T*>(in.raw_data());
  T* to = static_cast<T*>(out.raw_data());
  for (size_t i = 0; i < order.size(); ++i)
    std::copy_n(from + order[i] * width, width, to + i * width);
}

void CopyPlainRows(const Tensor& in, std::span<const int64_t> order, Tensor& out) {
  const size_t bytes = in.size_bytes() / static_cast<size_t>(in.dim(0));
  const char* from = static_cast<const char*>(in.raw_data());
  char* to = static_cast<char*>(out.raw_data());
  for (size_t i = 0; i < order.size(); ++i)
    std::memcpy(to + i * bytes, from + order[i] * bytes, bytes);
}

class ShuffleKernel final : public Kernel {
 public:
  explicit ShuffleKernel(std::shared_ptr<RandomGenerator> generator)
      : generator_(std::move(generator)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
    const int64_t rows = in.rank() == 0 ? 1 : in.dim(0);
    if (in.num_elements() == 0) return absl::OkStatus();
    if (rows <= 1 || in.num_elements() <= 1) {
      out->CopyElementsFrom(in);
      return absl::OkStatus();
    }
    order_.resize(rows);
    std::iota(order_.begin(), order_.end(), int64_t{0});
    Shuffle(rows,
            PhiloxWords(generator_->Reserve((rows - 1 + Philox::kWords - 1) / Philox::kWords)),
            [&](int64_t a, int64_t b) { std::swap(order_[a], order_[b]); });
    if (in.dtype() == DType::kString) {
      CopyRows<std::string>(in, order_, *out);
    } else if (in.dtype() == DType::kResource) {
      CopyRows<ResourceHandle>(in, order_, *out);
    } else if (IsPlain(in.dtype())) {
      CopyPlainRows(in, order_, *out);
    } else {
      return Unimplemented("RandomShuffle of dtype ", DTypeName(in.dtype()));
    }
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<RandomGenerator> generator_;
  std::vector<int64_t> order_;
};

class MultinomialKernel final : public Kernel {
 public:
  explicit MultinomialKernel(std::shared_ptr<RandomGenerator> generator)
      : generator_(std::move(generator)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& logits = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const int64_t samples, CheckMultinomial(logits, ctx.input(1)));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {logits.dim(0), samples}));
    if (out->num_elements() == 0) return absl::OkStatus();
    // What TensorFlow reserves: samples rounded up to whole blocks, two words a number, 256 blocks
    // each.
    const int64_t reserved = logits.dim(0) * ((samples + 3) / 4 * 4) * 2;
    DrawMultinomial(logits, samples, generator_->ReserveForOutputs(reserved), *out);
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<RandomGenerator> generator_;
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<RandomGenerator> generator, RandomGenerator::Of(init));
  return std::make_unique<K>(std::move(generator));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRandomShuffleCpu(const KernelInit& init) {
  return Make<ShuffleKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMultinomialCpu(const KernelInit& init) {
  return Make<MultinomialKernel>(init);
}

}  // namespace headrace
