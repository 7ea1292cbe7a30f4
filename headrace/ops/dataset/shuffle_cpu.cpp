// ShuffleDataset, ShuffleAndRepeatDataset: for equal seeds the order that TensorFlow 1.15 gives.
#include <deque>
#include <random>

#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/random_words.h"
#include "headrace/ops/dataset/shuffle_dataset.h"

namespace headrace {
namespace {

// Seeds for one pass after the other.
struct SeedSequence {
  explicit SeedSequence(ShuffleSeeds seeds) : words(seeds) {}
  ShuffleSeeds Next() {
    std::lock_guard lock(mutex);
    const int64_t seed = words.Next();
    return {seed, words.Next()};
  }
  std::mutex mutex;
  RandomWords words;
};

// Keeps up to buffer_size elements and gives any of those that belong to the oldest epoch among them.
class ShuffleIterator final : public UnaryIterator<ShuffleDataset> {
 public:
  ShuffleIterator(std::shared_ptr<const ShuffleDataset> dataset, std::string place,
                  std::unique_ptr<Iterator> input, std::shared_ptr<SeedSequence> sequence,
                  ShuffleSeeds seeds)
      : UnaryIterator(std::move(dataset), std::move(place), std::move(input)),
        sequence_(std::move(sequence)),
        words_(seeds) {}

  StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
    while (input_ != nullptr && size_ < this->dataset().buffer_size())
      HR_RETURN_IF_ERROR(Fill(ctx));
    if (size_ == 0) return false;
    while (epochs_.front().begin == epochs_.front().end) epochs_.pop_front();
    Range& oldest = epochs_.front();
    const int64_t offset = words_.Next() % (oldest.end - oldest.begin);
    Element& chosen = Slot(oldest.begin + offset);
    element = std::move(chosen);
    std::swap(chosen, Slot(oldest.begin));
    ++oldest.begin;
    --size_;
    return true;
  }

  Status Save(StateWriter& state) const override {
    state.Begin("Shuffle");
    for (const RandomWords* words : {&words_, sequence_ == nullptr ? &words_ : &sequence_->words})
      words->Save(state);
    state.Int(epoch_);
    state.Int(input_ != nullptr);
    state.Int(static_cast<int64_t>(epochs_.size()));
    for (const Range& range : epochs_) {
      state.Int(range.begin);
      state.Int(range.end);
      for (int64_t i = range.begin; i < range.end; ++i) state.Values(buffer_[Place(i)]);
    }
    return input_ == nullptr ? absl::OkStatus() : input_->Save(state);
  }

  Status Restore(const IterationContext& ctx, StateReader& state) override {
    constexpr int64_t kMost = int64_t{1} << 62;
    HR_RETURN_IF_ERROR(state.Begin("Shuffle"));
    HR_RETURN_IF_ERROR(words_.Restore(state));
    HR_RETURN_IF_ERROR((sequence_ == nullptr ? words_ : sequence_->words).Restore(state));
    HR_ASSIGN_OR_RETURN(epoch_, state.IntIn(0, kMost));
    HR_ASSIGN_OR_RETURN(const int64_t goes_on, state.IntIn(0, 1));
    HR_ASSIGN_OR_RETURN(const int64_t ranges, state.IntIn(1, kMost));
    epochs_.clear();
    size_ = 0;
    for (int64_t r = 0; r < ranges; ++r) {
      HR_ASSIGN_OR_RETURN(const int64_t begin, state.IntIn(0, kMost));
      HR_ASSIGN_OR_RETURN(const int64_t end,
                          state.IntIn(begin, begin + this->dataset().buffer_size() - size_));
      epochs_.push_back({begin, end});
      for (int64_t i = begin; i < end; ++i) {
        HR_ASSIGN_OR_RETURN(Element kept, state.Values());
        Keep(i, std::move(kept));
      }
    }
    if (goes_on == 0) input_.reset();
    return input_ == nullptr ? absl::OkStatus() : input_->Restore(ctx, state);
  }

 private:
  // Of one epoch, counted from the first element of all.
  struct Range {
    int64_t begin = 0, end = 0;
  };

  // One more element, or the end of an epoch.
  Status Fill(const IterationContext& ctx) {
    HR_RETURN_IF_ERROR(ctx.CheckCancelled());
    Element element;
    HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
    if (more) {
      Keep(epochs_.back().end++, std::move(element));
      return absl::OkStatus();
    }
    // An input without elements would be repeated for ever.
    const bool is_empty = epoch_ == 0 && epochs_.back().end == 0;
    ++epoch_;
    if (epoch_ == this->dataset().epochs() || (is_empty && this->dataset().epochs() < 0)) {
      input_.reset();
      return absl::OkStatus();
    }
    epochs_.push_back({epochs_.back().end, epochs_.back().end});
    HR_ASSIGN_OR_RETURN(input_, this->dataset().input().Iterate(ctx, place()));
    return absl::OkStatus();
  }

