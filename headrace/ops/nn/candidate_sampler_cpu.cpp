#include <limits>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/nn/candidate_sampler_kernels.h"
#include "headrace/ops/nn/range_sampler.h"
#include "headrace/ops/random/generator.h"

namespace headrace {
namespace {

// A sampler that learns outlives the step; all plans and threads that run its node share it.
class LearnedClasses final : public Resource {
 public:
  explicit LearnedClasses(std::unique_ptr<RangeSampler> sampler) : sampler_(std::move(sampler)) {}
  std::string_view kind() const override { return "candidate sampler"; }

  // What is done with it is done by one thread at a time.
  template <class Body>
  Status With(Body body) {
    std::lock_guard lock(mutex_);
    return body(*sampler_);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<RangeSampler> sampler_;
};

Status CheckClasses(const Tensor& classes, int64_t num_true) {
  if (classes.rank() != 2)
    return InvalidArgument("true_classes must be a matrix, got shape ", classes.shape().ToString());
  if (classes.dim(1) != num_true) {
    return InvalidArgument("true_classes must have num_true columns, expected: ", num_true,
                           " was: ", classes.dim(1));
  }
  return absl::OkStatus();
}

class SamplerKernel final : public Kernel {
 public:
  // Either a sampler of its own, or one that learns.
  SamplerKernel(const KernelInit& init, std::shared_ptr<RandomGenerator> generator,
                std::unique_ptr<RangeSampler> own, std::shared_ptr<LearnedClasses> learned)
      : num_true_(init.Attr<int64_t>("num_true")),
        num_sampled_(init.Attr<int64_t>("num_sampled")),
        unique_(init.Attr<bool>("unique")),
        generator_(std::move(generator)),
        own_(std::move(own)),
        learned_(std::move(learned)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& classes = ctx.input(0);
    HR_RETURN_IF_ERROR(CheckClasses(classes, num_true_));
    HR_ASSIGN_OR_RETURN(Tensor * sampled, ctx.Output(0, {num_sampled_}));
    HR_ASSIGN_OR_RETURN(Tensor * true_count, ctx.Output(1, classes.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * sampled_count, ctx.Output(2, {num_sampled_}));
    // Enough for most draws with rejection, and how far TensorFlow's ops advance.
    constexpr uint64_t kBlocksOfSample = 2048 / Philox::kWords;
    PhiloxWords words(generator_->Reserve(kBlocksOfSample * static_cast<uint64_t>(num_sampled_)));
    const auto draw = [&](RangeSampler& sampler) -> Status {
      HR_ASSIGN_OR_RETURN(const int64_t tries,
                          SampleBatch(sampler, words, unique_, sampled->flat<int64_t>()));
      const auto count = [&](const Tensor& of, Tensor& to) {
        for (int64_t i = 0; i < of.num_elements(); ++i)
          to.data<float>()[i] =
              ExpectedCount(sampler.Probability(of.data<int64_t>()[i]), num_sampled_, tries);
      };
      count(*sampled, *sampled_count);
      count(classes, *true_count);
      return absl::OkStatus();
    };
    if (learned_ == nullptr) return draw(*own_);
    return learned_->With([&](RangeSampler& sampler) -> Status {
      HR_RETURN_IF_ERROR(CheckInRange(classes, sampler.range()));
      HR_RETURN_IF_ERROR(draw(sampler));
      sampler.Update(
          std::span(classes.data<int64_t>(), static_cast<size_t>(classes.num_elements())));
      return absl::OkStatus();
    });
  }

 private:
  static Status CheckInRange(const Tensor& classes, int64_t range) {
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      const int64_t value = classes.data<int64_t>()[i];
      if (value < 0 || value >= range)
        return InvalidArgument("true_classes must be in [0, ", range, "), got ", value);
    }
    return absl::OkStatus();
  }

  const int64_t num_true_, num_sampled_;
  const bool unique_;
  const std::shared_ptr<RandomGenerator> generator_;
  const std::unique_ptr<RangeSampler> own_;
  const std::shared_ptr<LearnedClasses> learned_;
};

StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init, std::unique_ptr<RangeSampler> own) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<RandomGenerator> generator, RandomGenerator::Of(init));
  return std::make_unique<SamplerKernel>(init, std::move(generator), std::move(own), nullptr);
}

class AllKernel final : public Kernel {
 public:
  AllKernel(int64_t num_true, int64_t num_sampled)
      : num_true_(num_true), num_sampled_(num_sampled) {}
  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(CheckClasses(ctx.input(0), num_true_));
    HR_ASSIGN_OR_RETURN(Tensor * sampled, ctx.Output(0, {num_sampled_}));
    std::iota(sampled->data<int64_t>(), sampled->data<int64_t>() + num_sampled_, int64_t{0});
    for (int i : {1, 2}) {
      HR_ASSIGN_OR_RETURN(Tensor * count,
                          ctx.Output(i, i == 1 ? ctx.input(0).shape() : Shape{num_sampled_}));
      std::fill_n(count->data<float>(), count->num_elements(), 1.0f);
    }
    return absl::OkStatus();
  }

 private:
  const int64_t num_true_, num_sampled_;
};

