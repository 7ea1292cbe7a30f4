// What all optimizers share: gradients of a loss, state beside the variables, one op that updates
// everything.
//
//   AdamOptimizer adam(1e-3);
//   Node* train = adam.Minimize(loss, {.global_step = GetOrCreateGlobalStep(g)});
//   session.Run({{x, batch}}, {}, {train});
//
// Or in two parts, with gradients processed in between:
//
//   auto gradients = adam.ComputeGradients(loss);
//   ClipByGlobalNorm(gradients, 5.0);
//   Node* train = adam.ApplyGradients(gradients);
//
// Names, defaults, arithmetic and order of nodes are TensorFlow 1's, for variables that are refs
// and for those behind handles. An optimizer adds nodes to the graph of its variables and keeps no
// state of training: that lives in variables ("slots") which a Saver saves like any other. Errors
// go to the graph's status. Thread-compatible, as the graph is.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/graph/gradients.h"
#include "headrace/ops/math/operand.h"
#include "headrace/ops/state/variable.h"

namespace headrace {

namespace train {
class SlotTable;
}

struct GradientAndVariable {
  Gradient gradient;  // not connected when the loss does not depend on the variable
  Variable variable;
};

// When a gradient may be used: as soon as it is there; when all gradients of the op it comes from
// are there (else an update could change a variable that the same op's other gradient still reads);
// when all gradients are there.
enum class GradientGate { kNone, kOp, kGraph };

struct ComputeGradientsOptions {
  std::vector<Variable> var_list;  // empty = the trainable variables of the graph
  Output grad_loss;  // gradient of what is really minimised with respect to `loss`; default ones
  bool colocate_gradients_with_ops = false;
  GradientGate gate = GradientGate::kOp;
};

struct ApplyGradientsOptions {
  Variable global_step;  // incremented by one after the updates, if valid
  std::string name;      // "" = the optimizer's name
  // Slots are named "<slot_scope>/<variable>/<slot>": how TensorFlow 1 names those that are made
  // inside a variable scope. "" = none.
  std::string slot_scope;
  // What is done after a variable's update (a projection, say), in the update's scopes: gives the
  // op that is done when both are, or the update itself; nullptr on error.
  std::function<Node*(const Variable&, Node* update, bool sparse)> after_update;
};

struct MinimizeOptions {
  Variable global_step;
  std::vector<Variable> var_list;
  std::string name;
  Output grad_loss;
  bool colocate_gradients_with_ops = false;
  GradientGate gate = GradientGate::kOp;
};

class Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // The op that makes one step; nullptr on error. Errors: InvalidArgument when no variable has a
  // gradient, naming the variables and where the path from each to the loss ends.
  Node* Minimize(Output loss, MinimizeOptions o = {}, Location where = Location::Current());
  // One entry for each variable, in order. Errors: InvalidArgument for a loss, or a variable that
  // has a gradient, that is not of a float dtype. (No gradient reaches an integer variable: it is
  // left out.)
  std::vector<GradientAndVariable> ComputeGradients(Output loss, ComputeGradientsOptions o = {},
                                                    Location where = Location::Current());
  Node* ApplyGradients(std::span<const GradientAndVariable> gradients, ApplyGradientsOptions o = {},
                       Location where = Location::Current());

  const std::string& name() const { return name_; }
  // State beside a variable, by its name in the optimizer ("momentum"); invalid if there is none.
  Variable GetSlot(const Variable& variable, std::string_view slot) const;
  std::vector<std::string> slot_names() const;  // sorted

 protected:
  Optimizer(std::string name, bool use_locking);

  // What an optimizer implements. Called by ApplyGradients in this order; ApplyDense or ApplySparse
  // once for each variable, in scope "update_<variable>" and colocated with it.
  virtual void CreateSlots(std::span<const Variable> variables);
  virtual void Prepare(Graph& graph);
  virtual Node* ApplyDense(Output gradient, const Variable& variable) = 0;
  // The rows in `indices` are distinct.
  virtual Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) = 0;
  // Rows may repeat. Default: sums repeated rows, then ApplySparse.
  virtual Node* ApplySparseWithRepeats(const IndexedSlices& gradient, const Variable& variable);
  // The op that is done when all updates are. Default: a group.
  virtual Node* Finish(Graph& graph, std::span<Node* const> updates, const std::string& name);

  // For implementations.
  // `op_name` is what the slot's variable is called under the variable's name; "" = the optimizer's
  // name.
  Variable ZerosSlot(const Variable& variable, std::string_view slot,
                     std::string_view op_name = "");
  // `label` names the initial value: "Const", "ones".
  Variable ConstantSlot(const Variable& variable, std::string_view slot, double initial_value,
                        std::string_view label);
  // The initial value is a constant node of the current scope, made before.
  Variable SlotFrom(const Variable& variable, std::string_view slot, Output initial_value,
                    std::string_view op_name = "");
  // Such a constant: every element `value`, of the variable's shape and dtype.
  Output ConstantLike(const Variable& variable, double value) const;
  // A hyper-parameter as tensor, float32 if it is a number. In Prepare.
  Output Hyper(Graph& graph, const Operand& value, std::string_view name) const;
  // The update op of a variable, on its ref or its handle: `op`, or "Resource<op>". The variable is
  // its first input, `use_locking` is set; the other inputs follow in order. Name "" = the op's.
  NodeBuilder Update(std::string_view op, const Variable& variable,
                     std::string_view node_name = "") const;
  // `value` with the variable's dtype.
  Output Cast(Output value, const Variable& variable) const;
  // Reports InvalidArgument "<what> must be <rule>: <value>" if `holds` is false; ApplyGradients
  // then ends with it.
  void Require(Graph& graph, bool holds, std::string_view what, std::string_view rule,
               double value);
  bool use_locking() const { return use_locking_; }
  Location where() const { return where_; }

 private:
  std::vector<Node*> MakeUpdates(std::span<const GradientAndVariable> gradients,
                                 const ApplyGradientsOptions& o);
  Node* Increment(Graph& graph, const Variable& global_step, Node* after, const std::string& name);

  std::string name_;
  bool use_locking_;
  std::unique_ptr<train::SlotTable> slots_;
  Location where_;          // of the call that is running
  std::string slot_scope_;  // of that call
  bool refused_ = false;    // by Require
};

}  // namespace headrace
