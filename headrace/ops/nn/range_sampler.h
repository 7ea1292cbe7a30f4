// Classes drawn from [0, range) by a distribution, with TensorFlow's arithmetic: equal random words
// give equal classes.
//
//   HR_ASSIGN_OR_RETURN(auto sampler, MakeLogUniformSampler(10000));
//   HR_ASSIGN_OR_RETURN(int64_t tries, SampleBatch(*sampler, words, /*unique=*/true, batch));
//   float expected = ExpectedCount(sampler->Probability(3), batch.size(), tries);
//
// Thread-compatible: Update is the only function that changes a sampler.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "headrace/base/status.h"
#include "headrace/ops/random/philox.h"

namespace headrace {

class RangeSampler {
 public:
  explicit RangeSampler(int64_t range) : range_(range) {}
  virtual ~RangeSampler() = default;
  int64_t range() const { return range_; }

  virtual int64_t Sample(PhiloxWords& words) const = 0;
  virtual float Probability(int64_t value) const = 0;
  // How many different classes can be drawn.
  virtual int64_t num_possible() const { return range_; }
  // Does the distribution follow what was seen? Then values must lie in [0, range), and Update
  // counts them.
  virtual bool learns() const { return false; }
  virtual void Update(std::span<const int64_t> values);

 private:
  int64_t range_;
};

std::unique_ptr<RangeSampler> MakeUniformSampler(int64_t range);
// Class k with probability log((k + 2) / (k + 1)) / log(range + 1): for classes in order of falling
// frequency.
std::unique_ptr<RangeSampler> MakeLogUniformSampler(int64_t range);
// By how often each class was seen, and once more.
std::unique_ptr<RangeSampler> MakeLearnedSampler(int64_t range);

// By given weights, each to the power `distortion`.
struct UnigramOptions {
  float distortion = 1;
  int64_t num_reserved_ids = 0;       // classes before the first weight, which are never drawn
  int64_t num_shards = 1, shard = 0;  // of the classes, only those with id % num_shards == shard
};
// Errors: InvalidArgument when the weights (with reserved ids) are not as many as `range`.
StatusOr<std::unique_ptr<RangeSampler>> MakeUnigramSampler(int64_t range,
                                                           std::span<const float> weights,
                                                           const UnigramOptions& o);
// Weights of a file: the last of the columns of each line, which commas separate.
StatusOr<std::unique_ptr<RangeSampler>> MakeUnigramSamplerFromFile(int64_t range,
                                                                   const std::string& path,
                                                                   const UnigramOptions& o);

// Fills `batch`; `unique`: with different classes, drawing again what came before. Gives the number
// of draws. Errors: InvalidArgument when there are not so many different classes.
StatusOr<int64_t> SampleBatch(const RangeSampler& sampler, PhiloxWords& words, bool unique,
                              std::span<int64_t> batch);
// How often a class of this probability is expected in a batch of `size` that took `tries` draws.
float ExpectedCount(float probability, int64_t size, int64_t tries);

}  // namespace headrace
