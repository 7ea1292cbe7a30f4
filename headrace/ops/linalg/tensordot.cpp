#include <algorithm>
#include <numeric>

#include "headrace/base/strings.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/linalg/einsum.h"
#include "headrace/ops/linalg/matrix.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {
namespace {

// An operand as a matrix, and the dimensions that are not summed over.
struct Flattened {
  Output matrix;
  IntArg free = std::vector<int64_t>();  // numbers, or a tensor where some are not known
  std::vector<int64_t> static_free;
};

int64_t ProductOf(const std::vector<int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<int64_t>());
}

std::vector<int64_t> Joined(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// `axes_first`: [axes, free], else [free, axes].
Flattened Flatten(Output x, const std::vector<int64_t>& axes, bool axes_first, Location where) {
  Graph& g = *x.graph();
  const PartialShape& shape = x.shape();
  std::vector<int64_t> free, free_dims, axes_dims;
  for (int i = 0; i < shape.rank(); ++i) {
    if (std::ranges::find(axes, i) != axes.end()) continue;
    free.push_back(i);
    free_dims.push_back(shape[i]);
  }
  for (int64_t axis : axes) axes_dims.push_back(shape[static_cast<int>(axis)]);
  if (shape.is_fully_known()) {
    const int64_t of_free = ProductOf(free_dims), of_axes = ProductOf(axes_dims);
    const std::vector<int64_t> perm = axes_first ? Joined(axes, free) : Joined(free, axes);
    const Output turned = Transpose(x, perm, {}, where);
    const std::vector<int64_t> dims = axes_first ? std::vector<int64_t>{of_axes, of_free}
                                                 : std::vector<int64_t>{of_free, of_axes};
    return {Reshape(turned, dims, {}, where), free_dims, free_dims};
  }
  const Output axes_node = IntArg(axes).In(g, "axes", DType::kInt32, where);
  const Output free_node = IntArg(free).In(g, "free", DType::kInt32, where);
  const Output in_step = ShapeOf(x, {}, where);
  const Output free_shape = Gather(in_step, free_node, {}, where);
  const Output axes_shape = Gather(in_step, axes_node, {}, where);
  const Output of_free = ReduceProd(free_shape, {}, {}, where);
  const Output of_axes = ReduceProd(axes_shape, {}, {}, where);
  const Output perm = axes_first ? Concat({axes_node, free_node}, 0, {}, where)
                                 : Concat({free_node, axes_node}, 0, {}, where);
  const Output dims =
      axes_first ? Stack({of_axes, of_free}, {}, where) : Stack({of_free, of_axes}, {}, where);
  const Output turned = Transpose(x, perm, {}, where);
  return {Reshape(turned, dims, {}, where), free_shape, free_dims};
}

Output Contract(Output a, Output b, const std::vector<int64_t>& axes_a,
                const std::vector<int64_t>& axes_b, const std::string& name, Location where) {
  Graph& g = *a.graph();
  const Flattened left = Flatten(a, axes_a, false, where);
  const Flattened right = Flatten(b, axes_b, true, where);
  const Output product = MatrixProduct(left.matrix, right.matrix, {}, where);
  if (!left.free.is_output() && !right.free.is_output()) {
    return Reshape(product, Joined(left.free.values(), right.free.values()), {.name = name}, where);
  }
  const Output free_a = left.free.In(g, "Const", DType::kInt32, where);
  const Output free_b = right.free.In(g, "Const", DType::kInt32, where);
  const Output result =
      Reshape(product, Concat({free_a, free_b}, 0, {}, where), {.name = name}, where);
  if (!result.valid()) return {};
  const PartialShape known(Joined(left.static_free, right.static_free));
  if (const Status refined = g.RefineShape(result, known); !refined.ok()) g.ReportError(refined);
  return result;
}

StatusOr<std::vector<int64_t>> InRange(const std::vector<int64_t>& axes, int rank) {
  std::vector<int64_t> result;
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank)
      return InvalidArgument("axis ", axis, " is out of range for rank ", rank);
    result.push_back(axis < 0 ? axis + rank : axis);
    if (std::ranges::count(result, result.back()) > 1)
      return InvalidArgument("axis ", axis, " is there twice");
  }
  return result;
}

}  // namespace

StatusOr<std::pair<std::vector<int64_t>, std::vector<int64_t>>> TensordotAxes::Resolve(
    int rank_a, int rank_b) const {
  std::vector<int64_t> a = of_a_, b = of_b_;
  if (count_ >= 0) {
    if (count_ > rank_a || count_ > rank_b) {
      return InvalidArgument("'axes' must not be larger than the ranks of the tensors, ", rank_a,
                             " and ", rank_b, ", got ", count_);
    }
    for (int i = 0; i < count_; ++i) {
      a.push_back(rank_a - count_ + i);
      b.push_back(i);
    }
  }
  if (a.size() != b.size()) {
    return InvalidArgument("Different number of contraction axes 'a' and 'b', ", a.size(),
                           " != ", b.size(), ".");
  }
  HR_ASSIGN_OR_RETURN(a, InRange(a, rank_a));
  HR_ASSIGN_OR_RETURN(b, InRange(b, rank_b));
  return std::pair(a, b);
}

Output Tensordot(Output a, Output b, TensordotAxes axes, OpOptions o, Location where) {
  if (!a.valid() || !b.valid()) return {};
  Graph& g = *a.graph();
  const auto fail = [&](std::string_view what) {
    g.ReportError(InvalidArgument("Tensordot of ", a.node->Describe(), " and ", b.node->Describe(),
                                  ": ", what));
    return Output();
  };
  if (!a.shape().has_rank() || !b.shape().has_rank()) return fail("both ranks must be known");
  const auto resolved = axes.Resolve(a.shape().rank(), b.shape().rank());
  if (!resolved.ok()) return fail(Message(resolved.status()));
  const OpScope scope(g, o.name, "Tensordot");
  return Contract(a, b, resolved->first, resolved->second, scope.op_name(), where);
}

}  // namespace headrace
