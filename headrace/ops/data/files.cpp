#include "headrace/ops/data/files.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/data/files_kernels.h"

namespace headrace {
namespace {

Status ReadFileShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  return c.SetOutput(0, Shape());
}

Status WriteFileShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  return c.CheckScalar(1);
}

Status MatchingFilesShape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() > 1)
    return InvalidArgument("Shape must be at most rank 1 but is rank ", c.input(0).rank());
  return c.SetOutput(0, {PartialShape::kUnknown});
}

}  // namespace

Output ReadFile(Output filename, OpOptions o, Location where) {
  return NodeBuilder("ReadFile", o.name, where).Input(filename).Build();
}
Node* WriteFile(Output filename, Output contents, OpOptions o, Location where) {
  return NodeBuilder("WriteFile", o.name, where).Input(filename).Input(contents).BuildNode();
}
Output MatchingFiles(Output pattern, OpOptions o, Location where) {
  return NodeBuilder("MatchingFiles", o.name, where).Input(pattern).Build();
}

// What a file holds may change between steps: nothing of this is folded or merged.
void DefineFiles(OpRegistry& ops) {
  ops.Define("ReadFile")
      .Input("filename", "string")
      .Output("contents", "string")
      .Shape(ReadFileShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeReadFileCpu})
      .Doc("What a file holds.");
  ops.Define("WriteFile")
      .Input("filename", "string")
      .Input("contents", "string")
      .Shape(WriteFileShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeWriteFileCpu})
      .Doc("Writes a file.");
  ops.Define("MatchingFiles")
      .Input("pattern", "string")
      .Output("filenames", "string")
      .Shape(MatchingFilesShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeMatchingFilesCpu})
      .Doc("Files whose names match patterns.");
}

}  // namespace headrace
