// Names of devices: "/job:worker/replica:0/task:3/device:GPU:1", every part optional in a request.
//
//   HR_ASSIGN_OR_RETURN(DeviceName gpu, DeviceName::Parse("/gpu:1"));
//   gpu.ToString();                    // "/device:GPU:1"
//   gpu.Matches(full_name_of_device);  // true when each part that gpu states is equal
//
// Accepted spellings: "/cpu:0", "/gpu:1", "/device:GPU:1", "/device:GPU:*", "/job:ps/task:1", and the
// same with other case in the device type. Output is always canonical. Value type.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "headrace/base/status.h"

namespace headrace {

struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;  // upper case: "CPU", "GPU"
  std::optional<int> index;

  // Errors: InvalidArgument with TensorFlow's texts ("Unknown attribute: 'foo' in '/foo:0'",
  // "Cannot specify multiple device types: ..."). "" is the request without any part.
  static StatusOr<DeviceName> Parse(std::string_view text);
  // The full name of a device of this process: "/job:localhost/replica:0/task:0/device:CPU:0".
  static DeviceName Local(std::string_view type, int index);

  // Canonical text of the stated parts; "" when none is.
  std::string ToString() const;
  bool empty() const;
  // True when each stated part equals that of `full`.
  bool Matches(const DeviceName& full) const;
  // Parts stated here win; others come from `outer` (how an inner device scope meets an outer one).
  DeviceName MergedOver(const DeviceName& outer) const;

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

}  // namespace headrace
