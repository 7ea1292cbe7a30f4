#include "headrace/ops/array/reverse.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/reverse_kernels.h"

namespace headrace {
namespace {

Status ReverseShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const PartialShape& dims = c.input(1);
  if (in.has_rank() && dims.rank() == 1 && dims[0] >= 0 && dims[0] != in.rank()) {
    return InvalidArgument(
        "'dims' must have the same number of values as 'input' has dimensions. 'input' has ",
        in.rank(), "'dims' has ", dims[0], " values");
  }
  return c.SetOutput(0, in);
}

Status ReverseV2Shape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  const PartialShape& in = c.input(0);
  const auto axes = c.InputAsInts(1);
  if (!axes.has_value() || !in.has_rank()) return c.SetOutput(0, in);
  uint32_t seen = 0;
  for (size_t i = 0; i < axes->size(); ++i) {
    const int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + in.rank() : (*axes)[i];
    if (axis < 0 || axis >= in.rank()) {
      return InvalidArgument("'axis'[", i, "] = ", (*axes)[i], " is out of valid range [0, ",
                             in.rank() - 1);
    }
    if ((seen >> axis & 1) != 0)
      return InvalidArgument("axis ", axis, " specified more than once.");
    seen |= 1u << axis;
  }
  return c.SetOutput(0, in);
}

Status ReverseSequenceShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape lengths, c.WithRank(1, 1));
  PartialShape in = c.input(0);
  if (!in.has_rank()) return c.SetOutput(0, in);
  const int64_t seq = c.attrs().Get<int64_t>("seq_dim"),
                batch = c.attrs().Get<int64_t>("batch_dim");
  if (batch < 0 || seq < 0 || batch >= in.rank() || seq >= in.rank() || batch == seq) {
    return InvalidArgument("batch_dim ", batch, " and seq_dim ", seq,
                           " must be two different dimensions of an input of rank ", in.rank());
  }
  const int b = static_cast<int>(batch);
  if (in[b] >= 0 && lengths[0] >= 0 && in[b] != lengths[0]) {
    return InvalidArgument("Length of seq_lens != input.dims(", b, "), (", lengths[0], " vs. ",
                           in[b], ")");
  }
  if (in[b] < 0) in.set_dim(b, lengths[0]);
  return c.SetOutput(0, in);
}

Status SameOpOnGradient(GradContext& c) {
  NodeBuilder builder(c.node().op_name(), "", c.where());
  builder.Input(c.grad()).Input(c.input(1));
  for (const char* attr : {"seq_dim", "batch_dim"}) {
    if (const AttrValue* value = c.attrs().Find(attr)) builder.Attr(attr, *value);
  }
  c.Set(0, builder.Build());
  return absl::OkStatus();
}

}  // namespace

Output Reverse(Output x, IntArg axes, OpOptions o, Location where) {
  if (!x.valid() || !axes.valid()) return {};
  Graph& g = *x.graph();
  std::optional<OpScope> scope;
  if (!axes.is_output()) scope.emplace(g, o.name, "ReverseV2");
  const Output a = axes.In(g, "axis", DType::kInt32, where);
  return NodeBuilder(g, "ReverseV2", scope.has_value() ? scope->op_name() : o.name, where)
      .Input(x)
      .Input(a)
      .Build();
}

Output ReverseSequence(Output x, Output seq_lengths, ReverseSequenceOptions o, Location where) {
  return NodeBuilder("ReverseSequence", o.name, where)
      .Input(x)
      .Input(seq_lengths)
      .Attr("seq_dim", o.seq_dim)
      .Attr("batch_dim", o.batch_dim)
      .Build();
}

void DefineReverse(OpRegistry& ops) {
  const DTypeSet types = kCommonNumberTypes | DTypeSet{DType::kBool, DType::kString};
  const DTypeSet gpu = kGpuMovedTypes - DTypeSet{DType::kBFloat16};
  ops.Define("Reverse")
      .TypeAttr("T", types - DTypeSet(DType::kBFloat16))
      .Input("tensor", "T")
      .Input("dims", "bool")
      .Output("output", "T")
      .Shape(ReverseShape)
      .Gradient(SameOpOnGradient)
      .Cpu({.make = MakeReverseCpu})
      .Gpu({.types = {{"T", gpu}}, .host_args = {"dims"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"tensor", "dims", "output"}})
      .Doc("Some dimensions back to front, by flags.");
  ops.Define("ReverseV2")
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .TypeAttr("T", types)
      .Input("tensor", "T")
      .Input("axis", "Tidx")
      .Output("output", "T")
      .Shape(ReverseV2Shape)
      .Gradient(SameOpOnGradient)
      .Cpu({.make = MakeReverseV2Cpu})
      .Gpu({.types = {{"T", gpu}}, .host_args = {"axis"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"tensor", "axis", "output"}})
      .Doc("Some dimensions back to front.");
  ops.Define("ReverseSequence")
      .Attr("seq_dim", AttrKind::kInt)
      .Attr("batch_dim", int64_t{0})
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tlen", kIndexTypes, DType::kInt64)
      .Input("input", "T")
      .Input("seq_lengths", "Tlen")
      .Output("output", "T")
      .Shape(ReverseSequenceShape)
      .Gradient(SameOpOnGradient)
      .Cpu({.types = {{"T", kCommonNumberTypes | kBoolOnly}}, .make = MakeReverseSequenceCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes | DTypeSet{DType::kInt64, DType::kBool}}}})
      .Doc("The beginnings of sequences back to front.");
}

}  // namespace headrace
