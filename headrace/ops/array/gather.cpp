#include "headrace/ops/array/gather.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/gather_gradient.h"
#include "headrace/ops/array/gather_kernels.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/state/resource_variable.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

Status GatherShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape params, c.WithRankAtLeast(0, 1));
  const PartialShape& indices = c.input(1);
  if (!params.has_rank() || !indices.has_rank()) return c.SetOutput(0, PartialShape());
  PartialShape out = PartialShape::OfRank(0);
  for (int64_t d : indices.dims()) out.Append(d);
  for (int i = 1; i < params.rank(); ++i) {
    if (out.rank() == kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    out.Append(params[i]);
  }
  return c.SetOutput(0, out);
}

Status ResourceGatherShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckHandleType(c, 0, c.attrs().Get<DType>("dtype")));
  const PartialShape params = VariableShapeOf(c, 0);
  const PartialShape& indices = c.input(1);
  int64_t batch = c.attrs().Get<int64_t>("batch_dims");
  if (!params.has_rank() || !indices.has_rank()) return c.SetOutput(0, PartialShape());
  if (batch < 0) batch += indices.rank();
  if (batch < 0 || batch > indices.rank() || batch >= params.rank()) {
    return InvalidArgument("batch_dims (", c.attrs().Get<int64_t>("batch_dims"),
                           ") does not fit indices of shape ", indices.ToString(),
                           " and a variable of shape ", params.ToString());
  }
  if (params.rank() - 1 + indices.rank() - batch > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  PartialShape out = PartialShape::OfRank(0);
  for (int i = 0; i < batch; ++i) out.Append(params[i]);
  for (int i = static_cast<int>(batch); i < indices.rank(); ++i) out.Append(indices[i]);
  for (int i = static_cast<int>(batch) + 1; i < params.rank(); ++i) out.Append(params[i]);
  return c.SetOutput(0, out);
}

Status GatherV2Shape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(2));
  const PartialShape& params = c.input(0);
  const PartialShape& indices = c.input(1);
  const auto stated = c.InputAsInts(2);
  if (!params.has_rank()) return c.SetOutput(0, PartialShape());
  const int rank = params.rank();
  if (rank < 1) return InvalidArgument("params must be at least 1 dimensional");
  if (stated.has_value() && (stated->front() < -rank || stated->front() >= rank)) {
    return InvalidArgument("Expected axis in the range [", -rank, ", ", rank, "), but got ",
                           stated->front());
  }
  if (!indices.has_rank()) return c.SetOutput(0, PartialShape());
  int64_t batch_dims = c.attrs().Get<int64_t>("batch_dims");
  if (batch_dims != 0 && (batch_dims < -indices.rank() || batch_dims >= indices.rank())) {
    return InvalidArgument("Expected batch_dims in the range [", -indices.rank(), ", ",
                           indices.rank(), "), but got ", batch_dims);
  }
  if (batch_dims < 0) batch_dims += indices.rank();
  const int batch = static_cast<int>(batch_dims), total = rank - 1 + indices.rank() - batch;
  if (total > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions, got ", total);
  if (!stated.has_value()) return c.SetOutput(0, PartialShape::OfRank(total));
  const int axis = static_cast<int>(stated->front() < 0 ? stated->front() + rank : stated->front());
  if (axis < batch) {
    return InvalidArgument("batch_dims (", batch, ") must be less than or equal to axis (", axis,
                           ").");
  }
  PartialShape out = PartialShape::OfRank(0);
  for (int i = 0; i < axis; ++i) out.Append(params[i]);
  for (int i = batch; i < indices.rank(); ++i) out.Append(indices[i]);
  for (int i = axis + 1; i < rank; ++i) out.Append(params[i]);
  return c.SetOutput(0, out);
}

