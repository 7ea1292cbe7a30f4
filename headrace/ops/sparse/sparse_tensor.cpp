#include "headrace/ops/sparse/sparse_tensor.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/sparse/sparse_shapes.h"
#include "headrace/ops/sparse/sparse_tensor_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kValueTypes =
    kMovedTypes - kQuantizedTypes - DTypeSet{DType::kUInt32, DType::kUInt64};

Status ReorderShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  HR_RETURN_IF_ERROR(c.SetOutput(0, c.input(0)));
  return c.SetOutput(1, c.input(1));
}

Status ReshapeShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(0, 2));
  HR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  HR_ASSIGN_OR_RETURN(const PartialShape target, c.WithRank(2, 1));
  const int64_t count = indices.has_rank() ? indices[0] : -1;
  HR_RETURN_IF_ERROR(c.SetOutput(0, {count, target.has_rank() ? target[0] : -1}));
  return c.SetOutput(1, target.has_rank() ? target : PartialShape::OfRank(1));
}

Status ConcatShape(ShapeContext& c) {
  const int parts = static_cast<int>(c.attrs().Get<int64_t>("N"));
  int64_t count = 0, rank = -1;
  for (int p = 0; p < parts; ++p) {
    HR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(p, 2));
    HR_RETURN_IF_ERROR(c.WithRank(parts + p, 1).status());
    HR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(2 * parts + p, 1));
    count = count < 0 || !indices.has_rank() || indices[0] < 0 ? -1 : count + indices[0];
    if (rank < 0)
      rank = shape.has_rank() && shape[0] >= 0 ? shape[0] : indices.has_rank() ? indices[1] : -1;
  }
  HR_RETURN_IF_ERROR(c.SetOutput(0, {count, rank}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {count}));
  return c.SetOutput(2, {rank});
}

Status SplitShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 1));
  const int64_t rank = SparseRank(c, 1);
  const int parts = static_cast<int>(c.attrs().Get<int64_t>("num_split"));
  for (int p = 0; p < parts; ++p) {
    HR_RETURN_IF_ERROR(c.SetOutput(p, {-1, rank}));
    HR_RETURN_IF_ERROR(c.SetOutput(parts + p, {-1}));
    HR_RETURN_IF_ERROR(c.SetOutput(2 * parts + p, {rank}));
  }
  return absl::OkStatus();
}

Status SliceShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  const int64_t rank = SparseRank(c, 0);
  HR_RETURN_IF_ERROR(c.SetOutput(0, {-1, rank}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {-1}));
  return c.SetOutput(2, {rank});
}

Status SliceGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 2));
  return c.SetOutput(0, {indices.has_rank() ? indices[0] : -1});
}

Status FillShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  HR_RETURN_IF_ERROR(c.CheckScalar(3));
  const auto dims = c.InputAsInts(2);
  const int64_t rows = dims.has_value() && !dims->empty() ? dims->front() : -1;
  HR_RETURN_IF_ERROR(c.SetOutput(0, {-1, SparseRank(c, 0)}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {-1}));
  HR_RETURN_IF_ERROR(c.SetOutput(2, {rows}));
  return c.SetOutput(3, {SparseCount(c, 0)});
}

Status FillGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape map, c.WithRank(0, 1));
  HR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  HR_RETURN_IF_ERROR(c.SetOutput(0, map.has_rank() ? map : PartialShape::OfRank(1)));
  return c.SetOutput(1, PartialShape::OfRank(0));
}

Status ReorderGradient(GradContext& c) {
  const Location where = c.where();
  const Output shape = ShapeOf(c.input(0), {}, where);
  const Output count = At(shape, {0}, {}, where);
  const Output positions = Range(c.graph(), 0, count, 1, {}, where);
  const SparseTensor ordered =
      SparseReorder({c.input(0), positions, c.input(2)}, {.name = "SparseReorder"}, where);
  const Output inverse = InvertPermutation(ordered.values, {}, where);
  c.Set(1, Gather(c.grad(1), inverse, {}, where));
  return absl::OkStatus();
}

Status SliceGradient(GradContext& c) {
  c.Set(1, SparseSliceGrad(c.grad(1), c.input(0), c.input(3), c.output(0), {}, c.where()));
  return absl::OkStatus();
}

Status FillGradient(GradContext& c) {
  const FilledRowsGrad grads = SparseFillEmptyRowsGrad(c.output(3), c.grad(1), {}, c.where());
  c.Set(1, grads.values);
  c.Set(3, grads.default_value);
  return absl::OkStatus();
}

