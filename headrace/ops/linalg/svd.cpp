#include "headrace/ops/linalg/svd.h"

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/svd_gradient.h"
#include "headrace/ops/linalg/svd_kernels.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status SvdShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch a, MatricesOf(c, 0));
  const int64_t smaller = KnownMin(a.rows, a.cols);
  HR_RETURN_IF_ERROR(c.SetOutput(0, a.With({smaller})));
  if (!c.attrs().Get<bool>("compute_uv")) {
    HR_RETURN_IF_ERROR(c.SetOutput(1, {0}));
    return c.SetOutput(2, {0});
  }
  const bool full = c.attrs().Get<bool>("full_matrices");
  HR_RETURN_IF_ERROR(c.SetOutput(1, a.With({a.rows, full ? a.rows : smaller})));
  return c.SetOutput(2, a.With({a.cols, full ? a.cols : smaller}));
}

OpDef& DefineOne(OpRegistry& ops, std::string_view name, DTypeSet types) {
  return ops.Define(name)
      .Input("input", "T")
      .Output("s", "T")
      .Output("u", "T")
      .Output("v", "T")
      .Attr("compute_uv", true)
      .Attr("full_matrices", false)
      .TypeAttr("T", types)
      .Shape(SvdShape)
      .Gradient(SvdGradient)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeSvdCpu});
}

}  // namespace

SvdOutputs Svd(Output a, SvdOptions o, Location where) {
  Node* node = NodeBuilder("Svd", o.name, where)
                   .Input(a)
                   .Attr("compute_uv", o.compute_uv)
                   .Attr("full_matrices", o.full_matrices)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

void DefineSvd(OpRegistry& ops) {
  DefineOne(ops, "Svd", kLinalgAttrTypes)
      .Gpu({.types = {{"T", kFloat32And64}}})
      .Doc("Singular value decomposition u * diag(s) * adjoint(v).");
  DefineOne(ops, "BatchSvd", kLinalgTypes)
      .Gpu({.types = {{"T", kFloat32And64}}})
      .Doc("Svd by its old name.");
}

}  // namespace headrace
