#include <algorithm>
#include <limits>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/graph/graph_io.h"
#include "headrace/graph/internal/attr_proto.h"
#include "headrace/graph/internal/function_library.h"
#include "headrace/graph/internal/graph_file.h"
#include "headrace/graph/internal/graph_version.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

constexpr int64_t kMaxBytes = std::numeric_limits<int32_t>::max();

// Bytes of the tensors that an attribute holds, as a message has them.
int64_t TensorBytes(const AttrValue& value) {
  auto size = [](const Tensor& tensor) {
    int64_t bytes = static_cast<int64_t>(tensor.size_bytes());
    if (tensor.dtype() == DType::kString) {
      bytes = 0;
      for (const std::string& text : tensor.flat<std::string>())
        bytes += static_cast<int64_t>(text.size());
    }
    return bytes;
  };
  if (const Tensor* tensor = value.As<Tensor>()) return size(*tensor);
  int64_t bytes = 0;
  if (const auto* tensors = value.As<AttrValue::Tensors>()) {
    for (const Tensor& tensor : *tensors) bytes += size(tensor);
  }
  return bytes;
}

// Before anything is copied: a message beyond the limit cannot be written, and making it would cost
// its size.
Status CheckSize(const Graph& graph) {
  int64_t total = 0, largest = -1;
  const Node* largest_node = nullptr;
  for (int i = 0; i < graph.num_nodes(); ++i) {
    int64_t bytes = 0;
    for (const auto& [name, value] : graph.node(i)->attrs()) bytes += TensorBytes(value);
    total += bytes;
    if (bytes > largest) {
      largest = bytes;
      largest_node = graph.node(i);
    }
  }
  if (total <= kMaxBytes) return absl::OkStatus();
  return InvalidArgument("constants of ", HumanBytes(total),
                         " do not fit a GraphDef, which holds at most 2 GiB; the largest is ",
                         largest_node->Describe(), " with ", HumanBytes(largest),
                         ": make it a variable, whose value a checkpoint holds");
}

void WriteInputs(const Node& node, proto::NodeDef* message) {
  for (const Output& input : node.inputs()) {
    *message->add_input() = input.index == 0 ? input.node->name() : input.name();
  }
  std::vector<std::string_view> controls;
  for (const Node* control : node.control_inputs()) controls.push_back(control->name());
  std::ranges::sort(controls);
  for (std::string_view control : controls) *message->add_input() = StrCat("^", control);
}

Status WriteGraph(const Graph& graph, const ExportOptions& options, proto::GraphDef* message) {
  for (int i = 0; i < graph.num_nodes(); ++i) {
    const Node& node = *graph.node(i);
    proto::NodeDef* def = message->add_node();
    def->set_name(node.name());
    def->set_op(node.op_name());
    WriteInputs(node, def);
    if (options.with_devices) def->set_device(node.requested_device());
    HR_RETURN_IF_ERROR(internal::NodeAttrsToProto(node, options, def));
  }
  if (!graph.function_library().empty()) {
    HR_RETURN_IF_ERROR(
        ParseBinary(graph.function_library(), "function library", message->mutable_library()));
    internal::StripLocations(*message->mutable_library());
  }
  message->mutable_versions()->set_producer(internal::kGraphVersion);
  return absl::OkStatus();
}

}  // namespace

Status internal::NodeAttrsToProto(const Node& node, const ExportOptions& options,
                                  proto::NodeDef* message) {
  for (const auto& [name, value] : node.attrs()) {
    const AttrDef* def = node.op().FindAttr(name);
    const bool is_default = def != nullptr && def->default_value && *def->default_value == value;
    if (options.strip_defaults && is_default) continue;
    const Status written = AttrToProto(value, &(*message->mutable_attr())[name]);
    if (!written.ok())
      return Annotate(written, StrCat(node.Describe(), ", attribute '", name, "': "));
  }
  if (!options.with_shapes || node.num_outputs() == 0) return absl::OkStatus();
  AttrValue::Shapes shapes;
  for (int i = 0; i < node.num_outputs(); ++i) shapes.push_back(node.output_shape(i));
  return AttrToProto(shapes, &(*message->mutable_attr())["_output_shapes"]);
}

StatusOr<std::string> ExportGraph(const Graph& graph, const ExportOptions& options) {
  HR_RETURN_IF_ERROR(CheckSize(graph));
  proto::GraphDef message;
  HR_RETURN_IF_ERROR(WriteGraph(graph, options, &message));
  if (options.text) return PrintText(message);
  return SerializeBinary(message);
}

Status ExportGraphFile(const Graph& graph, const std::string& path, ExportOptions options) {
  options.text = internal::IsTextGraph(path);
  const StatusOr<std::string> bytes = ExportGraph(graph, options);
  if (!bytes.ok()) return Annotate(bytes.status(), StrCat(path, ": "));
  return WriteFileAtomically(path, *bytes);
}

StatusOr<std::string> ExportOps(const OpRegistry& registry, bool text) {
  proto::OpList message;
  for (const OpDef* op : registry.All())
    HR_RETURN_IF_ERROR(internal::OpDefToProto(*op, message.add_op()));
  if (text) return PrintText(message);
  return SerializeBinary(message);
}

}  // namespace headrace
