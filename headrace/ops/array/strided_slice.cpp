#include "headrace/ops/array/strided_slice.h"

#include <algorithm>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice_kernels.h"
#include "headrace/ops/array/strided_slice_spec.h"
#include "headrace/ops/array/tensor_scatter.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/state/ref_op.h"
#include "headrace/ops/state/resource_variable.h"

namespace headrace {
namespace {

// begin, end and strides are inputs [first, first + 3).
Status CheckVectors(ShapeContext& c, int first) {
  int64_t length = PartialShape::kUnknown;
  for (int i = first; i < first + 3; ++i) {
    HR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(i, 1));
    if (shape[0] >= 0 && length >= 0 && shape[0] != length) {
      return InvalidArgument(
          "Expected begin, end, and strides to be 1D equal size tensors, but got shapes ",
          c.input(first).ToString(), ", ", c.input(first + 1).ToString(), ", and ",
          c.input(first + 2).ToString(), " instead.");
    }
    length = std::max(length, shape[0]);
  }
  return absl::OkStatus();
}

StatusOr<std::optional<IntValues>> KnownValues(ShapeContext& c, int input, std::string_view what) {
  const Tensor* value = c.input_value(input);
  if (value == nullptr) return std::optional<IntValues>();
  HR_ASSIGN_OR_RETURN(IntValues values, IntValues::From(*value, what));
  return std::optional<IntValues>(values);
}

Status StridedSliceShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckVectors(c, 1));
  HR_ASSIGN_OR_RETURN(const auto begin, KnownValues(c, 1, "begin"));
  HR_ASSIGN_OR_RETURN(const auto end, KnownValues(c, 2, "end"));
  HR_ASSIGN_OR_RETURN(const auto strides, KnownValues(c, 3, "strides"));
  if (!c.input(0).has_rank() || !strides.has_value()) return c.SetOutput(0, PartialShape());
  HR_ASSIGN_OR_RETURN(const ResolvedSlice slice,
                      ResolveStridedSlice(c.input(0), begin.has_value() ? &*begin : nullptr,
                                          end.has_value() ? &*end : nullptr, *strides,
                                          StridedSliceMasks::FromAttrs(c.attrs())));
  return c.SetOutput(0, slice.shape);
}

Status StridedSliceGradShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckVectors(c, 1));
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.InputAsShape(0));
  return c.SetOutput(0, shape);
}

StridedSliceOptions SameMasks(const AttrMap& attrs) {
  const StridedSliceMasks m = StridedSliceMasks::FromAttrs(attrs);
  return {.begin_mask = m.begin,
          .end_mask = m.end,
          .ellipsis_mask = m.ellipsis,
          .new_axis_mask = m.new_axis,
          .shrink_axis_mask = m.shrink_axis};
}

Status StridedSliceGradient(GradContext& c) {
  const Output shape = ShapeOf(c.input(0), {.out_type = c.input(1).value_dtype()}, c.where());
  c.Set(0, StridedSliceGrad(shape, c.input(1), c.input(2), c.input(3), c.grad(),
                            SameMasks(c.attrs()), c.where()));
  return absl::OkStatus();
}

Status StridedSliceGradGradient(GradContext& c) {
  c.Set(4, StridedSlice(c.grad(), c.input(1), c.input(2), c.input(3), SameMasks(c.attrs()),
                        c.where()));
  return absl::OkStatus();
}

NodeBuilder& Masks(NodeBuilder& builder, const StridedSliceOptions& o) {
  return builder.Attr("begin_mask", o.begin_mask)
      .Attr("end_mask", o.end_mask)
      .Attr("ellipsis_mask", o.ellipsis_mask)
      .Attr("new_axis_mask", o.new_axis_mask)
      .Attr("shrink_axis_mask", o.shrink_axis_mask);
}

OpDef& MaskAttrs(OpDef& op) {
  for (const char* name :
       {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    op.Attr(name, int64_t{0});
  }
  return op;
}

// The vectors as tensors of one index dtype; constants go into the current scope.
struct Bounds {
  Output begin, end, strides;
};
Bounds BoundTensors(Graph& g, const IntArg& begin, const IntArg& end, const IntArg& strides,
                    Location where) {
  DType type = DType::kInt32;
  for (const IntArg* arg : {&begin, &end, &strides}) {
    if (arg->is_output()) type = arg->output().value_dtype();
  }
  return {begin.In(g, "begin", type, where), end.In(g, "end", type, where),
          strides.In(g, "strides", type, where)};
}

}  // namespace

