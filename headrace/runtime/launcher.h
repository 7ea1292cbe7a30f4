// Hands the programs of a step to the devices that do not run on the caller's thread.
//
// All programs of one step are handed over at once, in an order that all sessions of the process
// agree on, so that two steps that wait for each other's devices cannot block one another.
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "headrace/device/device_set.h"

namespace headrace {

class Launcher {
 public:
  explicit Launcher(std::shared_ptr<DeviceSet> devices);
  ~Launcher();  // waits for what was launched on its own threads

  // One work item for each device; a device appears once.
  void Launch(std::span<std::pair<int, std::function<void()>>> work);

 private:
  class Thread;
  Thread& ThreadOf(int device);

  std::shared_ptr<DeviceSet> devices_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Thread>> threads_;  // for devices without a stream; made on first use
  const int64_t born_;                            // see ForkGeneration
};

}  // namespace headrace
