#include <algorithm>
#include <charconv>

#include "headrace/base/device_name.h"
#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/graph/function.h"
#include "headrace/graph/graph_io.h"
#include "headrace/graph/internal/attr_proto.h"
#include "headrace/graph/internal/function_library.h"
#include "headrace/graph/internal/graph_file.h"
#include "headrace/graph/internal/graph_version.h"
#include "headrace/io/proto_convert.h"

namespace headrace {

using internal::GraphFile;

// Adds the nodes of one file; when it fails, it takes them out again.
class [[gnu::visibility("hidden")]] GraphImporter {
 public:
  GraphImporter(Graph & graph, const ImportOptions& options)
      : graph_(graph),
        options_(options),
        first_(graph.num_nodes()),
        room_bytes_(options.max_repeated_bytes) {}

  Status Run(const proto::GraphDef& file) {
    HR_RETURN_IF_ERROR(CheckVersions(file.versions()));
    HR_RETURN_IF_ERROR(ParseDeviceMap());
    HR_RETURN_IF_ERROR(CheckInputMap());
    Status status = AddNodes(file);
    if (status.ok()) status = MergeLibrary(file);
    if (!status.ok()) RollBack();
    return status;
  }

 private:
  static Status CheckVersions(const proto::VersionDef& versions) {
    constexpr int kOurs = internal::kGraphVersion;
    if (versions.min_consumer() > kOurs) {
      return InvalidArgument("the graph needs a reader of version ", versions.min_consumer(),
                             "; this one is of version ", kOurs);
    }
    if (std::ranges::count(versions.bad_consumers(), kOurs) > 0) {
      return InvalidArgument("the graph excludes readers of version ", kOurs,
                             ", which this one is");
    }
    return absl::OkStatus();
  }

  Status ParseDeviceMap() {
    for (const auto& [from, to] : options_.device_map) {
      HR_ASSIGN_OR_RETURN(DeviceName pattern, DeviceName::Parse(from));
      HR_ASSIGN_OR_RETURN(DeviceName device, DeviceName::Parse(to));
      device_map_.emplace_back(std::move(pattern), std::move(device));
    }
    return absl::OkStatus();
  }

  Status CheckInputMap() {
    for (const auto& [name, output] : options_.input_map) {
      if (!output.valid() || output.graph() != &graph_) {
        return InvalidArgument("input_map['", name, "'] is no output of the graph");
      }
      StatusOr<internal::InputName> parsed = internal::ParseInputName(name);
      if (!parsed.ok()) return Annotate(parsed.status(), "input_map: ");
      mapped_[{std::string(parsed->node), parsed->control ? -1 : parsed->index}] = output;
    }
    return absl::OkStatus();
  }

  const Output* Mapped(const internal::InputName& name) const {
    auto it = mapped_.find({std::string(name.node), name.control ? -1 : name.index});
    return it == mapped_.end() ? nullptr : &it->second;
  }

  Status AddNodes(const proto::GraphDef& graph_def) {
    HR_ASSIGN_OR_RETURN(GraphFile file, GraphFile::Make(graph_def, [&](std::string_view text) {
                          if (mapped_.empty()) return false;
                          const StatusOr<internal::InputName> name = internal::ParseInputName(text);
                          return name.ok() && Mapped(*name) != nullptr;
                        }));
    file_ = &file;
    std::optional<NameScope> scope;
    if (!options_.prefix.empty()) {
      scope.emplace(graph_, options_.prefix);
      HR_RETURN_IF_ERROR(graph_.status());
    }
    ChooseNames();
    nodes_.resize(file.entries().size(), nullptr);
    for (int i : file.order()) {
      const Status added = AddOne(file.entries()[static_cast<size_t>(i)], i);
      if (!added.ok()) return added;
    }
    return ConnectBackEdges();
  }

  // Names of the file below the current scope, another number behind those that are taken.
  void ChooseNames() {
    names_.reserve(file_->entries().size());
    std::unordered_map<std::string, int> chosen;
    for (const GraphFile::Entry& entry : file_->entries()) {
      const std::string& scope = graph_.name_scope();
      const std::string wanted =
          scope.empty() ? entry.def->name() : StrCat(scope, "/", entry.def->name());
      std::string name = wanted;
      for (int i = 1; graph_.FindNode(name) != nullptr || !chosen.try_emplace(name, 0).second;
           ++i) {
        name = StrCat(wanted, "_", i);
      }
      names_.push_back(std::move(name));
    }
  }

