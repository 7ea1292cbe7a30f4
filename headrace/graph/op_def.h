// What an op is: inputs, outputs, attributes, shape function, gradient, and which dtypes each type of
// device has kernels for. The one source for the graph checker, the placer, `headrace ops`, and the
// generated wrappers and docs.
//
//   void DefineRelu(OpRegistry& ops) {
//     ops.Define("Relu")
//         .TypeAttr("T", kRealTypes)
//         .Input("features", "T")
//         .Output("activations", "T")
//         .Shape(SameShapeAsInput)
//         .Gradient(ReluGradient)
//         .InPlace(0, 0)
//         .Cpu({.types = {{"T", kRealTypes}}, .make = MakeReluCpu})
//         .Gpu({.types = {{"T", kGpuFloatTypes}}});
//   }
//
// Definitions are made once at start, from ops/op_list.inc, and never change: safe to read from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/graph/attr.h"

namespace headrace {

class GradContext;   // graph/grad_context.h
class Kernel;        // kernel/kernel.h
class KernelInit;    // kernel/kernel.h
class Node;          // graph/graph.h
class ShapeContext;  // graph/shape_context.h

// Sets the shapes of all outputs from what is known of the inputs; an error is a mistake of the graph's
// author ("input rank must be >= 1, got 0"): the graph adds op, node and location.
using ShapeFn = Status (*)(ShapeContext&);
// Adds nodes that compute gradients with respect to the inputs.
using GradientFn = Status (*)(GradContext&);
using KernelFactory = StatusOr<std::unique_ptr<Kernel>> (*)(const KernelInit&);

struct AttrDef {
  std::string name;
  AttrKind kind = AttrKind::kNone;
  std::optional<AttrValue> default_value;
  DTypeSet types = kAllTypes;               // kType, kTypeList: what is allowed
  std::vector<std::string> strings;         // kString: what is allowed; empty = anything
  std::optional<int64_t> minimum;           // kInt: least value; lists: least length
};

// One input or output argument. Exactly one of dtype, type_attr, type_list_attr is set; number_attr makes
// it a list of that many tensors of one dtype.
struct ArgDef {
  std::string name;
  DType dtype = DType::kInvalid;
  std::string type_attr;
  std::string type_list_attr;
  std::string number_attr;
  bool is_ref = false;  // takes or gives the variable itself, not its value
};

// Which nodes of an op a type of device can run.
struct DeviceSupport {
  // Each named type attribute must be in its set; attributes not named are free.
  std::vector<std::pair<std::string, DTypeSet>> types;
  // Names of input and output arguments that stay in host memory on a device with memory of its own
  // (shapes, axes, learning-rate-like scalars never do: only what the host must read).
  std::vector<std::string> host_args;
  KernelFactory make = nullptr;  // null for GPU in a build without CUDA: simulated GPUs use the CPU's
  // Further limits by attributes ("NCHW only"): OK, or an error whose message is the reason.
  Status (*accepts)(const Node& node) = nullptr;
};

class OpDef {
 public:
  explicit OpDef(std::string name) : name_(std::move(name)) {}

