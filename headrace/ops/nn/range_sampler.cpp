#include "headrace/ops/nn/range_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/ops/random/uniform_below.h"

namespace headrace {
namespace {

double NextDouble(PhiloxWords& words) {
  const uint32_t first = words.Next();
  return UniformDouble(first, words.Next());
}

class UniformSampler final : public RangeSampler {
 public:
  explicit UniformSampler(int64_t range)
      : RangeSampler(range), probability_(static_cast<float>(1.0 / static_cast<double>(range))) {}
  int64_t Sample(PhiloxWords& words) const override {
    const auto next = [&] {
      const uint64_t low = words.Next();
      return low | uint64_t{words.Next()} << 32;
    };
    return static_cast<int64_t>(UniformBelow(static_cast<uint64_t>(range()), next));
  }
  float Probability(int64_t) const override { return probability_; }

 private:
  const float probability_;
};

class LogUniformSampler final : public RangeSampler {
 public:
  explicit LogUniformSampler(int64_t range)
      : RangeSampler(range), log_range_(std::log1p(static_cast<double>(range))) {}
  int64_t Sample(PhiloxWords& words) const override {
    const int64_t value = static_cast<int64_t>(std::exp(NextDouble(words) * log_range_)) - 1;
    return value % range();  // rounding may reach the range
  }
  float Probability(int64_t value) const override {
    const double k = static_cast<double>(value);
    return static_cast<float>(std::log((k + 2.0) / (k + 1.0)) / log_range_);
  }

 private:
  const double log_range_;
};

// A tree of sums over the weights: draws and changes of a weight take log(range) steps.
class LearnedSampler final : public RangeSampler {
 public:
  explicit LearnedSampler(int64_t range)
      : RangeSampler(range),
        leaves_(std::bit_ceil(static_cast<uint64_t>(range))),
        sums_(2 * leaves_) {
    for (uint64_t i = 0; i < static_cast<uint64_t>(range); ++i) sums_[leaves_ + i] = 1;
    for (uint64_t i = leaves_ - 1; i > 0; --i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
  }
  int64_t Sample(PhiloxWords& words) const override {
    int32_t place = static_cast<int32_t>(
        UniformBelow(static_cast<uint32_t>(sums_[1]), [&] { return words.Next(); }));
    uint64_t at = 1;
    while (at < leaves_) {
      at *= 2;
      if (place >= sums_[at]) place -= sums_[at++];
    }
    return static_cast<int64_t>(at - leaves_);
  }
  float Probability(int64_t value) const override {
    return static_cast<float>(sums_[leaves_ + static_cast<uint64_t>(value)]) /
           static_cast<float>(sums_[1]);
  }
  bool learns() const override { return true; }
  void Update(std::span<const int64_t> values) override {
    const int64_t room = std::numeric_limits<int32_t>::max() - sums_[1];
    const int64_t count = std::min(static_cast<int64_t>(values.size()), room);
    for (const int64_t value : values.first(static_cast<size_t>(count))) {
      for (uint64_t at = leaves_ + static_cast<uint64_t>(value); at > 0; at /= 2) ++sums_[at];
    }
  }

 private:
  const uint64_t leaves_;
  std::vector<int32_t> sums_;  // of the subtree below each node; the root is 1
};

// Walker's method of aliases: each class has a bucket, in which it has a share, and another class
// the rest. Source: Knuth, The Art of Computer Programming, vol. 2, 3.4.1.
class UnigramSampler final : public RangeSampler {
 public:
  UnigramSampler(std::vector<float> weights, float total)
      : RangeSampler(static_cast<int64_t>(weights.size())),
        weights_(std::move(weights)),
        total_(total),
        buckets_(weights_.size()) {
    FillBuckets();
  }
  int64_t Sample(PhiloxWords& words) const override {
    const float share = UniformFloat(words.Next());
    const size_t at =
        UniformBelow(static_cast<uint32_t>(buckets_.size()), [&] { return words.Next(); });
    return share < buckets_[at].share ? static_cast<int64_t>(at) : buckets_[at].other;
  }
  float Probability(int64_t value) const override {
    if (value < 0 || value >= range()) return 0;
    return weights_[static_cast<size_t>(value)] / total_;
  }
  int64_t num_possible() const override {
    return std::ranges::count_if(weights_, [](float weight) { return weight > 0; });
  }

 private:
  struct Bucket {
    float share = 1;
    int64_t other = -1;
  };

