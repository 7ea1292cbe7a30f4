#include "headrace/ops/array/range.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/range_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kRangeTypes{DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64};

Status RangeShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  const Tensor* start = c.input_value(0);
  const Tensor* limit = c.input_value(1);
  const Tensor* delta = c.input_value(2);
  int64_t size = PartialShape::kUnknown;
  Status status;
  if (start != nullptr && limit != nullptr && delta != nullptr) {
    DispatchDType<kRangeTypes>(start->dtype(), [&]<class T>() {
      const auto known = RangeSize<T>(start->scalar<T>(), limit->scalar<T>(), delta->scalar<T>());
      status = known.status();
      if (known.ok()) size = *known;
    });
  }
  HR_RETURN_IF_ERROR(status);
  return c.SetOutput(0, {size});
}

Status LinSpaceShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  const auto num = c.InputAsInts(2);
  if (!num.has_value()) return c.SetOutput(0, {PartialShape::kUnknown});
  if (num->front() <= 0) return InvalidArgument("Requires num > 0: ", num->front());
  return c.SetOutput(0, {num->front()});
}

}  // namespace

Output Range(Output start, Output limit, Output delta, OpOptions o, Location where) {
  return NodeBuilder("Range", o.name.empty() ? "range" : o.name, where)
      .Input(start)
      .Input(limit)
      .Input(delta)
      .Build();
}

Output Range(Graph& g, IntArg start, IntArg limit, IntArg delta, OpOptions o, Location where) {
  DType type = DType::kInt32;
  for (const IntArg* arg : {&start, &limit, &delta}) {
    if (!arg->is_output()) continue;
    if (!arg->output().valid()) return {};
    type = arg->output().value_dtype();
  }
  OpScope scope(g, o.name, "range");
  const Output s = start.In(g, "start", type, where);
  const Output l = limit.In(g, "limit", type, where);
  const Output d = delta.In(g, "delta", type, where);
  return NodeBuilder(g, "Range", scope.op_name(), where).Input(s).Input(l).Input(d).Build();
}

Output LinSpace(Output start, Output stop, IntArg num, OpOptions o, Location where) {
  if (!start.valid()) return {};
  if (num.is_output()) {
    return NodeBuilder("LinSpace", o.name, where)
        .Input(start)
        .Input(stop)
        .Input(num.output())
        .Build();
  }
  Graph& g = *start.graph();
  OpScope scope(g, o.name, "LinSpace");
  const Output n = num.In(g, "num", DType::kInt32, where);
  return NodeBuilder(g, "LinSpace", scope.op_name(), where)
      .Input(start)
      .Input(stop)
      .Input(n)
      .Build();
}

void DefineRange(OpRegistry& ops) {
  ops.Define("Range")
      .TypeAttr("Tidx", kRangeTypes | DTypeSet(DType::kBFloat16), DType::kInt32)
      .Input("start", "Tidx")
      .Input("limit", "Tidx")
      .Input("delta", "Tidx")
      .Output("output", "Tidx")
      .Shape(RangeShape)
      .NoGradient()
      .Cpu({.types = {{"Tidx", kRangeTypes}}, .make = MakeRangeCpu})
      .Gpu({.types = {{"Tidx", kRangeTypes}}, .host_args = {"start", "limit", "delta", "output"}})
      .Doc("Numbers from start to limit in steps of delta.");
  const DTypeSet floats{DType::kFloat32, DType::kFloat64};
  ops.Define("LinSpace")
      .TypeAttr("T", floats | DTypeSet(DType::kBFloat16))
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .Input("start", "T")
      .Input("stop", "T")
      .Input("num", "Tidx")
      .Output("output", "T")
      .Shape(LinSpaceShape)
      .NoGradient()
      .Cpu({.types = {{"T", floats}}, .make = MakeLinSpaceCpu})
      .Gpu({.types = {{"T", floats}}, .host_args = {"start", "stop", "num", "output"}})
      .Doc("Evenly spaced numbers from start to stop.");
}

}  // namespace headrace
