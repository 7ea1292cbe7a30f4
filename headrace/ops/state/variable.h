// State that steps share: the op, and the class that people use.
//
//   Variable w(g, TruncatedNormal(g, {784, 500}, {.stddev = 0.1}), {.name = "w"});
//   Output y = MatMul(x, w);                 // reads w
//   session.Run({}, {}, {w.initializer()});  // gives it its first value
//   AssignAdd(w.ref(), delta);
//
// Nodes made for name "w": "w" (VariableV2), "w/initial_value" where it is a plain value,
// "w/Assign", "w/read"; Assign and read are colocated with w. With `use_resource`, the variable is
// behind a handle (ops/state/resource_variable.h): "w" (VarHandleOp), "w/Assign",
// "w/Read/ReadVariableOp". A Variable is a small value that may be copied; the graph owns the
// nodes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/options.h"

namespace headrace {

inline constexpr char kVariables[] =
    "variables";  // collections of Graph, as TensorFlow names them;
inline constexpr char kTrainableVariables[] = "trainable_variables";  // they hold the ref outputs
inline constexpr char kLocalVariables[] = "local_variables";

struct VariableOptions {
  bool trainable = true;       // also in the collection "trainable_variables"
  bool validate_shape = true;  // false: the shape is unknown and may change with every Assign
  std::optional<PartialShape> shape;  // default: that of the initial value
  std::string container;              // resource container; "" = the default one
  std::string shared_name;            // name of the state; "" = the node's name
  std::vector<std::string> collections = {kVariables};
  std::string device_of_read;  // caching device: where "w/read" is; "" = with the variable
  bool use_resource = false;   // behind a handle, not a ref; its state is found by the shared_name,
                               // "" = the node's name
  std::string name;            // "" = "Variable"
};

class Variable {
 public:
  // Makes the initial value in scope "w/Initializer", colocated with w.
  using Initializer = std::function<Output(Graph&)>;

  Variable() = default;
  // Errors (to the graph): InvalidArgument when the initial value's shape is not fully known and
  // validate_shape is set.
  Variable(Graph& g, Output initial_value, VariableOptions o = {},
           Location where = Location::Current());
  Variable(Graph& g, Tensor initial_value, VariableOptions o = {},
           Location where = Location::Current());
  Variable(Graph& g, const Initializer& initializer, VariableOptions o = {},
           Location where = Location::Current());
  template <ConstElement T>
  Variable(Graph& g, T initial_value, VariableOptions o = {}, Location where = Location::Current())
      : Variable(g, Tensor::Scalar<T>(initial_value), std::move(o), where) {}
  template <ConstElement T>
  Variable(Graph& g, std::initializer_list<T> initial_value, VariableOptions o = {},
           Location where = Location::Current())
      : Variable(g, Tensor::Of<T>(initial_value), std::move(o), where) {}
  // The variable that already is in the graph with that ref output or handle (from a collection, an
  // imported graph file). Invalid if `ref` is no variable; initializer and read are found by name
  // and may be missing.
  static Variable Of(Output ref);

  bool valid() const { return ref_.valid(); }
  // The variable itself: what Assign (AssignVariableOp for a handle) and the optimizers take.
  Output ref() const { return ref_; }
  bool is_resource() const { return ref_.dtype() == DType::kResource; }
  // Its value ("w/read"), the same node for all who ask.
  Output value() const { return value_; }
  // Its value at this place of the program, after the control dependencies here: of a variable
  // behind a handle a node of its own, unless it is cached on another device.
  Output Read(Location where = Location::Current()) const;
  operator Output() const { return value_; }  // NOLINT: a variable reads like a tensor
  // The op that gives it its first value ("w/Assign").
  Node* initializer() const { return initializer_; }
  Output initial_value() const { return initial_value_; }
  DType dtype() const { return is_resource() ? handle_.dtype : ref_.value_dtype(); }
  const PartialShape& shape() const { return is_resource() ? handle_.shape : ref_.shape(); }
  const std::string& name() const { return ref_.node->name(); }  // REQUIRES: valid()

 private:
  struct Handle {
    DType dtype = DType::kInvalid;
    PartialShape shape;
  };
  void MakeFromValue(Graph& g, Output initial_value, const VariableOptions& o,
                     const std::string& op_name, Location where);
  void MakeRef(Graph& g, const PartialShape& shape, const VariableOptions& o,
               const std::string& op_name, Location where);
  void MakeHandle(Graph& g, const PartialShape& shape, const VariableOptions& o,
                  const std::string& op_name, Location where);

  Output ref_, value_, initial_value_;
  Node* initializer_ = nullptr;
  Handle handle_;  // of a variable behind one
};

struct VariableOpOptions {
  std::string container, shared_name, name;
};
// The bare op, its state found by container and shared_name (or the node's name). Output: a ref.
// Errors of readers: FailedPrecondition "Attempting to use uninitialized value w". Source:
// TensorFlow VariableV2.
Output VariableV2(Graph& g, const PartialShape& shape, DType dtype, VariableOpOptions o = {},
                  Location where = Location::Current());

// True when the variable holds a value. Shapes: `-> []`, bool.
Output IsVariableInitialized(Output ref, OpOptions o = {}, Location where = Location::Current());

// Gives variables their first values, in an order in which each initial value finds the variables
// it reads; one op, named "init". Those without initializer are left out. Errors: InvalidArgument
// for initial values that depend on each other. Source: tf.variables_initializer.
Node* InitializeVariables(Graph& g, std::span<const Variable> variables, OpOptions o = {},
                          Location where = Location::Current());
// The same for all variables in the collection "variables". Source:
// tf.global_variables_initializer.
Node* GlobalVariablesInitializer(Graph& g, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
