#include "headrace/graph/gradients.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "headrace/base/device_name.h"
#include "headrace/base/strings.h"
#include "headrace/graph/internal/gradient_flow.h"
#include "headrace/graph/internal/gradient_nodes.h"
#include "headrace/graph/internal/gradient_paths.h"

namespace headrace {
namespace {

using internal::GradientFlow;
using internal::GradientNode;
using internal::GradientPaths;

Status CheckY(Output y, Output grad_y) {
  const DType type = y.value_dtype();
  if (!internal::CarriesGradient(type)) {
    return InvalidArgument(y.node->Describe(), ": its output ", y.index, " has dtype ",
                           DTypeName(type),
                           ", of which there is no gradient; it must be floating or complex");
  }
  if (!grad_y.valid()) {
    if (IsFloating(type)) return absl::OkStatus();
    return InvalidArgument(y.node->Describe(), ": the gradient of a ", DTypeName(type),
                           " tensor must be given in grad_ys");
  }
  if (type != DType::kResource && type != grad_y.value_dtype()) {
    return InvalidArgument(y.node->Describe(), ": its gradient in grad_ys ('", grad_y.name(),
                           "') has dtype ", DTypeName(grad_y.value_dtype()), ", must be ",
                           DTypeName(type));
  }
  if (type != DType::kResource && !y.shape().IsCompatibleWith(grad_y.shape())) {
    return InvalidArgument(y.node->Describe(), ": its gradient in grad_ys ('", grad_y.name(),
                           "') has shape ", grad_y.shape().ToString(), ", must be ",
                           y.shape().ToString());
  }
  return absl::OkStatus();
}

// Nodes are visited when all that depends on them has been: each once, so that work is linear.
class Differentiator {
 public:
  Differentiator(Graph& graph, std::span<const Output> ys, std::span<const Output> xs,
                 const GradientsOptions& options, Location where)
      : graph_(graph), ys_(ys), xs_(xs), options_(options), where_(where) {}

  Status Run(std::vector<Gradient>& results) {
    NameScope scope(graph_, options_.name.empty() ? "gradients" : options_.name);
    graph_.UniqueName("uid");  // TensorFlow takes this name here, too
    std::vector<Output> grad_ys;
    HR_RETURN_IF_ERROR(MakeGradYs(grad_ys));
    GradientPaths paths(graph_, ys_, xs_, options_.stop_gradients);
    paths_ = &paths;
    HR_ASSIGN_OR_RETURN(flow_, GradientFlow::Make(paths));
    for (size_t i = 0; i < ys_.size(); ++i) Receive(ys_[i], Gradient{.dense = grad_ys[i]});
    for (const Output& y : ys_) {
      GradientNode* node = paths.Find(*y.node);
      // A y on which another y depends waits for that one's gradient.
      if (node == nullptr || node->queued || !flow_->IsReady(*y.node, node->pending)) continue;
      node->queued = true;
      queue_.push_back(node);
    }
    while (!queue_.empty()) {
      GradientNode& node = *queue_.front();
      queue_.pop_front();
      HR_RETURN_IF_ERROR(Visit(node));
      for (const Output& input : node.node->inputs()) {
        GradientNode* producer = paths.Find(*input.node);
        if (producer == nullptr) continue;
        --producer->pending;
        if (flow_->IsReady(*producer->node, producer->pending)) queue_.push_back(producer);
      }
    }
    Collect(results);
    return graph_.status();
  }

 private:
  Status MakeGradYs(std::vector<Output>& grad_ys) {
    if (!options_.grad_ys.empty() && options_.grad_ys.size() != ys_.size()) {
      return InvalidArgument("Passed ", options_.grad_ys.size(), " grad_ys for ", ys_.size(),
                             " ys");
    }
    for (size_t i = 0; i < ys_.size(); ++i) {
      const Output y = ys_[i];
      const Output given = options_.grad_ys.empty() ? Output() : options_.grad_ys[i];
      HR_RETURN_IF_ERROR(CheckY(y, given));
      std::optional<ColocateWith> with;
      if (options_.colocate_with_ops) with.emplace(graph_, *y.node);
      const int index = static_cast<int>(i);
      grad_ys.push_back(given.valid() ? internal::MakeIdentity(given, StrCat("grad_ys_", i), where_)
                                      : internal::MakeOnes(y, index, where_));
    }
    return graph_.status();
  }

