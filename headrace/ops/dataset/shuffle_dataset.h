// ShuffleDataset as a repeat sees it that draws from one buffer across epochs.
#pragma once

#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {

struct ShuffleSeeds {
  int64_t seed = 0, seed2 = 0;
};

class ShuffleDataset final : public UnaryDataset {
 public:
  enum class EachEpoch : uint8_t { kSameSeeds, kNewSeeds };
  // `epochs`: of the input, -1 for no end.
  ShuffleDataset(DatasetPtr input, int64_t buffer_size, ShuffleSeeds seeds, EachEpoch each_epoch,
                 int64_t epochs)
      : UnaryDataset(std::move(input)),
        buffer_size_(buffer_size),
        seeds_(seeds),
        each_epoch_(each_epoch),
        epochs_(epochs) {}
  std::string_view name() const override { return epochs_ == 1 ? "Shuffle" : "ShuffleAndRepeat"; }
  int64_t Cardinality() const override;
  int64_t buffer_size() const { return buffer_size_; }
  int64_t epochs() const { return epochs_; }

  // As ShuffleAndRepeatDataset has it; null if its order is the same in each epoch, which such a one cannot do.
  DatasetPtr Repeated(int64_t epochs) const;

 private:
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override;

  const int64_t buffer_size_;
  const ShuffleSeeds seeds_;
  const EachEpoch each_epoch_;
  const int64_t epochs_;
};

}  // namespace headrace
