// Running averages of variables, whose use in place of the variables often gives better models.
//
//   ExponentialMovingAverage average(0.99, {.num_updates = global_step});
//   Node* step;
//   { ControlDependencies after(g, {train}); step = average.Apply(TrainableVariables(g)); }
//   Output w_smooth = average.Average(w).value();
//
// Averages live in variables "<name>/ExponentialMovingAverage" beside what they average. Errors go
// to the graph. Thread-compatible, as the graph is. Source: tf.train.ExponentialMovingAverage.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "headrace/ops/math/operand.h"
#include "headrace/ops/state/variable.h"

namespace headrace {

struct ExponentialMovingAverageOptions {
  Output num_updates;  // decay becomes min(decay, (1 + num_updates) / (10 + num_updates)): faster
                       // at first
  bool zero_debias = false;  // averages of tensors start from zero: divide by 1 - decay^t.
                             // Variables' start from their value
  std::string name = "ExponentialMovingAverage";
  // Makes the variable that holds the average of a value (a variable's ref or handle, or a tensor).
  // Default: "<value>/<name>" beside it; that of a variable starts from the variable's value, which
  // must be initialised before, that of a tensor from zero.
  std::function<Variable(Output value)> make_average;
  std::string variable_scope;  // in front of the averages' names; "" = nothing
};

class ExponentialMovingAverage {
 public:
  explicit ExponentialMovingAverage(Operand decay, ExponentialMovingAverageOptions o = {});

  // The op that brings the averages up to date: average -= (1 - decay) * (average - value). The
  // value of a variable is that at the op's place in the program: after ControlDependencies on an
  // update, the updated one. Makes the averages that do not exist yet. Errors: InvalidArgument for
  // a value that is not of a float dtype, or a tensor of unknown shape.
  Node* Apply(std::span<const Variable> variables, Location where = Location::Current());
  Node* Apply(std::span<const Output> values, Location where = Location::Current());
  Node* Apply(std::initializer_list<Output> values, Location where = Location::Current()) {
    return Apply(std::span(values.begin(), values.size()), where);
  }

  // The variable that holds the average of a variable or tensor; invalid before Apply.
  Variable Average(Output value) const;
  // What that variable is called, or will be.
  std::string AverageName(Output value) const;
  // For a Saver that loads averages into the variables themselves: names in the checkpoint ->
  // variables. Averaged are `variables`, by default all trainable ones and those given to any
  // Apply; others keep their own names.
  std::map<std::string, Variable> VariablesToRestore(
      const Graph& g, std::span<const Variable> variables = {}) const;

  const std::string& name() const { return options_.name; }

 private:
  struct Tracked {
    Variable average, biased, local_step;  // the latter two with zero_debias only
  };
  // The variable's own output where `value` is a variable's, so that w, its read and its ref are
  // one.
  static Output Key(Output value);
  Variable MakeAverage(Output value, const Variable& variable, Location where) const;
  Node* Update(Tracked& tracked, Output value, Output decay, Location where) const;
  Node* UpdateUnbiased(Tracked& tracked, Output value, Output rate, const std::string& op_name,
                       Location where) const;

  Operand decay_;
  ExponentialMovingAverageOptions options_;
  std::map<Output, Tracked> averages_;
};

}  // namespace headrace