  void Receive(Output tensor, Gradient gradient) {
    GradientNode* node = paths_->Find(*tensor.node);
    if (node != nullptr)
      node->received[static_cast<size_t>(tensor.index)].push_back(std::move(gradient));
  }

  Status Visit(GradientNode& between) {
    Node& node = *between.node;
    std::optional<ColocateWith> with;
    if (options_.colocate_with_ops) with.emplace(graph_, node);
    const int first = graph_.num_nodes();
    flow_->Enter(node);
    const Status status = Propagate(between);
    flow_->Leave(node);
    if (!options_.colocate_with_ops && graph_.device_scope().empty()) AskForDeviceOf(node, first);
    return status;
  }

  // What was made for a node that asked for a device asks for it too, where it has a kernel there: else the gradients of
  // all towers would meet on one GPU.
  void AskForDeviceOf(const Node& forward, int first) {
    if (forward.requested_device().empty()) return;
    const StatusOr<DeviceName> wanted = DeviceName::Parse(forward.requested_device());
    if (!wanted.ok()) return;
    for (int id = first; id < graph_.num_nodes(); ++id) {
      Node& made = *graph_.node(id);
      if (!made.requested_device().empty() || !made.colocation().empty()) continue;
      if (wanted->type && !FindSupport(made, *wanted->type).ok()) continue;
      graph_.SetDevice(made, forward.requested_device());
    }
  }

  Status Propagate(GradientNode& between) {
    Node& node = *between.node;
    bool some = false;
    for (const std::vector<Gradient>& parts : between.received) {
      between.totals.push_back(internal::SumGradients(parts, where_));
      some = some || !parts.empty();
    }
    HR_RETURN_IF_ERROR(graph_.status());
    if (!some || between.stops) return absl::OkStatus();
    std::function<Status(GradContext&)> function;
    if (options_.override_gradient) function = options_.override_gradient(node);
    if (!function) {
      if (node.op().no_gradient()) return absl::OkStatus();
      function = node.op().gradient();
    }
    if (!function) {
      return NotFound("No gradient defined for operation '", node.name(),
                      "' (op type: ", node.op_name(), "): ", node.Describe(),
                      " is on the way from an x to a y");
    }
    HR_ASSIGN_OR_RETURN(std::vector<Gradient> gradients, CallGradient(between, function));
    for (int i = 0; i < node.num_inputs(); ++i) {
      Gradient& gradient = gradients[static_cast<size_t>(i)];
      if (!gradient.connected()) continue;
      HR_RETURN_IF_ERROR(CheckInputGradient(node, i, gradient));
      Receive(node.input(i), std::move(gradient));
    }
    return absl::OkStatus();
  }

  StatusOr<std::vector<Gradient>> CallGradient(
      GradientNode& between, const std::function<Status(GradContext&)>& function) {
    Node& node = *between.node;
    std::vector<Output> zeros(between.totals.size());
    for (int i = 0; i < node.num_outputs(); ++i) {
      const size_t at = static_cast<size_t>(i);
      if (!between.totals[at].connected() && internal::IsTrainable(node.output_type(i))) {
        zeros[at] = flow_->Zeros(node.output(i), where_);
      }
    }
    NameScope scope(graph_, node.name() + "_grad");
    GradContext context(node, between.totals, std::move(zeros));
    const Status status = function(context);
    if (!status.ok()) return Annotate(status, StrCat("gradient of ", node.Describe(), ": "));
    HR_RETURN_IF_ERROR(graph_.status());
    std::vector<Gradient>& gradients = context.results();
    const auto connected =
        std::ranges::count_if(gradients, [](const Gradient& g) { return g.connected(); });
    if (options_.gate_gradients && connected > 1)
      internal::GateGradients(graph_, gradients, where_);
    HR_RETURN_IF_ERROR(graph_.status());
    return std::move(gradients);
  }

