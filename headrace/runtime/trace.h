// What ran where and when in one step.
//
//   StepTrace trace;                       // handed to the run
//   WriteFileAtomically("step.json", trace.ToChromeTrace());
//
// Thread-safe while it is filled: each device's program adds its events at once when it ends.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "headrace/graph/graph.h"

namespace headrace {

struct TraceEvent {
  enum class Kind : uint8_t { kCompute, kRead, kSend, kReceive };
  Kind kind = Kind::kCompute;
  const Node* node = nullptr;
  int device = 0;        // index in `devices`
  int lane = 0;          // of the device: 0 for plans; the executor's threads otherwise
  int64_t start_ns = 0;  // since the epoch of the system clock
  int64_t end_ns = 0;
  int64_t output_bytes = 0;
};

class StepTrace {
 public:
  explicit StepTrace(std::vector<std::string> devices = {}) : devices_(std::move(devices)) {}
  void SetDevices(std::vector<std::string> devices) { devices_ = std::move(devices); }
  const std::vector<std::string>& devices() const { return devices_; }

  void Add(std::vector<TraceEvent> events);
  // By start time.
  std::vector<TraceEvent> events() const;

  // JSON for chrome://tracing and Perfetto: one process a device, one row a lane.
  std::string ToChromeTrace() const;
  // Serialised tensorflow.StepStats and tensorflow.RunMetadata.
  std::string ToStepStats() const;
  std::string ToRunMetadata() const;

  static int64_t Now();

 private:
  std::vector<std::string> devices_;
  mutable std::mutex mutex_;
  std::vector<TraceEvent> events_;
};

}  // namespace headrace
