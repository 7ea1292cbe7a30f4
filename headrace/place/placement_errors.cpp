// Why a group cannot be placed, in words: first TensorFlow's sentence, then what would be right.
#include "headrace/base/strings.h"
#include "headrace/place/internal/placer.h"

namespace headrace {
namespace {

constexpr size_t kMostListed = 12;  // an error is not a page

std::string ListNames(const std::vector<const Node*>& nodes, const Node* but) {
  std::vector<std::string> names;
  size_t others = 0;
  for (const Node* node : nodes) {
    if (node == but) continue;
    if (++others <= kMostListed) names.push_back(node->name());
  }
  std::string text = StrJoin(names, ", ");
  if (others > kMostListed) StrAppend(&text, " and ", others - kMostListed, " more");
  return text;
}

// "(defined at model.cpp:41)" with a space in front, or nothing.
std::string DefinedAt(const Node& node) {
  const std::string place = node.location().ToString();
  return place.empty() ? "" : StrCat(" (defined at ", place, ")");
}

}  // namespace

std::string Placer::AvailableDevices() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < devices_.size() && i < kMostListed; ++i)
    names.push_back(report_.device_names_[i]);
  std::string text = StrJoin(names, ", ");
  if (devices_.size() > kMostListed)
    StrAppend(&text, " and ", devices_.size() - kMostListed, " more");
  return text;
}

std::string Placer::MissingKernel(const Group& group, std::string_view type) const {
  for (const Node* node : group.members) {
    StatusOr<const DeviceSupport*> support = FindSupport(*node, type);
    if (support.ok()) continue;
    return StrCat("node '", node->name(), "'", DefinedAt(*node), ": ", Message(support.status()));
  }
  return "";
}

Status Placer::AbsentDevice(const Group& group) const {
  const Node& node = *group.asks;
  const bool wants_gpu = group.request.type == "GPU";
  bool has_gpu = false;
  for (const std::string& type : types_) has_gpu |= type == "GPU";
  return InvalidArgument(
      "Cannot assign a device for operation ", node.name(), ": node ", node.name(), DefinedAt(node),
      " was explicitly assigned to ", group.request.ToString(), " but available devices are [ ",
      AvailableDevices(), " ]. Make sure the device specification refers to a valid device.",
      wants_gpu && !has_gpu
          ? " No GPU is used here; `headrace devices` lists what there is and why."
          : "",
      "\n\t [[", node.name(), "]]");
}

Status Placer::NoKernel(const Group& group) const {
  const Node& node = group.asks != nullptr ? *group.asks : *group.members[0];
  std::string text;
  std::vector<std::string> lacking;  // types without all kernels, among the devices that match
  for (size_t t = 0; t < types_.size(); ++t) {
    bool matches = false;
    for (size_t i = 0; i < devices_.size(); ++i) {
      matches |= type_of_[i] == static_cast<int>(t) && group.request.Matches(devices_[i].name);
    }
    if (matches && !group.supported[t]) lacking.push_back(types_[t]);
  }
  if (group.asks != nullptr) {
    text = StrCat("Cannot assign a device to node '", node.name(),
                  "': Could not satisfy explicit device specification '", group.request.ToString(),
                  "' because no supported kernel for ", StrJoin(lacking, " and "),
                  " devices is available.");
  } else if (group.members.size() > 1) {
    text = StrCat("Cannot assign a device to node '", node.name(), "': Cannot colocate nodes '",
                  node.name(), "' and '", group.members[1]->name(),
                  "' because no device type supports both of those nodes and the other "
                  "nodes colocated with them.");
  } else {
    text = StrCat("Cannot assign a device to node '", node.name(), "': no supported kernel for ",
                  StrJoin(lacking, " or "), " devices is available.");
  }
  for (const std::string& type : lacking) StrAppend(&text, "\n  ", MissingKernel(group, type));
  if (group.members.size() > 1)
    StrAppend(&text, "\n  It shares its device with ", ListNames(group.members, &node));
  if (const int other = Best({}, group, /*at_home=*/false); other >= 0) {
    StrAppend(&text, "\n  ", report_.device_names_[other],
              " could run it: ask for that, or allow soft placement.");
  }
  StrAppend(&text, "\n\t [[", node.name(), "]]");
  return InvalidArgument(text);
}

Status Placer::Contradiction(const Group& group) const {
  const Node& a = *group.asks;
  const Node& b = *group.contradicts;
  return InvalidArgument(
      "Cannot assign a device to node '", b.name(), "': Cannot colocate nodes '", b.name(), "'",
      DefinedAt(b), " and '", a.name(), "'", DefinedAt(a), ": they must share a device, but '",
      a.name(), "' asks for '", a.requested_device(), "' and '", b.name(), "' for '",
      b.requested_device(), "'.\n  The group is ", ListNames(group.members, nullptr),
      ". Ask for one device, or allow soft placement: then the first request counts.\n\t [[",
      b.name(), "]]");
}

}  // namespace headrace
