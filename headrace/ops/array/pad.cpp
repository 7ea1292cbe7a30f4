#include "headrace/ops/array/pad.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/pad_kernels.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"

namespace headrace {
namespace {

// sign +1: padded; -1: the gradient of that.
Status PaddedShape(ShapeContext& c, int sign) {
  HR_ASSIGN_OR_RETURN(const PartialShape paddings, c.WithRank(1, 2));
  const PartialShape& in = c.input(0);
  if (paddings[1] >= 0 && paddings[1] != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: ", paddings.ToString());
  }
  const int64_t rows = paddings[0];
  if (rows > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  if (rows >= 0 && in.has_rank() && rows != in.rank()) {
    return InvalidArgument("The first dimension of paddings must be the rank of inputs",
                           paddings.ToString(), " ", in.ToString());
  }
  const int rank = in.has_rank() ? in.rank() : static_cast<int>(rows);
  if (rank < 0) return c.SetOutput(0, PartialShape());
  PartialShape out = PartialShape::OfRank(rank);
  const auto values = c.InputAsInts(1);
  for (int i = 0; values.has_value() && i < rank; ++i) {
    const int64_t before = (*values)[2 * i], after = (*values)[2 * i + 1];
    if (before < 0 || after < 0)
      return InvalidArgument("Paddings must be non-negative: ", before, " ", after);
    int64_t both = 0, size = 0;
    if (in.has_rank() && in[i] >= 0) {
      if (__builtin_add_overflow(before, after, &both) ||
          __builtin_add_overflow(in[i], sign * both, &size)) {
        return InvalidArgument("paddings ", before, ", ", after, " of dimension ", i, " (size ",
                               in[i], ") make a size beyond int64");
      }
      if (size < 0)
        return InvalidArgument("paddings ", before, ", ", after, " are larger than the dimension ",
                               in[i]);
      out.set_dim(i, size);
    }
  }
  return c.SetOutput(0, out);
}

Status PadShape(ShapeContext& c) {
  if (c.num_inputs() > 2) HR_RETURN_IF_ERROR(c.CheckScalar(2));
  return PaddedShape(c, 1);
}
Status MirrorPadGradShape(ShapeContext& c) {
  return PaddedShape(c, -1);
}

Status PadGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output x = c.input(0), paddings = c.input(1);
  const DType index = paddings.value_dtype();
  const Output size = IntArg::Packed({Rank(x, {}, where), 1}).In(g, "stack", DType::kInt32, where);
  const Output before = Slice(paddings, {0, 0}, size, {}, where);
  const Output begin = Reshape(before, {-1}, {}, where);
  c.Set(0, Slice(c.grad(), begin, ShapeOf(x, {.out_type = index}, where), {}, where));
  return absl::OkStatus();
}

bool Symmetric(const GradContext& c) {
  return c.attrs().Get<std::string>("mode") == "SYMMETRIC";
}

Status MirrorPadGradient(GradContext& c) {
  c.Set(0, MirrorPadGrad(c.grad(), c.input(1), {.symmetric = Symmetric(c)}, c.where()));
  return absl::OkStatus();
}
Status MirrorPadGradGradient(GradContext& c) {
  c.Set(0, MirrorPad(c.grad(), c.input(1), {.symmetric = Symmetric(c)}, c.where()));
  return absl::OkStatus();
}

Output Padded(std::string_view op, Output x, const IntArg& paddings, const Output* value,
              std::string_view mode, std::string_view name, Location where) {
  if (!x.valid() || !paddings.valid()) return {};
  Graph& g = *x.graph();
  std::optional<OpScope> scope;
  if (!paddings.is_output()) scope.emplace(g, name, op);
  const Output p = paddings.In(g, "paddings", DType::kInt32, where);
  NodeBuilder builder(g, op, scope.has_value() ? std::string_view(scope->op_name()) : name, where);
  builder.Input(x).Input(p);
  if (value != nullptr) builder.Input(*value);
  if (!mode.empty()) builder.Attr("mode", mode);
  return builder.Build();
}

std::string_view Mode(const MirrorPadOptions& o) {
  return o.symmetric ? "SYMMETRIC" : "REFLECT";
}

OpDef& DefinePadding(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tpaddings", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Input("paddings", "Tpaddings");
}

}  // namespace

Output Pad(Output x, IntArg paddings, OpOptions o, Location where) {
  return Padded("Pad", x, paddings, nullptr, "", o.name, where);
}
Output PadV2(Output x, IntArg paddings, Output value, OpOptions o, Location where) {
  return Padded("PadV2", x, paddings, &value, "", o.name, where);
}
Output MirrorPad(Output x, IntArg paddings, MirrorPadOptions o, Location where) {
  return Padded("MirrorPad", x, paddings, nullptr, Mode(o), o.name, where);
}
Output MirrorPadGrad(Output x, IntArg paddings, MirrorPadOptions o, Location where) {
  return Padded("MirrorPadGrad", x, paddings, nullptr, Mode(o), o.name, where);
}

void DefinePad(OpRegistry& ops) {
  const DTypeSet moved = kCommonNumberTypes | kBoolOnly | kStringOnly;
  DefinePadding(ops, "Pad")
      .Output("output", "T")
      .Shape(PadShape)
      .Gradient(PadGradient)
      .Cpu({.types = {{"T", moved}}, .make = MakePadCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"paddings"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"input", "paddings", "output"}})
      .Doc("A border of zeros.");
  DefinePadding(ops, "PadV2")
      .Input("constant_values", "T")
      .Output("output", "T")
      .Shape(PadShape)
      .Gradient(PadGradient)
      .Cpu({.types = {{"T", moved}}, .make = MakePadCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"paddings", "constant_values"}})
      .Gpu({.types = {{"T", kInt32Only}},
            .host_args = {"input", "paddings", "constant_values", "output"}})
      .Doc("A border of one value.");
  DefinePadding(ops, "MirrorPad")
      .StringAttr("mode", {"REFLECT", "SYMMETRIC"})
      .Output("output", "T")
      .Shape(PadShape)
      .Gradient(MirrorPadGradient)
      .Cpu({.types = {{"T", moved}}, .make = MakeMirrorPadCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"paddings"}})
      .Doc("A border that mirrors the tensor.");
  DefinePadding(ops, "MirrorPadGrad")
      .StringAttr("mode", {"REFLECT", "SYMMETRIC"})
      .Output("output", "T")
      .Shape(MirrorPadGradShape)
      .Gradient(MirrorPadGradGradient)
      .Cpu({.types = {{"T", kCommonNumberTypes}}, .make = MakeMirrorPadGradCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"paddings"}})
      .Doc("The gradient of MirrorPad.");
}

}  // namespace headrace