  Status CheckInputGradient(Node& node, int i, const Gradient& gradient) {
    const Output input = node.input(i);
    const Output values = gradient.slices ? gradient.slices->values : gradient.dense;
    if (input.value_dtype() == DType::kResource) return absl::OkStatus();
    if (values.value_dtype() != input.value_dtype()) {
      return Internal("gradient of ", node.Describe(), ": for input ", i, " it has dtype ",
                      DTypeName(values.value_dtype()), ", must be ",
                      DTypeName(input.value_dtype()));
    }
    if (gradient.slices) return absl::OkStatus();
    if (!values.shape().IsCompatibleWith(input.shape())) {
      return InvalidArgument(
          "Incompatible shapes between op input and calculated input gradient.  Forward "
          "operation: ",
          node.name(), ".  Input index: ", i, ". Original input shape: ", input.shape().ToString(),
          ".  Calculated input gradient shape: ", values.shape().ToString());
    }
    return graph_.RefineShape(values, input.shape());
  }

  void Collect(std::vector<Gradient>& results) {
    for (size_t i = 0; i < xs_.size(); ++i) {
      const GradientNode* node = paths_->Find(*xs_[i].node);
      if (node != nullptr && !node->totals.empty())
        results[i] = node->totals[static_cast<size_t>(xs_[i].index)];
      if (!results[i].connected() && options_.zeros_if_unconnected) {
        results[i].dense = internal::MakeZerosLike(xs_[i], where_);
      }
    }
  }

  Graph& graph_;
  const std::span<const Output> ys_, xs_;
  const GradientsOptions& options_;
  const Location where_;
  GradientPaths* paths_ = nullptr;
  std::unique_ptr<GradientFlow> flow_;
  std::deque<GradientNode*> queue_;
};

// The graph of the first valid output, or null.
Graph* GraphOf(std::span<const Output> outputs) {
  for (const Output& output : outputs) {
    if (output.valid()) return output.graph();
  }
  return nullptr;
}

Status CheckArguments(const Graph& graph, std::span<const Output> outputs, std::string_view what,
                      bool may_be_empty) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].valid()) {
      if (may_be_empty) continue;
      return InvalidArgument("Gradients: ", what, "[", i, "] is no output of a node");
    }
    if (outputs[i].graph() != &graph) {
      return InvalidArgument("Gradients: ", what, "[", i, "] ('", outputs[i].name(),
                             "') belongs to another graph");
    }
    if (outputs[i].index < 0 || outputs[i].index >= outputs[i].node->num_outputs()) {
      return InvalidArgument("Gradients: ", what, "[", i, "] is output ", outputs[i].index, " of ",
                             outputs[i].node->Describe(), ", which has ",
                             outputs[i].node->num_outputs(), " outputs");
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<Gradient> Gradients(std::span<const Output> ys, std::span<const Output> xs,
                                GradientsOptions options, Location where) {
  std::vector<Gradient> results(xs.size());
  Graph* graph = GraphOf(ys);
  if (graph == nullptr) graph = GraphOf(xs);
  if (graph == nullptr || !graph->status().ok()) return results;
  auto run = [&]() -> Status {
    HR_RETURN_IF_ERROR(CheckArguments(*graph, ys, "ys", false));
    HR_RETURN_IF_ERROR(CheckArguments(*graph, xs, "xs", false));
    HR_RETURN_IF_ERROR(CheckArguments(*graph, options.grad_ys, "grad_ys", true));
    HR_RETURN_IF_ERROR(CheckArguments(*graph, options.stop_gradients, "stop_gradients", false));
    return Differentiator(*graph, ys, xs, options, where).Run(results);
  };
  if (const Status status = run(); !status.ok()) {
    graph->ReportError(status);
    results.assign(xs.size(), Gradient());
  }
  return results;
}

}  // namespace headrace
