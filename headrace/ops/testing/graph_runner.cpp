#include "headrace/ops/testing/graph_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/context_builder.h"
#include "headrace/ops/testing/tensors.h"

namespace headrace::testing {
namespace {

constexpr char kFedTensorOp[] = "_FedTensor";
constexpr char kFedVariableOp[] = "_FedVariable";

// Gives the variable that InitFedVariable put into the store.
class FedVariableKernel final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(variable_,
                        ctx.step().resources->Lookup<VariableResource>("", ctx.node().name()));
    ctx.SetVariable(0, variable_.get());
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<VariableResource> variable_;
};

Status StatedShape(ShapeContext& c) {
  return c.SetOutput(0, c.attrs().Get<PartialShape>("shape"));
}

StatusOr<std::unique_ptr<Kernel>> MakeFedVariable(const KernelInit&) {
  return std::make_unique<FedVariableKernel>();
}

void DefineTestOps() {
  OpRegistry& ops = OpRegistry::Global();
  if (ops.Find(kFedTensorOp) != nullptr) return;
  ops.Define(kFedTensorOp)
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", AttrKind::kShape)
      .Output("output", "dtype")
      .Shape(StatedShape)
      .Stateful()
      .Cpu({})
      .Doc("A value that a test feeds.");
  ops.Define(kFedVariableOp)
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", AttrKind::kShape)
      .RefOutput("ref", "dtype")
      .Shape(StatedShape)
      .Stateful()
      .Cpu({.make = MakeFedVariable})
      .Gpu({.make = MakeFedVariable})
      .Doc("A variable that a test gives a value.");
}

// Devices are shared by all runners of a test program: starting threads takes time.
StatusOr<std::shared_ptr<DeviceSet>> Devices(const RunnerOptions& options) {
  static auto& sets = *new std::map<std::pair<std::string, int>, std::shared_ptr<DeviceSet>>();
  std::shared_ptr<DeviceSet>& set = sets[{options.device_type, options.threads}];
  if (set == nullptr) {
    HR_ASSIGN_OR_RETURN(
        set, DeviceSet::Create({.threads = options.threads,
                                .simulated_gpus = options.device_type == "GPU" ? 1 : 0}));
  }
  return set;
}

// Nodes that `targets` need, each after what it needs. Fed outputs need nothing.
std::vector<Node*> Order(std::span<Node* const> targets, const Feeds& feeds) {
  std::vector<Node*> order;
  std::set<const Node*> seen;
  struct Visit {
    Node* node;
    std::vector<Node*> needs;
    size_t next = 0;
  };
  const auto visit = [&](Node* node) {
    Visit v{node, node->control_inputs()};
    for (const Output& input : node->inputs()) {
      if (!feeds.contains(input)) v.needs.push_back(input.node);
    }
    return v;
  };
  for (Node* target : targets) {
    if (!seen.insert(target).second) continue;
    std::vector<Visit> stack{visit(target)};
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next == top.needs.size()) {
        order.push_back(top.node);
        stack.pop_back();
      } else if (Node* need = top.needs[top.next++]; seen.insert(need).second) {
        stack.push_back(visit(need));
      }
    }
  }
  return order;
}

bool IsHostArg(const Node& node, const Device& device, bool is_output, int i) {
  if (!device.separate_memory()) return true;
  const StatusOr<const DeviceSupport*> support = FindSupport(node, device.type());
  if (!support.ok()) return false;
  const ArgDef& arg =
      is_output ? node.op().OutputArg(node.attrs(), i) : node.op().InputArg(node.attrs(), i);
  const std::vector<std::string>& host = (*support)->host_args;
  return std::find(host.begin(), host.end(), arg.name) != host.end();
}

// Arguments of one Compute, and the results.
struct Call {
  explicit Call(const Node& node)
      : inputs(node.num_inputs()),
        pointers(node.num_inputs()),
        variables(node.num_inputs()),
        outputs(node.num_outputs()),
        ref_outputs(node.num_outputs()),
        planned(new bool[node.num_outputs()]()) {}

  std::vector<Tensor> inputs;
  std::vector<const Tensor*> pointers;
  std::vector<VariableResource*> variables;
  std::vector<Tensor> outputs;
  std::vector<VariableResource*> ref_outputs;
  std::unique_ptr<bool[]> planned;

  Status Run(const Node& node, Kernel& kernel, Device& device, const StepContext& step) {
    for (size_t i = 0; i < inputs.size(); ++i) pointers[i] = &inputs[i];
    KernelContext ctx;
    ContextBuilder::Fill(ctx, {.node = &node,
                               .device = &device,
                               .inputs = pointers.data(),
                               .variables = variables.data(),
                               .num_inputs = node.num_inputs(),
                               .outputs = outputs.data(),
                               .ref_outputs = ref_outputs.data(),
                               .planned = planned.get(),
                               .step = &step});
    return kernel.Compute(ctx);
  }
};

