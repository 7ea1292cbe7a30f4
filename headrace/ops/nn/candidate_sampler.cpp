#include "headrace/ops/nn/candidate_sampler.h"

#include "headrace/graph/shape_context.h"
#include "headrace/ops/nn/candidate_sampler_kernels.h"

namespace headrace {
namespace {

StatusOr<PartialShape> TrueClassesShape(ShapeContext& c) {
  const int64_t num_true = c.attrs().Get<int64_t>("num_true");
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(0, 2));
  if (shape[1] >= 0 && shape[1] != num_true) {
    return InvalidArgument("true_classes must have num_true columns, expected: ", num_true,
                           " was: ", shape[1]);
  }
  return PartialShape{shape[0], num_true};
}

Status SamplerShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape true_classes, TrueClassesShape(c));
  const PartialShape sampled{c.attrs().Get<int64_t>("num_sampled")};
  HR_RETURN_IF_ERROR(c.SetOutput(0, sampled));
  HR_RETURN_IF_ERROR(c.SetOutput(1, true_classes));
  return c.SetOutput(2, sampled);
}

Status HitsShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(TrueClassesShape(c).status());
  HR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  for (int i = 0; i < 3; ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, PartialShape::OfRank(1)));
  return absl::OkStatus();
}

SampledCandidates OutputsOf(Node* node) {
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

// The attributes that all have.
template <class Options>
NodeBuilder Start(std::string_view op, Output true_classes, const Options& o, Location where) {
  NodeBuilder builder(op, o.name, where);
  builder.Input(true_classes)
      .Attr("num_true", o.num_true)
      .Attr("num_sampled", o.num_sampled)
      .Attr("unique", o.unique);
  if (true_classes.valid()) {
    const auto [seed, seed2] = true_classes.graph()->OpSeeds(o.seed);
    builder.Attr("seed", seed).Attr("seed2", seed2);
  }
  return builder;
}

SampledCandidates BuildSampler(std::string_view op, Output true_classes,
                               const CandidateSamplerOptions& o, Location where) {
  return OutputsOf(Start(op, true_classes, o, where).Attr("range_max", o.range_max).BuildNode());
}

}  // namespace

SampledCandidates UniformCandidateSampler(Output true_classes, CandidateSamplerOptions o,
                                          Location where) {
  return BuildSampler("UniformCandidateSampler", true_classes, o, where);
}
SampledCandidates LogUniformCandidateSampler(Output true_classes, CandidateSamplerOptions o,
                                             Location where) {
  return BuildSampler("LogUniformCandidateSampler", true_classes, o, where);
}
SampledCandidates LearnedUnigramCandidateSampler(Output true_classes, CandidateSamplerOptions o,
                                                 Location where) {
  return BuildSampler("LearnedUnigramCandidateSampler", true_classes, o, where);
}
SampledCandidates ThreadUnsafeUnigramCandidateSampler(Output true_classes,
                                                      CandidateSamplerOptions o, Location where) {
  return BuildSampler("ThreadUnsafeUnigramCandidateSampler", true_classes, o, where);
}
SampledCandidates FixedUnigramCandidateSampler(Output true_classes, FixedUnigramOptions o,
                                               Location where) {
  return OutputsOf(Start("FixedUnigramCandidateSampler", true_classes, o, where)
                       .Attr("range_max", o.range_max)
                       .Attr("vocab_file", o.vocab_file)
                       .Attr("distortion", o.distortion)
                       .Attr("num_reserved_ids", o.num_reserved_ids)
                       .Attr("num_shards", o.num_shards)
                       .Attr("shard", o.shard)
                       .Attr("unigrams", o.unigrams)
                       .BuildNode());
}
SampledCandidates AllCandidateSampler(Output true_classes, CandidateSamplerOptions o,
                                      Location where) {
  return OutputsOf(Start("AllCandidateSampler", true_classes, o, where).BuildNode());
}

AccidentalHits ComputeAccidentalHits(Output true_classes, Output sampled_candidates,
                                     AccidentalHitsOptions o, Location where) {
  if (!true_classes.valid()) return {};
  const auto [seed, seed2] = true_classes.graph()->OpSeeds(o.seed);
  Node* node = NodeBuilder("ComputeAccidentalHits", o.name, where)
                   .Input(true_classes)
                   .Input(sampled_candidates)
                   .Attr("num_true", o.num_true)
                   .Attr("seed", seed)
                   .Attr("seed2", seed2)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

namespace {

OpDef& DefineSampler(OpRegistry& ops, std::string_view name, KernelFactory make) {
  return ops.Define(name)
      .Attr({.name = "num_true", .kind = AttrKind::kInt, .minimum = 1})
      .Attr({.name = "num_sampled", .kind = AttrKind::kInt, .minimum = 1})
      .Attr("unique", AttrKind::kBool)
      .Input("true_classes", "int64")
      .Output("sampled_candidates", "int64")
      .Output("true_expected_count", "float32")
      .Output("sampled_expected_count", "float32")
      .Shape(SamplerShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = make});
}

OpDef& WithSeeds(OpDef& op) {
  return op.Attr("seed", int64_t{0}).Attr("seed2", int64_t{0});
}

OpDef& WithRange(OpDef& op) {
  return op.Attr({.name = "range_max", .kind = AttrKind::kInt, .minimum = 1});
}

}  // namespace

void DefineCandidateSampler(OpRegistry& ops) {
  struct Op {
    const char* name;
    KernelFactory make;
    const char* doc;
  };
  for (const Op& op :
       {Op{"UniformCandidateSampler", MakeUniformCandidateSamplerCpu,
           "Classes drawn from a range, every one alike."},
        Op{"LogUniformCandidateSampler", MakeLogUniformCandidateSamplerCpu,
           "Classes drawn from a range, the first ones most often."},
        Op{"LearnedUnigramCandidateSampler", MakeLearnedUnigramCandidateSamplerCpu,
           "Classes drawn by how often they were seen."},
        Op{"ThreadUnsafeUnigramCandidateSampler", MakeLearnedUnigramCandidateSamplerCpu,
           "Classes drawn by how often they were seen."}}) {
    WithSeeds(WithRange(DefineSampler(ops, op.name, op.make))).Doc(op.doc);
  }
  WithSeeds(
      WithRange(
          DefineSampler(ops, "FixedUnigramCandidateSampler", MakeFixedUnigramCandidateSamplerCpu))
          .Attr("vocab_file", "")
          .Attr("distortion", 1.0f)
          .Attr("num_reserved_ids", int64_t{0})
          .Attr({.name = "num_shards",
                 .kind = AttrKind::kInt,
                 .default_value = int64_t{1},
                 .minimum = 1})
          .Attr(
              {.name = "shard", .kind = AttrKind::kInt, .default_value = int64_t{0}, .minimum = 0})
          .Attr("unigrams", AttrValue::Floats{}))
      .Doc("Classes drawn by given weights.");
  WithSeeds(DefineSampler(ops, "AllCandidateSampler", MakeAllCandidateSamplerCpu))
      .Doc("All classes.");
  ops.Define("ComputeAccidentalHits")
      .Attr("num_true", AttrKind::kInt)
      .Attr("seed", int64_t{0})
      .Attr("seed2", int64_t{0})
      .Input("true_classes", "int64")
      .Input("sampled_candidates", "int64")
      .Output("indices", "int32")
      .Output("ids", "int64")
      .Output("weights", "float32")
      .Shape(HitsShape)
      .NoGradient()
      .Cpu({.make = MakeComputeAccidentalHitsCpu})
      .Doc("Where true classes are among the sampled ones.");
}

}  // namespace headrace