  size_t Place(int64_t i) const { return static_cast<size_t>(i % this->dataset().buffer_size()); }
  Element& Slot(int64_t i) { return buffer_[Place(i)]; }
  // The buffer grows with what is kept: its stated size may be beyond all memory.
  void Keep(int64_t i, Element element) {
    if (Place(i) >= buffer_.size()) buffer_.resize(Place(i) + 1);
    Slot(i) = std::move(element);
    ++size_;
  }

  const std::shared_ptr<SeedSequence> sequence_;  // null: the same seeds in each pass
  RandomWords words_;
  std::deque<Element> buffer_;
  std::deque<Range> epochs_{Range{}};
  int64_t size_ = 0;
  int64_t epoch_ = 0;
};

ShuffleSeeds SystemSeeds() {
  std::random_device device;
  const auto draw = [&device] { return static_cast<int64_t>(uint64_t{device()} << 32 | device()); };
  const int64_t seed = draw();
  return {seed, draw()};
}

StatusOr<DatasetPtr> Shuffled(KernelContext& ctx, ShuffleDataset::EachEpoch each_epoch,
                              int64_t epochs) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const int64_t buffer_size, ScalarInput<int64_t>(ctx, 1, "buffer_size"));
  if (buffer_size <= 0) return InvalidArgument("buffer_size must be greater than zero.");
  ShuffleSeeds seeds;
  HR_ASSIGN_OR_RETURN(seeds.seed, ScalarInput<int64_t>(ctx, 2, "seed"));
  HR_ASSIGN_OR_RETURN(seeds.seed2, ScalarInput<int64_t>(ctx, 3, "seed2"));
  if (seeds.seed == 0 && seeds.seed2 == 0) seeds = SystemSeeds();
  return std::make_shared<ShuffleDataset>(std::move(input), buffer_size, seeds, each_epoch, epochs);
}

StatusOr<DatasetPtr> MakeShuffle(KernelContext& ctx) {
  const bool reshuffle = ctx.node().attrs().Get<bool>("reshuffle_each_iteration");
  using enum ShuffleDataset::EachEpoch;
  return Shuffled(ctx, reshuffle ? kNewSeeds : kSameSeeds, 1);
}

StatusOr<DatasetPtr> MakeShuffleAndRepeat(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const int64_t count, ScalarInput<int64_t>(ctx, 4, "count"));
  if (count < 1 && count != -1) {
    return InvalidArgument("count must be greater than zero or equal to -1.");
  }
  return Shuffled(ctx, ShuffleDataset::EachEpoch::kSameSeeds, count);
}

}  // namespace

int64_t ShuffleDataset::Cardinality() const {
  const int64_t count = input().Cardinality();
  if (count < 0 || epochs_ == 1) return count;
  return epochs_ < 0 ? (count == 0 ? 0 : kInfinite) : count * epochs_;
}

DatasetPtr ShuffleDataset::Repeated(int64_t epochs) const {
  if (each_epoch_ == EachEpoch::kSameSeeds || epochs_ != 1 || epochs == 0) return nullptr;
  return std::make_shared<ShuffleDataset>(
      std::static_pointer_cast<const Dataset>(input().shared_from_this()), buffer_size_, seeds_,
      EachEpoch::kSameSeeds, epochs < 0 ? -1 : epochs);
}

StatusOr<std::unique_ptr<Iterator>> ShuffleDataset::MakeIterator(const IterationContext& ctx,
                                                                 std::string place) const {
  HR_ASSIGN_OR_RETURN(std::unique_ptr<Iterator> input, this->input().Iterate(ctx, place));
  std::shared_ptr<SeedSequence> sequence;
  if (each_epoch_ == EachEpoch::kNewSeeds) {
    sequence = ctx.memory->FindOrMake<SeedSequence>(
        place, [this] { return std::make_shared<SeedSequence>(seeds_); });
  }
  const ShuffleSeeds seeds = sequence == nullptr ? seeds_ : sequence->Next();
  return std::make_unique<ShuffleIterator>(Self<ShuffleDataset>(), std::move(place),
                                           std::move(input), std::move(sequence), seeds);
}

StatusOr<std::unique_ptr<Kernel>> MakeShuffleDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeShuffle>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeShuffleAndRepeatDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeShuffleAndRepeat>(init);
}

}  // namespace headrace
