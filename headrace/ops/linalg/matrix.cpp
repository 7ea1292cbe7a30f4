#include "headrace/ops/linalg/matrix.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/svd.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/math/matmul.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

std::string NameOr(const std::string& name, std::string_view otherwise) {
  return name.empty() ? std::string(otherwise) : name;
}

bool MayBeBatch(Output x) {
  return !x.shape().has_rank() || x.shape().rank() > 2;
}

Status CheckNorm(const NormOptions& o) {
  if (o.axis.size() > 2 || (o.axis.size() == 2 && o.axis[0] == o.axis[1])) {
    return InvalidArgument("axis of a norm must be nothing, one axis, or two different ones, got [",
                           StrJoin(o.axis, ","), "]");
  }
  if (!o.order.has_value()) return absl::OkStatus();
  if (o.axis.size() == 2 && *o.order != 1 && *o.order != 2 && *o.order != NormOptions::kInfinity)
    return InvalidArgument("order of a matrix norm must be 1, 2 or infinity, got ", *o.order);
  if (!(*o.order > 0)) return InvalidArgument("order of a norm must be > 0, got ", *o.order);
  return absl::OkStatus();
}

ReduceAxes AxesOf(const std::vector<int64_t>& axis) {
  return axis.empty() ? ReduceAxes() : ReduceAxes(axis);
}

// The largest singular value of the matrices that two axes make, with dimensions of 1 for them.
Output SpectralNorm(Output x, const std::vector<int64_t>& axis, Location where) {
  Graph& g = *x.graph();
  const PartialShape& shape = x.shape();
  if (!shape.has_rank()) {
    g.ReportError(InvalidArgument("the norm of order 2 of matrices needs a known rank (",
                                  x.node->Describe(), ")"));
    return {};
  }
  const int64_t rank = shape.rank();
  std::vector<int64_t> before, after(static_cast<size_t>(rank));
  const int64_t first = axis[0] < 0 ? axis[0] + rank : axis[0];
  const int64_t second = axis[1] < 0 ? axis[1] + rank : axis[1];
  if (std::min(first, second) < 0 || std::max(first, second) >= rank || first == second) {
    g.ReportError(InvalidArgument("axis [", axis[0], ",", axis[1],
                                  "] of a norm does not go with shape ", shape.ToString()));
    return {};
  }
  for (int64_t i = 0; i < rank; ++i) {
    if (i != first && i != second) before.push_back(i);
  }
  before.push_back(first);
  before.push_back(second);
  for (size_t i = 0; i < before.size(); ++i)
    after[static_cast<size_t>(before[i])] = static_cast<int64_t>(i);
  const Output matrices = Transpose(x, before, {}, where);
  const Output singular = Abs(Svd(matrices, {.compute_uv = false}, where).s, {}, where);
  const Output largest = ReduceMax(singular, {-1}, {.keep_dims = true}, where);
  return Transpose(ExpandDims(largest, -1, {}, where), after, {}, where);
}

Output NormWithDims(Output x, const NormOptions& o, Location where) {
  const bool matrices = o.axis.size() == 2;
  if (matrices && o.order == 2.0) return SpectralNorm(x, o.axis, where);
  if (!o.order.has_value() || *o.order == 2) {
    const Output square = Mul(x, Conj(x, {}, where), {.name = "mul"}, where);
    return Sqrt(ReduceSum(square, AxesOf(o.axis), {.keep_dims = true}, where), {}, where);
  }
  Output result = Abs(x, {}, where);
  if (*o.order == 1) {
    const ReduceAxes first =
        o.axis.empty() ? ReduceAxes() : ReduceAxes(static_cast<int>(o.axis[0]));
    result = ReduceSum(result, first, {.keep_dims = true}, where);
    if (matrices)
      result = ReduceMax(result, static_cast<int>(o.axis[1]), {.keep_dims = true}, where);
    return result;
  }
  if (*o.order == NormOptions::kInfinity) {
    if (matrices)
      result = ReduceSum(result, static_cast<int>(o.axis[1]), {.keep_dims = true}, where);
    const ReduceAxes first =
        o.axis.empty() ? ReduceAxes() : ReduceAxes(static_cast<int>(o.axis[0]));
    return ReduceMax(result, first, {.keep_dims = true}, where);
  }
  const Output powers = Pow(result, *o.order, {}, where);
  const Output sum = ReduceSum(powers, AxesOf(o.axis), {.keep_dims = true}, where);
  return Pow(sum, 1.0 / *o.order, {}, where);
}

}  // namespace

Output MatrixProduct(Output a, Output b, MatrixProductOptions o, Location where) {
  if (!a.valid() || !b.valid()) return {};
  const OpScope scope(*a.graph(), o.name, "MatMul");
  if (MayBeBatch(a) || MayBeBatch(b)) {
    return BatchMatMulV2(
        a, b, {.adj_x = o.adjoint_a, .adj_y = o.adjoint_b, .name = scope.op_name()}, where);
  }
  if (o.adjoint_a) a = Conj(a, {}, where);
  if (o.adjoint_b) b = Conj(b, {}, where);
  return MatMul(a, b,
                {.transpose_a = o.adjoint_a, .transpose_b = o.adjoint_b, .name = scope.op_name()},
                where);
}

