#include "headrace/device/cpu/cpu_device.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>

#include "headrace/base/strings.h"
#include "headrace/device/fork.h"

namespace headrace {

std::vector<std::shared_ptr<WorkerPool>> SharedCpuPools(int devices, int threads) {
  using Key = std::tuple<int64_t, int, int>;  // a child shares no pool with its parent
  static auto* mutex = new ForkSafeMutex;
  static auto* shared = new std::map<Key, std::vector<std::weak_ptr<WorkerPool>>>;
  const int64_t generation = ForkGeneration();
  std::lock_guard lock(*mutex);
  std::vector<std::weak_ptr<WorkerPool>>& known = (*shared)[Key(generation, devices, threads)];
  known.resize(devices);
  std::vector<std::shared_ptr<WorkerPool>> pools;
  for (int i = 0; i < devices; ++i) {
    std::shared_ptr<WorkerPool> pool = known[i].lock();
    if (pool == nullptr) {
      // The first devices get the cores that are left over.
      pool = std::make_shared<WorkerPool>(threads / devices + (i < threads % devices ? 1 : 0));
      known[i] = pool;
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}

StatusOr<int> ThreadCount(int requested) {
  constexpr int kMost = 4096;
  if (requested < 0 || requested > kMost) {
    return InvalidArgument("threads must be 0 (all cores) or 1 to ", kMost, ", got ", requested);
  }
  if (requested > 0) return requested;
  const char* text = std::getenv("HEADRACE_THREADS");
  if (text == nullptr || *text == '\0') return AvailableCores();
  const std::optional<int64_t> value = ParseInt(text);
  if (!value || *value < 1 || *value > kMost) {
    return InvalidArgument("HEADRACE_THREADS must be a number from 1 to ", kMost, ", got '", text,
                           "'");
  }
  return static_cast<int>(*value);
}

}  // namespace headrace