SliceIndex SliceIndex::Range(IntArg begin, IntArg end, IntArg step) {
  return SliceIndex(Kind::kRange, std::move(begin), std::move(end), std::move(step));
}
SliceIndex SliceIndex::From(IntArg begin, IntArg step) {
  return SliceIndex(Kind::kRange, std::move(begin), std::nullopt, std::move(step));
}
SliceIndex SliceIndex::To(IntArg end, IntArg step) {
  return SliceIndex(Kind::kRange, std::nullopt, std::move(end), std::move(step));
}
SliceIndex SliceIndex::All(IntArg step) {
  return SliceIndex(Kind::kRange, std::nullopt, std::nullopt, std::move(step));
}
SliceIndex SliceIndex::NewAxis() {
  return SliceIndex(Kind::kNewAxis, std::nullopt, std::nullopt, 1);
}
SliceIndex SliceIndex::Rest() {
  return SliceIndex(Kind::kRest, std::nullopt, std::nullopt, 1);
}

Output At(Output x, std::vector<SliceIndex> indices, OpOptions o, Location where) {
  if (!x.valid()) return {};
  Graph& g = *x.graph();
  StridedSliceOptions masks;
  std::vector<IntArg> begin, end, strides;
  for (size_t i = 0; i < indices.size(); ++i) {
    const SliceIndex& index = indices[i];
    const int64_t bit = int64_t{1} << i;
    begin.push_back(index.begin_.value_or(0));
    strides.push_back(index.step_);
    switch (index.kind_) {
      case SliceIndex::Kind::kIndex:
        masks.shrink_axis_mask |= bit;
        end.push_back(begin.back().is_output()
                          ? IntArg(array_grad::Add(begin.back().output(), 1, where))
                          : IntArg(begin.back().values().front() + 1));
        break;
      case SliceIndex::Kind::kRange:
        if (!index.begin_.has_value()) masks.begin_mask |= bit;
        if (!index.end_.has_value()) masks.end_mask |= bit;
        end.push_back(index.end_.value_or(0));
        break;
      case SliceIndex::Kind::kNewAxis:
        masks.new_axis_mask |= bit;
        end.push_back(0);
        break;
      case SliceIndex::Kind::kRest:
        masks.ellipsis_mask |= bit;
        end.push_back(0);
        break;
    }
    if (!begin.back().valid() || !end.back().valid() || !strides.back().valid()) return {};
  }
  const OpScope scope(g, o.name, "strided_slice");
  std::vector<Output> bounds;
  for (std::vector<IntArg>* part : {&begin, &end, &strides}) {
    bounds.push_back(IntArg::Packed(std::move(*part)).In(g, "stack", DType::kInt32, where));
    if (!bounds.back().valid()) return {};
  }
  const bool wide =
      std::ranges::any_of(bounds, [](Output b) { return b.value_dtype() == DType::kInt64; });
  for (Output& bound : bounds) {
    if (wide) bound = Cast(bound, DType::kInt64, {}, where);
  }
  NodeBuilder builder(g, "StridedSlice", scope.op_name(), where);
  return Masks(builder.Input(x).Inputs(bounds), masks).Build();
}

Output StridedSlice(Output x, IntArg begin, IntArg end, IntArg strides, StridedSliceOptions o,
                    Location where) {
  if (!x.valid() || !begin.valid() || !end.valid() || !strides.valid()) return {};
  Graph& g = *x.graph();
  std::optional<OpScope> scope;
  if (!begin.is_output() || !end.is_output() || !strides.is_output())
    scope.emplace(g, o.name, "StridedSlice");
  const Bounds bounds = BoundTensors(g, begin, end, strides, where);
  NodeBuilder builder(g, "StridedSlice", scope.has_value() ? scope->op_name() : o.name, where);
  return Masks(builder.Input(x).Input(bounds.begin).Input(bounds.end).Input(bounds.strides), o)
      .Build();
}

Output StridedSliceGrad(Output shape, Output begin, Output end, Output strides, Output dy,
                        StridedSliceOptions o, Location where) {
  NodeBuilder builder("StridedSliceGrad", o.name, where);
  return Masks(builder.Input(shape).Input(begin).Input(end).Input(strides).Input(dy), o).Build();
}

Output StridedSliceAssign(Output ref, IntArg begin, IntArg end, IntArg strides, Output value,
                          StridedSliceOptions o, Location where) {
  if (!ref.valid() || !begin.valid() || !end.valid() || !strides.valid()) return {};
  Graph& g = *ref.graph();
  const OpScope scope(g, o.name, "StridedSliceAssign");
  const Bounds bounds = BoundTensors(g, begin, end, strides, where);
  const RefColocation with_variable{ref};
  NodeBuilder builder(g, "StridedSliceAssign", scope.op_name(), where);
  return Masks(builder.Input(ref)
                   .Input(bounds.begin)
                   .Input(bounds.end)
                   .Input(bounds.strides)
                   .Input(value),
               o)
      .Build();
}

