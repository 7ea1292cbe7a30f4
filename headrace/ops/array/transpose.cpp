#include "headrace/ops/array/transpose.h"

#include <algorithm>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/transpose_kernels.h"

namespace headrace {
namespace {

Status TransposeShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape perm_shape, c.WithRank(1, 1));
  const PartialShape& in = c.input(0);
  const int rank = in.has_rank() ? in.rank() : static_cast<int>(perm_shape[0]);
  if (rank < 0 || rank > kMaxRank) return c.SetOutput(0, PartialShape());
  if (perm_shape[0] >= 0 && perm_shape[0] != rank) {
    return InvalidArgument("transpose expects a vector of size ", rank,
                           ". But input(1) is a vector of size ", perm_shape[0]);
  }
  const auto perm = c.InputAsInts(1);
  PartialShape out = PartialShape::OfRank(rank);
  if (!perm.has_value()) {
    if (rank <= 1) out = in;
    return c.SetOutput(0, out);
  }
  uint32_t seen = 0;
  for (int i = 0; i < rank; ++i) {
    const int64_t from = (*perm)[i];
    if (from < 0 || from >= rank)
      return InvalidArgument(from, " is out of range [0 .. ", rank, ")");
    if (in.has_rank()) out.set_dim(i, in[static_cast<int>(from)]);
    seen |= 1u << from;
  }
  for (int i = 0; i < rank; ++i) {
    if ((seen >> i & 1) == 0)
      return InvalidArgument(i, " is missing from {", StrJoin(*perm, ","), "}.");
  }
  return c.SetOutput(0, out);
}

Status InvertPermutationShape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() != 1) {
    return InvalidArgument("invert_permutation expects a 1D vector.");
  }
  return c.SetOutput(0, c.input(0).has_rank() ? c.input(0) : PartialShape::OfRank(1));
}

Status TransposedBack(GradContext& c) {
  const Output grad = c.grad();
  const Output inverse = InvertPermutation(c.input(1), {}, c.where());
  c.Set(0, Transpose(grad, inverse, {.conjugate = c.node().op_name() == "ConjugateTranspose"},
                     c.where()));
  return absl::OkStatus();
}

std::string_view OpName(const TransposeOptions& o) {
  return o.conjugate ? "ConjugateTranspose" : "Transpose";
}

}  // namespace

Output Transpose(Output x, IntArg perm, TransposeOptions o, Location where) {
  if (!x.valid() || !perm.valid()) return {};
  Graph& g = *x.graph();
  const OpScope scope(g, o.name, "transpose");
  const Output p = perm.In(g, "perm", DType::kInt32, where);
  return NodeBuilder(g, OpName(o), scope.op_name(), where).Input(x).Input(p).Build();
}

Output Transpose(Output x, TransposeOptions o, Location where) {
  if (!x.valid()) return {};
  if (x.shape().has_rank()) {
    std::vector<int64_t> reversed(static_cast<size_t>(x.shape().rank()));
    for (size_t i = 0; i < reversed.size(); ++i)
      reversed[i] = static_cast<int64_t>(reversed.size() - 1 - i);
    return Transpose(x, IntArg(std::move(reversed)), std::move(o), where);
  }
  Graph& g = *x.graph();
  const OpScope scope(g, o.name, "transpose");
  const Output rank = Rank(x, {}, where);
  const Output last = array_grad::Sub(rank, 1, where);
  const Output perm = array_grad::Sub(last, Range(g, 0, rank, 1, {.name = "Range"}, where), where);
  return NodeBuilder(g, OpName(o), scope.op_name(), where).Input(x).Input(perm).Build();
}

Output InvertPermutation(Output x, OpOptions o, Location where) {
  return NodeBuilder("InvertPermutation", o.name, where).Input(x).Build();
}

void DefineTranspose(OpRegistry& ops) {
  for (const bool conjugate : {false, true}) {
    ops.Define(conjugate ? "ConjugateTranspose" : "Transpose")
        .TypeAttr("T", kAllTypes)
        .TypeAttr("Tperm", kIndexTypes, DType::kInt32)
        .Input("x", "T")
        .Input("perm", "Tperm")
        .Output("y", "T")
        .Shape(TransposeShape)
        .Gradient(TransposedBack)
        .Cpu({.types = {{"T", kMovedTypes}},
              .make = conjugate ? MakeConjugateTransposeCpu : MakeTransposeCpu})
        .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"perm"}})
        .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"x", "perm", "y"}})
        .Doc(conjugate ? "Dimensions in another order, conjugated."
                       : "Dimensions in another order.");
  }
  ops.Define("InvertPermutation")
      .TypeAttr("T", kIndexTypes, DType::kInt32)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(InvertPermutationShape)
      .NoGradient()
      .Cpu({.make = MakeInvertPermutationCpu})
      .Gpu({.host_args = {"x", "y"}})
      .Doc("The inverse of a permutation.");
}

}  // namespace headrace
