// Graphs to and from TensorFlow's GraphDef, binary or text, and to TensorFlow's OpDef for tools.
//
//   HR_RETURN_IF_ERROR(ExportGraphFile(graph, "model.pbtxt"));
//   HR_RETURN_IF_ERROR(ImportGraphFile(other, "model.pb", {.prefix = "import"}));
//
// Errors: InvalidArgument or DataLoss with node, op and attribute; truncated or hostile bytes never crash. An op that is not
// defined is NotFound with the nearest names.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "headrace/graph/graph.h"

namespace headrace {

struct ImportOptions {
  std::string prefix;                          // name scope for the imported nodes; "" = the current one
  std::map<std::string, Output> input_map;     // "name:0" in the file -> an output of the graph
  // "/gpu:*" -> "/cpu:0", "/job:ps" -> "/job:localhost": applied to the devices of the file, first match wins.
  std::vector<std::pair<std::string, std::string>> device_map;
  bool text = false;                           // protocol-buffer text instead of binary
  // A file of a few bytes can state constants of any size with equal elements: the most memory they may take together.
  int64_t max_repeated_bytes = int64_t{8} << 30;
};

// Nodes get the current device scopes, as if they were made one by one, but no control dependencies. When it fails the
// graph is as it was.
Status ImportGraph(Graph& graph, std::string_view graph_def, const ImportOptions& options = {});
// From a file: text if the name ends in .pbtxt or .txt.
Status ImportGraphFile(Graph& graph, const std::string& path, ImportOptions options = {});

struct ExportOptions {
  bool text = false;
  bool with_devices = true;
  bool strip_defaults = false;  // leave out attributes that equal their default
  bool with_shapes = false;     // adds `_output_shapes`
};
// Errors: InvalidArgument naming the node when constants pass the format's limit of 2 GiB.
StatusOr<std::string> ExportGraph(const Graph& graph, const ExportOptions& options = {});
// To a file, which is replaced as a whole: text if the name ends in .pbtxt or .txt.
Status ExportGraphFile(const Graph& graph, const std::string& path, ExportOptions options = {});

// All op definitions as TensorFlow's OpList message, for tools.
StatusOr<std::string> ExportOps(const OpRegistry& registry, bool text);

}  // namespace headrace
