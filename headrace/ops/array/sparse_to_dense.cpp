#include "headrace/ops/array/sparse_to_dense.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/sparse_to_dense_kernels.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

Status DenseShape(ShapeContext& c) {
  const PartialShape& indices = c.input(0);
  if (indices.has_rank() && indices.rank() > 2) {
    return InvalidArgument("sparse_indices should be a scalar, vector, or matrix, got shape ",
                           indices.ToString());
  }
  HR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  if (c.input(2).has_rank() && c.input(2).rank() > 1) {
    return InvalidArgument("sparse_values must be a scalar or a vector, got shape ",
                           c.input(2).ToString());
  }
  HR_RETURN_IF_ERROR(c.CheckScalar(3));
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.InputAsShape(1));
  return c.SetOutput(0, shape);
}

Status DenseGradient(GradContext& c) {
  const Location where = c.where();
  const Output values = GatherNd(c.grad(), c.input(0), {}, where);
  const Output all = ReduceSum(c.grad(), {}, {}, where);
  c.Set(2, values);
  c.Set(3, Sub(all, ReduceSum(values, {}, {}, where), {.name = "sub"}, where));
  return absl::OkStatus();
}

}  // namespace

Output SparseToDense(Output sparse_indices, IntArg output_shape, Output sparse_values,
                     SparseToDenseOptions o, Location where) {
  if (!sparse_indices.valid() || !sparse_values.valid() || !output_shape.valid()) return {};
  Graph& g = *sparse_values.graph();
  const OpScope scope(g, o.name, "SparseToDense");
  const Output shape = output_shape.In(g, "output_shape", sparse_indices.value_dtype(), where);
  const Output other = ConstScalar(g, o.default_value, sparse_values.value_dtype(),
                                   {.name = "default_value"}, where);
  return NodeBuilder(g, "SparseToDense", scope.op_name(), where)
      .Input(sparse_indices)
      .Input(shape)
      .Input(sparse_values)
      .Input(other)
      .Attr("validate_indices", o.validate_indices)
      .Build();
}

void DefineSparseToDense(OpRegistry& ops) {
  ops.Define("SparseToDense")
      .Attr("validate_indices", true)
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .Input("sparse_indices", "Tindices")
      .Input("output_shape", "Tindices")
      .Input("sparse_values", "T")
      .Input("default_value", "T")
      .Output("dense", "T")
      .Shape(DenseShape)
      .Gradient(DenseGradient)
      .Cpu({.types = {{"T", kCpuNumberTypes | kBoolOnly | kStringOnly}},
            .make = MakeSparseToDenseCpu})
      .Doc("A dense tensor from the values at a few places.");
}

}  // namespace headrace
