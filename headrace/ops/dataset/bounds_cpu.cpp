// TakeDataset, SkipDataset, ShardDataset, RepeatDataset.
#include <algorithm>

#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/shuffle_dataset.h"

namespace headrace {
namespace {

constexpr int64_t kMostCount = int64_t{1} << 62;

// The first `count` elements; all if that is negative.
class TakeDataset final : public UnaryDataset {
 public:
  TakeDataset(DatasetPtr input, int64_t count) : UnaryDataset(std::move(input)), count_(count) {}
  std::string_view name() const override { return "Take"; }
  int64_t Cardinality() const override {
    const int64_t count = input().Cardinality();
    if (count_ < 0 || count == kUnknownCount) return count;
    return count == kInfinite ? count_ : std::min(count, count_);
  }

 private:
  class Position final : public UnaryIterator<TakeDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (dataset().count_ >= 0 && taken_ == dataset().count_) return false;
      HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
      taken_ += more;
      return more;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Take");
      state.Int(taken_);
      return input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Take"));
      HR_ASSIGN_OR_RETURN(taken_,
                          state.IntIn(0, dataset().count_ < 0 ? kMostCount : dataset().count_));
      return input_->Restore(ctx, state);
    }

   private:
    int64_t taken_ = 0;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, TakeDataset>(ctx, std::move(place));
  }

  const int64_t count_;
};

// Every `step`-th element from number `first` on: skip (step 1) and shard.
class EveryDataset final : public UnaryDataset {
 public:
  EveryDataset(std::string_view name, DatasetPtr input, int64_t first, int64_t step,
               bool require_non_empty = false)
      : UnaryDataset(std::move(input)),
        name_(name),
        first_(first),
        step_(step),
        require_non_empty_(require_non_empty) {}
  std::string_view name() const override { return name_; }
  int64_t Cardinality() const override {
    const int64_t count = input().Cardinality();
    return count < 0 ? count : (std::max(count - first_, int64_t{0}) + step_ - 1) / step_;
  }

 private:
  class Position final : public UnaryIterator<EveryDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      while (seen_ < next_) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        HR_ASSIGN_OR_RETURN(const bool more, Pull(ctx, element));
        if (!more) return false;
      }
      HR_ASSIGN_OR_RETURN(const bool more, Pull(ctx, element));
      if (more) next_ += dataset().step_;
      if (more && next_ - dataset().step_ == dataset().first_) HR_RETURN_IF_ERROR(CheckOthers(ctx));
      return more;
    }
    Status Save(StateWriter& state) const override {
      state.Begin(dataset().name_);
      state.Int(seen_);
      state.Int(next_);
      state.Int(static_cast<int64_t>(ahead_.size()));
      for (const Element& element : ahead_) state.Values(element);
      return input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin(dataset().name_));
      HR_ASSIGN_OR_RETURN(seen_, state.IntIn(0, kMostCount));
      HR_ASSIGN_OR_RETURN(next_, state.IntIn(0, kMostCount));
      HR_ASSIGN_OR_RETURN(const int64_t ahead, state.IntIn(0, dataset().step_));
      ahead_.clear();
      for (int64_t i = 0; i < ahead; ++i) {
        HR_ASSIGN_OR_RETURN(Element element, state.Values());
        ahead_.push_back(std::move(element));
      }
      return input_->Restore(ctx, state);
    }

   private:
    StatusOr<bool> Pull(const IterationContext& ctx, Element& element) {
      if (!ahead_.empty()) {
        element = std::move(ahead_.front());
        ahead_.erase(ahead_.begin());
        ++seen_;
        return true;
      }
      HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
      seen_ += more;
      return more;
    }
    // The other shards must have a first element, too.
    Status CheckOthers(const IterationContext& ctx) {
      if (!dataset().require_non_empty_) return absl::OkStatus();
      while (seen_ + static_cast<int64_t>(ahead_.size()) < dataset().step_) {
        Element element;
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
        if (!more) {
          return InvalidArgument(
              "There aren't enough elements in this dataset for each shard to have at least ",
              "one element (# elems = ", seen_ + static_cast<int64_t>(ahead_.size()),
              ", # shards = ", dataset().step_, ").");
        }
        ahead_.push_back(std::move(element));
      }
      return absl::OkStatus();
    }

    int64_t seen_ = 0;
    int64_t next_ = dataset().first_;
    std::vector<Element> ahead_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, EveryDataset>(ctx, std::move(place));
  }

  const std::string_view name_;
  const int64_t first_, step_;
  const bool require_non_empty_;
};

