#include "headrace/ops/linalg/eig.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/linalg/eig_kernels.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status EigShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch a, SquareMatricesOf(c, 0));
  HR_RETURN_IF_ERROR(c.SetOutput(0, a.With({a.rows})));
  if (!c.attrs().Get<bool>("compute_v")) return c.SetOutput(1, {0});
  return c.SetOutput(1, a.With({a.rows, a.rows}));
}

// Eigenvalues are a row above the eigenvectors.
Status EigV1Shape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch a, SquareMatricesOf(c, 0));
  return c.SetOutput(0, a.With({a.rows < 0 ? a.rows : a.rows + 1, a.rows}));
}

Status EigGradient(GradContext& c) {
  using namespace matrix_grad;
  const Location where = c.where();
  const Output e = c.output(0), grad_e = c.grad(0), grad_v = c.grad(1);
  const ControlDependencies after(c.graph(), {grad_e, grad_v});
  Output grad;
  if (c.attrs().Get<bool>("compute_v")) {
    const Output v = c.output(1);
    // 1 / (e_j - e_i) off the diagonal: infinite where eigenvalues are equal, as their vectors are
    // then not determined.
    const Output across = ExpandDims(e, -2, {}, where), down = ExpandDims(e, -1, {}, where);
    const Output inverse = Reciprocal(array_grad::Sub(across, down, where), {}, where);
    const Output gaps = SetDiag(inverse, ZerosLike(e, {}, where), where);
    const Output of_e = DiagOf(grad_e, where);
    const Output of_v = array_grad::Mul(gaps, ProductOfAdjoint(v, grad_v, where), where);
    const Output sum = array_grad::Add(of_e, of_v, where);
    grad = Product(v, ProductWithAdjoint(sum, v, where), where);
  } else {
    const Output v = SelfAdjointEig(c.input(0), {}, where).v;
    const Output of_e = DiagOf(grad_e, where);
    grad = Product(v, ProductWithAdjoint(of_e, v, where), where);
  }
  // Only the lower triangle was read.
  const Output both = array_grad::Add(grad, Adjoint(grad, {}, where), where);
  c.Set(0, HalveDiagonal(LowerTriangle(both, where), where));
  return absl::OkStatus();
}

OpDef& DefineOne(OpRegistry& ops, std::string_view name, DTypeSet types) {
  return ops.Define(name)
      .Input("input", "T")
      .Output("e", "T")
      .Output("v", "T")
      .Attr("compute_v", true)
      .TypeAttr("T", types)
      .Shape(EigShape)
      .Gradient(EigGradient)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeSelfAdjointEigCpu});
}

void DefineV1(OpRegistry& ops, std::string_view name, DTypeSet types) {
  ops.Define(name)
      .Input("input", "T")
      .Output("output", "T")
      .TypeAttr("T", types)
      .Shape(EigV1Shape)
      .Cpu({.types = {{"T", kFloat32And64}}, .make = MakeSelfAdjointEigV1Cpu})
      .Doc("Eigenvalues in a row above the eigenvectors of a self-adjoint matrix.");
}

}  // namespace

SelfAdjointEigOutputs SelfAdjointEig(Output a, SelfAdjointEigOptions o, Location where) {
  Node* node = NodeBuilder("SelfAdjointEigV2", o.name, where)
                   .Input(a)
                   .Attr("compute_v", o.compute_v)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

void DefineEig(OpRegistry& ops) {
  DefineOne(ops, "SelfAdjointEigV2", kLinalgAttrTypes)
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("Eigenvalues and eigenvectors of self-adjoint matrices.");
  DefineOne(ops, "BatchSelfAdjointEigV2", kFloat32And64).Doc("SelfAdjointEigV2 by its old name.");
  DefineV1(ops, "SelfAdjointEig", kIeeeFloats);
  DefineV1(ops, "BatchSelfAdjointEig", kFloat32And64);
}

}  // namespace headrace
