#include "headrace/ops/image/glimpse.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/image/glimpse_kernels.h"

namespace headrace {
namespace {

Status GlimpseShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape images, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(const PartialShape length, c.WithRank(1, 1));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(length[0], 2, "elements of size", "height and width"));
  HR_ASSIGN_OR_RETURN(const PartialShape offsets, c.WithRank(2, 2));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(images[0], offsets[0], "images", "rows of offsets"));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(offsets[1], 2, "columns of offsets", "y and x"));
  HR_ASSIGN_OR_RETURN(const PartialShape size, c.InputAsShape(1));
  PartialShape out{images[0] < 0 ? offsets[0] : images[0], -1, -1, images[3]};
  for (int i = 0; size.has_rank() && i < 2; ++i) {
    if (size[i] == 0) return InvalidArgument("glimpse dimensions must be positive, got 0");
    out.set_dim(1 + i, size[i]);
  }
  return c.SetOutput(0, out);
}

}  // namespace

Output ExtractGlimpse(Output input, IntArg size, Output offsets, ExtractGlimpseOptions o,
                      Location where) {
  if (!input.valid() || !size.valid()) return {};
  Graph& graph = *input.graph();
  std::optional<OpScope> scope;
  if (!size.is_output()) scope.emplace(graph, o.name, "ExtractGlimpse");
  const Output size_tensor = size.In(graph, "size", DType::kInt32, where);
  return NodeBuilder(graph, "ExtractGlimpse", scope ? scope->op_name() : o.name, where)
      .Input(input)
      .Input(size_tensor)
      .Input(offsets)
      .Attr("centered", o.centered)
      .Attr("normalized", o.normalized)
      .Attr("uniform_noise", o.noise == "uniform")
      .Attr("noise", o.noise)
      .Build();
}

void DefineGlimpse(OpRegistry& ops) {
  ops.Define("ExtractGlimpse")
      .Attr("centered", true)
      .Attr("normalized", true)
      .Attr("uniform_noise", true)
      .Attr("noise", std::string("uniform"))
      .Input("input", "float32")
      .Input("size", "int32")
      .Input("offsets", "float32")
      .Output("glimpse", "float32")
      .Shape(GlimpseShape)
      .NoGradient()
      .Cpu({.make = MakeExtractGlimpseCpu})
      .Doc("Windows of images that may reach beyond their borders.");
}

}  // namespace headrace
