// Samplers and sampled losses: the classes, counts and nodes of TensorFlow 1.15
// (tests/golden/ops/nn.json).
#include "headrace/ops/nn/candidate_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "headrace/base/file.h"
#include "headrace/ops/array/sparse_to_dense.h"
#include "headrace/ops/nn/range_sampler.h"
#include "headrace/ops/nn/sampled_loss.h"
#include "headrace/ops/testing/golden_nodes.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::ExpectNodesOf;
using testing::ExpectRunsOf;
using Inputs = std::vector<Output>;
using Sampler = SampledCandidates (*)(Output, CandidateSamplerOptions, Location);

std::vector<Output> All(const SampledCandidates& s) {
  return {s.sampled_candidates, s.true_expected_count, s.sampled_expected_count};
}

const std::vector<float> kWeights = {0.5, 3.0, 1.0, 0.25, 7.0, 2.0, 2.0, 1.5};

TEST(CandidateSamplers, DrawTensorFlowsClasses) {
  const std::pair<const char*, Sampler> samplers[] = {
      {"uniform", UniformCandidateSampler},
      {"log_uniform", LogUniformCandidateSampler},
      {"learned_unigram", LearnedUnigramCandidateSampler}};
  for (const bool unique : {false, true}) {
    for (const int64_t range : {10, 16, 5000}) {
      for (const auto& [name, sampler] : samplers) {
        const CandidateSamplerOptions o{
            .num_true = 2, .num_sampled = 6, .unique = unique, .range_max = range, .seed = 7};
        ExpectRunsOf("nn",
                     StrCat(name, "_candidate_sampler:", unique ? "unique_" : "repeated_", range),
                     [&, draw = sampler](Graph&, const Inputs& x) {
                       return All(draw(x[0], o, Location::Current()));
                     });
      }
    }
  }
}

TEST(CandidateSamplers, SeedsComeFromTheGraph) {
  for (const bool unique : {false, true}) {
    const std::string tag = unique ? "unique" : "repeated";
    ExpectRunsOf("nn", StrCat("learned_unigram_candidate_sampler:", tag, "_no_seed"),
                 [&](Graph&, const Inputs& x) {
                   return All(LearnedUnigramCandidateSampler(
                       x[0], {.num_sampled = 4, .unique = unique, .range_max = 9}));
                 });
    ExpectRunsOf("nn", StrCat("thread_unsafe_unigram_candidate_sampler:", tag),
                 [&](Graph&, const Inputs& x) {
                   Node* node =
                       NodeBuilder("ThreadUnsafeUnigramCandidateSampler", "", Location::Current())
                           .Input(x[0])
                           .Attr("num_true", int64_t{1})
                           .Attr("num_sampled", int64_t{5})
                           .Attr("unique", unique)
                           .Attr("range_max", int64_t{12})
                           .Attr("seed", int64_t{3})
                           .Attr("seed2", int64_t{4})
                           .BuildNode();
                   return std::vector{node->output(0), node->output(1), node->output(2)};
                 });
  }
}

TEST(FixedUnigramCandidateSampler, DrawsTensorFlowsClasses) {
  for (const bool unique : {false, true}) {
    const std::string name =
        StrCat("fixed_unigram_candidate_sampler:", unique ? "unique" : "repeated");
    const auto check = [&](const std::string& suffix, FixedUnigramOptions o) {
      o.unique = unique;
      ExpectRunsOf("nn", name + suffix, [&](Graph&, const Inputs& x) {
        return All(FixedUnigramCandidateSampler(x[0], o));
      });
    };
    check("", {.num_true = 2, .num_sampled = 5, .range_max = 8, .unigrams = kWeights, .seed = 2});
    const FixedUnigramOptions distorted{.num_sampled = 6,
                                        .range_max = 10,
                                        .unigrams = kWeights,
                                        .distortion = 0.75f,
                                        .num_reserved_ids = 2,
                                        .seed = 9};
    check("_distorted", distorted);
    check("_shards", {.num_sampled = 2,
                      .range_max = 4,
                      .unigrams = kWeights,
                      .num_shards = 2,
                      .shard = 1,
                      .seed = 9});
    // The same from a file.
    FixedUnigramOptions from_file = distorted;
    from_file.vocab_file = ::testing::TempDir() + "/vocabulary.csv";
    from_file.unigrams.clear();
    ASSERT_TRUE(WriteFileAtomically(from_file.vocab_file,
                                    "a,0.5\nb,x,3.0\r\n\n1\nc,0.25\nd,7\ne,2.0\nf,2\ng, 1.5\n")
                    .ok());
    check("_distorted", from_file);
  }
}

TEST(AllCandidateSampler, GivesAllClasses) {
  ExpectRunsOf("nn", "all_candidate_sampler:six", [](Graph&, const Inputs& x) {
    return All(AllCandidateSampler(x[0], {.num_true = 2, .num_sampled = 6, .seed = 1}));
  });
}