NodeBuilder& Inputs(NodeBuilder& builder, const SparseTensor& x) {
  return builder.Input(x.indices).Input(x.values).Input(x.shape);
}

}  // namespace

Status CheckSparseShapes(const ShapeContext& c, int first) {
  HR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(first, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRank(first + 1, 1));
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(first + 2, 1));
  if (indices.has_rank() && values.has_rank())
    HR_RETURN_IF_ERROR(c.CheckEqualDims(indices[0], values[0], "rows of indices", "values"));
  if (indices.has_rank() && shape.has_rank())
    HR_RETURN_IF_ERROR(c.CheckEqualDims(indices[1], shape[0], "columns of indices", "dimensions"));
  return absl::OkStatus();
}

int64_t SparseRank(const ShapeContext& c, int first) {
  const PartialShape &indices = c.input(first), &shape = c.input(first + 2);
  if (shape.has_rank() && shape[0] >= 0) return shape[0];
  return indices.has_rank() ? indices[1] : PartialShape::kUnknown;
}

int64_t SparseCount(const ShapeContext& c, int first) {
  const PartialShape &indices = c.input(first), &values = c.input(first + 1);
  if (values.has_rank() && values[0] >= 0) return values[0];
  return indices.has_rank() ? indices[0] : PartialShape::kUnknown;
}

SparseTensor SparseReorder(const SparseTensor& x, OpOptions o, Location where) {
  NodeBuilder builder("SparseReorder", o.name, where);
  Node* node = Inputs(builder, x).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), x.shape};
}
SparseTensor SparseReshape(const SparseTensor& x, Output shape, OpOptions o, Location where) {
  Node* node = NodeBuilder("SparseReshape", o.name, where)
                   .Input(x.indices)
                   .Input(x.shape)
                   .Input(shape)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), x.values, node->output(1)};
}
SparseTensor SparseConcat(std::span<const SparseTensor> parts, int64_t axis, OpOptions o,
                          Location where) {
  std::vector<Output> indices, values, shapes;
  for (const SparseTensor& part : parts) {
    indices.push_back(part.indices);
    values.push_back(part.values);
    shapes.push_back(part.shape);
  }
  Node* node = NodeBuilder("SparseConcat", o.name, where)
                   .Inputs(indices)
                   .Inputs(values)
                   .Inputs(shapes)
                   .Attr("concat_dim", axis)
                   .Attr("N", static_cast<int64_t>(parts.size()))
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}
std::vector<SparseTensor> SparseSplit(Output axis, const SparseTensor& x, int64_t num_split,
                                      OpOptions o, Location where) {
  NodeBuilder builder("SparseSplit", o.name, where);
  Node* node = Inputs(builder.Input(axis), x).Attr("num_split", num_split).BuildNode();
  std::vector<SparseTensor> parts(static_cast<size_t>(std::max<int64_t>(num_split, 0)));
  const int n = static_cast<int>(parts.size());
  for (int p = 0; node != nullptr && p < n; ++p)
    parts[p] = {node->output(p), node->output(n + p), node->output(2 * n + p)};
  return parts;
}
SparseTensor SparseSlice(const SparseTensor& x, Output start, Output size, OpOptions o,
                         Location where) {
  NodeBuilder builder("SparseSlice", o.name, where);
  Node* node = Inputs(builder, x).Input(start).Input(size).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}