// The input `count` times; without end if that is negative.
class RepeatDataset final : public UnaryDataset {
 public:
  RepeatDataset(DatasetPtr input, int64_t count) : UnaryDataset(std::move(input)), count_(count) {}
  std::string_view name() const override { return "Repeat"; }
  int64_t Cardinality() const override {
    const int64_t count = input().Cardinality();
    if (count_ == 0 || count == 0) return 0;
    if (count_ < 0) return count == kUnknownCount ? count : kInfinite;
    return count < 0 ? count : count * count_;
  }

 private:
  class Position final : public UnaryIterator<RepeatDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      while (dataset().count_ < 0 || epoch_ < dataset().count_) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
        if (more) {
          epoch_is_empty_ = false;
          return true;
        }
        if (epoch_is_empty_ && dataset().count_ < 0) return false;  // nothing without end
        ++epoch_;
        epoch_is_empty_ = true;
        HR_ASSIGN_OR_RETURN(input_, dataset().input().Iterate(ctx, place()));
      }
      return false;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Repeat");
      state.Int(epoch_);
      state.Int(epoch_is_empty_);
      return input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Repeat"));
      HR_ASSIGN_OR_RETURN(epoch_, state.IntIn(0, kMostCount));
      HR_ASSIGN_OR_RETURN(const int64_t is_empty, state.IntIn(0, 1));
      epoch_is_empty_ = is_empty != 0;
      return input_->Restore(ctx, state);
    }

   private:
    int64_t epoch_ = 0;
    bool epoch_is_empty_ = true;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    const auto* shuffle = dynamic_cast<const ShuffleDataset*>(&input());
    if (ctx.fuse_shuffle_and_repeat && shuffle != nullptr) {
      if (const DatasetPtr fused = shuffle->Repeated(count_); fused != nullptr)
        return fused->Iterate(ctx, place);
    }
    return OverInput<Position, RepeatDataset>(ctx, std::move(place));
  }

  const int64_t count_;
};

StatusOr<DatasetPtr> MakeTake(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const int64_t count, ScalarInput<int64_t>(ctx, 1, "count"));
  return std::make_shared<TakeDataset>(std::move(input), count);
}

StatusOr<DatasetPtr> MakeSkip(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const int64_t count, ScalarInput<int64_t>(ctx, 1, "count"));
  if (count < 0) return std::make_shared<TakeDataset>(std::move(input), 0);  // all are skipped
  return std::make_shared<EveryDataset>("Skip", std::move(input), count, 1);
}

StatusOr<DatasetPtr> MakeShard(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const int64_t shards, ScalarInput<int64_t>(ctx, 1, "num_shards"));
  HR_ASSIGN_OR_RETURN(const int64_t index, ScalarInput<int64_t>(ctx, 2, "index"));
  if (shards < 1) {
    return InvalidArgument(
        "Number of shards must be greater than zero (currently num_shards = ", shards, ").");
  }
  if (index < 0 || index >= shards) {
    return InvalidArgument("Index must be between 0 and ", shards - 1,
                           " (currently index = ", index, ", num_shards = ", shards, ").");
  }
  return std::make_shared<EveryDataset>("Shard", std::move(input), index, shards,
                                        ctx.node().attrs().Get<bool>("require_non_empty"));
}

StatusOr<DatasetPtr> MakeRepeat(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const int64_t count, ScalarInput<int64_t>(ctx, 1, "count"));
  return std::make_shared<RepeatDataset>(std::move(input), count);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeTakeDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeTake>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSkipDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeSkip>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeShardDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeShard>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRepeatDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeRepeat>(init);
}

}  // namespace headrace
