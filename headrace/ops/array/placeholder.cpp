#include "headrace/ops/array/placeholder.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/array/identity_kernels.h"

namespace headrace {
namespace {

Status StatedShape(ShapeContext& c) {
  return c.SetOutput(0, c.attrs().Get<PartialShape>("shape"));
}

Status WithDefaultShape(ShapeContext& c) {
  const PartialShape& shape = c.attrs().Get<PartialShape>("shape");
  if (!c.input(0).IsCompatibleWith(shape)) {
    return InvalidArgument("the default value's shape ", c.input(0).ToString(),
                           " does not agree with attribute 'shape' ", shape.ToString());
  }
  return c.SetOutput(0, shape);
}

Status PassGradient(GradContext& c) {
  if (c.gradient(0).slices.has_value()) {
    c.Set(0, *c.gradient(0).slices);
  } else {
    c.Set(0, c.grad());
  }
  return absl::OkStatus();
}

// What TensorFlow calls a dtype in its C++ messages: "float", "half", "int32".
std::string MessageName(DType type) {
  return ToLower(DTypeProtoName(type).substr(3));
}

class UnfedPlaceholder final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    const AttrMap& attrs = ctx.node().attrs();
    const PartialShape& shape = attrs.Get<PartialShape>("shape");
    return InvalidArgument("You must feed a value for placeholder tensor '", ctx.node().name(),
                           "' with dtype ", MessageName(attrs.Get<DType>("dtype")),
                           shape.has_rank() ? StrCat(" and shape ", shape.ToString()) : "");
  }
};

StatusOr<std::unique_ptr<Kernel>> MakePlaceholder(const KernelInit&) {
  return std::make_unique<UnfedPlaceholder>();
}

}  // namespace

Output Placeholder(Graph& g, DType dtype, PartialShape shape, OpOptions o, Location where) {
  return NodeBuilder(g, "Placeholder", o.name, where)
      .Attr("dtype", dtype)
      .Attr("shape", shape)
      .Build();
}

Output PlaceholderWithDefault(Output input, PartialShape shape, OpOptions o, Location where) {
  return NodeBuilder("PlaceholderWithDefault", o.name, where)
      .Input(input)
      .Attr("shape", shape)
      .Build();
}

void DefinePlaceholder(OpRegistry& ops) {
  ops.Define("Placeholder")
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", PartialShape())
      .Output("output", "dtype")
      .Shape(StatedShape)
      .NoGradient()
      .Cpu({.make = MakePlaceholder})
      .Gpu({.make = nullptr})
      .Doc("A tensor that must be fed.");
  ops.Define("PlaceholderV2")
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", AttrKind::kShape)
      .Output("output", "dtype")
      .Shape(StatedShape)
      .NoGradient()
      .Cpu({.make = MakePlaceholder})
      .Gpu({.make = nullptr})
      .Doc("A tensor that must be fed; its shape is stated.");
  ops.Define("PlaceholderWithDefault")
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", AttrKind::kShape)
      .Input("input", "dtype")
      .Output("output", "dtype")
      .Shape(WithDefaultShape)
      .Gradient(PassGradient)
      .Forwards(0, 0)
      .Cpu({.make = MakeStatedShapeCpu})
      .Gpu({.types = {{"dtype", kForwardedOnGpu}}})
      .Gpu({.types = {{"dtype", kForwardedOnHost}}, .host_args = {"input", "output"}})
      .Doc("Its input, unless another value is fed.");
}

}  // namespace headrace
