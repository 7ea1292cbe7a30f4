#include "headrace/ops/array/constant.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant_kernels.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// Larger ones are a Fill, so that graph files stay small.
constexpr int64_t kLargestFilledConstant = 1000;

Status ConstShape(ShapeContext& c) {
  const Tensor& value = c.attrs().Get<Tensor>("value");
  if (value.dtype() != c.attrs().Get<DType>("dtype")) {
    return InvalidArgument("attribute 'value' is of ", DTypeName(value.dtype()),
                           ", attribute 'dtype' says ", DTypeName(c.attrs().Get<DType>("dtype")));
  }
  return c.SetOutput(0, value.shape());
}

Status FillShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  HR_ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(0));
  return c.SetOutput(0, shape);
}

Status FillGradient(GradContext& c) {
  c.Set(1, ReduceSum(c.grad(), {}, {}, c.where()));
  return absl::OkStatus();
}

Output Filled(Graph& g, const IntArg& shape, double value, DType dtype, std::string_view name,
              std::string_view default_name, Location where) {
  if (!shape.is_output() && !shape.is_packed()) {
    const auto known = headrace::Shape::Make(shape.values());
    if (!known.ok()) {
      g.ReportError(known.status());
      return {};
    }
    if (known->num_elements() < kLargestFilledConstant) {
      Tensor filled(dtype, *known);
      WorkerPool inline_only(1);
      const Tensor scalar = ScalarTensor(value, dtype);
      FillElements(inline_only, dtype, filled.raw_data(), filled.num_elements(), scalar.raw_data());
      return Const(g, std::move(filled), {.name = std::string(name.empty() ? default_name : name)},
                   where);
    }
  }
  OpScope scope(g, name, default_name);
  const std::string_view dims_name = shape.is_packed() ? "packed" : "shape_as_tensor";
  Output dims = shape.In(g, dims_name, DType::kInt32, where);
  if (dims.shape().has_rank() && dims.shape().rank() == 0) dims = Reshape(dims, {-1}, {}, where);
  const Output fill_value = ConstScalar(g, value, dtype, {}, where);
  return NodeBuilder(g, "Fill", scope.op_name(), where).Input(dims).Input(fill_value).Build();
}

Output FillOf(Graph& g, Output shape, double value, DType dtype, const OpScope& scope,
              Location where) {
  const Output fill_value = ConstScalar(g, value, dtype, {}, where);
  return NodeBuilder(g, "Fill", scope.op_name(), where).Input(shape).Input(fill_value).Build();
}

}  // namespace

Tensor ScalarTensor(double value, DType dtype) {
  Tensor t;
  DispatchDType<kNumberTypes | kBoolOnly | kStringOnly>(dtype, [&]<class T>() {
    if constexpr (std::is_same_v<T, std::string>) {
      t = Tensor::Scalar<T>(T());
    } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                         std::is_same_v<T, std::complex<double>>) {
      t = Tensor::Scalar<T>(T(static_cast<typename T::value_type>(value)));
    } else {
      t = Tensor::Scalar<T>(static_cast<T>(value));
    }
  });
  return t;
}

Output Const(Graph& g, Tensor value, OpOptions o, Location where) {
  if (!value.valid()) {
    g.ReportError(
        InvalidArgument("op 'Const' node '", o.name, "' (", where.ToString(),
                        "): the value is no tensor (a matrix needs rows of equal length)"));
    return {};
  }
  const DType dtype = value.dtype();
  return NodeBuilder(g, "Const", o.name, where)
      .Attr("value", std::move(value))
      .Attr("dtype", dtype)
      .Build();
}

Output Const(Graph& g, std::string_view text, OpOptions o, Location where) {
  return Const(g, Tensor::Scalar<std::string>(std::string(text)), std::move(o), where);
}
Output Const(Graph& g, const char* text, OpOptions o, Location where) {
  return Const(g, std::string_view(text), std::move(o), where);
}
Output Const(Graph& g, std::initializer_list<std::string> texts, OpOptions o, Location where) {
  return Const(g, Tensor::Of<std::string>(texts), std::move(o), where);
}

Output ConstScalar(Graph& g, double value, DType dtype, OpOptions o, Location where) {
  return Const(g, ScalarTensor(value, dtype), std::move(o), where);
}