// The same results must come out of planned memory that holds garbage, and of memory shared with an
// input.
Status CheckOtherMemory(const Node& node, Kernel& kernel, Device& device, const StepContext& step,
                        const Call& first) {
  const OpDef& op = node.op();
  for (const auto& [out, in] : op.forwards()) {
    if (first.outputs[out].valid() && first.outputs[out].num_elements() > 0 &&
        !first.outputs[out].SharesMemoryWith(first.inputs[in])) {
      return Internal(node.Describe(), ": output ", out, " does not share the bytes of input ", in,
                      " as Forwards says");
    }
  }
  // A second run of a write would write twice.
  if (op.stateful() || !op.forwards().empty() || !op.written_variables().empty())
    return absl::OkStatus();
  const auto compare = [&](const Call& call, std::string_view how) {
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      if (!first.outputs[i].valid()) continue;
      const std::string difference = BitDifference(call.outputs[i], first.outputs[i]);
      if (!difference.empty()) {
        return Internal(node.Describe(), ": output ", i, " differs ", how, ": ", difference);
      }
    }
    return absl::OkStatus();
  };
  Call planned(node);
  planned.inputs = first.inputs;
  planned.variables = first.variables;
  for (size_t i = 0; i < first.outputs.size(); ++i) {
    const Tensor& out = first.outputs[i];
    if (!out.valid() || !IsPlain(out.dtype())) continue;
    planned.outputs[i] = Tensor(out.dtype(), out.shape());
    if (out.size_bytes() > 0) std::memset(planned.outputs[i].raw_data(), 0xA5, out.size_bytes());
    planned.planned[i] = true;
  }
  HR_RETURN_IF_ERROR(planned.Run(node, kernel, device, step));
  HR_RETURN_IF_ERROR(compare(planned, "in planned memory"));
  for (const auto& [out, in] : op.in_place()) {
    const Tensor& x = first.inputs[in];
    const Tensor& y = first.outputs[out];
    if (!y.valid() || !IsPlain(y.dtype()) || x.shape() != y.shape() || x.dtype() != y.dtype())
      continue;
    Call in_place(node);
    in_place.inputs = first.inputs;
    in_place.inputs[in] = x.Clone();
    in_place.outputs[out] = in_place.inputs[in];
    HR_RETURN_IF_ERROR(in_place.Run(node, kernel, device, step));
    HR_RETURN_IF_ERROR(compare(in_place, StrCat("in place of input ", in)));
    if (in_place.outputs[out].raw_data() != in_place.inputs[in].raw_data()) {
      return Internal(node.Describe(), ": output ", out, " was not written over input ", in);
    }
  }
  return absl::OkStatus();
}

}  // namespace

struct GraphRunner::Values {
  std::map<Output, Tensor> tensors;  // in plain host memory
  std::map<Output, VariableResource*> variables;
  StepContext step;
};

GraphRunner::GraphRunner(RunnerOptions options) : options_(std::move(options)) {
  DefineTestOps();
}
GraphRunner::~GraphRunner() = default;

Device& GraphRunner::cpu() {
  if (devices_ == nullptr) devices_ = Devices(options_).value();
  return devices_->cpu();
}

Device& GraphRunner::DeviceFor(const Node& node) {
  if (options_.device_type != "CPU" && FindSupport(node, options_.device_type).ok()) {
    for (const auto& device : devices_->devices()) {
      if (device->type() == options_.device_type) return *device;
    }
  }
  return devices_->cpu();
}

Status GraphRunner::Compute(Node& node, Values& values) {
  Device& device = DeviceFor(node);
  std::unique_ptr<Kernel>& kernel = kernels_[&node];
  if (kernel == nullptr) {
    HR_ASSIGN_OR_RETURN(kernel, CreateKernel(node, device, resources_));
  }
  Call call(node);
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Output source = node.input(i);
    if (IsRef(node.input_type(i))) {
      call.variables[i] = values.variables.at(source);
      continue;
    }
    if (IsRef(source.dtype()) && !values.tensors.contains(source)) {
      HR_ASSIGN_OR_RETURN(call.inputs[i], values.variables.at(source)->Read());
      continue;
    }
    Tensor& input = call.inputs[i] = values.tensors.at(source);
    if (!IsHostArg(node, device, false, i)) {
      const Tensor host = input;
      HR_ASSIGN_OR_RETURN(
          input, Tensor::Allocate(device.allocator(), host.dtype(), host.shape(), node.name()));
      HR_RETURN_IF_ERROR(device.CopyIn(host, input));
    }
  }
  HR_RETURN_IF_ERROR(
      Annotate(call.Run(node, *kernel, device, values.step), StrCat(node.Describe(), ": ")));
  if (options_.thorough)
    HR_RETURN_IF_ERROR(CheckOtherMemory(node, *kernel, device, values.step, call));
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (IsRef(node.output_type(i))) {
      if (call.ref_outputs[i] == nullptr)
        return Internal(node.Describe(), ": the kernel did not set variable ", i);
      values.variables[node.output(i)] = call.ref_outputs[i];
      continue;
    }
    Tensor output = call.outputs[i];
    if (!output.valid()) return Internal(node.Describe(), ": the kernel did not set output ", i);
    if (output.dtype() != node.output_type(i)) {
      return Internal(node.Describe(), ": output ", i, " is ", DTypeName(output.dtype()), ", not ",
                      DTypeName(node.output_type(i)));
    }
    if (!IsHostArg(node, device, true, i)) {
      output = Tensor(output.dtype(), output.shape());
      HR_RETURN_IF_ERROR(device.CopyOut(call.outputs[i], output));
    }
    values.tensors[node.output(i)] = output;
  }
  return absl::OkStatus();
}