  Status AddOne(const GraphFile::Entry& entry, int position) {
    const proto::NodeDef& def = *entry.def;
    const std::string where = StrCat("op '", EscapeC(def.op()), "' node '", def.name(), "'");
    NodeSpec spec{.op = def.op()};
    bool loops = false;
    for (const GraphFile::Edge& edge : entry.inputs) {
      const StatusOr<Output> source = Source(edge, entry);
      if (!source.ok()) return Annotate(source.status(), StrCat(where, ": "));
      loops = loops || edge.back;
      spec.inputs.push_back(*source);
    }
    for (const GraphFile::Edge& edge : entry.controls) {
      const Output* mapped = edge.from < 0 ? Mapped(edge.name) : nullptr;
      spec.control_inputs.push_back(mapped != nullptr ? mapped->node
                                                      : nodes_[static_cast<size_t>(edge.from)]);
    }
    HR_RETURN_IF_ERROR(ReadAttrs(def, where, spec.attrs));
    spec.location = TakeLocation(spec.attrs);
    HR_RETURN_IF_ERROR(ReadDevice(def, where, spec.device));
    HR_RETURN_IF_ERROR(graph_.ApplyDeviceScopes(spec));
    const AttrValue shapes =
        spec.attrs.Has("_output_shapes") ? *spec.attrs.Find("_output_shapes") : AttrValue();
    spec.attrs.Erase("_output_shapes");
    HR_ASSIGN_OR_RETURN(Node * node,
                        graph_.Insert(std::move(spec), names_[static_cast<size_t>(position)]));
    graph_.name_counts_.try_emplace(ToLower(node->name()), 1);
    nodes_[static_cast<size_t>(position)] = node;
    // What comes round the loop may have other shapes than what enters it.
    if (loops) std::ranges::fill(node->output_shapes_, PartialShape());
    return RefineShapes(*node, shapes);
  }

  StatusOr<Output> Source(const GraphFile::Edge& edge, const GraphFile::Entry& entry) {
    if (edge.from < 0) return *Mapped(edge.name);
    if (!edge.back) return Output{nodes_[static_cast<size_t>(edge.from)], edge.name.index};
    // The other input stands in until the node at the end of the loop is there.
    for (const GraphFile::Edge& other : entry.inputs) {
      if (!other.back) return Source(other, entry);
    }
    return InvalidArgument("all its inputs come round the loop; one must enter it");
  }

  Status ReadAttrs(const proto::NodeDef& def, const std::string& where, AttrMap& attrs) {
    for (const auto& [name, message] : def.attr()) {
      StatusOr<AttrValue> value = internal::AttrFromProto(message, &room_bytes_);
      if (!value.ok())
        return Annotate(value.status(), StrCat(where, ", attribute '", EscapeC(name), "': "));
      if (name == "_class") {
        const Status renamed = RenameClasses(*value);
        if (!renamed.ok()) return Annotate(renamed, StrCat(where, ": "));
      }
      attrs.Set(name, *std::move(value));
    }
    return absl::OkStatus();
  }

