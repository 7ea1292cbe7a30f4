#include "headrace/ops/array/edit_distance.h"

#include <algorithm>

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/edit_distance_kernels.h"

namespace headrace {
namespace {

Status EditDistanceShape(ShapeContext& c) {
  for (int first : {0, 3}) {
    HR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(first, 2));
    HR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(first + 1, 1));
    HR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(first + 2, 1));
    HR_RETURN_IF_ERROR(
        c.CheckEqualDims(indices[0], values[0], "rows of indices", "size of values"));
    HR_RETURN_IF_ERROR(
        c.CheckEqualDims(indices[1], shape[0], "columns of indices", "size of shape"));
  }
  const auto hypothesis = c.InputAsInts(2), truth = c.InputAsInts(5);
  if (!hypothesis.has_value() || !truth.has_value() || hypothesis->size() != truth->size() ||
      hypothesis->empty()) {
    return c.SetOutput(0, PartialShape());
  }
  if (hypothesis->size() - 1 > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  PartialShape out = PartialShape::OfRank(0);
  for (size_t d = 0; d + 1 < hypothesis->size(); ++d)
    out.Append(std::max((*hypothesis)[d], (*truth)[d]));
  return c.SetOutput(0, out);
}

}  // namespace

Output EditDistance(const SparseSequences& hypothesis, const SparseSequences& truth,
                    EditDistanceOptions o, Location where) {
  return NodeBuilder("EditDistance", o.name, where)
      .Input(hypothesis.indices)
      .Input(hypothesis.values)
      .Input(hypothesis.dense_shape)
      .Input(truth.indices)
      .Input(truth.values)
      .Input(truth.dense_shape)
      .Attr("normalize", o.normalize)
      .Build();
}

void DefineEditDistance(OpRegistry& ops) {
  ops.Define("EditDistance")
      .Attr("normalize", true)
      .TypeAttr("T", kAllTypes)
      .Input("hypothesis_indices", "int64")
      .Input("hypothesis_values", "T")
      .Input("hypothesis_shape", "int64")
      .Input("truth_indices", "int64")
      .Input("truth_values", "T")
      .Input("truth_shape", "int64")
      .Output("output", "float32")
      .Shape(EditDistanceShape)
      .NoGradient()
      .Cpu({.types = {{"T", kNumberTypes | DTypeSet{DType::kBool, DType::kString}}},
            .make = MakeEditDistanceCpu})
      .Doc("Levenshtein distances of pairs of sequences.");
}

}  // namespace headrace
