#include "headrace/ops/control/diagnostics.h"

#include <chrono>

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"

namespace headrace {
namespace {

Status GiveTime(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  *out->data<double>() = std::chrono::duration<double>(since).count();
  return absl::OkStatus();
}

Status EndStep(KernelContext& ctx) {
  const std::string& message = ctx.node().attrs().Get<std::string>("error_msg");
  return absl::AbortedError(message.empty() ? "Abort was run" : message);
}

Status GiveFact(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<std::string>() = "0! == 1";
  return absl::OkStatus();
}

}  // namespace

Output Timestamp(Graph& g, OpOptions o, Location where) {
  return NodeBuilder(g, "Timestamp", o.name, where).Build();
}

Node* Abort(Graph& g, std::string error_msg, AbortOptions o, Location where) {
  return NodeBuilder(g, "Abort", o.name, where)
      .Attr("error_msg", std::move(error_msg))
      .Attr("exit_without_error", o.exit_without_error)
      .BuildNode();
}

void DefineDiagnostics(OpRegistry& ops) {
  ops.Define("Timestamp")
      .Output("ts", "float64")
      .Shape(ScalarShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeFunctionKernel<GiveTime>})
      .Doc("Seconds since 1970.");
  ops.Define("Abort")
      .Attr("error_msg", "")
      .Attr("exit_without_error", false)
      .Shape(NoShape)
      .Cpu({.make = MakeFunctionKernel<EndStep>})
      .Gpu({.make = nullptr})
      .Doc("Ends the step with an error.");
  ops.Define("Fact")
      .Output("fact", "string")
      .Shape(ScalarShape)
      .Cpu({.make = MakeFunctionKernel<GiveFact>})
      .Gpu({.host_args = {"fact"}})
      .Doc("A fact about factorials.");
}

}  // namespace headrace
