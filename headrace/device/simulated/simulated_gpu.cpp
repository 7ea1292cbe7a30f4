#include "headrace/device/simulated/simulated_gpu.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "headrace/base/log.h"
#include "headrace/base/strings.h"

namespace headrace {
namespace {

struct OpenGpus {
  ForkSafeMutex registry_mutex;
  std::map<int, std::weak_ptr<SimulatedGpu>> by_index;
};

OpenGpus& TheOpenGpus() {
  static auto* open = new OpenGpus;
  return *open;
}

std::string Text(bool value) {
  return value ? "true" : "false";
}

}  // namespace

int64_t SimulatedSetup::LimitBytes() const {
  int64_t limit = total_bytes;
  if (memory_fraction > 0)
    limit = static_cast<int64_t>(static_cast<double>(total_bytes) * memory_fraction);
  if (memory_limit_bytes > 0) limit = std::min(limit, memory_limit_bytes);
  return limit;
}

bool SimulatedSetup::AgreesWith(const SimulatedSetup& other) const {
  return total_bytes == other.total_bytes && LimitBytes() == other.LimitBytes() &&
         allow_growth == other.allow_growth;
}

std::string SimulatedSetup::ToString() const {
  return StrCat("per_process_gpu_memory_fraction=", memory_fraction,
                ", memory_limit_bytes=", memory_limit_bytes, ", allow_growth=", Text(allow_growth),
                ", simulated_gpu_bytes=", total_bytes);
}

StatusOr<std::shared_ptr<SimulatedGpu>> SimulatedGpu::Open(int physical_index,
                                                           const SimulatedSetup& setup,
                                                           Profile profile) {
  if (setup.LimitBytes() < 1)
    return InvalidArgument(setup.ToString(), " leaves no memory; at least 1 byte is needed");
  OpenGpus& open = TheOpenGpus();
  // Made outside the lock where it can be: the pool has a fork-safe lock of its own, which may not
  // be taken inside.
  for (;;) {
    std::shared_ptr<SimulatedGpu> there;
    {
      std::lock_guard lock(open.registry_mutex);
      if (auto it = open.by_index.find(physical_index); it != open.by_index.end())
        there = it->second.lock();
    }
    if (there != nullptr) {
      if (there->setup_.AgreesWith(setup)) return there;
      const std::string text =
          StrCat("GPU ", physical_index, " (simulated) is open in this process with ",
                 there->setup_.ToString(),
                 there->setup_.user.empty() ? "" : StrCat(", by ", there->setup_.user), "; now ",
                 setup.user.empty() ? "somebody" : setup.user, " asks for ", setup.ToString());
      if (profile == Profile::kStrict) {
        return FailedPrecondition(text, ". Use equal GPU options, or close the first user before.");
      }
      LogOnce(LogLevel::kWarning, text, StrCat(text, ". The first options stay."));
      return there;
    }
    const int64_t limit = setup.LimitBytes();
    HR_ASSIGN_OR_RETURN(
        std::shared_ptr<PoolAllocator> memory,
        PoolAllocator::Create(MakeHostRange(static_cast<size_t>(limit)),
                              {.name = StrCat("/device:GPU:", physical_index, " (simulated)"),
                               .allow_growth = setup.allow_growth}));
    std::shared_ptr<SimulatedGpu> made(new SimulatedGpu(setup, std::move(memory)));
    std::lock_guard lock(open.registry_mutex);
    std::weak_ptr<SimulatedGpu>& entry = open.by_index[physical_index];
    if (entry.expired()) {
      entry = made;
      return made;
    }
    // Somebody else was faster: look at what they opened.
  }
}

Status SimulatedDevice::CopyIn(const Tensor& host, Tensor& device) {
  HR_RETURN_IF_ERROR(hardware_->stream().failure());
  hardware_->stream().RunInOrder([&] { device.CopyElementsFrom(host); });
  copies_in_.fetch_add(1, std::memory_order_relaxed);
  bytes_in_.fetch_add(static_cast<int64_t>(host.size_bytes()), std::memory_order_relaxed);
  return absl::OkStatus();
}

Status SimulatedDevice::CopyOut(const Tensor& device, Tensor& host) {
  HR_RETURN_IF_ERROR(hardware_->stream().failure());
  hardware_->stream().RunInOrder([&] { host.CopyElementsFrom(device); });
  copies_out_.fetch_add(1, std::memory_order_relaxed);
  bytes_out_.fetch_add(static_cast<int64_t>(device.size_bytes()), std::memory_order_relaxed);
  return hardware_->stream().failure();
}

CopyStats SimulatedDevice::copy_stats() const {
  return {.copies_in = copies_in_.load(),
          .bytes_in = bytes_in_.load(),
          .copies_out = copies_out_.load(),
          .bytes_out = bytes_out_.load()};
}

}  // namespace headrace
