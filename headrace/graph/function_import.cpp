#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "headrace/base/strings.h"
#include "headrace/graph/function.h"
#include "headrace/graph/graph_io.h"
#include "headrace/graph/internal/attr_proto.h"
#include "headrace/graph/internal/function_args.h"
#include "headrace/graph/internal/graph_version.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

// A function's body as the message of a graph, with a Placeholder for each argument.
class BodyReader {
 public:
  BodyReader(const proto::FunctionDef& def, const OpRegistry& ops) : def_(def), ops_(ops) {}

  Status Run() {
    message_.mutable_versions()->set_producer(internal::kGraphVersion);
    for (int i = 0; i < def_.signature().input_arg_size(); ++i) HR_RETURN_IF_ERROR(AddArgument(i));
    for (const proto::NodeDef& node : def_.node_def()) nodes_.emplace(node.name(), &node);
    for (const proto::NodeDef& node : def_.node_def()) {
      proto::NodeDef* copy = message_.add_node();
      *copy = node;
      for (std::string& input : *copy->mutable_input()) {
        if (input.starts_with('^')) continue;
        StatusOr<std::string> name = GraphName(input);
        if (!name.ok()) return Annotate(name.status(), StrCat("node '", node.name(), "': "));
        input = *std::move(name);
      }
    }
    return absl::OkStatus();
  }

  const proto::GraphDef& message() const { return message_; }

  // "node:2" or an argument's name for what the body calls "node:arg:i".
  StatusOr<std::string> GraphName(const std::string& text) const {
    if (arguments_.contains(text)) return text;
    const size_t first = text.find(':');
    const auto node = nodes_.find(text.substr(0, first));
    if (node == nodes_.end())
      return InvalidArgument("its input '", EscapeC(text), "' is not in the function");
    if (first == std::string::npos) return text;
    const size_t second = text.find(':', first + 1);
    int64_t element = 0;
    if (second != std::string::npos) {
      const char *begin = text.data() + second + 1, *end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(begin, end, element);
      if (error != std::errc() || stop != end || element < 0)
        return InvalidArgument("'", EscapeC(text), "' is no name of a value (\"node:output:0\")");
    }
    HR_ASSIGN_OR_RETURN(const OpDef* op, ops_.Lookup(node->second->op()));
    HR_ASSIGN_OR_RETURN(const AttrMap attrs, LengthAttrs(*op, *node->second));
    const std::string arg =
        text.substr(first + 1, second == std::string::npos ? second : second - first - 1);
    HR_ASSIGN_OR_RETURN(const int64_t output, internal::OutputOfArg(*op, attrs, arg, element));
    return output == 0 ? node->first : StrCat(node->first, ":", output);
  }

 private:
  Status AddArgument(int i) {
    const proto::OpDef::ArgDef& arg = def_.signature().input_arg(i);
    if (!arg.type_attr().empty() || !arg.number_attr().empty() || !arg.type_list_attr().empty()) {
      return Unimplemented("argument '", arg.name(),
                           "' has a dtype or length that is an attribute; only functions of fixed "
                           "dtypes are supported");
    }
    if (!arguments_.emplace(arg.name(), i).second)
      return InvalidArgument("it has two arguments '", arg.name(), "'");
    proto::NodeDef* node = message_.add_node();
    node->set_name(arg.name());
    node->set_op("Placeholder");
    (*node->mutable_attr())["dtype"].set_type(arg.type());
    proto::AttrValue& shape = (*node->mutable_attr())["shape"];
    shape.mutable_shape()->set_unknown_rank(true);
    const auto attrs = def_.arg_attr().find(static_cast<uint32_t>(i));
    if (attrs == def_.arg_attr().end()) return absl::OkStatus();
    const auto stated = attrs->second.attr().find("_output_shapes");
    if (stated == attrs->second.attr().end() || stated->second.list().shape_size() != 1)
      return absl::OkStatus();
    *shape.mutable_shape() = stated->second.list().shape(0);
    return absl::OkStatus();
  }

  static StatusOr<AttrMap> LengthAttrs(const OpDef& op, const proto::NodeDef& node) {
    AttrMap attrs;
    for (const ArgDef& arg : op.outputs()) {
      const std::string& name = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
      if (name.empty()) continue;
      if (auto it = node.attr().find(name); it != node.attr().end()) {
        HR_ASSIGN_OR_RETURN(AttrValue value, internal::AttrFromProto(it->second));
        attrs.Set(name, std::move(value));
      } else if (const AttrDef* def = op.FindAttr(name); def != nullptr && def->default_value) {
        attrs.Set(name, *def->default_value);
      }
    }
    return attrs;
  }

  const proto::FunctionDef& def_;
  const OpRegistry& ops_;
  proto::GraphDef message_;
  std::unordered_map<std::string, int> arguments_;
  std::unordered_map<std::string, const proto::NodeDef*> nodes_;
};

StatusOr<Function> ReadFunction(const proto::FunctionDef& def, OpRegistry& ops) {
  BodyReader reader(def, ops);
  HR_RETURN_IF_ERROR(reader.Run());
  HR_ASSIGN_OR_RETURN(const std::string bytes, SerializeBinary(reader.message()));
  Function function{.graph = std::make_unique<Graph>(ops),
                    .signature = {.name = def.signature().name()}};
  HR_RETURN_IF_ERROR(ImportGraph(*function.graph, bytes));
  for (const auto& arg : def.signature().input_arg())
    function.signature.arguments.push_back({function.graph->FindNode(arg.name()), 0});
  for (const auto& arg : def.signature().output_arg()) {
    const auto ret = def.ret().find(arg.name());
    if (ret == def.ret().end()) return InvalidArgument("nothing is returned as '", arg.name(), "'");
    HR_ASSIGN_OR_RETURN(const std::string name, reader.GraphName(ret->second));
    HR_ASSIGN_OR_RETURN(const Output result, function.graph->FindOutput(name));
    if (DTypeToProto(result.value_dtype()) != arg.type()) {
      return InvalidArgument("result '", arg.name(), "' is ", DTypeName(result.value_dtype()),
                             ", the signature says another dtype");
    }
    function.signature.results.push_back(result);
  }
  for (const auto& [key, name] : def.control_ret()) {
    Node* effect = function.graph->FindNode(name);
    if (effect == nullptr)
      return InvalidArgument("'", EscapeC(name), "' of control_ret is not in the function");
    function.signature.effects.push_back(effect);
  }
  return function;
}

}  // namespace

StatusOr<Function> ImportFunction(const Graph& graph, std::string_view name) {
  proto::FunctionDefLibrary library;
  HR_RETURN_IF_ERROR(ParseBinary(graph.function_library(), "function library", &library));
  const auto found = std::ranges::find_if(library.function(), [&](const proto::FunctionDef& f) {
    return f.signature().name() == name;
  });
  if (found == library.function().end()) {
    return NotFound(
        "the graph has no function '", name, "'; it has ",
        library.function().empty() ? "none" : StrJoin(library.function(), ", ", [](const auto& f) {
          return f.signature().name();
        }));
  }
  StatusOr<Function> function = ReadFunction(*found, graph.registry());
  if (!function.ok()) return Annotate(function.status(), StrCat("function '", name, "': "));
  function->graph->SetFunctionLibrary(graph.function_library());
  return function;
}

}  // namespace headrace
