#include "headrace/ops/array/segment.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/segment_gradient.h"
#include "headrace/ops/array/segment_kernels.h"

namespace headrace {
namespace {

Status UnsortedShape(ShapeContext& c) {
  const PartialShape& data = c.input(0);
  const PartialShape& ids = c.input(1);
  if (c.input(2).has_rank() && c.input(2).rank() != 0) {
    return InvalidArgument("num_segments should be a scalar, not shape ", c.input(2).ToString());
  }
  const auto segments = c.InputAsInts(2);
  if (segments.has_value() && segments->front() < 0) {
    return InvalidArgument("Input num_segments == ", segments->front(), " must not be negative.");
  }
  if (!data.has_rank() || !ids.has_rank()) return c.SetOutput(0, PartialShape());
  bool starts = ids.rank() <= data.rank();
  for (int i = 0; starts && i < ids.rank(); ++i)
    starts = ids[i] < 0 || data[i] < 0 || ids[i] == data[i];
  if (!starts) {
    return InvalidArgument("data.shape = ", data.ToString(),
                           " does not start with segment_ids.shape = ", ids.ToString());
  }
  PartialShape out{segments.has_value() ? segments->front() : PartialShape::kUnknown};
  for (int i = ids.rank(); i < data.rank(); ++i) {
    if (out.rank() == kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    out.Append(data[i]);
  }
  return c.SetOutput(0, out);
}

Status SortedShape(ShapeContext& c) {
  if (c.input(1).has_rank() && c.input(1).rank() != 1)
    return InvalidArgument("segment_ids should be a vector.");
  PartialShape out = c.input(0);
  if (!out.has_rank()) return c.SetOutput(0, out);
  const bool wrong_size = c.input(1).has_rank() && out.rank() > 0 && c.input(1)[0] >= 0 &&
                          out[0] >= 0 && c.input(1)[0] != out[0];
  if (out.rank() < 1 || wrong_size) {
    return InvalidArgument("segment_ids should be the same size as dimension 0 of input.");
  }
  out.set_dim(0, PartialShape::kUnknown);
  if (const auto ids = c.InputAsInts(1); ids.has_value()) {
    const int64_t last = ids->empty() ? -1 : ids->back();
    if (last >= -1) out.set_dim(0, last + 1);
  }
  return c.SetOutput(0, out);
}

Output Unsorted(std::string_view op, Output data, Output ids, const IntArg& num,
                std::string_view name, Location where) {
  if (!data.valid() || !num.valid()) return {};
  Graph& g = *data.graph();
  std::optional<OpScope> scope;
  if (!num.is_output()) scope.emplace(g, name, op);
  const Output n = num.In(g, "num_segments", DType::kInt32, where);
  return NodeBuilder(g, op, scope.has_value() ? std::string_view(scope->op_name()) : name, where)
      .Input(data)
      .Input(ids)
      .Input(n)
      .Build();
}

Output Sorted(std::string_view op, Output data, Output ids, std::string_view name, Location where) {
  return NodeBuilder(op, name, where).Input(data).Input(ids).Build();
}

struct SegmentOp {
  const char* name;
  DTypeSet types;
  GradientFn gradient;
};

}  // namespace

Output UnsortedSegmentSum(Output data, Output ids, IntArg num, OpOptions o, Location where) {
  return Unsorted("UnsortedSegmentSum", data, ids, num, o.name, where);
}
Output UnsortedSegmentMax(Output data, Output ids, IntArg num, OpOptions o, Location where) {
  return Unsorted("UnsortedSegmentMax", data, ids, num, o.name, where);
}
Output UnsortedSegmentMin(Output data, Output ids, IntArg num, OpOptions o, Location where) {
  return Unsorted("UnsortedSegmentMin", data, ids, num, o.name, where);
}
Output SegmentSum(Output data, Output ids, OpOptions o, Location where) {
  return Sorted("SegmentSum", data, ids, o.name, where);
}
Output SegmentMean(Output data, Output ids, OpOptions o, Location where) {
  return Sorted("SegmentMean", data, ids, o.name, where);
}
Output SegmentMax(Output data, Output ids, OpOptions o, Location where) {
  return Sorted("SegmentMax", data, ids, o.name, where);
}
Output SegmentMin(Output data, Output ids, OpOptions o, Location where) {
  return Sorted("SegmentMin", data, ids, o.name, where);
}

void DefineSegment(OpRegistry& ops) {
  const DTypeSet summed = kNumberTypes | DTypeSet{DType::kQInt8, DType::kQUInt8, DType::kQInt32};
  for (const SegmentOp& op :
       {SegmentOp{"UnsortedSegmentSum", summed, UnsortedSegmentSumGradient},
        SegmentOp{"UnsortedSegmentProd", summed, UnsortedSegmentProdGradient},
        SegmentOp{"UnsortedSegmentMax", kRealTypes, UnsortedSegmentMinMaxGradient},
        SegmentOp{"UnsortedSegmentMin", kRealTypes, UnsortedSegmentMinMaxGradient}}) {
    ops.Define(op.name)
        .TypeAttr("T", op.types)
        .TypeAttr("Tindices", kIndexTypes)
        .TypeAttr("Tnumsegments", kIndexTypes, DType::kInt32)
        .Input("data", "T")
        .Input("segment_ids", "Tindices")
        .Input("num_segments", "Tnumsegments")
        .Output("output", "T")
        .Shape(UnsortedShape)
        .Gradient(op.gradient)
        .Cpu({.types = {{"T", op.types & kCommonNumberTypes}}, .make = MakeUnsortedSegmentCpu})
        .Gpu({.types = {{"T", kGpuFloatTypes | kInt32Only}}, .host_args = {"num_segments"}})
        .Doc("Rows folded by segment id.");
  }
  for (const SegmentOp& op : {SegmentOp{"SegmentSum", summed, SegmentSumGradient},
                              SegmentOp{"SegmentMean", summed, SegmentMeanGradient},
                              SegmentOp{"SegmentProd", summed, nullptr},
                              SegmentOp{"SegmentMax", kRealTypes, SegmentMinMaxGradient},
                              SegmentOp{"SegmentMin", kRealTypes, SegmentMinMaxGradient}}) {
    OpDef& def = ops.Define(op.name)
                     .TypeAttr("T", op.types)
                     .TypeAttr("Tindices", kIndexTypes)
                     .Input("data", "T")
                     .Input("segment_ids", "Tindices")
                     .Output("output", "T")
                     .Shape(SortedShape)
                     .Cpu({.types = {{"T", op.types & kCommonNumberTypes}}, .make = MakeSegmentCpu})
                     .Doc("Rows folded by segment id, ids in order.");
    if (op.gradient != nullptr) def.Gradient(op.gradient);
    if (std::string_view(op.name) == "SegmentSum")
      def.Gpu({.types = {{"T", kGpuFloatTypes | kInt32Only}}});
  }
}

}  // namespace headrace
