// A dataflow graph under construction: nodes with inferred shapes, and the scopes that name and place them.
//
//   Graph g;
//   Output x = Placeholder(g, DType::kFloat32, {-1, 784});
//   NameScope layer(g, "layer1");
//   Output y = Relu(MatMul(x, w) + b);
//   if (!g.status().ok()) ...          // the first error of all; a Session returns it too
//
// Building never throws: a node that cannot be made gives an invalid Output, the graph keeps the first
// error, and everything built on it is skipped quietly. Nodes are only added, never removed; ids are dense
// in order of creation. Thread-compatible: one thread builds at a time; a built graph may be read by many.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "headrace/base/location.h"
#include "headrace/graph/attr.h"
#include "headrace/graph/op_def.h"

namespace headrace {

class Graph;
class Node;

// One output of a node: what edges carry and users hold. A small value; the graph owns the node.
struct Output {
  Node* node = nullptr;
  int index = 0;

  bool valid() const { return node != nullptr; }
  DType dtype() const;                // with the ref offset if it is a variable; kInvalid if !valid()
  DType value_dtype() const { return RemoveRef(dtype()); }
  const PartialShape& shape() const;  // unknown rank if !valid()
  std::string name() const;           // "scope/op:0"
  Graph* graph() const;

  friend bool operator==(const Output&, const Output&) = default;
  friend auto operator<=>(const Output&, const Output&) = default;
};

class Node {
 public:
  int id() const { return id_; }
  const std::string& name() const { return name_; }
  const OpDef& op() const { return *op_; }
  const std::string& op_name() const { return op_->name(); }
  const AttrMap& attrs() const { return attrs_; }
  Graph& graph() const { return *graph_; }
  Location location() const { return location_; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(output_types_.size()); }
  Output input(int i) const { return inputs_[i]; }
  const std::vector<Output>& inputs() const { return inputs_; }
  const std::vector<Node*>& control_inputs() const { return control_inputs_; }
  Output output(int i) { return Output{this, i}; }
  DType input_type(int i) const { return input_types_[i]; }  // as the op takes it (ref or value)
  DType output_type(int i) const { return output_types_[i]; }
  const PartialShape& output_shape(int i) const { return output_shapes_[i]; }
  // What the user asked for with device scopes: "" or canonical parts. Where it really runs is the
  // session's placement.
  const std::string& requested_device() const { return device_; }
  // Names of nodes that this node must share a device with ("loc:@w" of the `_class` attribute).
  std::vector<std::string> colocation() const;

  // Consumers of any output, data edges only, in order of creation; a consumer appears once an edge.
  struct Edge {
    Node* to;
    int to_input;
    int from_output;
  };
  const std::vector<Edge>& out_edges() const { return out_edges_; }

  // "op 'Softmax' node 'net/probs' (model.cpp:41)", for errors.
  std::string Describe() const;

 private:
  friend class Graph;
  friend class GraphImporter;  // graph_import.cpp
  Graph* graph_ = nullptr;
  int id_ = -1;
  std::string name_;
  const OpDef* op_ = nullptr;
  AttrMap attrs_;
  std::vector<Output> inputs_;
  std::vector<Node*> control_inputs_;
  std::vector<DType> input_types_, output_types_;
  std::vector<PartialShape> output_shapes_;
  std::vector<Edge> out_edges_;
  std::string device_;
  Location location_;
};

// Everything that makes a node. Inputs are flattened (list arguments in a row).
struct NodeSpec {
  std::string op;
  std::string name;  // within the current name scope; made unique; "" = the op's name. "a/b/" (final slash): as it is
  std::vector<Output> inputs;
  AttrMap attrs;     // type and number attributes may be left out: they follow from the inputs
  std::vector<Node*> control_inputs;
  std::string device;  // merged over the current device scope
  Location location;
};

class Graph {
 public:
  explicit Graph(OpRegistry& registry = OpRegistry::Global());
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Adds a node in the current scopes. Errors name op, node and location, and do NOT become status():
  // that is for builders, which have no way to return one (see NodeBuilder).
  StatusOr<Node*> AddNode(NodeSpec spec);
  // Replaces an input (a loop's back edge; import of a graph file). REQUIRES: same dtype.
  Status SetInput(Node& node, int input, Output source);
  Status AddControlInput(Node& node, Node& source);
  // Narrows a shape that inference could not know (Tensor.set_shape). InvalidArgument if incompatible.
  Status RefineShape(Output output, const PartialShape& shape);
  void SetAttr(Node& node, std::string_view name, AttrValue value);
  void SetDevice(Node& node, std::string_view device);

  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  Node* node(int id) const { return nodes_[id].get(); }
  Node* FindNode(std::string_view name) const;              // nullptr if there is none
  // "name:index" or "name" (= index 0). NotFound lists the nearest names, InvalidArgument a bad index.
  StatusOr<Output> FindOutput(std::string_view name) const;

  // The first error that a builder met, or that was reported.
  const Status& status() const { return status_; }
  void ReportError(Status status);
  // The same, and forgets it: for front ends that report errors as they happen and go on with the graph.
  Status TakeStatus() { return std::exchange(status_, Status()); }

  // Random seeds: op seeds are numbered as TensorFlow 1 numbers them.
  void SetSeed(int64_t seed) { seed_ = seed; }
  std::optional<int64_t> seed() const { return seed_; }
  // (seed, seed2) for a random op: TensorFlow's rule for graph seed and op seed (oracle: random_seed.get_seed).
  std::pair<int64_t, int64_t> OpSeeds(std::optional<int64_t> op_seed) const;

  // Named lists of nodes ("variables", "trainable_variables", ...): see train/collections.h.
  void AddToCollection(std::string_view collection, Output output);
  std::span<const Output> Collection(std::string_view collection) const;