Output SparseSliceGrad(Output grad, Output input_indices, Output input_start, Output output_indices,
                       OpOptions o, Location where) {
  return NodeBuilder("SparseSliceGrad", o.name, where)
      .Input(grad)
      .Input(input_indices)
      .Input(input_start)
      .Input(output_indices)
      .Build();
}
FilledRows SparseFillEmptyRows(const SparseTensor& x, Output default_value, OpOptions o,
                               Location where) {
  NodeBuilder builder("SparseFillEmptyRows", o.name, where);
  Node* node = Inputs(builder, x).Input(default_value).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2), node->output(3)};
}
FilledRowsGrad SparseFillEmptyRowsGrad(Output reverse_index_map, Output grad, OpOptions o,
                                       Location where) {
  Node* node = NodeBuilder("SparseFillEmptyRowsGrad", o.name, where)
                   .Input(reverse_index_map)
                   .Input(grad)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

void DefineSparseTensor(OpRegistry& ops) {
  const DTypeSet numbers = kNumberTypes | DTypeSet{DType::kQInt8, DType::kQUInt8, DType::kQInt32};
  ops.Define("SparseReorder")
      .TypeAttr("T", kAllTypes)
      .Input("input_indices", "int64")
      .Input("input_values", "T")
      .Input("input_shape", "int64")
      .Output("output_indices", "int64")
      .Output("output_values", "T")
      .Shape(ReorderShape)
      .Gradient(ReorderGradient)
      .Cpu({.types = {{"T", kValueTypes}}, .make = MakeSparseReorderCpu})
      .Doc("Entries in row-major order.");
  ops.Define("SparseReshape")
      .Input("input_indices", "int64")
      .Input("input_shape", "int64")
      .Input("new_shape", "int64")
      .Output("output_indices", "int64")
      .Output("output_shape", "int64")
      .Shape(ReshapeShape)
      .Cpu({.make = MakeSparseReshapeCpu})
      .Doc("Indices of entries in another shape.");
  ops.Define("SparseConcat")
      .Attr("concat_dim", AttrKind::kInt)
      .Attr({.name = "N", .kind = AttrKind::kInt, .minimum = 2})
      .TypeAttr("T", kAllTypes)
      .InputList("indices", "int64", "N")
      .InputList("values", "T", "N")
      .InputList("shapes", "int64", "N")
      .Output("output_indices", "int64")
      .Output("output_values", "T")
      .Output("output_shape", "int64")
      .Shape(ConcatShape)
      .NoGradient()
      .Cpu(
          {.types = {{"T", kValueTypes - DTypeSet(DType::kResource)}}, .make = MakeSparseConcatCpu})
      .Doc("Sparse tensors side by side.");
  ops.Define("SparseSplit")
      .Attr({.name = "num_split", .kind = AttrKind::kInt, .minimum = 1})
      .TypeAttr("T", kAllTypes)
      .Input("split_dim", "int64")
      .Input("indices", "int64")
      .Input("values", "T")
      .Input("shape", "int64")
      .OutputList("output_indices", "int64", "num_split")
      .OutputList("output_values", "T", "num_split")
      .OutputList("output_shape", "int64", "num_split")
      .Shape(SplitShape)
      .Cpu({.types = {{"T", kValueTypes}}, .make = MakeSparseSplitCpu})
      .Doc("Parts of a sparse tensor along a dimension.");
  ops.Define("SparseSlice")
      .TypeAttr("T", kAllTypes)
      .Input("indices", "int64")
      .Input("values", "T")
      .Input("shape", "int64")
      .Input("start", "int64")
      .Input("size", "int64")
      .Output("output_indices", "int64")
      .Output("output_values", "T")
      .Output("output_shape", "int64")
      .Shape(SliceShape)
      .Gradient(SliceGradient)
      .Cpu({.types = {{"T", kValueTypes}}, .make = MakeSparseSliceCpu})
      .Doc("The entries within a box.");
  ops.Define("SparseSliceGrad")
      .TypeAttr("T", numbers)
      .Input("backprop_val_grad", "T")
      .Input("input_indices", "int64")
      .Input("input_start", "int64")
      .Input("output_indices", "int64")
      .Output("val_grad", "T")
      .Shape(SliceGradShape)
      .Cpu({.types = {{"T", kCommonNumberTypes}}, .make = MakeSparseSliceGradCpu})
      .Doc("The gradient of SparseSlice's values.");
  ops.Define("SparseFillEmptyRows")
      .TypeAttr("T", kAllTypes)
      .Input("indices", "int64")
      .Input("values", "T")
      .Input("dense_shape", "int64")
      .Input("default_value", "T")
      .Output("output_indices", "int64")
      .Output("output_values", "T")
      .Output("empty_row_indicator", "bool")
      .Output("reverse_index_map", "int64")
      .Shape(FillShape)
      .Gradient(FillGradient)
      .Cpu({.types = {{"T", kValueTypes - DTypeSet(DType::kResource)}},
            .make = MakeSparseFillEmptyRowsCpu})
      .Doc("An entry in every row.");
  ops.Define("SparseFillEmptyRowsGrad")
      .TypeAttr("T", kAllTypes)
      .Input("reverse_index_map", "int64")
      .Input("grad_values", "T")
      .Output("d_values", "T")
      .Output("d_default_value", "T")
      .Shape(FillGradShape)
      .Cpu({.types = {{"T", kCommonNumberTypes}}, .make = MakeSparseFillEmptyRowsGradCpu})
      .Doc("The gradient of SparseFillEmptyRows.");
}

}  // namespace headrace
