#include <cstdio>
#include <memory>

#include "headrace/base/strings.h"
#include "headrace/device/device_set.h"
#include "tools/commands/commands.h"
#include "tools/commands/table.h"

namespace headrace::tools {
namespace {

Status ListAll(const DeviceOptions& options) {
  HR_ASSIGN_OR_RETURN(const std::vector<DeviceListing> listings, ListDevices(options));
  Table table({"device", "type", "memory", "used", "what"});
  for (const DeviceListing& listing : listings) {
    const DeviceInfo& info = listing.info;
    table.Add({listing.used ? info.name.ToString() : "-", info.type,
               info.memory_bytes > 0 ? HumanBytes(info.memory_bytes) : "host", listing.used ? "yes" : "no",
               listing.used ? info.description : StrCat(info.description, ": ", listing.reason)});
  }
  std::fputs(table.ToString().c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace

void AddDevicesCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("devices", "List the devices of this machine, and why one is not used");
  auto options = std::make_shared<DeviceOptions>();
  command->add_option("--simulated_gpus", options->simulated_gpus, "GPUs that compute with the CPU's kernels")
      ->check(CLI::Range(0, 64));
  command->add_option("--cpus", options->cpu_count, "CPU devices that share the cores")->check(CLI::Range(1, 1024));
  command->add_option("--visible", options->gpu.visible_device_list, "Physical GPUs in order, such as 1,0");
  command->callback([options, &exit_code] { exit_code = Report(ListAll(*options)); });
}

}  // namespace headrace::tools
