// MNIST or Fashion-MNIST from its four IDX files, and batches of it in a random order that depends on a seed only.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "headrace/headrace.h"

namespace mnist {

struct Split {
  headrace::Tensor images;  // uint8 [N, 28, 28]
  headrace::Tensor labels;  // int64 [N]
  int64_t size() const { return labels.dim(0); }
};

struct Data {
  Split train, test;
};

// Errors: those of the files, and InvalidArgument when they do not belong together.
headrace::StatusOr<Data> Load(const std::string& folder);

// Rows as the models take them: float32 [n, 784] in [0, 1], and int64 [n].
headrace::Tensor Images(const Split& split, const int32_t* rows, int64_t count);
headrace::Tensor Labels(const Split& split, const int32_t* rows, int64_t count);

// Batch `step` of an endless run over the split: every epoch a new order. Thread-safe.
class Batches {
 public:
  Batches(const Split& split, int64_t batch, uint64_t seed) : split_(split), batch_(batch), seed_(seed) {}
  void Fill(int64_t step, std::vector<headrace::Tensor>& out);
  int64_t steps_per_epoch() const { return split_.size() / batch_; }

 private:
  std::vector<int32_t> Order(int64_t epoch);

  const Split& split_;
  const int64_t batch_;
  const uint64_t seed_;
  std::mutex mutex_;
  int64_t cached_epoch_ = -1;
  std::vector<int32_t> cached_order_;
};

}  // namespace mnist
