#include "headrace/ops/array/tensor_scatter.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/tensor_scatter_kernels.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

Status ScatterShape(ShapeContext& c) {
  const PartialShape& whole = c.input(0);
  const PartialShape& indices = c.input(1);
  const PartialShape& updates = c.input(2);
  HR_RETURN_IF_ERROR(c.SetOutput(0, whole));
  if (!whole.has_rank() || !indices.has_rank() || !updates.has_rank()) return absl::OkStatus();
  if (indices.rank() < 1)
    return InvalidArgument("Indices shape must have rank at least one. Found:[]");
  const int outer = indices.rank() - 1;
  const int64_t k = indices[outer];
  if (k > whole.rank()) {
    return InvalidArgument(
        "index innermost dimension length must be <= rank of output shape; saw: ", k, " vs. ",
        whole.rank());
  }
  bool match = updates.rank() >= outer;
  for (int i = 0; match && i < outer; ++i)
    match = updates[i] < 0 || indices[i] < 0 || updates[i] == indices[i];
  if (!match) {
    return InvalidArgument("Outer dimensions of indices and update must match. Indices shape: ",
                           indices.ToString(), ", updates shape:", updates.ToString());
  }
  if (k < 0) return absl::OkStatus();
  match = updates.rank() - outer == whole.rank() - k;
  for (int i = static_cast<int>(k); match && i < whole.rank(); ++i) {
    const int64_t update = updates[outer + i - static_cast<int>(k)];
    match = update < 0 || whole[i] < 0 || update == whole[i];
  }
  if (!match) {
    return InvalidArgument(
        "Inner dimensions of output shape must match inner dimensions of updates shape. Output: ",
        whole.ToString(), " updates: ", updates.ToString());
  }
  return absl::OkStatus();
}

Status InplaceShape(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  HR_ASSIGN_OR_RETURN(const PartialShape i, c.WithRank(1, 1));
  const PartialShape& v = c.input(2);
  HR_RETURN_IF_ERROR(c.SetOutput(0, x));
  if (!x.has_rank() || !v.has_rank()) return absl::OkStatus();
  bool fits = x.rank() >= 1 && x.rank() == v.rank() && (i[0] < 0 || v[0] < 0 || i[0] == v[0]);
  for (int d = 1; fits && d < x.rank(); ++d) fits = x[d] < 0 || v[d] < 0 || x[d] == v[d];
  if (!fits) {
    return InvalidArgument("v must hold a row of x for each of i: x has shape ", x.ToString(),
                           ", i ", i.ToString(), ", v ", v.ToString());
  }
  return absl::OkStatus();
}

Status UpdateGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad(), indices = c.input(1);
  const Output updates = GatherNd(grad, indices, {}, where);
  const Output copy = Identity(grad, {}, where);
  const Output zeros = ZerosLike(c.input(2), {.dtype = grad.value_dtype()}, where);
  c.Set(0, TensorScatterUpdate(copy, indices, zeros, {}, where));
  c.Set(2, updates);
  return absl::OkStatus();
}

Status AddGradient(GradContext& c) {
  const Location where = c.where();
  const Output updates = GatherNd(c.grad(), c.input(1), {}, where);
  c.Set(0, Identity(c.grad(), {}, where));
  const bool minus = c.node().op_name() == "TensorScatterSub";
  c.Set(2, minus ? Neg(updates, {}, where) : updates);
  return absl::OkStatus();
}

Status NonAliasingAddGradient(GradContext& c) {
  const Output updates = GatherNd(c.grad(), c.input(1), {}, c.where());
  c.Set(0, c.grad());
  c.Set(2, updates);
  return absl::OkStatus();
}

Output Make(std::string_view op, Output whole, Output indices, Output updates, const OpOptions& o,
            Location where) {
  return NodeBuilder(op, o.name, where).Input(whole).Input(indices).Input(updates).Build();
}

OpDef& DefineScatter(OpRegistry& ops, std::string_view name, std::string_view input, DTypeSet types,
                     DTypeSet cpu, GradientFn gradient, std::string_view doc) {
  return ops.Define(name)
      .TypeAttr("T", types)
      .TypeAttr("Tindices", kIndexTypes)
      .Input(input, "T")
      .Input("indices", "Tindices")
      .Input("updates", "T")
      .Output("output", "T")
      .Shape(ScatterShape)
      .Gradient(gradient)
      .InPlace(0, 0)
      .Cpu({.types = {{"T", cpu}}, .make = MakeTensorScatterCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes | kComplexTypes | kInt32Only}}})
      .Doc(doc);
}

}  // namespace

#define HR_TENSOR_SCATTER_(NAME)                                                           \
  Output NAME(Output whole, Output indices, Output updates, OpOptions o, Location where) { \
    return Make(#NAME, whole, indices, updates, o, where);                                 \
  }
HR_TENSOR_SCATTER_(TensorScatterUpdate)
HR_TENSOR_SCATTER_(TensorScatterAdd)
HR_TENSOR_SCATTER_(TensorScatterSub)
HR_TENSOR_SCATTER_(ScatterNdNonAliasingAdd)
HR_TENSOR_SCATTER_(InplaceUpdate)
HR_TENSOR_SCATTER_(InplaceAdd)
HR_TENSOR_SCATTER_(InplaceSub)
#undef HR_TENSOR_SCATTER_

void DefineTensorScatter(OpRegistry& ops) {
  const DTypeSet moved = kNumberTypes | DTypeSet{DType::kBool, DType::kString};
  DefineScatter(ops, "TensorScatterUpdate", "tensor", kAllTypes, moved, UpdateGradient,
                "A tensor with slices replaced.");
  DefineScatter(ops, "TensorScatterAdd", "tensor", kAllTypes, kNumberTypes, AddGradient,
                "A tensor with slices added to.");
  DefineScatter(ops, "TensorScatterSub", "tensor", kAllTypes, kNumberTypes, AddGradient,
                "A tensor with slices subtracted from.");
  DefineScatter(
      ops, "ScatterNdNonAliasingAdd", "input",
      kNumberTypes | DTypeSet{DType::kBool, DType::kQInt8, DType::kQUInt8, DType::kQInt32},
      kNumberTypes | kBoolOnly, NonAliasingAddGradient, "A tensor with slices added to.");
  for (const char* name : {"InplaceUpdate", "InplaceAdd", "InplaceSub"}) {
    ops.Define(name)
        .TypeAttr("T", kAllTypes)
        .Input("x", "T")
        .Input("i", "int32")
        .Input("v", "T")
        .Output("y", "T")
        .Shape(InplaceShape)
        .InPlace(0, 0)
        .Cpu({.types = {{"T", std::string_view(name) == "InplaceUpdate" ? moved : kNumberTypes}},
              .make = MakeInplaceCpu})
        .Gpu({.types = {{"T", kGpuMovedTypes - kBoolOnly}}})
        .Doc("A tensor with some rows replaced, added to or subtracted from.");
  }
}

}  // namespace headrace
