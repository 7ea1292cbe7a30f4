// Classes drawn at random to stand for all the others, in losses over many classes.
//
//   SampledCandidates s = LogUniformCandidateSampler(labels, {.num_true = 1, .num_sampled = 64,
//                                                             .unique = true, .range_max = 10000});
//   Output loss = SampledSoftmaxLoss(weights, biases, labels, inputs, {...});   // sampled_loss.h
//
// The classes follow from the graph's seed and the op's as in TensorFlow 1, bit for bit; each run
// draws the next ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct CandidateSamplerOptions {
  int64_t num_true = 1;     // columns of true_classes
  int64_t num_sampled = 1;  // classes to draw
  bool unique = true;       // all of them different
  int64_t range_max = 1;    // classes are drawn from [0, range_max)
  std::optional<int64_t> seed;
  std::string name;
};
// How often each class is expected among the sampled ones: probability * num_sampled, or with
// `unique` the chance to be one of them.
struct SampledCandidates {
  Output sampled_candidates;      // [num_sampled], int64
  Output true_expected_count;     // [batch, num_true], float32
  Output sampled_expected_count;  // [num_sampled], float32
};

// Shapes: `true_classes` is `[batch, num_true]`, int64. Errors: InvalidArgument for another shape,
// and for `unique` with num_sampled above range_max. Gradient: none. Source: TensorFlow's candidate
// samplers.

// Every class alike.
SampledCandidates UniformCandidateSampler(Output true_classes, CandidateSamplerOptions o = {},
                                          Location where = Location::Current());
// P(k) = log((k + 2) / (k + 1)) / log(range_max + 1): classes in order of falling frequency.
SampledCandidates LogUniformCandidateSampler(Output true_classes, CandidateSamplerOptions o = {},
                                             Location where = Location::Current());
// By how often each class was among the true ones so far, and once more. Errors: InvalidArgument
// for true classes out of range.
SampledCandidates LearnedUnigramCandidateSampler(Output true_classes,
                                                 CandidateSamplerOptions o = {},
                                                 Location where = Location::Current());
// The same; here as safe with threads as the other one.
SampledCandidates ThreadUnsafeUnigramCandidateSampler(Output true_classes,
                                                      CandidateSamplerOptions o = {},
                                                      Location where = Location::Current());

struct FixedUnigramOptions {
  int64_t num_true = 1, num_sampled = 1;
  bool unique = true;
  int64_t range_max = 1;
  std::string vocab_file;        // weights: the last column of each line, which commas separate; or
  std::vector<float> unigrams;   // the weights themselves
  float distortion = 1;          // they are taken to this power
  int64_t num_reserved_ids = 0;  // classes before them, which are never drawn
  int64_t num_shards = 1, shard = 0;  // only classes with id % num_shards == shard
  std::optional<int64_t> seed;
  std::string name;
};
// By given weights. Errors: InvalidArgument for both or neither of file and weights, another number
// of weights than range_max, a line without a number; NotFound for the file.
SampledCandidates FixedUnigramCandidateSampler(Output true_classes, FixedUnigramOptions o = {},
                                               Location where = Location::Current());

// All classes of [0, num_sampled), in order; each is expected once. `range_max` does not count.
SampledCandidates AllCandidateSampler(Output true_classes, CandidateSamplerOptions o = {},
                                      Location where = Location::Current());

struct AccidentalHitsOptions {
  int64_t num_true = 1;
  std::optional<int64_t> seed;  // kept for graph files
  std::string name;
};
struct AccidentalHits {
  Output indices, ids, weights;  // rows of true_classes; places in sampled_candidates; -FLT_MAX
};
// Where true classes were sampled. Shapes: `[batch, num_true], [num_sampled] -> [hits]` each.
// DTypes: int64; the results are int32, int64, float32. Source: TensorFlow ComputeAccidentalHits.
AccidentalHits ComputeAccidentalHits(Output true_classes, Output sampled_candidates,
                                     AccidentalHitsOptions o = {},
                                     Location where = Location::Current());

}  // namespace headrace
