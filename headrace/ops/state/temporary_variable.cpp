#include "headrace/ops/state/temporary_variable.h"

#include <cstring>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/state/ref_op.h"

namespace headrace {
namespace {

constexpr char kContainer[] = "_temporary";  // of variables in use

std::string KeyOf(const VariableResource& variable) {
  return StrCat(variable.name(), "@", reinterpret_cast<uintptr_t>(&variable));
}

Status TemporaryShape(ShapeContext& c) {
  const PartialShape& shape = c.attrs().Get<PartialShape>("shape");
  if (!shape.is_fully_known())
    return InvalidArgument("attribute 'shape' must be fully known, got ", shape.ToString());
  return c.SetOutput(0, shape);
}

// Keeps its variables and uses one again once nobody else holds it: the store holds those in use.
class TemporaryVariableKernel final : public Kernel {
 public:
  TemporaryVariableKernel(std::string name, DType type, const Shape& shape)
      : name_(std::move(name)), type_(type), shape_(shape) {}

  Status Compute(KernelContext& ctx) override {
    std::shared_ptr<VariableResource> variable;
    for (const auto& kept : variables_) {
      if (kept.use_count() == 1) variable = kept;
    }
    if (variable == nullptr) {
      variable = std::make_shared<VariableResource>(name_, type_, shape_, ctx.allocator(),
                                                    ctx.node().location());
      variables_.push_back(variable);
    }
    HR_ASSIGN_OR_RETURN(Tensor zeros,
                        Tensor::Allocate(ctx.allocator(), type_, shape_, ctx.node().name()));
    if (IsPlain(type_)) std::memset(zeros.raw_data(), 0, zeros.size_bytes());
    HR_RETURN_IF_ERROR(variable->Assign(zeros));
    HR_RETURN_IF_ERROR(ctx.step()
                           .resources
                           ->LookupOrCreate<VariableResource>(kContainer, KeyOf(*variable),
                                                              [&] { return variable; })
                           .status());
    ctx.SetVariable(0, variable.get());
    return absl::OkStatus();
  }

 private:
  const std::string name_;
  const DType type_;
  const Shape shape_;
  std::vector<std::shared_ptr<VariableResource>> variables_;
};

StatusOr<std::unique_ptr<Kernel>> MakeTemporaryVariable(const KernelInit& init) {
  const std::string& name = init.Attr<std::string>("var_name");
  return std::make_unique<TemporaryVariableKernel>(name.empty() ? init.node().name() : name,
                                                   init.Attr<DType>("dtype"),
                                                   init.Attr<PartialShape>("shape").ToShape());
}

Status Destroy(KernelContext& ctx) {
  VariableResource& variable = ctx.variable(0);
  const std::string& name = ctx.node().attrs().Get<std::string>("var_name");
  if (variable.name() != name) {
    return InvalidArgument("the variable is '", variable.name(), "', attribute 'var_name' says '",
                           name, "'");
  }
  HR_ASSIGN_OR_RETURN(const Tensor value, variable.Read());
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, value.shape()));
  out->CopyElementsFrom(value);
  // In a step plan the variable belongs to the plan: it is there from the start and in every step.
  (void)ctx.step().resources->Remove(kContainer, KeyOf(variable));
  return absl::OkStatus();
}

}  // namespace

Output TemporaryVariable(Graph& g, PartialShape shape, DType dtype, TemporaryVariableOptions o,
                         Location where) {
  return NodeBuilder(g, "TemporaryVariable", o.name, where)
      .Attr("shape", shape)
      .Attr("dtype", dtype)
      .Attr("var_name", std::move(o.var_name))
      .Build();
}

Output DestroyTemporaryVariable(Output ref, std::string var_name, OpOptions o, Location where) {
  const RefColocation with_variable{ref};
  return NodeBuilder("DestroyTemporaryVariable", o.name, where)
      .Input(ref)
      .Attr("var_name", std::move(var_name))
      .Build();
}

void DefineTemporaryVariable(OpRegistry& ops) {
  const DTypeSet types = kPlainTypes | DTypeSet(DType::kString);
  ops.Define("TemporaryVariable")
      .Attr("shape", AttrKind::kShape)
      .TypeAttr("dtype", kAllTypes)
      .Attr("var_name", "")
      .RefOutput("ref", "dtype")
      .Shape(TemporaryShape)
      .Stateful()
      .Cpu({.types = {{"dtype", types}}, .make = MakeTemporaryVariable})
      .Gpu({.types = {{"dtype", kGpuFloatTypes}}})
      .Doc("A variable that lives within a step.");
  ops.Define("DestroyTemporaryVariable")
      .TypeAttr("T", kAllTypes)
      .Attr("var_name", AttrKind::kString)
      .RefInput("ref", "T")
      .Output("value", "T")
      .Shape(SameShapeAsInput)
      .Cpu({.types = {{"T", types}}, .make = MakeFunctionKernel<Destroy>})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("The last value of a variable that lives within a step.");
}

}  // namespace headrace
