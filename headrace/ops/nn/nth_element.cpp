#include "headrace/ops/nn/nth_element.h"

#include <optional>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/nth_element_kernels.h"

namespace headrace {
namespace {

Status NthShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  HR_ASSIGN_OR_RETURN(const PartialShape in, c.WithRankAtLeast(0, 1));
  if (!in.has_rank()) return c.SetOutput(0, in);
  const int64_t last = in[in.rank() - 1];
  const auto n = c.InputAsInts(1);
  if (n.has_value() && (*n)[0] < 0)
    return InvalidArgument("Input n must be non-negative but is ", (*n)[0]);
  if (n.has_value() && last >= 0 && last <= (*n)[0]) {
    return InvalidArgument("Input must have last dimension > n = ", (*n)[0], " but is ", last);
  }
  return c.SetOutput(0, PartialShape(in.dims().first(static_cast<size_t>(in.rank() - 1))));
}

Status NthGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad();
  const Output equal = Equal(ExpandDims(c.output(0), -1, {}, where), c.input(0), {}, where);
  const Output chosen = Cast(equal, grad.value_dtype(), {}, where);
  const Output column = ExpandDims(grad, -1, {}, where);
  const Output count = ExpandDims(ReduceSum(chosen, {-1}, {}, where), -1, {}, where);
  c.Set(0, Mul(RealDiv(chosen, count, {.name = "div"}, where), column, {.name = "mul"}, where));
  return absl::OkStatus();
}

}  // namespace

Output NthElement(Output input, IntArg n, NthElementOptions o, Location where) {
  if (!input.valid() || !n.valid()) return {};
  Graph& g = *input.graph();
  std::optional<OpScope> scope;
  if (!n.is_output()) scope.emplace(g, o.name, "NthElement");
  const Output place = n.In(g, "n", DType::kInt32, where);
  return NodeBuilder(g, "NthElement",
                     scope.has_value() ? std::string_view(scope->op_name()) : o.name, where)
      .Input(input)
      .Input(place)
      .Attr("reverse", o.reverse)
      .Build();
}

void DefineNthElement(OpRegistry& ops) {
  ops.Define("NthElement")
      .Attr("reverse", false)
      .TypeAttr("T", kRealTypes)
      .Input("input", "T")
      .Input("n", "int32")
      .Output("values", "T")
      .Shape(NthShape)
      .Gradient(NthGradient)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeNthElementCpu})
      .Doc("The n-th smallest element of each row.");
}

}  // namespace headrace