TEST(CandidateSamplers, RefuseWrongArguments) {
  const auto check = [](const char* op, AttrMap attrs, const Tensor& classes, const char* text,
                        bool at_build = false, bool in_step = true,
                        absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    CheckOpError({.op = op,
                  .attrs = std::move(attrs),
                  .inputs = {classes},
                  .code = code,
                  .text = text,
                  .at_build = at_build,
                  .in_step = in_step});
  };
  const Tensor one = Tensor::Of<int64_t>({3, 0}, {2, 1});
  const auto attrs = [](int64_t sampled, bool unique, int64_t range) {
    return AttrMap{{"num_true", int64_t{1}},
                   {"num_sampled", sampled},
                   {"unique", unique},
                   {"range_max", range},
                   {"seed", int64_t{1}}};
  };
  check("UniformCandidateSampler", attrs(3, false, 9), Tensor::Of<int64_t>({3, 0}), "", true);
  check("UniformCandidateSampler", attrs(3, false, 9), Tensor::Of<int64_t>({3, 0}, {1, 2}),
        "num_true columns, expected: 1 was: 2", true);
  check("LogUniformCandidateSampler", attrs(10, true, 9), one, "Sampler's range is too small");
  check("UniformCandidateSampler", attrs(0, true, 9), one, "num_sampled", true, false);
  check("LearnedUnigramCandidateSampler", attrs(2, true, 3), one, "must be in [0, 3), got 3");
  const auto fixed = [&](AttrMap more, int64_t sampled, bool unique) {
    AttrMap all = attrs(sampled, unique, 8);
    for (const auto& [key, value] : more) all.Set(key, value);
    return all;
  };
  const char* op = "FixedUnigramCandidateSampler";
  check(op, fixed({}, 3, false), one, "Must provide either vocab_file or unigrams");
  check(op, fixed({{"unigrams", kWeights}, {"vocab_file", "f"}}, 3, false), one,
        "Must only provide one of vocab_file and unigrams");
  check(op, fixed({{"unigrams", AttrValue::Floats{1, 2}}}, 3, false), one,
        "range is 8, and must be equal to the number of weights 2");
  check(op, fixed({{"unigrams", AttrValue::Floats{1, 2, 0, 0, 0, 0, 0, 0}}}, 3, true), one,
        "3 different classes of 2");
  check(op, fixed({{"vocab_file", "/nowhere/at/all"}}, 3, false), one, "/nowhere/at/all", false,
        true, absl::StatusCode::kNotFound);
  const std::string path = ::testing::TempDir() + "/wrong.csv";
  ASSERT_TRUE(WriteFileAtomically(path, "a,1\nb\n").ok());
  check(op, fixed({{"vocab_file", path}}, 3, false), one, "Wrong vocabulary format at line: b");
}

TEST(ComputeAccidentalHits, FindsTrueClasses) {
  const float kLowest = std::numeric_limits<float>::lowest();
  CheckOp({.op = "ComputeAccidentalHits",
           .attrs = {{"num_true", int64_t{2}}},
           .inputs = {Tensor::Of<int64_t>({3, 5, 0, 1, 7, 2}, {3, 2}),
                      Tensor::Of<int64_t>({5, 3, 0, 3, 9, 1})},
           .expected = {Tensor::Of<int32_t>({0, 0, 1, 1}), Tensor::Of<int64_t>({3, 0, 2, 5}),
                        Tensor::Of<float>({kLowest, kLowest, kLowest, kLowest})},
           .static_shape = false});
  CheckOp({.op = "ComputeAccidentalHits",
           .attrs = {{"num_true", int64_t{1}}},
           .inputs = {Tensor(DType::kInt64, {0, 1}), Tensor::Of<int64_t>({5})},
           .expected = {Tensor(DType::kInt32, {0}), Tensor(DType::kInt64, {0}),
                        Tensor(DType::kFloat32, {0})},
           .static_shape = false});
}

// Draws follow the probabilities that a sampler states.
TEST(RangeSampler, DrawsByItsProbabilities) {
  std::vector<std::unique_ptr<RangeSampler>> samplers;
  samplers.push_back(MakeUniformSampler(6));
  samplers.push_back(MakeLogUniformSampler(7));
  samplers.push_back(MakeLearnedSampler(5));
  samplers.back()->Update(std::vector<int64_t>{1, 1, 4, 1});
  samplers.push_back(*MakeUnigramSampler(8, kWeights, {.distortion = 0.5f}));
  for (const auto& sampler : samplers) {
    constexpr int64_t kDraws = 20000;
    std::vector<int64_t> batch(kDraws);
    PhiloxWords words(Philox(5, 6));
    ASSERT_EQ(*SampleBatch(*sampler, words, /*unique=*/false, batch), kDraws);
    double total = 0;
    for (int64_t value = 0; value < sampler->range(); ++value) {
      const double p = sampler->Probability(value);
      total += p;
      EXPECT_NEAR(static_cast<double>(std::ranges::count(batch, value)) / kDraws, p, 0.015);
    }
    EXPECT_NEAR(total, 1, 1e-5);
  }
}

