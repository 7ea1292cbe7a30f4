// The nodes of a GraphDef with their edges resolved, in an order in which they can be made.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "headrace/base/status.h"
#include "headrace/io/proto/graph.pb.h"

// What speaks of messages stays inside the library: see headrace_package.
#pragma GCC visibility push(hidden)
namespace headrace::internal {

// By the name of the file.
inline bool IsTextGraph(std::string_view path) {
  return path.ends_with(".pbtxt") || path.ends_with(".txt");
}

// "node", "node:2" or "^node".
struct InputName {
  std::string_view node;
  int index = 0;
  bool control = false;
};
StatusOr<InputName> ParseInputName(std::string_view text);

class GraphFile {
 public:
  struct Edge {
    int from = -1;  // position in the file; -1: outside (mapped), see `name`
    InputName name;
    std::string_view text;  // as the file has it
    bool back = false;      // from a NextIteration to a Merge: added when all nodes are there
  };
  struct Entry {
    const proto::NodeDef* def = nullptr;
    std::vector<Edge> inputs, controls;
  };

  // `is_mapped(name)`: inputs that the importer connects to something else. Errors: InvalidArgument
  // for bad or double names, unknown inputs and cycles.
  template <class IsMapped>
  static StatusOr<GraphFile> Make(const proto::GraphDef& graph, IsMapped is_mapped) {
    GraphFile file;
    HR_RETURN_IF_ERROR(file.CollectNames(graph));
    for (int i = 0; i < graph.node_size(); ++i) {
      for (const std::string& text : graph.node(i).input()) {
        HR_RETURN_IF_ERROR(file.AddEdge(i, text, is_mapped(text)));
      }
    }
    HR_RETURN_IF_ERROR(file.Sort());
    return file;
  }

  const std::vector<Entry>& entries() const { return entries_; }
  // Positions of nodes, inputs before those that take them, otherwise as in the file.
  const std::vector<int>& order() const { return order_; }
  int Find(std::string_view node) const;  // -1 if there is none

 private:
  Status CollectNames(const proto::GraphDef& graph);
  Status AddEdge(int to, std::string_view text, bool mapped);
  Status Sort();
  Status Cycle(const std::vector<int>& pending) const;

  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, int> by_name_;
  std::vector<int> order_;
};

}  // namespace headrace::internal

#pragma GCC visibility pop
