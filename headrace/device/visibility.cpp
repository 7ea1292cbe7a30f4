#include <algorithm>
#include <cstdlib>

#include "headrace/base/strings.h"
#include "headrace/device/internal/visibility.h"

namespace headrace::internal {
namespace {

// Keeps of `visible` what `keep` says by position, and gives the others the reason.
template <class Keep>
void Filter(Visibility& v, const std::string& reason, Keep keep) {
  std::vector<int> kept;
  for (size_t i = 0; i < v.physical.size(); ++i) {
    if (keep(i)) {
      kept.push_back(v.physical[i]);
    } else {
      v.why_not[v.physical[i]] = reason;
    }
  }
  v.physical = std::move(kept);
}

StatusOr<std::vector<int>> ParseVisibleList(const std::string& list, int visible_count) {
  std::vector<int> numbers;
  for (std::string_view part : StrSplit(list, ',')) {
    const std::optional<int64_t> number = ParseInt(StripSpace(part));
    if (!number) {
      return InvalidArgument("Could not parse entry in 'visible_device_list': '", part,
                             "'. visible_device_list = ", list,
                             "; numbers with commas between are wanted, like \"1,0\"");
    }
    if (*number < 0 || *number >= visible_count) {
      return InvalidArgument("'visible_device_list' listed an invalid GPU id '", *number,
                             "' but visible device count is ", visible_count);
    }
    if (std::find(numbers.begin(), numbers.end(), *number) != numbers.end()) {
      return InvalidArgument("visible_device_list contained a duplicate entry: ", list);
    }
    numbers.push_back(static_cast<int>(*number));
  }
  return numbers;
}

}  // namespace

std::vector<int> ParseVisibleVariable(std::string_view text, int count) {
  std::vector<int> numbers;
  for (std::string_view part : StrSplit(text, ',')) {
    const std::optional<int64_t> number = ParseInt(StripSpace(part));
    if (!number || *number < 0 || *number >= count) break;
    if (std::find(numbers.begin(), numbers.end(), *number) != numbers.end())
      return {};  // as CUDA does
    numbers.push_back(static_cast<int>(*number));
  }
  return numbers;
}

StatusOr<Visibility> VisibleGpus(int count, const DeviceOptions& options) {
  Visibility v;
  v.why_not.resize(count);
  for (int i = 0; i < count; ++i) v.physical.push_back(i);
  for (const char* name : {"HEADRACE_VISIBLE_GPUS", "CUDA_VISIBLE_DEVICES"}) {
    const char* text = std::getenv(name);
    if (text == nullptr) continue;
    v.physical = ParseVisibleVariable(text, count);
    for (int i = 0; i < count; ++i) {
      if (std::find(v.physical.begin(), v.physical.end(), i) == v.physical.end()) {
        v.why_not[i] = StrCat("hidden by ", name, "=", text);
      }
    }
    break;
  }
  if (!options.gpu.visible_device_list.empty()) {
    const std::string& list = options.gpu.visible_device_list;
    HR_ASSIGN_OR_RETURN(const std::vector<int> numbers,
                        ParseVisibleList(list, static_cast<int>(v.physical.size())));
    const std::vector<int> before = v.physical;
    Filter(v, StrCat("not in visible_device_list \"", list, "\""), [&](size_t i) {
      return std::find(numbers.begin(), numbers.end(), static_cast<int>(i)) != numbers.end();
    });
    v.physical.clear();
    for (int number : numbers) v.physical.push_back(before[number]);
  }
  if (options.gpu_count < 0 && options.job == "ps") {
    Filter(v, "a task of job ps uses no GPU unless gpu_count says so",
           [](size_t) { return false; });
  } else if (options.gpu_count >= 0) {
    Filter(v, StrCat("gpu_count is ", options.gpu_count),
           [&](size_t i) { return i < static_cast<size_t>(options.gpu_count); });
  }
  return v;
}

}  // namespace headrace::internal
