// Graphs, nodes and scopes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <set>

#include "bind.h"
#include "convert.h"
#include "headrace/base/strings.h"
#include "headrace/graph/function.h"
#include "headrace/graph/gradients.h"
#include "headrace/graph/graph_io.h"
#include "headrace/graph/shape_context.h"

namespace headrace::python {
namespace {

// A scope that Python opens and closes: `exit` in reverse order of entering.
class Scope {
 public:
  template <class T, class... Args>
  static std::unique_ptr<Scope> Enter(Args&&... args) {
    auto scope = std::make_unique<Scope>();
    scope->held_ = std::make_shared<T>(std::forward<Args>(args)...);
    return scope;
  }
  void Exit() { held_.reset(); }

 private:
  std::shared_ptr<void> held_;
};

void AddTracedFunction(Graph& graph, Graph& body, std::string name, const nb::sequence& arguments,
                       const nb::sequence& results) {
  const FunctionSignature signature{.name = std::move(name),
                                    .arguments = FromHandles(body, arguments),
                                    .results = FromHandles(body, results),
                                    .effects = EffectsOf(body)};
  Check(AddFunction(graph, body, signature));
}

// (id, dtypes of the outputs).
nb::object AddNode(Graph& graph, std::string_view op, std::string_view name, nb::sequence inputs, nb::handle attrs,
                   nb::handle controls, std::string_view device, std::string_view file, uint32_t line) {
  NodeSpec spec;
  spec.op = op;
  spec.name = name;
  spec.inputs.reserve(nb::len(inputs));
  for (nb::handle input : inputs) spec.inputs.push_back(FromHandle(graph, nb::cast<Handle>(input)));
  if (!attrs.is_none()) {
    const OpDef* def = graph.registry().Find(op);
    for (const auto& [key, value] : nb::borrow<nb::dict>(attrs)) {
      const std::string_view attr_name = nb::cast<std::string_view>(key);
      const AttrDef* attr = def == nullptr ? nullptr : def->FindAttr(attr_name);
      spec.attrs.Set(attr_name, ToAttr(value, attr == nullptr ? AttrKind::kNone : attr->kind, attr_name));
    }
  }
  if (!controls.is_none()) {
    for (nb::handle control : nb::borrow<nb::sequence>(controls))
      spec.control_inputs.push_back(NodeOf(graph, nb::cast<int64_t>(control)));
  }
  spec.device = device;
  spec.location = ToLocation(file, line);
  StatusOr<Node*> node = graph.AddNode(std::move(spec));
  if (!node.ok()) {
    const std::string message(node.status().message());
    if (node.status().code() == absl::StatusCode::kInvalidArgument) throw nb::value_error(message.c_str());
    Throw(node.status());
  }
  const int outputs = (*node)->num_outputs();
  nb::object types = nb::steal(PyTuple_New(outputs));
  for (int i = 0; i < outputs; ++i)
    PyTuple_SetItem(types.ptr(), i, PyLong_FromLong(static_cast<long>((*node)->output_type(i))));
  return nb::make_tuple((*node)->id(), types);
}

nb::object GradientToPython(const Gradient& gradient) {
  if (gradient.slices) {
    return nb::make_tuple(ToHandle(gradient.slices->values), ToHandle(gradient.slices->indices),
                          ToHandle(gradient.slices->dense_shape));
  }
  if (!gradient.dense.valid()) return nb::none();
  return nb::int_(ToHandle(gradient.dense));
}

// Asks Python for the gradient function of a node; that function gets the gradients of the outputs and gives those of the
// inputs. Nodes that it places itself go into `placed`.
std::function<Status(GradContext&)> PythonGradient(const nb::object& find, Node& node, std::set<int>& placed) {
  nb::object function = find(node.id());
  if (function.is_none()) return nullptr;
  return [function, &placed](GradContext& context) -> Status {
    nb::list grads;
    for (int i = 0; i < context.num_outputs(); ++i) {
      if (context.has_grad(i) && context.gradient(i).slices) {
        grads.append(GradientToPython(context.gradient(i)));
      } else if (context.has_grad(i) || IsFloating(RemoveRef(context.node().output_type(i)))) {
        grads.append(nb::int_(ToHandle(context.grad(i))));
      } else {
        grads.append(nb::none());
      }
    }
    const int first = context.graph().num_nodes();
    nb::object results = function(grads);
    for (int id = first; id < context.graph().num_nodes(); ++id) {
      if (!context.graph().node(id)->requested_device().empty()) placed.insert(id);
    }
    if (static_cast<int>(nb::len(results)) != context.num_inputs()) {
      return InvalidArgument("Num gradients ", nb::len(results), " generated for op ", context.node().Describe(),
                             " do not match num inputs ", context.num_inputs());
    }
    for (int i = 0; i < context.num_inputs(); ++i)
      context.results()[static_cast<size_t>(i)] = ToGradient(context.graph(), results[i]);
    return absl::OkStatus();
  };
}

nb::list PythonGradients(Graph& graph, const nb::sequence& ys, const nb::sequence& xs, const nb::sequence& grad_ys,
                         const nb::sequence& stop_gradients, bool colocate, bool gate, std::string name,
                         nb::object override_gradient, std::string_view file, uint32_t line) {
  GradientsOptions options{.grad_ys = FromHandles(graph, grad_ys),
                           .stop_gradients = FromHandles(graph, stop_gradients),
                           .colocate_with_ops = colocate,
                           .gate_gradients = gate,
                           .name = std::move(name)};
  std::set<int> placed;
  if (!override_gradient.is_none()) {
    options.override_gradient = [&](Node& node) { return PythonGradient(override_gradient, node, placed); };
  }
  const int first = graph.num_nodes();
  const std::vector<Gradient> gradients =
      Gradients(FromHandles(graph, ys), FromHandles(graph, xs), std::move(options), ToLocation(file, line));
  Check(graph.TakeStatus());
  // The engine's gradients ask for the devices of their forward nodes; TensorFlow 1's ask for nothing.
  for (int id = first; !colocate && graph.device_scope().empty() && id < graph.num_nodes(); ++id) {
    Node& node = *graph.node(id);
    if (node.requested_device().empty() || !node.colocation().empty() || placed.contains(id)) continue;
    graph.SetDevice(node, "");
  }
  nb::list list;
  for (const Gradient& gradient : gradients) list.append(GradientToPython(gradient));
  return list;
}

nb::list Consumers(Graph& graph, Handle handle) {
  const Output output = FromHandle(graph, handle);
  nb::list ids;
  const Node* last = nullptr;
  for (const Node::Edge& edge : output.node->out_edges()) {
    if (edge.from_output != output.index || edge.to == last) continue;
    ids.append(edge.to->id());
    last = edge.to;
  }
  return ids;
}

void Import(Graph& graph, nb::bytes graph_def, std::string prefix, const nb::dict& input_map, bool text,
            std::vector<std::pair<std::string, std::string>> device_map) {
  ImportOptions options{.prefix = std::move(prefix), .device_map = std::move(device_map), .text = text};
  for (const auto& [name, handle] : input_map)
    options.input_map[nb::cast<std::string>(name)] = FromHandle(graph, nb::cast<Handle>(handle));
  Check(ImportGraph(graph, std::string_view(graph_def.c_str(), graph_def.size()), options));
}

nb::bytes ToBytes(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

nb::object ArgToPython(const ArgDef& arg) {
  return nb::make_tuple(arg.name.c_str(), static_cast<int>(arg.dtype), arg.type_attr.c_str(), arg.type_list_attr.c_str(),
                        arg.number_attr.c_str(), arg.is_ref);
}

// What wrappers are made from: see headrace/_generate.py.
nb::object OpToPython(const OpDef& op) {
  nb::dict d;
  d["name"] = op.name().c_str();
  d["doc"] = op.doc().c_str();
  d["stateful"] = op.stateful();
  d["has_gradient"] = op.gradient() != nullptr;
  nb::list inputs, outputs, attrs;
  for (const ArgDef& arg : op.inputs()) inputs.append(ArgToPython(arg));
  for (const ArgDef& arg : op.outputs()) outputs.append(ArgToPython(arg));
  for (const AttrDef& attr : op.attrs()) {
    nb::dict a;
    a["name"] = attr.name.c_str();
    a["kind"] = std::string(AttrKindName(attr.kind));
    a["has_default"] = attr.default_value.has_value();
    a["default"] = attr.default_value ? ToPython(*attr.default_value) : nb::none();
    nb::list types, strings;
    if (attr.types != kAllTypes) {
      for (int t = 1; t < 24; ++t) {
        if (attr.types.Contains(static_cast<DType>(t))) types.append(t);
      }
    }
    for (const std::string& text : attr.strings) strings.append(text.c_str());
    a["types"] = types;
    a["strings"] = strings;
    a["minimum"] = attr.minimum ? nb::object(nb::int_(*attr.minimum)) : nb::none();
    nb::list cpu;
    if (attr.kind == AttrKind::kType) {
      const DTypeSet supported = op.SupportedTypes("CPU", attr.name);
      for (int t = 1; t < 24; ++t) {
        if (supported.Contains(static_cast<DType>(t))) cpu.append(t);
      }
    }
    a["cpu_types"] = cpu;
    attrs.append(a);
  }
  d["inputs"] = inputs;
  d["outputs"] = outputs;
  d["attrs"] = attrs;
  return d;
}

}  // namespace

void BindGraph(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Scope>(m, "Scope").def("exit", &Scope::Exit);

  nb::class_<Graph>(m, "Graph")
      .def(nb::init<>())
      .def("add_node", &AddNode, "op"_a, "name"_a, "inputs"_a, "attrs"_a.none(), "controls"_a.none(), "device"_a, "file"_a,
           "line"_a, "Adds a node; (id, dtypes of its outputs). ValueError for what does not fit the op.")
      .def_prop_ro("num_nodes", &Graph::num_nodes)
      .def("find_node", [](Graph& g, std::string_view name) {
             const Node* node = g.FindNode(name);
             return node == nullptr ? -1 : node->id();
           }, "name"_a, "Its id, or -1.")
      .def("node_name", [](Graph& g, int64_t id) { return NodeOf(g, id)->name(); })
      .def("node_op", [](Graph& g, int64_t id) { return NodeOf(g, id)->op_name(); })
      .def("node_device", [](Graph& g, int64_t id) { return NodeOf(g, id)->requested_device(); })
      .def("node_location", [](Graph& g, int64_t id) {
             const Location where = NodeOf(g, id)->location();
             return nb::make_tuple(where.file, where.line);
           })
      .def("node_inputs", [](Graph& g, int64_t id) {
             nb::list handles;
             for (const Output& input : NodeOf(g, id)->inputs()) handles.append(ToHandle(input));
             return handles;
           })
      .def("node_controls", [](Graph& g, int64_t id) {
             nb::list ids;
             for (const Node* control : NodeOf(g, id)->control_inputs()) ids.append(control->id());
             return ids;
           })
      .def("node_output_types", [](Graph& g, int64_t id) {
             nb::list types;
             const Node* node = NodeOf(g, id);
             for (int i = 0; i < node->num_outputs(); ++i) types.append(static_cast<int>(node->output_type(i)));
             return types;
           })
      .def("node_input_types", [](Graph& g, int64_t id) {
             nb::list types;
             const Node* node = NodeOf(g, id);
             for (int i = 0; i < node->num_inputs(); ++i) types.append(static_cast<int>(node->input_type(i)));
             return types;
           })
      .def("node_colocation", [](Graph& g, int64_t id) {
             nb::list names;
             for (const std::string& name : NodeOf(g, id)->colocation()) names.append(name.c_str());
             return names;
           })
      .def("node_attr", [](Graph& g, int64_t id, std::string_view name) -> nb::object {
             const AttrValue* value = NodeOf(g, id)->attrs().Find(name);
             if (value == nullptr) throw nb::key_error(std::string(name).c_str());
             return nb::make_tuple(std::string(AttrKindName(value->kind())), ToPython(*value));
           }, "id"_a, "name"_a, "(kind, value)")
      .def("node_attr_names", [](Graph& g, int64_t id) {
             nb::list names;
             for (const auto& [name, value] : NodeOf(g, id)->attrs()) names.append(name.c_str());
             return names;
           })
      .def("consumers", &Consumers)
      .def("output_shape", [](Graph& g, Handle h) { return ToPython(FromHandle(g, h).shape()); })
      .def("refine_shape", [](Graph& g, Handle h, nb::object shape) {
             const Status status = g.RefineShape(FromHandle(g, h), ToShape(shape));
             if (!status.ok()) throw nb::value_error(std::string(status.message()).c_str());
           }, "output"_a, "shape"_a.none())
      .def("set_attr", [](Graph& g, int64_t id, std::string_view name, nb::object value) {
             Node* node = NodeOf(g, id);
             const AttrDef* attr = node->op().FindAttr(name);
             g.SetAttr(*node, name, ToAttr(value, attr == nullptr ? AttrKind::kNone : attr->kind, name));
           })
      .def("set_device", [](Graph& g, int64_t id, std::string_view device) { g.SetDevice(*NodeOf(g, id), device); })
      .def("set_input", [](Graph& g, int64_t id, int input, Handle h) {
             Check(g.SetInput(*NodeOf(g, id), input, FromHandle(g, h)));
           })
      .def("add_control_input", [](Graph& g, int64_t id, int64_t source) {
             Check(g.AddControlInput(*NodeOf(g, id), *NodeOf(g, source)));
           })
      .def("unique_name", &Graph::UniqueName, "name"_a, "Marks the name as used.")
      .def_prop_ro("name_scope", &Graph::name_scope)
      .def_prop_ro("device_scope", &Graph::device_scope)
      .def("enter_name_scope", [](Graph& g, std::string_view name) { return Scope::Enter<NameScope>(g, name); },
           nb::keep_alive<0, 1>())
      .def("enter_device", [](Graph& g, std::optional<std::string> device, std::string_view file, uint32_t line) {
             if (!device) return Scope::Enter<DeviceScope>(g, nullptr);
             auto scope = Scope::Enter<DeviceScope>(g, *device, ToLocation(file, line));
             if (const Status status = g.TakeStatus(); !status.ok()) {
               scope->Exit();
               throw nb::value_error(std::string(status.message()).c_str());
             }
             return scope;
           }, "device"_a.none(), "file"_a, "line"_a, nb::keep_alive<0, 1>())
      .def("enter_control", [](Graph& g, std::optional<std::vector<int64_t>> after) {
             if (!after) return Scope::Enter<ControlDependencies>(g, nullptr);
             std::vector<Output> outputs;  // only their nodes count
             for (int64_t id : *after) outputs.push_back(Output{NodeOf(g, id), 0});
             return Scope::Enter<ControlDependencies>(g, std::span<const Output>(outputs));
           }, "after"_a.none(), nb::keep_alive<0, 1>())
      .def("enter_colocate", [](Graph& g, std::optional<int64_t> with) {
             if (!with) return Scope::Enter<ColocateWith>(g, nullptr);
             return Scope::Enter<ColocateWith>(g, *NodeOf(g, *with));
           }, "with_"_a.none(), nb::keep_alive<0, 1>())
      .def("set_seed", [](Graph& g, int64_t seed) { g.SetSeed(seed); })
      .def("add_to_collection", [](Graph& g, std::string_view name, Handle h) { g.AddToCollection(name, FromHandle(g, h)); })
      .def("collection", [](Graph& g, std::string_view name) {
             nb::list handles;
             for (const Output& output : g.Collection(name)) handles.append(ToHandle(output));
             return handles;
           })
      .def("take_error", [](Graph& g) { Check(g.TakeStatus()); }, "Raises what a builder function reported, if any did.")
      .def("gradients", &PythonGradients, "ys"_a, "xs"_a, "grad_ys"_a, "stop_gradients"_a, "colocate"_a, "gate"_a, "name"_a,
           "override_gradient"_a.none(), "file"_a, "line"_a,
           "For each x: None, a handle, or (values, indices, dense_shape). Raises LookupError-like NotFound.")
      .def("why_unconnected", [](Graph& g, const nb::sequence& ys, Handle x) {
             return WhyUnconnected(FromHandles(g, ys), FromHandle(g, x));
           })
      .def("constant_value", [](Graph& g, Handle h) { return ToPython(ConstantValue(FromHandle(g, h)).Clone()); },
           "The array that an output is known to have while the graph is built, or None.")
      .def("constant_value_as_shape", [](Graph& g, Handle h) { return ToPython(ConstantValueAsShape(FromHandle(g, h))); })
      .def("export_graph", [](Graph& g, bool text, bool devices, bool strip_defaults, bool shapes) {
             return ToBytes(Get(ExportGraph(g, {.text = text, .with_devices = devices, .strip_defaults = strip_defaults,
                                                .with_shapes = shapes})));
           }, "text"_a = false, "with_devices"_a = true, "strip_defaults"_a = false, "with_shapes"_a = false)
      .def("import_graph", &Import, "graph_def"_a, "prefix"_a, "input_map"_a, "text"_a, "device_map"_a)
      .def("add_function", &AddTracedFunction, "body"_a, "name"_a, "arguments"_a, "results"_a,
           "Adds the graph `body` to the function library.")
      .def("has_functions", [](Graph& g) { return !g.function_library().empty(); });

  m.def("op_names", [] {
    nb::list names;
    for (const OpDef* op : OpRegistry::Global().All()) names.append(op->name().c_str());
    return names;
  }, "Names of all ops, sorted.");
  m.def("op_def", [](std::string_view name) -> nb::object {
    const OpDef* op = OpRegistry::Global().Find(name);
    return op == nullptr ? nb::none() : OpToPython(*op);
  }, "name"_a, "What is known of an op, or None.");
  m.def("op_list", [](bool text) { return ToBytes(Get(ExportOps(OpRegistry::Global(), text))); }, "text"_a = false);
  m.def("dtype_name", [](int type) { return DTypeName(static_cast<DType>(type)); });
}

}  // namespace headrace::python
