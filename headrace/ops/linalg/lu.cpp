#include "headrace/ops/linalg/lu.h"

#include "headrace/graph/op_def.h"
#include "headrace/ops/linalg/lu_kernels.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status LuShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch a, SquareMatricesOf(c, 0));
  HR_RETURN_IF_ERROR(c.SetOutput(0, a.With({a.rows, a.rows})));
  return c.SetOutput(1, a.With({a.rows}));
}

}  // namespace

LuOutputs Lu(Output a, LuOptions o, Location where) {
  Node* node = NodeBuilder("Lu", o.name, where)
                   .Input(a)
                   .Attr("output_idx_type", o.output_idx_type)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

void DefineLu(OpRegistry& ops) {
  ops.Define("Lu")
      .Input("input", "T")
      .Output("lu", "T")
      .Output("p", "output_idx_type")
      .TypeAttr("T", kLinalgAttrTypes)
      .TypeAttr("output_idx_type", kIndexTypes, DType::kInt32)
      .Shape(LuShape)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeLuCpu})
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("LU decomposition with row exchanges.");
}

}  // namespace headrace
