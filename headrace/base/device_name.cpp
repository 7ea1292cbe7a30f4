#include "headrace/base/device_name.h"

#include <vector>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

Status BadNumber(std::string_view part, std::string_view text) {
  return InvalidArgument("Could not parse '", part, "' in device name '", text,
                                                 "': a number >= 0 or '*' is wanted");
}

// Sets `field` from "3" or leaves it unset for "*".
Status ParseIndex(std::string_view value, std::string_view part, std::string_view text,
                  std::optional<int>& field) {
  if (value == "*") {
    field.reset();
    return absl::OkStatus();
  }
  const std::optional<int64_t> number = ParseInt(value);
  if (!number || *number < 0 || *number > 1'000'000'000) return BadNumber(part, text);
  field = static_cast<int>(*number);
  return absl::OkStatus();
}

}  // namespace

StatusOr<DeviceName> DeviceName::Parse(std::string_view text) {
  DeviceName name;
  for (std::string_view part : StrSplit(text, '/')) {
    if (part.empty()) continue;
    const std::vector<std::string_view> words = StrSplit(part, ':');
    const std::string key = ToLower(words[0]);
    if (key == "job" && words.size() == 2) {
      name.job = std::string(words[1]);
    } else if (key == "replica" && words.size() == 2) {
      HR_RETURN_IF_ERROR(ParseIndex(words[1], part, text, name.replica));
    } else if (key == "task" && words.size() == 2) {
      HR_RETURN_IF_ERROR(ParseIndex(words[1], part, text, name.task));
    } else if ((key == "device" && (words.size() == 2 || words.size() == 3)) ||
               ((key == "cpu" || key == "gpu") && words.size() <= 2)) {
      if (name.type) {
        return InvalidArgument("Cannot specify multiple device types: ", text);
      }
      const bool long_form = key == "device";
      const std::string type = ToUpper(long_form ? words[1] : words[0]);
      if (type != "*") name.type = type;
      const size_t at = long_form ? 2 : 1;
      if (words.size() > at) HR_RETURN_IF_ERROR(ParseIndex(words[at], part, text, name.index));
    } else {
      return InvalidArgument(
          "Unknown attribute: '", words[0], "' in '", text,
          "'; a device name looks like '/job:worker/task:1/device:GPU:0' or '/cpu:0'");
    }
  }
  return name;
}

DeviceName DeviceName::Local(std::string_view type, int index) {
  return DeviceName{.job = "localhost", .replica = 0, .task = 0, .type = std::string(type), .index = index};
}

std::string DeviceName::ToString() const {
  std::string text;
  if (job) StrAppend(&text, "/job:", *job);
  if (replica) StrAppend(&text, "/replica:", *replica);
  if (task) StrAppend(&text, "/task:", *task);
  if (type || index) {
    StrAppend(&text, "/device:", type.value_or("*"), ":", index ? StrCat(*index) : std::string("*"));
  }
  return text;
}

bool DeviceName::empty() const { return !job && !replica && !task && !type && !index; }

bool DeviceName::Matches(const DeviceName& full) const {
  return (!job || job == full.job) && (!replica || replica == full.replica) &&
         (!task || task == full.task) && (!type || type == full.type) && (!index || index == full.index);
}

DeviceName DeviceName::MergedOver(const DeviceName& outer) const {
  DeviceName merged = *this;
  if (!merged.job) merged.job = outer.job;
  if (!merged.replica) merged.replica = outer.replica;
  if (!merged.task) merged.task = outer.task;
  // A type stated here makes the outer index meaningless, unless it is the same type.
  if (!merged.type) {
    merged.type = outer.type;
    if (!merged.index) merged.index = outer.index;
  } else if (!merged.index && merged.type == outer.type) {
    merged.index = outer.index;
  }
  return merged;
}

}  // namespace headrace