Status GatherNdShape(ShapeContext& c) {
  // (GatherNd itself moves handles too, as any other values.)
  if (c.node().input_type(0) == DType::kResource && c.attrs().Has("dtype"))
    HR_RETURN_IF_ERROR(CheckHandleType(c, 0, c.attrs().Get<DType>("dtype")));
  const PartialShape params = VariableShapeOf(c, 0);
  const PartialShape& indices = c.input(1);
  if (indices.has_rank() && indices.rank() < 1)
    return InvalidArgument("indices must be at least a vector");
  if (!params.has_rank() || !indices.has_rank() || indices[indices.rank() - 1] < 0) {
    return c.SetOutput(0, PartialShape());
  }
  const int64_t k = indices[indices.rank() - 1];
  if (k > params.rank()) {
    return InvalidArgument("index innermost dimension length must be <= params rank; saw: ", k,
                           " vs. ", params.rank());
  }
  PartialShape out = PartialShape::OfRank(0);
  for (int i = 0; i < indices.rank() - 1; ++i) out.Append(indices[i]);
  for (int i = static_cast<int>(k); i < params.rank(); ++i) {
    if (out.rank() == kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    out.Append(params[i]);
  }
  return c.SetOutput(0, out);
}

Status ScatterNdShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.InputAsShape(2));
  const PartialShape& indices = c.input(0);
  const PartialShape& updates = c.input(1);
  if (indices.has_rank() && updates.has_rank() && indices.rank() >= 1) {
    const int outer = indices.rank() - 1;
    bool match = updates.rank() >= outer;
    for (int i = 0; match && i < outer; ++i)
      match = updates[i] < 0 || indices[i] < 0 || updates[i] == indices[i];
    if (!match) {
      return InvalidArgument("Outer dimensions of indices and update must match. Indices shape: ",
                             indices.ToString(), ", updates shape:", updates.ToString());
    }
    const int64_t k = indices[outer];
    if (shape.has_rank() && k >= 0) {
      match = k <= shape.rank() && updates.rank() - outer == shape.rank() - k;
      for (int i = static_cast<int>(k); match && i < shape.rank(); ++i) {
        const int64_t u = updates[outer + i - static_cast<int>(k)];
        match = u < 0 || shape[i] < 0 || u == shape[i];
      }
      if (!match) {
        return InvalidArgument(
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            "Output: ",
            shape.ToString(), " updates: ", updates.ToString());
      }
    }
  }
  return c.SetOutput(0, shape);
}

Status GatherNdGradient(GradContext& c) {
  const Output indices = c.input(1);
  const DType type = indices.value_dtype();
  const Output shape = c.input(0).value_dtype() == DType::kResource
                           ? VariableShapeOp(c.input(0), type, {}, c.where())
                           : ShapeOf(c.input(0), {.out_type = type}, c.where());
  if (indices.shape().rank() == 2 && indices.shape()[1] == 1) {
    const Output grad = c.grad();
    c.Set(0, IndexedSlices{grad, Squeeze(indices, {.axis = {-1}}, c.where()), shape});
  } else {
    c.Set(0, ScatterNd(indices, c.grad(), shape, {}, c.where()));
  }
  return absl::OkStatus();
}

Status ScatterNdGradient(GradContext& c) {
  c.Set(1, GatherNd(c.grad(), c.input(0), {}, c.where()));
  return absl::OkStatus();
}

}  // namespace

Output ResourceGather(Output handle, Output indices, ResourceGatherOptions o, Location where) {
  return NodeBuilder("ResourceGather", o.name, where)
      .Input(handle)
      .Input(indices)
      .Attr("dtype", HandleOf(handle).dtype)
      .Attr("batch_dims", o.batch_dims)
      .Attr("validate_indices", o.validate_indices)
      .Build();
}
Output ResourceGatherNd(Output handle, Output indices, OpOptions o, Location where) {
  return NodeBuilder("ResourceGatherNd", o.name, where)
      .Input(handle)
      .Input(indices)
      .Attr("dtype", HandleOf(handle).dtype)
      .Build();
}

Output Gather(Output params, Output indices, GatherOptions o, Location where) {
  if (!params.valid() || !o.axis.valid()) return {};
  Graph& g = *params.graph();
  std::optional<OpScope> scope;
  if (!o.axis.is_output()) scope.emplace(g, o.name, "GatherV2");
  const Output axis = o.axis.In(g, "axis", DType::kInt32, where);
  return NodeBuilder(g, "GatherV2", scope.has_value() ? scope->op_name() : o.name, where)
      .Input(params)
      .Input(indices)
      .Input(axis)
      .Attr("batch_dims", o.batch_dims)
      .Build();
}

Output GatherNd(Output params, Output indices, OpOptions o, Location where) {
  return NodeBuilder("GatherNd", o.name, where).Input(params).Input(indices).Build();
}