Output Fill(IntArg dims, Output value, OpOptions o, Location where) {
  if (!value.valid() || (dims.is_output() && !dims.output().valid())) return {};
  Graph& g = *value.graph();
  if (dims.is_output()) {
    return NodeBuilder(g, "Fill", o.name, where).Input(dims.output()).Input(value).Build();
  }
  OpScope scope(g, o.name, "Fill");
  const Output shape = dims.In(g, "dims", DType::kInt32, where);
  return NodeBuilder(g, "Fill", scope.op_name(), where).Input(shape).Input(value).Build();
}

Output ZerosLike(Output x, LikeOptions o, Location where) {
  if (!x.valid()) return {};
  Graph& g = *x.graph();
  const DType dtype = o.dtype == DType::kInvalid ? x.value_dtype() : o.dtype;
  if (o.optimize && x.shape().is_fully_known() && dtype != DType::kVariant) {
    return Filled(g, x.shape().ToShape(), 0, dtype, o.name, "zeros_like", where);
  }
  if (dtype == x.value_dtype()) {
    return NodeBuilder("ZerosLike", o.name.empty() ? "zeros_like" : o.name, where).Input(x).Build();
  }
  const OpScope scope(g, o.name, "zeros_like");
  return FillOf(g, ShapeOf(x, {.optimize = o.optimize}, where), 0, dtype, scope, where);
}

Output OnesLike(Output x, LikeOptions o, Location where) {
  if (!x.valid()) return {};
  Graph& g = *x.graph();
  const DType dtype = o.dtype == DType::kInvalid ? x.value_dtype() : o.dtype;
  const OpScope scope(g, o.name, "ones_like");
  const Output ones =
      FillOf(g, ShapeOf(x, {.optimize = o.optimize}, where), 1, dtype, scope, where);
  if (ones.valid()) {
    if (Status refined = g.RefineShape(ones, x.shape()); !refined.ok()) g.ReportError(refined);
  }
  return ones;
}

Output Zeros(Graph& g, IntArg shape, DType dtype, OpOptions o, Location where) {
  if (shape.is_output() && !shape.output().valid()) return {};
  return Filled(g, shape, 0, dtype, o.name, "zeros", where);
}
Output Ones(Graph& g, IntArg shape, DType dtype, OpOptions o, Location where) {
  if (shape.is_output() && !shape.output().valid()) return {};
  return Filled(g, shape, 1, dtype, o.name, "ones", where);
}

void DefineConstant(OpRegistry& ops) {
  ops.Define("Const")
      .Attr("value", AttrKind::kTensor)
      .TypeAttr("dtype", kAllTypes)
      .Output("output", "dtype")
      .Shape(ConstShape)
      .NoGradient()
      .Cpu({.make = MakeConstCpu})
      .Gpu({.types = {{"dtype", kGpuMovedTypes}}})
      .Gpu({.types = {{"dtype", kInt32Only}}, .host_args = {"output"}})
      .Doc("A tensor stated in the graph.");
  const DTypeSet filled =
      kMovedTypes - DTypeSet{DType::kUInt64, DType::kQInt8, DType::kQInt16, DType::kQInt32};
  ops.Define("Fill")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("index_type", kIndexTypes, DType::kInt32)
      .Input("dims", "index_type")
      .Input("value", "T")
      .Output("output", "T")
      .Shape(FillShape)
      .Gradient(FillGradient)
      .Cpu({.types = {{"T", filled}}, .make = MakeFillCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"dims"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"dims", "value", "output"}})
      .Doc("A tensor of the given shape with one value everywhere.");
  const DTypeSet zeroed = (kCommonNumberTypes | kBoolOnly);
  ops.Define("ZerosLike")
      .TypeAttr("T", kAllTypes)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .InPlace(0, 0)
      .Cpu({.types = {{"T", zeroed | kStringOnly}}, .make = MakeZerosLikeCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes | DTypeSet{DType::kInt64, DType::kComplex64,
                                                      DType::kComplex128, DType::kBool}}}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"y"}})
      .Doc("Zeros of the input's shape and dtype.");
  ops.Define("OnesLike")
      .TypeAttr("T", zeroed)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .InPlace(0, 0)
      .Cpu({.types = {{"T", zeroed}}, .make = MakeOnesLikeCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes | DTypeSet{DType::kInt64, DType::kComplex64,
                                                      DType::kComplex128, DType::kBool}}}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"y"}})
      .Doc("Ones of the input's shape and dtype.");
}

}  // namespace headrace
