// Batches of serialized tf.train.Examples as tensors.
//
//   HR_ASSIGN_OR_RETURN(ExampleParser parser, ExampleParser::Make({.dense = {{"x", DType::kFloat32,
//       PartialShape{2}, default_value}}}));
//   HR_ASSIGN_OR_RETURN(ParsedExamples parsed, parser.Parse(serialized, names, workers, allocator));
//
// Examples are parsed in parallel where they lie (io/example_wire.h); the error is that of the first
// one that is wrong. A parser may be used by several threads.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "headrace/base/worker_pool.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

struct SparseFeatureSpec {
  std::string key;
  DType type = DType::kInvalid;  // float32, int64 or string
};
// With a first dimension that is not known an example holds any number of rows; batches are padded.
struct DenseFeatureSpec {
  std::string key;
  DType type = DType::kInvalid;
  PartialShape shape;
  // For examples without the feature: of `shape`, or with no elements where it is required. Of a
  // feature of any number of rows: one element, which pads.
  Tensor default_value;
};
struct ExampleSpec {
  std::vector<SparseFeatureSpec> sparse;
  std::vector<DenseFeatureSpec> dense;
};

// In order of the spec.
struct ParsedExamples {
  std::vector<Tensor> indices, values, shapes;  // of sparse features
  std::vector<Tensor> dense;
};

// Finds keys in the order in which examples of one writer have them, without hashing.
class KeyIndex {
 public:
  static StatusOr<KeyIndex> Make(std::vector<std::string> keys);
  int size() const { return static_cast<int>(keys_.size()); }
  const std::string& key(int i) const { return keys_[static_cast<size_t>(i)]; }

  // Follows the features of one example after the other; one for each thread.
  class Cursor {
   public:
    explicit Cursor(const KeyIndex& index)
        : index_(index), next_(static_cast<size_t>(index.size()) + 1, 0), last_(index.size()) {}
    void Begin() { last_ = index_.size(); }
    // Number of the key; -1 for one that nobody asked for.
    int Find(std::string_view name) {
      const int guess = next_[static_cast<size_t>(last_)];
      if (guess < index_.size() && index_.key(guess) == name) [[likely]]
        return last_ = guess;
      const auto it = index_.numbers_.find(absl::string_view(name.data(), name.size()));
      if (it == index_.numbers_.end()) return -1;
      next_[static_cast<size_t>(last_)] = it->second;
      return last_ = it->second;
    }

   private:
    const KeyIndex& index_;
    std::vector<int> next_;  // what followed this key last time
    int last_;
  };

 private:
  std::vector<std::string> keys_;
  absl::flat_hash_map<std::string, int> numbers_;
};

class ExampleParser {
 public:
  // Errors: InvalidArgument for a key that is there twice, and for shapes and defaults that do not
  // fit each other.
  static StatusOr<ExampleParser> Make(ExampleSpec spec);

  // `names`, for errors, may be empty. Shapes: sparse `[n, 2]`, `[n]`, `[2]`; dense `[batch, ...]`.
  // Errors: InvalidArgument "Name: <unknown>, Feature: x (data type: float) is required but could
  // not be found."
  StatusOr<ParsedExamples> Parse(std::span<const std::string> serialized,
                                 std::span<const std::string> names, WorkerPool& workers,
                                 Allocator& allocator) const;
  // One example, without the dimension of the batch. Shapes: sparse `[n, 1]`, `[n]`, `[1]`.
  StatusOr<ParsedExamples> ParseOne(const std::string& serialized, WorkerPool& workers,
                                    Allocator& allocator) const;

 private:
  friend class BatchParse;
  ExampleParser(ExampleSpec spec, KeyIndex keys) : spec_(std::move(spec)), keys_(std::move(keys)) {}
  ExampleSpec spec_;
  KeyIndex keys_;
};

}  // namespace headrace