TEST(SparseToDense, MatchesReference) {
  CheckOp({.op = "SparseToDense",
           .inputs = {Tensor::Of<int32_t>({0, 1, 1, 0}, {2, 2}), Tensor::Of<int32_t>({2, 3}),
                      Tensor::Of<float>({5, 7}), Tensor::Of<float>({-1}, Shape())},
           .constant_inputs = {0, 1},
           .expected = {Tensor::Of<float>({-1, 5, -1, 7, -1, -1}, {2, 3})}});
  CheckOp(
      {.op = "SparseToDense",
       .inputs = {Tensor::Of<int64_t>({1, 2}), Tensor::Of<int64_t>({4}),
                  Tensor::Of<std::string>({"x"}, Shape()), Tensor::Of<std::string>({"-"}, Shape())},
       .constant_inputs = {1},
       .expected = {Tensor::Of<std::string>({"-", "x", "x", "-"})}});
  CheckOp({.op = "SparseToDense",
           .attrs = {{"validate_indices", false}},
           .inputs = {Tensor::Of<int32_t>({2, 0, 2}), Tensor::Of<int32_t>({3}),
                      Tensor::Of<int32_t>({1, 2, 3}), Tensor::Of<int32_t>({0}, Shape())},
           .constant_inputs = {1},
           .expected = {Tensor::Of<int32_t>({2, 0, 3})}});
}

TEST(SparseToDense, RefusesWrongArguments) {
  const auto check = [](std::vector<int32_t> indices, std::vector<float> values, const char* text) {
    CheckOpError({.op = "SparseToDense",
                  .inputs = {Tensor::Of<int32_t>(indices, {static_cast<int64_t>(indices.size())}),
                             Tensor::Of<int32_t>({3}),
                             Tensor::Of<float>(values, {static_cast<int64_t>(values.size())}),
                             Tensor::Of<float>({0}, Shape())},
                  .constant_inputs = {1},
                  .text = text,
                  .at_build = false});
  };
  check({0, 3}, {1, 2}, "indices[1] = [3] is out of bounds: need 0 <= index < [3]");
  check({1, 0}, {1, 2}, "indices[1] = [0] is out of order");
  check({1, 1}, {1, 2}, "indices[1] = [1] is repeated");
  check({1, 2}, {1, 2, 3}, "sparse_values has incorrect shape [3]");
}

TEST(SampledLosses, BuildTensorFlowsNodes) {
  ExpectNodesOf("nn", "build_nce_loss:plain", [](Graph&, const Inputs& x) {
    NceLoss({x[0]}, x[1], x[2], x[3], {.num_sampled = 5, .num_classes = 20});
  });
  ExpectNodesOf("nn", "build_nce_loss:hits", [](Graph&, const Inputs& x) {
    NceLoss({x[0]}, x[1], x[2], x[3],
            {.num_sampled = 12,
             .num_classes = 20,
             .num_true = 2,
             .remove_accidental_hits = true,
             .name = "n"});
  });
  ExpectNodesOf("nn", "build_nce_loss:given", [](Graph&, const Inputs& x) {
    const SampledCandidates sampled = AllCandidateSampler(x[2], {.num_sampled = 6});
    NceLoss({x[0]}, x[1], x[2], x[3],
            {.num_sampled = 6, .num_classes = 20, .sampled_values = sampled});
  });
  ExpectNodesOf("nn", "build_sampled_softmax_loss:plain", [](Graph&, const Inputs& x) {
    SampledSoftmaxLoss({x[0]}, x[1], x[2], x[3], {.num_sampled = 12, .num_classes = 20, .seed = 5});
  });
  ExpectNodesOf("nn", "build_sampled_softmax_loss:given", [](Graph&, const Inputs& x) {
    const SampledCandidates sampled = AllCandidateSampler(x[2], {.num_sampled = 8});
    SampledSoftmaxLoss({x[0]}, x[1], x[2], x[3],
                       {.num_sampled = 8, .num_classes = 20, .sampled_values = sampled});
  });
  ExpectNodesOf("nn", "build_sampled_softmax_loss:parts", [](Graph&, const Inputs& x) {
    SampledSoftmaxLoss({x[0], x[1]}, x[2], x[3], x[4],
                       {.num_sampled = 4,
                        .num_classes = 20,
                        .num_true = 2,
                        .remove_accidental_hits = false,
                        .partition_strategy = PartitionStrategy::kDiv});
  });
}

}  // namespace
}  // namespace headrace
