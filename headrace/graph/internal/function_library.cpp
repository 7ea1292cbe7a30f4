#include "headrace/graph/internal/function_library.h"

#include <algorithm>
#include <unordered_map>

#include "headrace/base/strings.h"
#include "headrace/graph/function.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace internal {
namespace {

void StripLocations(proto::FunctionDef& function) {
  for (proto::NodeDef& node : *function.mutable_node_def())
    node.mutable_attr()->erase(std::string(kLocationAttr));
}

StatusOr<std::string> Bare(proto::FunctionDef function) {
  StripLocations(function);
  return SerializeBinary(function);
}

}  // namespace

void StripLocations(proto::FunctionDefLibrary& library) {
  for (proto::FunctionDef& function : *library.mutable_function()) StripLocations(function);
}

Status JoinLibraries(proto::FunctionDefLibrary& library, const proto::FunctionDefLibrary& more) {
  std::unordered_map<std::string, int> known;
  for (int i = 0; i < library.function_size(); ++i)
    known.emplace(library.function(i).signature().name(), i);
  for (const proto::FunctionDef& function : more.function()) {
    const auto [it, is_new] = known.emplace(function.signature().name(), library.function_size());
    if (is_new) {
      *library.add_function() = function;
      continue;
    }
    HR_ASSIGN_OR_RETURN(const std::string ours, Bare(library.function(it->second)));
    HR_ASSIGN_OR_RETURN(const std::string theirs, Bare(function));
    if (ours != theirs)
      return InvalidArgument("the graph has another function '", function.signature().name(), "'");
  }
  for (const proto::GradientDef& gradient : more.gradient()) *library.add_gradient() = gradient;
  library.DiscardUnknownFields();  // the text form could not be read again
  return absl::OkStatus();
}

StatusOr<std::string> JoinLibraries(std::string_view library, std::string_view more) {
  proto::FunctionDefLibrary joined, added;
  HR_RETURN_IF_ERROR(ParseBinary(library, "function library", &joined));
  HR_RETURN_IF_ERROR(ParseBinary(more, "function library", &added));
  HR_RETURN_IF_ERROR(JoinLibraries(joined, added));
  return SerializeBinary(joined);
}

}  // namespace internal

bool HasFunction(const Graph& graph, std::string_view name) {
  if (graph.function_library().empty()) return false;
  proto::FunctionDefLibrary library;
  if (!ParseBinary(graph.function_library(), "function library", &library).ok()) return false;
  return std::ranges::any_of(library.function(), [&](const proto::FunctionDef& f) {
    return f.signature().name() == name;
  });
}

}  // namespace headrace
