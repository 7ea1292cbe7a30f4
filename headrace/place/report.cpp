// A placement as data, as log lines, as a table and as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/place/place.h"

namespace headrace {
namespace {

// True if all devices belong to one task, so that job, replica and task need not be repeated.
bool OneTask(const std::vector<DeviceInfo>& devices) {
  return std::all_of(devices.begin(), devices.end(), [&](const DeviceInfo& d) {
    return d.name.job == devices[0].name.job && d.name.replica == devices[0].name.replica &&
           d.name.task == devices[0].name.task;
  });
}

std::string ShortName(const DeviceInfo& device, bool one_task) {
  if (!one_task) return device.name.ToString();
  return DeviceName{.type = device.name.type, .index = device.name.index}.ToString();
}

// TensorFlow's placer leaves nodes without inputs and with one plain output (constants) to a second
// pass, and logs them there.
bool LoggedLast(const Node& node) {
  return node.num_inputs() == 0 && node.num_outputs() == 1 && !IsRef(node.output_type(0));
}

int64_t OutputBytes(const Node& node, int output) {
  const DType type = RemoveRef(node.output_type(output));
  const int64_t elements = node.output_shape(output).num_elements();
  return elements < 0 || !IsPlain(type) ? 0 : elements * static_cast<int64_t>(SizeOf(type));
}

}  // namespace

const std::string& PlacementReport::DeviceOf(const Node& node) const {
  static const std::string kNone;
  const auto id = static_cast<size_t>(node.id());
  return id < nodes.size() && nodes[id].assigned >= 0 ? device_names_[nodes[id].assigned] : kNone;
}

std::vector<std::string> PlacementReport::LogLines(int first_node) const {
  std::vector<std::string> lines;
  for (const bool last : {false, true}) {
    for (size_t i = first_node; i < nodes.size(); ++i) {
      const Node& node = *nodes[i].node;
      if (LoggedLast(node) != last) continue;
      lines.push_back(
          StrCat(node.name(), ": (", node.op_name(), "): ", device_names_[nodes[i].assigned]));
    }
  }
  return lines;
}

std::vector<std::string> PlacementReport::MovedLines(int first_node) const {
  std::vector<std::string> lines;
  for (size_t i = first_node; i < nodes.size(); ++i) {
    const NodePlacement& placement = nodes[i];
    if (!placement.moved) continue;
    std::string_view why = placement.reason;
    why.remove_prefix(std::string_view("moved: ").size());
    lines.push_back(StrCat(placement.node->name(), ": moved from ", placement.requested, " to ",
                           device_names_[placement.assigned], ": ", why));
  }
  return lines;
}

std::string PlacementReport::ToString() const {
  constexpr int kColumns = 5;
  const bool one_task = OneTask(devices);
  std::vector<std::array<std::string, kColumns>> rows = {
      {"node", "op", "requested", "assigned", "reason"}};
  std::vector<int64_t> counts(devices.size());
  int64_t moved = 0;
  for (const NodePlacement& placement : nodes) {
    rows.push_back({placement.node->name(), placement.node->op_name(), placement.requested,
                    ShortName(devices[placement.assigned], one_task), placement.reason});
    ++counts[placement.assigned];
    moved += placement.moved;
  }
  std::array<size_t, kColumns> widths{};
  for (const auto& row : rows) {
    for (int c = 0; c < kColumns; ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (int c = 0; c < kColumns; ++c) {
      StrAppend(&text, row[c]);
      if (c + 1 < kColumns) text.append(widths[c] - row[c].size() + 2, ' ');
    }
    text.push_back('\n');
  }
  for (size_t i = 0; i < devices.size(); ++i) {
    StrAppend(&text, device_names_[i], ": ", counts[i], counts[i] == 1 ? " node" : " nodes",
              devices[i].description.empty() ? "" : StrCat(" (", devices[i].description, ")"),
              "\n");
  }
  StrAppend(&text, moved, " moved, ", HumanBytes(CrossingBytes()),
            " cross between devices in a step, as far as shapes are known\n");
  return text;
}

std::string PlacementReport::ToJson() const {
  using nlohmann::json;
  json list = json::array();
  for (size_t i = 0; i < devices.size(); ++i) {
    list.push_back({{"name", device_names_[i]},
                    {"type", devices[i].type},
                    {"memory_bytes", devices[i].memory_bytes},
                    {"simulated", devices[i].simulated},
                    {"description", devices[i].description}});
  }
  json placed = json::array();
  for (const NodePlacement& placement : nodes) {
    placed.push_back({{"node", placement.node->name()},
                      {"op", placement.node->op_name()},
                      {"requested", placement.requested},
                      {"assigned", device_names_[placement.assigned]},
                      {"reason", placement.reason},
                      {"moved", placement.moved}});
  }
  const json all = {{"devices", std::move(list)},
                    {"nodes", std::move(placed)},
                    {"crossing_bytes", CrossingBytes()}};
  // Names that are not UTF-8 become replacement characters: dump would throw.
  return all.dump(2, ' ', false, json::error_handler_t::replace);
}

int64_t PlacementReport::CrossingBytes() const {
  int64_t bytes = 0;
  for (const NodePlacement& from : nodes) {
    std::set<std::pair<int, int>> sent;  // (output, device): a value goes to a device once
    for (const Node::Edge& edge : from.node->out_edges()) {
      if (static_cast<size_t>(edge.to->id()) >= nodes.size()) continue;
      const int to = nodes[edge.to->id()].assigned;
      if (to == from.assigned || !sent.emplace(edge.from_output, to).second) continue;
      bytes += OutputBytes(*from.node, edge.from_output);
    }
  }
  return bytes;
}

}  // namespace headrace
