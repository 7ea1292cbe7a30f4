#include "headrace/place/internal/placer.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {

Placer::Placer(const Graph& graph, const PlaceOptions& options, PlacementReport& report)
    : graph_(graph), options_(options), report_(report), devices_(report.devices) {
  for (const DeviceInfo& device : devices_) {
    auto it = std::find(types_.begin(), types_.end(), device.type);
    type_of_.push_back(static_cast<int>(it - types_.begin()));
    if (it == types_.end()) types_.push_back(device.type);
    if (report.device_names_.size() < devices_.size())
      report.device_names_.push_back(device.name.ToString());
  }
  if (!devices_.empty()) {
    home_ = devices_[0].name;
    home_.type.reset();
    home_.index.reset();
  }
}

Status Placer::Run(int first) {
  first_ = first;
  const int count = graph_.num_nodes() - first;
  parent_.resize(count);
  for (int i = 0; i < count; ++i) parent_[i] = i;
  earlier_.assign(count, -1);
  for (int i = 0; i < count; ++i) HR_RETURN_IF_ERROR(Join(*graph_.node(first + i)));
  next_.assign(count, -1);
  last_.assign(count, -1);
  std::vector<int> firsts;  // the first member of each group
  for (int i = 0; i < count; ++i) {
    const int root = Root(i);
    if (last_[root] < 0) {
      firsts.push_back(i);
    } else {
      next_[last_[root]] = i;
    }
    last_[root] = i;
  }
  report_.nodes.resize(graph_.num_nodes());
  Group group;
  for (int i : firsts) {
    Status status = Gather(*graph_.node(first + i), group);
    if (status.ok()) status = PlaceGroup(group);
    if (!status.ok()) {
      report_.nodes.resize(first);
      return status;
    }
  }
  report_.group_names_.merge(new_group_names_);
  return absl::OkStatus();
}

int Placer::Root(int node) {
  while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
  return node;
}

void Placer::Unite(int a, int b) {
  a = Root(a);
  b = Root(b);
  if (a == b) return;
  if (b < a) std::swap(a, b);
  parent_[b] = a;
  if (earlier_[a] < 0) earlier_[a] = earlier_[b];
}

Status Placer::JoinWith(const Node& node, const Node& other) {
  if (other.id() >= first_) {
    Unite(node.id() - first_, other.id() - first_);
    return absl::OkStatus();
  }
  int& earlier = earlier_[Root(node.id() - first_)];
  if (earlier < 0) earlier = other.id();
  if (report_.nodes[earlier].assigned == report_.nodes[other.id()].assigned)
    return absl::OkStatus();
  return InvalidArgument("Cannot assign a device to node '", node.name(), "': ", node.Describe(),
                         " must share the device of '", graph_.node(earlier)->name(), "' (",
                         report_.DeviceOf(*graph_.node(earlier)), ") and of '", other.name(), "' (",
                         report_.DeviceOf(other), "), which were placed before");
}

Status Placer::Join(const Node& node) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    // Who takes or passes on a variable itself, or a resource's handle, sits with it.
    const DType type = node.input_type(i);
    if (IsRef(type) || type == DType::kResource) HR_RETURN_IF_ERROR(JoinWith(node, *node.input(i).node));
  }
  for (const std::string& name : node.colocation()) {
    if (const Node* other = graph_.FindNode(name)) {
      if (other != &node) HR_RETURN_IF_ERROR(JoinWith(node, *other));
      continue;
    }
    // A name without a node still names a group.
    if (auto it = report_.group_names_.find(name); it != report_.group_names_.end()) {
      HR_RETURN_IF_ERROR(JoinWith(node, *graph_.node(it->second)));
      continue;
    }
    const auto [it, added] = new_group_names_.emplace(name, node.id());
    if (!added) HR_RETURN_IF_ERROR(JoinWith(node, *graph_.node(it->second)));
  }
  return absl::OkStatus();
}

