// Variables that an optimizer or a moving average keeps beside a variable ("w/Momentum"): made at
// the top of the name scopes, colocated with it, untrainable, of its kind (a ref, or behind a
// handle), and made once for each variable and slot name.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/ops/state/variable.h"

namespace headrace::train {

// A slot of a value's shape and dtype that starts from a constant: initial value
// "<primary>/<name>/Initializer/<label>". `scope` comes in front of the name; "" = nothing.
Variable MakeSlot(Output primary, std::string_view name, double initial_value,
                  std::string_view label, DType type, const PartialShape& shape, Location where,
                  std::string_view scope = "");
Variable MakeZerosSlot(const Variable& primary, std::string_view name, Location where,
                       std::string_view scope = "");
// A slot that starts from `initial_value`.
Variable MakeSlot(Output primary, std::string_view name, Output initial_value, Location where,
                  std::string_view scope = "");
// "<scope>/<name>"; the name alone without scope.
std::string InScope(std::string_view scope, std::string_view name);
// A variable "<name>" of zeros at the top of the name scopes; beside `beside` if given, and then of
// its kind.
Variable MakeZeros(Graph& graph, std::string_view name, DType type, const Shape& shape,
                   const Node* beside, Location where);
// A constant of the variable's shape and dtype in the current scope, colocated with it.
Output ConstantLike(const Variable& primary, double value, Location where);

class SlotTable {
 public:
  // The variable's slot; made by `make` if there is none.
  Variable GetOrMake(const Variable& primary, std::string_view slot,
                     const std::function<Variable()>& make);
  // Invalid if there is none.
  Variable Find(Output primary, std::string_view slot) const;
  std::vector<std::string> names() const;  // sorted

 private:
  std::map<std::string, std::map<const Node*, Variable>, std::less<>> slots_;
};

}  // namespace headrace::train