  // Definition, each returns *this. `type` of an argument is a dtype name ("float32", "int32", "string"),
  // or the name of a type attribute ("T"), or of a type-list attribute ("Tout").
  OpDef& TypeAttr(std::string_view name, DTypeSet allowed, DType default_type = DType::kInvalid);
  OpDef& Attr(std::string_view name, AttrKind kind);                      // required
  OpDef& Attr(std::string_view name, AttrValue default_value);           // kind from the default
  OpDef& Attr(AttrDef attr);
  OpDef& StringAttr(std::string_view name, std::vector<std::string> allowed, std::string default_value = "");
  OpDef& Input(std::string_view name, std::string_view type);
  OpDef& InputList(std::string_view name, std::string_view type, std::string_view number_attr);
  OpDef& RefInput(std::string_view name, std::string_view type);
  OpDef& Output(std::string_view name, std::string_view type);
  OpDef& OutputList(std::string_view name, std::string_view type, std::string_view number_attr);
  OpDef& RefOutput(std::string_view name, std::string_view type);
  OpDef& Shape(ShapeFn fn);
  OpDef& Gradient(GradientFn fn);
  OpDef& NoGradient();          // differentiable nowhere: gradients stop here without an error
  OpDef& Stateful();            // never folded, merged with an equal node, or run twice
  OpDef& Commutative();
  OpDef& AllowsUninitialized();  // ref inputs need not hold a value (Assign, IsVariableInitialized)
  OpDef& Blocking();             // may wait for others, and end the waits of others (queues, receive)
  // Output `out` may be written over input `in` when nobody else needs that input (same shape and dtype).
  OpDef& InPlace(int out, int in);
  // Output `out` always shares the bytes of input `in` (Identity, Reshape).
  OpDef& Forwards(int out, int in);
  // The kernel writes to the variable behind ref input `in`.
  OpDef& WritesVariable(int in);
  OpDef& Cpu(DeviceSupport support);
  OpDef& Gpu(DeviceSupport support);
  OpDef& Doc(std::string_view summary);  // one sentence

  // Inspection.
  const std::string& name() const { return name_; }
  const std::vector<AttrDef>& attrs() const { return attrs_; }
  const AttrDef* FindAttr(std::string_view name) const;
  const std::vector<ArgDef>& inputs() const { return inputs_; }
  const std::vector<ArgDef>& outputs() const { return outputs_; }
  ShapeFn shape_fn() const { return shape_fn_; }
  GradientFn gradient() const { return gradient_; }
  bool no_gradient() const { return no_gradient_; }
  bool stateful() const { return stateful_; }
  bool commutative() const { return commutative_; }
  bool allows_uninitialized() const { return allows_uninitialized_; }
  bool blocking() const { return blocking_; }
  const std::vector<std::pair<int, int>>& in_place() const { return in_place_; }
  const std::vector<std::pair<int, int>>& forwards() const { return forwards_; }
  const std::vector<int>& written_variables() const { return written_variables_; }
  const std::string& doc() const { return doc_; }
  // The support entries for "CPU" or "GPU" (several: alternatives); empty if it has no kernel there.
  const std::vector<DeviceSupport>& support(std::string_view device_type) const;
  // Dtypes of a type attribute over all support entries of a device type.
  DTypeSet SupportedTypes(std::string_view device_type, std::string_view type_attr) const;

  // Argument that holds flattened input/output position `index` of a node with these attributes.
  const ArgDef& InputArg(const AttrMap& attrs, int index) const;
  const ArgDef& OutputArg(const AttrMap& attrs, int index) const;

 private:
  std::string name_, doc_;
  std::vector<AttrDef> attrs_;
  std::vector<ArgDef> inputs_, outputs_;
  ShapeFn shape_fn_ = nullptr;
  GradientFn gradient_ = nullptr;
  bool no_gradient_ = false, stateful_ = false, commutative_ = false, allows_uninitialized_ = false,
       blocking_ = false;
  std::vector<std::pair<int, int>> in_place_, forwards_;
  std::vector<int> written_variables_;
  std::vector<DeviceSupport> cpu_, gpu_;
};

// The entry of `op` that runs `node` on a device of this type, or an error that says what would be
// supported: the texts of placement errors are built from it.
StatusOr<const DeviceSupport*> FindSupport(const Node& node, std::string_view device_type);

// Defines every op of ops/op_list.inc. Declared here and defined in ops/library.cpp: the one seam through which
// this layer gets its ops, resolved by the linker.
class OpRegistry;
void DefineLibraryOps(OpRegistry& registry);

class OpRegistry {
 public:
  // All ops of the library, defined on first use, plus what programs defined since (custom ops).
  static OpRegistry& Global();

  OpDef& Define(std::string_view name);  // REQUIRES: not defined yet
  const OpDef* Find(std::string_view name) const;
  // NotFound with the nearest names.
  StatusOr<const OpDef*> Lookup(std::string_view name) const;
  std::vector<const OpDef*> All() const;  // sorted by name

 private:
  std::map<std::string, std::unique_ptr<OpDef>, std::less<>> ops_;
};

}  // namespace headrace
