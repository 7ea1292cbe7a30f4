// A reader that steps share: it takes work units (names of files) from a queue and gives their
// records one after the other.
//
//   auto reader = std::make_shared<Reader>("r", [](const std::string& file) { ... });
//   reader->Read(queue, 1, step, [](StatusOr<Reader::Records> records) { ... });
//
// Calls are served one at a time, in the order in which they came; none waits on its thread:
// `done` is called when the call ends, on this thread or on the one that brings what it waits for.
// Thread-safe; held by shared_ptr.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "headrace/ops/data/queue_resource.h"

namespace headrace {

struct Record {
  std::string key, value;
};

// What is read of one work unit.
class WorkUnit {
 public:
  virtual ~WorkUnit() = default;
  // The next record; false at the end.
  virtual StatusOr<bool> Next(Record& record) = 0;
  // It is known already that no more come.
  virtual bool done() const { return false; }
};
using OpenUnit = std::function<StatusOr<std::unique_ptr<WorkUnit>>(const std::string& unit)>;

class Reader final : public Resource, public std::enable_shared_from_this<Reader> {
 public:
  using Records = std::vector<Record>;
  using Done = std::function<void(Status)>;

  // `name`: for errors. `keeps_state`: Serialize and Restore are possible, as a unit is never half
  // read.
  Reader(std::string name, bool keeps_state, OpenUnit open)
      : name_(std::move(name)), keeps_state_(keeps_state), open_(std::move(open)) {}

  std::string_view kind() const override { return "reader"; }
  int64_t records_produced() const { return produced_; }
  int64_t units_completed() const { return finished_; }

  // Up to `most` records, fewer where a work unit ends. Errors: those of the queue ("is closed and
  // has insufficient elements"), of a file that cannot be opened, of a damaged record.
  void Read(std::shared_ptr<Queue> queue, int64_t most, Cancellation& step,
            std::function<void(StatusOr<Records>)> done);
  // As it was when it was made.
  void Reset(Cancellation& step, Done done);
  // What is between two reads, as bytes. Errors: Unimplemented unless it keeps state.
  void Serialize(Cancellation& step, std::function<void(StatusOr<std::string>)> done);
  void Restore(std::string state, Cancellation& step, Done done);

 private:
  struct Call;
  void Start(const std::shared_ptr<Call>& call, Cancellation& step);
  void Finish(const std::shared_ptr<Call>& call, Status status);

  // The first of calls_ has all that follows for itself, without the lock.
  void Continue(const std::shared_ptr<Call>& call);
  std::optional<StatusOr<std::vector<QueueElement>>> TakeUnit(const std::shared_ptr<Call>& call);
  Status StartUnit(StatusOr<std::vector<QueueElement>> taken);
  StatusOr<bool> ReadUnit(Call& call);
  std::string State() const;
  Status SetState(std::string_view state);

  const std::string name_;
  const bool keeps_state_;
  const OpenUnit open_;
  std::unique_ptr<WorkUnit> unit_;
  std::atomic<int64_t> started_{0}, finished_{0}, produced_{0};

  std::mutex mutex_;
  std::deque<std::shared_ptr<Call>> calls_;
};

}  // namespace headrace
