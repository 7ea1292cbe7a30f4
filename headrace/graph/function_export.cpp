#include <algorithm>
#include <map>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/graph/function.h"
#include "headrace/graph/graph_io.h"
#include "headrace/graph/internal/attr_proto.h"
#include "headrace/graph/internal/function_args.h"
#include "headrace/graph/internal/function_library.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

// Names of arguments and results as TensorFlow forms them from nodes: lower case, letters first, numbered where
// taken.
class ArgNames {
 public:
  explicit ArgNames(const Graph& body) {
    for (int i = 0; i < body.num_nodes(); ++i) taken_.insert(body.node(i)->name());
  }
  std::string Make(std::string_view node) {
    std::string name = ToLower(node);
    for (char& c : name) {
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    }
    while (!name.empty() && !std::isalpha(static_cast<unsigned char>(name[0]))) name.erase(0, 1);
    if (name.empty()) name = "unknown";
    std::string unique = name;
    for (int i = 0; !made_.insert(unique).second; ++i) unique = StrCat(name, "_", i);
    return unique;
  }
  // An argument takes the place of its placeholder, but not the name of another node.
  std::string MakeArgument(const Node& placeholder) {
    taken_.erase(placeholder.name());
    std::string name = Make(placeholder.name());
    while (taken_.contains(name)) name = Make(name);
    return name;
  }

 private:
  std::set<std::string, std::less<>> taken_, made_;
};

class Writer {
 public:
  Writer(const Graph& body, const FunctionSignature& signature, proto::FunctionDef* def)
      : body_(body), signature_(signature), def_(def), names_(body) {}

  Status Run() {
    def_->mutable_signature()->set_name(signature_.name);
    HR_RETURN_IF_ERROR(WriteArguments());
    for (int i = 0; i < body_.num_nodes(); ++i) {
      const Node& node = *body_.node(i);
      if (!arguments_.contains(&node)) HR_RETURN_IF_ERROR(WriteNode(node));
    }
    HR_RETURN_IF_ERROR(WriteResults());
    return WriteEffects();
  }

 private:
  Status WriteArguments() {
    for (const Output& argument : signature_.arguments) {
      HR_RETURN_IF_ERROR(Check(argument, "an argument"));
      const Node& node = *argument.node;
      if (node.op_name() != "Placeholder")
        return InvalidArgument(node.Describe(), ": an argument must be a Placeholder");
      std::string name = names_.MakeArgument(node);
      if (!arguments_.emplace(&node, name).second)
        return InvalidArgument(node.Describe(), ": it is an argument twice");
      proto::OpDef::ArgDef* arg = def_->mutable_signature()->add_input_arg();
      arg->set_name(name);
      arg->set_type(DTypeToProto(argument.value_dtype()));
      auto& attrs =
          *(*def_->mutable_arg_attr())[static_cast<uint32_t>(arguments_.size() - 1)].mutable_attr();
      HR_RETURN_IF_ERROR(
          internal::AttrToProto(AttrValue::Shapes{argument.shape()}, &attrs["_output_shapes"]));
    }
    return absl::OkStatus();
  }

  Status WriteNode(const Node& node) {
    proto::NodeDef* def = def_->add_node_def();
    def->set_name(node.name());
    def->set_op(node.op_name());
    for (const Output& input : node.inputs()) *def->add_input() = ValueName(input);
    for (const Node* control : node.control_inputs()) {
      // An argument is there before the body starts.
      if (!arguments_.contains(control)) *def->add_input() = StrCat("^", control->name());
    }
    def->set_device(node.requested_device());
    HR_RETURN_IF_ERROR(internal::NodeAttrsToProto(node, {}, def));
    if (node.location().known()) {
      const std::string line = StrCat(node.location().file, ":", node.location().line);
      (*def->mutable_attr())[std::string(internal::kLocationAttr)].set_s(line);
    }
    if (node.op().stateful()) def_->mutable_signature()->set_is_stateful(true);
    return absl::OkStatus();
  }

  std::string ValueName(const Output& value) const {
    if (auto it = arguments_.find(value.node); it != arguments_.end()) return it->second;
    return StrCat(value.node->name(), ":",
                  internal::OutputArgName(value.node->op(), value.node->attrs(), value.index));
  }

  Status WriteResults() {
    for (const Output& result : signature_.results) {
      HR_RETURN_IF_ERROR(Check(result, "a result"));
      const std::string name = names_.Make(result.node->name());
      proto::OpDef::ArgDef* arg = def_->mutable_signature()->add_output_arg();
      arg->set_name(name);
      arg->set_type(DTypeToProto(result.value_dtype()));
      (*def_->mutable_ret())[name] = ValueName(result);
    }
    return absl::OkStatus();
  }

  Status WriteEffects() {
    for (const Node* effect : signature_.effects) {
      if (effect == nullptr || &effect->graph() != &body_)
        return InvalidArgument("an effect is not a node of the body");
      (*def_->mutable_control_ret())[effect->name()] = effect->name();
      def_->mutable_signature()->add_control_output(effect->name());
    }
    return absl::OkStatus();
  }

  Status Check(const Output& value, std::string_view what) const {
    if (!value.valid()) return InvalidArgument(what, " is not an output of a node");
    if (value.graph() != &body_) {
      return InvalidArgument("'", value.name(), "' is ", what,
                             " and not of the body: values of the outer graph must be captured");
    }
    return absl::OkStatus();
  }

  const Graph& body_;
  const FunctionSignature& signature_;
  proto::FunctionDef* def_;
  ArgNames names_;
  std::map<const Node*, std::string> arguments_;
};

}  // namespace

Status AddFunction(Graph& graph, const Graph& body, const FunctionSignature& signature) {
  HR_RETURN_IF_ERROR(body.status());
  if (HasFunction(graph, signature.name))
    return InvalidArgument("the graph has a function '", signature.name, "' already");
  proto::FunctionDefLibrary library;
  const Status written = Writer(body, signature, library.add_function()).Run();
  if (!written.ok()) return Annotate(written, StrCat("function '", signature.name, "': "));
  HR_ASSIGN_OR_RETURN(const std::string bytes, SerializeBinary(library));
  // Messages that follow one another are read as one: repeated fields are joined.
  std::string all = graph.function_library();
  // What the body refers to goes along.
  if (!body.function_library().empty()) {
    HR_ASSIGN_OR_RETURN(all, internal::JoinLibraries(std::move(all), body.function_library()));
  }
  graph.SetFunctionLibrary(std::move(all) + bytes);
  return absl::OkStatus();
}

}  // namespace headrace