Node* ResourceStridedSliceAssign(Output handle, Output begin, Output end, Output strides,
                                 Output value, StridedSliceOptions o, Location where) {
  NodeBuilder builder("ResourceStridedSliceAssign", o.name, where);
  return Masks(builder.Input(handle).Input(begin).Input(end).Input(strides).Input(value), o)
      .BuildNode();
}

Output TensorStridedSliceUpdate(Output input, IntArg begin, IntArg end, IntArg strides,
                                Output value, StridedSliceOptions o, Location where) {
  if (!input.valid() || !begin.valid() || !end.valid() || !strides.valid()) return {};
  Graph& g = *input.graph();
  const OpScope scope(g, o.name, "TensorStridedSliceUpdate");
  const Bounds bounds = BoundTensors(g, begin, end, strides, where);
  NodeBuilder builder(g, "TensorStridedSliceUpdate", scope.op_name(), where);
  return Masks(builder.Input(input)
                   .Input(bounds.begin)
                   .Input(bounds.end)
                   .Input(bounds.strides)
                   .Input(value),
               o)
      .Build();
}

void DefineStridedSlice(OpRegistry& ops) {
  const DTypeSet types = kMovedTypes - kQuantizedTypes;
  MaskAttrs(ops.Define("StridedSlice").TypeAttr("T", kAllTypes).TypeAttr("Index", kIndexTypes))
      .Input("input", "T")
      .Input("begin", "Index")
      .Input("end", "Index")
      .Input("strides", "Index")
      .Output("output", "T")
      .Shape(StridedSliceShape)
      .Gradient(StridedSliceGradient)
      .Cpu({.types = {{"T", types}}, .make = MakeStridedSliceCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"begin", "end", "strides"}})
      .Gpu({.types = {{"T", kInt32Only}},
            .host_args = {"input", "begin", "end", "strides", "output"}})
      .Doc("Part of a tensor by begin, end and stride in each dimension.");
  MaskAttrs(ops.Define("StridedSliceGrad").TypeAttr("T", kAllTypes).TypeAttr("Index", kIndexTypes))
      .Input("shape", "Index")
      .Input("begin", "Index")
      .Input("end", "Index")
      .Input("strides", "Index")
      .Input("dy", "T")
      .Output("output", "T")
      .Shape(StridedSliceGradShape)
      .Gradient(StridedSliceGradGradient)
      .Cpu({.types = {{"T", types}}, .make = MakeStridedSliceGradCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"shape", "begin", "end", "strides"}})
      .Gpu({.types = {{"T", kInt32Only}},
            .host_args = {"shape", "begin", "end", "strides", "dy", "output"}})
      .Doc("The gradient of StridedSlice: dy in a tensor of zeros.");
  MaskAttrs(
      ops.Define("StridedSliceAssign").TypeAttr("T", kAllTypes).TypeAttr("Index", kIndexTypes))
      .RefInput("ref", "T")
      .Input("begin", "Index")
      .Input("end", "Index")
      .Input("strides", "Index")
      .Input("value", "T")
      .RefOutput("output_ref", "T")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .WritesVariable(0)
      .Cpu({.types = {{"T", types}}, .make = MakeStridedSliceAssignCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"begin", "end", "strides"}})
      .Doc("Writes part of a variable.");
  MaskAttrs(ops.Define("ResourceStridedSliceAssign")
                .TypeAttr("T", kAllTypes)
                .TypeAttr("Index", kIndexTypes))
      .Input("ref", "resource")
      .Input("begin", "Index")
      .Input("end", "Index")
      .Input("strides", "Index")
      .Input("value", "T")
      .Shape(NoShape)
      .Stateful()
      .WritesVariable(0)
      .Cpu({.types = {{"T", types}}, .make = MakeStridedSliceAssignCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"ref", "begin", "end", "strides"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"ref", "begin", "end", "strides", "value"}})
      .Doc("Writes part of a variable.");
  MaskAttrs(ops.Define("TensorStridedSliceUpdate")
                .TypeAttr("T", kAllTypes)
                .TypeAttr("Index", kIndexTypes))
      .Input("input", "T")
      .Input("begin", "Index")
      .Input("end", "Index")
      .Input("strides", "Index")
      .Input("value", "T")
      .Output("output", "T")
      .Shape(SameShapeAsInput)
      .InPlace(0, 0)
      .Cpu({.types = {{"T", types}}, .make = MakeTensorStridedSliceUpdateCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"begin", "end", "strides"}})
      .Doc("A tensor with part of it replaced.");
}

}  // namespace headrace
