// Where each node of a graph runs, and why.
//
//   HR_ASSIGN_OR_RETURN(PlacementReport report, Place(graph, devices->infos(), {.allow_soft_placement = true}));
//   report.nodes[node->id()].assigned;   // index into the devices
//   report.ToString();                   // a table
//
// One rule, in this order: an explicit request; else GPU 0 where a GPU kernel exists for the node's op, dtypes and
// attributes; else CPU 0. A colocation group (ref edges: a variable with its assigns and updates; `_class` wishes)
// is placed as a whole on what all its members support, so that a graph without requests can never fail.
// The outcome depends on the graph and the list of devices only. Knows no op by name.
//
// Soft placement, when a request cannot be met: another device of the type asked for, where all of the group have
// kernels; else what the group would get without a request, within the job and task asked for (a missing job or task
// stays an error). Of requests in one group that contradict each other the first node's counts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "headrace/device/device.h"
#include "headrace/graph/graph.h"

namespace headrace {

struct PlaceOptions {
  bool allow_soft_placement = false;
  int default_device = -1;  // index of a device for nodes without a request, instead of GPU 0 / CPU 0; -1 = none
};

struct NodePlacement {
  const Node* node = nullptr;
  std::string requested;     // as in the graph
  int assigned = -1;         // index into `devices`
  std::string reason;        // "requested", "GPU kernel", "no GPU kernel", "with w", "moved: ..."
  bool moved = false;        // soft placement did not follow the request
};

struct PlacementReport {
  std::vector<DeviceInfo> devices;
  std::vector<NodePlacement> nodes;  // index = node id

  const std::string& DeviceOf(const Node& node) const;
  // "name: (Op): /job:localhost/replica:0/task:0/device:CPU:0": TensorFlow's log, in its order: nodes without inputs and
  // with one plain output (constants, placeholders) last.
  std::vector<std::string> LogLines(int first_node = 0) const;
  // One line for each node that soft placement moved: "w: moved from /device:GPU:0 to /job:...: why".
  std::vector<std::string> MovedLines(int first_node = 0) const;
  // A table for people: node, op, requested, assigned, reason; then a line for each device.
  std::string ToString() const;
  std::string ToJson() const;
  // Bytes that cross from one device to another in one step; values of shapes that are not known do not count.
  int64_t CrossingBytes() const;

 private:
  friend class Placer;
  std::vector<std::string> device_names_;
  std::map<std::string, int, std::less<>> group_names_;  // "loc:@x" without a node x: a node of that group
};

// Errors: InvalidArgument for a request that cannot be met, naming node, request, what would be supported, and the
// line that made the node (texts as TensorFlow 1.4 and 1.15 have them: "Cannot assign a device for operation ...").
StatusOr<PlacementReport> Place(const Graph& graph, const std::vector<DeviceInfo>& devices,
                                const PlaceOptions& options = {});
// Places only nodes that were added since `report` was made (cost independent of the size of the graph); nodes placed
// before stay where they are.
Status ExtendPlacement(PlacementReport& report, const Graph& graph, const PlaceOptions& options = {});

}  // namespace headrace
