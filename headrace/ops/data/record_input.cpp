#include "headrace/ops/data/record_input.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/data/record_input_kernels.h"

namespace headrace {
namespace {

Status BatchShape(ShapeContext& c) {
  return c.SetOutput(0, {c.attrs().Get<int64_t>("batch_size")});
}

}  // namespace

Output RecordInput(Graph& g, std::string_view file_pattern, RecordInputOptions o, Location where) {
  return NodeBuilder(g, "RecordInput", o.name, where)
      .Attr("file_pattern", std::string(file_pattern))
      .Attr("file_random_seed", o.file_random_seed)
      .Attr("file_shuffle_shift_ratio", o.file_shuffle_shift_ratio)
      .Attr("file_buffer_size", o.file_buffer_size)
      .Attr("file_parallelism", o.file_parallelism)
      .Attr("batch_size", o.batch_size)
      .Attr("compression_type", o.compression_type)
      .Build();
}

void DefineRecordInput(OpRegistry& ops) {
  ops.Define("RecordInput")
      .Attr("file_pattern", AttrKind::kString)
      .Attr("file_random_seed", 301)
      .Attr("file_shuffle_shift_ratio", 0.0f)
      .Attr("file_buffer_size", 10000)
      .Attr("file_parallelism", 16)
      .Attr("batch_size", 32)
      .Attr("compression_type", "")
      .Output("records", "string")
      .Shape(BatchShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeRecordInputCpu})
      .Doc("Batches of records of files, in random order.");
}

}  // namespace headrace
