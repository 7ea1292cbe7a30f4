// Serialized tf.train.SequenceExamples as tensors: a context of features, and lists of features,
// one for each step.
//
//   HR_ASSIGN_OR_RETURN(SequenceParser parser, SequenceParser::Make(spec));
//   HR_ASSIGN_OR_RETURN(ParsedSequences parsed, parser.ParseOne(serialized, name, workers,
//   allocator));
//
// Read where they lie (io/example_wire.h). A parser may be used by several threads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "headrace/ops/data/example_parser.h"

namespace headrace {

struct DenseListSpec {
  std::string key;
  DType type = DType::kInvalid;
  Shape shape;  // of a step
  bool may_be_missing = false;
};
struct SequenceSpec {
  std::vector<SparseFeatureSpec> context_sparse;
  std::vector<DenseFeatureSpec> context_dense;  // of fully known shapes
  std::vector<SparseFeatureSpec> list_sparse;
  std::vector<DenseListSpec> list_dense;
};

struct ParsedSequences {
  ParsedExamples context, lists;
  std::vector<Tensor> lengths;  // of dense lists, in a batch: steps of each example
};

class SequenceParser {
 public:
  // Errors: InvalidArgument for a key that is there twice, and for shapes and defaults that do not
  // fit each other.
  static StatusOr<SequenceParser> Make(SequenceSpec spec);

  // One sequence. Shapes: sparse lists `[steps, longest]`, dense lists `[steps, ...]`. Errors:
  // InvalidArgument "Name: , Feature list: x, Index: 1.  Data types don't match. Expected type:
  // int64"
  StatusOr<ParsedSequences> ParseOne(const std::string& serialized, std::string_view name,
                                     WorkerPool& workers, Allocator& allocator) const;
  // A batch. Shapes: the same behind the number of sequences, with as many steps as the longest
  // has; zeros and empty texts pad. `names`, for errors, may be empty.
  StatusOr<ParsedSequences> Parse(std::span<const std::string> serialized,
                                  std::span<const std::string> names, WorkerPool& workers,
                                  Allocator& allocator) const;

 private:
  friend class SequenceParse;
  SequenceParser(SequenceSpec spec, KeyIndex context, KeyIndex lists)
      : spec_(std::move(spec)), context_(std::move(context)), lists_(std::move(lists)) {}
  SequenceSpec spec_;
  KeyIndex context_, lists_;  // sparse, then dense
};

}  // namespace headrace