Output MatrixTranspose(Output x, MatrixTransposeOptions o, Location where) {
  if (!x.valid()) return {};
  Graph& g = *x.graph();
  const NameScope scope(g, NameOr(o.name, "matrix_transpose"));
  const TransposeOptions options{.conjugate = o.conjugate && IsComplex(x.value_dtype())};
  const PartialShape& shape = x.shape();
  if (shape.has_rank()) {
    const int rank = shape.rank();
    if (rank < 2) {
      g.ReportError(InvalidArgument("a transposed matrix must have rank >= 2, ", x.node->Describe(),
                                    " has shape ", shape.ToString()));
      return {};
    }
    std::vector<int64_t> perm(static_cast<size_t>(rank));
    for (int i = 0; i < rank; ++i) perm[static_cast<size_t>(i)] = i;
    std::swap(perm[static_cast<size_t>(rank - 1)], perm[static_cast<size_t>(rank - 2)]);
    return Transpose(x, perm, options, where);
  }
  const Output rank = Rank(x, {}, where);
  const Output batch_rank = array_grad::Sub(rank, 2, where);
  const Output batch = Range(g, 0, batch_rank, 1, {.name = "Range"}, where);
  const Output last = array_grad::Sub(rank, 1, where), before = array_grad::Sub(rank, 2, where);
  return Transpose(x, matrix_grad::JoinShape(g, {batch, IntArg::Packed({last, before})}, where),
                   options, where);
}

Output Adjoint(Output x, OpOptions o, Location where) {
  if (!x.valid()) return {};
  const NameScope scope(*x.graph(), NameOr(o.name, "adjoint"));
  return MatrixTranspose(x, {.conjugate = true}, where);
}

Output Eye(Graph& g, IntArg num_rows, EyeOptions o, Location where) {
  const IntArg& columns = o.num_columns.has_value() ? *o.num_columns : num_rows;
  if (!num_rows.valid() || !columns.valid() || !o.batch_shape.valid()) return {};
  const NameScope scope(g, NameOr(o.name, "eye"));
  const bool in_step = num_rows.is_output() || columns.is_output();
  bool is_square = !o.num_columns.has_value();
  IntArg size = 0;
  if (!in_step) {
    if (num_rows.values().size() != 1 || columns.values().size() != 1) {
      g.ReportError(InvalidArgument("numbers of rows and columns of Eye must be single numbers (",
                                    where.file, ":", where.line, ")"));
      return {};
    }
    is_square = num_rows.values() == columns.values();
    size = std::min(num_rows.values()[0], columns.values()[0]);
  } else {
    const auto operand = [](const IntArg& n) {
      return n.is_output() ? Operand(n.output()) : Operand(n.values()[0]);
    };
    size = Minimum(operand(num_rows), operand(columns), {}, where);
  }
  if (!in_step && !o.batch_shape.is_output() && !o.batch_shape.is_packed()) {
    std::vector<int64_t> dims = o.batch_shape.values();
    dims.push_back(size.values()[0]);
    const Output ones = Ones(g, dims, o.dtype, {}, where);
    if (is_square) return MatrixDiag(ones, {.name = "diag"}, where);
    dims.back() = num_rows.values()[0];
    dims.push_back(columns.values()[0]);
    return MatrixSetDiag(Zeros(g, dims, o.dtype, {}, where), ones, {.name = "set_diag"}, where);
  }
  const Output batch = o.batch_shape.In(g, "shape", DType::kInt32, where);
  const Output diagonal_shape = matrix_grad::JoinShape(g, {batch, IntArg::Packed({size})}, where);
  const Output shape =
      is_square ? Output()
                : matrix_grad::JoinShape(g, {batch, IntArg::Packed({num_rows, columns})}, where);
  const Output ones = Ones(g, diagonal_shape, o.dtype, {}, where);
  if (is_square) return MatrixDiag(ones, {.name = "diag"}, where);
  return MatrixSetDiag(Zeros(g, shape, o.dtype, {}, where), ones, {.name = "set_diag"}, where);
}

Output Trace(Output x, OpOptions o, Location where) {
  if (!x.valid()) return {};
  const OpScope scope(*x.graph(), o.name, "Trace");
  const Output diagonal = MatrixDiagPart(x, {.name = "diag_part"}, where);
  return ReduceSum(diagonal, {-1}, {.name = scope.op_name()}, where);
}

Output Norm(Output x, NormOptions o, Location where) {
  if (!x.valid()) return {};
  Graph& g = *x.graph();
  if (const Status status = CheckNorm(o); !status.ok()) {
    g.ReportError(Annotate(status, StrCat("norm of ", x.node->Describe(), ": ")));
    return {};
  }
  const NameScope scope(g, NameOr(o.name, "norm"));
  const Output result = NormWithDims(x, o, where);
  return o.keep_dims ? result : Squeeze(result, {.axis = o.axis}, where);
}

}  // namespace headrace
