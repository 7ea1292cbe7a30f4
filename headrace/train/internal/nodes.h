// Nodes for code that writes arithmetic as TensorFlow's Python does, so that names come out equal:
// the operator `1 - x` opens a scope "sub", makes the constant "sub/x", and then the node "sub".
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/graph/graph.h"
#include "headrace/ops/math/operand.h"
#include "headrace/ops/state/variable.h"

namespace headrace::train {

// A node of `op` whose attributes follow from its inputs. Name "" = the op's name.
Output Call(std::string_view op, std::initializer_list<Output> inputs, Location where,
            std::string_view name = "");

// Python's operators: "mul", "sub", "add", "truediv", "pow", ... each in a scope of its own. A
// number becomes the constant "<name>/x" or "<name>/y" of the other side's dtype. At least one side
// is a tensor.
Output Operator(std::string_view op, std::string_view name, const Operand& x, const Operand& y,
                Location where);
inline Output Mul(const Operand& x, const Operand& y, Location where) {
  return Operator("Mul", "mul", x, y, where);
}
inline Output Add(const Operand& x, const Operand& y, Location where) {
  return Operator("AddV2", "add", x, y, where);
}
inline Output Sub(const Operand& x, const Operand& y, Location where) {
  return Operator("Sub", "sub", x, y, where);
}
inline Output Div(const Operand& x, const Operand& y, Location where) {
  return Operator("RealDiv", "truediv", x, y, where);
}

// `x` itself if it has that dtype, else a Cast.
Output CastTo(Output x, DType type, Location where, std::string_view name = "");
// The same of a variable: one behind a handle is read in the scope of the Cast. Invalid where there
// is nothing to cast and the variable is behind a handle: it is read where it is used.
Output CastTo(const Variable& x, DType type, Location where, std::string_view name = "");
// A number as tensor of `type`, made as Python's cast(number, type) makes it: the constant "Cast/x"
// of float32 (`from`), and a Cast where `type` is another.
Output CastNumber(Graph& graph, double value, DType from, DType type, Location where);

// x[0] of a vector: StridedSlice with its constants.
Output FirstElement(Output x, Location where);

// A write of a variable, whether it is a ref or behind a handle.
struct Written {
  Node* op = nullptr;
  Output value;  // the variable after it: the ref, or a read of its own
};
Written AssignTo(const Variable& variable, Output value, bool use_locking, Location where);
Written SubtractFrom(const Variable& variable, Output value, bool use_locking, Location where);
// With a name, and nothing read: the last op of a step.
Node* AddTo(const Variable& variable, Output value, std::string_view name, Location where);

// What several gradients or updates have in common: `values[i]` usable only after all of `values`
// are there. Invalid ones stay so. Names "<name>/group_deps", "<name>/control_dependency". Source:
// tf.tuple.
std::vector<Output> Together(std::span<const Output> values, std::string_view name, Location where);

}  // namespace headrace::train
