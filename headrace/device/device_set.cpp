#include "headrace/device/device_set.h"

#include "headrace/base/strings.h"
#include "headrace/device/cpu/cpu_device.h"

namespace headrace {
namespace {

DeviceName NameOf(const DeviceOptions& options, std::string_view type, int index) {
  DeviceName name = DeviceName::Local(type, index);
  name.job = options.job;
  name.task = options.task;
  return name;
}

Status CheckOptions(const DeviceOptions& options) {
  constexpr int kMostDevices = 1024;
  if (options.cpu_count < 1 || options.cpu_count > kMostDevices) {
    return InvalidArgument("cpu_count must be 1 to ", kMostDevices, ", got ", options.cpu_count);
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<DeviceSet>> DeviceSet::Create(const DeviceOptions& options) {
  HR_RETURN_IF_ERROR(CheckOptions(options));
  HR_ASSIGN_OR_RETURN(const int threads, ThreadCount(options.threads));
  auto set = std::make_shared<DeviceSet>();
  std::vector<std::shared_ptr<WorkerPool>> pools = SharedCpuPools(options.cpu_count, threads);
  for (int i = 0; i < options.cpu_count; ++i) {
    DeviceInfo info{.name = NameOf(options, "CPU", i), .type = "CPU", .physical_index = i};
    set->devices_.push_back(std::make_unique<CpuDevice>(std::move(info), std::move(pools[i])));
  }
  return set;
}

std::vector<DeviceInfo> DeviceSet::infos() const {
  std::vector<DeviceInfo> infos;
  infos.reserve(devices_.size());
  for (const auto& device : devices_) infos.push_back(device->info());
  return infos;
}

Device* DeviceSet::Find(std::string_view name) const {
  StatusOr<DeviceName> wanted = DeviceName::Parse(name);
  if (!wanted.ok()) return nullptr;
  Device* found = nullptr;
  for (const auto& device : devices_) {
    if (!wanted->Matches(device->info().name)) continue;
    if (found != nullptr) return nullptr;
    found = device.get();
  }
  return found;
}

}  // namespace headrace
