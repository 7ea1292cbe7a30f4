// RandomDataset, SamplingDataset.
#include <random>

#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/random_words.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

// Numbers of 32 random bits without end.
class RandomDataset final : public Dataset {
 public:
  explicit RandomDataset(ShuffleSeeds seeds) : Dataset({DType::kInt64}, {Shape()}), seeds_(seeds) {}
  std::string_view name() const override { return "Random"; }
  int64_t Cardinality() const override { return kInfinite; }

 private:
  class Position final : public IteratorOf<RandomDataset> {
   public:
    Position(std::shared_ptr<const RandomDataset> dataset, std::string place)
        : IteratorOf(std::move(dataset), std::move(place)), words_(this->dataset().seeds_) {}
    StatusOr<bool> Next(const IterationContext&, Element& element) override {
      element = {Tensor::Scalar(int64_t{words_.Next()})};
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Random");
      words_.Save(state);
      return absl::OkStatus();
    }
    Status Restore(const IterationContext&, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Random"));
      return words_.Restore(state);
    }

   private:
    RandomWords words_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext&,
                                                   std::string place) const override {
    return std::make_unique<Position>(
        std::static_pointer_cast<const RandomDataset>(shared_from_this()), std::move(place));
  }

  const ShuffleSeeds seeds_;
};

// Each element with probability `rate`.
class SamplingDataset final : public UnaryDataset {
 public:
  SamplingDataset(DatasetPtr input, float rate, ShuffleSeeds seeds)
      : UnaryDataset(std::move(input)), rate_(rate), seeds_(seeds) {}
  std::string_view name() const override { return "Sampling"; }

 private:
  class Position final : public UnaryIterator<SamplingDataset> {
   public:
    Position(std::shared_ptr<const SamplingDataset> dataset, std::string place,
             std::unique_ptr<Iterator> input)
        : UnaryIterator(std::move(dataset), std::move(place), std::move(input)),
          words_(this->dataset().seeds_) {}
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      for (;;) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
        if (!more || UniformFloat(words_.Next()) < dataset().rate_) return more;
      }
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Sampling");
      words_.Save(state);
      return input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Sampling"));
      HR_RETURN_IF_ERROR(words_.Restore(state));
      return input_->Restore(ctx, state);
    }

   private:
    RandomWords words_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, SamplingDataset>(ctx, std::move(place));
  }

  const float rate_;
  const ShuffleSeeds seeds_;
};

StatusOr<ShuffleSeeds> Seeds(KernelContext& ctx, int first) {
  ShuffleSeeds seeds;
  HR_ASSIGN_OR_RETURN(seeds.seed, ScalarInput<int64_t>(ctx, first, "seed"));
  HR_ASSIGN_OR_RETURN(seeds.seed2, ScalarInput<int64_t>(ctx, first + 1, "seed2"));
  if (seeds.seed == 0 && seeds.seed2 == 0) {
    std::random_device device;
    seeds = {static_cast<int64_t>(device()), static_cast<int64_t>(device())};
  }
  return seeds;
}

StatusOr<DatasetPtr> MakeRandom(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const ShuffleSeeds seeds, Seeds(ctx, 0));
  return std::make_shared<RandomDataset>(seeds);
}

StatusOr<DatasetPtr> MakeSampling(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const float rate, ScalarInput<float>(ctx, 1, "rate"));
  HR_ASSIGN_OR_RETURN(const ShuffleSeeds seeds, Seeds(ctx, 2));
  return std::make_shared<SamplingDataset>(std::move(input), rate, seeds);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRandomDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeRandom>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSamplingDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeSampling>(init);
}

}  // namespace headrace