StatusOr<const DeviceName*> Placer::Request(const Node& node) {
  auto [it, added] = requests_.try_emplace(node.requested_device());
  if (added) {
    StatusOr<DeviceName> parsed = DeviceName::Parse(node.requested_device());
    if (!parsed.ok()) {
      requests_.erase(it);
      return Annotate(parsed.status(), StrCat(node.Describe(), ": "));
    }
    it->second = *std::move(parsed);
  }
  return &it->second;
}

namespace {

template <class T>
bool MergePart(std::optional<T>& into, const std::optional<T>& part) {
  if (!into) into = part;
  return !part || into == part;
}

// Adds what `request` states to `into`; false (and `into` as it was) if they contradict each other.
bool Merge(DeviceName& into, const DeviceName& request) {
  DeviceName merged = into;
  if (!MergePart(merged.job, request.job) || !MergePart(merged.replica, request.replica) ||
      !MergePart(merged.task, request.task) || !MergePart(merged.type, request.type) ||
      !MergePart(merged.index, request.index)) {
    return false;
  }
  into = std::move(merged);
  return true;
}

}  // namespace

Status Placer::Gather(const Node& first, Group& group) {
  group.members.clear();
  group.asks = group.contradicts = nullptr;
  group.request = DeviceName();
  const int earlier = earlier_[Root(first.id() - first_)];
  group.placed = earlier < 0 ? nullptr : graph_.node(earlier);
  for (int i = first.id() - first_; i >= 0; i = next_[i]) {
    const Node* node = graph_.node(first_ + i);
    group.members.push_back(node);
    if (node->requested_device().empty()) continue;
    HR_ASSIGN_OR_RETURN(const DeviceName* request, Request(*node));
    if (!Merge(group.request, *request)) {
      if (group.contradicts == nullptr) group.contradicts = node;
    } else if (group.asks == nullptr) {
      group.asks = node;
    }
  }
  group.supported.assign(types_.size(), true);
  for (size_t t = 0; t < types_.size(); ++t) {
    for (const Node* node : group.members) {
      if (FindSupport(*node, types_[t]).ok()) continue;
      group.supported[t] = false;
      break;
    }
  }
  return absl::OkStatus();
}

int Placer::Best(const DeviceName& request, const Group& group, bool at_home) const {
  int best = -1;
  for (int i = 0; i < static_cast<int>(devices_.size()); ++i) {
    const DeviceInfo& device = devices_[i];
    if (!group.supported[type_of_[i]] || !request.Matches(device.name)) continue;
    if (at_home && !home_.Matches(device.name)) continue;
    if (device.type == "GPU") return i;
    if (best < 0) best = i;
  }
  return best;
}

Status Placer::PlaceGroup(Group& group) {
  if (group.placed != nullptr) return PlaceWithEarlier(group);
  if (group.contradicts != nullptr && !options_.allow_soft_placement) return Contradiction(group);
  if (group.asks == nullptr) return PlaceFreely(group);
  return PlaceOnRequest(group);
}

Status Placer::PlaceWithEarlier(const Group& group) {
  const int device = report_.nodes[group.placed->id()].assigned;
  const std::string& name = report_.device_names_[device];
  const std::string placed =
      StrCat("the device of '", group.placed->name(), "', which was placed on ", name, " before");
  if (!group.supported[type_of_[device]]) {
    return InvalidArgument(
        "Cannot assign a device to node '", group.members[0]->name(), "': it must share ", placed,
        "\n  ", MissingKernel(group, devices_[device].type),
        "\n  Add such nodes before the first run, or ask for another device where '",
        group.placed->name(), "' is made.");
  }
  if (group.asks != nullptr && !options_.allow_soft_placement) {
    for (const Node* node : group.members) {
      HR_ASSIGN_OR_RETURN(const DeviceName* request, Request(*node));
      if (request->Matches(devices_[device].name)) continue;
      return InvalidArgument("Cannot assign a device to node '", node->name(),
                             "': ", node->Describe(), " asks for '", node->requested_device(),
                             "' but must share ", placed);
    }
  }
  Assign(group, device, StrCat("it shares ", placed));
  return absl::OkStatus();
}