class HitsKernel final : public Kernel {
 public:
  explicit HitsKernel(int64_t num_true) : num_true_(num_true) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor &classes = ctx.input(0), &sampled = ctx.input(1);
    HR_RETURN_IF_ERROR(CheckClasses(classes, num_true_));
    if (sampled.rank() != 1) {
      return InvalidArgument("sampled_candidates must be a vector, got shape ",
                             sampled.shape().ToString());
    }
    std::unordered_map<int64_t, int64_t> places;  // the last one of each class
    for (int64_t i = 0; i < sampled.num_elements(); ++i) places[sampled.data<int64_t>()[i]] = i;
    rows_.clear();
    ids_.clear();
    for (int64_t i = 0; i < classes.num_elements(); ++i) {
      const auto hit = places.find(classes.data<int64_t>()[i]);
      if (hit == places.end()) continue;
      rows_.push_back(static_cast<int32_t>(i / num_true_));
      ids_.push_back(hit->second);
    }
    const Shape shape{static_cast<int64_t>(rows_.size())};
    HR_ASSIGN_OR_RETURN(Tensor * indices, ctx.Output(0, shape));
    HR_ASSIGN_OR_RETURN(Tensor * ids, ctx.Output(1, shape));
    HR_ASSIGN_OR_RETURN(Tensor * weights, ctx.Output(2, shape));
    std::copy(rows_.begin(), rows_.end(), indices->data<int32_t>());
    std::copy(ids_.begin(), ids_.end(), ids->data<int64_t>());
    std::fill_n(weights->data<float>(), shape[0], std::numeric_limits<float>::lowest());
    return absl::OkStatus();
  }

 private:
  const int64_t num_true_;
  std::vector<int32_t> rows_;
  std::vector<int64_t> ids_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeUniformCandidateSamplerCpu(const KernelInit& init) {
  return Make(init, MakeUniformSampler(init.Attr<int64_t>("range_max")));
}
StatusOr<std::unique_ptr<Kernel>> MakeLogUniformCandidateSamplerCpu(const KernelInit& init) {
  return Make(init, MakeLogUniformSampler(init.Attr<int64_t>("range_max")));
}
StatusOr<std::unique_ptr<Kernel>> MakeLearnedUnigramCandidateSamplerCpu(const KernelInit& init) {
  const int64_t range = init.Attr<int64_t>("range_max");
  if (range >= std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("range_max must be less than ", std::numeric_limits<int32_t>::max(),
                           " for unigram samplers, got ", range);
  }
  HR_ASSIGN_OR_RETURN(std::shared_ptr<RandomGenerator> generator, RandomGenerator::Of(init));
  HR_ASSIGN_OR_RETURN(std::shared_ptr<LearnedClasses> learned,
                      init.resources().LookupOrCreate<LearnedClasses>(
                          "", StrCat("_sampler/", init.node().name()), [&] {
                            return std::make_shared<LearnedClasses>(MakeLearnedSampler(range));
                          }));
  return std::make_unique<SamplerKernel>(init, std::move(generator), nullptr, std::move(learned));
}
StatusOr<std::unique_ptr<Kernel>> MakeFixedUnigramCandidateSamplerCpu(const KernelInit& init) {
  const std::string& file = init.Attr<std::string>("vocab_file");
  const AttrValue::Floats& unigrams = init.Attr<AttrValue::Floats>("unigrams");
  if (file.empty() && unigrams.empty())
    return InvalidArgument("Must provide either vocab_file or unigrams.");
  if (!file.empty() && !unigrams.empty())
    return InvalidArgument("Must only provide one of vocab_file and unigrams.");
  const UnigramOptions o{.distortion = init.Attr<float>("distortion"),
                         .num_reserved_ids = init.Attr<int64_t>("num_reserved_ids"),
                         .num_shards = init.Attr<int64_t>("num_shards"),
                         .shard = init.Attr<int64_t>("shard")};
  const int64_t range = init.Attr<int64_t>("range_max");
  HR_ASSIGN_OR_RETURN(std::unique_ptr<RangeSampler> sampler,
                      file.empty() ? MakeUnigramSampler(range, unigrams, o)
                                   : MakeUnigramSamplerFromFile(range, file, o));
  return Make(init, std::move(sampler));
}
StatusOr<std::unique_ptr<Kernel>> MakeAllCandidateSamplerCpu(const KernelInit& init) {
  return std::make_unique<AllKernel>(init.Attr<int64_t>("num_true"),
                                     init.Attr<int64_t>("num_sampled"));
}
StatusOr<std::unique_ptr<Kernel>> MakeComputeAccidentalHitsCpu(const KernelInit& init) {
  return std::make_unique<HitsKernel>(init.Attr<int64_t>("num_true"));
}

}  // namespace headrace
