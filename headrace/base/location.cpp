#include "headrace/base/location.h"

#include <mutex>
#include <set>

namespace headrace {

Location Location::Of(std::string_view file, uint32_t line) {
  static std::mutex mutex;
  static auto* names = new std::set<std::string, std::less<>>;
  std::lock_guard lock(mutex);
  auto it = names->find(file);
  if (it == names->end()) it = names->emplace(file).first;
  return Location{it->c_str(), line};
}

std::string Location::ToString() const {
  if (!known()) return "";
  std::string_view name = file;
  if (size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  return std::string(name) + ":" + std::to_string(line);
}

}  // namespace headrace
