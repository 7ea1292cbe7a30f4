// The algorithm behind Place and ExtendPlacement: gather colocation groups, then place each as a
// whole.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "headrace/place/place.h"

namespace headrace {

class Placer {
 public:
  Placer(const Graph& graph, const PlaceOptions& options, PlacementReport& report);
  // Places the nodes from `first` on; the report holds all before. On error the report is as it
  // was.
  Status Run(int first);

 private:
  // Nodes that must share a device, and what is known about them.
  struct Group {
    std::vector<const Node*> members;   // in order of creation
    const Node* placed = nullptr;       // a node of the group that was placed earlier
    const Node* asks = nullptr;         // the first member with a request
    DeviceName request;                 // of all members together
    const Node* contradicts = nullptr;  // the first member whose request does not go with `request`
    std::vector<bool> supported;        // by type (types_): all members have kernels
  };

  int Root(int node);
  void Unite(int a, int b);
  Status Join(const Node& node);  // unites a new node with what it must share a device with
  Status JoinWith(const Node& node, const Node& other);
  Status Gather(const Node& first, Group& group);
  StatusOr<const DeviceName*> Request(const Node& node);

  Status PlaceGroup(Group& group);
  Status PlaceWithEarlier(const Group& group);
  Status PlaceFreely(const Group& group);
  Status PlaceOnRequest(const Group& group);
  // The best device that matches `request` and has all kernels: GPUs before others, then in order
  // of the list; -1 if there is none. Only devices of the first device's task when `at_home`.
  int Best(const DeviceName& request, const Group& group, bool at_home) const;
  void Assign(const Group& group, int device, const std::string& why_moved);
  std::string ReasonWithoutRequest(const Group& group, const Node& node, int device) const;

  // What stands in the way of `type`: the first member without a kernel, described. "" if all have
  // one.
  std::string MissingKernel(const Group& group, std::string_view type) const;
  Status AbsentDevice(const Group& group) const;
  Status NoKernel(const Group& group) const;
  Status Contradiction(const Group& group) const;
  std::string AvailableDevices() const;

  const Graph& graph_;
  const PlaceOptions& options_;
  PlacementReport& report_;
  const std::vector<DeviceInfo>& devices_;
  std::vector<std::string> types_;  // of the devices, each once
  std::vector<int> type_of_;        // device -> index into types_
  DeviceName home_;                 // job, replica and task of the first device

  int first_ = 0;
  std::vector<int> parent_;  // union-find over new nodes; index = id - first_
  std::vector<int> next_;    // list of the members of a root, in order; -1 = end
  std::vector<int> last_;
  // By root: id of a node placed earlier that the group must join; -1 = none.
  std::vector<int> earlier_;
  std::map<std::string, int, std::less<>> new_group_names_;
  std::unordered_map<std::string, DeviceName> requests_;
};

}  // namespace headrace
