#include "headrace/device/device_set.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "headrace/base/strings.h"
#include "headrace/device/cpu/cpu_device.h"
#include "headrace/device/cuda/driver_listing.h"
#include "headrace/device/internal/simulated_options.h"
#include "headrace/device/internal/visibility.h"
#include "headrace/device/simulated/simulated_gpu.h"

namespace headrace {
namespace {

constexpr int kMostDevices = 1024;

DeviceName NameOf(const DeviceOptions& options, std::string_view type, int index) {
  DeviceName name = DeviceName::Local(type, index);
  name.job = options.job;
  name.task = options.task;
  return name;
}

Status CheckOptions(const DeviceOptions& options) {
  if (options.cpu_count < 1 || options.cpu_count > kMostDevices) {
    return InvalidArgument("cpu_count must be 1 to ", kMostDevices, ", got ", options.cpu_count);
  }
  if (options.gpu_count < -1) {
    return InvalidArgument("gpu_count must be -1 (all visible) or at least 0, got ",
                           options.gpu_count);
  }
  const double fraction = options.gpu.per_process_gpu_memory_fraction;
  if (!(fraction >= 0 && fraction <= 1)) {
    return InvalidArgument("per_process_gpu_memory_fraction must be 0 (all) to 1, got ", fraction);
  }
  if (options.gpu.memory_limit_bytes < 0) {
    return InvalidArgument("memory_limit_bytes must be 0 (no limit) or positive, got ",
                           options.gpu.memory_limit_bytes);
  }
  const auto is_name_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (options.job.empty() || std::isalpha(static_cast<unsigned char>(options.job[0])) == 0 ||
      !std::ranges::all_of(options.job, is_name_letter)) {
    return InvalidArgument("a job's name is a letter, then letters, digits and '_', got '",
                           options.job, "'");
  }
  if (options.task < 0)
    return InvalidArgument("a task's number must be at least 0, got ", options.task);
  return absl::OkStatus();
}

// Fatal when HEADRACE_REQUIRE_GPU=1 and the session would silently compute on the CPU. One that
// asks for no GPU, and a parameter server, do so openly.
Status CheckRequired(const DeviceOptions& options, int gpus) {
  const char* required = std::getenv("HEADRACE_REQUIRE_GPU");
  if (gpus > 0 || required == nullptr || std::string_view(required) != "1") return absl::OkStatus();
  if (options.gpu_count == 0 || (options.gpu_count < 0 && options.job == "ps"))
    return absl::OkStatus();
  std::string why;
  if (StatusOr<std::vector<DeviceListing>> listing = ListDevices(options); listing.ok()) {
    for (const DeviceListing& entry : *listing) {
      if (entry.info.type == "GPU")
        StrAppend(&why, "\n  ", entry.info.description, ": ", entry.reason);
    }
  }
  return FailedPrecondition(
      "HEADRACE_REQUIRE_GPU=1, but no GPU can be used",
      why.empty() ? ": this machine shows none, and no simulated ones were asked for" : why);
}

// An added device that could not be told from another, or never be asked for, is refused.
Status CheckAdded(const Device* device, const std::vector<std::unique_ptr<Device>>& before) {
  if (device == nullptr) return InvalidArgument("an added device is null");
  const DeviceName& name = device->info().name;
  if (!name.job || !name.replica || !name.task || !name.type || !name.index) {
    return InvalidArgument(
        "an added device is named '", device->name(),
        "'; wanted is a full name like '/job:localhost/replica:0/task:0/device:GPU:0'");
  }
  if (*name.type != device->type()) {
    return InvalidArgument("the added device '", device->name(), "' says its type is '",
                           device->type(), "'; its name says '", *name.type, "'");
  }
  for (const auto& other : before) {
    if (other->name() == device->name()) {
      return InvalidArgument("there are two devices named '", device->name(),
                             "'; an added one takes a number that is free");
    }
  }
  return absl::OkStatus();
}

DeviceInfo SimulatedInfo(const DeviceOptions& options, const SimulatedSetup& setup, int index,
                         int physical) {
  const int64_t bytes = setup.LimitBytes();
  return {.name = NameOf(options, "GPU", index),
          .type = "GPU",
          .memory_bytes = bytes,
          .simulated = true,
          .physical_index = physical,
          .description = StrCat("simulated GPU, ", HumanBytes(bytes))};
}

}  // namespace

StatusOr<std::shared_ptr<DeviceSet>> DeviceSet::Create(const DeviceOptions& options,
                                                       std::vector<std::unique_ptr<Device>> added) {
  HR_RETURN_IF_ERROR(CheckOptions(options));
  HR_ASSIGN_OR_RETURN(const int threads, ThreadCount(options.threads));
  HR_ASSIGN_OR_RETURN(const internal::SimulatedOptions simulated,
                      internal::ReadSimulatedOptions(options));
  HR_ASSIGN_OR_RETURN(const internal::Visibility visible,
                      internal::VisibleGpus(simulated.count, options));
  const auto added_gpus = std::ranges::count_if(
      added, [](const auto& device) { return device != nullptr && device->type() == "GPU"; });
  HR_RETURN_IF_ERROR(CheckRequired(
      options, static_cast<int>(visible.physical.size()) + static_cast<int>(added_gpus)));
  auto set = std::make_shared<DeviceSet>();
  std::vector<std::shared_ptr<WorkerPool>> pools = SharedCpuPools(options.cpu_count, threads);
  for (int i = 0; i < options.cpu_count; ++i) {
    DeviceInfo info{.name = NameOf(options, "CPU", i), .type = "CPU", .physical_index = i};
    set->devices_.push_back(std::make_unique<CpuDevice>(std::move(info), std::move(pools[i])));
  }
  const int gpus = static_cast<int>(visible.physical.size());
  for (int i = 0; i < gpus; ++i) {
    SimulatedSetup setup = simulated.setup;
    setup.threads = std::max(1, threads / gpus);  // they share the machine's cores
    HR_ASSIGN_OR_RETURN(std::shared_ptr<SimulatedGpu> hardware,
                        SimulatedGpu::Open(visible.physical[i], setup, options.profile));
    DeviceInfo info = SimulatedInfo(options, hardware->setup(), i, visible.physical[i]);
    set->devices_.push_back(
        std::make_unique<SimulatedDevice>(std::move(info), std::move(hardware)));
  }
  for (std::unique_ptr<Device>& device : added) {
    HR_RETURN_IF_ERROR(CheckAdded(device.get(), set->devices_));
    set->devices_.push_back(std::move(device));
  }
  return set;
}

StatusOr<std::vector<DeviceInfo>> DeviceSet::Imagine(std::string_view spec) {
  std::vector<DeviceInfo> cpus, gpus;
  for (std::string_view part : StrSplit(spec, ',')) {
    const std::vector<std::string_view> words = StrSplit(StripSpace(part), ':');
    const std::string type = ToUpper(words[0]);
    const std::optional<int64_t> count = words.size() == 2 ? ParseInt(words[1]) : 1;
    std::vector<DeviceInfo>& list = type == "GPU" ? gpus : cpus;
    if ((type != "CPU" && type != "GPU") || words.size() > 2 || !count || *count < 0 ||
        *count > kMostDevices || !list.empty()) {
      return InvalidArgument(
          "'", part, "' in '", spec,
          "' does not describe devices; wanted is something like \"cpu:1,gpu:4\"");
    }
    for (int i = 0; i < *count; ++i) {
      list.push_back({.name = DeviceName::Local(type, i), .type = type, .physical_index = i});
    }
  }
  if (cpus.empty())
    return InvalidArgument("'", spec, "' has no CPU; every machine has one: \"cpu:1,...\"");
  cpus.insert(cpus.end(), gpus.begin(), gpus.end());
  return cpus;
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

StatusOr<std::vector<DeviceListing>> ListDevices(const DeviceOptions& options) {
  HR_RETURN_IF_ERROR(CheckOptions(options));
  HR_ASSIGN_OR_RETURN(const internal::SimulatedOptions simulated,
                      internal::ReadSimulatedOptions(options));
  HR_ASSIGN_OR_RETURN(const internal::Visibility visible,
                      internal::VisibleGpus(simulated.count, options));
  std::vector<DeviceListing> list;
  for (int i = 0; i < options.cpu_count; ++i) {
    list.push_back(
        {.info = {.name = NameOf(options, "CPU", i), .type = "CPU", .physical_index = i}});
  }
  for (size_t i = 0; i < visible.physical.size(); ++i) {
    list.push_back({.info = SimulatedInfo(options, simulated.setup, static_cast<int>(i),
                                          visible.physical[i])});
  }
  for (int physical = 0; physical < simulated.count; ++physical) {
    if (visible.why_not[physical].empty()) continue;
    DeviceInfo info = SimulatedInfo(options, simulated.setup, 0, physical);
    info.name = DeviceName{.type = "GPU"};  // it has no number in this session
    list.push_back({.info = std::move(info), .used = false, .reason = visible.why_not[physical]});
  }
  int physical = 0;
  for (const DriverGpu& gpu : ListDriverGpus()) {
    list.push_back({.info = {.name = DeviceName{.type = "GPU"},
                             .type = "GPU",
                             .physical_index = physical++,
                             .description = StrCat(gpu.model, " at ", gpu.bus_id)},
                    .used = false,
                    .reason = "this build of headrace has no CUDA module"});
  }
  return list;
}

}  // namespace headrace