  // Nodes of a function's body say where they were made.
  static Location TakeLocation(AttrMap & attrs) {
    const std::string text = attrs.GetOr<std::string>(internal::kLocationAttr, "");
    attrs.Erase(internal::kLocationAttr);
    const size_t colon = text.rfind(':');
    uint32_t line = 0;
    if (colon == std::string::npos) return {};
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), line);
    return Location::Of(text.substr(0, colon), line);
  }

  // Groups are named after nodes, which may have got other names.
  Status RenameClasses(AttrValue & value) {
    constexpr std::string_view kPrefix = "loc:@";
    const auto* classes = value.As<AttrValue::Strings>();
    if (classes == nullptr) return absl::OkStatus();
    AttrValue::Strings renamed = *classes;
    for (std::string& text : renamed) {
      if (!text.starts_with(kPrefix)) continue;
      const std::string name = text.substr(kPrefix.size());
      const int position = file_->Find(name);
      if (position < 0)
        return InvalidArgument("it expects to be colocated with unknown node '", EscapeC(name),
                               "'");
      text = StrCat(kPrefix, names_[static_cast<size_t>(position)]);
    }
    value = std::move(renamed);
    return absl::OkStatus();
  }

  Status ReadDevice(const proto::NodeDef& def, const std::string& where, std::string& device) {
    StatusOr<DeviceName> name = DeviceName::Parse(def.device());
    if (!name.ok()) return Annotate(name.status(), StrCat(where, ": "));
    for (const auto& [pattern, to] : device_map_) {
      if (!pattern.Matches(*name)) continue;
      // What the pattern states is replaced, the rest stays.
      if (pattern.job) name->job.reset();
      if (pattern.replica) name->replica.reset();
      if (pattern.task) name->task.reset();
      if (pattern.type || pattern.index) {
        name->type.reset();
        name->index.reset();
      }
      name = to.MergedOver(*name);
      break;
    }
    device = name->ToString();
    return absl::OkStatus();
  }

  Status RefineShapes(Node & node, const AttrValue& value) {
    if (value.kind() == AttrKind::kNone) return absl::OkStatus();
    const auto* shapes = value.As<AttrValue::Shapes>();
    const bool none =
        value.As<AttrValue::Ints>() != nullptr && value.As<AttrValue::Ints>()->empty();
    const int count = shapes != nullptr ? static_cast<int>(shapes->size()) : 0;
    if ((shapes == nullptr && !none) || count != node.num_outputs()) {
      return InvalidArgument(node.Describe(), ": attribute '_output_shapes' must be a list of ",
                             node.num_outputs(), " shapes");
    }
    for (int i = 0; i < count; ++i) {
      HR_RETURN_IF_ERROR(graph_.RefineShape(node.output(i), (*shapes)[static_cast<size_t>(i)]));
    }
    return absl::OkStatus();
  }

  Status ConnectBackEdges() {
    for (size_t i = 0; i < file_->entries().size(); ++i) {
      const GraphFile::Entry& entry = file_->entries()[i];
      for (size_t k = 0; k < entry.inputs.size(); ++k) {
        const GraphFile::Edge& edge = entry.inputs[k];
        if (!edge.back) continue;
        Node& merge = *nodes_[i];
        const Output source{nodes_[static_cast<size_t>(edge.from)], edge.name.index};
        HR_RETURN_IF_ERROR(graph_.CheckReplacement(merge, static_cast<int>(k), source));
        graph_.ReplaceEdge(merge, static_cast<int>(k), source);
      }
    }
    return absl::OkStatus();
  }

  Status MergeLibrary(const proto::GraphDef& file) {
    if (file.library().function().empty() && file.library().gradient().empty())
      return absl::OkStatus();
    proto::FunctionDefLibrary library;
    HR_RETURN_IF_ERROR(ParseBinary(graph_.function_library(), "function library", &library));
    HR_RETURN_IF_ERROR(internal::JoinLibraries(library, file.library()));
    HR_ASSIGN_OR_RETURN(std::string bytes, SerializeBinary(library));
    graph_.SetFunctionLibrary(std::move(bytes));
    return absl::OkStatus();
  }

  void RollBack() {
    for (int i = graph_.num_nodes() - 1; i >= first_; --i) {
      Node& node = *graph_.nodes_.back();
      for (const Output& input : node.inputs_) {
        if (input.node->id() >= first_) continue;
        std::erase_if(input.node->out_edges_,
                      [&](const Node::Edge& edge) { return edge.to == &node; });
      }
      graph_.by_name_.erase(node.name());
      graph_.nodes_.pop_back();
    }
  }

  Graph& graph_;
  const ImportOptions& options_;
  const int first_;
  int64_t room_bytes_;
  std::vector<std::pair<DeviceName, DeviceName>> device_map_;
  std::map<std::pair<std::string, int>, Output> mapped_;  // by name and index, -1 for control
  const GraphFile* file_ = nullptr;
  std::vector<std::string> names_;  // in the graph, by position in the file
  std::vector<Node*> nodes_;
};

Status ImportGraph(Graph& graph, std::string_view graph_def, const ImportOptions& options) {
  proto::GraphDef file;
  if (options.text) {
    HR_RETURN_IF_ERROR(ParseText(graph_def, "GraphDef", &file));
  } else {
    HR_RETURN_IF_ERROR(ParseBinary(graph_def, "GraphDef", &file));
  }
  return GraphImporter(graph, options).Run(file);
}

Status ImportGraphFile(Graph& graph, const std::string& path, ImportOptions options) {
  HR_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  options.text = internal::IsTextGraph(path);
  return Annotate(ImportGraph(graph, bytes, options), StrCat(path, ": "));
}

}  // namespace headrace
