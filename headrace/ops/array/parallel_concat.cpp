#include "headrace/ops/array/parallel_concat.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

Status CheckRow(const PartialShape& row, const PartialShape& whole) {
  PartialShape wanted = whole;
  wanted.set_dim(0, 1);
  if (row.IsCompatibleWith(wanted)) return absl::OkStatus();
  return InvalidArgument("All input shapes must be ", wanted.ToString(), ", got ", row.ToString());
}

Status ParallelConcatShape(ShapeContext& c) {
  const PartialShape& shape = c.attrs().Get<PartialShape>("shape");
  if (!shape.is_fully_known()) return InvalidArgument("shape attr must be fully defined.");
  if (shape.rank() < 1 || shape[0] != c.num_inputs()) {
    return InvalidArgument("the first dimension of attribute 'shape' ", shape.ToString(),
                           " must be the number of inputs, ", c.num_inputs());
  }
  for (int i = 0; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(CheckRow(c.input(i), shape));
  return c.SetOutput(0, shape);
}

Status Concatenate(KernelContext& ctx) {
  const PartialShape& shape = ctx.node().attrs().Get<PartialShape>("shape");
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    HR_RETURN_IF_ERROR(CheckRow(PartialShape(ctx.input(i).shape()), shape));
  }
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape.ToShape()));
  const int64_t row = out->shape().Product(1, out->rank());
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    CopyRows(ctx.workers(), out->dtype(), 1, row, ElementAt(*out, i * row), row,
             ctx.input(i).raw_data(), row);
  }
  return absl::OkStatus();
}

}  // namespace

Output ParallelConcat(std::span<const Output> values, PartialShape shape, OpOptions o,
                      Location where) {
  return NodeBuilder("ParallelConcat", o.name, where).Inputs(values).Attr("shape", shape).Build();
}

void DefineParallelConcat(OpRegistry& ops) {
  ops.Define("ParallelConcat")
      .Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .TypeAttr("T", kAllTypes)
      .Attr("shape", AttrKind::kShape)
      .InputList("values", "T", "N")
      .Output("output", "T")
      .Shape(ParallelConcatShape)
      .Cpu({.types = {{"T", kMovedTypes}}, .make = MakeFunctionKernel<Concatenate>})
      .Gpu({.types = {{"T", kGpuMovedTypes}}})
      .Doc("Rows put together.");
}

}  // namespace headrace
