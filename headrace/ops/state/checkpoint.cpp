#include "headrace/ops/state/checkpoint.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/io/tensor_slice.h"
#include "headrace/ops/state/checkpoint_kernels.h"

namespace headrace {
namespace {

// A scalar prefix, then vectors with an entry for each of `count` tensors.
Status CheckNames(ShapeContext& c, int64_t count) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  for (int i : {1, 2}) {
    HR_ASSIGN_OR_RETURN(const PartialShape names, c.WithRank(i, 1));
    HR_RETURN_IF_ERROR(
        c.CheckEqualDims(names[0], count, StrCat("length of input ", i), "number of tensors"));
  }
  return absl::OkStatus();
}

Status SaveShape(ShapeContext& c) {
  return CheckNames(c, c.num_inputs() - 3);
}

Status RestoreShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckNames(c, c.num_outputs()));
  const Tensor* slices = c.input_value(2);
  for (int i = 0; i < c.num_outputs(); ++i) {
    HR_RETURN_IF_ERROR(c.SetOutput(i, PartialShape()));
    if (slices == nullptr || slices->num_elements() != c.num_outputs()) continue;
    const std::string& text = slices->data<std::string>()[i];
    if (text.empty()) continue;
    HR_ASSIGN_OR_RETURN(const ShapeAndSlice part, ParseShapeAndSlice(text));
    HR_ASSIGN_OR_RETURN(const Shape shape, part.slice.ShapeIn(part.full_shape));
    HR_RETURN_IF_ERROR(c.SetOutput(i, shape));
  }
  return absl::OkStatus();
}

Status RestoreOneShape(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  return c.SetOutput(0, PartialShape());
}

Status MergeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  return c.CheckScalar(1);
}

Status ScalarsOnly(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  return ScalarShape(c);
}

}  // namespace

Node* SaveV2(Output prefix, Output tensor_names, Output shape_and_slices,
             std::span<const Output> tensors, OpOptions o, Location where) {
  return NodeBuilder("SaveV2", o.name, where)
      .Input(prefix)
      .Input(tensor_names)
      .Input(shape_and_slices)
      .Inputs(tensors)
      .BuildNode();
}

std::vector<Output> RestoreV2(Output prefix, Output tensor_names, Output shape_and_slices,
                              std::span<const DType> dtypes, OpOptions o, Location where) {
  Node* node = NodeBuilder("RestoreV2", o.name, where)
                   .Input(prefix)
                   .Input(tensor_names)
                   .Input(shape_and_slices)
                   .Attr("dtypes", AttrValue::Types(dtypes.begin(), dtypes.end()))
                   .BuildNode();
  std::vector<Output> values(dtypes.size());
  for (size_t i = 0; node != nullptr && i < values.size(); ++i)
    values[i] = node->output(static_cast<int>(i));
  return values;
}

Node* MergeV2Checkpoints(Output checkpoint_prefixes, Output destination_prefix,
                         MergeV2CheckpointsOptions o, Location where) {
  return NodeBuilder("MergeV2Checkpoints", o.name, where)
      .Input(checkpoint_prefixes)
      .Input(destination_prefix)
      .Attr("delete_old_dirs", o.delete_old_dirs)
      .BuildNode();
}

Output ShardedFilename(Output basename, Output shard, Output num_shards, OpOptions o,
                       Location where) {
  return NodeBuilder("ShardedFilename", o.name, where)
      .Input(basename)
      .Input(shard)
      .Input(num_shards)
      .Build();
}

Output ShardedFilespec(Output basename, Output num_shards, OpOptions o, Location where) {
  return NodeBuilder("ShardedFilespec", o.name, where).Input(basename).Input(num_shards).Build();
}

void DefineCheckpoint(OpRegistry& ops) {
  ops.Define("SaveV2")
      .Attr(AttrDef{.name = "dtypes", .kind = AttrKind::kTypeList, .minimum = 1})
      .Input("prefix", "string")
      .Input("tensor_names", "string")
      .Input("shape_and_slices", "string")
      .Input("tensors", "dtypes")
      .Shape(SaveShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeSaveV2Cpu})
      .Doc("Writes tensors to a checkpoint.");
  ops.Define("RestoreV2")
      .Attr(AttrDef{.name = "dtypes", .kind = AttrKind::kTypeList, .minimum = 1})
      .Input("prefix", "string")
      .Input("tensor_names", "string")
      .Input("shape_and_slices", "string")
      .Output("tensors", "dtypes")
      .Shape(RestoreShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeRestoreV2Cpu})
      .Doc("Reads tensors from a checkpoint.");
  for (const char* name : {"Restore", "RestoreSlice"}) {
    OpDef& op = ops.Define(name);
    op.TypeAttr("dt", kAllTypes)
        .Attr("preferred_shard", -1)
        .Input("file_pattern", "string")
        .Input("tensor_name", "string");
    if (op.name() == "RestoreSlice") op.Input("shape_and_slice", "string");
    op.Output("tensor", "dt")
        .Shape(RestoreOneShape)
        .NoGradient()
        .Stateful()
        .Cpu({.make = MakeRestoreCpu})
        .Doc("Reads one tensor from a checkpoint; in graphs of old programs.");
  }
  ops.Define("MergeV2Checkpoints")
      .Attr("delete_old_dirs", true)
      .Input("checkpoint_prefixes", "string")
      .Input("destination_prefix", "string")
      .Shape(MergeShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeMergeV2CheckpointsCpu})
      .Doc("Makes one checkpoint of several.");
  ops.Define("ShardedFilename")
      .Input("basename", "string")
      .Input("shard", "int32")
      .Input("num_shards", "int32")
      .Output("filename", "string")
      .Shape(ScalarsOnly)
      .NoGradient()
      .Cpu({.make = MakeShardedFilenameCpu})
      .Doc("The name of one file of a sharded set.");
  ops.Define("ShardedFilespec")
      .Input("basename", "string")
      .Input("num_shards", "int32")
      .Output("filename", "string")
      .Shape(ScalarsOnly)
      .NoGradient()
      .Cpu({.make = MakeShardedFilespecCpu})
      .Doc("The pattern of the names of a sharded set of files.");
}

}  // namespace headrace