  void FillBuckets() {
    double sum = 0;
    for (const float weight : weights_) sum += weight;
    const float count = static_cast<float>(weights_.size());
    std::vector<double> left(weights_.size());  // of each class, in buckets
    std::vector<size_t> more, less;             // than one bucket
    for (size_t i = 0; i < weights_.size(); ++i) {
      left[i] = static_cast<double>(weights_[i] * count) / sum;
      (left[i] < 1.0 ? less : more).push_back(i);
    }
    while (!more.empty() && !less.empty()) {
      const size_t low = less.back(), high = more.back();
      less.pop_back();
      more.pop_back();
      buckets_[low].other = static_cast<int64_t>(high);
      left[high] -= 1.0 - left[low];
      (left[high] < 1.0 ? less : more).push_back(high);
    }
    for (size_t i = 0; i < weights_.size(); ++i) buckets_[i].share = static_cast<float>(left[i]);
    // What rounding left over is close to a whole bucket.
    for (const std::vector<size_t>* rest : {&more, &less}) {
      for (const size_t i : *rest) buckets_[i] = {1, static_cast<int64_t>(i)};
    }
  }

  const std::vector<float> weights_;
  const float total_;
  std::vector<Bucket> buckets_;
};

// Collects the weights of the classes of one shard.
class Weights {
 public:
  explicit Weights(const UnigramOptions& o) : o_(o) {
    for (int64_t id = 0; id < o.num_reserved_ids; ++id) {
      if (id % o.num_shards == o.shard) weights_.push_back(0);
    }
    next_id_ = static_cast<int64_t>(weights_.size());
  }
  void Add(float weight) {
    if (next_id_++ % o_.num_shards != o_.shard) return;
    weights_.push_back(std::pow(weight, o_.distortion));
    total_ += weights_.back();
  }
  bool WantsNext() const { return next_id_ % o_.num_shards == o_.shard; }
  StatusOr<std::unique_ptr<RangeSampler>> Build(int64_t range) {
    if (range != static_cast<int64_t>(weights_.size())) {
      return InvalidArgument("range is ", range, ", and must be equal to the number of weights ",
                             weights_.size());
    }
    if (!(total_ > 0) || !std::isfinite(total_))
      return InvalidArgument("the sum of the weights must be positive, got ", total_);
    return std::make_unique<UnigramSampler>(std::move(weights_), total_);
  }

 private:
  const UnigramOptions o_;
  std::vector<float> weights_;
  float total_ = 0;
  int64_t next_id_ = 0;
};

}  // namespace

void RangeSampler::Update(std::span<const int64_t>) {}

std::unique_ptr<RangeSampler> MakeUniformSampler(int64_t range) {
  return std::make_unique<UniformSampler>(range);
}
std::unique_ptr<RangeSampler> MakeLogUniformSampler(int64_t range) {
  return std::make_unique<LogUniformSampler>(range);
}
std::unique_ptr<RangeSampler> MakeLearnedSampler(int64_t range) {
  return std::make_unique<LearnedSampler>(range);
}

StatusOr<std::unique_ptr<RangeSampler>> MakeUnigramSampler(int64_t range,
                                                           std::span<const float> weights,
                                                           const UnigramOptions& o) {
  Weights kept(o);
  for (const float weight : weights) kept.Add(weight);
  return kept.Build(range);
}

StatusOr<std::unique_ptr<RangeSampler>> MakeUnigramSamplerFromFile(int64_t range,
                                                                   const std::string& path,
                                                                   const UnigramOptions& o) {
  HR_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  Weights kept(o);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    const absl::string_view column = line.substr(line.rfind(',') + 1);  // npos + 1 = 0
    float weight = 0;
    if (kept.WantsNext() && !absl::SimpleAtof(column, &weight)) {
      return InvalidArgument("Wrong vocabulary format at line: ", std::string(line), " of '", path,
                             "': the last column must be a number");
    }
    kept.Add(weight);
  }
  return kept.Build(range);
}

StatusOr<int64_t> SampleBatch(const RangeSampler& sampler, PhiloxWords& words, bool unique,
                              std::span<int64_t> batch) {
  const int64_t size = static_cast<int64_t>(batch.size());
  if (!unique) {
    for (int64_t& value : batch) value = sampler.Sample(words);
    return size;
  }
  if (size > sampler.num_possible()) {
    return InvalidArgument("Sampler's range is too small: ", size, " different classes of ",
                           sampler.num_possible());
  }
  std::unordered_set<int64_t> seen(batch.size());
  int64_t tries = 0;
  for (int64_t picked = 0; picked < size; ++tries) {
    if (tries == std::numeric_limits<int32_t>::max())
      return InvalidArgument(size, " different classes did not come in ", tries, " draws");
    const int64_t value = sampler.Sample(words);
    if (seen.insert(value).second) batch[static_cast<size_t>(picked++)] = value;
  }
  return tries;
}

float ExpectedCount(float probability, int64_t size, int64_t tries) {
  if (tries == size) return probability * static_cast<float>(size);
  // Close to 1 - (1 - p) ^ tries.
  return -std::expm1(static_cast<float>(tries) * std::log1p(-probability));
}

}  // namespace headrace