  // "a", then "a_1", "a_2": TensorFlow's rule (case-insensitive, scopes included). Marks the name as used.
  std::string UniqueName(std::string_view name);
  // Full name of the current name scope without final slash; "" at the top.
  const std::string& name_scope() const { return name_scope_; }
  const std::string& device_scope() const { return device_scope_; }

  OpRegistry& registry() const { return registry_; }
  // Functions that came with an imported graph: a serialised FunctionDefLibrary, kept for export; "" = none.
  const std::string& function_library() const { return function_library_; }
  void SetFunctionLibrary(std::string bytes) { function_library_ = std::move(bytes); }

 private:
  friend class NameScope;
  friend class DeviceScope;
  friend class ControlDependencies;
  friend class ColocateWith;
  friend class GraphImporter;  // graph_import.cpp

  // One ControlDependencies scope. Nodes made inside it run after `after` by themselves or through an input, so
  // an op that takes such a node need not depend again. `gaps` are ranges of ids made outside although between.
  struct ControlGroup {
    std::vector<Node*> after;
    int begin = 0;
    std::vector<std::pair<int, int>> gaps;
    bool Contains(const Node& node) const;
  };
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  // Checks and adds a node whose name, device and control inputs are final (but for duplicates among the latter).
  StatusOr<Node*> Insert(NodeSpec spec, std::string full_name);
  Status Prepare(Node& node, NodeSpec spec);
  Status CheckInputs(const NodeSpec& spec, std::vector<DType>& types) const;
  Status InferShapes(Node& node) const;
  Status CheckReplacement(const Node& node, int input, Output source) const;
  void ReplaceEdge(Node& node, int input, Output source);
  void ApplyControlScopes(NodeSpec& spec) const;
  Status ApplyDeviceScopes(NodeSpec& spec) const;

  OpRegistry& registry_;
  std::deque<std::unique_ptr<Node>> nodes_;
  std::unordered_map<std::string_view, Node*> by_name_;  // keys are the nodes' names
  std::unordered_map<std::string, int, NameHash, std::equal_to<>> name_counts_;  // keys in lower case
  std::map<std::string, std::vector<Output>, std::less<>> collections_;
  std::string name_scope_, device_scope_;
  std::vector<ControlGroup> control_scope_;
  std::vector<const Node*> colocation_scope_;
  std::optional<int64_t> seed_;
  Status status_;
  std::string function_library_;
};

// Scopes: nodes made while one lives are named, placed, ordered or colocated by it. They nest; the
// destructor restores what was there before.
class NameScope {
 public:
  // Opens "outer/name", made unique. "name/" (final slash) re-enters that very scope; "" goes to the top.
  NameScope(Graph& graph, std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

 private:
  Graph& graph_;
  std::string outer_;
};

class DeviceScope {
 public:
  // Parts that `device` states win over the outer scope's. A name that does not parse is the graph's error.
  DeviceScope(Graph& graph, std::string_view device, Location where = Location::Current());
  // Forgets what outer scopes asked for.
  DeviceScope(Graph& graph, std::nullptr_t);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Graph& graph_;
  std::string outer_;
};

class ControlDependencies {
 public:
  // New nodes run after all of these (added to those of outer scopes).
  ControlDependencies(Graph& graph, std::span<const Output> after);
  ControlDependencies(Graph& graph, std::initializer_list<Output> after)
      : ControlDependencies(graph, std::span(after.begin(), after.size())) {}
  ControlDependencies(Graph& graph, std::initializer_list<Node*> after);
  // Forgets the dependencies of outer scopes.
  ControlDependencies(Graph& graph, std::nullptr_t);
  ~ControlDependencies();
  ControlDependencies(const ControlDependencies&) = delete;
  ControlDependencies& operator=(const ControlDependencies&) = delete;

 private:
  void Push(std::vector<Node*> after);

  Graph& graph_;
  bool forgot_ = false;
  int begin_ = 0;
  std::vector<Graph::ControlGroup> outer_;  // what nullptr put aside
};

class ColocateWith {
 public:
  // New nodes go where `node` goes (together with those of outer scopes); device scopes around it are forgotten.
  ColocateWith(Graph& graph, const Node& node);
  // Forgets outer colocation and device scopes.
  ColocateWith(Graph& graph, std::nullptr_t);
  ~ColocateWith();
  ColocateWith(const ColocateWith&) = delete;
  ColocateWith& operator=(const ColocateWith&) = delete;

 private:
  Graph& graph_;
  std::vector<const Node*> outer_;
  std::string outer_device_;
};

// How builder functions make a node: errors go to the graph's status.
//
//   Output MatMul(Output a, Output b, MatMulOptions o, Location where) {
//     return NodeBuilder("MatMul", o.name, where).Input(a).Input(b).Attr("transpose_a", o.transpose_a).Build();
//   }
class NodeBuilder {
 public:
  // The graph comes from the first valid input; ops without inputs pass it.
  NodeBuilder(std::string_view op, std::string_view name, Location where);
  NodeBuilder(Graph& graph, std::string_view op, std::string_view name, Location where);

  NodeBuilder& Input(Output input);
  NodeBuilder& Inputs(std::span<const Output> inputs);
  NodeBuilder& Attr(std::string_view name, AttrValue value);
  NodeBuilder& Control(Node* node);
  NodeBuilder& Device(std::string_view device);

  // Output 0 of the new node; invalid if an input was, or on error. For an op without outputs use BuildNode.
  Output Build();
  Node* BuildNode();  // nullptr on error

 private:
  Graph* graph_ = nullptr;
  int poisoned_ = -1;  // first input that is invalid
  NodeSpec spec_;
};

}  // namespace headrace
