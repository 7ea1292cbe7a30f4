#include "headrace/train/internal/replica_threads.h"

#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace headrace::train {

Status RunReplicas(int replicas, Cancellation* outer,
                   const std::function<Status(int replica, Cancellation& cancellation)>& train) {
  Cancellation cancellation(outer == nullptr ? std::nullopt : outer->deadline());
  std::optional<int64_t> link;
  if (outer != nullptr) {
    HR_RETURN_IF_ERROR(outer->status());
    link = outer->OnCancel([&] { cancellation.Cancel(outer->status()); });
    if (!link) return outer->status();  // cancelled since
  }
  std::mutex mutex;
  Status first;
  std::vector<std::thread> threads;
  for (int r = 0; r < replicas; ++r) {
    threads.emplace_back([&, r] {
      Status status = train(r, cancellation);
      if (status.ok()) return;
      {
        std::lock_guard lock(mutex);
        if (first.ok()) first = status;
      }
      cancellation.Cancel(std::move(status));
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (outer != nullptr) outer->Remove(link);
  return first;
}

}  // namespace headrace::train
