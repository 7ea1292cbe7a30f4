#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/random/multinomial_draw.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

template <class T, class Index>
void Draw(const Tensor& logits, int64_t samples, PhiloxWords words, Tensor& out) {
  const int64_t classes = logits.dim(1);
  std::vector<double> cumulative(static_cast<size_t>(classes));
  for (int64_t row = 0; row < logits.dim(0); ++row) {
    const T* x = logits.data<T>() + row * classes;
    double most = -std::numeric_limits<double>::max();
    for (int64_t c = 0; c < classes; ++c) {
      if (std::isfinite(static_cast<double>(x[c])))
        most = std::max(most, static_cast<double>(x[c]));
    }
    double total = 0;
    for (int64_t c = 0; c < classes; ++c) {
      if (std::isfinite(static_cast<double>(x[c])))
        total += std::exp(static_cast<double>(x[c]) - most);
      cumulative[static_cast<size_t>(c)] = total;
    }
    Index* drawn = out.data<Index>() + row * samples;
    for (int64_t s = 0; s < samples; ++s) {
      const uint32_t high = words.Next(), low = words.Next();
      const double at = UniformDouble(high, low) * total;
      drawn[s] = static_cast<Index>(std::ranges::upper_bound(cumulative, at) - cumulative.begin());
    }
  }
}

}  // namespace

StatusOr<int64_t> CheckMultinomial(const Tensor& logits, const Tensor& num_samples) {
  if (logits.rank() != 2)
    return InvalidArgument("logits should be a matrix, got shape ", logits.shape().ToString());
  if (num_samples.rank() != 0) {
    return InvalidArgument("num_samples should be a scalar, got shape ",
                           num_samples.shape().ToString());
  }
  const int64_t samples = num_samples.scalar<int32_t>();
  if (samples < 0) return InvalidArgument("num_samples should be nonnegative, got ", samples);
  if (logits.dim(0) > 0 && logits.dim(1) <= 0)
    return InvalidArgument("num_classes should be positive, got ", logits.dim(1));
  return samples;
}

void DrawMultinomial(const Tensor& logits, int64_t samples, const Philox& generator, Tensor& out) {
  constexpr DTypeSet kLogits{DType::kFloat16, DType::kFloat32, DType::kFloat64};
  DispatchDType<kLogits>(logits.dtype(), [&]<class T>() {
    if (out.dtype() == DType::kInt32) {
      Draw<T, int32_t>(logits, samples, PhiloxWords(generator), out);
    } else {
      Draw<T, int64_t>(logits, samples, PhiloxWords(generator), out);
    }
  });
}

}  // namespace headrace
