#include "headrace/ops/array/dynamic.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/dynamic_kernels.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/segment.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {
namespace {

Status DynamicPartitionShape(ShapeContext& c) {
  const PartialShape& data = c.input(0);
  const PartialShape& partitions = c.input(1);
  if (!data.has_rank() || !partitions.has_rank()) return NoShape(c);
  bool starts = partitions.rank() <= data.rank();
  for (int i = 0; starts && i < partitions.rank(); ++i) {
    starts = partitions[i] < 0 || data[i] < 0 || data[i] == partitions[i];
  }
  if (!starts) {
    return InvalidArgument("data.shape must start with partitions.shape, got data.shape = ",
                           data.ToString(), ", partitions.shape = ", partitions.ToString());
  }
  if (const int rank = 1 + data.rank() - partitions.rank(); rank > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions, got ", rank);
  PartialShape out{PartialShape::kUnknown};
  for (int i = partitions.rank(); i < data.rank(); ++i) out.Append(data[i]);
  for (int i = 0; i < c.num_outputs(); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, out));
  return absl::OkStatus();
}

// The rows are known when all indices are.
Status DynamicStitchShape(ShapeContext& c) {
  const int n = c.num_inputs() / 2;
  PartialShape rest;
  int64_t rows = 0;
  for (int k = 0; k < n; ++k) {
    const PartialShape& indices = c.input(k);
    const PartialShape& data = c.input(n + k);
    const auto values = c.InputAsInts(k);
    if (!values.has_value()) rows = PartialShape::kUnknown;
    for (size_t i = 0; rows >= 0 && i < values->size(); ++i)
      rows = std::max(rows, (*values)[i] + 1);
    if (!indices.has_rank() || !data.has_rank()) continue;
    bool starts = indices.rank() <= data.rank();
    for (int i = 0; starts && i < indices.rank(); ++i)
      starts = indices[i] < 0 || data[i] < 0 || data[i] == indices[i];
    if (!starts) {
      return InvalidArgument("data[", k, "].shape = ", data.ToString(),
                             " does not start with indices[", k, "].shape = ", indices.ToString());
    }
    PartialShape own = PartialShape::OfRank(0);
    for (int i = indices.rank(); i < data.rank(); ++i) own.Append(data[i]);
    HR_ASSIGN_OR_RETURN(rest, rest.MergedWith(own));
  }
  if (!rest.has_rank()) return c.SetOutput(0, PartialShape());
  if (rest.rank() == kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions, got ",
                           rest.rank() + 1);
  PartialShape out{rows};
  for (int64_t d : rest.dims()) out.Append(d);
  return c.SetOutput(0, out);
}

Status DynamicPartitionGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output data = c.input(0), partitions = c.input(1);
  std::vector<Output> grads;
  for (int i = 0; i < c.node().num_outputs(); ++i) grads.push_back(c.grad(i));
  const Output shape = ShapeOf(partitions, {}, where);
  const Output all = Range(g, 0, ReduceProd(shape, {}, {}, where), 1, {}, where);
  const Output positions = Reshape(all, shape, {}, where);
  const std::vector<Output> parts =
      DynamicPartition(positions, partitions, c.attrs().Get<int64_t>("num_partitions"), {}, where);
  const Output stitched = DynamicStitch(parts, grads, {}, where);
  c.Set(0, Reshape(stitched, ShapeOf(data, {}, where), {}, where));
  return absl::OkStatus();
}

Status DynamicStitchGradient(GradContext& c) {
  const Location where = c.where();
  const int n = c.num_inputs() / 2;
  Output grad;
  if (const std::optional<IndexedSlices>& slices = c.gradient(0).slices; slices.has_value()) {
    const Output rows = At(ShapeOf(c.output(0), {}, where), {0}, {}, where);
    grad = UnsortedSegmentSum(slices->values, slices->indices, rows, {}, where);
  } else {
    grad = c.grad();
  }
  for (int k = 0; k < n; ++k) c.Set(n + k, Gather(grad, c.input(k), {}, where));
  return absl::OkStatus();
}

}  // namespace

std::vector<Output> DynamicPartition(Output data, Output partitions, int64_t num, OpOptions o,
                                     Location where) {
  Node* node = NodeBuilder("DynamicPartition", o.name, where)
                   .Input(data)
                   .Input(partitions)
                   .Attr("num_partitions", num)
                   .BuildNode();
  std::vector<Output> parts(static_cast<size_t>(std::max<int64_t>(num, 0)));
  for (size_t i = 0; node != nullptr && i < parts.size(); ++i)
    parts[i] = node->output(static_cast<int>(i));
  return parts;
}

Output DynamicStitch(std::span<const Output> indices, std::span<const Output> data,
                     DynamicStitchOptions o, Location where) {
  return NodeBuilder(o.parallel ? "ParallelDynamicStitch" : "DynamicStitch", o.name, where)
      .Inputs(indices)
      .Inputs(data)
      .Build();
}

void DefineDynamic(OpRegistry& ops) {
  const DTypeSet types = kMovedTypes;
  ops.Define("DynamicPartition")
      .Attr(AttrDef{.name = "num_partitions", .kind = AttrKind::kInt, .minimum = 1})
      .TypeAttr("T", kAllTypes)
      .Input("data", "T")
      .Input("partitions", "int32")
      .OutputList("outputs", "T", "num_partitions")
      .Shape(DynamicPartitionShape)
      .Gradient(DynamicPartitionGradient)
      .Cpu({.types = {{"T", types}}, .make = MakeDynamicPartitionCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes | kComplexTypes}}})
      .Doc("Rows sorted into parts by number.");
  for (const char* name : {"DynamicStitch", "ParallelDynamicStitch"}) {
    OpDef& op = ops.Define(name)
                    .Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1})
                    .TypeAttr("T", kAllTypes)
                    .InputList("indices", "int32", "N")
                    .InputList("data", "T", "N")
                    .Output("merged", "T")
                    .Shape(DynamicStitchShape)
                    .Gradient(DynamicStitchGradient)
                    .Cpu({.types = {{"T", types}}, .make = MakeDynamicStitchCpu})
                    .Doc("Rows of several tensors put in order.");
    op.Gpu({.types = {{"T", kGpuNumberTypes}}, .host_args = {"indices"}});
    op.Gpu({.types = {{"T", kInt32Only}}, .host_args = {"indices", "data", "merged"}});
  }
}

}  // namespace headrace
