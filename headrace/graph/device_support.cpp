// Which kernel entry of its op a node can use on a type of device, and if none, why.
#include "headrace/base/strings.h"
#include "headrace/graph/graph.h"

namespace headrace {
namespace {

// "" if the entry takes the node's dtypes, else "T=int32 (supported: float16, float32)".
std::string TypeMismatch(const DeviceSupport& entry, const Node& node) {
  for (const auto& [name, allowed] : entry.types) {
    const AttrValue* value = node.attrs().Find(name);
    if (value == nullptr) continue;
    if (const DType* type = value->As<DType>()) {
      if (!allowed.Contains(RemoveRef(*type))) {
        return StrCat(name, "=", DTypeName(*type), " (supported: ", allowed.ToString(), ")");
      }
    } else if (const auto* types = value->As<AttrValue::Types>()) {
      for (DType type : *types) {
        if (!allowed.Contains(RemoveRef(type))) {
          return StrCat(name, " with ", DTypeName(type), " (supported: ", allowed.ToString(), ")");
        }
      }
    }
  }
  return "";
}

}  // namespace

StatusOr<const DeviceSupport*> FindSupport(const Node& node, std::string_view device_type) {
  const std::vector<DeviceSupport>& entries = node.op().support(device_type);
  if (entries.empty()) {
    const bool elsewhere = !node.op().support("CPU").empty() && device_type != "CPU";
    return InvalidArgument("op '", node.op_name(), "' has no kernel for ", device_type, " devices",
                           elsewhere ? ", only for CPU" : "");
  }
  std::string reasons;
  for (const DeviceSupport& entry : entries) {
    std::string reason = TypeMismatch(entry, node);
    if (reason.empty() && entry.accepts != nullptr) {
      const Status accepted = entry.accepts(node);
      if (!accepted.ok()) reason = std::string(Message(accepted));
    }
    if (reason.empty()) return &entry;
    StrAppend(&reasons, reasons.empty() ? "" : "; ", reason);
  }
  return InvalidArgument("op '", node.op_name(), "' has no kernel for ", device_type,
                         " devices with ", reasons);
}

}  // namespace headrace
