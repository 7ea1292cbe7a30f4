#include "headrace/device/fork.h"

#include <pthread.h>

#include <atomic>
#include <set>

namespace headrace {
namespace {

struct Registry {
  std::mutex mutex;
  std::set<ForkSafeMutex*> all;
  std::atomic<int64_t> generation{0};
};

Registry& TheRegistry();

void BeforeFork() {
  TheRegistry().mutex.lock();
  for (ForkSafeMutex* mutex : TheRegistry().all) mutex->lock();
}
void AfterFork() {
  for (ForkSafeMutex* mutex : TheRegistry().all) mutex->unlock();
  TheRegistry().mutex.unlock();
}
void AfterForkInChild() {
  TheRegistry().generation.fetch_add(1);
  AfterFork();
}

Registry& TheRegistry() {
  static Registry* registry = [] {
    auto* made = new Registry;
    pthread_atfork(&BeforeFork, &AfterFork, &AfterForkInChild);
    return made;
  }();
  return *registry;
}

}  // namespace

int64_t ForkGeneration() {
  return TheRegistry().generation.load(std::memory_order_acquire);
}

ForkSafeMutex::ForkSafeMutex() {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  registry.all.insert(this);
}

ForkSafeMutex::~ForkSafeMutex() {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  registry.all.erase(this);
}

}  // namespace headrace