Output ScatterNd(Output indices, Output updates, IntArg shape, OpOptions o, Location where) {
  if (!indices.valid() || !shape.valid()) return {};
  Graph& g = *indices.graph();
  std::optional<OpScope> scope;
  if (!shape.is_output()) scope.emplace(g, o.name, "ScatterNd");
  const Output s = shape.In(g, "shape", indices.value_dtype(), where);
  return NodeBuilder(g, "ScatterNd", scope.has_value() ? scope->op_name() : o.name, where)
      .Input(indices)
      .Input(updates)
      .Input(s)
      .Build();
}

void DefineGather(OpRegistry& ops) {
  const DTypeSet types = kMovedTypes;
  ops.Define("Gather")
      .Attr("validate_indices", true)
      .TypeAttr("Tparams", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .Input("params", "Tparams")
      .Input("indices", "Tindices")
      .Output("output", "Tparams")
      .Shape(GatherShape)
      .Gradient(GatherGradient)
      .Cpu({.types = {{"Tparams", types}}, .make = MakeGatherCpu})
      .Gpu({.types = {{"Tparams", kGpuMovedTypes}}})
      .Doc("Rows of a tensor by index.");
  ops.Define("GatherV2")
      .Attr("batch_dims", int64_t{0})
      .TypeAttr("Tparams", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .TypeAttr("Taxis", kIndexTypes)
      .Input("params", "Tparams")
      .Input("indices", "Tindices")
      .Input("axis", "Taxis")
      .Output("output", "Tparams")
      .Shape(GatherV2Shape)
      .Gradient(GatherV2Gradient)
      .Cpu({.types = {{"Tparams", types}}, .make = MakeGatherCpu})
      .Gpu({.types = {{"Tparams", kGpuMovedTypes}}, .host_args = {"axis"}})
      .Doc("Parts of a tensor along an axis, by index.");
  ops.Define("GatherNd")
      .TypeAttr("Tparams", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .Input("params", "Tparams")
      .Input("indices", "Tindices")
      .Output("output", "Tparams")
      .Shape(GatherNdShape)
      .Gradient(GatherNdGradient)
      .Cpu({.types = {{"Tparams", types}}, .make = MakeGatherNdCpu})
      .Gpu({.types = {{"Tparams",
                       kGpuFloatTypes | DTypeSet{DType::kInt32, DType::kInt64, DType::kComplex64,
                                                 DType::kComplex128}}}})
      .Doc("Slices of a tensor by index vectors.");
  ops.Define("ScatterNd")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .Input("indices", "Tindices")
      .Input("updates", "T")
      .Input("shape", "Tindices")
      .Output("output", "T")
      .Shape(ScatterNdShape)
      .Gradient(ScatterNdGradient)
      .Cpu({.types = {{"T", kCommonNumberTypes | DTypeSet{DType::kBool, DType::kString}}},
            .make = MakeScatterNdCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes |
                                DTypeSet{DType::kInt32, DType::kComplex64, DType::kComplex128}}},
            .host_args = {"shape"}})
      .Doc("Slices added into zeros at index vectors.");
  ops.Define("ResourceGather")
      .Attr("batch_dims", int64_t{0})
      .Attr("validate_indices", true)
      .TypeAttr("dtype", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .Input("resource", "resource")
      .Input("indices", "Tindices")
      .Output("output", "dtype")
      .Shape(ResourceGatherShape)
      .Gradient(ResourceGatherGradient)
      .Stateful()
      .Cpu({.types = {{"dtype", types}}, .make = MakeGatherCpu})
      .Gpu({.types = {{"dtype", kGpuFloatTypes | kComplexTypes | kBoolOnly}},
            .host_args = {"resource"}})
      .Doc("Rows of a variable by index.");
  ops.Define("ResourceGatherNd")
      .TypeAttr("dtype", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .Input("resource", "resource")
      .Input("indices", "Tindices")
      .Output("output", "dtype")
      .Shape(GatherNdShape)
      .Gradient(GatherNdGradient)
      .Stateful()
      .Cpu({.types = {{"dtype", types}}, .make = MakeGatherNdCpu})
      .Gpu({.types = {{"dtype", kGpuFloatTypes}}, .host_args = {"resource"}})
      .Doc("Slices of a variable by index vectors.");
}

}  // namespace headrace