StatusOr<std::vector<Tensor>> GraphRunner::Run(std::span<const Output> fetches,
                                               const Feeds& feeds) {
  HR_ASSIGN_OR_RETURN(devices_, Devices(options_));
  std::vector<Node*> targets;
  for (const Output& fetch : fetches) {
    if (!fetch.valid()) return InvalidArgument("a fetch is no output of a graph");
    if (!feeds.contains(fetch)) targets.push_back(fetch.node);
  }
  static std::atomic<int64_t> next_step{1};
  Cancellation cancellation;
  Values values{
      .tensors = feeds,
      .step = {.step_id = next_step++, .cancellation = &cancellation, .resources = &resources_}};
  for (Node* node : Order(targets, feeds)) HR_RETURN_IF_ERROR(Compute(*node, values));
  std::vector<Tensor> results;
  for (const Output& fetch : fetches) {
    if (auto it = values.tensors.find(fetch); it != values.tensors.end()) {
      results.push_back(it->second);
    } else {
      HR_ASSIGN_OR_RETURN(Tensor value, values.variables.at(fetch)->Read());
      results.push_back(value.Clone());
    }
  }
  return results;
}

Status GraphRunner::RunNodes(std::span<Node* const> nodes, const Feeds& feeds) {
  HR_ASSIGN_OR_RETURN(devices_, Devices(options_));
  static std::atomic<int64_t> next_step{int64_t{1} << 32};
  Cancellation cancellation;
  Values values{
      .tensors = feeds,
      .step = {.step_id = next_step++, .cancellation = &cancellation, .resources = &resources_}};
  for (Node* node : Order(nodes, feeds)) HR_RETURN_IF_ERROR(Compute(*node, values));
  return absl::OkStatus();
}

std::vector<Tensor> Evaluate(const std::vector<Output>& outputs, const Feeds& feeds) {
  for (const Output& output : outputs) {
    if (output.valid() && !output.graph()->status().ok()) {
      ADD_FAILURE() << "the graph has an error: " << output.graph()->status();
      return std::vector<Tensor>(outputs.size());
    }
  }
  GraphRunner runner;
  StatusOr<std::vector<Tensor>> results = runner.Run(outputs, feeds);
  if (results.ok()) return *std::move(results);
  ADD_FAILURE() << results.status();
  return std::vector<Tensor>(outputs.size());
}

Tensor Evaluate(Output output, const Feeds& feeds) {
  return Evaluate(std::vector<Output>{output}, feeds)[0];
}

Output FedTensor(Graph& graph, DType dtype, const PartialShape& shape, std::string name) {
  DefineTestOps();
  return NodeBuilder(graph, kFedTensorOp, name, Location::Current())
      .Attr("dtype", dtype)
      .Attr("shape", shape)
      .Build();
}

Output FedVariable(Graph& graph, DType dtype, const PartialShape& shape, std::string name) {
  DefineTestOps();
  return NodeBuilder(graph, kFedVariableOp, name, Location::Current())
      .Attr("dtype", dtype)
      .Attr("shape", shape)
      .Build();
}

Output FedHandle(Graph& graph, DType dtype, const PartialShape& shape, std::string name) {
  return NodeBuilder(graph, "VarHandleOp", name, Location::Current())
      .Attr("dtype", dtype)
      .Attr("shape", shape)
      .Build();
}

Output FedVariable(Graph& graph, GraphRunner& runner, const Tensor& value, std::string name) {
  const Output variable = FedVariable(graph, value.dtype(), value.shape(), std::move(name));
  const Status status = InitFedVariable(variable, runner, value);
  EXPECT_TRUE(status.ok()) << status;
  return variable;
}

Status InitFedVariable(Output variable, GraphRunner& runner, const Tensor& value) {
  const Node& node = *variable.node;
  HR_ASSIGN_OR_RETURN(auto resource,
                      runner.resources().LookupOrCreate<VariableResource>("", node.name(), [&] {
                        return std::make_shared<VariableResource>(
                            node.name(), value.dtype(), node.attrs().Get<PartialShape>("shape"),
                            HostAllocator());
                      }));
  return value.valid() ? resource->Assign(value.Clone(), false) : absl::OkStatus();
}

StatusOr<Tensor> ReadFedVariable(Output variable, GraphRunner& runner) {
  HR_ASSIGN_OR_RETURN(auto resource,
                      runner.resources().Lookup<VariableResource>("", variable.node->name()));
  HR_ASSIGN_OR_RETURN(Tensor value, resource->Read());
  return value.Clone();
}

}  // namespace headrace::testing