Status Placer::PlaceFreely(const Group& group) {
  int device = options_.default_device;
  if (device < 0 || device >= static_cast<int>(devices_.size()) ||
      !group.supported[type_of_[device]]) {
    device = Best({}, group, /*at_home=*/true);
  }
  if (device < 0) device = Best({}, group, /*at_home=*/false);
  if (device < 0) return NoKernel(group);
  Assign(group, device, "");
  return absl::OkStatus();
}

Status Placer::PlaceOnRequest(const Group& group) {
  const std::string contradiction =
      group.contradicts == nullptr
          ? ""
          : StrCat("'", group.asks->name(), "' asks for '", group.asks->requested_device(),
                   "' and is placed with it");
  int device = Best(group.request, group, /*at_home=*/false);
  if (device >= 0) {
    Assign(group, device, contradiction);
    return absl::OkStatus();
  }
  const bool exists = std::any_of(devices_.begin(), devices_.end(), [&](const DeviceInfo& d) {
    return group.request.Matches(d.name);
  });
  if (!options_.allow_soft_placement) return exists ? NoKernel(group) : AbsentDevice(group);
  DeviceName softer = group.request;
  softer.index.reset();
  device = Best(softer, group, /*at_home=*/false);
  if (device < 0) {
    softer.type.reset();
    device = Best(softer, group, /*at_home=*/true);
  }
  if (device < 0) device = Best(softer, group, /*at_home=*/false);
  if (device < 0) {
    const bool task_exists =
        std::any_of(devices_.begin(), devices_.end(),
                    [&](const DeviceInfo& d) { return softer.Matches(d.name); });
    return task_exists ? NoKernel(group) : AbsentDevice(group);
  }
  std::string why = exists
                        ? MissingKernel(group, group.request.type.value_or(devices_[device].type))
                        : StrCat("there is no ", group.request.ToString());
  Assign(group, device, why.empty() ? contradiction : why);
  return absl::OkStatus();
}

std::string Placer::ReasonWithoutRequest(const Group& group, const Node& node, int device) const {
  const Node* leader = group.placed != nullptr ? group.placed
                       : group.asks != nullptr ? group.asks
                                               : group.members[0];
  if (leader != &node) return StrCat("with ", leader->name());
  if (device == options_.default_device) return "default device";
  if (devices_[device].type == "GPU") return "GPU kernel";
  const auto gpu = std::find(types_.begin(), types_.end(), "GPU");
  if (gpu == types_.end()) return "no GPU";
  if (!FindSupport(node, "GPU").ok()) return "no GPU kernel";
  for (const Node* other : group.members) {
    if (!FindSupport(*other, "GPU").ok()) return StrCat("no GPU kernel for ", other->name());
  }
  return "no GPU in this task";
}

void Placer::Assign(const Group& group, int device, const std::string& why_moved) {
  for (const Node* node : group.members) {
    NodePlacement& placement = report_.nodes[node->id()];
    placement = {.node = node, .requested = node->requested_device(), .assigned = device};
    if (placement.requested.empty()) {
      placement.reason = ReasonWithoutRequest(group, *node, device);
    } else if (requests_.at(placement.requested).Matches(devices_[device].name)) {
      placement.reason = "requested";
    } else {
      placement.moved = true;
      placement.reason = StrCat("moved: ", why_moved);
    }
  }
}

StatusOr<PlacementReport> Place(const Graph& graph, const std::vector<DeviceInfo>& devices,
                                const PlaceOptions& options) {
  if (devices.empty()) return InvalidArgument("there is no device to place nodes on");
  PlacementReport report;
  report.devices = devices;
  HR_RETURN_IF_ERROR(Placer(graph, options, report).Run(0));
  return report;
}

Status ExtendPlacement(PlacementReport& report, const Graph& graph, const PlaceOptions& options) {
  const int placed = static_cast<int>(report.nodes.size());
  if (placed > graph.num_nodes()) {
    return InvalidArgument("the placement is of another graph: it has ", placed,
                           " nodes, the graph ", graph.num_nodes());
  }
  return Placer(graph, options, report).Run(placed);
}

}  // namespace headrace
