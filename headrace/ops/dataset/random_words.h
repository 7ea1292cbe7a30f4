// Random 32-bit words of a dataset's seeds, one by one, whose place can be saved.
#pragma once

#include "headrace/ops/dataset/pipeline_state.h"
#include "headrace/ops/dataset/shuffle_dataset.h"
#include "headrace/ops/random/philox.h"

namespace headrace {

class RandomWords {
 public:
  explicit RandomWords(ShuffleSeeds seeds) : seeds_(seeds), words_(Generator()) {}
  uint32_t Next() {
    ++drawn_;
    return words_.Next();
  }
  void Save(StateWriter& state) const {
    state.Int(seeds_.seed);
    state.Int(seeds_.seed2);
    state.Int(drawn_);
  }
  Status Restore(StateReader& state) {
    HR_ASSIGN_OR_RETURN(seeds_.seed, state.Int());
    HR_ASSIGN_OR_RETURN(seeds_.seed2, state.Int());
    HR_ASSIGN_OR_RETURN(drawn_, state.IntIn(0, int64_t{1} << 62));
    Philox generator = Generator();
    generator.Skip(static_cast<uint64_t>(drawn_) / Philox::kWords);
    words_ = PhiloxWords(generator);
    for (int64_t i = 0; i < drawn_ % Philox::kWords; ++i) words_.Next();
    return absl::OkStatus();
  }

 private:
  Philox Generator() const {
    return Philox(static_cast<uint64_t>(seeds_.seed), static_cast<uint64_t>(seeds_.seed2));
  }

  ShuffleSeeds seeds_;
  int64_t drawn_ = 0;
  PhiloxWords words_;
};

}  // namespace headrace
