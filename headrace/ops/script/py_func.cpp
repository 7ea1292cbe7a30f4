#include "headrace/ops/script/py_func.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/script/py_func_kernels.h"

namespace headrace {

HostFunctions& HostFunctions::Global() {
  static HostFunctions& functions = *new HostFunctions;
  return functions;
}

void HostFunctions::Register(std::string_view token, HostFunction function) {
  auto shared = std::make_shared<const HostFunction>(std::move(function));
  std::lock_guard lock(mutex_);
  functions_.insert_or_assign(std::string(token), std::move(shared));
}

void HostFunctions::Remove(std::string_view token) {
  std::shared_ptr<const HostFunction> removed;  // destroyed without the lock
  std::lock_guard lock(mutex_);
  const auto it = functions_.find(token);
  if (it == functions_.end()) return;
  removed = std::move(it->second);
  functions_.erase(it);
}

std::shared_ptr<const HostFunction> HostFunctions::Find(std::string_view token) const {
  std::lock_guard lock(mutex_);
  const auto it = functions_.find(token);
  return it == functions_.end() ? nullptr : it->second;
}

std::vector<Output> PyFunc(Graph& g, std::span<const Output> inputs, std::span<const DType> output_types,
                           std::string_view token, PyFuncOptions o, Location where) {
  AttrValue::Types in, out(output_types.begin(), output_types.end());
  for (const Output& input : inputs) in.push_back(input.value_dtype());
  Node* node = NodeBuilder(g, o.stateful ? "PyFunc" : "PyFuncStateless", o.name, where)
                   .Inputs(inputs)
                   .Attr("token", token)
                   .Attr("Tin", std::move(in))
                   .Attr("Tout", std::move(out))
                   .BuildNode();
  std::vector<Output> outputs(output_types.size());
  for (size_t i = 0; node != nullptr && i < outputs.size(); ++i) outputs[i] = node->output(static_cast<int>(i));
  return outputs;
}

void DefinePyFunc(OpRegistry& ops) {
  for (const char* name : {"PyFunc", "PyFuncStateless"}) {
    OpDef& op = ops.Define(name)
                    .Input("input", "Tin")
                    .Output("output", "Tout")
                    .Attr("token", AttrKind::kString)
                    .Attr(AttrDef{.name = "Tin", .kind = AttrKind::kTypeList, .minimum = 0})
                    .Attr(AttrDef{.name = "Tout", .kind = AttrKind::kTypeList, .minimum = 0})
                    .Shape(NoShape)
                    .Cpu({.make = MakePyFuncCpu})
                    .Doc("A function of the program, registered under a token.");
    if (std::string_view(name) == "PyFunc") op.Stateful();
  }
}

}  // namespace headrace
