#include "headrace/ops/array/one_hot.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/one_hot_kernels.h"

namespace headrace {
namespace {

Status OneHotShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const int64_t stated = c.attrs().Get<int64_t>("axis");
  if (c.input(1).has_rank() && c.input(1).rank() != 0) {
    return InvalidArgument("depth must be a scalar, but got: ", c.input(1).ToString());
  }
  HR_RETURN_IF_ERROR(c.CheckScalar(2));
  HR_RETURN_IF_ERROR(c.CheckScalar(3));
  const auto depth = c.InputAsInts(1);
  if (depth.has_value() && depth->front() < 0) {
    return InvalidArgument("depth must be non-negative, got: ", depth->front());
  }
  if (!in.has_rank()) return c.SetOutput(0, PartialShape());
  const int rank = in.rank() + 1;
  if (stated != -1 && (stated < 0 || stated >= rank)) {
    return InvalidArgument("Expected axis to be -1 or between [0, ", rank,
                           ").  But received: ", stated);
  }
  if (rank > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  const int axis = stated == -1 ? rank - 1 : static_cast<int>(stated);
  PartialShape out = PartialShape::OfRank(0);
  for (int i = 0, from = 0; i < rank; ++i) {
    out.Append(i == axis ? (depth.has_value() ? depth->front() : PartialShape::kUnknown)
                         : in[from++]);
  }
  return c.SetOutput(0, out);
}

}  // namespace

Output OneHot(Output indices, IntArg depth, OneHotOptions o, Location where) {
  if (!indices.valid() || !depth.valid()) return {};
  Graph& g = *indices.graph();
  const OpScope scope(g, o.name, "one_hot");
  const DType type = o.on_value.valid()    ? o.on_value.value_dtype()
                     : o.off_value.valid() ? o.off_value.value_dtype()
                                           : o.dtype;
  const Output on =
      o.on_value.valid() ? o.on_value : ConstScalar(g, 1, type, {.name = "on_value"}, where);
  const Output off =
      o.off_value.valid() ? o.off_value : ConstScalar(g, 0, type, {.name = "off_value"}, where);
  const Output d = depth.In(g, "depth", DType::kInt32, where);
  return NodeBuilder(g, "OneHot", scope.op_name(), where)
      .Input(indices)
      .Input(d)
      .Input(on)
      .Input(off)
      .Attr("axis", o.axis)
      .Build();
}

void DefineOneHot(OpRegistry& ops) {
  const DTypeSet classes{DType::kUInt8, DType::kInt32, DType::kInt64};
  ops.Define("OneHot")
      .Attr("axis", int64_t{-1})
      .TypeAttr("T", kAllTypes)
      .TypeAttr("TI", classes, DType::kInt64)
      .Input("indices", "TI")
      .Input("depth", "int32")
      .Input("on_value", "T")
      .Input("off_value", "T")
      .Output("output", "T")
      .Shape(OneHotShape)
      .NoGradient()
      .Cpu({.types = {{"T", kMovedTypes - kQuantizedTypes}}, .make = MakeOneHotCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes | DTypeSet{DType::kBool, DType::kInt32, DType::kInt64}}},
            .host_args = {"depth"}})
      .Doc("Class numbers as vectors with one entry set.");
}

}  // namespace headrace
