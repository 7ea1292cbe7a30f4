// Losses over many classes that look at a few of them: the true ones and a random sample.
//
//   Output loss = NceLoss({weights}, biases, labels, inputs, {.num_sampled = 64, ...});
//   Output loss2 = SampledSoftmaxLoss({weights}, biases, labels, inputs,
//                                     {.num_sampled = 64, .num_classes = 50000});
//
// The nodes are those that TensorFlow's Python functions make, so that the samples are too.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "headrace/ops/array/embedding.h"
#include "headrace/ops/nn/candidate_sampler.h"

namespace headrace {

struct SampledLossOptions {
  int64_t num_sampled = 1;
  int64_t num_classes = 1;
  int64_t num_true = 1;  // true classes of a row of inputs
  // Instead of a LogUniformCandidateSampler without repetition.
  std::optional<SampledCandidates> sampled_values;
  // Sampled classes that are true ones count as nothing. Not said: as TensorFlow's functions do,
  // false for NceLoss and true for SampledSoftmaxLoss.
  std::optional<bool> remove_accidental_hits;
  PartitionStrategy partition_strategy = PartitionStrategy::kMod;  // of the weights' parts
  std::optional<int64_t> seed;                                     // of the sampler
  std::string name;  // "" = "nce_loss", "sampled_softmax_loss"
};

// From other ops. Shapes: weights `[num_classes, d]` in one or more parts, biases `[num_classes]`,
// labels `[batch, num_true]` (int32 or int64), inputs `[batch, d]` -> `[batch]`. DTypes: floats.
// Errors: as the ops they are made of. Gradient: IndexedSlices to weights and biases.

// Noise-contrastive estimation: are the true classes told from sampled ones, each by itself?
// Source: Gutmann and Hyvarinen, 2010; tf.nn.nce_loss.
Output NceLoss(std::span<const Output> weights, Output biases, Output labels, Output inputs,
               SampledLossOptions o = {}, Location where = Location::Current());
// Cross entropy among the true and the sampled classes. Source: Jean et al., 2014;
// tf.nn.sampled_softmax_loss.
Output SampledSoftmaxLoss(std::span<const Output> weights, Output biases, Output labels,
                          Output inputs, SampledLossOptions o = {},
                          Location where = Location::Current());

inline Output NceLoss(std::initializer_list<Output> weights, Output biases, Output labels,
                      Output inputs, SampledLossOptions o = {},
                      Location where = Location::Current()) {
  return NceLoss(std::span(weights.begin(), weights.size()), biases, labels, inputs, std::move(o),
                 where);
}
inline Output SampledSoftmaxLoss(std::initializer_list<Output> weights, Output biases,
                                 Output labels, Output inputs, SampledLossOptions o = {},
                                 Location where = Location::Current()) {
  return SampledSoftmaxLoss(std::span(weights.begin(), weights.size()), biases, labels, inputs,
                            std::move(o), where);
}

}  // namespace headrace
