#include "headrace/ops/math/sparse_matmul.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/matmul.h"
#include "headrace/ops/math/sparse_matmul_kernels.h"

namespace headrace {
namespace {

Status SparseMatMulShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, 2));
  const bool ta = c.attrs().Get<bool>("transpose_a"), tb = c.attrs().Get<bool>("transpose_b");
  HR_RETURN_IF_ERROR(c.CheckEqualDims(a[ta ? 0 : 1], b[tb ? 1 : 0], "inner dimension of a",
                                      "inner dimension of b"));
  return c.SetOutput(0, {a[ta ? 1 : 0], b[tb ? 0 : 1]});
}

struct Factor {
  Output matrix;
  bool is_sparse;
};

// A product with the op that TensorFlow would take for it.
Output Product(const Factor& x, Factor y, DType type, bool ta, bool tb, Location where) {
  if (tb) y.matrix = Transpose(y.matrix, {}, where);
  const DType tx = x.matrix.value_dtype(), ty = y.matrix.value_dtype();
  const bool sparse = x.is_sparse || y.is_sparse || tx != ty;
  const Output product = sparse ? SparseMatMul(x.matrix, y.matrix,
                                               {.transpose_a = ta,
                                                .a_is_sparse = x.is_sparse,
                                                .b_is_sparse = y.is_sparse,
                                                .name = "MatMul"},
                                               where)
                                : MatMul(x.matrix, y.matrix, {.transpose_a = ta}, where);
  return product.value_dtype() == type ? product : Cast(product, type, {}, where);
}

Status SparseMatMulGradient(GradContext& c) {
  const Location where = c.where();
  const bool ta = c.attrs().Get<bool>("transpose_a"), tb = c.attrs().Get<bool>("transpose_b");
  const Factor a{c.input(0), c.attrs().Get<bool>("a_is_sparse")};
  const Factor b{c.input(1), c.attrs().Get<bool>("b_is_sparse")};
  const Output g = c.grad();
  const Factor grad{g, g.valid() && g.node->op_name() == "ReluGrad"};
  const DType type_a = a.matrix.value_dtype(), type_b = b.matrix.value_dtype();
  c.Set(0, ta ? Product(b, grad, type_a, tb, true, where)
              : Product(grad, b, type_a, false, !tb, where));
  c.Set(1, tb ? Product(grad, a, type_b, true, ta, where)
              : Product(a, grad, type_b, !ta, false, where));
  return absl::OkStatus();
}

}  // namespace

Output SparseMatMul(Output a, Output b, SparseMatMulOptions o, Location where) {
  return NodeBuilder("SparseMatMul", o.name, where)
      .Input(a)
      .Input(b)
      .Attr("transpose_a", o.transpose_a)
      .Attr("transpose_b", o.transpose_b)
      .Attr("a_is_sparse", o.a_is_sparse)
      .Attr("b_is_sparse", o.b_is_sparse)
      .Build();
}

void DefineSparseMatMul(OpRegistry& ops) {
  const DTypeSet types{DType::kFloat32, DType::kBFloat16};
  ops.Define("SparseMatMul")
      .Attr("transpose_a", false)
      .Attr("transpose_b", false)
      .Attr("a_is_sparse", false)
      .Attr("b_is_sparse", false)
      .TypeAttr("Ta", types, DType::kFloat32)
      .TypeAttr("Tb", types, DType::kFloat32)
      .Input("a", "Ta")
      .Input("b", "Tb")
      .Output("product", "float32")
      .Shape(SparseMatMulShape)
      .Gradient(SparseMatMulGradient)
      .Cpu({.make = MakeSparseMatMulCpu})
      .Doc("The product of matrices with many zeros, or of bfloat16.");
}

}  // namespace headrace
