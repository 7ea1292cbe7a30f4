#include "headrace/device/cuda/driver_listing.h"

#include "headrace/base/file.h"
#include "headrace/base/strings.h"

namespace headrace {

std::vector<DriverGpu> ListDriverGpus(const std::string& root) {
  std::vector<DriverGpu> gpus;
  StatusOr<std::vector<std::string>> folders = ListFolder(root);
  if (!folders.ok()) return gpus;  // no driver
  for (const std::string& bus_id : *folders) {
    DriverGpu gpu{.model = "NVIDIA GPU", .bus_id = bus_id};
    if (StatusOr<std::string> text = ReadFile(JoinPath(JoinPath(root, bus_id), "information"));
        text.ok()) {
      for (std::string_view line : StrSplit(*text, '\n')) {
        constexpr std::string_view kModel = "Model:";
        if (line.starts_with(kModel)) gpu.model = StripSpace(line.substr(kModel.size()));
      }
    }
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

}  // namespace headrace
