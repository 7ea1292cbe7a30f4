#include "headrace/ops/nn/sampled_loss.h"

#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/sparse_to_dense.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/matmul.h"
#include "headrace/ops/math/unary.h"
#include "headrace/ops/nn/cross_entropy.h"

namespace headrace {
namespace {

Output CastTo(Output x, DType type, Location where) {
  return x.valid() && x.value_dtype() != type ? Cast(x, type, {}, where) : x;
}

// Numbers and a vector, one after the other: the numbers are a constant "values_0".
Output ConcatNumbers(Graph& g, const IntArg& numbers, Output vector, Location where) {
  const OpScope scope(g, "", "concat");
  const Output first = numbers.In(g, "values_0", DType::kInt32, where);
  const Output axis = Const(g, 0, {.name = "axis"}, where);
  return NodeBuilder(g, "ConcatV2", scope.op_name(), where)
      .Input(first)
      .Input(vector)
      .Input(axis)
      .Build();
}

// A number as a vector of one element, both constants.
Output ExpandedNumber(Graph& g, int64_t number, Location where) {
  const OpScope scope(g, "", "ExpandDims");
  const Output input = IntArg(number).In(g, "input", DType::kInt32, where);
  const Output dim = Const(g, 0, {.name = "dim"}, where);
  return NodeBuilder(g, "ExpandDims", scope.op_name(), where).Input(input).Input(dim).Build();
}

// The sum of each row of a matrix: a product, whose gradient is faster than a reduction's.
Output SumRows(Output x, Location where) {
  if (!x.valid()) return {};
  Graph& g = *x.graph();
  const Output columns = At(ShapeOf(x, {}, where), {1}, {}, where);
  const Output shape = IntArg::Packed({columns, 1}).In(g, "stack", DType::kInt32, where);
  const Output ones = Ones(g, shape, x.value_dtype(), {}, where);
  return Reshape(MatMul(x, ones, {}, where), {-1}, {}, where);
}

struct SampledLogits {
  Output logits, labels;
};

// Minus infinity (nearly) where a sampled class is a true one of its row, else 0.
Output HitPenalties(Graph& g, Output labels, Output sampled, DType type,
                    const SampledLossOptions& o, Location where) {
  const AccidentalHits hits =
      ComputeAccidentalHits(labels, sampled, {.num_true = o.num_true}, where);
  const Output rows = Reshape(hits.indices, {-1, 1}, {}, where);
  const Output columns = Reshape(Cast(hits.ids, DType::kInt32, {}, where), {-1, 1}, {}, where);
  const Output places = Concat({rows, columns}, 1, {.name = "sparse_indices"}, where);
  const Output batch = At(ShapeOf(labels, {}, where), {SliceIndex::To(1)}, {}, where);
  const Output shape = Concat({batch, ExpandedNumber(g, o.num_sampled, where)}, 0, {}, where);
  const Output weights = CastTo(hits.weights, type, where);
  return SparseToDense(places, shape, weights, {.validate_indices = false}, where);
}

// Of each row, the logits of its true classes, then those of the sampled ones; and labels that
// share 1 among the true ones.
SampledLogits ComputeSampledLogits(std::span<const Output> weights, Output biases, Output labels,
                                   Output inputs, const SampledLossOptions& o, bool remove_hits,
                                   std::string_view default_name, Location where) {
  Graph& g = *inputs.graph();
  const DType type = inputs.value_dtype();
  const OpScope scope(g, o.name, default_name);
  labels = CastTo(labels, DType::kInt64, where);
  const Output flat = Reshape(labels, {-1}, {}, where);
  const SampledCandidates values = o.sampled_values.has_value()
                                       ? *o.sampled_values
                                       : LogUniformCandidateSampler(labels,
                                                                    {.num_true = o.num_true,
                                                                     .num_sampled = o.num_sampled,
                                                                     .unique = true,
                                                                     .range_max = o.num_classes,
                                                                     .seed = o.seed},
                                                                    where);
  Output sampled = StopGradient(values.sampled_candidates, {}, where);
  const Output true_count = StopGradient(values.true_expected_count, {}, where);
  const Output sampled_count = StopGradient(values.sampled_expected_count, {}, where);
  sampled = CastTo(sampled, DType::kInt64, where);
  const Output ids = Concat({flat, sampled}, 0, {}, where);
  const auto count_of_true = [&] { return At(ShapeOf(flat, {}, where), {0}, {}, where); };

  const Output rows =
      CastTo(EmbeddingLookup(weights, ids, {.strategy = o.partition_strategy}, where), type, where);
  const Output true_size =
      IntArg::Packed({count_of_true(), -1}).In(g, "stack", DType::kInt32, where);
  const Output true_rows = Slice(rows, {0, 0}, true_size, {}, where);
  const Output sampled_begin =
      IntArg::Packed({count_of_true(), 0}).In(g, "stack", DType::kInt32, where);
  const Output sampled_rows = Slice(rows, sampled_begin, {-1, -1}, {}, where);
  Output sampled_logits = MatMul(inputs, sampled_rows, {.transpose_b = true}, where);

  const Output bias = CastTo(
      EmbeddingLookup({biases}, ids, {.strategy = o.partition_strategy}, where), type, where);
  const Output true_bias = Slice(bias, {0}, ShapeOf(flat, {}, where), {}, where);
  const Output sampled_bias = Slice(bias, ShapeOf(flat, {}, where), {-1}, {}, where);

  const Output dim = At(ShapeOf(true_rows, {}, where), {SliceIndex::Range(1, 2)}, {}, where);
  const Output by_row = ConcatNumbers(g, {-1, o.num_true}, dim, where);
  const Output expanded = ExpandDims(inputs, 1, {}, where);
  const Output products = Mul(expanded, Reshape(true_rows, by_row, {}, where), {}, where);
  const Output matrix = Reshape(products, ConcatNumbers(g, {-1}, dim, where), {}, where);
  Output true_logits = Reshape(SumRows(matrix, where), {-1, o.num_true}, {}, where);
  const Output true_bias_matrix = Reshape(true_bias, {-1, o.num_true}, {}, where);
  true_logits = AddV2(true_logits, true_bias_matrix, {.name = "add"}, where);
  sampled_logits = AddV2(sampled_logits, sampled_bias, {.name = "add"}, where);
  if (remove_hits) {
    sampled_logits = AddV2(sampled_logits, HitPenalties(g, labels, sampled, type, o, where),
                           {.name = "add"}, where);
  }
  // Less the logarithm of how often each was to be expected.
  true_logits = Sub(true_logits, Log(true_count, {}, where), {.name = "sub"}, where);
  sampled_logits = Sub(sampled_logits, Log(sampled_count, {}, where), {.name = "sub"}, where);
  const Output logits = Concat({true_logits, sampled_logits}, 1, {}, where);
  const Output shares = RealDiv(OnesLike(true_logits, {}, where), static_cast<double>(o.num_true),
                                {.name = "truediv"}, where);
  const Output all_labels = Concat({shares, ZerosLike(sampled_logits, {}, where)}, 1, {}, where);
  return {logits, all_labels};
}

bool AreValid(std::span<const Output> weights, Output biases, Output labels, Output inputs) {
  for (const Output& part : weights) {
    if (!part.valid()) return false;
  }
  return !weights.empty() && biases.valid() && labels.valid() && inputs.valid();
}

// A matrix with the last dimension of x.
Output AsMatrix(Graph& g, Output x, Location where) {
  const Output rank = Rank(x, {}, where);
  const Output shape = ShapeOf(x, {}, where);
  const Output last = Slice(shape, IntArg::Packed({Sub(rank, 1, {}, where)}), {1}, {}, where);
  return Reshape(x, ConcatNumbers(g, {-1}, last, where), {}, where);
}

// Over the last dimension of tensors of any rank, as tf.nn.softmax_cross_entropy_with_logits_v2
// builds it.
Output CrossEntropyOfRows(Output labels, Output logits, Location where) {
  if (!labels.valid() || !logits.valid()) return {};
  Graph& g = *logits.graph();
  const OpScope scope(g, "", "softmax_cross_entropy_with_logits");
  const Output rank = Rank(logits, {}, where);
  const Output shape = ShapeOf(logits, {}, where);
  const Output flat_logits = AsMatrix(g, logits, where);
  const Output flat_labels = AsMatrix(g, labels, where);
  const Output loss =
      SoftmaxCrossEntropyWithLogits(flat_logits, flat_labels, {.name = scope.op_name()}, where);
  const Output outer = Slice(shape, {0}, IntArg::Packed({Sub(rank, 1, {}, where)}), {}, where);
  return Reshape(loss, outer, {}, where);
}

}  // namespace

Output NceLoss(std::span<const Output> weights, Output biases, Output labels, Output inputs,
               SampledLossOptions o, Location where) {
  if (!AreValid(weights, biases, labels, inputs)) return {};
  const SampledLogits s =
      ComputeSampledLogits(weights, biases, labels, inputs, o,
                           o.remove_accidental_hits.value_or(false), "nce_loss", where);
  const Output losses =
      SigmoidCrossEntropyWithLogits(s.labels, s.logits, {.name = "sampled_losses"}, where);
  return SumRows(losses, where);
}

Output SampledSoftmaxLoss(std::span<const Output> weights, Output biases, Output labels,
                          Output inputs, SampledLossOptions o, Location where) {
  if (!AreValid(weights, biases, labels, inputs)) return {};
  const SampledLogits s =
      ComputeSampledLogits(weights, biases, labels, inputs, o,
                           o.remove_accidental_hits.value_or(true), "sampled_softmax_loss", where);
  const Output fixed = StopGradient(s.labels, {.name = "labels_stop_gradient"}, where);
  return CrossEntropyOfRows(fixed, s.logits, where);
}

}  // namespace headrace
