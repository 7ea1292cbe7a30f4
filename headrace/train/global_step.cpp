#include "headrace/train/global_step.h"

#include "headrace/base/strings.h"
#include "headrace/train/collections.h"

namespace headrace {

Variable GetGlobalStep(Graph& g) {
  Variable step;
  if (const std::vector<Variable> listed = VariablesIn(g, kGlobalStep); !listed.empty()) {
    step = listed.front();
  } else if (Node* node = g.FindNode(kGlobalStep)) {  // of a graph file without collections
    step = Variable::Of(node->output(0));
  }
  if (!step.valid()) return {};
  if (!IsInteger(step.dtype()) || (step.shape().has_rank() && step.shape().rank() != 0)) {
    g.ReportError(InvalidArgument("the global step must be a scalar of an integer dtype, but ",
                                  step.ref().node->Describe(), " is ", DTypeName(step.dtype()),
                                  step.shape().ToString()));
    return {};
  }
  return step;
}

Variable CreateGlobalStep(Graph& g, Location where) {
  if (Variable step = GetGlobalStep(g); step.valid()) {
    g.ReportError(absl::AlreadyExistsError(
        StrCat("the graph has a global step: ", step.ref().node->Describe())));
    return {};
  }
  NameScope top(g, "");
  ControlDependencies none(g, nullptr);
  Variable::Initializer zero = [&](Graph& graph) {
    return Const(graph, int64_t{0}, {.name = "zeros"}, where);
  };
  return Variable(
      g, zero, {.trainable = false, .collections = {kVariables, kGlobalStep}, .name = kGlobalStep},
      where);
}

Variable GetOrCreateGlobalStep(Graph& g, Location where) {
  Variable step = GetGlobalStep(g);
  return step.valid() || !g.status().ok() ? step : CreateGlobalStep(g, where);
}

}  // namespace headrace
